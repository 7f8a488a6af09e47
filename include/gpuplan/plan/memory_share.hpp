#pragma once
/// \file
/// How full a GPU may be planned to be.

#include <algorithm>

#include <gpuplan/accuracy/error_band.hpp>
#include <gpuplan/accuracy/error_class.hpp>
#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/search_space.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// The share of a GPU's memory that a layout may be predicted to fill, so that it fits but for a
/// risk, and a part stays free; `errors` are those of device_memory.
///
///     share = min(1 - headroom, 1 / f(1 - risk))
///
///     f         error_factor of errors                      1
///     share     of the memory that a plan may fill          1, above 0, to 1 - headroom
///     risk      probability that the layout does not fit    1, above 0, to 1; at 1, f is left out
///     headroom  share of the memory that stays free         1, 0 to below 1
///
/// At a high risk f(1 - risk) may be below 1; still no plan fills more than the GPU has.  Holds
/// when errors are as those of the runs that were measured.
///
/// Source: error_factor.
///
/// \throws invalid_input if risk or headroom is out of its range
inline double memory_share(const error_distribution& errors, double risk, double headroom) {
  require(risk > 0 && risk <= 1, "memory_share: risk must be above 0 and at most 1");
  require(headroom >= 0 && headroom < 1, "memory_share: headroom must be >= 0 and below 1");
  return risk == 1 ? 1 - headroom : (std::min)(1 - headroom, 1 / error_factor(errors, 1 - risk));
}

/// The share that a search plans with.
inline double memory_share(const transformer& m, const recipe& how, const space& vary) {
  const bool measured = vary.memory_errors.runs > 0;
  const error_class memory{
      .of = prediction::device_memory, .kind = trained_kind_of(m, how), .software = how.framework};
  return memory_share(measured ? vary.memory_errors : error_distribution_of(memory), vary.risk,
                      vary.headroom);
}

/// The cluster with as much memory as a search may plan with.
inline cluster planned_pool(cluster pool, const transformer& m, const recipe& how,
                            const space& vary) {
  pool.node.gpu.memory = memory_share(m, how, vary) * pool.node.gpu.memory;
  return pool;
}

}  // namespace gpuplan
