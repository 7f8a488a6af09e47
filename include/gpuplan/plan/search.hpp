#pragma once
/// \file
/// The best ways to cut a model over a cluster: every one tried, or proved to be worse.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/plan/search_space.hpp>
#include <gpuplan/plan/stage_time.hpp>

namespace gpuplan {

namespace detail {

/// Divisors of n from 1 to most, in order; n >= 1.
inline std::vector<int> divisors(int n, std::int64_t most) {
  std::vector<int> found;
  for (int i = 1; i <= n / i; ++i)
    if (n % i == 0) {
      if (i <= most) found.push_back(i);
      if (i != n / i && n / i <= most) found.push_back(n / i);
    }
  std::sort(found.begin(), found.end());
  return found;
}

/// Layouts whose layers work alike: they differ in pipeline, data and chunks alone, and in what of
/// the recipe only adds to the time of a layer.
struct alike_layouts {
  parallelism cut{};  ///< tensor, context, expert and micro_batch_size hold
  bool sequence_parallel = false;
  seconds one_sequence{};  ///< least busy time of all stages together, for one sequence
  double least = 0;        ///< least objective that any of them can reach
};

/// One search: its inputs, and what it has found so far.
class searcher {
 public:
  searcher(const transformer& m, const cluster& pool, const recipe& how, const space& vary,
           const parallelism& start, const workspace& beside)
      : model_{m}, pool_{pool}, recipe_{how}, vary_{vary}, start_{start}, beside_{beside} {}

  /// The most promising layouts come first, so that most of the others need not be costed.
  search_result run() {
    if (vary_.recompute) recomputes_ = recipe_.attention == attention_kernel::flash ? 2 : 3;
    std::vector<alike_layouts> groups = all_groups();
    std::stable_sort(groups.begin(), groups.end(),
                     [](const auto& a, const auto& b) { return a.least < b.least; });
    for (const alike_layouts& group : groups) try_group(group);
    std::sort(found_.plans.begin(), found_.plans.end(), better_plan{vary_.by});
    return std::move(found_);
  }

 private:
  template <class Values>
  static std::vector<int> chosen(bool varies, int fixed, const Values& values) {
    return varies ? values() : std::vector<int>{fixed};
  }

  std::vector<alike_layouts> all_groups() const {
    std::vector<alike_layouts> groups;
    const std::int64_t gpus = pool_.gpus();
    const auto most_tensor = (std::min)(gpus, std::int64_t{pool_.node.gpus});
    const bool experts = vary_.expert && model_.moe.experts > 0;
    for (const int t : chosen(vary_.tensor, start_.tensor,
                              [&] { return divisors(model_.attention_heads, most_tensor); }))
      for (const int c : chosen(vary_.context, start_.context,
                                [&] { return divisors(recipe_.sequence_length, gpus / t); }))
        for (const int e :
             chosen(experts, start_.expert, [&] { return divisors(model_.moe.experts, gpus); }))
          for (const int b : chosen(vary_.micro_batch, start_.micro_batch_size, [&] {
                 return divisors(recipe_.global_batch_size, recipe_.global_batch_size);
               })) {
            alike_layouts group{.cut = start_, .sequence_parallel = recipe_.sequence_parallel};
            group.cut.tensor = t;
            group.cut.context = c;
            group.cut.expert = e;
            group.cut.micro_batch_size = b;
            const bool splits = vary_.sequence_parallel && t > 1;
            if (splits) group.sequence_parallel = true;
            groups.push_back(bounded(group));
            if (!splits) continue;
            group.sequence_parallel = false;
            groups.push_back(bounded(group));
          }
    return groups;
  }

  /// With nothing computed again and nothing gathered, the stages together are busy for
  /// one_sequence; a step of B sequences on d replicas of p stages takes B / (d p) of it at least.
  alike_layouts bounded(alike_layouts group) const {
    recipe least = recipe_;
    least.sequence_parallel = group.sequence_parallel;
    if (vary_.recompute) least.recompute = recompute::none;
    if (vary_.zero) least.zero = zero_stage::none;
    parallelism cut = group.cut;  // with replicas enough for its experts; no bound reads them
    cut.data = cut.expert;
    cut.shard_group = 0;
    const framework_profile software = profile_of(recipe_.framework);
    const auto clock =
        stage_clock_of(model_, least, cut, kernel_rates_of(pool_.gpu(), least, software), software,
                       rank_links_of(pool_.node, cut));
    const seconds whole = clock
                              .of({.dense = model_.dense_layers(),
                                   .moe = model_.moe_layers(),
                                   .has_embedding = true,
                                   .has_head = true})
                              .total() +
                          clock.encoder.total();
    group.one_sequence = (1 - rounding) * whole / double(cut.micro_batch_size);
    group.least = least_of(group, pool_.gpus() / (std::int64_t{cut.tensor} * cut.context));
    return group;
  }

  /// The least objective of a group's layouts of `ranks` pipeline x data ranks.
  [[nodiscard]] double least_of(const alike_layouts& group, std::int64_t ranks) const {
    const double sequences = recipe_.global_batch_size;
    const double busy = sequences * group.one_sequence.in_base_units();
    switch (vary_.by) {
      case objective::time: return busy / static_cast<double>(ranks);
      case objective::gpu_time: return busy * group.cut.tensor * group.cut.context;
      case objective::memory: return 0;
    }
    return 0;
  }

  /// Whether nothing that reaches `least` at best can be among the plans kept.
  [[nodiscard]] bool hopeless(double least) const {
    const auto& plans = found_.plans;
    if (plans.size() < static_cast<std::size_t>(vary_.keep)) return false;
    return least > std::get<0>(rank_of(plans.front(), vary_.by));
  }

  void try_group(const alike_layouts& group) {
    parallelism cut = group.cut;
    const std::int64_t left = pool_.gpus() / (std::int64_t{cut.tensor} * cut.context);
    const std::int64_t most =
        model_.encoder_layers > 0 ? 1 : (std::min)(left, std::int64_t{model_.layers});
    const int sequences = recipe_.global_batch_size / cut.micro_batch_size;
    const std::vector<int> replicas =
        chosen(vary_.data, start_.data, [&] { return divisors((std::max)(sequences, 1), left); });
    const int first = vary_.pipeline ? 1 : start_.pipeline;
    const int last = vary_.pipeline ? static_cast<int>(most) : start_.pipeline;
    for (int p = first; p <= last; ++p) {
      cut.pipeline = p;
      const std::vector<int> chunks = chosen(vary_.interleave && p > 1, start_.interleave, [&] {
        return divisors(model_.layers, model_.layers / p);
      });
      for (const int d : replicas) {
        if (vary_.data && std::int64_t{p} * d > left) break;
        cut.data = d;
        const auto variants = static_cast<std::int64_t>(chunks.size()) * recipes_of(cut);
        if (hopeless(least_of(group, std::int64_t{p} * d))) {
          found_.candidates += variants;
          found_.dominated += variants;
          continue;
        }
        for (const int v : chunks) {
          cut.interleave = v;
          try_recipes(cut, group.sequence_parallel);
        }
      }
    }
  }

  [[nodiscard]] bool varies_zero(const parallelism& cut) const {
    return vary_.zero && cut.replicas() > 1;
  }
  [[nodiscard]] bool varies_schedule(const parallelism& cut) const {
    return vary_.schedule && cut.pipeline > 1;
  }
  /// Flash attention keeps no scores, so that computing its core again gains nothing.
  [[nodiscard]] bool varies_in_vain(const recipe& how) const {
    return vary_.recompute && how.recompute == recompute::selective &&
           how.attention == attention_kernel::flash;
  }
  [[nodiscard]] std::int64_t recipes_of(const parallelism& cut) const {
    return std::int64_t{varies_zero(cut) ? 4 : 1} * recomputes_ *
           static_cast<std::int64_t>(varies_schedule(cut) ? searched_schedules.size() : 1);
  }

  void try_recipes(const parallelism& cut, bool sequence_parallel) {
    recipe how = recipe_;
    how.sequence_parallel = sequence_parallel;
    const std::size_t schedules = varies_schedule(cut) ? searched_schedules.size() : 1;
    const std::size_t recomputes = vary_.recompute ? searched_recompute.size() : 1;
    for (std::size_t i = 0; i < schedules; ++i) {
      if (varies_schedule(cut)) how.schedule = searched_schedules[i];
      for (std::size_t k = 0; k < recomputes; ++k) {
        if (vary_.recompute) how.recompute = searched_recompute[k];
        if (varies_in_vain(how)) continue;
        try_zero(how, cut);
      }
    }
  }

  /// A lower stage divides less and needs no less memory, so below one that does not fit none does.
  void try_zero(recipe how, const parallelism& cut) {
    if (!varies_zero(cut)) {
      consider(how, cut);
      return;
    }
    for (int stage = 3; stage >= 0; --stage) {
      how.zero = static_cast<zero_stage>(stage);
      if (consider(how, cut) == reject_reason::memory) {
        found_.rejected[static_cast<std::size_t>(reject_reason::memory)] += stage;
        found_.candidates += stage;
        return;
      }
    }
  }

  reject_reason consider(const recipe& how, const parallelism& cut) {
    ++found_.candidates;
    reject_reason reason = layout_fault(model_, pool_.gpus(), how, cut).reason;
    if (reason == reject_reason::none) {
      const plan tried{how, cut, evaluate(model_, pool_, how, cut, beside_)};
      reason = tried.what.refusal.reason;
      if (reason == reject_reason::none) keep(tried);
      if (reason == reject_reason::memory && found_.fitting == 0) keep_miss(tried);
    }
    if (reason == reject_reason::none)
      ++found_.fitting;
    else
      ++found_.rejected[static_cast<std::size_t>(reason)];
    return reason;
  }

  void keep_miss(const plan& tried) {
    auto& misses = found_.misses;
    if (misses.empty())
      misses.push_back(tried);
    else if (tried.what.refusal.needed < misses.front().what.refusal.needed)
      misses.front() = tried;
  }

  /// A heap of the best so far, the worst of them on top.
  void keep(const plan& tried) {
    const better_plan better{vary_.by};
    auto& plans = found_.plans;
    found_.misses.clear();
    if (plans.size() < static_cast<std::size_t>(vary_.keep)) {
      plans.push_back(tried);
      std::push_heap(plans.begin(), plans.end(), better);
    } else if (better(tried, plans.front())) {
      std::pop_heap(plans.begin(), plans.end(), better);
      plans.back() = tried;
      std::push_heap(plans.begin(), plans.end(), better);
    }
  }

  static constexpr double rounding = 1e-9;  ///< far above that of the sums compared

  const transformer& model_;
  const cluster& pool_;
  const recipe& recipe_;
  const space& vary_;
  const parallelism& start_;
  const workspace& beside_;
  std::int64_t recomputes_ = 1;  ///< that are worth a try
  search_result found_;
};

}  // namespace detail

/// The best layouts of all that `vary` names.  Every layout is costed, refused with a reason, or
/// proved to be worse than those kept: the time of a step is at least that of its busy stages, with
/// nothing computed again, gathered or waited for.  Layouts may leave GPUs idle.  Equal plans come
/// in one order whatever the machine.
///
/// A device without units for the recipe's format is one refusal.
///
/// \throws invalid_input if a description is invalid, or vary.keep < 1
inline search_result search(const transformer& m, const cluster& pool, const recipe& how,
                            const space& vary = {}, const parallelism& start = {},
                            const workspace& beside = {}) {
  require_valid(m);
  require_valid(pool);
  require_valid(how);
  require_valid(start);
  require(vary.keep >= 1, "search: space.keep must be >= 1");
  if (!(pool.gpu().peak[formats_of(how.precision).product] > flop_per_second{0})) {
    search_result none;
    none.candidates = none.rejected[static_cast<std::size_t>(reject_reason::format)] = 1;
    return none;
  }
  return detail::searcher{m, pool, how, vary, start, beside}.run();
}

}  // namespace gpuplan
