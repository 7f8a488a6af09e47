#pragma once
/// \file
/// Layouts that differ between groups of layers: what a change costs, and which are best.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <gpuplan/comm/all_gather.hpp>
#include <gpuplan/comm/all_reduce.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Bytes that a rank receives in a step where data-parallel ranks change between two layers.
///
///     (r - 1)/r  A / min(d_1, d_2),    r = max(d_1, d_2) / min(d_1, d_2)
///
///     d_1  data-parallel ranks before    count, >= 1
///     d_2  data-parallel ranks after     count, >= 1
///     A    activations between layers    B, >= 0
///
/// A is of the whole batch.  A rank of d_1 holds A/d_1.  To fewer ranks an all-gather over r ranks
/// makes larger parts on the way forward, and each takes its own slice of the gradients on the way
/// back; to more ranks it is the other way round.  So a change costs one all-gather a step.
///
/// Holds: the same GPUs before and after, the others of them tensor-parallel; one count divides the
/// other, so that the parts nest.
///
/// Source: D. Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters
/// Using Megatron-LM", SC21 (2021), section 4.1, arXiv:2104.04473, for activations alike on all
/// tensor ranks; the rest by counting.
///
/// \throws invalid_input if a count is < 1, neither divides the other, or the activations are < 0 B
constexpr bytes resharded_bytes(int before, int after, bytes activations) {
  require(before >= 1 && after >= 1, "resharded_bytes: ranks must be >= 1");
  require(before % after == 0 || after % before == 0,
          "resharded_bytes: one count of ranks must divide the other");
  require(activations >= bytes{0}, "resharded_bytes: activations must be >= 0 B");
  const int fewer = before < after ? before : after;
  const int ratio = (before < after ? after : before) / fewer;
  return (ratio - 1.0) / ratio * activations / fewer;
}

/// Time of that change in a step.
///
///     T = (r - 1) alpha  +  (r - 1)/r  A / (min(d_1, d_2) W)
///
///     alpha  start-up time of a message    s, >= 0
///     W      bandwidth                     B/s, > 0
///     d_1    data-parallel ranks before    count, >= 1
///     d_2    data-parallel ranks after     count, >= 1
///     A      activations between layers    B, >= 0
///
/// Holds: as resharded_bytes; a ring all-gather over one link.
///
/// Source: R. Thakur, R. Rabenseifner and W. Gropp, "Optimization of Collective Communication
/// Operations in MPICH", Int. J. High Performance Computing Applications 19 (2005) 49-66.
///
/// \throws invalid_input as resharded_bytes, or if the link is invalid
constexpr seconds resharding_time(const interconnect& link, int before, int after,
                                  bytes activations) {
  require_valid(link);
  require(before >= 1 && after >= 1, "resharding_time: ranks must be >= 1");
  require(before % after == 0 || after % before == 0,
          "resharding_time: one count of ranks must divide the other");
  const int fewer = before < after ? before : after;
  const int ratio = (before < after ? after : before) / fewer;
  return ring_all_gather(link, ratio, activations / fewer).total();
}

/// A run of like layers, all numbers of the whole of it and of the whole batch.
struct group_work {
  int layers = 1;   ///< each with two all-reduces of tensor ranks forward, two back; >= 1
  flop work{};      ///< of a step; >= 0
  bytes weights{};  ///< as sent in the sum of gradients; >= 0
  bytes states{};   ///< weights, gradients and optimizer, which tensor ranks share; >= 0
  bytes kept{};     ///< activations kept for the backward pass; >= 0
};

/// \throws invalid_input if one of its numbers is out of range
constexpr void require_valid(const group_work& group) {
  require(group.layers >= 1, "group_work.layers must be >= 1");
  require(group.work >= flop{0}, "group_work.work must be >= 0 FLOP");
  require(group.weights >= bytes{0}, "group_work.weights must be >= 0 B");
  require(group.states >= bytes{0}, "group_work.states must be >= 0 B");
  require(group.kept >= bytes{0}, "group_work.kept must be >= 0 B");
}

/// The GPUs that all groups of layers share.
struct group_pool {
  int gpus = 1;                 ///< a power of two; 1 to 64
  flop_per_second sustained{};  ///< of each; > 0
  interconnect link{};          ///< between any two
  bytes memory{};               ///< of each; >= 0
};

/// \throws invalid_input if one of its numbers is out of range
constexpr void require_valid(const group_pool& pool) {
  require(pool.gpus >= 1 && pool.gpus <= 64 && (pool.gpus & (pool.gpus - 1)) == 0,
          "group_pool.gpus must be a power of two, 1 to 64");
  require(pool.sustained > flop_per_second{0}, "group_pool.sustained must be > 0 FLOP/s");
  require_valid(pool.link);
  require(pool.memory >= bytes{0}, "group_pool.memory must be >= 0 B");
}

/// Time of a group in a step, where `tensor` of the GPUs share each layer and the others have a
/// part of the batch each.
///
///     F / (n R)  +  4 L T_ar(t, A / d)  +  T_ar(d, w / t),    d = n / t
///
///     n      GPUs                           count, >= 1, <= 64
///     t      tensor ranks                   count, >= 1, <= n
///     R      rate of a GPU                  FLOP/s, > 0
///     alpha  start-up time of a message     s, >= 0
///     W      bandwidth                      B/s, > 0
///     L      layers                         count, >= 1
///     F      operations of a step           FLOP, >= 0
///     w      weights                        B, >= 0
///     A      activations between layers     B, >= 0
///
/// T_ar(p, m) is a ring all-reduce of m bytes over p ranks.
///
/// Holds: nothing overlaps; n and t are powers of two.
///
/// Source: M. Shoeybi et al., "Megatron-LM" (2019), section 3, arXiv:1909.08053, for four
/// all-reduces a layer.
///
/// \throws invalid_input if an input is out of range, or tensor does not divide the GPUs
constexpr seconds group_time(const group_pool& pool, const group_work& group, int tensor,
                             bytes activations) {
  require_valid(pool);
  require_valid(group);
  require(tensor >= 1 && tensor <= pool.gpus && pool.gpus % tensor == 0,
          "group_time: tensor must divide the GPUs");
  require(activations >= bytes{0}, "group_time: activations must be >= 0 B");
  const int data = pool.gpus / tensor;
  const seconds computed = group.work / (1.0 * pool.gpus * pool.sustained);
  const seconds layer = ring_all_reduce(pool.link, tensor, activations / data).total();
  const seconds gradients = ring_all_reduce(pool.link, data, group.weights / tensor).total();
  return computed + 4.0 * group.layers * layer + gradients;
}

/// Memory of a group on each GPU.
///
///     S / t + K / d,    d = n / t
///
///     n  GPUs                count, >= 1, <= 64
///     t  tensor ranks        count, >= 1, <= n
///     S  states              B, >= 0
///     K  activations kept    B, >= 0
///
/// Holds: a tensor rank keeps as many activations as the others of its group; n and t are powers of
/// two.
///
/// Source: by definition.
///
/// \throws invalid_input if an input is out of range, or tensor does not divide the GPUs
constexpr bytes group_memory(const group_pool& pool, const group_work& group, int tensor) {
  require_valid(pool);
  require_valid(group);
  require(tensor >= 1 && tensor <= pool.gpus && pool.gpus % tensor == 0,
          "group_memory: tensor must divide the GPUs");
  return group.states / tensor + group.kept * tensor / (1.0 * pool.gpus);
}

/// Layouts of groups, and what they take.
struct group_layouts {
  std::vector<int> tensor{};  ///< ranks of each group; the others of its GPUs are data-parallel
  seconds time{};             ///< of a step, with the changes between groups
  bytes memory{};             ///< of each GPU
};

namespace detail {

/// Leaves those that no other beats in time and memory both.
inline void drop_beaten(std::vector<group_layouts>& all) {
  std::sort(all.begin(), all.end(), [](const group_layouts& a, const group_layouts& b) {
    return a.time < b.time || (a.time == b.time && a.memory < b.memory);
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (kept == 0 || all[i].memory < all[kept - 1].memory) std::swap(all[kept++], all[i]);
  all.resize(kept);
}

}  // namespace detail

/// The fastest layouts of groups in order that fit: for each group a count of tensor ranks, the
/// rest data-parallel.  None where nothing fits.
///
///     min over t_1 .. t_k of  sum T_i(t_i) + sum T_change(t_i, t_(i+1)),    sum M_i(t_i) <= M
///
/// By dynamic programming over groups: for each layout of the last group those of the others that
/// no other beats in time and memory.  Exact.  At most 8 groups on 64 GPUs: 7^8 layouts.
///
/// Source: R. Bellman, "Dynamic Programming", Princeton (1957); Z. Jia, M. Zaharia and A. Aiken,
/// "Beyond Data and Model Parallelism for Deep Neural Networks", MLSys (2019), by layer.
///
/// \throws invalid_input if an input is out of range, or there is no group or more than 8
inline std::optional<group_layouts> best_group_layouts(const group_pool& pool,
                                                       std::span<const group_work> groups,
                                                       bytes activations) {
  require_valid(pool);
  require(!groups.empty() && groups.size() <= 8, "best_group_layouts: groups must be 1 to 8");
  std::vector<std::vector<group_layouts>> ways;  // by the layout of the last group
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::vector<std::vector<group_layouts>> next;
    for (int tensor = 1; tensor <= pool.gpus; tensor *= 2) {
      const seconds own = group_time(pool, groups[i], tensor, activations);
      const bytes held = group_memory(pool, groups[i], tensor);
      std::vector<group_layouts>& here = next.emplace_back();
      if (i == 0 && held <= pool.memory)
        here.push_back({.tensor = {tensor}, .time = own, .memory = held});
      for (const auto& before : ways)
        for (const group_layouts& way : before) {
          if (!(way.memory + held <= pool.memory)) continue;
          group_layouts more = way;
          more.time += own + resharding_time(pool.link, pool.gpus / way.tensor.back(),
                                             pool.gpus / tensor, activations);
          more.memory += held;
          more.tensor.push_back(tensor);
          here.push_back(std::move(more));
        }
      detail::drop_beaten(here);
    }
    ways = std::move(next);
  }
  std::vector<group_layouts> ends;
  for (const auto& each : ways)
    if (!each.empty()) ends.push_back(each.front());
  if (ends.empty()) return std::nullopt;
  return *std::min_element(ends.begin(), ends.end(),
                           [](const auto& a, const auto& b) { return a.time < b.time; });
}

}  // namespace gpuplan
