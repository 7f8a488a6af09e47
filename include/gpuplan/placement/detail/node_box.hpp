#pragma once
/// \file
/// What some nodes have free at most and at least: what rules a task out, or bounds its score.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/gpu_task.hpp>
#include <gpuplan/placement/placer_policy.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// Bounds over one node or more. Of one node each is exact, and so is what follows from it, but for
/// least_parts and most_parts, which are rounded outwards to floats. Of most
/// boxes a search reads the first fields alone, and waits for them: they lie side by side, and a
/// box lies in two lines of a cache.
struct alignas(64) node_box {
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  static constexpr int fill_step = 16;  ///< thousandths of a GPU
  static constexpr std::size_t most_least_fills = 8;
  static constexpr std::int32_t several = -1;  ///< as `state`: GPUs are not all in the same state

  std::uint32_t first = none;  ///< least position; `none` of a box without nodes
  std::int32_t state = several;
  std::uint64_t types = 0;  ///< bit t: there are GPUs of type t
  std::int64_t least_cores = std::numeric_limits<std::int64_t>::max();  ///< free thousandths
  std::int64_t most_cores = -1;
  bytes most_memory{-1};  ///< free
  /// At [k] the most that k + 1 GPUs of one node have free each, in thousandths.
  std::array<std::int16_t, gpu_node::most_gpus> pieces{};
  std::uint64_t fills = 0;  ///< bit i: a GPU has 16 i .. 16 i + 15 thousandths free
  /// At [k] the least that the GPU has free which has the (k + 1)-th most of its node, in steps of
  /// `fill_step` thousandths, rounded down.
  std::array<std::uint8_t, most_least_fills> least_fills{};
  float least_parts = 1e9F;  ///< free cores and GPUs together, in parts of the largest node
  float most_parts = -1;     ///< likewise
  std::int16_t least_gpu = std::numeric_limits<std::int16_t>::max();  ///< free, of all of a node
  std::int16_t most_gpu = -1;
  std::int16_t least_piece = whole_gpu;  ///< of GPUs that are partly free, the least and the most
  std::int16_t most_piece = 0;
  std::int8_t least_empty = gpu_node::most_gpus;  ///< GPUs of the smallest node with none in use
  std::int8_t least_whole = gpu_node::most_gpus;  ///< free GPUs with nothing taken, of a node
  std::int8_t all_gpus = 0;                       ///< in use or free, of the largest node in each
  bool in_use = false;                            ///< on some node a GPU is in use
  bool one = false;                               ///< of one node
  std::int64_t all_cores = -1;
  bytes all_memory{-1};

  friend bool operator==(const node_box&, const node_box&) = default;

  [[nodiscard]] bool accepts(const gpu_task& task) const {
    return task.accepted_types == 0 || (task.accepted_types & types) != 0;
  }
  /// Whether a node may have so many GPUs with so much free of each.
  [[nodiscard]] bool has_gpus(const gpu_task& task) const {
    return task.gpus == 0 || (accepts(task) && pieces[static_cast<std::size_t>(task.gpus) - 1] >=
                                                   task.gpu_thousandths);
  }
  [[nodiscard]] bool has_cores(const gpu_task& task) const {
    return task.core_thousandths <= most_cores;
  }
  /// At most the least that a GPU has free which has this much free, in thousandths; 1000 where no
  /// GPU has.
  [[nodiscard]] int least_free(int thousandths) const {
    const int from = thousandths / fill_step;
    const int least = fill_step * std::countr_zero(fills >> from << from);
    return least > most_piece ? whole_gpu : least;
  }
  /// Whether a node may host the task now.
  [[nodiscard]] bool may_host(const gpu_task& task) const {
    return has_cores(task) && task.memory <= most_memory && has_gpus(task);
  }
  /// Whether a node might host the task, were it empty.
  [[nodiscard]] bool might_ever_host(const gpu_task& task) const {
    return task.core_thousandths <= all_cores && task.memory <= all_memory &&
           (task.gpus == 0 || (task.gpus <= all_gpus && accepts(task)));
  }
};

/// The box of one node.
inline node_box box_of(const gpu_node& host, std::size_t position, std::int32_t state,
                       const placement_scale& scale) {
  const auto gpu = static_cast<std::int16_t>(host.free_gpu_thousandths());
  const placement_vector free = parts_of(host.free_core_thousandths, gpu, scale);
  constexpr double apart = 1e-7;  // more than the rounding of a float, 2^-24
  node_box box{.first = static_cast<std::uint32_t>(position),
               .state = state,
               .types = std::uint64_t{1} << host.type,
               .least_cores = host.free_core_thousandths,
               .most_cores = host.free_core_thousandths,
               .most_memory = host.free_memory,
               .least_parts = static_cast<float>((free.cores + free.gpus) * (1 - apart)),
               .most_parts = static_cast<float>((free.cores + free.gpus) * (1 + apart)),
               .least_gpu = gpu,
               .most_gpu = gpu,
               .least_whole = static_cast<std::int8_t>(host.whole_free_gpus()),
               .all_gpus = static_cast<std::int8_t>(host.gpus),
               .in_use = host.whole_free_gpus() < host.gpus,
               .one = true,
               .all_cores = host.core_thousandths,
               .all_memory = host.memory};
  for (std::size_t i = 0; i < static_cast<std::size_t>(host.gpus); ++i) {
    const auto piece = static_cast<std::int16_t>(host.free_gpu[i]);
    box.pieces[i] = piece;
    box.fills |= std::uint64_t{1} << (piece / node_box::fill_step);
    if (piece == 0 || piece == whole_gpu) continue;
    box.least_piece = (std::min)(box.least_piece, piece);
    box.most_piece = (std::max)(box.most_piece, piece);
  }
  std::sort(box.pieces.begin(), box.pieces.begin() + host.gpus, std::greater<>());
  for (std::size_t k = 0; k < box.least_fills.size(); ++k)
    box.least_fills[k] = static_cast<std::uint8_t>(box.pieces[k] / node_box::fill_step);
  if (!box.in_use) box.least_empty = static_cast<std::int8_t>(host.gpus);
  return box;
}

/// The box of the nodes of both.
inline node_box joined(const node_box& a, const node_box& b) {
  if (a.first == node_box::none || b.first == node_box::none)
    return a.first == node_box::none ? b : a;
  node_box both{.first = (std::min)(a.first, b.first),
                .state = a.state == b.state ? a.state : node_box::several,
                .types = a.types | b.types,
                .least_cores = (std::min)(a.least_cores, b.least_cores),
                .most_cores = (std::max)(a.most_cores, b.most_cores),
                .most_memory = (std::max)(a.most_memory, b.most_memory),
                .pieces = {},
                .fills = a.fills | b.fills,
                .least_fills = {},
                .least_parts = (std::min)(a.least_parts, b.least_parts),
                .most_parts = (std::max)(a.most_parts, b.most_parts),
                .least_gpu = (std::min)(a.least_gpu, b.least_gpu),
                .most_gpu = (std::max)(a.most_gpu, b.most_gpu),
                .least_piece = (std::min)(a.least_piece, b.least_piece),
                .most_piece = (std::max)(a.most_piece, b.most_piece),
                .least_empty = (std::min)(a.least_empty, b.least_empty),
                .least_whole = (std::min)(a.least_whole, b.least_whole),
                .all_gpus = (std::max)(a.all_gpus, b.all_gpus),
                .in_use = a.in_use || b.in_use,
                .all_cores = (std::max)(a.all_cores, b.all_cores),
                .all_memory = (std::max)(a.all_memory, b.all_memory)};
  const auto larger = [](auto x, auto y) { return x > y ? x : y; };  // by value: in vectors
  const auto smaller = [](auto x, auto y) { return x < y ? x : y; };
  for (std::size_t k = 0; k < both.pieces.size(); ++k)
    both.pieces[k] = larger(a.pieces[k], b.pieces[k]);
  for (std::size_t k = 0; k < both.least_fills.size(); ++k)
    both.least_fills[k] = smaller(a.least_fills[k], b.least_fills[k]);
  return both;
}

}  // namespace gpuplan::detail
