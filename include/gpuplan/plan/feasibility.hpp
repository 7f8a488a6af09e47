#pragma once
/// \file
/// Whether anything that a search varies fits, without the search.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/detail/search_request.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/plan/layout_fault.hpp>
#include <gpuplan/plan/levers.hpp>
#include <gpuplan/plan/memory_share.hpp>
#include <gpuplan/plan/search_space.hpp>

namespace gpuplan {

/// Answers for many recipes of a model, on one cluster, whether any layout of a search fits.
///
/// Of what varies only those are tried that may need least memory: micro-batches of one sequence,
/// one chunk a stage, the highest stage of ZeRO, one replica and the most replicas.
class feasibility {
 public:
  feasibility(const transformer& m, const cluster& pool, const workspace& beside)
      : model_{m}, pool_{pool}, beside_{beside} {}

  /// \throws invalid_input as search does
  bool fits(const search_start& from) {
    const cluster planned = planned_pool(pool_, model_, from.recipe, from.vary);
    if (detail::device_fault(planned.gpu(), from.recipe)) return false;
    space vary = from.vary;
    parallelism start = from.parallelism;
    if (vary.micro_batch) start.micro_batch_size = from.recipe.sequences_per_sample;
    if (vary.interleave) start.interleave = 1;
    vary.micro_batch = vary.interleave = false;
    const detail::search_request asked{model_, planned, from.recipe, vary, start, beside_};
    if (fits_again(asked)) return true;
    if (!any_fits(asked)) return false;
    remember(found_);
    return true;
  }

  /// Layouts whose memory was worked out so far.
  [[nodiscard]] std::int64_t looked_at() const { return looked_at_; }

 private:
  /// A layout that fitted, and what was searched then.
  struct known_layout {
    parallelism cut{};
    gpuplan::recipe recipe{};
    space vary{};
  };
  static constexpr std::size_t most_known = 16;

  static bool searches_alike(const known_layout& one, const detail::search_request& asked) {
    const space& a = one.vary;
    const space& b = asked.vary;
    const auto axes = [](const space& s) {
      return std::array{s.tensor, s.pipeline,          s.data,    s.context, s.expert,
                        s.zero,   s.sequence_parallel, s.schedule};
    };
    return axes(a) == axes(b);
  }

  /// What fitted once may fit again with other changes.
  bool fits_again(const detail::search_request& asked) {
    return std::any_of(known_.begin(), known_.end(), [&](const known_layout& one) {
      if (!searches_alike(one, asked)) return false;
      recipe how = asked.recipe;
      how.sequence_parallel = one.recipe.sequence_parallel;
      how.schedule = one.recipe.schedule;
      return fits_recomputed(asked, how, one.cut);
    });
  }

  bool any_fits(const detail::search_request& asked) {
    const transformer& m = model_;
    const space& vary = asked.vary;
    const std::int64_t gpus = asked.pool.gpus();
    const auto most_tensor = (std::min)(gpus, std::int64_t{asked.pool.node.gpus});
    const bool experts = vary.expert && m.moe.experts > 0;
    parallelism cut = asked.start;
    for (const int t : asked.chosen(vary.tensor, asked.start.tensor, [&] {
           return detail::searched_divisors(m.attention_heads, most_tensor);
         }))
      for (const int c : asked.chosen(vary.context, asked.start.context, [&] {
             return detail::searched_divisors(asked.recipe.sequence_length, gpus / t);
           }))
        for (const int e : asked.chosen(experts, asked.start.expert, [&] {
               return detail::searched_divisors(m.moe.experts, gpus);
             })) {
          cut.tensor = t;
          cut.context = c;
          cut.expert = e;
          if (any_depth_fits(asked, cut)) return true;
        }
    return false;
  }

  /// Of the layouts of so many tensor, context and expert ranks.
  bool any_depth_fits(const detail::search_request& asked, parallelism cut) {
    const std::int64_t left = asked.pool.gpus() / (std::int64_t{cut.tensor} * cut.context);
    if (left == 0) return false;
    const std::int64_t most =
        model_.encoder_layers > 0 ? 1 : (std::min)(left, std::int64_t{model_.layers});
    const int sequences = (std::max)(asked.recipe.global_batch_size / cut.micro_batch_size, 1);
    const std::vector<int> replicas = asked.chosen(asked.vary.data, asked.start.data, [&] {
      return detail::searched_divisors(sequences, left);
    });
    for (const detail::pipeline_choice& one : asked.pipelines) {
      if (asked.vary.pipeline && one.stages > most) break;
      cut.pipeline = one.stages;
      cut.data = replicas.front();
      if (any_recipe_fits(asked, cut)) return true;
      const auto past = std::upper_bound(replicas.begin(), replicas.end(), left / one.stages);
      if (!asked.vary.data || past - replicas.begin() < 2) continue;
      cut.data = *(past - 1);
      if (any_recipe_fits(asked, cut)) return true;
    }
    return false;
  }

  bool any_recipe_fits(const detail::search_request& asked, const parallelism& cut) {
    recipe how = asked.recipe;
    const std::size_t schedules = asked.schedules(cut);
    const bool splits = asked.vary.sequence_parallel && cut.tensor > 1;
    for (std::size_t i = 0; i < schedules; ++i) {
      if (asked.varies_schedule(cut)) how.schedule = searched_schedules[i];
      how.sequence_parallel = splits || asked.recipe.sequence_parallel;
      if (fits_recomputed(asked, how, cut)) return true;
      how.sequence_parallel = asked.recipe.sequence_parallel;
      if (splits && fits_recomputed(asked, how, cut)) return true;
    }
    return false;
  }

  /// Whether a layout fits with any recomputation that is tried.
  bool fits_recomputed(const detail::search_request& asked, recipe how, const parallelism& cut) {
    how.zero = asked.varies_zero(cut) ? zero_stage::parameters : asked.zero_of(cut);
    if (layout_fault(model_, asked.pool.gpus(), how, cut)) return false;
    for (const recompute again : asked.recomputes) {
      how.recompute = again;
      ++looked_at_;
      const footprint memory = footprint_of(model_, how, cut, beside_);
      const bytes needed = detail::needed_within(memory, asked.pool.node, memory_miss{});
      if (detail::memory_fault(memory, needed, asked.pool.node)) continue;
      found_ = {cut, how, asked.vary};
      return true;
    }
    return false;
  }

  void remember(const known_layout& one) {
    if (known_.size() == most_known) known_.erase(known_.begin());
    known_.push_back(one);
  }

  const transformer& model_;
  const cluster& pool_;
  const workspace& beside_;
  std::int64_t looked_at_ = 0;
  known_layout found_{};  ///< the last that fitted
  std::vector<known_layout> known_{};
};

}  // namespace gpuplan
