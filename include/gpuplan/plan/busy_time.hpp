#pragma once
/// \file
/// How long one layer keeps one rank busy with a micro-batch, messages included.

#include <gpuplan/compute/kernel_rates.hpp>
#include <gpuplan/compute/layer_time.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/busy_time_messages.hpp>
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
  const T& exposed = software.exposed;
  const detail::layer_talk<T> talk =
      detail::talk_of(m, kind, how, cut, links, rows, rates.value, exposed);
  const bool exchanges = cut.exchange == context_exchange::all_to_all;
  basic_pass_time<T> ring{
      detail::later<T>(exposed * talk.ring, talk.ring - work.attention.forward),
      detail::later<T>(exposed * (2 * talk.ring), 2 * talk.ring - work.attention.backward)};
  if (exchanges) ring = {talk.ring, talk.ring};  // nothing runs beside it

  // The messages of one micro-batch run beside the computing of another.
  const bool two_ways = how.messages == expert_messages::overlapped ||
                        (how.schedule == pipeline_schedule::dualpipe && cut.pipeline > 1);
  const auto left_of = [&](const basic_seconds<T>& sent, const basic_seconds<T>& hiding) {
    return two_ways ? detail::later<T>(exposed * sent, sent - hiding) : sent;
  };
  // Nothing hides two messages: where there is a context ring, the attention core hides that.
  const basic_pass_time<T> beside =
      cut.context > 1 && !exchanges ? work.products + work.elementwise : all_work;
  const basic_pass_time<T> experts{left_of(talk.expert, beside.forward),
                                   left_of(talk.expert, beside.backward)};
  const basic_seconds<T> forward = all_work.forward + talk.tensor + ring.forward + experts.forward;
  basic_seconds<T> again{};
  if (how.recompute == recompute::full) again = forward;
  if (how.recompute == recompute::selective) again = work.attention.forward;
  if (how.recompute == recompute::alternate_products)
    again = work.products.forward / 2 + work.elementwise.forward;
  const basic_seconds<T> backward =
      all_work.backward + talk.tensor + ring.backward + experts.backward + again;

  basic_busy_time<T> busy{
      .products = work.products.total(),
      .attention = work.attention.total(),
      .elementwise = work.elementwise.total() + software.buffers * work.weights / rates.memory,
      .recompute = again,
      .tensor = 2 * talk.tensor,
      .context = ring.total(),
      .expert = experts.total()};
  constexpr seconds floor = kernels_of_layer * kernel_launch;
  busy.launch = detail::later<T>(floor - forward, seconds{0}) +
                detail::later<T>(2 * floor - backward, seconds{0});

  const auto n = static_cast<double>(cut.shards());
  if (how.zero == zero_stage::parameters && n > 1) {
    const bool hidden = software.hides_data_traffic;
    const T share = hidden ? exposed : T(1);
    const basic_interconnect<T>& shards = detail::gathering(links, software);
    const basic_seconds<T> gather =
        work.weights * (n - 1) / n * rates.value / shards.bandwidth + 2 * start_of(shards);
    const basic_seconds<T> front = detail::later<T>(forward, floor);
    const basic_seconds<T> back = detail::later<T>(backward, 2 * floor);
    const double passes = how.adapts() ? 1 : 2;  // frozen weights have no gradients to scatter
    busy.gather = detail::later<T>(share * gather, gather - front) +
                  detail::later<T>(share * (passes * gather), passes * gather - back);
  }
  return busy;
}

}  // namespace gpuplan
