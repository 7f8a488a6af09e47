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
#include <gpuplan/model/pipeline_stage.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/plan/node_software.hpp>
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

/// The divisors that are tried: most_searched_divisors says which.
inline std::vector<int> searched_divisors(int n, std::int64_t most) {
  std::vector<int> all = divisors(n, most);
  constexpr std::size_t tried = most_searched_divisors;
  if (all.size() <= tried) return all;
  const std::size_t others = all.size() - tried / 2;
  for (std::size_t i = 1; i <= tried / 2; ++i)
    all[tried / 2 + i - 1] = all[tried / 2 + i * others / (tried / 2) - 1];
  all.resize(tried);
  return all;
}

/// A length of the pipeline, and the chunks of a stage that are tried with it.
struct pipeline_choice {
  int stages = 1;
  std::vector<int> chunks{};
};

/// Lengths of the pipeline up to `most`: every_length_layers and every_searched_stage say which.
inline std::vector<int> pipeline_lengths(const transformer& m, std::int64_t most) {
  const auto end = static_cast<int>((std::min)(most, std::int64_t{most_searched_stages}));
  const int every = m.layers <= every_length_layers ? end : every_searched_stage;
  std::vector<int> lengths;
  int before = 0;  // the last one that need not have equal stages
  for (int p = 1; p <= end; ++p) {
    const bool is_next = p <= every || p - before >= p / 16;
    if (is_next) before = p;
    if (is_next || has_equal_pieces(m, p, 1)) lengths.push_back(p);
  }
  return lengths;
}

/// A search's inputs, and the choices that they leave.
struct search_request {
  const transformer& model;
  const cluster& pool;
  const gpuplan::recipe& recipe;
  const space& vary;
  const parallelism& start;
  const workspace& beside;
  framework_profile software = profile_on(pool.node, recipe.framework);
  basic_job_terms<double> terms = job_terms_of(model, pool.gpu(), recipe);  ///< whatever varies
  std::vector<recompute> recomputes = all_recomputes();                     ///< that are tried
  std::vector<pipeline_choice> pipelines = all_pipelines();                 ///< the shortest first

  /// The values of a dimension: those of `values()` if it varies, else the one that is given.
  template <class Values>
  static std::vector<int> chosen(bool varies, int fixed, const Values& values) {
    return varies ? values() : std::vector<int>{fixed};
  }

  [[nodiscard]] std::vector<recompute> all_recomputes() const {
    if (!vary.recompute) return {recipe.recompute};
    return {searched_recompute.begin(), searched_recompute.end()};
  }

  /// Chunks of each of `pipeline` stages: divisors of the layers, and what cuts the layers and both
  /// ends, counted as a layer each, into equal pieces.
  [[nodiscard]] std::vector<int> chunks_that_divide(int pipeline) const {
    const int most = (std::min)(most_searched_chunks, most_searched_pieces / pipeline);
    std::vector<int> tried = divisors(model.layers, (std::min)(model.layers / pipeline, most));
    const int pieces = model.layers + 2 + model.multi_token_prediction_layers;
    if (pieces % pipeline != 0) return tried;
    const std::vector<int> with_ends = divisors(pieces / pipeline, most);
    std::vector<int> all;
    std::set_union(tried.begin(), tried.end(), with_ends.begin(), with_ends.end(),
                   std::back_inserter(all));
    return all;
  }
  [[nodiscard]] std::vector<pipeline_choice> all_pipelines() const {
    const std::int64_t most = (std::min)(pool.gpus(), std::int64_t{model.layers});
    std::vector<pipeline_choice> all;
    for (const int p :
         chosen(vary.pipeline, start.pipeline, [&] { return pipeline_lengths(model, most); })) {
      const bool divides = vary.interleave && p > 1 && p <= most;
      all.push_back({p, divides ? chunks_that_divide(p) : std::vector<int>{start.interleave}});
    }
    return all;
  }

  [[nodiscard]] bool varies_zero(const parallelism& cut) const {
    return vary.zero && cut.replicas() > 1 && recipe.offload != offloaded_states::all;
  }
  /// The stage where it does not vary: weights on the host of several replicas need the highest.
  [[nodiscard]] zero_stage zero_of(const parallelism& cut) const {
    const bool needs_all = recipe.offload == offloaded_states::all && cut.replicas() > 1;
    return vary.zero && needs_all ? zero_stage::parameters : recipe.zero;
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
