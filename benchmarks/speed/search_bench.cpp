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

// Calculon's search: M. Isaev et al., "Calculon: a Methodology and Tool for High-Level Co-Design of
// Systems and Large Language Models", SC23 (2023), doi 10.1145/3581784.3607102; the rules are those
// of its llm-optimal-execution command (0.1.0, 2024).

constexpr int most_batch = 1536;

enum class offloading { none, all };

/// Layouts of Calculon that differ in the micro-batch alone, and in what ours does not tell apart.
struct family {
  parallelism cut{};
  int batch = 1;  ///< the largest multiple of the replicas up to most_batch
  gpuplan::recompute recompute{};
  bool sharded_optimizer = false;
  bool sequence_parallel = false;
  int alike = 1;  ///< of each micro-batch: messages, overlaps, networks, what is offloaded
};

std::vector<int> divisors_of(int n) {
  std::vector<int> found;
  for (int i = 1; i <= n; ++i)
    if (n % i == 0) found.push_back(i);
  return found;
}

/// Choices of one layout that ours does not tell apart: one of three overlaps of tensor messages,
/// gradients overlapped or not, one of two networks for each axis, and what is offloaded.
int choices_of(const parallelism& cut, recompute again, offloading offload) {
  const auto ways = [](int ranks, int several) { return ranks > 1 ? several : 1; };
  const int moved = offload == offloading::none ? 1 : again == recompute::full ? 4 : 8;
  return ways(cut.tensor, 3 * 2) * ways(cut.data, 2 * 2) * ways(cut.pipeline, 2) * moved;
}

/// Messages of the tensor ranks: all-reduces with whole or split hops between stages, or
/// reduce-scatters and all-gathers, what is gathered kept or gathered again.  One rank has none, so
/// that all are alike.
int messages_of(const parallelism& cut, recompute again, bool sequence_parallel) {
  const int scattered = again == recompute::full ? 1 : 2;
  if (cut.tensor == 1) return 2 + scattered;
  return sequence_parallel ? scattered : 2;
}

/// Every family on all `gpus`: tensor ranks divide heads and width, stages and chunks the layers.
template <class Visit>
void for_each_family(const transformer& m, int gpus, offloading offload, const Visit& visit) {
  for (const int t : divisors_of(gpus)) {
    if (m.hidden_size % t != 0 || m.attention_heads % t != 0) continue;
    for (const int p : divisors_of(gpus / t < m.layers ? gpus / t : m.layers)) {
      const int d = gpus / (t * p);
      if (gpus % (t * p) != 0 || m.layers % p != 0 || d > most_batch) continue;
      for (const int v : p > 1 ? divisors_of(m.layers / p) : std::vector<int>{1})
        for (const recompute again : {recompute::full, recompute::selective, recompute::none})
          for (int sharded = 0; sharded < (d > 1 ? 2 : 1); ++sharded)
            for (int sequence = 0; sequence < (t > 1 ? 2 : 1); ++sequence) {
              family one{.cut = {.data = d, .tensor = t, .pipeline = p, .interleave = v},
                         .batch = most_batch / d * d,
                         .recompute = again,
                         .sharded_optimizer = sharded != 0,
                         .sequence_parallel = sequence != 0};
              one.alike = choices_of(one.cut, again, offload) *
                          messages_of(one.cut, again, one.sequence_parallel);
              visit(one);
            }
    }
  }
}

std::vector<int> micro_batches_of_one(const family& one, int sequence_length) {
  std::vector<int> found;
  for (const int b : divisors_of(one.batch / one.cut.data))
    if (std::int64_t{b} * sequence_length % one.cut.tensor == 0) found.push_back(b);
  return found;
}

constexpr int gpt3_sequence = 2048;

std::int64_t candidates_of(const transformer& m, int gpus, offloading offload) {
  std::int64_t count = 0;
  for_each_family(m, gpus, offload, [&](const family& one) {
    count += one.alike * static_cast<std::int64_t>(micro_batches_of_one(one, gpt3_sequence).size());
  });
  return count;
}

struct calculon_counts {
  std::int64_t candidates = 0;
  std::int64_t until_none_fits = 0;  ///< no larger micro-batch than the first that does not fit
  std::int64_t distinct = 0;
  std::int64_t refused = 0;
  std::int64_t unfit = 0;
  std::int64_t fitting = 0;
  double best_rate = 0;  ///< sequences a second
  parallelism best{};
};

/// Every layout, those alike under the mapping once; none is left out by a bound.
calculon_counts search_calculon_space(const transformer& m, const cluster& pool) {
  calculon_counts counts;
  const auto gpus = static_cast<int>(pool.gpus());
  for_each_family(m, gpus, offloading::none, [&](const family& one) {
    const recipe how{.global_batch_size = one.batch,
                     .sequence_length = gpt3_sequence,
                     .precision = precision::mixed_fp16,
                     .zero = one.sharded_optimizer ? zero_stage::gradients : zero_stage::none,
                     .recompute = one.recompute,
                     .attention = attention_kernel::unfused,
                     .sequence_parallel = one.sequence_parallel};
    parallelism cut = one.cut;
    bool fitted = true;
    for (const int b : micro_batches_of_one(one, gpt3_sequence)) {
      cut.micro_batch_size = b;
      ++counts.distinct;
      counts.candidates += one.alike;
      if (fitted) counts.until_none_fits += one.alike;
      const estimate what = evaluate(m, pool, how, cut);
      if (what.refusal.reason == reject_reason::memory) {
        ++counts.unfit;
        fitted = false;
      } else if (!what.fits()) {
        ++counts.refused;
      } else {
        ++counts.fitting;
        const double rate = one.batch / what.time.total().in(second);
        if (rate > counts.best_rate) {
          counts.best_rate = rate;
          counts.best = cut;
        }
      }
    }
  });
  return counts;
}

void print(const calculon_counts& counts) {
  const auto number = [](std::int64_t n) { return static_cast<long long>(n); };
  std::printf(
      "Calculon's space for GPT-3 175B on 4 096 A100, batch up to 1 536, no offloading\n"
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
      "  %lld candidates, %lld distinct under the mapping\n"
      "  = %lld costed and fitting + %lld refused for memory + %lld by a rule + 0 dominated\n"
      "  best: %.2f sequences/s, tensor %d, pipeline %d, data %d, interleave %d, micro-batch %d\n",
      number(counts.candidates), number(counts.distinct), number(counts.fitting),
      number(counts.unfit), number(counts.refused), counts.best_rate, counts.best.tensor,
      counts.best.pipeline, counts.best.data, counts.best.interleave, counts.best.micro_batch_size);
  std::printf(
      "  With -m it counts 605 768: it stops at the first micro-batch that does not fit by its "
      "own\n"
      "  memory model.  By ours %lld are left.\n"
      "  The rules of the count, checked on what it prints with offloading and without -m:\n",
      number(counts.until_none_fits));
  struct known {
    int gpus;
    std::int64_t candidates;
  };
  for (const known& k : {known{64, 10462464}, known{512, 13165632}, known{4096, 7474752}})
    std::printf("    %4d GPUs: %lld, Calculon %lld\n", k.gpus,
                number(candidates_of(catalog::gpt3_175b, k.gpus, offloading::all)),
                number(k.candidates));
}

/// Items are Calculon's candidates.
void calculon_space(benchmark::State& state) {
  const cluster pool = cluster_of(dgx_a100, 4096);
  calculon_counts counts;
  for ([[maybe_unused]] auto _ : state) {
    counts = search_calculon_space(catalog::gpt3_175b, pool);
    benchmark::DoNotOptimize(counts);
  }
  state.SetItemsProcessed(state.iterations() * counts.candidates);
  static bool printed = false;
  if (!printed) print(counts);
  printed = true;
}
BENCHMARK(calculon_space)->Unit(benchmark::kMillisecond);

}  // namespace
