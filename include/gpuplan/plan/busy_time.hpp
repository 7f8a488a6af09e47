#pragma once
/// \file
/// How long one layer keeps one rank busy with a micro-batch, messages included.

#include <gpuplan/comm/expert_dispatch.hpp>
#include <gpuplan/comm/token_exchange.hpp>
#include <gpuplan/comm/ulysses.hpp>
#include <gpuplan/compute/kernel_rates.hpp>
#include <gpuplan/compute/layer_kernels.hpp>
#include <gpuplan/compute/layer_products.hpp>
#include <gpuplan/compute/layer_time.hpp>
#include <gpuplan/model/attention_shape.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/largest_draw.hpp>
#include <gpuplan/plan/rank_links.hpp>
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

/// Share of the messages of experts that another micro-batch's work hides at best, and the share of
/// that work beside which they run.  The first is set by steps of DeepSeek-V3 (NeMo 26.02 and
/// 26.04), the second an assumption; the fit of benchmarks/accuracy moves neither.
inline constexpr double expert_hiding = 0.887;
inline constexpr double work_beside_messages = 0.9;

namespace detail {

/// The longer of two times; of equals the second, whose slope counts where T has one.
template <class T>
constexpr basic_seconds<T> later(const basic_seconds<T>& a, const basic_seconds<T>& b) {
  return a > b ? a : b;
}

/// Two halves of an all-reduce of `message`, or an all-gather and a reduce-scatter.
template <class T>
constexpr basic_seconds<T> all_reduce_seconds(const basic_interconnect<T>& ring, double ranks,
                                              bytes message) {
  if (ranks <= 1) return {};
  return 2 * (ranks - 1) / ranks * message / ring.bandwidth + 2 * start_of(ring);
}

/// A choice of the recipe, or the software's own.
constexpr bool chosen(software_choice asked, bool by_framework) {
  return asked == software_choice::by_framework ? by_framework : asked == software_choice::on;
}

/// Whether messages of tensor ranks run beside products: Transformer Engine's do in dense models.
template <class T>
constexpr bool overlaps_tensor(const transformer& m, const recipe& how,
                               const basic_framework_profile<T>& software) {
  return chosen(how.overlap.tensor, software.overlaps_tensor && m.moe.experts == 0);
}

template <class T>
constexpr bool overlaps_data(const recipe& how, const basic_framework_profile<T>& software) {
  return chosen(how.overlap.data, software.overlaps_data);
}

/// Where a layer's messages go, before anything hides them.
template <class T>
struct layer_talk {
  basic_pass_time<T> tensor{};
  basic_seconds<T> ring{};    ///< keys and values once round the context ring, or the all-to-alls
  basic_seconds<T> expert{};  ///< there and back
};

/// All-to-alls of one pass over the ranks that share a sequence.
template <class T>
[[gnu::cold]] constexpr basic_seconds<T> exchange_seconds(const transformer& m,
                                                          const parallelism& cut,
                                                          const basic_rank_links<T>& links,
                                                          double rows, bytes value) {
  const spread_ranks ranks{.all = cut.context, .in_node = links.context_in_node};
  const auto time =
      ulysses_time(links.inside, links.outside, ranks, ulysses_messages_of(m, cut, rows, value));
  return time.total() + 4 * collective_start;
}

/// Tokens to their experts, or their results back: the mean of both ways.
template <class T>
[[gnu::cold]] constexpr basic_seconds<T> dispatch_seconds(const transformer& m, const recipe& how,
                                                          const parallelism& cut,
                                                          const basic_rank_links<T>& links,
                                                          double rows,
                                                          const basic_kernel_rates<T>& rates) {
  // What stays in the node goes over its links, the rest over the rank's port, both at once.  The
  // measured start is that of an all-to-all in one node; beyond it the network's latency counts.
  const double x = cut.expert_tensor_ranks();
  const double ranks = cut.expert * x;
  const double near = links.experts_in_node * x;
  const mixture_of_experts& moe = m.moe;
  const bytes own = how.expert_load() * rows / cut.tensor * m.expert_state_size() * rates.value;
  const bool leaves = near < ranks;
  const basic_seconds<T> start = leaves ? 3 * start_of(links.outside) : rates.exchange_start;
  switch (how.dispatcher) {
    case expert_dispatcher::all_to_all: {
      // Tensor ranks of an expert each exchange their own tokens, then gather those of the others.
      const bytes sent = moe.experts_per_token * own;
      const double apart = cut.expert;
      const double beside = links.experts_in_node;
      const basic_seconds<T> exchanged =
          later<T>((beside - 1) / apart * sent / links.inside.bandwidth,
                   (apart - beside) / apart * sent / links.outside.bandwidth);
      return exchanged + (x - 1) * sent / links.inside.bandwidth + start;
    }
    case expert_dispatcher::all_gather:
      return later<T>((near - 1) * own / links.inside.bandwidth,
                      (ranks - near) * own / links.outside.bandwidth) +
             start;
    case expert_dispatcher::deep_ep:
    case expert_dispatcher::hybrid_ep: break;
  }
  const basic_dispatcher_rates<T>& kernels = rates.dispatchers;
  const bool hybrid = how.dispatcher == expert_dispatcher::hybrid_ep;
  const double tokens = how.expert_load() * rows / cut.tensor;
  const token_exchange sent{
      .tokens = tokens,
      .ranks = x * other_nodes_of_token(moe.experts, moe.experts_per_token, cut.expert),
      .nodes = leaves ? other_nodes_of_token(moe.experts, moe.experts_per_token, ranks / near) : 0,
      .token = m.expert_state_size() * rates.value};
  const auto one_way = [&](const basic_bytes_per_second<T>& rate) {
    return token_exchange_time(
        sent, basic_exchange_unit<T>{hybrid ? kernels.hybrid_start : kernels.deep_ep_start,
                                     hybrid ? basic_seconds<T>{} : kernels.deep_ep_token, rate,
                                     links.outside.bandwidth});
  };
  return hybrid ? (one_way(kernels.hybrid_dispatch) + one_way(kernels.hybrid_combine)) / 2.0
                : (one_way(kernels.deep_ep_dispatch) + one_way(kernels.deep_ep_combine)) / 2.0;
}

template <class T>
constexpr layer_talk<T> talk_of(const transformer& m, layer_kind kind, const recipe& how,
                                const parallelism& cut, const basic_rank_links<T>& links,
                                double rows, const basic_kernel_rates<T>& rates,
                                const T& tensor_share) {
  const double t = cut.tensor;
  const bytes value = rates.value;
  layer_talk<T> talk;
  const bytes stream = rows * m.hidden_size * value;
  const double reduces = m.parallel_residual ? 1 : 2;
  // Ranks that divide tokens gather what products take, in its format, and scatter sums.
  const double gathered =
      how.sequence_parallel && rates.formats.operand < value ? rates.formats.operand / value : 1.0;
  const basic_seconds<T> reduced =
      tensor_share * all_reduce_seconds(links.tensor, t, (1 + gathered) / 2 * stream);
  // Gradients of weights need the whole input again where ranks keep a part of its tokens.
  talk.tensor = {reduces * reduced, (how.sequence_parallel ? 1.25 : 1.0) * reduces * reduced};
  if (cut.context > 1 && cut.exchange == context_exchange::all_to_all) {
    talk.ring = exchange_seconds(m, cut, links, rows, value);
  } else if (cut.context > 1) {
    const double shared = cached_values(m, largest_share(m.key_value_heads(), cut.tensor));
    talk.ring = (cut.context - 1.0) *
                (rows * shared * value / links.context.bandwidth + start_of(links.context));
  }
  if (kind == layer_kind::moe && cut.expert * cut.expert_tensor_ranks() > 1)
    talk.expert = 2 * dispatch_seconds(m, how, cut, links, rows, rates);
  return talk;
}

/// What sharded weights are gathered over: software that does not prefetch them gathers tensor by
/// tensor in the order of ranks, over one port.
template <class T>
constexpr const basic_interconnect<T>& gathering(const basic_rank_links<T>& links, bool overlaps) {
  return overlaps ? links.data : links.data_in_turn;
}

/// What is left of the messages of a layer beside the work that hides them.
template <class T>
struct layer_waits {
  basic_pass_time<T> ring{};
  basic_pass_time<T> experts{};
};

template <class T>
constexpr layer_waits<T> waits_of(const recipe& how, const parallelism& cut,
                                  const layer_talk<T>& talk, const basic_layer_time<T>& work,
                                  const T& exposed) {
  const bool exchanges = cut.exchange == context_exchange::all_to_all;
  layer_waits<T> left{
      .ring = {later<T>(exposed * talk.ring, talk.ring - work.attention.forward),
               later<T>(exposed * (2 * talk.ring), 2 * talk.ring - work.attention.backward)}};
  if (exchanges) left.ring = {talk.ring, talk.ring};  // nothing runs beside it

  // The messages of one micro-batch run beside the computing of another.
  const bool two_ways =
      chosen(how.overlap.expert, how.schedule == pipeline_schedule::dualpipe && cut.pipeline > 1);
  const auto left_of = [&](const basic_seconds<T>& sent, const basic_seconds<T>& hiding) {
    return two_ways ? later<T>((1 - expert_hiding) * sent, sent - work_beside_messages * hiding)
                    : sent;
  };
  // Nothing hides two messages: where there is a context ring, the attention core hides that.
  const basic_pass_time<T> beside =
      cut.context > 1 && !exchanges ? work.products + work.elementwise : work.total();
  left.experts = {left_of(talk.expert, beside.forward), left_of(talk.expert, beside.backward)};
  return left;
}

/// What a layer computes again in its backward pass, whose forward pass takes `forward`.
template <class T>
constexpr basic_seconds<T> time_computed_again(recompute again, const basic_layer_time<T>& work,
                                               const basic_seconds<T>& forward) {
  switch (again) {
    case recompute::none: return {};
    case recompute::selective: return work.attention.forward;
    case recompute::alternate_products: return work.products.forward / 2 + work.elementwise.forward;
    case recompute::full: return forward;
  }
  return {};
}

/// What modules that are computed again take, beside what `recompute` names.
template <class T>
[[gnu::cold]] constexpr basic_seconds<T> time_of_modules(const transformer& m, layer_kind kind,
                                                         const recipe& how, const parallelism& cut,
                                                         double rows,
                                                         const basic_kernel_rates<T>& rates,
                                                         const basic_layer_time<T>& work,
                                                         const basic_seconds<T>& messages) {
  if (how.recompute == recompute::full) return {};
  const double t = cut.tensor;
  const bool experts = kind == layer_kind::moe;
  const mixture_of_experts& mixture = m.moe;
  const double gates = m.gated_ffn ? 3 : 2;
  const double residual = (how.sequence_parallel ? rows / t : rows) * m.hidden_size;
  basic_seconds<T> again{};
  if (how.recomputes(recomputed_module::core_attn) && how.recompute != recompute::selective)
    again += work.attention.forward;
  if (how.recomputes(recomputed_module::layernorm))
    again += 4 * residual * rates.value / rates.elementwise;
  const double visits = how.expert_load() * mixture.experts_per_token * rows / t;
  if (experts && how.recomputes(recomputed_module::moe_act) &&
      !how.recomputes(recomputed_module::moe))
    again += gates * visits * mixture.ffn_size * rates.value / rates.permutation;
  const auto products = [&](auto visit_all) {
    basic_seconds<T> sum{};
    visit_all(
        [&](const matrix_product& p) { sum += product_time(p, rates.product, rates.formats); });
    return sum;
  };
  const layer_products all = products_of_layer(m, kind, cut, rows, 0, how.expert_load());
  const double ffn = experts ? mixture.shared_ffn_size : m.ffn_size;
  const auto of_network = [&](auto&& add) {
    if (ffn > 0) {
      add(matrix_product{rows, (m.gated_ffn ? 2 : 1) * largest_share(ffn, t),
                         static_cast<double>(m.hidden_size)});
      add(matrix_product{rows, static_cast<double>(m.hidden_size), largest_share(ffn, t)});
    }
  };
  if (experts ? how.recomputes(recomputed_module::shared_experts)
              : how.recomputes(recomputed_module::mlp))
    again += products(of_network);
  if (experts && how.recomputes(recomputed_module::moe)) {
    again += products([&](auto&& add) {
      for (const matrix_product& p : all)
        if (p.count > 1 || cut.expert == mixture.experts) add(p);
    });
    again += (4 * visits * m.expert_state_size() + gates * visits * mixture.ffn_size) *
                 rates.value / rates.permutation +
             messages;
  }
  if (how.recomputes(recomputed_module::mla_up_proj) && m.latent.kv_rank > 0) {
    const latent_attention& c = m.latent;
    const double heads = largest_share(m.attention_heads, t);
    again += products([&](auto&& add) {
      if (c.query_rank > 0)
        add(matrix_product{rows, heads * m.query_head_dim(), static_cast<double>(c.query_rank)});
      add(matrix_product{rows, heads * (c.content_head_dim + c.value_head_dim),
                         static_cast<double>(c.kv_rank)});
    });
  }
  return again;
}

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

/// What the host adds to a layer: it waits for the device now and then, and the device for it, so
/// its time over twice the device's and its own shows as a share of it; all of it is never less
/// than the host takes.
template <class T>
constexpr basic_seconds<T> launch_wait(const basic_seconds<T>& host,
                                       const basic_seconds<T>& device) {
  if (!(host > seconds{0})) return {};
  return later<T>(host - device, host / (2 * device + host) * host);
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
/// gradients.
template <class T>
constexpr basic_seconds<T> gather_time(double weights, const recipe& how, const parallelism& cut,
                                       const basic_kernel_rates<T>& rates,
                                       const basic_framework_profile<T>& software,
                                       const basic_rank_links<T>& links,
                                       const basic_seconds<T>& beside) {
  const auto n = static_cast<double>(cut.shards());
  const bool overlaps = overlaps_data(how, software);
  const T share = overlaps ? software.data_exposed : T(1);
  const basic_interconnect<T>& shards = gathering(links, overlaps);
  const basic_seconds<T> gather =
      weights * (n - 1) / n * rates.value / shards.bandwidth + 2 * start_of(shards);
  // Frozen weights have no gradients to scatter; the reference model has one pass.
  const double passes = (how.adapts() ? 2 : 3) + (how.runs_reference() ? 1 : 0);
  const basic_seconds<T> moved = passes * gather;
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
///                passes
///     tensor     two all-reduces a pass, or one where attention and feed-forward run beside each
///                other: 2 (2 (t - 1)/t T h x / W + 2 start), times the exposed share where they
///                overlap; a quarter more backward where ranks divide tokens
///     context    (c - 1) messages of keys and values; hidden behind the attention core, at least
///                the exposed share; backward twice as much.  Or all-to-alls before and
///                behind attention, which nothing hides: ulysses_time, as long backward
///     expert     there and back, by the dispatcher: r k T h x / t values each, or one copy for
///                each rank and node, token_exchange_time; hidden behind the layer's work by
///                DualPipe, or where the recipe says so, and there at least 1 - expert_hiding shows
///     gather     weights over n ranks, gathered for both passes and their gradients scattered:
///                3 w (n - 1)/n x / ring; hidden behind both passes, at least the exposed share;
///                4 w with a reference model
///     reference  its forward pass, as long as that of the trained model
///
///     T, x   tokens on the rank, bytes of a value
///     t, c   ranks of tensor and of context
///     w      weights
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
  basic_busy_time<T> busy{
      .products = work.products.total(),
      .attention = work.attention.total(),
      .elementwise = work.elementwise.total() +
                     (copies ? software.buffers * work.weights / rates.memory : basic_seconds<T>{}),
      .recompute = again,
      .tensor = talk.tensor.total(),
      .context = left.ring.total(),
      .expert = left.experts.total()};
  if (how.runs_reference()) [[unlikely]]
    busy.reference = forward + detail::copies_of_one_pass<T>(copies, work.weights, rates, software);
  const basic_seconds<T> passes = forward + backward + busy.reference;
  busy.launch =
      detail::launch_wait<T>(detail::host_of_layer(m, kind, how, cut.tensor, software), passes);
  if (how.zero == zero_stage::parameters && cut.shards() > 1)
    busy.gather = detail::gather_time<T>(work.weights, how, cut, rates, software, links,
                                         passes + busy.launch);
  return busy;
}

}  // namespace gpuplan
