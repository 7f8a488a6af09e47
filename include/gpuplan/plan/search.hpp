#pragma once
/// \file
/// The best ways to cut a model over a cluster: every one tried, or proved to be worse.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/plan/reject.hpp>
#include <gpuplan/plan/search_space.hpp>
#include <gpuplan/plan/stage_time.hpp>
#include <gpuplan/plan/step_time.hpp>

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
  /// Least busy time of all stages together for one micro-batch, for each recompute that is tried.
  std::array<seconds, searched_recompute.size()> busy{};
  double least = 0;  ///< least objective that any of them can reach
};

/// One search: its inputs, and what it has found so far.
class searcher {
 public:
  searcher(const transformer& m, const cluster& pool, const recipe& how, const space& vary,
           const parallelism& start, const workspace& beside)
      : model_{m}, pool_{pool}, recipe_{how}, vary_{vary}, start_{start}, beside_{beside} {
    for (const recompute again : searched_recompute)
      if (vary.recompute && gains(again)) recomputes_.push_back(again);
    if (!vary.recompute) recomputes_.push_back(how.recompute);
    const auto most = static_cast<int>((std::min)(pool.gpus(), std::int64_t{m.layers}));
    for (int p = 1; p <= most; ++p)
      chunks_.push_back(vary.interleave && p > 1 ? divisors(m.layers, m.layers / p)
                                                 : std::vector<int>{start.interleave});
  }

  /// The most promising layouts come first, so that most of the others need not be costed.
  search_result run() {
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

  /// The stages together are busy with a micro-batch for the same time however many they are; with
  /// nothing gathered that is least.
  alike_layouts bounded(alike_layouts group) const {
    recipe least = recipe_;
    least.sequence_parallel = group.sequence_parallel;
    if (vary_.zero) least.zero = zero_stage::none;
    parallelism cut = group.cut;  // with replicas enough for its experts; no bound reads them
    cut.data = cut.expert;
    cut.shard_group = 0;
    const auto rates = kernel_rates_of(pool_.gpu(), least, software_);
    const auto links = rank_links_of(pool_.node, cut);
    for (std::size_t i = 0; i < recomputes_.size(); ++i) {
      least.recompute = recomputes_[i];
      const auto clock = stage_clock_of(model_, least, cut, rates, software_, links);
      const seconds whole = clock
                                .of({.dense = model_.dense_layers(),
                                     .moe = model_.moe_layers(),
                                     .has_embedding = true,
                                     .has_head = true})
                                .total() +
                            clock.encoder.total();
      group.busy[i] = (1 - rounding) * whole;
    }
    group.least = least_of(group, pool_.gpus() / (std::int64_t{cut.tensor} * cut.context));
    return group;
  }

  /// The objective of a step of `time` on `gpus`, at least.
  [[nodiscard]] double objective_of(seconds time, double gpus) const {
    switch (vary_.by) {
      case objective::time: return time.in_base_units();
      case objective::gpu_time: return time.in_base_units() * gpus;
      case objective::memory: return 0;
    }
    return 0;
  }

  /// The least objective of a group's layouts of `ranks` pipeline x data ranks: with B sequences in
  /// micro-batches of b, on d replicas of p stages, the slowest stage is busy for B / (b d p) of
  /// what they all are with one.
  [[nodiscard]] double least_of(const alike_layouts& group, std::int64_t ranks) const {
    const seconds busy = *std::min_element(
        group.busy.begin(), group.busy.begin() + static_cast<std::ptrdiff_t>(recomputes_.size()));
    const double of_pipeline = static_cast<double>(ranks) * group.cut.micro_batch_size;
    return objective_of(recipe_.global_batch_size / of_pipeline * busy,
                        static_cast<double>(ranks) * group.cut.tensor * group.cut.context);
  }

  /// The least objective of one layout: the bubble and the wait for the slowest replica beside the
  /// busy time.  Both are least where the stages are equal, as there are B / (b d) >= 1
  /// micro-batches.
  [[nodiscard]] double least_of(const parallelism& cut, pipeline_schedule schedule,
                                seconds busy) const {
    const double p = cut.pipeline;
    const double micro_batches =
        recipe_.global_batch_size / (static_cast<double>(cut.data) * cut.micro_batch_size);
    const double bubble = bubble_share(schedule, cut.pipeline) / cut.interleave * (1 - 1 / p);
    const double waiting = 1 + software_.jitter * largest_draw(cut.data);
    return objective_of(waiting * (micro_batches / p + bubble) * busy,
                        static_cast<double>(cut.gpus()));
  }

  /// Whether nothing that reaches `least` at best can be among the plans kept.
  [[nodiscard]] bool hopeless(double least) const {
    const auto& plans = found_.plans;
    if (plans.size() < static_cast<std::size_t>(vary_.keep)) return false;
    return least > worst_kept_;
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
      // The most replicas first: they may be the best, and where they are hopeless fewer are.
      for (auto d = replicas.rbegin(); d != replicas.rend(); ++d) {
        if (vary_.data && std::int64_t{p} * *d > left) continue;
        cut.data = *d;
        if (hopeless(least_of(group, std::int64_t{p} * *d)))
          dominate(static_cast<std::int64_t>(chunks_of(p).size()) * recipes_of(cut));
        else
          for (const int v : chunks_of(p)) {
            cut.interleave = v;
            try_recipes(cut, group);
          }
      }
    }
  }

  [[nodiscard]] const std::vector<int>& chunks_of(int pipeline) const {
    const auto index = static_cast<std::size_t>(pipeline) - 1;
    return index < chunks_.size() ? chunks_[index] : given_chunks_;
  }

  void dominate(std::int64_t count) {
    found_.candidates += count;
    found_.dominated += count;
  }

  void refuse(reject_reason reason, std::int64_t count) {
    found_.candidates += count;
    found_.rejected[static_cast<std::size_t>(reason)] += count;
  }

  [[nodiscard]] bool varies_zero(const parallelism& cut) const {
    return vary_.zero && cut.replicas() > 1;
  }
  [[nodiscard]] bool varies_schedule(const parallelism& cut) const {
    return vary_.schedule && cut.pipeline > 1;
  }
  /// Flash attention keeps no scores, so that computing its core again gains nothing.
  [[nodiscard]] bool gains(recompute again) const {
    return again != recompute::selective || recipe_.attention != attention_kernel::flash;
  }
  [[nodiscard]] std::size_t schedules(const parallelism& cut) const {
    return varies_schedule(cut) ? searched_schedules.size() : 1;
  }
  [[nodiscard]] int zero_stages(const parallelism& cut) const { return varies_zero(cut) ? 4 : 1; }
  [[nodiscard]] std::int64_t recipes_of(const parallelism& cut) const {
    return static_cast<std::int64_t>(zero_stages(cut)) *
           static_cast<std::int64_t>(recomputes_.size() * schedules(cut));
  }

  void try_recipes(const parallelism& cut, const alike_layouts& group) {
    recipe how = recipe_;
    how.sequence_parallel = group.sequence_parallel;
    for (std::size_t i = 0; i < schedules(cut); ++i) {
      if (varies_schedule(cut)) how.schedule = searched_schedules[i];
      // No rule of layout_fault reads what varies below.
      if (const reject no = layout_fault(model_, pool_.gpus(), how, cut)) {
        refuse(no.reason, recipes_of(cut) / static_cast<std::int64_t>(schedules(cut)));
        continue;
      }
      for (std::size_t k = 0; k < recomputes_.size(); ++k) {
        how.recompute = recomputes_[k];
        if (hopeless(least_of(cut, how.schedule, group.busy[k])))
          dominate(zero_stages(cut));
        else
          try_zero(how, cut);
      }
    }
  }

  /// A lower stage divides less and needs no less memory, so below one that does not fit none does.
  void try_zero(recipe& how, const parallelism& cut) {
    if (!varies_zero(cut)) {
      consider(how, cut);
      return;
    }
    for (int stage = 3; stage >= 0; --stage) {
      how.zero = static_cast<zero_stage>(stage);
      if (consider(how, cut)) continue;
      refuse(reject_reason::memory, stage);
      break;
    }
    how.zero = recipe_.zero;
  }

  /// Whether the layout fits: memory first, time only where it fits, all else only where it is
  /// kept.
  bool consider(const recipe& how, const parallelism& cut) {
    const footprint memory = footprint_of(model_, how, cut, beside_);
    if (found_.fitting > 0 && !(memory.stage(0).total() <= pool_.gpu().memory)) {
      refuse(reject_reason::memory, 1);
      return false;
    }
    const bytes needed = memory.worst_stage().total();
    if (!(needed <= pool_.gpu().memory)) {
      refuse(reject_reason::memory, 1);
      keep_miss(how, cut, needed);
      return false;
    }
    ++found_.candidates;
    ++found_.fitting;
    const seconds time =
        step_time_of(model_, pool_, how, cut, software_, holdings_of(model_, memory)).total();
    const double reached = vary_.by == objective::memory
                               ? needed.in_base_units()
                               : objective_of(time, static_cast<double>(cut.gpus()));
    if (!hopeless(reached)) keep({how, cut, evaluate(model_, pool_, how, cut, beside_)});
    return true;
  }

  void keep_miss(const recipe& how, const parallelism& cut, bytes needed) {
    if (found_.fitting > 0) return;
    auto& misses = found_.misses;
    if (!misses.empty() && !(needed < misses.front().what.needed)) return;
    misses.assign(1, {how, cut, evaluate(model_, pool_, how, cut, beside_)});
  }

  /// A heap of the best so far, the worst of them on top.
  void keep(const plan& tried) {
    const better_plan better{vary_.by};
    auto& plans = found_.plans;
    found_.misses.clear();
    if (plans.size() < static_cast<std::size_t>(vary_.keep)) {
      plans.push_back(tried);
      std::push_heap(plans.begin(), plans.end(), better);
      worst_kept_ = std::get<0>(rank_of(plans.front(), vary_.by));
    } else if (better(tried, plans.front())) {
      std::pop_heap(plans.begin(), plans.end(), better);
      plans.back() = tried;
      std::push_heap(plans.begin(), plans.end(), better);
      worst_kept_ = std::get<0>(rank_of(plans.front(), vary_.by));
    }
  }

  static constexpr double rounding = 1e-9;  ///< far above that of the sums compared

  const transformer& model_;
  const cluster& pool_;
  const recipe& recipe_;
  const space& vary_;
  const parallelism& start_;
  const workspace& beside_;
  framework_profile software_ = profile_of(recipe_.framework);
  std::vector<recompute> recomputes_;     ///< that are tried
  std::vector<std::vector<int>> chunks_;  ///< of each length of the pipeline
  std::vector<int> given_chunks_{start_.interleave};
  search_result found_;
  double worst_kept_ = 0;  ///< objective of the worst plan kept
};

}  // namespace detail

/// The best layouts of all that `vary` names.  Every layout is costed, refused with a reason, or
/// proved to be worse than those kept: the time of a step is at least that of its busy stages, of
/// its bubble and of its slowest replica, with nothing gathered or reduced.  Layouts may leave GPUs
/// idle.  Equal plans come in one order whatever the machine.
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
