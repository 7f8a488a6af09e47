#pragma once
/// \file
/// Lower bounds for groups of layouts, so that a search can skip most of them.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gpuplan/compute/kernel_rates.hpp>
#include <gpuplan/memory/micro_batch.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/plan/detail/search_request.hpp>
#include <gpuplan/plan/largest_draw.hpp>
#include <gpuplan/plan/pipeline_bubble.hpp>
#include <gpuplan/plan/rank_links.hpp>
#include <gpuplan/plan/search_space.hpp>
#include <gpuplan/plan/stage_time.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// Layouts whose layers work alike: they differ in pipeline, data and chunks alone, and in what of
/// the recipe only adds to the time of a layer.
struct alike_layouts {
  parallelism cut{};  ///< tensor, context, expert and micro_batch_size hold
  bool sequence_parallel = false;
  /// Least busy time of all stages together for one micro-batch, for each recompute that is tried.
  std::array<seconds, searched_recompute.size()> busy{};
  double least = 0;  ///< least objective that any of them can reach
};

/// Far above that of the sums compared.
inline constexpr double search_rounding = 1e-9;

/// The least objective of a group's layouts of `ranks` pipeline x data ranks: with B sequences in
/// micro-batches of b, on d replicas of p stages, the slowest stage is busy for B / (b d p) of
/// what they all are with one.
inline double least_of(const search_request& asked, const alike_layouts& group,
                       std::int64_t ranks) {
  const seconds busy =
      *std::min_element(group.busy.begin(),
                        group.busy.begin() + static_cast<std::ptrdiff_t>(asked.recomputes.size()));
  const double of_pipeline = static_cast<double>(ranks) * group.cut.micro_batch_size;
  return asked.objective_of(asked.recipe.global_batch_size / of_pipeline * busy,
                            static_cast<double>(ranks) * group.cut.tensor * group.cut.context);
}

/// The least objective of one layout: the bubble and the wait for the slowest replica beside the
/// busy time.  Both are least where the stages are equal, as there are B / (b d) >= 1
/// micro-batches.
inline double least_of(const search_request& asked, const parallelism& cut,
                       pipeline_schedule schedule, seconds busy) {
  const double p = cut.pipeline;
  const double micro_batches = fractional_micro_batches_of(asked.recipe, cut);
  const double bubble = bubble_share(schedule, cut.pipeline) / cut.interleave * (1 - 1 / p);
  const double waiting = 1 + asked.software.jitter * largest_draw(cut.data);
  return asked.objective_of(waiting * (micro_batches / p + bubble) * busy,
                            static_cast<double>(cut.gpus()));
}

/// The group with its bounds.  The stages together are busy with a micro-batch for the same time
/// however many they are; with nothing gathered that is least.
inline alike_layouts bounded(const search_request& asked, alike_layouts group) {
  const transformer& m = asked.model;
  recipe least = asked.recipe;
  least.sequence_parallel = group.sequence_parallel;
  if (asked.vary.zero) least.zero = zero_stage::none;
  parallelism cut = group.cut;  // with replicas enough for its experts; no bound reads them
  cut.data = cut.expert * (cut.expert_tensor > cut.tensor ? cut.expert_tensor : 1);
  cut.shard_group = 0;
  const auto rates = kernel_rates_of(asked.pool.gpu(), m, least, asked.software);
  const auto links = step_links_of(asked.pool.node, cut);
  for (std::size_t i = 0; i < asked.recomputes.size(); ++i) {
    least.recompute = asked.recomputes[i];
    const auto clock = stage_clock_of(m, least, cut, rates, asked.software, links);
    const seconds whole = basic_stage_totals<double>{m, clock}.of(m) + clock.encoder.total();
    group.busy[i] = (1 - search_rounding) * whole;
  }
  group.least =
      least_of(asked, group, asked.pool.gpus() / (std::int64_t{cut.tensor} * cut.context));
  return group;
}

/// All groups, the most promising first, so that most of the others need not be costed.
inline std::vector<alike_layouts> all_groups(const search_request& asked) {
  const transformer& m = asked.model;
  const recipe& how = asked.recipe;
  const space& vary = asked.vary;
  const std::int64_t gpus = asked.pool.gpus();
  const auto most_tensor = (std::min)(gpus, std::int64_t{asked.pool.node.gpus});
  const bool experts = vary.expert && m.moe.experts > 0;
  const int batch = how.global_batch_size;
  const auto expert_ranks = asked.chosen(experts, asked.start.expert,
                                         [&] { return searched_divisors(m.moe.experts, gpus); });
  const auto micro_batches = asked.chosen(vary.micro_batch, asked.start.micro_batch_size,
                                          [&] { return searched_divisors(batch, batch); });
  std::vector<alike_layouts> groups;
  for (const int t : asked.chosen(vary.tensor, asked.start.tensor, [&] {
         return searched_divisors(m.attention_heads, most_tensor);
       }))
    for (const int c : asked.chosen(vary.context, asked.start.context, [&] {
           return searched_divisors(how.sequence_length, gpus / t);
         }))
      for (const int e : expert_ranks)
        for (const int b : micro_batches) {
          alike_layouts group{.cut = asked.start, .sequence_parallel = how.sequence_parallel};
          group.cut.tensor = t;
          group.cut.context = c;
          group.cut.expert = e;
          group.cut.micro_batch_size = b;
          const bool splits = vary.sequence_parallel && t > 1;
          if (splits) group.sequence_parallel = true;
          groups.push_back(bounded(asked, group));
          if (!splits) continue;
          group.sequence_parallel = false;
          groups.push_back(bounded(asked, group));
        }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const auto& a, const auto& b) { return a.least < b.least; });
  return groups;
}

}  // namespace gpuplan::detail
