/// \file
/// Elasticities by automatic differentiation.

#include <gpuplan/plan/sensitivity.hpp>

#include "plan/slopes.hpp"

namespace gpuplan::cli {

elasticities elasticities_of(const plan& chosen, const job& asked) {
  const step_sensitivity found =
      sensitivity_of(asked.model, asked.pool, chosen.recipe(), chosen.parallelism());
  return {.of = found.elasticities, .method = "automatic differentiation"};
}

}  // namespace gpuplan::cli
