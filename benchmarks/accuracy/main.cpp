// How far are the models of memory and of step time from what was measured?
//
//     gpuplan_accuracy [--json] [--rows]
//
// Reads measured_memory.json, published.json and published_checks.json from the folder that
// GPUPLAN_VECTORS names, else from tests/data/vectors.  --rows adds a line for each run.
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "accuracy/report_json.hpp"
#include "accuracy/report_text.hpp"
#include "accuracy/speed_json.hpp"
#include "accuracy/speed_text.hpp"
#include "support/vectors.hpp"

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
      std::fputs("usage: gpuplan_accuracy [--json] [--rows]\n", stderr);
      return argument == "--help" ? 0 : 2;
    }
  }

  try {
    using gpuplan::testing::load_vectors;
    const measured_runs measured = read_measured_runs(load_vectors("measured_memory"));
    const nlohmann::json checks = load_vectors("published_checks");
    const nlohmann::json entries = load_vectors("published");
    const published_runs published = read_published_runs(checks, entries);
    const speed_runs speed = read_speed_runs(checks, entries);
    const speed_report report = report_of(speed);
    if (as_json) {
      const nlohmann::json all{{"schema_version", 1},
                               {"measured", json_of(measured)},
                               {"published", json_of(published)},
                               {"speed", json_of(speed, report)},
                               {"constants", json_of_constants()},
                               {"speed_constants", json_of_speed_constants(report)}};
      std::puts(all.dump(2).c_str());
      return 0;
    }
    for (const std::string& part : {text_of(measured), text_of(published), text_of_constants(),
                                    text_of(speed, report), speed_constants_text(report)})
      std::puts(part.c_str());
    if (with_rows)
      std::fputs((rows_of(measured, published) + "\n" + rows_of(speed, report)).c_str(), stdout);
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "gpuplan_accuracy: %s\n", fault.what());
    return 2;
  }
}
