/// \file
/// Which layouts a bounded search tries.

#include "bounded_search.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <gpuplan/plan/feasibility.hpp>
#include <gpuplan/plan/search.hpp>

namespace gpuplan::scheduler {
namespace {

struct divisor_count {
  int count = 0;
  int largest = 1;
};

/// Divisors of n from 1 to most.
divisor_count divisors_up_to(int n, std::int64_t most) {
  divisor_count found;
  const auto take = [&](int divisor) {
    if (divisor > most) return;
    ++found.count;
    found.largest = (std::max)(found.largest, divisor);
  };
  for (int i = 1; i <= n / i; ++i) {
    if (n % i != 0) continue;
    take(i);
    if (i != n / i) take(n / i);
  }
  return found;
}

/// No fewer layouts than a search looks at.
double layouts_of(const transformer& m, const cluster& pool, const search_start& from) {
  const space& vary = from.vary;
  const std::int64_t gpus = pool.gpus();
  const int batch = from.recipe.global_batch_size;
  const auto count = [](bool varies, int n, std::int64_t most) {
    return varies ? static_cast<double>(divisors_up_to(n, most).count) : 1.0;
  };
  double layouts =
      count(vary.tensor, m.attention_heads, (std::min<std::int64_t>)(gpus, pool.node.gpus));
  layouts *= count(vary.data, batch, gpus) * count(vary.micro_batch, batch, batch);
  layouts *= count(vary.expert && m.moe.experts > 0, (std::max)(m.moe.experts, 1), gpus);
  if (vary.pipeline) layouts *= static_cast<double>((std::min<std::int64_t>)(gpus, m.layers));
  if (vary.interleave) layouts *= count(true, m.layers, m.layers);
  if (vary.zero) layouts *= 4;
  if (vary.recompute) layouts *= static_cast<double>(searched_recompute.size());
  if (vary.sequence_parallel) layouts *= 2;
  return layouts;
}

/// Keeps the better of what two searches found.
void take(bounded_result& to, search_result&& found, const node& box, objective by) {
  const auto is_better = [&](const estimate& a, const estimate& b) {
    return by == objective::memory ? a.needed < b.needed : a.time.total() < b.time.total();
  };
  if (!found.plans.empty()) {
    plan& one = found.plans.front();
    if (!to.best || is_better(one.what, to.best->what)) to.best = std::move(one);
  } else if (!found.misses.empty()) {
    plan& one = found.misses.front();
    if (!to.miss || miss_of(one.what, box) < miss_of(to.miss->what, box)) to.miss = std::move(one);
  }
  if (found.candidates == 0) return;
  const auto most = std::max_element(found.rejected.begin(), found.rejected.end());
  if (*most > 0) to.commonest = static_cast<reject_reason>(most - found.rejected.begin());
}

/// Tensor ranks and stages by powers of two, each with the most replicas.
bounded_result coarse_search(const transformer& m, const cluster& pool, const search_start& from,
                             const workspace& beside) {
  bounded_result all;
  space vary = from.vary;
  vary.tensor = vary.pipeline = vary.data = vary.interleave = false;
  const int gpus = static_cast<int>(pool.gpus());
  const int most_tensor = from.vary.tensor ? (std::min)(gpus, pool.node.gpus) : 1;
  const int most_stages =
      from.vary.pipeline && m.encoder_layers == 0 ? (std::min)(gpus, m.layers) : 1;
  parallelism cut = from.parallelism;
  for (int t = 1; t <= most_tensor; t *= 2) {
    if (from.vary.tensor) cut.tensor = t;
    if (m.attention_heads % cut.tensor != 0) continue;
    for (int p = 1; p <= most_stages; p *= 2) {
      if (from.vary.pipeline) cut.pipeline = p;
      const std::int64_t left = gpus / (std::int64_t{cut.tensor} * cut.context * cut.pipeline);
      if (from.vary.data && left == 0) break;
      const int sequences = (std::max)(from.recipe.global_batch_size / cut.micro_batch_size, 1);
      if (from.vary.data) cut.data = divisors_up_to(sequences, left).largest;
      take(all, search(m, pool, from.recipe, vary, cut, beside), pool.node, vary.by);
    }
  }
  return all;
}

/// A plan that fits, of the layouts that feasibility looks at: the fewest tensor ranks and stages,
/// with the most replicas or the fewest.
std::optional<plan> first_fitting(const transformer& m, const cluster& pool,
                                  const search_start& from, const workspace& beside) {
  search_start one = from;
  one.vary.tensor = one.vary.pipeline = one.vary.data = false;
  one.vary.micro_batch = one.vary.interleave = false;
  if (from.vary.micro_batch) one.parallelism.micro_batch_size = 1;
  if (from.vary.interleave) one.parallelism.interleave = 1;
  feasibility tried{m, pool, beside};
  parallelism& cut = one.parallelism;
  const int gpus = static_cast<int>(pool.gpus());
  const int most_tensor = from.vary.tensor ? (std::min)(gpus, pool.node.gpus) : 1;
  const int most_stages =
      from.vary.pipeline ? (std::min)({gpus, m.layers, most_searched_stages}) : 1;
  const int sequences = (std::max)(from.recipe.global_batch_size / cut.micro_batch_size, 1);
  for (int t = 1; t <= most_tensor; ++t) {
    if (from.vary.tensor) cut.tensor = t;
    if (m.attention_heads % cut.tensor != 0) continue;
    for (int p = 1; p <= most_stages; ++p) {
      if (from.vary.pipeline) cut.pipeline = p;
      const std::int64_t left = gpus / (std::int64_t{cut.tensor} * cut.context * cut.pipeline);
      if (from.vary.data && left == 0) break;
      for (const std::int64_t most : {left, std::int64_t{1}}) {
        if (from.vary.data) cut.data = divisors_up_to(sequences, most).largest;
        if (!tried.fits(one)) continue;
        bounded_result found;
        take(found, search(m, pool, one.recipe, one.vary, cut, beside), pool.node, one.vary.by);
        if (found.best) return std::move(found.best);
      }
    }
  }
  return {};
}

}  // namespace

bounded_result bounded_search(const transformer& m, const cluster& pool, const search_start& from,
                              const workspace& beside) {
  search_start asked = from;
  asked.vary.keep = 1;
  if (asked.vary.micro_batch && layouts_of(m, pool, asked) > most_layouts) {
    asked.vary.micro_batch = false;
    asked.parallelism.micro_batch_size = 1;
  }
  if (layouts_of(m, pool, asked) > most_layouts) return coarse_search(m, pool, asked, beside);
  bounded_result all;
  take(all, search(m, pool, asked.recipe, asked.vary, asked.parallelism, beside), pool.node,
       asked.vary.by);
  return all;
}

std::optional<plan> best_feasible(const transformer& m, const cluster& pool,
                                  const search_start& from, const workspace& beside) {
  bounded_result bounded = bounded_search(m, pool, from, beside);
  if (bounded.best) return std::move(bounded.best);
  return first_fitting(m, pool, from, beside);
}

}  // namespace gpuplan::scheduler
