#pragma once
/// \file
/// How long one layer keeps one rank busy with a micro-batch, messages included.

#include <cstdint>

#include <gpuplan/compute/kernel_rates.hpp>
#include <gpuplan/compute/layer_kernels.hpp>
#include <gpuplan/compute/layer_time.hpp>
#include <gpuplan/memory/stage_parameters.hpp>
#include <gpuplan/memory/stage_states.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/model/frozen_weights.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/detail/layer_recompute.hpp>
#include <gpuplan/plan/largest_draw.hpp>
#include <gpuplan/plan/layer_messages.hpp>
#include <gpuplan/plan/rank_links.hpp>
#include <gpuplan/units/number_format.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Seconds of one micro-batch, by what they are spent on.
template <class T>
struct basic_busy_time {
  basic_seconds<T> products{};
  basic_seconds<T> attention{};    ///< its core
  basic_seconds<T> elementwise{};  ///< and what software moves besides
  basic_seconds<T> recompute{};    ///< all of a forward pass that is done again, messages too
  basic_seconds<T> ends{};         ///< embedding, head and loss
  basic_seconds<T> launch{};       ///< of kernels, where the GPU waits for it
  basic_seconds<T> tensor{};
  basic_seconds<T> context{};
  basic_seconds<T> expert{};
  basic_seconds<T> gather{};     ///< of sharded weights, and of their gradients
  basic_seconds<T> reference{};  ///< a forward pass of a reference model, messages too

  [[nodiscard]] constexpr basic_seconds<T> total() const {
    return products + attention + elementwise + recompute + ends + launch + tensor + context +
           expert + gather + reference;
  }
  /// What the GPU itself works on, messages that are sent again among it.
  [[nodiscard]] constexpr basic_seconds<T> kernels() const {
    return products + attention + elementwise + recompute + ends + reference;
  }
  friend constexpr basic_busy_time operator+(const basic_busy_time& a, const basic_busy_time& b) {
    return {a.products + b.products,   a.attention + b.attention, a.elementwise + b.elementwise,
            a.recompute + b.recompute, a.ends + b.ends,           a.launch + b.launch,
            a.tensor + b.tensor,       a.context + b.context,     a.expert + b.expert,
            a.gather + b.gather,       a.reference + b.reference};
  }
  friend constexpr basic_busy_time operator*(double n, const basic_busy_time& a) {
    return {n * a.products, n * a.attention, n * a.elementwise, n * a.recompute,
            n * a.ends,     n * a.launch,    n * a.tensor,      n * a.context,
            n * a.expert,   n * a.gather,    n * a.reference};
  }
};

/// What CUDA graphs leave of the host's time where they launch what has one shape in every step: a
/// dense layer whole; of a layer of experts, where shapes change, attention, router and shared
/// experts.  For a dense layer an assumption, as it is launched once; for one of experts set by
/// steps of Qwen3 30B with and without graphs (NeMo 26.02 and 26.02.01).  The fit of
/// benchmarks/accuracy moves neither.
inline constexpr double dense_host_of_graphs = 0.1;
inline constexpr double expert_host_of_graphs = 0.44;

/// Deviation of a host's time for a layer among those of tensor ranks, which all wait for the
/// slowest.  Set by steps of GPT on one node of A100, by tensor width, and of mixtures of experts
/// of tensor width 2 and 8; the fit of benchmarks/accuracy does not move it.
inline constexpr double host_spread = 0.13;

/// Launches of the embedding with the samples it reads, or of the head with its loss, over those of
/// a dense layer.  An assumption; a micro-batch of GPT on one node of A100 takes 2.0 to 2.3 ms more
/// than its layers and the products of its head, which is as long as the host takes for a layer.
inline constexpr double launches_of_end = 0.5;

namespace detail {

/// The products of shared experts, beside which routed tokens may be on their way.
template <class T>
[[gnu::cold]] constexpr basic_pass_time<T> shared_expert_time(const transformer& m,
                                                              const parallelism& cut, double rows,
                                                              const basic_kernel_rates<T>& rates) {
  const double width = largest_share(m.moe.shared_ffn_size, cut.tensor);
  const double hidden = m.hidden_size;
  const auto pass = [&](const matrix_product& p) {
    return product_pass_time(p, rates.product, rates.formats, rates.weight_gradient);
  };
  return pass({rows, (m.gated_ffn ? 2 : 1) * width, hidden}) + pass({rows, hidden, width});
}

/// What the host adds to a layer; all of it is never less than the host takes.  A host that does
/// not run ahead waits for the device now and then, and the device for it, so its time over twice
/// the device's and its own shows as a share of it.  One that runs ahead adds no more than that:
/// what it lacks, and a little where it is about as fast as the device, nearly
/// (g^4 + d^4)^(1/4) - d.  The power 4 fits steps of GPT on one A100; 1.3 makes it the fourth root
/// within 0.1 %.
template <class T>
constexpr basic_seconds<T> launch_wait(const basic_seconds<T>& host, const basic_seconds<T>& device,
                                       bool ahead) {
  if (!(host > seconds{0})) return {};
  const basic_seconds<T> held_up = later<T>(host - device, host / (2 * device + host) * host);
  if (!ahead) return held_up;
  const bool launches = host > device;
  const basic_seconds<T>& longer = launches ? host : device;
  const T ratio = (launches ? device : host) / longer;
  const T fourth = ratio * ratio * ratio * ratio;
  const basic_seconds<T> alone =
      later<T>(host - device, seconds{0}) + fourth / (4 + 1.3 * fourth) * longer;
  return alone < held_up ? alone : held_up;
}

/// Whether the host of a rank runs ahead of its device: no message within layers, of all or of
/// some, has ranks wait for each other.
template <class T>
constexpr bool launches_ahead(const recipe& how, const parallelism& cut,
                              const basic_framework_profile<T>& software) {
  const bool gathers = how.zero == zero_stage::parameters && cut.shards() > 1;
  return software.launches_ahead && cut.tensor == 1 && cut.context == 1 &&
         cut.expert * cut.expert_tensor_ranks() == 1 && !gathers;
}

/// The host's time for the embedding of a micro-batch, or for its head, those of a reference model
/// with them.  Nothing hides it, since reading samples waits for the device; where graphs launch
/// the layers, the host is there before.
template <class T>
constexpr basic_seconds<T> host_of_end(const recipe& how,
                                       const basic_framework_profile<T>& software) {
  if (how.cuda_graphs != cuda_graphs::none) return {};
  const double passes = how.runs_reference() ? 1 + forward_kernels : 1;
  return passes * launches_of_end * software.dense_host;
}

/// The host's time for a layer and micro-batch, both passes; the slowest host of those whose ranks
/// exchange messages in it.  What latent attention and shared experts launch beyond a layer without
/// them counts by kernels, each as long as those of a dense layer are in the mean; graphs of fixed
/// shapes hold it.
template <class T>
constexpr basic_seconds<T> host_of_layer(const transformer& m, layer_kind kind, const recipe& how,
                                         int tensor, const basic_framework_profile<T>& software) {
  if (how.cuda_graphs == cuda_graphs::iteration) return {};
  const bool experts = kind == layer_kind::moe;
  const bool graphs = how.cuda_graphs == cuda_graphs::fixed_shapes;
  double passes = how.recompute == recompute::full ? 1 + forward_kernels : 1;
  if (how.runs_reference()) passes += forward_kernels;
  const double of_experts = graphs ? expert_host_of_graphs : 1.0;
  const double of_dense = graphs ? dense_host_of_graphs : 1.0;
  const double further =
      further_kernels(m, kind, how) / (kernels_of_attention + kernels_of_network);
  const basic_seconds<T> all =
      (experts ? of_experts * software.expert_host : of_dense * software.dense_host) +
      of_dense * further * software.dense_host;
  return passes * (1 + host_spread * largest_draw(tensor)) * all;
}

/// What is left of gathering the weights of a layer for both passes, and of scattering their
/// gradients.  Routed experts, `experts` of the weights, are divided over ranks of their own.
template <class T>
constexpr basic_seconds<T> gather_time(double weights, double experts, const recipe& how,
                                       const parallelism& cut, const basic_kernel_rates<T>& rates,
                                       const basic_framework_profile<T>& software,
                                       const basic_rank_links<T>& links,
                                       const basic_seconds<T>& beside) {
  const auto missing = [](std::int64_t shards) { return 1 - 1 / static_cast<double>(shards); };
  const T share = overlaps_data(how, software) ? software.data_exposed : T(1);
  const basic_interconnect<T>& shards = gathering(links, how, software);
  const std::int64_t of_experts = expert_shards(cut);
  const bool apart = experts > 0 && of_experts != cut.shards();
  const double together = apart ? weights - experts : weights;
  const auto one_pass = [&](bytes each) {
    basic_seconds<T> time =
        together * missing(cut.shards()) * each / shards.bandwidth + 2 * start_of(shards);
    if (apart && of_experts > 1)
      time += experts * missing(of_experts) * each / links.expert_data.bandwidth +
              2 * start_of(links.expert_data);
    return time;
  };
  // Frozen weights have no gradients to scatter, and travel as they are kept; the reference model
  // has one pass.
  const double gathers = how.runs_reference() ? 3 : 2;
  basic_seconds<T> moved =
      gathers *
      one_pass(how.adapts() ? smaller(rates.value, bytes_per_frozen_weight(how)) : rates.value);
  if (!how.adapts()) moved += one_pass(limits_of(gradient_reduction(how)).storage);
  return later<T>(share * moved, moved - beside);
}

/// Copies of a layer's weights for one of the three passes that gather_time counts.
template <class T>
[[gnu::cold]] constexpr basic_seconds<T> copies_of_one_pass(
    bool copies, double weights, const basic_kernel_rates<T>& rates,
    const basic_framework_profile<T>& software) {
  constexpr double passes = 3;
  return copies ? software.buffers * weights / rates.memory / passes : basic_seconds<T>{};
}

}  // namespace detail

/// One layer, one micro-batch, one rank.
///
///     forward    products + attention + elementwise + messages
///     backward   likewise, and what is computed again
///     launch     max(g - d, g / (2 d + g) g): of the host's time g beside the device's d, both
///                passes; where the host runs ahead at most
///                max(g - d, 0) + q^4 / (4 + 1.3 q^4) max(g, d), q = min(g, d) / max(g, d)
///     tensor     two all-reduces a pass, or one where attention and feed-forward run beside each
///                other, or experts are routed and none shared: 2 (2 (t - 1)/t T h x / W + 2
///                start), times the exposed share where they overlap; a quarter more backward
///                where ranks divide tokens, which then gather latents in place of the state
///     context    (c - 1) messages of keys and values, of latents the expanded heads; hidden
///                behind the attention core, at least the exposed share; backward twice as much.
///                Or all-to-alls before and behind attention, which nothing hides:
///                ulysses_time, as long backward
///     expert     there and back, by the dispatcher: r k T h x / t values each, or one copy for
///                each rank and node, token_exchange_time; between nodes over at most
///                fabric_share measured_expert_port; hidden behind the layer's work by
///                DualPipe, or where the recipe says so, and there at least 1 - expert_hiding shows
///     gather     weights over n ranks, gathered for both passes and a reference model's, and
///                their gradients scattered: w (n - 1)/n (2 x + g) / ring; of frozen weights
///                2 w (n - 1)/n x', as they are kept; routed experts over the expert_shards;
///                hidden behind both passes, at least the exposed share
///     element    elementwise kernels of the layer, copies of weights, and
///                rates.gradient_addition for each weight
///     reference  its forward pass, as long as that of the trained model
///
///     T, x   tokens on the rank, bytes of a value
///     t, c   ranks of tensor and of context
///     w      weights
///     g, x'  bytes of a gradient as ranks reduce it, of a frozen weight
///     r      how.expert_load()
///     start  start_of the link
///
/// Source: the parts'; exposed shares and times of hosts are constants of framework_profile.
///
/// \throws invalid_input as layer_time does
template <class T>
constexpr basic_busy_time<T> busy_time_of_layer(const transformer& m, layer_kind kind,
                                                const recipe& how, const parallelism& cut,
                                                const layer_tokens& seen,
                                                const basic_kernel_rates<T>& rates,
                                                const basic_framework_profile<T>& software,
                                                const basic_rank_links<T>& links) {
  const basic_layer_time<T> work = layer_time(m, kind, how, cut, seen, rates);
  const basic_pass_time<T> all_work = work.total();
  const double rows =
      largest_share(static_cast<double>(seen.sequence_length) * cut.micro_batch_size, cut.context);
  const T tensor_share = detail::overlaps_tensor(m, how, software) ? software.tensor_exposed : T(1);
  const detail::layer_talk<T> talk =
      detail::talk_of(m, kind, how, cut, links, rows, rates, tensor_share);
  detail::layer_waits<T> left = detail::waits_of(how, cut, talk, work, software.data_exposed);
  if (how.shared_expert_overlap && kind == layer_kind::moe && m.moe.shared_ffn_size > 0)
      [[unlikely]] {
    const basic_pass_time<T> shared = detail::shared_expert_time(m, cut, rows, rates);
    left.experts = {detail::later<T>(left.experts.forward - shared.forward, seconds{0}),
                    detail::later<T>(left.experts.backward - shared.backward, seconds{0})};
  }
  const basic_seconds<T> forward =
      all_work.forward + talk.tensor.forward + left.ring.forward + left.experts.forward;
  basic_seconds<T> again = detail::time_computed_again(how.recompute, work, forward);
  if (how.recompute_modules.bits != 0) [[unlikely]]
    again += detail::time_of_modules(m, kind, how, cut, rows, rates, work, left.experts.forward);
  const basic_seconds<T> backward =
      all_work.backward + talk.tensor.backward + left.ring.backward + left.experts.backward + again;

  // Weights that are gathered, or kept wider than products take them, are copied for each pass.
  const bool copies = how.zero == zero_stage::parameters || how.weights == weight_storage::fp32;
  basic_seconds<T> moved{};
  if (copies) moved += software.buffers * work.weights / rates.memory;
  if (rates.gradient_addition > bytes{0}) [[unlikely]]
    moved += rates.gradient_addition * work.weights / rates.memory;
  basic_busy_time<T> busy{.products = work.products.total(),
                          .attention = work.attention.total(),
                          .elementwise = work.elementwise.total() + moved,
                          .recompute = again,
                          .tensor = talk.tensor.total(),
                          .context = left.ring.total(),
                          .expert = left.experts.total()};
  if (how.runs_reference()) [[unlikely]]
    busy.reference = forward + detail::copies_of_one_pass<T>(copies, work.weights, rates, software);
  const basic_seconds<T> passes = forward + backward + busy.reference;
  busy.launch = detail::launch_wait<T>(detail::host_of_layer(m, kind, how, cut.tensor, software),
                                       passes, detail::launches_ahead(how, cut, software));
  if (how.zero == zero_stage::parameters && cut.shards() > 1)
    busy.gather = detail::gather_time<T>(
        work.weights, kind == layer_kind::moe ? layer_on_rank(m, kind, cut).experts : 0, how, cut,
        rates, software, links, passes + busy.launch);
  return busy;
}

}  // namespace gpuplan
