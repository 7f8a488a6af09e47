#pragma once
/// \file
/// A layout: how a model and its batch are split over GPUs.

#include <cstdint>

#include <gpuplan/require.hpp>

namespace gpuplan {

/// How ranks that share a sequence attend to all of it.
enum class context_exchange {
  ring,       ///< keys and values are passed round (ring attention)
  all_to_all  ///< each rank gets all tokens of some heads (DeepSpeed-Ulysses)
};

/// How ranks are numbered, after those of tensor, context and expert, which lie innermost: what
/// lies outermost is farthest apart.
///
/// Source: NVIDIA, "Megatron-LM", megatron/core/parallel_state.py (2026): orders tp-cp-ep-dp-pp,
/// and tp-cp-ep-pp-dp under --use-tp-pp-dp-mapping.
enum class group_order {
  data_then_pipeline,  ///< replicas of a stage side by side, stages outermost
  pipeline_then_data   ///< stages of a replica side by side, replicas outermost
};

/// Ranks along each axis.  Experts are spread over ranks of the other axes, they add none.
struct parallelism {
  int data = 1;
  int tensor = 1;
  int pipeline = 1;
  int context = 1;
  int expert = 1;            ///< ranks over which the experts of a layer are spread
  int interleave = 1;        ///< chunks of layers (virtual stages) on each pipeline rank
  int micro_batch_size = 1;  ///< sequences of one forward pass on one replica
  int expert_tensor = 0;     ///< tensor-parallel ranks within an expert; 0: as `tensor`
  int shard_group = 0;       ///< ranks that share ZeRO's pieces; 0: all of data x context
  context_exchange exchange = context_exchange::ring;
  group_order order = group_order::data_then_pipeline;

  [[nodiscard]] constexpr std::int64_t gpus() const {
    return std::int64_t{data} * tensor * pipeline * context;
  }
  /// Ranks that hold the same dense weights.
  [[nodiscard]] constexpr std::int64_t replicas() const { return std::int64_t{data} * context; }
  [[nodiscard]] constexpr int expert_tensor_ranks() const {
    return expert_tensor > 0 ? expert_tensor : tensor;
  }
  /// Ranks that hold the same expert weights; exact where require_valid passes.
  [[nodiscard]] constexpr std::int64_t expert_replicas() const {
    // The attributes are worth 1 % of evaluate: see pipeline_stage.hpp.
    if (expert == 1 && expert_tensor_ranks() == tensor) [[likely]]
      return replicas();
    return gpus() / (std::int64_t{pipeline} * expert * expert_tensor_ranks());
  }
  /// Ranks over which ZeRO divides dense states.
  [[nodiscard]] constexpr std::int64_t shards() const {
    if (shard_group > 0) [[unlikely]]
      return shard_group;
    return replicas();
  }
  /// Whether the other has as many ranks of each kind; what runs on them aside.
  [[nodiscard]] constexpr bool has_ranks_of(const parallelism& other) const {
    return data == other.data && tensor == other.tensor && pipeline == other.pipeline &&
           context == other.context && expert == other.expert;
  }
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const parallelism& cut) {
  require(cut.data >= 1, "parallelism.data must be >= 1");
  require(cut.tensor >= 1, "parallelism.tensor must be >= 1");
  require(cut.pipeline >= 1, "parallelism.pipeline must be >= 1");
  require(cut.context >= 1, "parallelism.context must be >= 1");
  require(cut.expert >= 1, "parallelism.expert must be >= 1");
  require(cut.interleave >= 1, "parallelism.interleave must be >= 1");
  require(cut.micro_batch_size >= 1, "parallelism.micro_batch_size must be >= 1");
  require(cut.expert_tensor >= 0, "parallelism.expert_tensor must be >= 0");
  require(cut.shard_group >= 0, "parallelism.shard_group must be >= 0");
  constexpr double most = 4e18;  // below 2^62, so that 64 bits count them, rounding included
  require(static_cast<double>(cut.data) * cut.tensor * cut.pipeline * cut.context <= most,
          "parallelism: data x tensor x pipeline x context must be <= 4e18");
  require(static_cast<double>(cut.pipeline) * cut.expert * cut.expert_tensor_ranks() <= most,
          "parallelism: pipeline x expert x expert_tensor must be <= 4e18");
}

}  // namespace gpuplan
