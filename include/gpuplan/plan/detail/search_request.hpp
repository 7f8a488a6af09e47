#pragma once
/// \file
/// The request of a search, and the layouts and recipes that it tries.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/plan/search_space.hpp>

namespace gpuplan::detail {

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

/// A search's inputs, and the choices that they leave.
struct search_request {
  const transformer& model;
  const cluster& pool;
  const gpuplan::recipe& recipe;
  const space& vary;
  const parallelism& start;
  const workspace& beside;
  framework_profile software = profile_of(recipe.framework);
  basic_job_terms<double> terms = job_terms_of(model, pool.gpu(), recipe);  ///< whatever varies
  std::vector<recompute> recomputes = all_recomputes();                     ///< that are tried
  std::vector<std::vector<int>> chunks = all_chunks();  ///< of each length of the pipeline
  std::vector<int> given_chunks{start.interleave};

  /// The values of a dimension: those of `values()` if it varies, else the one that is given.
  template <class Values>
  static std::vector<int> chosen(bool varies, int fixed, const Values& values) {
    return varies ? values() : std::vector<int>{fixed};
  }

  /// Flash attention keeps no scores, so that computing its core again gains nothing.
  [[nodiscard]] bool gains(recompute again) const {
    return again != recompute::selective || recipe.attention != attention_kernel::flash;
  }
  [[nodiscard]] std::vector<recompute> all_recomputes() const {
    if (!vary.recompute) return {recipe.recompute};
    std::vector<recompute> tried;
    for (const recompute again : searched_recompute)
      if (gains(again)) tried.push_back(again);
    return tried;
  }

  /// Chunks of each of `pipeline` stages: divisors of the layers, and what cuts the layers and both
  /// ends, counted as a layer each, into equal pieces.
  [[nodiscard]] std::vector<int> chunks_that_divide(int pipeline) const {
    std::vector<int> tried = divisors(model.layers, model.layers / pipeline);
    const int pieces = model.layers + 2 + model.multi_token_prediction_layers;
    if (pieces % pipeline != 0) return tried;
    const std::vector<int> with_ends = divisors(pieces / pipeline, pieces);
    std::vector<int> all;
    std::set_union(tried.begin(), tried.end(), with_ends.begin(), with_ends.end(),
                   std::back_inserter(all));
    return all;
  }
  [[nodiscard]] std::vector<std::vector<int>> all_chunks() const {
    std::vector<std::vector<int>> of_length;
    const auto most = static_cast<int>((std::min)(pool.gpus(), std::int64_t{model.layers}));
    for (int p = 1; p <= most; ++p)
      of_length.push_back(vary.interleave && p > 1 ? chunks_that_divide(p)
                                                   : std::vector<int>{start.interleave});
    return of_length;
  }
  [[nodiscard]] const std::vector<int>& chunks_of(int pipeline) const {
    const auto index = static_cast<std::size_t>(pipeline) - 1;
    return index < chunks.size() ? chunks[index] : given_chunks;
  }

  [[nodiscard]] bool varies_zero(const parallelism& cut) const {
    return vary.zero && cut.replicas() > 1 && recipe.offload != offloaded_states::all;
  }
  [[nodiscard]] bool varies_schedule(const parallelism& cut) const {
    return vary.schedule && cut.pipeline > 1;
  }
  [[nodiscard]] std::size_t schedules(const parallelism& cut) const {
    return varies_schedule(cut) ? searched_schedules.size() : 1;
  }
  [[nodiscard]] int zero_stages(const parallelism& cut) const { return varies_zero(cut) ? 4 : 1; }
  [[nodiscard]] std::int64_t recipes_of(const parallelism& cut) const {
    return static_cast<std::int64_t>(zero_stages(cut)) *
           static_cast<std::int64_t>(recomputes.size() * schedules(cut));
  }

  /// The objective of a step of `time` on `gpus`, at least.
  [[nodiscard]] double objective_of(seconds time, double gpus) const {
    switch (vary.by) {
      case objective::time: return time.in_base_units();
      case objective::gpu_time: return time.in_base_units() * gpus;
      case objective::memory: return 0;
    }
    return 0;
  }
};

}  // namespace gpuplan::detail
