// How far are closed forms of collectives, with the constants of the catalogue, from what was
// measured?
//
//     gpuplan_accuracy_collectives [--json] [--rows]
//
// Reads measured_collectives.json from the folder that GPUPLAN_VECTORS names, else from
// tests/data/vectors.  --rows adds a line for each message size.
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <gpuplan/report/table.hpp>

#include "accuracy_collectives/measured_collectives.hpp"
#include "support/vectors.hpp"

namespace gpuplan::accuracy {
namespace {

constexpr double goal = 0.20;  ///< for the median of all rows

std::string percent(double part) {
  return fmt::format("{:.1f}%", 100 * part);
}

/// Errors of several sweeps together.
errors together(const std::vector<measured_sweep>& sweeps) {
  errors all;
  for (const measured_sweep& sweep : sweeps)
    for (const measured_time& t : sweep.times)
      all.add(relative_error(t.predicted() / t.measured, 1));
  return all;
}

/// The same were launches free.
errors without_launches(const std::vector<measured_sweep>& sweeps) {
  errors all;
  for (const measured_sweep& sweep : sweeps)
    for (const measured_time& t : sweep.times)
      all.add(relative_error(t.expected.network / t.measured, 1));
  return all;
}

errors medians(const std::vector<measured_sweep>& sweeps) {
  errors all;
  for (const measured_sweep& sweep : sweeps) all.add(sweep.of_all().median());
  return all;
}

std::string text_of(const measured_collectives& measured) {
  const auto right = column_side::right;
  table lines{{{"hardware"},
               {"collective"},
               {"ranks", right},
               {"rows", right},
               {"median", right},
               {"p90", right},
               {"worst", right}}};
  for (const measured_sweep& sweep : measured.sweeps) {
    const errors all = sweep.of_all();
    lines.row({sweep.hardware.substr(0, 60), std::string(name_of(sweep.what)),
               std::to_string(sweep.ranks), std::to_string(all.count()), percent(all.median()),
               percent(all.p90()), percent(all.worst())});
  }
  lines.line();
  const errors all = together(measured.sweeps);
  lines.row({"all rows", "", "", std::to_string(all.count()), percent(all.median()),
             percent(all.p90()), percent(all.worst())});
  const errors network = without_launches(measured.sweeps);
  lines.row({"all rows, were launches free", "", "", std::to_string(network.count()),
             percent(network.median()), percent(network.p90()), percent(network.worst())});
  const errors of_sweeps = medians(measured.sweeps);
  lines.row({"medians of sweeps", "", "", std::to_string(of_sweeps.count()),
             percent(of_sweeps.median()), percent(of_sweeps.p90()), percent(of_sweeps.worst())});
  std::string text =
      "Times of measured collectives, |predicted / measured - 1|, by catalogue constants "
      "alone\n\n" +
      lines.text();
  text += fmt::format(
      "\nMedian of all rows at most {:g}%: {}\n\n"
      "NVLink's achievable rates in the catalogue are those of large all-reduces, some of them "
      "among "
      "these rows.\n\nLeft out\n",
      100 * goal, all.median() <= goal ? "met" : "missed");
  for (const left_out_sweep& sweep : measured.left_out)
    text += fmt::format("  {} ({} rows): {}\n", sweep.hardware, sweep.count, sweep.reason);
  return text;
}

std::string rows_of(const measured_collectives& measured) {
  using namespace units;
  const auto right = column_side::right;
  table lines{{{"hardware"},
               {"collective"},
               {"bytes", right},
               {"measured us", right},
               {"predicted us", right},
               {"error", right}}};
  for (const measured_sweep& sweep : measured.sweeps)
    for (const measured_time& t : sweep.times)
      lines.row({sweep.hardware.substr(0, 40), std::string(name_of(sweep.what)),
                 fmt::format("{:.0f}", t.message / byte), fmt::format("{:.1f}", t.measured / us),
                 fmt::format("{:.1f}", t.predicted() / us),
                 fmt::format("{:+.1f}%", 100 * (t.predicted() / t.measured - 1))});
  return lines.text();
}

nlohmann::json json_of(const errors& all) {
  return {
      {"count", all.count()}, {"median", all.median()}, {"p90", all.p90()}, {"worst", all.worst()}};
}

nlohmann::json json_of(const measured_collectives& measured) {
  nlohmann::json sweeps = nlohmann::json::array();
  for (const measured_sweep& sweep : measured.sweeps)
    sweeps.push_back({{"hardware", sweep.hardware},
                      {"source", sweep.source},
                      {"collective", std::string(name_of(sweep.what))},
                      {"ranks", sweep.ranks},
                      {"errors", json_of(sweep.of_all())}});
  nlohmann::json left_out = nlohmann::json::array();
  for (const left_out_sweep& sweep : measured.left_out)
    left_out.push_back(
        {{"hardware", sweep.hardware}, {"rows", sweep.count}, {"reason", sweep.reason}});
  return {{"schema_version", 1},
          {"goal_median", goal},
          {"all_rows", json_of(together(measured.sweeps))},
          {"all_rows_were_launches_free", json_of(without_launches(measured.sweeps))},
          {"sweep_medians", json_of(medians(measured.sweeps))},
          {"sweeps", sweeps},
          {"left_out", left_out}};
}

}  // namespace
}  // namespace gpuplan::accuracy

int main(int count, char** arguments) {
  using namespace gpuplan::accuracy;
  bool as_json = false;
  bool with_rows = false;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--json") {
      as_json = true;
    } else if (argument == "--rows") {
      with_rows = true;
    } else {
      std::fputs("usage: gpuplan_accuracy_collectives [--json] [--rows]\n", stderr);
      return argument == "--help" ? 0 : 2;
    }
  }

  try {
    const measured_collectives measured =
        read_measured_collectives(gpuplan::testing::load_vectors("measured_collectives"));
    if (as_json) {
      std::puts(json_of(measured).dump(2).c_str());
      return 0;
    }
    std::fputs(text_of(measured).c_str(), stdout);
    if (with_rows) std::fputs(("\n" + rows_of(measured)).c_str(), stdout);
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "gpuplan_accuracy_collectives: %s\n", fault.what());
    return 2;
  }
}
