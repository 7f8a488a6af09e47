#include <algorithm>
#include <cmath>
#include <string>

#include "accuracy/llama2_table.hpp"
#include "accuracy/measured_table.hpp"
#include "support/catch.hpp"
#include "support/vectors.hpp"

namespace gpuplan::accuracy {
namespace {

using testing::are_own_vectors;
using testing::is_judged;
using testing::load_vectors;

const measured_runs& measured() {
  static const measured_runs all = read_measured_runs(load_vectors("measured_memory"));
  return all;
}

TEST_CASE("every row that the file does not leave out is scored", "[vectors][memory]") {
  const measured_runs& all = measured();
  for (const refusal& row : all.unmapped) UNSCOPED_INFO(row.id << ": " << row.reason);
  CHECK(all.unmapped.empty());
  int excluded = 0;
  for (const auto& [reason, rows] : all.excluded) excluded += rows;
  CHECK(all.runs.size() + static_cast<std::size_t>(excluded) ==
        load_vectors("measured_memory").at("cases").size());
  CHECK(!all.runs.empty());
}

TEST_CASE("memory of real runs is met in every family and size class", "[vectors][memory]") {
  for (const group& line : by_class(measured().runs)) {
    DYNAMIC_SECTION(line.name[0] << ", " << line.name[1] << ", " << line.name[2]) {
      INFO(line.states.count() << " configurations");
      if (!is_judged(line.states.count())) continue;
      const double more = testing::sampling(line.states.count());
      if (line.asked.states_median) CHECK(line.states.median() <= more * *line.asked.states_median);
      if (line.asked.peak_median) CHECK(line.peak.median() <= more * *line.asked.peak_median);
      if (line.asked.peak_p90) CHECK(line.peak.p90() <= more * *line.asked.peak_p90);
    }
  }
}

TEST_CASE("memory of each wide run is met", "[vectors][memory]") {
  for (const group& line : wide_singly(measured().runs)) {
    INFO(line.name[0]);
    CHECK(line.states.worst() <= *line.asked.each);
    CHECK(line.peak.worst() <= *line.asked.each);
  }
}

TEST_CASE("a GPU's type changes its workspaces and nothing else of the states",
          "[vectors][memory]") {
  const nlohmann::json file = load_vectors("measured_memory");
  for (nlohmann::json row : file.at("cases")) {
    if (has(row.at("resolved"), "exclude")) continue;
    const auto beside_workspaces = [&](const char* gpu) {
      row["gpu"] = gpu;
      const stage_footprint at = job_of_megatron(row).memory().stage(stage_of_megatron(row));
      // Weights in FP8 alone have a second copy where products of the type need it.
      const bool fp8 = job_of_megatron(row).recipe.precision == precision::mixed_fp8;
      return at.resident() - at.framework - (fp8 ? at.states.weights : bytes{0});
    };
    INFO(row.at("id"));
    const bytes a100 = beside_workspaces("A100");
    CHECK(std::abs(beside_workspaces("H100") / a100 - 1) < 1e-12);
    CHECK(std::abs(beside_workspaces("GB200") / a100 - 1) < 1e-12);
  }
}

TEST_CASE("the closed form worked out by hand is met at least as well", "[vectors][memory]") {
  // dynamic_ratio is predicted / measured of that form, which counts layers, logits and the
  // embedding's dropout.  Half a percent beyond its own error is what its rounding leaves open.
  int found = 0;
  for (const auto& check : load_vectors("measured_memory_checks")) {
    const std::string id = check.at("id");
    const auto& runs = measured().runs;
    const auto run = std::find_if(runs.begin(), runs.end(),
                                  [&](const measured_run& one) { return one.id == id; });
    if (run == runs.end()) continue;  // left out: its world size is not known
    INFO(id);
    ++found;
    const bytes dynamic = run->predicted.allocator_peak() - run->predicted.resident();
    const bytes dynamic_measured{check.at("dynamic_measured").get<double>()};
    const double theirs = check.at("dynamic_ratio");
    CHECK(relative_error(dynamic / dynamic_measured, 1) <= relative_error(theirs, 1) + 0.005);
    CHECK(run->states_error() <= 0.03);
    CHECK(run->peak_error() <= relative_error(check.at("total_ratio"), 1) + 0.005);
  }
  CHECK((found > 0 || !are_own_vectors()));
}

TEST_CASE("four peaks of Llama 2 7B on H800", "[vectors][memory][reference]") {
  for (const llama2_run& run : read_llama2_runs(load_vectors("measured_llama2"))) {
    INFO("tensor " << run.layout.tensor << ", pipeline " << run.layout.pipeline << ", data "
                   << run.layout.data << ": " << run.predicted.in(units::GiB) << " of "
                   << run.measured.in(units::GiB) << " GiB");
    CHECK(run.error() <= 0.03);
  }
}

}  // namespace
}  // namespace gpuplan::accuracy
