#include <gpuplan/plan/search.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/random_job.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr transformer model{.layers = 24,
                            .hidden_size = 2048,
                            .attention_heads = 16,
                            .ffn_size = 8192,
                            .vocabulary_size = 50304};
constexpr cluster pool_of(int gpus, bytes memory) {
  return cluster_of(node{.gpu = {.memory = memory,
                                 .memory_bandwidth = 2 * TB / second,
                                 .peak = {.bf16 = 300 * TFLOP / second}},
                         .gpus = 8,
                         .scale_up = {3 * us, 200 * GB / second},
                         .fabric = {10 * us, 20 * GB / second}},
                    gpus);
}
constexpr recipe how{.global_batch_size = 64, .sequence_length = 2048};

/// Every layout within small bounds, tried in the plainest way: another enumeration than the one
/// under test, with no pruning.
seconds best_by_hand(const cluster& pool, const recipe& base) {
  seconds best{1e300};
  for (int t = 1; t <= 8; ++t)
    for (int p = 1; p <= 24; ++p)
      for (int d = 1; d <= 64; ++d)
        for (int b = 1; b <= 64; ++b) {
          if (std::int64_t{t} * p * d > pool.gpus()) break;
          for (int z = 0; z < 4; ++z)
            for (const recompute r : {recompute::none, recompute::selective, recompute::full})
              for (const bool whole : {false, true}) {
                recipe tried = base;
                tried.zero = static_cast<zero_stage>(z);
                tried.recompute = r;
                tried.sequence_parallel = whole;
                const estimate e =
                    evaluate(model, pool, tried,
                             {.data = d, .tensor = t, .pipeline = p, .micro_batch_size = b});
                if (e.fits() && e.time.total() < best) best = e.time.total();
              }
        }
  return best;
}

TEST_CASE("the search finds what trying everything finds", "[plan][cross-check]") {
  const int gpus = GENERATE(1, 7, 16);
  const bytes memory = GENERATE(12 * GiB, 40 * GiB);
  const cluster pool = pool_of(gpus, memory);
  const search_result found = search(model, pool, how, {.risk = 1});
  const seconds best = best_by_hand(pool, how);
  if (found.best() == nullptr)
    CHECK(best == seconds{1e300});
  else
    CHECK(found.best()->what.time.total() == best);
}

TEST_CASE("every layout looked at is counted once", "[plan][search]") {
  const search_result found = search(model, pool_of(16, 16 * GiB), how);
  const auto rejected =
      std::accumulate(found.rejected.begin(), found.rejected.end(), std::int64_t{0});
  CHECK(found.candidates == found.fitting + rejected + found.dominated);
  CHECK(found.dominated > 0);
  // Where nothing can be dominated everything is costed, and there is as much of it.
  const search_result all =
      search(model, pool_of(16, 16 * GiB), how, {.by = objective::memory, .keep = 5});
  CHECK(all.candidates == found.candidates);
  CHECK(all.dominated == 0);
  CHECK(found.fitting > 0);
  CHECK(found.rejected[static_cast<std::size_t>(reject_reason::memory)] > 0);
  CHECK(found.rejected[static_cast<std::size_t>(reject_reason::none)] == 0);
}

TEST_CASE("plans come best first, in an order that does not depend on how many are kept",
          "[plan][search]") {
  const auto by = GENERATE(objective::time, objective::gpu_time, objective::memory);
  const cluster pool = pool_of(16, 40 * GiB);
  const search_result many = search(model, pool, how, {.by = by, .keep = 50});
  const search_result few = search(model, pool, how, {.by = by, .keep = 5});
  REQUIRE(many.plans.size() == 50);
  REQUIRE(few.plans.size() == 5);
  const auto measure = [&](const plan& p) {
    switch (by) {
      case objective::time: return p.what.time.total().in(second);
      case objective::gpu_time:
        return p.what.time.total().in(second) * static_cast<double>(p.what.gpus);
      case objective::memory: return p.what.memory.worst_stage().total().in(byte);
    }
    return 0.0;
  };
  for (std::size_t i = 1; i < many.plans.size(); ++i)
    CHECK(measure(many.plans[i - 1]) <= measure(many.plans[i]));
  for (std::size_t i = 0; i < few.plans.size(); ++i) {
    CHECK(few.plans[i].parallelism().gpus() == many.plans[i].parallelism().gpus());
    CHECK(few.plans[i].what.time.total() == many.plans[i].what.time.total());
    CHECK(few.plans[i].recipe().zero == many.plans[i].recipe().zero);
  }
}

TEST_CASE("one of each keeps the best of the same ranks, and no other", "[plan][cross-check]") {
  const cluster pool = pool_of(64, 40 * GiB);
  space vary{.interleave = true, .keep = 100'000};
  const std::vector<plan> all = search(model, pool, how, vary).plans;
  std::vector<plan> expected;  // all are kept, the best first
  for (const plan& one : all)
    if (std::none_of(expected.begin(), expected.end(), [&](const plan& other) {
          return other.parallelism().has_ranks_of(one.parallelism());
        }))
      expected.push_back(one);
  REQUIRE(expected.size() > 12);
  REQUIRE(all.size() > 4 * expected.size());
  vary.one_of_each = true;
  for (const std::size_t keep : {std::size_t{1}, std::size_t{7}, expected.size(), all.size()}) {
    vary.keep = static_cast<int>(keep);
    const std::vector<plan> found = search(model, pool, how, vary).plans;
    REQUIRE(found.size() == (std::min)(keep, expected.size()));
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(found[i].parallelism().has_ranks_of(expected[i].parallelism()));
      CHECK(found[i].what.time.total() == expected[i].what.time.total());
    }
  }
}

TEST_CASE("nothing dominated would have been kept", "[plan][property]") {
  // A search that keeps everything dominates nothing: its first plans are those of one that does.
  testing::check_property("few against all", [] {
    transformer m = model;
    m.layers = *rc::gen::inRange(1, 13);
    if (*rc::gen::arbitrary<bool>())
      m.moe = {.experts = 8, .experts_per_token = 2, .ffn_size = 4096};
    recipe some = how;
    some.global_batch_size = *rc::gen::element(8, 12, 16);
    some.framework = *rc::gen::elementOf(frameworks);
    const cluster pool = pool_of(*rc::gen::inRange(1, 13), *rc::gen::inRange(4, 64) * GiB);
    space vary{.context = *rc::gen::arbitrary<bool>(),
               .interleave = *rc::gen::arbitrary<bool>(),
               .schedule = *rc::gen::arbitrary<bool>(),
               .by = *rc::gen::element(objective::time, objective::gpu_time),
               .keep = 1000000};
    const search_result all = search(m, pool, some, vary);
    vary.keep = 3;
    const search_result few = search(m, pool, some, vary);
    RC_ASSERT(all.dominated == 0);
    RC_ASSERT(all.candidates == few.candidates);
    RC_ASSERT(few.plans.size() == std::min<std::size_t>(3, all.plans.size()));
    for (std::size_t i = 0; i < few.plans.size(); ++i) {
      const detail::better_plan better{vary.by};
      RC_ASSERT(!better(few.plans[i], all.plans[i]));
      RC_ASSERT(!better(all.plans[i], few.plans[i]));
    }
  });
}

TEST_CASE("bounds are below sharded layouts where launches decide", "[plan][facts]") {
  // So many micro-batches that what a step does once covers no gap between the bound and a step.
  recipe many = how;
  many.sequence_length = 1024;
  many.global_batch_size = 28000;
  constexpr node box = node_of(catalog::h100_sxm5_80gb, 8, interconnect{5 * us, 50 * GB / second});
  const cluster few = cluster_of(box, 2);
  space vary{.keep = 1000000};
  const search_result all = search(catalog::gpt2, few, many, vary);
  REQUIRE(all.plans.size() > 100);
  for (std::size_t i = 0; i < all.plans.size(); ++i) {
    if (all.plans[i].recipe().zero != zero_stage::parameters) continue;
    vary.within = all.plans[i].what.time.total();
    INFO("plan " << i);
    CHECK(search(catalog::gpt2, few, many, vary).plans.size() > i);
  }
}

TEST_CASE("a search within a time keeps what is no slower, and costs less", "[plan][property]") {
  const cluster pool = pool_of(16, 24 * GiB);
  space vary{.context = true, .by = GENERATE(objective::time, objective::gpu_time), .keep = 5};
  const search_result free = search(model, pool, how, vary);
  const auto taken = [&](const plan& one) {
    const double gpus = vary.by == objective::gpu_time ? static_cast<double>(one.what.gpus) : 1.0;
    return gpus * one.what.time.total();
  };
  const auto costed = [](const search_result& found) { return found.candidates - found.dominated; };
  const detail::better_plan better{vary.by};
  REQUIRE(free.plans.size() == 5);
  for (std::size_t last = 0; last < free.plans.size(); ++last) {
    vary.within = taken(free.plans[last]);
    const search_result bounded = search(model, pool, how, vary);
    CHECK(bounded.candidates == free.candidates);
    CHECK(costed(bounded) <= costed(free));
    const auto kept = static_cast<std::size_t>(
        std::count_if(free.plans.begin(), free.plans.end(),
                      [&](const plan& one) { return taken(one) <= vary.within; }));
    REQUIRE(bounded.plans.size() == kept);
    for (std::size_t i = 0; i < kept; ++i) {
      CHECK(!better(bounded.plans[i], free.plans[i]));
      CHECK(!better(free.plans[i], bounded.plans[i]));
    }
  }
  vary.within = 0.99 * taken(free.plans.front());
  const search_result none = search(model, pool, how, vary);
  CHECK(none.plans.empty());
  CHECK(none.candidates == free.candidates);
  CHECK(2 * costed(none) < costed(free));
}

TEST_CASE("a time is no limit where memory is sought", "[plan][search]") {
  const cluster pool = pool_of(8, 24 * GiB);
  space vary{.by = objective::memory, .keep = 1};
  const search_result free = search(model, pool, how, vary);
  vary.within = 1 * us;
  REQUIRE(free.plans.size() == 1);
  CHECK(search(model, pool, how, vary).plans.size() == 1);
}

TEST_CASE("chunks may count both ends as a layer each", "[plan][search]") {
  // 22 layers and two ends on four stages: three chunks of two, where no number divides 22 layers.
  transformer m = model;
  m.layers = 22;
  const space chunks{.tensor = false,
                     .pipeline = false,
                     .data = false,
                     .interleave = true,
                     .micro_batch = false,
                     .zero = false,
                     .recompute = false,
                     .by = objective::memory,
                     .keep = 100};
  const search_result found =
      search(m, pool_of(4, 80 * GiB), how, chunks, {.pipeline = 4, .micro_batch_size = 1});
  std::set<int> fitting;
  for (const plan& p : found.plans) fitting.insert(p.parallelism().interleave);
  CHECK(fitting == std::set{1, 2, 3, 6});
}

TEST_CASE("models of few layers are cut into any number of stages", "[plan][search]") {
  transformer m = model;
  m.layers = GENERATE(1, 24, 126, 256);
  std::vector<int> every(static_cast<std::size_t>(m.layers));
  std::iota(every.begin(), every.end(), 1);
  CHECK(detail::pipeline_lengths(m, m.layers) == every);
}

TEST_CASE("however many layers there are, the search is bounded", "[plan][search]") {
  transformer m = model;
  m.layers = GENERATE(257, 4096, 110'880, 131'071, 131'072, 1'000'000'000);
  const std::vector<int> lengths = detail::pipeline_lengths(m, m.layers);
  CHECK(std::is_sorted(lengths.begin(), lengths.end()));
  CHECK(lengths.size() < 240);
  CHECK(lengths.back() <= most_searched_stages);
  for (std::size_t i = 1; i < lengths.size(); ++i)
    CHECK(lengths[i] <= lengths[i - 1] + std::max(1, lengths[i] / 16));
  for (int p = 1; p <= (std::min)(m.layers, most_searched_stages); ++p)
    if (m.layers % p == 0) CHECK(std::binary_search(lengths.begin(), lengths.end(), p));

  const space chunks{.interleave = true};
  const cluster pool = pool_of(1 << 20, 80 * GiB);
  const detail::search_request asked{m, pool, how, chunks, parallelism{}, workspace{}};
  for (const auto& [stages, tried] : asked.pipelines) {
    CHECK(tried.back() <= most_searched_chunks);
    CHECK(std::int64_t{stages} * tried.back() <= most_searched_pieces);
  }
}

TEST_CASE("of a number with many divisors the small ones are tried and others at equal distances",
          "[plan][search]") {
  const std::vector<int> all = detail::divisors(735'134'400, 735'134'400);
  REQUIRE(all.size() == 1344);
  const std::vector<int> tried = detail::searched_divisors(735'134'400, 735'134'400);
  REQUIRE(tried.size() == most_searched_divisors);
  CHECK(std::equal(tried.begin(), tried.begin() + most_searched_divisors / 2, all.begin()));
  CHECK(tried.back() == all.back());
  std::set<std::ptrdiff_t> distances;
  std::ptrdiff_t before = most_searched_divisors / 2 - 1;
  for (std::size_t i = most_searched_divisors / 2; i < tried.size(); ++i) {
    const auto at = std::lower_bound(all.begin(), all.end(), tried[i]);
    REQUIRE(*at == tried[i]);
    distances.insert((at - all.begin()) - before);
    before = at - all.begin();
  }
  CHECK(*distances.begin() + 1 >= *distances.rbegin());
  CHECK(*distances.begin() >= 1);
  // Below 10,080, and of most batches, all are.
  for (const int batch : {1, 5040, 7560, 9240, 10'079, 15'360, 61'440, 1 << 30})
    CHECK(detail::searched_divisors(batch, batch) == detail::divisors(batch, batch));
  REQUIRE(detail::divisors(10'080, 10'080).size() == 72);
  CHECK(detail::searched_divisors(10'080, 10'080).size() == most_searched_divisors);
  CHECK(detail::searched_divisors(735'134'400, 10) == std::vector{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
}

TEST_CASE("as many layouts fit as when each is evaluated alone", "[plan][cross-check]") {
  const cluster pool = pool_of(8, GENERATE(8, 10, 12, 16, 24) * GiB);
  recipe base = how;
  base.schedule = GENERATE(pipeline_schedule::one_forward_one_backward, pipeline_schedule::gpipe);
  base.attention = attention_kernel::unfused;
  const space vary{.tensor = false,
                   .expert = false,
                   .interleave = true,
                   .by = objective::memory,
                   .keep = 1,
                   .risk = 1};
  std::int64_t fitting = 0;
  for (int p = 1; p <= 8; ++p)
    for (int d = 1; p * d <= 8; ++d)
      for (int b = 1; b * d <= 64; ++b)
        for (int v = 1; v <= (p == 1 ? 1 : 26 / p); ++v)
          for (int z = 0; z < (d == 1 ? 1 : 4); ++z)
            for (const recompute r : {recompute::none, recompute::selective, recompute::full}) {
              if (24 % v != 0 && (26 % p != 0 || 26 / p % v != 0)) continue;
              recipe tried = base;
              tried.zero = static_cast<zero_stage>(z);
              tried.recompute = r;
              const parallelism cut{
                  .data = d, .pipeline = p, .interleave = v, .micro_batch_size = b};
              fitting += evaluate(model, pool, tried, cut).fits();
            }
  CHECK(search(model, pool, base, vary).fitting == fitting);
  CHECK(fitting > 0);
}

TEST_CASE("what is not named does not vary", "[plan][search]") {
  const space only_data{.tensor = false,
                        .pipeline = false,
                        .micro_batch = false,
                        .zero = false,
                        .recompute = false,
                        .sequence_parallel = false};
  const search_result found =
      search(model, pool_of(16, 80 * GiB), how, only_data, {.tensor = 2, .micro_batch_size = 2});
  REQUIRE(found.best() != nullptr);
  for (const plan& p : found.plans) {
    CHECK(p.parallelism().tensor == 2);
    CHECK(p.parallelism().pipeline == 1);
    CHECK(p.parallelism().micro_batch_size == 2);
    CHECK(p.recipe().zero == zero_stage::none);
    CHECK(p.recipe().recompute == recompute::none);
  }
  CHECK(found.best()->parallelism().data == 8);
}

TEST_CASE("a search keeps the order of groups that it is given", "[plan][search]") {
  const cluster pool = pool_of(64, 24 * GB);
  const parallelism start{.order = group_order::pipeline_then_data};
  const search_result found = search(model, pool, how, {}, start);
  REQUIRE(found.best() != nullptr);
  for (const plan& one : found.plans) {
    CHECK(one.parallelism().order == group_order::pipeline_then_data);
    CHECK(one.what.time.total() ==
          evaluate(model, pool, one.recipe(), one.parallelism()).time.total());
  }
}

TEST_CASE("where nothing fits, the closest miss is kept", "[plan][limits]") {
  const search_result found = search(model, pool_of(1, 2 * GiB), how);
  CHECK(found.best() == nullptr);
  REQUIRE(found.misses.size() == 1);
  CHECK(found.misses.front().what.refusal.reason == reject_reason::memory);
  CHECK(found.misses.front().what.refusal.needed > (2 * GiB).in(byte));
}

TEST_CASE("weights on the host are divided among replicas where ZeRO is searched",
          "[plan][facts]") {
  recipe offloaded = how;
  offloaded.offload = offloaded_states::all;
  space vary{.tensor = false, .pipeline = false, .data = false, .micro_batch = false};
  const parallelism cut{.data = 8};
  cluster pool = pool_of(8, 40 * GiB);
  pool.node.gpu.host = {.advertised = per_direction(25 * GB / second)};
  const search_result found = search(model, pool, offloaded, vary, cut);
  REQUIRE(found.best() != nullptr);
  for (const plan& one : found.plans) CHECK(one.recipe().zero == zero_stage::parameters);
  vary.zero = false;
  CHECK(search(model, pool, offloaded, vary, cut).best() == nullptr);
}

TEST_CASE("where the host is what is too small, the closest miss says so", "[plan][limits]") {
  recipe offloaded = how;
  offloaded.offload = offloaded_states::optimizer;
  cluster pool = pool_of(8, 80 * GiB);
  pool.node.gpu.host = {.advertised = per_direction(25 * GB / second)};
  pool.node.host_memory = 1 * GB;
  const search_result found = search(model, pool, offloaded);
  REQUIRE(found.best() == nullptr);
  REQUIRE(found.misses.size() == 1);
  const reject& no = found.misses.front().what.refusal;
  CHECK(no.reason == reject_reason::host_memory);
  CHECK(no.available == (1 * GB).in(byte));

  pool.node.host_memory = bytes{no.needed};
  CHECK(search(model, pool, offloaded).best() != nullptr);
  pool.node.host_memory = bytes{no.needed - 1};
  CHECK(search(model, pool, offloaded).best() == nullptr);
}

TEST_CASE("more GPUs or more memory never make the best plan worse", "[plan][property]") {
  testing::check_property("a larger cluster holds every layout of a smaller one", [] {
    const int gpus = *rc::gen::inRange(1, 17);
    const int gib = *rc::gen::inRange(4, 80);
    const auto best = [](const cluster& pool) {
      const search_result found = search(model, pool, how);
      return found.best() == nullptr ? seconds{1e300} : found.best()->what.time.total();
    };
    const seconds before = best(pool_of(gpus, gib * GiB));
    RC_ASSERT(best(pool_of(gpus + 1, gib * GiB)) <= before);
    RC_ASSERT(best(pool_of(gpus, (gib + 8) * GiB)) <= before);
  });
}

TEST_CASE("a device without the format is one refusal", "[plan][limits]") {
  recipe fp8 = how;
  fp8.precision = precision::mixed_fp8;
  const search_result found = search(model, pool_of(8, 80 * GiB), fp8);
  CHECK(found.best() == nullptr);
  CHECK(found.candidates == 1);
  CHECK(found.rejected[static_cast<std::size_t>(reject_reason::format)] == 1);
}

TEST_CASE("a device without the scales of MXFP8 is one refusal", "[plan][limits]") {
  recipe blocks = how;
  blocks.precision = precision::mixed_fp8;
  blocks.fp8_recipe = fp8_recipe::mxfp8;
  cluster pool = pool_of(8, 80 * GiB);
  pool.node.gpu.peak.fp8_e4m3 = 2 * pool.node.gpu.peak.bf16;
  const search_result found = search(model, pool, blocks);
  CHECK(found.candidates == 1);
  CHECK(found.rejected[static_cast<std::size_t>(reject_reason::block_scales)] == 1);
  pool.node.gpu.peak.fp4 = pool.node.gpu.peak.fp8_e4m3;
  CHECK(search(model, pool, blocks).best() != nullptr);
}

TEST_CASE("experts may be cut wider than the dense layers", "[plan][search]") {
  transformer experts = model;
  experts.moe = {.experts = 8, .experts_per_token = 2, .ffn_size = 1024};
  const cluster pool = pool_of(8, 80 * GiB);
  const parallelism start{.data = 8, .expert_tensor = 2};
  space fixed{.tensor = false, .pipeline = false, .data = false, .expert = false};
  fixed.micro_batch = fixed.zero = fixed.recompute = fixed.sequence_parallel = false;
  const search_result found = search(experts, pool, how, fixed, start);
  CHECK(found.candidates == 1);
  REQUIRE(found.best() != nullptr);
  CHECK(found.best()->what.time.total() == evaluate(experts, pool, how, start).time.total());
}

TEST_CASE("search refuses what is invalid", "[plan][errors]") {
  const cluster pool = pool_of(8, 80 * GiB);
  CHECK_THROWS_AS(search(transformer{}, pool, how), invalid_input);
  CHECK_THROWS_AS(search(model, pool, how, {.keep = 0}), invalid_input);
  for (const double within : {0.0, -1.0, std::nan("")})
    CHECK_THROWS_AS(search(model, pool, how, {.within = within * second}), invalid_input);
  CHECK_THROWS_AS(search(model, pool, {.global_batch_size = -1}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
