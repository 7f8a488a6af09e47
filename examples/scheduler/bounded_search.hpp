#pragma once
/// \file
/// A search whose work is bounded, so that a scheduler may wait for it.

#include <optional>

#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/levers.hpp>
#include <gpuplan/plan/reject.hpp>
#include <gpuplan/plan/search_space.hpp>

namespace gpuplan::scheduler {

/// Layouts up to which all are searched; of more, micro-batches are of one sequence, and of still
/// more, tensor ranks and stages are powers of two, with as many replicas as the GPUs allow.
///
/// With as many, the slowest search of a model of the catalogue takes some 30 ms of one core.
inline constexpr double most_layouts = 200'000;

/// What a bounded search found.
struct bounded_result {
  std::optional<plan> best{};
  std::optional<plan> miss{};  ///< the closest, where none fits
  reject_reason commonest = reject_reason::none;
};

/// The best layout of all that a start may vary, or of as many as most_layouts allows.
///
/// \throws invalid_input as search does
bounded_result bounded_search(const transformer& m, const cluster& pool, const search_start& from,
                              const workspace& beside);

/// The best layout of a start of which feasibility says that something fits: of a bounded search,
/// or where that finds nothing, one that fits.
///
/// \throws invalid_input as search does
std::optional<plan> best_feasible(const transformer& m, const cluster& pool,
                                  const search_start& from, const workspace& beside);

}  // namespace gpuplan::scheduler
