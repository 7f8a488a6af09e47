#pragma once
/// \file
/// The messages of a layer, and what is left of them beside the work that hides them.

#include <gpuplan/comm/expert_dispatch.hpp>
#include <gpuplan/comm/token_exchange.hpp>
#include <gpuplan/comm/ulysses.hpp>
#include <gpuplan/compute/kernel_rates.hpp>
#include <gpuplan/compute/layer_time.hpp>
#include <gpuplan/model/attention_shape.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/rank_links.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Share of the messages of experts that another micro-batch's work hides at best, and the share of
/// that work beside which they run.  The first is set by steps of DeepSeek-V3 (NeMo 26.02 and
/// 26.04), the second an assumption; the fit of benchmarks/accuracy moves neither.
inline constexpr double expert_hiding = 0.887;
inline constexpr double work_beside_messages = 0.9;

/// The line rate of the fastest port over which tokens were measured on their way to experts of
/// other nodes: 400 Gb/s.  Steps on 800 Gb/s for each GPU (GPT-OSS 120B on DGX B300, mixtures on
/// B300 over EFA) show no faster exchange.
///
/// Source: DeepSeek-AI, "DeepEP", github.com/deepseek-ai/DeepEP (2025), over ConnectX-7.
inline constexpr bytes_per_second measured_expert_port = 50 * units::GB / units::second;

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

/// Bandwidth of a GPU's port for tokens sent to experts of other nodes, at most fabric_share
/// measured_expert_port.
///
///     outside  of step_links_of, which has taken fabric_share of it
template <class T>
constexpr basic_bytes_per_second<T> expert_port(const basic_interconnect<T>& outside) {
  const basic_bytes_per_second<T> most{fabric_share * measured_expert_port};
  return outside.bandwidth < most ? outside.bandwidth : most;
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
  const basic_bytes_per_second<T> port = expert_port(links.outside);
  const basic_seconds<T> start = leaves ? 3 * start_of(links.outside) : rates.exchange_start;
  switch (how.dispatcher) {
    case expert_dispatcher::all_to_all: {
      // Tensor ranks of an expert each exchange their own tokens, then gather those of the others:
      // NVIDIA, "Megatron-LM", moe/token_dispatcher.py, MoEAlltoAllTokenDispatcher (2026).
      const bytes sent = moe.experts_per_token * own;
      const double members = cut.expert;
      const double near_members = links.experts_in_node;
      const basic_seconds<T> exchanged =
          later<T>((near_members - 1) / members * sent / links.inside.bandwidth,
                   (members - near_members) / members * sent / port);
      return exchanged + (x - 1) * sent / links.inside.bandwidth + start;
    }
    case expert_dispatcher::all_gather:
      return later<T>((near - 1) * own / links.inside.bandwidth, (ranks - near) * own / port) +
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
        sent,
        basic_exchange_unit<T>{hybrid ? kernels.hybrid_start : kernels.deep_ep_start,
                               hybrid ? basic_seconds<T>{} : kernels.deep_ep_token, rate, port});
  };
  return hybrid ? (one_way(kernels.hybrid_dispatch) + one_way(kernels.hybrid_combine)) / 2.0
                : (one_way(kernels.deep_ep_dispatch) + one_way(kernels.deep_ep_combine)) / 2.0;
}

/// Values of a token that ranks gather for attention, over the hidden size: latents are made of the
/// tokens that a rank has, and gathered in place of the state.
///
/// Source: NVIDIA, "Megatron-LM", transformer/multi_latent_attention.py (2026).
constexpr double gathered_for_attention(const transformer& m) {
  if (m.latent.kv_rank == 0) return 1;
  const latent_attention& c = m.latent;
  const double queries = c.query_rank > 0 ? c.query_rank : m.hidden_size;
  return (queries + c.kv_rank + c.rope_head_dim) / m.hidden_size;
}

/// Networks of a layer whose input ranks gather and whose output they sum, those beside attention
/// left out, which are in its sum.  The tokens of routed experts travel with the dispatcher.
constexpr double summed_networks(const transformer& m, layer_kind kind) {
  if (m.parallel_residual) return 0;
  return kind == layer_kind::dense || m.moe.shared_ffn_size > 0 ? 1 : 0;
}

/// Values of keys and values of a token that go round a context ring: of latents the heads that are
/// expanded from them, unless the core works on latents.
///
/// Source: NVIDIA, "Transformer Engine", pytorch/attention, context_parallel.py (2026).
constexpr double ring_values(const transformer& m, const recipe& how, double tensor) {
  const bool absorbed = absorbs_latents(m) && how.attention == attention_kernel::flash;
  if (absorbed) return cached_values(m, 1);
  return largest_share(expanded_key_heads(m), tensor) * (m.query_head_dim() + m.value_head_dim());
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
  // Ranks that divide tokens gather what products take, in its format, and scatter sums.
  const double gathered =
      how.sequence_parallel && rates.formats.operand < value ? rates.formats.operand / value : 1.0;
  const auto reduced = [&](double width) {
    return tensor_share * all_reduce_seconds(links.tensor, t, (1 + gathered * width) / 2 * stream);
  };
  const basic_seconds<T> sums = reduced(how.sequence_parallel ? gathered_for_attention(m) : 1) +
                                summed_networks(m, kind) * reduced(1);
  // Gradients of weights need the whole input again where ranks keep a part of its tokens.
  talk.tensor = {sums, (how.sequence_parallel ? 1.25 : 1.0) * sums};
  if (cut.context > 1 && cut.exchange == context_exchange::all_to_all) {
    talk.ring = exchange_seconds(m, cut, links, rows, value);
  } else if (cut.context > 1) {
    const double shared = ring_values(m, how, cut.tensor);
    talk.ring = (cut.context - 1.0) *
                (rows * shared * value / links.context.bandwidth + start_of(links.context));
  }
  if (kind == layer_kind::moe && cut.expert * cut.expert_tensor_ranks() > 1)
    talk.expert = 2 * dispatch_seconds(m, how, cut, links, rows, rates);
  return talk;
}

/// What sharded weights are gathered over: software that never prefetches them gathers tensor by
/// tensor in the order of ranks, over one port.  Where software that does is told to wait, its
/// messages stay what they are.
template <class T>
constexpr const basic_interconnect<T>& gathering(const basic_rank_links<T>& links,
                                                 const recipe& how,
                                                 const basic_framework_profile<T>& software) {
  const bool in_turn = !software.overlaps_data && !overlaps_data(how, software);
  return in_turn ? links.data_in_turn : links.data;
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

}  // namespace detail
}  // namespace gpuplan
