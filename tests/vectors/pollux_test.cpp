// Throughput, efficiency and goodput as Pollux's own program computes them, and the order of jobs
// in that of Tiresias: every row of scheduler_models.json.
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/queue/gittins_tiresias.hpp>
#include <gpuplan/scaling/noise_scale.hpp>
#include <gpuplan/scaling/pollux.hpp>

#include "support/catch.hpp"
#include "support/vectors.hpp"

namespace gpuplan::testing {

namespace {

pollux_speed speed_of(const nlohmann::json& row) {
  const auto perf = [&](std::size_t i) { return seconds{row.at("perf").at(i).get<double>()}; };
  return {.compute_constant = perf(0),
          .compute_per_sample = perf(1),
          .network_constant = perf(2),
          .network_per_replica = perf(3),
          .node_constant = perf(4),
          .node_per_replica = perf(5),
          .overlap = perf(6).in_base_units()};
}

/// The variance is of a gradient of the base batch; that of one sample is as many times it.
double noise_of(const nlohmann::json& row) {
  return gradient_noise_scale(
      {.squared_mean = row.at("grad_sqr"),
       .variance = row.at("init_batch").get<double>() * row.at("grad_var").get<double>()});
}

// The program puts 1e-8 s where there is no reduction, and 1e-8 replicas past the second.
constexpr double of_the_program = 1e-6;

TEST_CASE("goodput is that of scheduler_models.json", "[scaling][vectors]") {
  const nlohmann::json table = load_vectors("scheduler_models");
  int read = 0;
  for (const nlohmann::json& row : table.at("pollux")) {
    if (!row.contains("throughput")) continue;
    INFO(row.dump());
    const pollux_placement placement{.nodes = row.at("nodes"),
                                     .replicas = row.at("replicas"),
                                     .batch_per_replica = row.at("atomic_bsz"),
                                     .accumulations = row.at("accum_steps")};
    const goodput found =
        pollux_goodput(speed_of(row), placement, noise_of(row), row.at("init_batch"));
    CHECK_THAT(found.throughput.in_base_units(),
               WithinRel(row["throughput"].get<double>(), of_the_program));
    CHECK_THAT(found.efficiency, WithinRel(row.at("efficiency").get<double>(), 1e-12));
    CHECK_THAT(found.rate().in_base_units(),
               WithinRel(row.at("goodput").get<double>(), of_the_program));
    ++read;
  }
  CHECK(read > 0);
}

TEST_CASE("batches chosen are those of scheduler_models.json", "[scaling][vectors]") {
  const nlohmann::json table = load_vectors("scheduler_models");
  int read = 0;
  for (const nlohmann::json& row : table.at("pollux")) {
    if (row.value("what", "").find("atomic_bsz_range=(8,2*M0)") == std::string::npos) continue;
    INFO(row.dump());
    const double base = row.at("init_batch");
    const pollux_choice found = pollux_best_batch(
        speed_of(row), {.nodes = row.at("nodes"), .replicas = row.at("replicas")}, noise_of(row),
        {.base = base, .largest = 64 * base, .least_per_replica = 8, .most_per_replica = 2 * base});
    CHECK(found.placement.batch_per_replica == row.at("atomic_bsz").get<double>());
    CHECK(found.placement.accumulations == row.at("accum_steps").get<int>());
    CHECK_THAT(found.value.rate().in_base_units(),
               WithinRel(row.at("goodput").get<double>(), of_the_program));
    ++read;
  }
  CHECK(read > 0);
}

TEST_CASE("Tiresias' simulator ranks jobs as scheduler_models.json says", "[queue][vectors]") {
  constexpr double printed = 5e-5;  // of an index in 1/s times 1e6
  const nlohmann::json table = load_vectors("scheduler_models");
  for (const nlohmann::json& row : table.at("gittins")) {
    INFO(row.dump());
    std::vector<seconds> sizes;
    for (const double size : row.at("service_samples")) sizes.emplace_back(size);
    const per_second index = tiresias_index(sizes, seconds{row.at("attained").get<double>()},
                                            seconds{row.at("delta").get<double>()});
    CHECK(std::abs(1e6 * index.in_base_units() - row.at("rank").get<double>()) <= printed);
  }
}

TEST_CASE("scheduler_models.json: every part of the file is known", "[vectors]") {
  const std::set<std::string> known{"sources", "pollux", "gittins", "gittins_note",
                                    "timing_python_one_core"};  // how long the programs took
  const nlohmann::json table = load_vectors("scheduler_models");
  for (const auto& [part, rows] : table.items()) CHECK(known.contains(part));
}

}  // namespace
}  // namespace gpuplan::testing
