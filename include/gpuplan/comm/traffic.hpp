#pragma once
/// \file
/// Bytes that one rank sends for each way of cutting a model: what a link must carry, before any
/// algorithm is chosen beyond the ring's, which sends the least.

#include <gpuplan/comm/bandwidth.hpp>
#include <gpuplan/comm/collective.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Bytes that each rank sends in a collective: bus_factor m.
///
/// Source: P. Patarasuk and X. Yuan, "Bandwidth optimal all-reduce algorithms for clusters of
/// workstations", J. Parallel Distrib. Comput. 69 (2009) 117-124.
///
/// \throws invalid_input if ranks < 1 or message < 0 B
constexpr bytes sent_by_each(collective what, int ranks, bytes message) {
  require(message >= bytes{0}, "sent_by_each: message must be >= 0 B");
  return bus_factor(what, ranks) * message;
}

/// Coarse: bandwidth that a cluster must have, all GPUs together, for an all-reduce in a time.
///
///     2 m p / t
///
///     p  ranks      count, >= 1
///     m  message    B, >= 0
///     t  time       s, > 0
///
/// A ring sends 2 (p - 1) m in all, and each rank 2 (p - 1)/p m, as sent_by_each says: for p ranks
/// this is p/(p - 1) times too much, and one rank needs none.
///
/// Holds: many ranks: reads plans that count a whole message for each.
///
/// Source: a textbook's chapter on GPU allocation.
///
/// \throws invalid_input if ranks < 1, message < 0 B, or time <= 0 s
constexpr bytes_per_second coarse_all_reduce_bandwidth(int ranks, bytes message, seconds time) {
  require(ranks >= 1, "coarse_all_reduce_bandwidth: ranks must be >= 1");
  require(message >= bytes{0}, "coarse_all_reduce_bandwidth: message must be >= 0 B");
  require(time > seconds{0}, "coarse_all_reduce_bandwidth: time must be > 0 s");
  return 2.0 * ranks * message / time;
}

/// What a replica's gradients and weights take to be kept equal, in one step.
///
///     none              2 (p - 1)/p G                       all-reduce of gradients
///     optimizer         (p - 1)/p (G + W)                   reduce-scatter, all-gather of weights
///     gradients         (p - 1)/p (r G + W)
///     parameters        m (p - 1)/p (G + f W)
///
///     p    ranks that hold the same weights                       count, >= 1
///     G    gradients                                              B, >= 0
///     W    weights, as they are sent                              B, >= 0
///     m    micro-batches of a step                                count, >= 1
///     r    reduce-scatters of a step: 1, or m where no rank keeps a whole sum of gradients
///     f    gathers of a micro-batch: 2, or 1 where weights stay gathered until the backward pass
///
/// With G = W and m = 1: 2, 2, 2 and 3 (p - 1)/p W.  The steps of a ring are p - 1 for each pass,
/// 2 (p - 1) for an all-reduce.
///
/// Source: S. Rajbhandari, J. Rasley, O. Ruwase and Y. He, "ZeRO: Memory Optimizations Toward
/// Training Trillion Parameter Models", SC (2020), section 7.
struct data_parallel_traffic {
  int ranks = 1;
  bytes gradients{};
  bytes weights{};
  int micro_batches = 1;
  int reduce_scatters = 1;  ///< of a step, under zero_stage::gradients: 1, or micro_batches
  int gathers = 2;          ///< of a micro-batch, under zero_stage::parameters: 1 or 2

  /// Bytes sent by each rank in a step.
  ///
  /// \throws invalid_input naming the field that is out of its range
  [[nodiscard]] constexpr bytes sent(zero_stage stage) const {
    require(gradients >= bytes{0}, "data_parallel_traffic.gradients must be >= 0 B");
    require(weights >= bytes{0}, "data_parallel_traffic.weights must be >= 0 B");
    require(micro_batches >= 1, "data_parallel_traffic.micro_batches must be >= 1");
    require(reduce_scatters >= 1, "data_parallel_traffic.reduce_scatters must be >= 1");
    require(gathers >= 1, "data_parallel_traffic.gathers must be >= 1");
    const double once = bus_factor(collective::reduce_scatter, ranks);
    switch (stage) {
      case zero_stage::none: return 2 * once * gradients;
      case zero_stage::optimizer: return once * (gradients + weights);
      case zero_stage::gradients: return once * (reduce_scatters * gradients + weights);
      case zero_stage::parameters: return micro_batches * once * (gradients + gathers * weights);
    }
    require(false, "data_parallel_traffic: stage must be one of zero_stage");
    return {};
  }
};

/// Traffic of hybrid sharding in one step: sharded inside groups, replicated across them.
struct hybrid_traffic {
  bytes inside{};  ///< a group of g: (g - 1)/g (G + 2 W) for each micro-batch
  bytes across{};  ///< R replicas of the group: 2 (R - 1)/R G/g
};

/// Bytes that a rank sends across replicas of a sharded group, in a step.
///
/// Source: Y. Zhao et al., "PyTorch FSDP: Experiences on Scaling Fully Sharded Data Parallel", VLDB
/// (2023), arXiv:2304.11277.
///
/// \throws invalid_input if group, replicas or micro_batches < 1, or a size < 0 B
constexpr hybrid_traffic hybrid_shard_traffic(int group, int replicas, bytes gradients,
                                              bytes weights, int micro_batches) {
  const data_parallel_traffic shards{
      .ranks = group, .gradients = gradients, .weights = weights, .micro_batches = micro_batches};
  return {.inside = shards.sent(zero_stage::parameters),
          .across = sent_by_each(collective::all_reduce, replicas, gradients / group)};
}

/// A tensor-parallel layer on one micro-batch: all-reduces of its activations, or with sequence
/// parallelism as many pairs of an all-gather and a reduce-scatter, which send the same.
///
///     k 2 (t - 1)/t A,     k = 4: two forward, two backward; 6 if all is computed again
///
///     t   ranks                                         count, >= 1
///     A   activations of the micro-batch, b s h w       B, >= 0
///
/// Source: M. Shoeybi et al., "Megatron-LM: Training Multi-Billion Parameter Language Models Using
/// Model Parallelism", arXiv:1909.08053 (2019); V. Korthikanti et al., "Reducing Activation
/// Recomputation in Large Transformer Models", MLSys (2023).
///
/// \throws invalid_input if ranks < 1, activations < 0 B or all_reduces < 0
constexpr bytes tensor_parallel_traffic(int ranks, bytes activations, int all_reduces = 4) {
  require(all_reduces >= 0, "tensor_parallel_traffic: all_reduces must be >= 0");
  return all_reduces * sent_by_each(collective::all_reduce, ranks, activations);
}

/// Ulysses: all-to-alls of queries, keys, values and output of one layer, forward; backward the
/// same.
///
///     (2 + 2 kv/q) A/p (p - 1)/p
///
///     p     ranks, at most the key-value heads              count, >= 1
///     A     activations of the whole sequence, s h w        B, >= 0
///     kv/q  key-value heads for each query head             0 to 1
///
/// Source: S. A. Jacobs et al., "DeepSpeed Ulysses: System Optimizations for Enabling Training of
/// Extreme Long Sequence Transformer Models", arXiv:2309.14509 (2023).
///
/// \throws invalid_input if ranks < 1, activations < 0 B, or kv_share is not in 0 to 1
constexpr bytes ulysses_traffic(int ranks, bytes activations, double kv_share) {
  require(kv_share >= 0 && kv_share <= 1, "ulysses_traffic: kv_share must be in 0 to 1");
  return (2 + 2 * kv_share) * sent_by_each(collective::all_to_all, ranks, activations) / ranks;
}

/// Ring attention: keys and values of one layer passed round, forward; backward about twice.
///
///     (p - 1) 2 kv/q A/p
///
/// with the symbols of ulysses_traffic.
///
/// Source: H. Liu, M. Zaharia and P. Abbeel, "Ring Attention with Blockwise Transformers for
/// Near-Infinite Context", arXiv:2310.01889 (2023).
///
/// \throws invalid_input if ranks < 1, activations < 0 B, or kv_share is not in 0 to 1
constexpr bytes ring_attention_traffic(int ranks, bytes activations, double kv_share) {
  require(kv_share >= 0 && kv_share <= 1, "ring_attention_traffic: kv_share must be in 0 to 1");
  return 2 * kv_share * sent_by_each(collective::all_gather, ranks, activations);
}

/// Dispatch of tokens to their experts, one way: the same to combine, and backward again.
///
///     (p - 1)/p k A
///
///     p  ranks, over which the experts are spread    count, >= 1
///     k  experts of a token                          count, >= 1
///     A  activations, of a rank's tokens, T h w      B, >= 0
///
/// Holds for tokens spread evenly; else multiply by the fullest rank's share of the mean.
///
/// Source: DeepSeek-AI, "DeepSeek-V3 Technical Report", arXiv:2412.19437 (2024).
///
/// \throws invalid_input if ranks or experts_per_token < 1, or activations < 0 B
constexpr bytes expert_traffic(int ranks, bytes activations, int experts_per_token) {
  require(experts_per_token >= 1, "expert_traffic: experts_per_token must be >= 1");
  return experts_per_token * sent_by_each(collective::all_to_all, ranks, activations);
}

}  // namespace gpuplan
