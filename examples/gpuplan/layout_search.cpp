/// \file
/// Searches over layouts.

#include "layout_search.hpp"

#include <gpuplan/plan/memory_share.hpp>

#include "bands.hpp"

namespace gpuplan::cli {

search_result searched(const job& asked, const space& vary) {
  return searched(asked, {asked.recipe, planned_space(asked, vary), asked.parallelism});
}

search_result searched(const api::job& asked, const search_start& from) {
  return search(asked.model, asked.pool, from.recipe, from.vary, from.parallelism, asked.workspace);
}

bytes room_for(const job& asked, const space& vary, const recipe& how) {
  return planned_pool(asked.pool, asked.model, how, planned_space(asked, vary)).gpu().memory;
}

uneven_pipeline stages_searched(const job& asked, const space& vary, const recipe& how,
                                const parallelism& cut, int most_splits) {
  const cluster room = planned_pool(asked.pool, asked.model, how, planned_space(asked, vary));
  return uneven_pipeline_of(asked.model, room, how, cut, asked.workspace, most_splits);
}

}  // namespace gpuplan::cli
