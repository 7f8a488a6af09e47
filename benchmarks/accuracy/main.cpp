// How far is the memory model from what was measured?
//
//     gpuplan_accuracy [--json] [--rows]
//
// Reads measured_memory.json, published.json and published_checks.json from the folder that
// GPUPLAN_VECTORS names, else from tests/data/vectors.  --rows adds a line for each run.
#include <cstdio>
#include <exception>
#include <string_view>

#include <nlohmann/json.hpp>

#include "accuracy/report_json.hpp"
#include "accuracy/report_text.hpp"
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
    const published_runs published =
        read_published_runs(load_vectors("published_checks"), load_vectors("published"));
    if (as_json) {
      const nlohmann::json all{{"schema_version", 1},
                               {"measured", json_of(measured)},
                               {"published", json_of(published)},
                               {"constants", json_of_constants()}};
      std::puts(all.dump(2).c_str());
      return 0;
    }
    std::fputs((text_of(measured) + "\n" + text_of(published) + "\n" + text_of_constants()).c_str(),
               stdout);
    if (with_rows) std::fputs(("\n" + rows_of(measured, published)).c_str(), stdout);
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "gpuplan_accuracy: %s\n", fault.what());
    return 2;
  }
}
