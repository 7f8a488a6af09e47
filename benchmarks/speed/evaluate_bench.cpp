// What does one answer cost?  A scheduler asks for thousands; a search asks for them all.
#include <benchmark/benchmark.h>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/plan/search.hpp>

namespace {

using namespace gpuplan;
using namespace gpuplan::units;

constexpr interconnect infiniband{.latency = 10 * us, .bandwidth = 40 * GB / second};

struct question {
  transformer model{};
  cluster pool{};
  gpuplan::recipe recipe{};
  gpuplan::parallelism parallelism{};
};

const question gpt3_on_1024{
    .model = catalog::gpt3_175b,
    .pool = cluster_of(node_of(catalog::a100_sxm4_80gb, 8, infiniband), 1024),
    .recipe = {.global_batch_size = 1536,
               .sequence_length = 2048,
               .zero = zero_stage::optimizer,
               .recompute = recompute::selective,
               .sequence_parallel = true},
    .parallelism = {.data = 16, .tensor = 8, .pipeline = 8, .interleave = 2}};

const question llama_3_8b_on_64{
    .model = catalog::llama_3_8b,
    .pool = cluster_of(node_of(catalog::h100_sxm5_80gb, 8, infiniband), 64),
    .recipe = {.global_batch_size = 256,
               .sequence_length = 8192,
               .zero = zero_stage::parameters,
               .recompute = recompute::full},
    .parallelism = {.data = 64}};

const question mixtral_on_256{
    .model = catalog::mixtral_8x7b_v0_1,
    .pool = cluster_of(node_of(catalog::h100_sxm5_80gb, 8, infiniband), 256),
    .recipe = {.global_batch_size = 1024,
               .sequence_length = 4096,
               .zero = zero_stage::optimizer,
               .sequence_parallel = true},
    .parallelism = {.data = 32, .tensor = 2, .pipeline = 4, .expert = 8, .expert_tensor = 1}};

void evaluate_one(benchmark::State& state, const question& asked) {
  question q = asked;
  for (auto _ : state) {
    benchmark::DoNotOptimize(q);
    estimate answer = evaluate(q.model, q.pool, q.recipe, q.parallelism);
    benchmark::DoNotOptimize(answer);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(evaluate_one, gpt3_175b_on_1024, gpt3_on_1024);
BENCHMARK_CAPTURE(evaluate_one, llama_3_8b_on_64, llama_3_8b_on_64);
BENCHMARK_CAPTURE(evaluate_one, mixtral_8x7b_on_256, mixtral_on_256);

void memory_alone(benchmark::State& state) {
  question q = gpt3_on_1024;
  for (auto _ : state) {
    benchmark::DoNotOptimize(q);
    bytes needed = memory_footprint(q.model, q.recipe, q.parallelism).worst_stage().total();
    benchmark::DoNotOptimize(needed);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(memory_alone);

/// How the cost of finding the worst stage grows with the pipeline.
void worst_stage_of(benchmark::State& state) {
  question q = gpt3_on_1024;
  q.parallelism.pipeline = static_cast<int>(state.range(0));
  q.parallelism.interleave = 1;
  for (auto _ : state) {
    benchmark::DoNotOptimize(q);
    stage_footprint worst = memory_footprint(q.model, q.recipe, q.parallelism).worst_stage();
    benchmark::DoNotOptimize(worst);
  }
  state.SetComplexityN(state.range(0));
}
BENCHMARK(worst_stage_of)->RangeMultiplier(2)->Range(1, 96)->Complexity(benchmark::oN);

/// Items are candidates: layouts looked at.
void search_all(benchmark::State& state) {
  const question& q = llama_3_8b_on_64;
  std::int64_t candidates = 0;
  for (auto _ : state) {
    search_result found = search(q.model, q.pool, q.recipe);
    candidates += found.candidates;
    benchmark::DoNotOptimize(found);
  }
  state.SetItemsProcessed(candidates);
}
BENCHMARK(search_all)->Unit(benchmark::kMillisecond);

}  // namespace
