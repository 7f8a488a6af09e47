// How fast is every way to train looked at?  Searches print what became of each layout; the last
// one is another tool's space, counted by its rules and costed by our model.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <set>
#include <string_view>
#include <vector>

#include <benchmark/benchmark.h>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/plan/search.hpp>

#include "calculon_space.hpp"

namespace {

using namespace gpuplan;
using namespace gpuplan::units;

struct question {
  transformer model{};
  cluster pool{};
  gpuplan::recipe recipe{};
  space vary{};
};

const node dgx_a100 = node_of(catalog::a100_sxm4_80gb, 8, {10 * us, 25 * GB / second});
const node dgx_h100 = node_of(catalog::h100_sxm5_80gb, 8, {10 * us, 50 * GB / second});
constexpr space everything{.context = true, .interleave = true, .schedule = true};

const question gpt3_on_1024{.model = catalog::gpt3_175b,
                            .pool = cluster_of(dgx_a100, 1024),
                            .recipe = {.global_batch_size = 1536, .sequence_length = 2048}};
const question gpt3_on_100000{.model = catalog::gpt3_175b,
                              .pool = cluster_of(dgx_h100, 100000),
                              .recipe = {.global_batch_size = 1536, .sequence_length = 2048},
                              .vary = everything};
const question llama_405b_on_100000{.model = catalog::llama_3_1_405b,
                                    .pool = cluster_of(dgx_h100, 100000),
                                    .recipe = {.global_batch_size = 6144, .sequence_length = 8192},
                                    .vary = everything};
const question mixtral_on_100000{.model = catalog::mixtral_8x22b_v0_1,
                                 .pool = cluster_of(dgx_h100, 100000),
                                 .recipe = {.global_batch_size = 6144, .sequence_length = 4096},
                                 .vary = everything};

void print(std::string_view name, const search_result& found) {
  std::int64_t refused = 0;
  for (const std::int64_t count : found.rejected) refused += count;
  std::printf("%.*s: %lld layouts = %lld costed and fitting + %lld refused + %lld dominated\n",
              static_cast<int>(name.size()), name.data(), static_cast<long long>(found.candidates),
              static_cast<long long>(found.fitting), static_cast<long long>(refused),
              static_cast<long long>(found.dominated));
}

/// Items are layouts; what became of them is printed once.
void search_of(benchmark::State& state, std::string_view name, const question& asked) {
  search_result found;
  for ([[maybe_unused]] auto _ : state) {
    found = search(asked.model, asked.pool, asked.recipe, asked.vary);
    benchmark::DoNotOptimize(found);
  }
  state.SetItemsProcessed(state.iterations() * found.candidates);
  static std::set<std::string_view> printed;
  if (printed.insert(name).second) print(name, found);
}
BENCHMARK_CAPTURE(search_of, gpt3_175b_on_1024, "GPT-3 175B, 1 024 A100, default space",
                  gpt3_on_1024)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search_of, gpt3_175b_on_100000, "GPT-3 175B, 100 000 H100, everything varies",
                  gpt3_on_100000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search_of, llama_3_1_405b_on_100000,
                  "Llama 3.1 405B, 100 000 H100, everything varies", llama_405b_on_100000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search_of, mixtral_8x22b_on_100000,
                  "Mixtral 8x22B, 100 000 H100, everything varies", mixtral_on_100000)
    ->Unit(benchmark::kMillisecond);

// Calculon's space: its llm-optimal-execution command, on its description of an A100 with 80 GiB
// and no second memory.

constexpr calculon::question gpt3_on(int gpus) {
  return {.model = catalog::gpt3_175b,
          .sequence_length = 2048,
          .gpus = gpus,
          .most_batch = 1536,
          .device_memory = 80 * GiB};
}

/// What became of Calculon's candidates here.
struct verdicts {
  std::int64_t candidates = 0;
  std::int64_t layouts = 0;  ///< that our model tells apart
  std::int64_t refused = 0;  ///< candidates, as the three below
  std::int64_t unfit = 0;
  std::int64_t fitting = 0;
  std::int64_t fitting_there = 0;  ///< by Calculon's memory and networks
  double best_rate = 0;            ///< sequences a second
  parallelism best{};
};

/// Every layout that stands for a candidate is costed or refused; none is left out by a bound.
verdicts search_calculon_space(const calculon::question& asked, const cluster& pool) {
  verdicts counts;
  calculon::for_each_layout(
      asked, calculon::offloading::none, calculon::larger_micro_batches::while_one_fits,
      [&](const calculon::layout& one) {
        const recipe how{.global_batch_size = one.batch,
                         .sequence_length = asked.sequence_length,
                         .precision = precision::mixed_fp16,
                         .zero = one.sharded_optimizer ? zero_stage::gradients : zero_stage::none,
                         .recompute = one.recompute,
                         .attention = attention_kernel::unfused,
                         .sequence_parallel = one.sequence_parallel};
        const estimate what = evaluate(asked.model, pool, how, one.cut);
        ++counts.layouts;
        counts.candidates += one.candidates;
        counts.fitting_there += one.fitting;
        if (what.refusal.reason == reject_reason::memory) {
          counts.unfit += one.candidates;
        } else if (!what.fits()) {
          counts.refused += one.candidates;
        } else {
          counts.fitting += one.candidates;
          const double rate = one.batch / what.time.total().in(second);
          if (rate > counts.best_rate) {
            counts.best_rate = rate;
            counts.best = one.cut;
          }
        }
      });
  return counts;
}

long long number(std::int64_t n) {
  return static_cast<long long>(n);
}

void print(const verdicts& counts) {
  std::printf(
      "Calculon's space for GPT-3 175B on 4 096 A100, batch up to 1 536, no offloading, -m\n"
      "  its dimension                         ours\n"
      "  tensor, pipeline, data, interleave    the same\n"
      "  micro-batch, batch                    micro_batch_size, global_batch_size\n"
      "  recompute full, attention, none       full, selective, none\n"
      "  optimizer sharding                    zero: gradients\n"
      "  messages: reduce-scatter, all-gather  sequence_parallel\n"
      "  messages: all-reduce, split hops      one: hops are always split\n"
      "  gathering again                       one: sequence_parallel keeps no whole copy\n"
      "  overlaps of tensor and of data        one: framework_profile says how much is hidden\n"
      "  networks of the three axes            one: where ranks lie says which link they use\n"
      "  fused activation                      always, as there\n"
      "  %lld candidates (%lld fit by its own model), %lld layouts under the mapping\n"
      "  = %lld costed and fitting + %lld refused for memory + %lld by a rule + 0 dominated\n"
      "  best: %.2f sequences/s, tensor %d, pipeline %d, data %d, interleave %d, micro-batch %d\n",
      number(counts.candidates), number(counts.fitting_there), number(counts.layouts),
      number(counts.fitting), number(counts.unfit), number(counts.refused), counts.best_rate,
      counts.best.tensor, counts.best.pipeline, counts.best.data, counts.best.interleave,
      counts.best.micro_batch_size);
}

/// What Calculon 0.1.0 prints as total and good executions.
struct known_count {
  int gpus = 0;
  calculon::offloading offload{};
  calculon::larger_micro_batches larger{};
  calculon::tally printed{};  ///< fitting 0: not run to its end there
};

constexpr auto by_memory = calculon::larger_micro_batches::while_one_fits;
constexpr auto all_batches = calculon::larger_micro_batches::all;
constexpr known_count known_counts[] = {
    {64, calculon::offloading::none, by_memory, {150652, 30186}},
    {512, calculon::offloading::none, by_memory, {507960, 128448}},
    {4096, calculon::offloading::none, by_memory, {605768, 129318}},
    {64, calculon::offloading::tried, all_batches, {10462464, 0}},
    {512, calculon::offloading::tried, all_batches, {13165632, 0}},
    {4096, calculon::offloading::tried, all_batches, {7474752, 0}},
};

/// Prints Calculon's counts beside ours; whether they are the same.
bool counts_agree() {
  bool agree = true;
  std::printf("  Counts, here and as Calculon prints them:\n");
  for (const known_count& known : known_counts) {
    calculon::tally ours = calculon::count(gpt3_on(known.gpus), known.offload, known.larger);
    if (known.printed.fitting == 0) ours.fitting = 0;
    std::printf("    %4d GPUs, %s: %lld, %lld", known.gpus,
                known.larger == by_memory ? "no offloading, -m" : "offloading, exhaustive",
                number(ours.candidates), number(known.printed.candidates));
    if (ours.fitting > 0)
      std::printf("; fitting %lld, %lld", number(ours.fitting), number(known.printed.fitting));
    std::printf("\n");
    agree = agree && ours == known.printed;
  }
  return agree;
}

/// Items are Calculon's candidates.
void calculon_space(benchmark::State& state) {
  const cluster pool = cluster_of(dgx_a100, 4096);
  verdicts counts;
  for ([[maybe_unused]] auto _ : state) {
    counts = search_calculon_space(gpt3_on(4096), pool);
    benchmark::DoNotOptimize(counts);
  }
  state.SetItemsProcessed(state.iterations() * counts.candidates);
  static bool printed = false;
  if (printed) return;
  printed = true;
  print(counts);
  if (!counts_agree()) state.SkipWithError("the counts are not Calculon's");
}
BENCHMARK(calculon_space)->Unit(benchmark::kMillisecond);

}  // namespace
