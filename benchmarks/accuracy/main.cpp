// How far are the models of memory and of step time from what was measured?
//
//     gpuplan_accuracy [--json | --markdown | --bands] [--rows] [--html FILE]
//
// Reads measured_*.json, published.json and published_checks.json from the folder that
// GPUPLAN_VECTORS names, else from tests/data/vectors, and what benchmarks/measured/measure.py
// wrote from tests/data/measured, where there is any.  --rows adds a line for each run; --markdown
// prints docs/accuracy.md; --bands include/gpuplan/accuracy/error_rows.hpp; --html writes every run as a point of a picture, too.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "accuracy/device_report.hpp"
#include "accuracy/error_quantiles.hpp"
#include "accuracy/error_residuals.hpp"
#include "accuracy/error_rows_header.hpp"
#include "accuracy/markdown_page.hpp"
#include "accuracy/parity_page.hpp"
#include "accuracy/report_json.hpp"
#include "accuracy/report_text.hpp"
#include "accuracy/speed_files.hpp"
#include "accuracy/speed_json.hpp"
#include "accuracy/speed_text.hpp"
#include "support/vectors.hpp"

namespace {

using namespace gpuplan::accuracy;

/// What measure.py wrote, where it ran.
std::vector<device_table> read_devices() {
  std::vector<device_table> tables;
  const auto folder = gpuplan::testing::data_folder() / "measured";
  if (!std::filesystem::exists(folder)) return tables;
  for (const auto& path : gpuplan::testing::files_of(folder, ".json"))
    tables.push_back(read_device_table(gpuplan::testing::load_json(path)));
  return tables;
}

accuracy_results read_all() {
  using gpuplan::testing::load_vectors;
  const nlohmann::json checks = load_vectors("published_checks");
  const nlohmann::json entries = load_vectors("published");
  const nlohmann::json memory = load_vectors("measured_memory");
  accuracy_results all{
      .measured = read_measured_runs(memory),
      .published = read_published_runs(checks, entries),
      .speed = read_speed_runs({.checks = checks,
                                .published = entries,
                                .runs = load_vectors("measured_runs"),
                                .a100 = load_vectors("measured_steps_a100"),
                                .b200 = load_vectors("measured_steps_b200"),
                                .memory = memory}),
      .report = {},
      .collectives = read_measured_collectives(load_vectors("measured_collectives")),
      .memory =
          read_memory_rows(load_vectors("measured_runs"), load_vectors("measured_steps_b200")),
      .waits = read_wait_rows(load_vectors("erlang")),
      .devices = read_devices()};
  all.report = report_of(all.speed);
  return all;
}

nlohmann::json json_of(const accuracy_results& all) {
  return {{"schema_version", 1},
          {"measured", json_of(all.measured)},
          {"published", json_of(all.published)},
          {"speed", json_of(all.speed, all.report)},
          {"devices", json_of(all.devices)},
          {"constants", json_of_constants()},
          {"speed_constants", json_of_speed_constants(all.report)}};
}

std::string bands_of(const accuracy_results& all) {
  return header_of(error_rows_of(residuals_of(all)), timed_recipes_of(all.speed));
}

void print(const accuracy_results& all) {
  for (const std::string& part :
       {text_of(all.measured), text_of(all.published), text_of_constants(),
        text_of(all.speed, all.report), speed_constants_text(all.report), text_of(all.devices)})
    std::puts(part.c_str());
}

void print_rows(const accuracy_results& all) {
  for (const std::string& part :
       {rows_of(all.measured, all.published), rows_of(all.speed, all.report), rows_of(all.devices)})
    std::puts(part.c_str());
}

void write(const std::string& path, const std::string& text) {
  errno = 0;
  std::FILE* file = std::fopen(path.c_str(), "wb");
  bool done = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file != nullptr && std::fclose(file) != 0) done = false;
  if (!done) throw std::runtime_error{"cannot write " + path + ": " + std::strerror(errno)};
}

}  // namespace

int main(int count, char** arguments) {
  bool as_json = false;
  bool as_markdown = false;
  bool as_bands = false;
  bool with_rows = false;
  std::string page;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--json") {
      as_json = true;
    } else if (argument == "--markdown") {
      as_markdown = true;
    } else if (argument == "--bands") {
      as_bands = true;
    } else if (argument == "--rows") {
      with_rows = true;
    } else if (argument == "--html" && i + 1 < count) {
      page = arguments[++i];
    } else {
      std::fputs("usage: gpuplan_accuracy [--json | --markdown | --bands] [--rows] [--html FILE]\n",
                 stderr);
      return argument == "--help" ? 0 : 2;
    }
  }

  try {
    const accuracy_results all = read_all();
    if (!page.empty()) write(page, gpuplan::html(parity_page(all)));
    if (as_json)
      std::puts(json_of(all).dump(2).c_str());
    else if (as_bands)
      std::fputs(bands_of(all).c_str(), stdout);
    else if (as_markdown)
      std::fputs(markdown_of(all).c_str(), stdout);
    else
      print(all);
    if (with_rows && !as_json && !as_markdown && !as_bands) print_rows(all);
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "gpuplan_accuracy: %s\n", fault.what());
    return 2;
  }
}
