#pragma once
/// \file
/// The tensors of a feed-forward network, dense or of experts.

#include <array>
#include <string_view>

#include "memory/walk/attention_block.hpp"
#include "memory/walk/job.hpp"
#include "memory/walk/tensor.hpp"

namespace gpuplan::testing {

/// Names of the tensors of one network, so that those of routed and of shared experts differ.
struct network_names {
  std::string_view gate, up, activated, weighted, product;
  std::string_view gradient_of_product, gradient_of_gate, gradient_of_up;
};

inline constexpr network_names dense_names{"gate",
                                           "up",
                                           "activated gate",
                                           "",
                                           "product",
                                           "gradient of product",
                                           "gradient of gate",
                                           "gradient of up"};
inline constexpr network_names routed_names{"gate of experts",
                                            "up of experts",
                                            "activated gate of experts",
                                            "unweighted product of experts",
                                            "product of experts",
                                            "gradient of product of experts",
                                            "gradient of gate of experts",
                                            "gradient of up of experts"};
inline constexpr network_names shared_names{"gate of shared experts",
                                            "up of shared experts",
                                            "activated gate of shared experts",
                                            "",
                                            "product of shared experts",
                                            "gradient of product of shared experts",
                                            "gradient of gate of shared experts",
                                            "gradient of up of shared experts"};

namespace detail {

/// What is said of a network's tensors.
struct network_purposes {
  bool weighted = false;  ///< by the routing probability, in a step of its own
  bool adapted = false;   ///< its last map
  int first_product = 0;  ///< its number in the layer; 0: the operator policy counts it not
  module_set all{};
  module_set activation{};
};

/// What one network makes of `values` values of its width, and the product with the routing
/// probability where that is a step of its own.
inline void add_network(block& all, const walked_job& job, const network_names& name, double values,
                        const network_purposes& why) {
  const value_sizes size = sizes_of(job);
  const bool gated = job.model.gated_ffn;
  const module_set activation{why.all.bits | why.activation.bits};
  const auto saved = [&](int product) {
    return why.first_product > 0 && saves_product(why.first_product + product);
  };
  if (gated) all.add(name.gate, values, size.stored, {.policy = saved(0), .modules = why.all});
  all.add(name.up, values, size.stored, {.policy = saved(gated ? 1 : 0), .modules = why.all});
  if (gated && !job.workspace.kernels.activation_fused)
    all.add(name.activated, values, size.stored, {.modules = activation});
  if (why.weighted) all.add(name.weighted, values, size.stored, {.modules = activation});
  all.add(name.product, values, size.product,
          {.product_input = true,
           .only_for_weight = !why.adapted,
           .for_adapter = why.adapted,
           .modules = activation});
}

/// Its backward pass: first through the second product, whose output's gradient is then of no more
/// use, then through the activation.
inline void undo_network(block& all, const walked_job& job, const network_names& name,
                         double values, std::string_view gradient_of_output = {}) {
  const bytes value = sizes_of(job).activation;
  if (values == 0) return;
  all.backward.push_back(
      {name.gradient_of_product, values, value, false, {name.product, gradient_of_output}, true});
  if (job.model.gated_ffn) all.backward.push_back({name.gradient_of_gate, values, value, true});
  all.backward.push_back(
      {name.gradient_of_up,
       values,
       value,
       true,
       {name.weighted, name.activated, name.gate, name.up, name.gradient_of_product}});
}

inline double arriving_tokens(const walked_job& job) {
  const double load = job.recipe.expert_capacity_factor > 0 ? job.recipe.expert_capacity_factor
                                                            : job.recipe.expert_imbalance;
  return decoder_tokens(job).own * job.parallelism.expert_tensor_ranks() *
         job.model.moe.experts_per_token * load;
}

}  // namespace detail

/// A feed-forward block: norm, network or experts, dropout.
inline block ffn_tensors(const walked_job& job, const tokens& seen, layer_kind kind) {
  using enum recomputed_module;
  const transformer& m = job.model;
  const value_sizes size = sizes_of(job);
  const double stream = m.hidden_size * seen.own;
  const bool has_network = kind == layer_kind::dense || m.moe.shared_ffn_size > 0;
  const bool input_adapted = has_network && job.recipe.adapters.read_ffn_input();
  const bool product_adapted = has_network && job.recipe.adapters.read_ffn_product();
  // Attention to an encoder has four products more, which changes no number's parity.
  const int first_product = detail::attention_products(m) + 1;
  block all;
  if (!(m.parallel_residual && m.norms_per_layer < 2)) {
    all.add("network norm input", stream, size.norm);
    all.add("network input", stream, size.product,
            {.product_input = true,
             .only_for_weight = !input_adapted,
             .for_adapter = input_adapted,
             .modules = within(kind == layer_kind::dense ? mlp : layernorm)});
  }
  const auto begin_backward = [&] {
    if (job.recipe.dropout) all.add("network dropout mask", stream, size.flag, {.mask = true});
    if (has_network && detail::saves_product(first_product + (m.gated_ffn ? 2 : 1)))
      all.add("network output", stream, size.activation, {.policy = true, .only_kept = true});
    all.backward.push_back(
        {"gradient of network block", stream, size.activation, true, {"network dropout mask"}});
  };
  if (kind == layer_kind::dense) {
    const double values = m.ffn_size / static_cast<double>(job.parallelism.tensor) * seen.all;
    detail::add_network(
        all, job, dense_names, values,
        {.adapted = product_adapted, .first_product = first_product, .all = within(mlp)});
    begin_backward();
    detail::undo_network(all, job, dense_names, values);
    return all;
  }
  const double arriving = detail::arriving_tokens(job);
  const double routed = arriving * m.moe.ffn_size / job.parallelism.expert_tensor_ranks();
  const double shared =
      m.moe.shared_ffn_size / static_cast<double>(job.parallelism.tensor) * seen.all;
  const double state = m.moe.latent_size > 0 ? m.moe.latent_size : m.hidden_size;
  if (m.moe.latent_size > 0)
    all.add("sum of experts on a narrower state", state * seen.own, size.product,
            {.product_input = true, .only_for_weight = true, .modules = within(moe)});
  all.add("routing probabilities", m.moe.experts * seen.own, size.full, {.modules = within(moe)});
  all.add("dispatched tokens", state * arriving, size.product,
          {.product_input = true, .only_for_weight = true, .modules = within(moe)});
  const kernel_memory& kernels = job.workspace.kernels;
  const bool fused = m.gated_ffn && kernels.activation_fused;
  if (kernels.experts_permuted) {
    if (job.parallelism.expert > 1) {
      all.add("tokens from all-to-all", state * arriving, size.activation,
              {.policy = true, .modules = within(moe)});
      all.add("outputs from all-to-all", state * arriving, size.activation,
              {.policy = true, .modules = within(moe)});
    }
    all.add("outputs of experts", state * arriving, size.activation, {.modules = within(moe)});
    all.add("weighed outputs of experts", state * arriving, size.full, {.modules = within(moe)});
  }
  detail::add_network(all, job, routed_names, routed,
                      {.weighted = !fused, .all = within(moe), .activation = within(moe_act)});
  detail::add_network(all, job, shared_names, shared,
                      {.adapted = product_adapted,
                       .first_product = first_product,
                       .all = within(moe, shared_experts)});
  begin_backward();
  detail::undo_network(all, job, shared_names, shared);
  all.backward.push_back(
      {"gradient of expert outputs", state * arriving, size.activation, true, {}, true});
  detail::undo_network(all, job, routed_names, routed, "gradient of expert outputs");
  return all;
}

}  // namespace gpuplan::testing
