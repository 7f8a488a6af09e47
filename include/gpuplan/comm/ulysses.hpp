#pragma once
/// \file
/// All-to-alls of Ulysses sequence parallelism: from parts of a sequence to heads, and back.

#include <type_traits>

#include <gpuplan/comm/bandwidth.hpp>
#include <gpuplan/comm/collective.hpp>
#include <gpuplan/comm/collective_time.hpp>
#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/model/attention_shape.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What one rank holds of the four tensors that change hands in a layer's forward pass, its own
/// piece of each included.  In the backward pass their gradients go the other way.
struct ulysses_messages {
  bytes queries{};
  bytes keys{};
  bytes values{};
  bytes output{};

  [[nodiscard]] constexpr bytes total() const { return queries + keys + values + output; }
};

/// The tensors of one attention layer that ranks exchange.
///
///     queries  T a d x / t     keys  T g d x / t     values  T g e x / t     output  T a e x / t
///
///     T     rows: tokens of a rank, of b s / c              count, >= 0
///     a, g  query heads, key-value heads; g = a with latent attention, whose keys are expanded
///     d, e  width of a query and of a value head
///     t     cut.tensor                                      ranks
///     x     value: bytes of an activation                   B, >= 0
///
/// Holds where t c divides a and g, so that every rank gets whole heads.
///
/// Source: S. A. Jacobs et al., "DeepSpeed Ulysses: System Optimizations for Enabling Training of
/// Extreme Long Sequence Transformer Models", arXiv:2309.14509 (2023), section 3.
///
/// \throws invalid_input if rows < 0 or value < 0 B
constexpr ulysses_messages ulysses_messages_of(const transformer& m, const parallelism& cut,
                                               double rows, bytes value) {
  require(rows >= 0, "ulysses_messages_of: rows must be >= 0");
  require(value >= bytes{0}, "ulysses_messages_of: value must be >= 0 B");
  const bytes of_width = rows * value / cut.tensor;
  const double heads = m.attention_heads;
  const double shared = expanded_key_heads(m);
  return {.queries = heads * m.query_head_dim() * of_width,
          .keys = shared * m.query_head_dim() * of_width,
          .values = shared * m.value_head_dim() * of_width,
          .output = heads * m.value_head_dim() * of_width};
}

/// Ranks of an all-to-all, and how many of them share a node.
struct spread_ranks {
  int all = 1;      ///< >= 1
  int in_node = 1;  ///< 1 to all
};

/// One pass of a layer: four all-to-alls, one after another.
///
///     T = 4 l  +  max((k - 1)/c M / W1,  (c - k)/c M / W2)
///
///     c, k    ranks.all, ranks.in_node                               count
///     M       what a rank holds of the four tensors, sent.total()    B, >= 0
///     W1, W2  inside.bandwidth, outside.bandwidth, of each rank      B/s
///     l       latency: of outside where c > k                        s, >= 0
///
/// The first term of the result is `latency`, the second `transfer`.  What stays in a node goes
/// over its links, the rest over the rank's own port, both at once.  One rank takes no time.
/// Nothing hides it: attention waits for all three tensors, the projection for its output.
///
/// Holds: nothing runs beside it; both kinds of link at once.
///
/// Source: S. A. Jacobs et al. (2023) as above.
///
/// \throws invalid_input if ranks.all < 1, ranks.in_node is not 1 to ranks.all, or a link is
///         invalid
template <class T>
constexpr basic_collective_time<T> ulysses_time(
    const basic_interconnect<T>& inside, const std::type_identity_t<basic_interconnect<T>>& outside,
    const spread_ranks& ranks, const ulysses_messages& sent) {
  require(ranks.all >= 1, "ulysses_time: ranks.all must be >= 1");
  require(ranks.in_node >= 1 && ranks.in_node <= ranks.all,
          "ulysses_time: ranks.in_node must be 1 to ranks.all");
  require_valid(inside);
  require_valid(outside);
  if (ranks.all == 1) return {};
  const double all = ranks.all;
  const basic_seconds<T> here = (ranks.in_node - 1) / all * sent.total() / inside.bandwidth;
  const basic_seconds<T> there = (all - ranks.in_node) / all * sent.total() / outside.bandwidth;
  return {.latency = 4 * (ranks.all > ranks.in_node ? outside.latency : inside.latency),
          .transfer = larger(here, there)};
}

}  // namespace gpuplan
