// How far are the laws of operators, with the rates of the catalogue, from what was measured?
//
//     gpuplan_operators [--fit] [--json] [--write FILE]
//
// Reads measured_gemm.json, measured_products.json, measured_attention.json, measured_moe.json and
// measured_collectives_aic.json from the folder that GPUPLAN_VECTORS names, else from
// tests/data/vectors.  --fit fits the rates to these rows and prints the errors on shapes and GPUs
// that a fit had not seen; --write keeps the fitted rates, for tools/make_hardware_catalog.py.
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/usual_rates.hpp>

#include "operators/cross_validation.hpp"
#include "operators/error_table.hpp"
#include "operators/measured_rows.hpp"
#include "operators/rates_json.hpp"

namespace gpuplan::operators {
namespace {

struct choices {
  bool fit = false;
  bool json = false;
  std::string written;
};

choices read_choices(int count, char** words) {
  choices chosen;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word == "--fit") {
      chosen.fit = true;
    } else if (word == "--json") {
      chosen.json = true;
    } else if (word == "--write" && i + 1 < count) {
      chosen.written = words[++i];
    } else {
      throw std::runtime_error{"usage: gpuplan_operators [--fit] [--json] [--write FILE]"};
    }
  }
  return chosen;
}

std::vector<judged_row> by_catalogue(const measured_operators& all) {
  return judge(all, [](const measured_row& row) { return &detail::described(row.gpu); });
}

std::string goals_text(const std::vector<judged_row>& rows) {
  std::string text;
  for (const class_errors& one :
       classes_of(rows, [](const judged_row& row) { return row.usual ? row.operation : ""; }))
    for (const operator_goal& goal : operator_goals)
      if (goal.operation == one.name)
        text += fmt::format("{}: median at most {:.0f} %: {}{}\n", one.name, 100 * goal.median,
                            one.errors.median() <= goal.median ? "met" : "missed",
                            goal.p90 == 0
                                ? ""
                                : fmt::format("; p90 at most {:.0f} %: {}", 100 * goal.p90,
                                              one.errors.p90() <= goal.p90 ? "met" : "missed"));
  return text;
}

void print_rates(const std::vector<device_rates>& devices) {
  for (const device_rates& device : devices) {
    if (!device.derived_from.empty()) continue;
    const accelerator& gpu = device.fit.gpu;
    fmt::print("{}\n", device.name);
    for (const auto& [field, basis] : device.fit.basis)
      fmt::print("  {:<44}{:>6} rows, median error {}\n", field, basis.rows, percent(basis.median));
    fmt::print(
        "  TFLOP/s, sustained and cool: 16 bits {:.0f}, {:.0f}; 8 bits {:.0f}, {:.0f}; "
        "4 bits {:.0f}, {:.0f}\n",
        gpu.sustained.bf16.in_base_units() / 1e12, gpu.achieved.bf16.in_base_units() / 1e12,
        gpu.sustained.fp8_e4m3.in_base_units() / 1e12, gpu.achieved.fp8_e4m3.in_base_units() / 1e12,
        gpu.sustained.fp4.in_base_units() / 1e12, gpu.achieved.fp4.in_base_units() / 1e12);
    each_rate(gpu.operators, [](std::string_view field, const auto& value) {
      fmt::print("  {:<44}{:>12.4g}\n", field, detail::in_base(value));
    });
  }
}

int run(const choices& chosen) {
  const measured_operators all = read_measured_operators();
  if (!chosen.written.empty()) {
    std::ofstream file{chosen.written};
    file << json_of(rates_of_all(all, [](const measured_row&) { return true; })).dump(1) << "\n";
    if (!file) throw std::runtime_error{chosen.written + " cannot be written"};
    return 0;
  }
  if (chosen.fit) {
    print_rates(rates_of_all(all, [](const measured_row&) { return true; }));
    fmt::print("\nShapes that the fit had not seen, three thirds in turn\n\n{}",
               report_of(cross_validated(all)));
    fmt::print("\nGPUs that the fit had not seen, by the shares of a relative\n\n{}",
               report_of(left_out_gpus(all)));
    return 0;
  }
  const std::vector<judged_row> rows = by_catalogue(all);
  const auto usual = [](const judged_row& row) { return row.usual ? row.operation : ""; };
  if (chosen.json) {
    nlohmann::ordered_json document{{"schema_version", 1}};
    document["operators"] = json_of(classes_of(rows, usual));
    document["by_gpu"] = json_of(classes_of(rows, [](const judged_row& row) {
      return row.usual ? row.operation + ", " + row.gpu : "";
    }));
    document["left_out"] = all.left_out;
    fmt::print("{}\n", document.dump(1));
    return 0;
  }
  fmt::print("Times of measured operators, |predicted / measured - 1|, by the catalogue\n\n{}\n{}",
             report_of(rows), goals_text(rows));
  if (!all.left_out.empty())
    fmt::print("\nLeft out: devices that the catalogue lacks, formats that no law is for\n");
  for (const auto& [name, count] : all.left_out) fmt::print("  {} ({} rows)\n", name, count);
  return 0;
}

}  // namespace
}  // namespace gpuplan::operators

int main(int count, char** words) {
  try {
    return gpuplan::operators::run(gpuplan::operators::read_choices(count, words));
  } catch (const std::exception& error) {
    fmt::print(stderr, "gpuplan_operators: {}\n", error.what());
    return 2;
  }
}
