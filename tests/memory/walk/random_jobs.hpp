#pragma once
/// \file
/// Random jobs of the shapes that are trained, the same ones from the same seed everywhere.

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>

#include <gpuplan/model/optimizer.hpp>
#include <gpuplan/model/precision.hpp>
#include <gpuplan/plan/layout_fault.hpp>

#include "memory/walk/job.hpp"

namespace gpuplan::testing {

/// Random choices, which no standard library makes in its own way.
///
/// Source: G. Steele et al., "Fast Splittable Pseudorandom Number Generators", OOPSLA (2014).
class random_choices {
 public:
  explicit random_choices(std::uint64_t seed) : state_{seed} { state_ = next(); }

  [[nodiscard]] int between(int least, int most) {
    const auto count = static_cast<std::uint64_t>(most - least + 1);
    return least + static_cast<int>(next() % count);
  }
  [[nodiscard]] bool once_in(int count) { return between(1, count) == 1; }
  template <class T>
  [[nodiscard]] T one_of(std::initializer_list<T> values) {
    return values.begin()[between(0, static_cast<int>(values.size()) - 1)];
  }

 private:
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15U;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
  }
  std::uint64_t state_;
};

namespace detail {

inline void choose_experts(transformer& m, random_choices& any) {
  mixture_of_experts& moe = m.moe;
  moe.experts = any.one_of({8, 16, 64, 128});
  moe.experts_per_token = any.between(1, 8);
  moe.ffn_size = 128 * any.between(4, 32);
  moe.shared_ffn_size = any.once_in(2) ? 128 * any.between(4, 32) : 0;
  moe.first_dense_layers = (std::min)(any.between(0, 2), m.layers - 1);
  moe.dense_layers = moe.first_dense_layers;
  moe.shared_gate = moe.shared_ffn_size > 0 && any.once_in(4);
  if (any.once_in(3)) moe.latent_size = m.hidden_size / 4;
}

inline transformer random_model(random_choices& any, int layers) {
  transformer m{.layers = layers};
  m.attention_heads = any.one_of({16, 32, 64});
  m.head_dim = any.one_of({64, 128});
  m.hidden_size = 64 * m.attention_heads * any.between(1, 2);
  m.kv_heads = any.one_of({0, 8, m.attention_heads / 4, 1});
  m.ffn_size = m.hidden_size / 2 * any.between(4, 10);
  m.vocabulary_size = 512 * any.between(60, 400);
  m.gated_ffn = any.once_in(2);
  m.tied_embeddings = any.once_in(2);
  m.parallel_residual = any.once_in(6);
  m.norms_per_layer = m.parallel_residual && any.once_in(2) ? 1 : any.once_in(6) ? 4 : 2;
  m.norm = any.once_in(2) ? normalization::layer_norm : normalization::rms_norm;
  if (any.once_in(4)) m.biases = {.query_key_value = true, .attention_output = true, .ffn = true};
  switch (any.between(0, 6)) {
    case 0:
    case 1: choose_experts(m, any); break;
    case 2: m.encoder_layers = m.layers; break;
    default: break;
  }
  if (m.encoder_layers == 0 && any.once_in(5)) {
    m.latent = {.query_rank = any.one_of({0, 512, 1024}),
                .kv_rank = any.one_of({256, 512}),
                .rope_head_dim = 64,
                .content_head_dim = 128,
                .value_head_dim = 128};
    m.kv_heads = 0;
  } else if (any.once_in(8)) {
    m.value_dim = m.head_dim / 2;
  } else if (any.once_in(6)) {
    m.query_key = any.one_of({query_key_norm::per_head, query_key_norm::all_heads});
  }
  if (m.encoder_layers == 0 && any.once_in(6)) m.multi_token_prediction_layers = any.between(1, 2);
  return m;
}

/// Base weights are quantised where they are 16 bits otherwise.
inline void choose_adapters(recipe& how, random_choices& any) {
  adapters& beside = how.adapters;
  beside = {any.one_of({8, 64}),
            any.one_of({adapter_place::attention, adapter_place::attention_and_ffn})};
  if (any.once_in(2)) beside.maps.bits = static_cast<unsigned>(any.between(1, all_maps));
  if (any.once_in(3))
    beside.trained_tables.bits = static_cast<unsigned>(any.between(1, all_tables));
  if (how.weights == weight_storage::fp32 || any.once_in(2)) return;
  beside.base =
      any.one_of({base_weights::int4, base_weights::nf4, base_weights::int8, base_weights::fp8});
  beside.blocks = {any.one_of({32, 64}), any.once_in(2)};
}

inline recipe random_recipe(random_choices& any, const transformer& m) {
  recipe how;
  how.sequence_length = 1024 * any.one_of({1, 2, 4, 8});
  if (m.encoder_layers > 0) how.encoder_sequence_length = any.one_of({0, how.sequence_length / 2});
  how.precision = precisions[static_cast<std::size_t>(any.between(0, 6))];
  how.optimizer = optimizers[static_cast<std::size_t>(any.between(0, 11))];
  how.gradient = any.one_of({gradient_format::by_precision, gradient_format::by_precision,
                             gradient_format::fp32, gradient_format::bf16});
  how.weights = any.once_in(4) ? weight_storage::fp32 : weight_storage::by_precision;
  how.zero = static_cast<zero_stage>(any.between(0, 3));
  how.recompute = any.one_of(
      {recompute::none, recompute::selective, recompute::full, recompute::alternate_products});
  if (any.once_in(3)) how.recompute_modules.bits = 1U << any.between(0, 6);
  if (any.once_in(6))
    how.recompute_modules.bits = static_cast<unsigned>(any.between(1, all_modules));
  how.recompute_every = how.recompute == recompute::full ? any.between(1, 3) : 1;
  how.attention = any.once_in(3) ? attention_kernel::unfused : attention_kernel::flash;
  how.sequence_parallel = any.once_in(2) || m.moe.experts > 0;
  how.dropout = any.once_in(2);
  how.loss = any.one_of({loss_kernel::in_place, loss_kernel::fused, loss_kernel::te_fused,
                         loss_kernel::compiled, loss_kernel::eager, loss_kernel::chunked,
                         loss_kernel::none});
  how.replicated_logits = any.once_in(6);
  how.framework = frameworks[static_cast<std::size_t>(any.between(0, 4))];
  how.moments = any.one_of({moment_format::by_precision, moment_format::by_precision,
                            moment_format::fp32, moment_format::bf16, moment_format::fp8});
  how.fp8_recipe = any.one_of({fp8_recipe::tensorwise, fp8_recipe::blockwise, fp8_recipe::mxfp8});
  if (any.once_in(4)) how.stored = activation_storage::fp8;
  if (any.once_in(6)) how.gradient_accumulation_fusion = software_choice::off;
  how.gradients_live = any.once_in(3) ? gradient_lifetime::backward : gradient_lifetime::always;
  how.expert_imbalance = any.one_of({1.0, 1.0, 1.5});
  how.expert_capacity_factor = any.one_of({0.0, 0.0, 1.0, 2.0});
  if (m.encoder_layers == 0 && m.multi_token_prediction_layers == 0 && any.once_in(4))
    choose_adapters(how, any);
  if (any.once_in(10)) how.offload = offloaded_states::optimizer;
  return how;
}

/// What is one framework's alone comes with it: permuted copies of experts with PyTorch, working
/// gradients with DeepSpeed.
inline kernel_memory random_kernels(random_choices& any, const recipe& how, bool one_way) {
  const bool adapters = how.adapters.rank > 0;
  const bool pytorch = how.framework == framework::fsdp || how.framework == framework::fsdp2;
  return {
      .flash_output_copied = any.once_in(2),
      .scores_buffered = any.once_in(4),
      .norms_kept_fp32 = any.once_in(4),
      .softmax_kept_fp32 = any.once_in(4),
      .activation_fused = !any.once_in(4),
      .mask_in_batch = any.once_in(6),
      .head_gradient_fused = !any.once_in(3),
      .head_gradients_deferred = !adapters && any.once_in(8) ? any.between(1, 4) : 0,
      .outputs_kept = one_way && any.once_in(6),
      .working_gradients = how.framework == framework::megatron_deepspeed && any.once_in(2),
      .experts_grouped = any.once_in(3),
      .experts_permuted = pytorch && !any.once_in(4),
      .gradients_unused = !any.once_in(4),
      .fp8_transposed = any.once_in(2),
      .dispatcher = any.once_in(3) ? token_dispatcher::all_gather : token_dispatcher::all_to_all};
}

}  // namespace detail

/// A job that keeps every rule of a layout, and of its schedule; another one for each seed.
inline walked_job random_walked_job(std::uint64_t seed) {
  random_choices any{seed};
  for (;;) {
    walked_job job;
    parallelism& cut = job.parallelism;
    cut.pipeline = any.one_of({1, 2, 4, 8});
    cut.tensor = any.one_of({1, 2, 4, 8});
    cut.data = any.one_of({1, 2, 8});
    cut.context = any.once_in(5) ? 2 : 1;
    cut.exchange = any.once_in(3) ? context_exchange::all_to_all : context_exchange::ring;
    cut.micro_batch_size = any.one_of({1, 1, 2, 4});
    auto schedule = static_cast<pipeline_schedule>(any.between(0, 5));
    const bool two_chunks = schedule == pipeline_schedule::zero_bubble_v;
    if (schedule == pipeline_schedule::one_forward_one_backward && cut.pipeline > 1)
      cut.interleave = any.one_of({1, 2, 3});
    const int pieces = cut.pipeline * cut.interleave * (two_chunks ? 2 : 1);
    job.model = detail::random_model(any, pieces * any.between(1, cut.pipeline == 1 ? 24 : 4));
    if (job.model.encoder_layers > 0) job.model.encoder_layers = job.model.layers;
    job.recipe = detail::random_recipe(any, job.model);
    job.recipe.schedule = schedule;
    if (job.model.moe.experts > 0) {
      cut.expert = any.one_of({1, 2, 8});
      cut.expert_tensor = any.one_of({0, 1});
    }
    const int rounds = cut.pipeline == 1 ? any.between(1, 3) : cut.pipeline * any.between(1, 3);
    job.recipe.global_batch_size = rounds * cut.data * cut.micro_batch_size;
    const bool one_way = schedule == pipeline_schedule::gpipe ||
                         schedule == pipeline_schedule::one_forward_one_backward;
    job.workspace.kernels = detail::random_kernels(any, job.recipe, one_way);
    job.workspace.update_temporary = any.once_in(3) ? 4 * units::byte : 0 * units::byte;
    if (cut.interleave > 1) job.recipe.interleave_group = cut.pipeline * any.between(0, 3);
    const bool two_ways = schedule == pipeline_schedule::dualpipe && cut.pipeline > 1;
    if (two_ways && rounds < 2 * cut.pipeline) continue;
    if (seed % 5 == 0) job.recipe.reference = reference_model::frozen;
    if (!layout_fault(job.model, std::numeric_limits<std::int64_t>::max(), job.recipe, cut))
      return job;
  }
}

}  // namespace gpuplan::testing
