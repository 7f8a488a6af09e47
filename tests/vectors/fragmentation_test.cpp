// The fragmentation of nodes as the authors' own program computes it, and replays of their trace.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/placement/expected_fragmentation.hpp>
#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/placer.hpp>
#include <gpuplan/placement/placer_replay.hpp>
#include <gpuplan/placement/pool_table.hpp>
#include <gpuplan/simulate/random_numbers.hpp>

#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/traces.hpp"
#include "support/vectors.hpp"

namespace gpuplan::testing {

namespace {

class type_numbers {
 public:
  int of(const std::string& name) {
    return numbers_.emplace(name, static_cast<int>(numbers_.size())).first->second;
  }

 private:
  std::map<std::string, int> numbers_;
};

TEST_CASE("fragmentation is that of fgd.json", "[placement][vectors]") {
  const nlohmann::json table = load_vectors("fgd");
  int read = 0;
  for (const nlohmann::json& row : table.at("cases")) {
    INFO(row.dump());
    type_numbers types;
    std::string list = row.at("typical_pods");
    std::size_t first = 1000;
    if (const auto cut = list.find("[:"); cut != std::string::npos) {
      first = std::stoul(list.substr(cut + 2));
      list.resize(cut);
    }
    std::vector<task_share> kinds;
    double popularity = 0;  // the source's shares are of all kinds, also of those left out
    for (const nlohmann::json& pod : table.at("typical_pods").at(list)) {
      if (kinds.size() == first) break;
      const std::string type = pod.at("type");
      kinds.push_back(
          {.task = {.gpus = pod.at("n"),
                    .gpu_thousandths = pod.at("gpu"),
                    .core_thousandths = pod.at("cpu"),
                    .accepted_types = type.empty() ? 0 : std::uint64_t{1} << types.of(type)},
           .popularity = pod.at("p")});
      popularity += kinds.back().popularity;
    }
    const nlohmann::json& of = row.at("node");
    const std::vector<int> free = of.at("gpu_milli_left");
    gpu_node host = empty_node(static_cast<int>(free.size()), of.at("cpu_milli"), bytes{0},
                               types.of(of.at("type")));
    for (std::size_t gpu = 0; gpu < free.size(); ++gpu) host.free_gpu[gpu] = free[gpu];
    const double found = popularity * expected_fragmentation(host, task_mix{kinds});
    CHECK(std::abs(found - row.at("expected").get<double>()) <= row.at("tolerance").get<double>());
    ++read;
  }
  CHECK(read > 0);
}

// Tasks of the trace, and others drawn from it until they ask for 130 % of the GPUs, in random
// order; none goes. Published: the mean of ten such runs by the authors' program.

void check_open_trace(int runs) {
  name_list types;
  name_list users;
  const node_table pool =
      read_nodes(read_text(traces_folder() / "openb_node_list_gpu_node.csv"), types);
  const task_table trace =
      read_tasks(read_text(traces_folder() / "openb_pod_list_default.csv"), types, users);
  REQUIRE(pool.faults.count == 0);
  REQUIRE(trace.faults.count == 0);
  REQUIRE(pool.nodes.size() == 1213);
  REQUIRE(trace.tasks.size() == 8152);
  std::vector<task_share> kinds;
  std::int64_t asked_once = 0;
  for (const arriving_task& each : trace.tasks) {
    asked_once += each.task.total_gpu_thousandths();
    if (each.task.gpus > 0) kinds.push_back({each.task, 1});
  }
  std::int64_t capacity = 0;
  for (const gpu_node& host : pool.nodes) capacity += host.gpus * whole_gpu;
  REQUIRE(capacity == 6212 * whole_gpu);

  const nlohmann::json published =
      load_vectors("fgd")
          .at("trace_yardsticks")
          .at("published (experiments/analysis/expected_results/analysis_allo_discrete.csv)");
  struct row {
    placement_policy policy;
    const char* name;
    tie_break ties;
  };
  for (const row& each : {row{placement_policy::random, "Random", tie_break::random},
                          row{placement_policy::best_fit, "BestFit", tie_break::random},
                          row{placement_policy::fragmentation_gradient, "FGD", tie_break::first}}) {
    double sum = 0;
    for (int seed = 1; seed <= runs; ++seed) {
      random_numbers random{static_cast<std::uint64_t>(seed)};
      std::vector<arriving_task> tasks = trace.tasks;
      for (std::int64_t asked = asked_once; 10 * asked < 13 * capacity;) {
        tasks.push_back(trace.tasks[random.below(trace.tasks.size())]);
        asked += tasks.back().task.total_gpu_thousandths();
      }
      for (std::size_t last = tasks.size() - 1; last > 0; --last)
        std::swap(tasks[last], tasks[random.below(last + 1)]);
      placer placed{pool.nodes, each.policy, task_mix{kinds}, each.ties,
                    static_cast<std::uint64_t>(seed)};
      sum += 100 * replay(placed, tasks, replay_mode::stay).allocation();
    }
    INFO(each.name << ": " << sum / runs << " % of the GPUs");
    CHECK(std::abs(sum / runs - published.at(each.name).at(1).get<double>()) <= 0.5);
  }
}

TEST_CASE("the open trace of 2023 fills its pool as published", "[placement][vectors][long]") {
  if (have_traces())
    check_open_trace(2);
  else
    WARN(no_traces);
}

TEST_CASE("so it does over ten orders of its tasks", "[placement][vectors][.slow]") {
  if (have_traces())
    check_open_trace(10);
  else
    WARN(no_traces);
}

}  // namespace
}  // namespace gpuplan::testing
