#pragma once
/// \file
/// Searches over layouts, which take nearly all of the program's time: compiled apart, optimized.

#include <gpuplan/plan/levers.hpp>
#include <gpuplan/plan/search.hpp>
#include <gpuplan/plan/uneven_pipeline.hpp>

#include "request.hpp"

namespace gpuplan::cli {

/// The layouts of a space, where what is planned leaves the memory that risk and headroom ask.
search_result searched(const job& asked, const space& vary);
/// Of another recipe, space and layout, as they are.
search_result searched(const api::job& asked, const search_start& from);

/// What a GPU's memory may be filled to, with the risk and the headroom that are asked.
bytes room_for(const job& asked, const space& vary, const recipe& how);

/// The best layers of the stages of a layout, after so many splits at most.
uneven_pipeline stages_searched(const job& asked, const space& vary, const recipe& how,
                                const parallelism& cut, int most_splits);

}  // namespace gpuplan::cli
