#pragma once
/// \file
/// How long one layer keeps one rank busy with a micro-batch, messages included.

#include <gpuplan/comm/expert_dispatch.hpp>
#include <gpuplan/comm/ulysses.hpp>
#include <gpuplan/compute/kernel_rates.hpp>
#include <gpuplan/compute/layer_products.hpp>
#include <gpuplan/compute/layer_time.hpp>
#include <gpuplan/model/attention_shape.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
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
  basic_seconds<T> gather{};  ///< of sharded weights, and of their gradients

  [[nodiscard]] constexpr basic_seconds<T> total() const {
    return products + attention + elementwise + recompute + ends + launch + tensor + context +
           expert + gather;
  }
  /// What the GPU itself works on, messages that are sent again among it.
  [[nodiscard]] constexpr basic_seconds<T> kernels() const {
    return products + attention + elementwise + recompute + ends;
  }
  friend constexpr basic_busy_time operator+(const basic_busy_time& a, const basic_busy_time& b) {
    return {a.products + b.products,   a.attention + b.attention, a.elementwise + b.elementwise,
            a.recompute + b.recompute, a.ends + b.ends,           a.launch + b.launch,
            a.tensor + b.tensor,       a.context + b.context,     a.expert + b.expert,
            a.gather + b.gather};
  }
  friend constexpr basic_busy_time operator*(double n, const basic_busy_time& a) {
    return {n * a.products, n * a.attention, n * a.elementwise, n * a.recompute, n * a.ends,
            n * a.launch,   n * a.tensor,    n * a.context,     n * a.expert,    n * a.gather};
  }
};

/// Kernels of a layer's forward pass: norms, products, attention, activation, residuals, and what
/// copies between them.  A count of Megatron Core's dense layer.
inline constexpr int kernels_of_layer = 16;

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

/// Where a layer's messages go, and how well they hide.
template <class T>
struct layer_talk {
  basic_seconds<T> tensor{};  ///< of one pass
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

template <class T>
constexpr layer_talk<T> talk_of(const transformer& m, layer_kind kind, const recipe& how,
                                const parallelism& cut, const basic_rank_links<T>& links,
                                double rows, bytes value, const T& exposed) {
  const double t = cut.tensor;
  layer_talk<T> talk;
  const bytes stream = rows * m.hidden_size * value;
  const double reduces = m.parallel_residual ? 1 : 2;
  talk.tensor = exposed * (reduces * all_reduce_seconds(links.tensor, t, stream));
  if (cut.context > 1 && cut.exchange == context_exchange::all_to_all) {
    talk.ring = exchange_seconds(m, cut, links, rows, value);
  } else if (cut.context > 1) {
    const double shared = cached_values(m, largest_share(m.key_value_heads(), cut.tensor));
    talk.ring = (cut.context - 1.0) *
                (rows * shared * value / links.context.bandwidth + start_of(links.context));
  }
  if (kind == layer_kind::moe && cut.expert > 1) {
    // What stays in the node goes over its links, the rest over the rank's port, both at once.
    const double e = cut.expert;
    const bytes token = how.expert_imbalance * stream / t;
    const bytes sent = token * m.moe.experts_per_token;
    const double near = links.experts_in_node;
    basic_seconds<T> here = (near - 1) / e * sent / links.inside.bandwidth;
    basic_seconds<T> there = (e - near) / e * sent / links.outside.bandwidth;
    if (how.dispatch == expert_dispatch::to_each_node && near < e) {
      here = (near - 1) / near * sent / links.inside.bandwidth;
      there = other_nodes_of_token(m.moe.experts, m.moe.experts_per_token, e / near) * token /
              links.outside.bandwidth;
    }
    talk.expert = 2 * (later<T>(here, there) + start_of(near < e ? links.outside : links.inside));
  }
  return talk;
}

/// What sharded weights are gathered over: software that does not prefetch them gathers tensor by
/// tensor in the order of ranks, over one port.
template <class T>
constexpr const basic_interconnect<T>& gathering(const basic_rank_links<T>& links,
                                                 const basic_framework_profile<T>& software) {
  return software.hides_data_traffic ? links.data : links.data_in_turn;
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
  const bool two_ways = how.messages == expert_messages::overlapped ||
                        (how.schedule == pipeline_schedule::dualpipe && cut.pipeline > 1);
  const auto left_of = [&](const basic_seconds<T>& sent, const basic_seconds<T>& hiding) {
    return two_ways ? later<T>(exposed * sent, sent - hiding) : sent;
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

/// What is left of gathering the weights of a layer for both passes, and of scattering their
/// gradients.
template <class T>
constexpr basic_seconds<T> gather_time(double weights, const recipe& how, const parallelism& cut,
                                       const basic_kernel_rates<T>& rates,
                                       const basic_framework_profile<T>& software,
                                       const basic_rank_links<T>& links,
                                       const basic_pass_time<T>& pass) {
  const auto n = static_cast<double>(cut.shards());
  const T share = software.hides_data_traffic ? software.exposed : T(1);
  const basic_interconnect<T>& shards = gathering(links, software);
  const basic_seconds<T> gather =
      weights * (n - 1) / n * rates.value / shards.bandwidth + 2 * start_of(shards);
  const double passes = how.adapts() ? 1 : 2;  // frozen weights have no gradients to scatter
  return later<T>(share * gather, gather - pass.forward) +
         later<T>(share * (passes * gather), passes * gather - pass.backward);
}

}  // namespace detail

/// One layer, one micro-batch, one rank.
///
///     forward    products + attention + elementwise + messages, at least 16 launches
///     backward   likewise, and what is computed again, at least 32 launches
///     tensor     two all-reduces a pass, or one where attention and feed-forward run beside each
///                other: 2 (2 (t - 1)/t T h x / W + 2 start), times the exposed share
///     context    (c - 1) messages of keys and values; hidden behind the attention core, at least
///                the exposed share; backward twice as much.  Or all-to-alls before and
///                behind attention, which nothing hides: ulysses_time, as long backward
///     expert     there and back, r k T h x / t values each, or one copy for each node; hidden
///                behind the layer's work by DualPipe, or where the recipe says so, and there at
///                least the exposed share shows
///     gather     weights over n ranks: 2 w (n - 1)/n x / ring; hidden behind the pass they are
///                for, at least the exposed share; backward gathers and scatters: twice as much
///
///     T, x   tokens on the rank, bytes of a value
///     t, c   ranks of tensor and of context
///     w      weights
///     r      how.expert_imbalance
///     start  start_of the link
///
/// Source: the parts'; exposed shares are constants of framework_profile.
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
  const detail::layer_talk<T> talk =
      detail::talk_of(m, kind, how, cut, links, rows, rates.value, software.exposed);
  const detail::layer_waits<T> left = detail::waits_of(how, cut, talk, work, software.exposed);
  const basic_seconds<T> forward =
      all_work.forward + talk.tensor + left.ring.forward + left.experts.forward;
  const basic_seconds<T> again = detail::time_computed_again(how.recompute, work, forward);
  const basic_seconds<T> backward =
      all_work.backward + talk.tensor + left.ring.backward + left.experts.backward + again;

  basic_busy_time<T> busy{
      .products = work.products.total(),
      .attention = work.attention.total(),
      .elementwise = work.elementwise.total() + software.buffers * work.weights / rates.memory,
      .recompute = again,
      .tensor = 2 * talk.tensor,
      .context = left.ring.total(),
      .expert = left.experts.total()};
  constexpr seconds floor = kernels_of_layer * kernel_launch;
  busy.launch = detail::later<T>(floor - forward, seconds{0}) +
                detail::later<T>(2 * floor - backward, seconds{0});
  if (how.zero == zero_stage::parameters && cut.shards() > 1)
    busy.gather = detail::gather_time<T>(
        work.weights, how, cut, rates, software, links,
        {detail::later<T>(forward, floor), detail::later<T>(backward, 2 * floor)});
  return busy;
}

}  // namespace gpuplan
