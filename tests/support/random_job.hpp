#pragma once
/// \file
/// Random jobs for properties: a model, a cluster, a recipe and a layout that keep the rules.

#include <rapidcheck.h>

#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>

namespace gpuplan::testing {

struct random_job {
  transformer model{};
  cluster pool{};
  gpuplan::recipe recipe{};
  gpuplan::parallelism parallelism{};
};

inline void showValue(const random_job& job, std::ostream& os) {
  const auto& m = job.model;
  const auto& r = job.recipe;
  const auto& c = job.parallelism;
  os << "layers " << m.layers << " hidden " << m.hidden_size << " heads " << m.attention_heads
     << " kv " << m.kv_heads << " ffn " << m.ffn_size << " gated " << m.gated_ffn << " experts "
     << m.moe.experts << " vocabulary " << m.vocabulary_size << " tied " << m.tied_embeddings
     << "; batch " << r.global_batch_size << " sequence " << r.sequence_length << " precision "
     << static_cast<int>(r.precision) << " optimizer " << static_cast<int>(r.optimizer) << " zero "
     << static_cast<int>(r.zero) << " recompute " << static_cast<int>(r.recompute) << " flash "
     << (r.attention == attention_kernel::flash) << " sequence parallel " << r.sequence_parallel
     << " framework " << static_cast<int>(r.framework) << " loss " << static_cast<int>(r.loss)
     << " gathered " << r.replicated_logits << " moments " << static_cast<int>(r.moments)
     << " stored " << static_cast<int>(r.stored) << " gradients live "
     << static_cast<int>(r.gradients_live) << " fusion "
     << static_cast<int>(r.gradient_accumulation_fusion) << " modules " << r.recompute_modules.bits
     << " capacity " << r.expert_capacity_factor << " dropout " << r.dropout << " schedule "
     << static_cast<int>(r.schedule) << "; data " << c.data << " tensor " << c.tensor
     << " pipeline " << c.pipeline << " context " << c.context << " expert " << c.expert
     << " interleave " << c.interleave << " micro " << c.micro_batch_size << "; nodes "
     << job.pool.nodes << " of " << job.pool.node.gpus;
}

/// A power of two, from 1 to 2^most.
inline int power_of_two(int most) {
  return 1 << *rc::gen::inRange(0, most + 1);
}

inline transformer random_transformer() {
  transformer m;
  m.layers = 8 * *rc::gen::inRange(1, 17);
  m.attention_heads = 8 * power_of_two(4);
  m.head_dim = *rc::gen::element(64, 128);
  m.hidden_size = m.attention_heads * m.head_dim;
  m.kv_heads = *rc::gen::element(0, m.attention_heads, 8);
  m.ffn_size = m.hidden_size * *rc::gen::inRange(1, 6);
  m.gated_ffn = *rc::gen::arbitrary<bool>();
  m.tied_embeddings = *rc::gen::arbitrary<bool>();
  m.vocabulary_size = 128 * *rc::gen::inRange(1, 2001);
  if (*rc::gen::arbitrary<bool>()) {
    m.moe.experts = 8 * power_of_two(4);
    m.moe.experts_per_token = *rc::gen::inRange(1, 9);
    m.moe.ffn_size = 64 * *rc::gen::inRange(1, 200);
    m.moe.dense_layers = m.moe.first_dense_layers = *rc::gen::inRange(0, 4);
  }
  return m;
}

/// What software keeps, by chance: half of the recipes leave it at the defaults.
inline void draw_software(recipe& how, const transformer& m) {
  if (*rc::gen::arbitrary<bool>()) return;
  how.framework = *rc::gen::elementOf(frameworks);
  how.loss = static_cast<loss_kernel>(*rc::gen::inRange(0, 7));
  how.replicated_logits = *rc::gen::arbitrary<bool>();
  how.moments = static_cast<moment_format>(*rc::gen::inRange(0, 4));
  how.stored = static_cast<activation_storage>(*rc::gen::inRange(0, 2));
  how.gradients_live = static_cast<gradient_lifetime>(*rc::gen::inRange(0, 2));
  how.gradient_accumulation_fusion = static_cast<software_choice>(*rc::gen::inRange(0, 3));
  how.recompute_modules = {*rc::gen::inRange(0U, all_modules + 1)};
  if (m.moe.experts > 0) how.expert_capacity_factor = *rc::gen::element(0.0, 1.0, 1.25);
}

inline random_job random_job_of(const transformer& m) {
  random_job job{.model = m};
  auto& cut = job.parallelism;
  cut.tensor = power_of_two(3);
  cut.pipeline = power_of_two(3);
  cut.data = power_of_two(5);
  cut.context = power_of_two(2);
  cut.expert = m.moe.experts > 0 ? power_of_two(2) : 1;
  cut.expert_tensor = m.moe.experts > 0 ? 1 : 0;
  cut.micro_batch_size = *rc::gen::inRange(1, 9);
  if (cut.tensor * cut.context * cut.data % cut.expert != 0) cut.expert = 1;

  auto& how = job.recipe;
  how.global_batch_size = cut.data * cut.micro_batch_size * cut.pipeline * *rc::gen::inRange(1, 9);
  how.sequence_length = 64 * power_of_two(8);
  how.precision = *rc::gen::elementOf(precisions);
  how.optimizer = *rc::gen::elementOf(optimizers);
  how.zero = static_cast<zero_stage>(*rc::gen::inRange(0, 4));
  how.recompute = static_cast<recompute>(*rc::gen::inRange(0, 4));
  how.attention = *rc::gen::element(attention_kernel::unfused, attention_kernel::flash);
  how.sequence_parallel = *rc::gen::arbitrary<bool>() || m.moe.experts > 0;
  how.dropout = *rc::gen::arbitrary<bool>();
  draw_software(how, m);
  how.schedule = static_cast<pipeline_schedule>(*rc::gen::inRange(0, 6));
  if (how.schedule == pipeline_schedule::one_forward_one_backward && cut.pipeline > 1 &&
      m.layers % (2 * cut.pipeline) == 0)
    cut.interleave = *rc::gen::inRange(1, 3);

  using namespace units;
  auto& box = job.pool.node;
  const double peak = *rc::gen::inRange(10, 5001);
  box.gpu.memory = *rc::gen::inRange(8, 300) * GiB;
  box.gpu.memory_bandwidth = *rc::gen::inRange(100, 8001) * GB / second;
  const flop_per_second rate = peak * TFLOP / second;
  box.gpu.peak = {.fp32 = rate,
                  .tf32 = rate,
                  .fp16 = rate,
                  .bf16 = rate,
                  .fp8_e4m3 = 2 * rate,
                  .fp4 = 4 * rate};
  if (*rc::gen::arbitrary<bool>()) box.gpu.achieved.bf16 = 0.7 * rate;
  box.gpus = *rc::gen::element(1, 2, 4, 8, 16, 72);
  box.scale_up = {*rc::gen::inRange(0, 20) * us, *rc::gen::inRange(10, 1801) * GB / second};
  box.fabric = {*rc::gen::inRange(0, 50) * us, *rc::gen::inRange(1, 101) * GB / second};
  job.pool = cluster_of(box, static_cast<int>(cut.gpus()));
  return job;
}

/// A job that keeps every rule of layout_fault; it may or may not fit into memory.
inline random_job random_job_any() {
  return random_job_of(random_transformer());
}

}  // namespace gpuplan::testing
