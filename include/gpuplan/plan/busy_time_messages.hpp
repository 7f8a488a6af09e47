#pragma once
/// \file
/// The messages of a layer's ranks: how long one pass of them takes.

#include <gpuplan/comm/expert_dispatch.hpp>
#include <gpuplan/comm/ulysses.hpp>
#include <gpuplan/compute/layer_time.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/rank_links.hpp>

namespace gpuplan::detail {

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
    const double shared =
        m.latent.kv_rank > 0
            ? m.latent.kv_rank + m.latent.rope_head_dim
            : 2.0 * largest_share(m.key_value_heads(), cut.tensor) * m.query_head_dim();
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

}  // namespace gpuplan::detail
