/// \file
/// Elasticities by central differences, for builds without Boost.

#include <cstddef>

#include "plan/slopes.hpp"

namespace gpuplan::cli {

/// e = (t(1 + h) - t(1 - h)) / (2 h t), right to h^2 where the time has no kink within h.
elasticities elasticities_of(const plan& chosen, const job& asked) {
  constexpr double h = 0x1p-12;
  elasticities found;
  found.method = "central differences";
  for (std::size_t i = 0; i < step_resources.size(); ++i) {
    const auto time = [&](double factor) {
      return improved_step_time(asked.model, asked.pool, chosen.recipe(), chosen.parallelism(),
                                step_resources[i], factor);
    };
    found.of[i] = (time(1 + h) - time(1 - h)) / (2 * h * chosen.what.time.total());
  }
  return found;
}

}  // namespace gpuplan::cli
