#pragma once
/// \file
/// The job that is walked, and the sizes of values and tokens that follow from its fields.

#include <algorithm>

#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/precision.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/units/number_format.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::testing {

/// Where the closed formulas count other than the software does whose tensors are walked.  Each makes
/// the walk count as they do, so that a disagreement is traced to its cause; a formula that is
/// mended needs its member no more.
struct formula_shortcuts {
  bool whole_layers = false;     ///< the largest gradients of any block of any layer come on top
                                 ///< of the activations of all layers
  bool early_gradients = false;  ///< gradients that come and go are there from the start of a
                                 ///< step of more micro-batches than are in flight; else but one
                                 ///< unit's not before the update
  bool units_all_along = false;  ///< the largest unit is gathered, and its gradient whole, through
                                 ///< all passes; experts that a rank shares with none among them
  bool waiting_as_formed =
      false;                  ///< weight gradients wait for the activations less core and masks
  bool output_again = false;  ///< the network's output, which the operator policy keeps, is taken
                              ///< from what the layer at work computes again
  bool parts_apart = false;   ///< of all that modules of a layer compute again the fullest part is
                              ///< there, through its whole backward pass
  bool deferred_released =
      false;  ///< what a deferred head keeps is there in its own passes alone, of as many
              ///< micro-batches as it will be

  friend bool operator==(const formula_shortcuts&, const formula_shortcuts&) = default;
};

inline constexpr formula_shortcuts every_shortcut{true, true, true, true, true, true, true};

/// A training job.
struct walked_job {
  transformer model{};
  gpuplan::recipe recipe{};
  gpuplan::parallelism parallelism{};
  gpuplan::workspace workspace{};
  formula_shortcuts as_formulas{};
};

/// Bytes of one value, by what it is for.
struct value_sizes {
  bytes activation{};             ///< as the layers compute
  bytes product{};                ///< as a matrix product reads it
  bytes stored{};                 ///< as an activation function or an output projection reads it
  bytes norm{};                   ///< as a norm reads it
  bytes stream{};                 ///< of the residual stream
  bytes full = 4 * units::byte;   ///< FP32
  bytes flag = 1 * units::byte;   ///< of a mask
  bytes index = 8 * units::byte;  ///< int64
};

/// PyTorch's FSDP gives each rank a part of FP32 weights, be their 16-bit copies freed after the
/// forward pass (ZeRO 3) or kept for the backward pass (ZeRO 2).
inline bool shards_weights(const recipe& how) {
  if (how.zero == zero_stage::parameters) return true;
  if (how.adapters.rank > 0) return false;
  const bool pytorch = how.framework == framework::fsdp || how.framework == framework::fsdp2;
  return pytorch && how.zero == zero_stage::gradients && how.weights == weight_storage::fp32;
}

inline value_sizes sizes_of(const walked_job& job) {
  const precision_formats formats = formats_of(job.recipe.precision);
  value_sizes sizes{.activation = limits_of(formats.activation).storage,
                    .product = limits_of(formats.product).storage};
  const bool narrow = job.recipe.stored == activation_storage::fp8;
  sizes.stored = narrow ? (std::min)(sizes.product, sizes.activation) : sizes.activation;
  const bool wide_norms = job.workspace.kernels.norms_kept_fp32;
  sizes.norm = wide_norms ? sizes.full : sizes.activation;
  // Autocast leaves embeddings and sums as the weights are; sharded weights are cast as a whole.
  const bool autocast =
      wide_norms && job.recipe.weights == weight_storage::fp32 && !shards_weights(job.recipe);
  sizes.stream = autocast ? sizes.full : sizes.activation;
  return sizes;
}

/// Tokens of one micro-batch on one rank.
struct tokens {
  double sequence = 0;  ///< of a whole sequence
  double all = 0;       ///< that the rank computes on
  double own = 0;       ///< of them, those whose residual stream it keeps
};

inline tokens tokens_of(const walked_job& job, int sequence_length) {
  const parallelism& cut = job.parallelism;
  tokens seen{.sequence = static_cast<double>(sequence_length)};
  seen.all = seen.sequence * cut.micro_batch_size / cut.context;
  seen.own = job.recipe.sequence_parallel ? seen.all / cut.tensor : seen.all;
  return seen;
}

inline tokens decoder_tokens(const walked_job& job) {
  return tokens_of(job, job.recipe.sequence_length);
}

inline tokens encoder_tokens(const walked_job& job) {
  const int given = job.recipe.encoder_sequence_length;
  return tokens_of(job, given > 0 ? given : job.recipe.sequence_length);
}

/// Heads that one rank has; of keys it has one at least.
struct rank_heads {
  double queries = 0;
  double keys = 0;
};

inline rank_heads heads_of(const walked_job& job) {
  const double ranks = job.parallelism.tensor;
  return {.queries = job.model.attention_heads / ranks,
          .keys = (std::max)(job.model.key_value_heads() / ranks, 1.0)};
}

/// PyTorch alone, without kernels of Megatron-LM or Transformer Engine.
inline bool plain_pytorch(const walked_job& job) {
  return job.recipe.framework == framework::fsdp || job.recipe.framework == framework::fsdp2;
}

/// Whether ranks keep a part of the gradients; in PyTorch's pipelines all until the last
/// micro-batch.
inline bool divides_gradients(const walked_job& job) {
  const bool waits = plain_pytorch(job) && job.parallelism.pipeline > 1 && !job.recipe.adapts();
  return job.recipe.zero >= zero_stage::gradients && !waits;
}

/// Whether gradients go to the host one after the other, as the states of the optimizer are there.
inline bool gradients_on_host(const walked_job& job) {
  const framework by = job.recipe.framework;
  return job.recipe.offload == offloaded_states::optimizer &&
         job.recipe.zero >= zero_stage::gradients &&
         (plain_pytorch(job) || by == framework::megatron_deepspeed);
}

inline int micro_batches(const walked_job& job) {
  return job.recipe.global_batch_size / (job.parallelism.data * job.parallelism.micro_batch_size);
}

}  // namespace gpuplan::testing
