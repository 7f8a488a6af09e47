/// \file
/// What a search runs through, compiled for speed.
///
/// The module is compiled for size, which leaves the operators of quantities out of line: a search
/// then takes seven times as long.  This file is compiled for speed and linked first, so that the
/// linker takes its copies of these inline functions and leaves out those of the other files.

#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/plan/search.hpp>
#include <gpuplan/plan/uneven_pipeline.hpp>

namespace gpuplan {
namespace {

[[gnu::used]] constexpr auto* hot_search = &search;
[[gnu::used]] constexpr auto* hot_uneven = &uneven_pipeline_of<double>;
[[gnu::used]] constexpr estimate (*hot_evaluate)(const transformer&, const cluster&, const recipe&,
                                                 const parallelism&, const workspace&) = &evaluate;

}  // namespace
}  // namespace gpuplan
