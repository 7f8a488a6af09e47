#pragma once
/// \file
/// The link that each kind of message of a layout uses, by the placement of its ranks.

#include <cstdint>

#include <gpuplan/comm/group_link.hpp>
#include <gpuplan/hardware/node.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What messages of a step get of the rate that a port has in a benchmark, which sends nothing
/// beside them.  Set by steps over InfiniBand, as NCCL's tests alone reach the whole rate; the fit
/// of benchmarks/accuracy does not move it.
inline constexpr double fabric_share = 0.8;

/// Start of a collective before its first hop, whatever its size.
///
/// Source: NVIDIA, "NCCL", src/graph/tuning.cc (2.19, 2023), the base latency of rings.  With a hop
/// of NVLink, 3.4 us, it is 10 us: between the halves of the 13 us and of the 34 us that an
/// all-reduce of 8 B takes over 8 H100 and 8 A100 (S. Bekman, "Machine Learning Engineering Open
/// Book", network/README.md, github.com/stas00/ml-engineering, 2025).
inline constexpr seconds collective_start = 6.6 * units::us;

/// Start of a message over a link: collective_start, and a hop of the link.
///
/// Source: NVIDIA, "NCCL", src/graph/tuning.cc (2.19, 2023).
template <class T>
constexpr basic_seconds<T> start_of(const basic_interconnect<T>& link) {
  return collective_start + link.latency;
}

/// For each rank.
template <class T>
struct basic_rank_links {
  basic_interconnect<T> tensor{};
  basic_interconnect<T> context{};       ///< to the next rank of the ring
  basic_interconnect<T> inside{};        ///< between GPUs of a node
  basic_interconnect<T> outside{};       ///< a GPU's own port
  basic_interconnect<T> pipeline{};      ///< to the next stage
  basic_interconnect<T> data{};          ///< ring of the ranks that share dense weights
  basic_interconnect<T> data_in_turn{};  ///< likewise, rank after rank: to the next of them
  basic_interconnect<T> expert_data{};   ///< ring of the ranks that share expert weights
  basic_interconnect<T> replicas{};      ///< ring across shard groups
  int experts_in_node = 1;               ///< members of an expert group that share a node
  int context_in_node = 1;               ///< of a context group, where it exchanges all to all
};

namespace detail {

/// The link of a ring that has `in_node` members in each node but `in_last` in the last; 0: its
/// last node is no smaller.
template <class T>
constexpr basic_interconnect<T> ring_across(const basic_node_links<T>& box, std::int64_t in_node,
                                            std::int64_t in_last) {
  basic_interconnect<T> ring = link_across_nodes(box, in_node);
  if (in_last > 0) {
    const auto narrow = T(static_cast<double>(in_last)) * box.fabric.bandwidth;
    if (narrow < ring.bandwidth) ring.bandwidth = narrow;
  }
  return ring;
}

/// At least one of them.
constexpr std::int64_t one_or(std::int64_t members) {
  return members < 1 ? 1 : members;
}

}  // namespace detail

/// The link of a ring: group_link.  Where the last node of the job is smaller, the ring is as slow
/// as its ports there.
///
/// Source: D. Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters
/// Using Megatron-LM", SC21 (2021), arXiv:2104.04473.
///
/// \throws invalid_input if stride or ranks < 1, or in_last_node < 0
template <class T>
constexpr basic_interconnect<T> ring_link(const basic_node_links<T>& box, std::int64_t stride,
                                          std::int64_t ranks, std::int64_t in_last_node = 0) {
  require(in_last_node >= 0, "ring_link: in_last_node must be >= 0 GPUs");
  require(stride >= 1, "ring_link: stride must be >= 1");
  require(ranks >= 1, "ring_link: ranks must be >= 1");
  if (stride * ranks <= box.gpus) return box.scale_up;
  return detail::ring_across(box, detail::one_or(box.gpus / stride),
                             in_last_node > 0 ? detail::one_or(in_last_node / stride) : 0);
}

/// \throws invalid_input as ring_link of node_links does
template <class T>
constexpr basic_interconnect<T> ring_link(const basic_node<T>& box, std::int64_t stride,
                                          std::int64_t ranks, std::int64_t in_last_node = 0) {
  return ring_link(box.links(), stride, ranks, in_last_node);
}

namespace detail {

/// Ranks that share dense weights: runs of `run` that lie `stride` GPUs apart, a run `turn` GPUs
/// after another.
struct replica_ranks {
  std::int64_t stride = 1;
  std::int64_t run = 1;
  std::int64_t turn = 1;

  /// Those among the first GPUs.
  [[nodiscard]] constexpr std::int64_t among(std::int64_t gpus) const {
    if (turn == stride * run) [[likely]]
      return gpus / stride;
    const std::int64_t rest = gpus % turn / stride;
    return gpus / turn * run + (rest < run ? rest : run);
  }
};

}  // namespace detail

/// The links of a layout.  Ranks are numbered tensor innermost, then context and expert, then data
/// and pipeline as cut.order says.
///
///     tensor                            ring of the slowest group: contiguous_group_link
///     data, experts, replicas           rings of their groups: group_link, and ring_link
///     context, pipeline                 to a neighbour: scale_up where all fit into a node, else a
///                                       port of the fabric
///
/// With data outside the pipeline, and more than one stage, experts are supposed to be spread over
/// the ranks of tensor and context alone, as layout_fault demands.
///
/// Source: NVIDIA, "Megatron-LM", megatron/core/parallel_state.py (2026), the order of ranks.
///
/// \throws invalid_input if the layout is invalid, node.gpus < 1, or a group is larger than all
template <class T>
[[gnu::always_inline]] constexpr basic_rank_links<T> rank_links_of(const basic_node_links<T>& box,
                                                                   const parallelism& cut) {
  require_valid(cut);
  require(box.gpus >= 1, "rank_links_of: node.gpus must be >= 1");
  const std::int64_t t = cut.tensor;
  const std::int64_t c = cut.context;
  const bool stages_first = cut.order == group_order::pipeline_then_data;
  const std::int64_t stages = stages_first ? cut.pipeline : 1;
  const std::int64_t stage = stages_first ? t * c : t * cut.replicas();
  const std::int64_t expert_stride = cut.expert_tensor_ranks();
  const std::int64_t shards = cut.shards();
  const std::int64_t shard_groups = cut.replicas() / shards;
  require(shard_groups >= 1, "rank_links_of: shard_group must be <= data x context");
  const std::int64_t members = box.gpus / expert_stride;
  const std::int64_t last = cut.gpus() % box.gpus;
  const detail::replica_ranks alike{.stride = t, .run = c, .turn = t * c * stages};
  const std::int64_t in_node = alike.among(box.gpus);
  const std::int64_t in_last = alike.among(last);
  const auto ring_of = [&](std::int64_t ranks, std::int64_t apart) {
    if (in_node / apart >= ranks) return box.scale_up;
    return detail::ring_across(box, detail::one_or(in_node / apart),
                               last > 0 ? detail::one_or(in_last / apart) : 0);
  };
  const auto next_to = [&](std::int64_t stride, std::int64_t ranks) {
    return stride * ranks <= box.gpus ? box.scale_up : box.fabric;
  };
  const auto together = [&](std::int64_t stride, std::int64_t ranks) {
    const std::int64_t near = box.gpus / stride;
    return static_cast<int>(near < 1 ? 1 : near < ranks ? near : ranks);
  };
  return {.tensor = contiguous_group_link(box, t, cut.gpus()),
          .context = next_to(t, cut.context),
          .inside = box.scale_up,
          .outside = box.fabric,
          .pipeline = next_to(stage, cut.pipeline),
          .data = ring_of(shards, 1),
          .data_in_turn = in_node >= shards ? box.scale_up : box.fabric,
          .expert_data =
              ring_link(box, expert_stride * cut.expert * stages, cut.expert_replicas(), last),
          .replicas = ring_of(shard_groups, shards),
          .experts_in_node = static_cast<int>(members < 1            ? 1
                                              : members < cut.expert ? members
                                                                     : std::int64_t{cut.expert}),
          .context_in_node = cut.exchange == context_exchange::ring ? 1 : together(t, cut.context)};
}

/// \throws invalid_input as rank_links_of node_links does
template <class T>
constexpr basic_rank_links<T> rank_links_of(const basic_node<T>& box, const parallelism& cut) {
  return rank_links_of(box.links(), cut);
}

/// What a step gets of the links of a layout: of the ports of the fabric fabric_share.
///
/// \throws invalid_input as rank_links_of does
template <class T>
[[gnu::always_inline]] constexpr basic_rank_links<T> step_links_of(const basic_node<T>& box,
                                                                   const parallelism& cut) {
  basic_node_links<T> shared = box.links();
  shared.fabric.bandwidth *= T(fabric_share);
  return rank_links_of(shared, cut);
}

}  // namespace gpuplan
