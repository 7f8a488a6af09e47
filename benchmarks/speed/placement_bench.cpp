// Time of one decision where to put a task, by policy: 1213 nodes as those of the open trace of
// 2023, nearly full, tasks of ninety kinds that come and go. And what a batch of tasks costs to
// pack.
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <vector>

#include <benchmark/benchmark.h>

#include <gpuplan/placement/packing.hpp>
#include <gpuplan/placement/placer.hpp>
#include <gpuplan/simulate/random_numbers.hpp>

namespace {

using namespace gpuplan;

std::vector<gpu_node> nodes_of_the_trace() {
  struct row {
    int count, gpus, cores;
  };
  // Nodes by GPUs and cores: Alibaba's cluster-trace-gpu-v2023, node list.
  constexpr std::array rows{row{549, 8, 96}, row{387, 2, 104}, row{107, 2, 16}, row{39, 8, 128},
                            row{28, 4, 32},  row{22, 2, 64},   row{21, 8, 96},  row{19, 1, 8},
                            row{17, 4, 96},  row{9, 4, 48},    row{7, 8, 64},   row{8, 2, 16}};
  std::vector<gpu_node> nodes;
  for (const row& each : rows)
    nodes.insert(nodes.end(), static_cast<std::size_t>(each.count),
                 empty_node(each.gpus, 1000LL * each.cores, bytes{0}));
  return nodes;
}

std::vector<task_share> kinds_of_tasks() {
  random_numbers random{1};
  std::vector<task_share> kinds;
  for (int kind = 0; kind < 90; ++kind) {
    const bool shared = random.uniform() < 0.4;
    constexpr std::array gpus{1, 1, 1, 1, 1, 1, 2, 4, 8};
    kinds.push_back(
        {{.gpus = shared ? 1 : gpus[random.below(gpus.size())],
          .gpu_thousandths = shared ? 100 + 10 * static_cast<int>(random.below(80)) : whole_gpu,
          .core_thousandths = 1000 * (1 + static_cast<std::int64_t>(random.below(12)))},
         1.0 / (1 + kind)});
  }
  return kinds;
}

void decide(benchmark::State& state) {
  const auto policy = static_cast<placement_policy>(state.range(0));
  state.SetLabel(name_of(policy));
  const std::vector<task_share> kinds = kinds_of_tasks();
  placer pool{nodes_of_the_trace(), policy, task_mix{kinds}};
  random_numbers random{2};
  const auto draw = [&] {
    const double u = random.uniform();  // about as popular as 1/(1 + kind)
    return kinds[static_cast<std::size_t>(std::pow(90.0, u)) - 1].task;
  };
  struct placed {
    gpu_task task;
    task_placement where;
  };
  std::deque<placed> here;
  for (int refused = 0; refused < 100;) {
    const gpu_task task = draw();
    if (const auto where = pool.place(task))
      here.push_back({task, *where});
    else
      ++refused;
  }
  for (auto _ : state) {
    const std::size_t leaving = random.below(here.size());
    std::swap(here[leaving], here.front());
    pool.release(here.front().task, here.front().where);
    here.pop_front();
    const gpu_task task = draw();
    const auto where = pool.place(task);
    benchmark::DoNotOptimize(where);
    if (where) here.push_back({task, *where});
  }
}
BENCHMARK(decide)->DenseRange(0, static_cast<int>(placement_policies.size()) - 1);

void pack_tasks(benchmark::State& state) {
  random_numbers random{3};
  std::vector<packing_item<2>> items(static_cast<std::size_t>(state.range(0)));
  for (packing_item<2>& item : items) item = {random.uniform() / 2, random.uniform() / 2};
  for (auto _ : state)
    benchmark::DoNotOptimize(
        pack<2>(items, packing_rule::best_fit, packing_order::largest_component));
  state.SetComplexityN(state.range(0));
}
BENCHMARK(pack_tasks)->Arg(100)->Arg(400)->Arg(1600)->Complexity(benchmark::oNSquared);

}  // namespace
