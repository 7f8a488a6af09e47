#pragma once
/// \file
/// The tensors of an attention block.

#include <string_view>

#include <gpuplan/model/adapters.hpp>

#include "memory/walk/job.hpp"
#include "memory/walk/tensor.hpp"

namespace gpuplan::testing {

/// Tokens that ask, and tokens that are attended to.
struct attended {
  tokens queries{};
  tokens keys{};
};

namespace detail {

/// Matrix products of an attention block.
inline int attention_products(const transformer& m) {
  return m.latent.kv_rank > 0 && m.latent.query_rank > 0 ? 5 : 4;
}

/// Whether the operator policy saves a product of a layer, by its number from 1 on.
inline bool saves_product(int number) {
  return number % 2 == 1;
}

/// Latents of queries, keys and values, before and after their norms, and the rotary key that all
/// heads share.
inline void add_latents(block& all, const walked_job& job, const attended& seen) {
  const latent_attention& latent = job.model.latent;
  const bytes value = sizes_of(job).activation;
  const double own = seen.queries.own;
  const bool down = saves_product(latent.query_rank > 0 ? 3 : 2);
  all.add("query latent", latent.query_rank * own, value, {.policy = saves_product(1)});
  all.add("normed query latent", latent.query_rank * own, value, {.product_input = true});
  all.add("key-value latent", latent.kv_rank * own, value, {.policy = down});
  all.add("normed key-value latent", latent.kv_rank * own, value, {.product_input = true});
  all.add("rotary key", latent.rope_head_dim * own, value, {.policy = down});
}

/// Queries, keys and values of all heads.
inline void add_heads(block& all, const walked_job& job, const attended& seen) {
  const transformer& m = job.model;
  const bytes value = sizes_of(job).activation;
  const rank_heads heads = heads_of(job);
  const double queries = heads.queries * m.query_head_dim() * seen.queries.all;
  if (m.latent.kv_rank > 0) {
    const module_set up = within(recomputed_module::mla_up_proj);
    const bool query_down = m.latent.query_rank > 0;
    const bool key_value = saves_product(query_down ? 4 : 3);
    all.add("query", queries, value, {.policy = saves_product(query_down ? 2 : 1), .modules = up});
    all.add("key", heads.queries * m.query_head_dim() * seen.keys.all, value, {.modules = up});
    // Keys are joined with the rotary one; values are a part of what the product wrote.
    all.add("keys as the product wrote them",
            heads.queries * m.latent.content_head_dim * seen.keys.all, value,
            {.policy = key_value, .only_kept = true});
    all.add("value", heads.queries * m.value_head_dim() * seen.keys.all, value,
            {.policy = key_value, .modules = up});
    return;
  }
  const double keys = heads.keys * m.query_head_dim() * seen.keys.all;
  const double values = heads.keys * m.value_head_dim() * seen.keys.all;
  const bool normed = m.query_key != query_key_norm::none;
  if (normed) {
    all.add("query before its norm", queries, value, {.policy = true});
    all.add("key before its norm", keys, value);
  }
  // Products of a layer by number: 1 queries, 2 keys, 3 values, 4 the output projection.
  all.add("query", queries, value, {.policy = saves_product(1) && !normed});
  all.add("key", keys, value, {.policy = saves_product(2) && !normed});
  all.add("value", values, value, {.policy = saves_product(3)});
}

/// Whether the output projection reads a copy of what a flash kernel wrote.
inline bool copies_output(const walked_job& job) {
  const bool exchanged =
      job.parallelism.context > 1 && job.parallelism.exchange == context_exchange::all_to_all;
  return job.recipe.attention == attention_kernel::flash &&
         (job.workspace.kernels.flash_output_copied || exchanged);
}

/// What lies between the heads and their output.
inline void add_core(block& all, const walked_job& job, const attended& seen) {
  const value_sizes size = sizes_of(job);
  const recipe& how = job.recipe;
  const kernel_memory& kernels = job.workspace.kernels;
  const double heads = heads_of(job).queries;
  const purposes core{.core = true, .modules = within(recomputed_module::core_attn)};
  if (how.attention == attention_kernel::flash) {
    const purposes saved{
        .core = true, .policy = true, .modules = within(recomputed_module::core_attn)};
    all.add("log-sum-exp", heads * seen.queries.all, size.full, saved);
    if (copies_output(job))
      all.add("kernel's own output", heads * job.model.value_head_dim() * seen.queries.all,
              size.activation, saved);
    return;
  }
  const double scores = heads * seen.queries.all * seen.keys.sequence;
  all.add("softmax", scores, kernels.softmax_kept_fp32 ? size.full : size.activation, core);
  if (!how.dropout) return;
  all.add("mask of the softmax", scores, size.flag, core);
  all.add("dropped softmax", scores, size.activation, core);
}

/// The backward pass of what add_core adds.
inline void undo_core(block& all, const walked_job& job, const attended& seen) {
  const transformer& m = job.model;
  const bytes value = sizes_of(job).activation;
  const rank_heads heads = heads_of(job);
  const bool latent = m.latent.kv_rank > 0;
  const double width = m.query_head_dim();
  const double queries = heads.queries * width * seen.queries.all;
  const double key_heads = latent ? heads.queries : heads.keys;
  const double keys = key_heads * width * seen.keys.all;
  const double values = key_heads * m.value_head_dim() * seen.keys.all;
  const double scores = heads.queries * seen.queries.all * seen.keys.sequence;
  auto& steps = all.backward;
  if (job.recipe.attention == attention_kernel::flash) {
    steps.push_back({"gradient of queries", queries, value, true});
    steps.push_back({"gradient of keys", keys, value, true});
    steps.push_back({"gradient of values",
                     values,
                     value,
                     true,
                     {"log-sum-exp", "kernel's own output", "attention output", "query", "key",
                      "value", "gradient of attention output"}});
    return;
  }
  steps.push_back({"gradient of dropped softmax", scores, value});
  steps.push_back({"gradient of values",
                   values,
                   value,
                   true,
                   {"dropped softmax", "value", "gradient of attention output"},
                   true});
  steps.push_back({"gradient of scores",
                   scores,
                   value,
                   false,
                   {"mask of the softmax", "softmax", "gradient of dropped softmax"}});
  steps.push_back({"gradient of queries", queries, value, true, {}, true});
  steps.push_back(
      {"gradient of keys", keys, value, true, {"query", "key", "gradient of scores"}, true});
}

}  // namespace detail

/// An attention block: norm, projections, core, output projection, dropout.
inline block attention_tensors(const walked_job& job, const attended& seen, bool first_of_layer) {
  const transformer& m = job.model;
  const value_sizes size = sizes_of(job);
  const bool cast = size.product < size.activation;
  const double stream = m.hidden_size * seen.queries.own;
  const double output = heads_of(job).queries * m.value_head_dim() * seen.queries.all;

  block all;
  // Where the norm reads a copy of what comes, recomputation begins with what comes.
  const bool copied = size.norm != size.stream;
  if (first_of_layer && copied)
    all.add("layer input", stream, size.stream,
            {.layer_input = true, .policy = true, .only_kept = true});
  all.add("attention norm input", stream, size.norm,
          {.layer_input = first_of_layer && !copied, .policy = first_of_layer && !copied});
  const bool adapted = job.recipe.adapters.read_attention_input();
  const bool apart = m.latent.kv_rank > 0;  // a norm that is no part of the product after it
  all.add("attention input", stream, size.product,
          {.product_input = true,
           .only_for_weight = !adapted,
           .for_adapter = adapted,
           .modules = apart ? within(recomputed_module::layernorm) : module_set{}});
  if (m.latent.kv_rank > 0) detail::add_latents(all, job, seen);
  detail::add_heads(all, job, seen);
  detail::add_core(all, job, seen);
  const bool stored_as_read = size.stored < size.activation;
  all.add("attention output", output, size.stored,
          {.product_input = !cast || stored_as_read, .policy = !detail::copies_output(job)});
  if (cast && !stored_as_read)
    all.add("attention output, cast", output, size.product, {.product_input = true});
  if (detail::saves_product(detail::attention_products(m)))
    all.add("output of attention block", stream, size.activation,
            {.policy = true, .only_kept = true});
  if (job.recipe.dropout) all.add("attention dropout mask", stream, size.flag, {.mask = true});

  all.backward.push_back(
      {"gradient of attention block", stream, size.activation, true, {"attention dropout mask"}});
  all.backward.push_back({"gradient of attention output",
                          output,
                          size.activation,
                          false,
                          {"attention output, cast"},
                          true});
  if (job.recipe.attention == attention_kernel::unfused)
    all.backward.back().frees.push_back("attention output");
  detail::undo_core(all, job, seen);
  return all;
}

}  // namespace gpuplan::testing
