#pragma once
/// \file
/// How long one layer keeps one rank computing, for one micro-batch; without communication.

#include <gpuplan/compute/adapter_time.hpp>
#include <gpuplan/compute/attention_time.hpp>
#include <gpuplan/compute/detail/elementwise_time.hpp>
#include <gpuplan/compute/grouped_gemm.hpp>
#include <gpuplan/compute/kernel_rates.hpp>
#include <gpuplan/compute/layer_flop.hpp>
#include <gpuplan/compute/layer_kernels.hpp>
#include <gpuplan/compute/layer_products.hpp>
#include <gpuplan/compute/recurrence_time.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>

namespace gpuplan {

/// Time of a layer by part.
template <class T>
struct basic_layer_time {
  basic_pass_time<T> products{};
  basic_pass_time<T> attention{};    ///< its core
  basic_pass_time<T> elementwise{};  ///< norms, activations, residuals, dropout, casts
  double weights = 0;                ///< that the rank multiplies by

  [[nodiscard]] constexpr basic_pass_time<T> total() const {
    return products + attention + elementwise;
  }
};

/// Which tokens a layer works on, on one rank.
struct layer_tokens {
  int sequence_length = 1;  ///< of its own sequence
  int attended_length = 0;  ///< of an encoder's, for a decoder beside one; 0: none
  attention_mask mask = attention_mask::causal;
};

namespace detail {

/// What the products of a layer add up to.
template <class T>
struct products_work {
  basic_pass_time<T> time{};
  double weights = 0;  ///< that the rank multiplies by
  double cast = 0;     ///< values of left operands and of results, which products cast
};

/// Products of a rank's experts: both that read weights as grouped_product_time has them, and the
/// gradients of weights, which are added to what memory holds.
template <class T>
constexpr basic_pass_time<T> grouped_pass_time(const matrix_product& p,
                                               const basic_kernel_rates<T>& rates) {
  const basic_grouped_unit<T> unit{.product = rates.product, .weights = rates.expert_weights};
  const auto grouped = [&](const matrix_product& one) {
    return grouped_product_time(one, unit, rates.formats, grouped_launch::fused);
  };
  return {grouped(p), grouped(p.left_gradient()) +
                          weight_gradient_time(p.right_gradient(), rates.product,
                                               rates.formats.operand, rates.weight_gradient)};
}

/// One product and its gradients.
template <class T>
constexpr void add_product(products_work<T>& sum, const matrix_product& p,
                           const tiled_side& its_rows, const unit_clock<T>& unit,
                           const basic_kernel_rates<T>& rates) {
  sum.time = sum.time + pass_time_of(p, its_rows, unit, rates.formats, rates.weight_gradient);
  sum.weights += p.depth * p.columns * p.count;
  sum.cast += p.rows * (p.depth + p.columns) * p.count;
}

/// The mean over layers that attend, whose products `all` holds, and layers that have a recurrent
/// mixer: a part of the attention's products is taken away, and of the mixer's added.
template <class T>
[[gnu::cold]] constexpr products_work<T> with_recurrence(const products_work<T>& all,
                                                         const transformer& m, const recipe& how,
                                                         const parallelism& cut, double rows,
                                                         const basic_kernel_rates<T>& rates) {
  const unit_clock<T> unit = clock_of(rates.product);
  const tiled_side its_rows = tiled(rows);
  products_work<T> attention;
  products_work<T> mixer;
  const auto of_attention = [&](const matrix_product& p) {
    add_product(attention, p, p.rows == rows ? its_rows : tiled(p.rows), unit, rates);
  };
  const auto of_mixer = [&](const matrix_product& p) {
    add_product(mixer, p, its_rows, unit, rates);
  };
  visit_attention(m, rows, rows, cut.tensor, latent_shares_of(how, cut), of_attention);
  visit_recurrence(m, rows, cut.tensor, of_mixer);
  const double less = m.attention_share() - 1;
  const double more = m.recurrent_share();
  return {.time = all.time + less * attention.time + more * mixer.time,
          .weights = all.weights + less * attention.weights + more * mixer.weights,
          .cast = all.cast + less * attention.cast + more * mixer.cast};
}

/// The mean over windowed layers and the others, whose products `all` holds; and over layers that
/// have an index of tokens.
template <class T>
[[gnu::cold]] constexpr products_work<T> with_further_attention(
    const products_work<T>& all, const transformer& m, const parallelism& cut, double rows,
    const basic_kernel_rates<T>& rates) {
  const unit_clock<T> unit = clock_of(rates.product);
  const tiled_side its_rows = tiled(rows);
  products_work<T> sum = all;
  const auto add = [&](double share, auto&& visit_all) {
    products_work<T> one;
    const auto of_one = [&](const matrix_product& p) {
      add_product(one, p, its_rows, unit, rates);
    };
    visit_all(of_one);
    sum.time = sum.time + share * one.time;
    sum.weights += share * one.weights;
    sum.cast += share * one.cast;
  };
  if (has_two_head_sizes(m)) {
    const double windowed = static_cast<double>(m.windowed_layers()) / m.layers;
    const auto attention_of = [&](const transformer& one) {
      return [&](auto& visit) { visit_attention(one, rows, rows, cut.tensor, 1, visit); };
    };
    add(-windowed, attention_of(m));
    const transformer narrow = all_windowed(m);
    add(windowed, attention_of(narrow));
  }
  if (m.sparse.heads > 0)
    add(static_cast<double>(m.sparse.layers) / m.layers,
        [&](auto& visit) { visit_index(m, rows, visit); });
  return sum;
}

template <class T>
constexpr products_work<T> work_of_products(const transformer& m, layer_kind kind,
                                            const recipe& how, const parallelism& cut, double rows,
                                            double encoder_rows,
                                            const basic_kernel_rates<T>& rates) {
  require_valid(rates.product);
  const unit_clock<T> unit = clock_of(rates.product);
  const tiled_side all_rows = tiled(rows);
  products_work<T> sum;
  const auto add = [&](const matrix_product& p) {
    if (p.count > 1) {
      sum.time = sum.time + grouped_pass_time(p, rates);
    } else {
      const tiled_side& its_rows = p.rows == rows ? all_rows : tiled(p.rows);
      sum.time = sum.time + pass_time_of(p, its_rows, unit, rates.formats, rates.weight_gradient);
    }
    sum.weights += p.depth * p.columns * p.count;
    sum.cast += p.rows * (p.depth + p.columns) * p.count;
  };
  const double imbalance = how.expert_load();
  const double shares = latent_shares_of(how, cut);
  visit_products(m, kind, cut, rows, encoder_rows, imbalance, shares, add);
  if (how.adapts())
    sum.time = frozen_products_time(
        m, kind, how, cut, rows,
        products_of_layer(m, kind, cut, rows, encoder_rows, imbalance, shares), rates);
  return sum;
}

/// The core of the mean layer of a model with an index, and the index: forward the scores of all
/// positions, backward those of the chosen ones twice, at the rate of heads of 128, on every rank.
template <class T, class Core>
[[gnu::cold]] constexpr basic_pass_time<T> indexed_time(const transformer& m, const recipe& how,
                                                        const layer_tokens& seen, double queries,
                                                        double all_keys,
                                                        const basic_kernel_rates<T>& rates,
                                                        const attention_shape& full, Core&& timed) {
  const auto span = [&](double window) {
    return mean_attention_span(all_keys, window, seen.mask, masked_scores::skipped);
  };
  attention_shape sparse = full;
  sparse.keys = span(m.sparse.tokens);
  if (absorbs_latents(m) && how.attention == attention_kernel::flash) {
    sparse.query_head_dim = core_key_width(m);
    sparse.value_head_dim = m.latent.kv_rank;
  }
  const double attending = static_cast<double>(m.sparse.attending_layers) / m.layers;
  const double indexed = static_cast<double>(m.sparse.layers) / m.layers;
  const auto scores = [&](double keys) {
    return queries * index_operations(m.sparse, keys) * units::FLOP / rates.attention.forward_128;
  };
  const basic_pass_time<T> index{scores(span(0)), 2 * scores(sparse.keys)};
  return attending * timed(sparse) + (1 - attending) * timed(full) + indexed * index;
}

/// The core, the mean over windowed and other layers.
template <class T>
constexpr basic_pass_time<T> core_time(const transformer& m, const recipe& how,
                                       const parallelism& cut, const layer_tokens& seen,
                                       const basic_kernel_rates<T>& rates, double queries,
                                       double all_keys) {
  if (has_two_head_sizes(m)) [[unlikely]]
    return mean_over_windows(m, [&](const transformer& one) {
      return core_time(one, how, cut, seen, rates, queries, all_keys);
    });
  const double windowed = static_cast<double>(m.windowed_layers()) / m.layers;
  const auto span = [&](double window) {
    return mean_attention_span(all_keys, window, seen.mask, masked_scores::skipped);
  };
  attention_shape core{.queries = queries,
                       .keys = span(0),
                       .all_keys = all_keys,
                       .heads = largest_share(m.attention_heads, cut.tensor),
                       .query_head_dim = m.query_head_dim(),
                       .value_head_dim = m.value_head_dim()};
  if (windowed > 0) [[unlikely]]
    core.keys = (1 - windowed) * core.keys + windowed * span(m.sliding_window);
  const auto timed = [&](const attention_shape& one) {
    return how.attention == attention_kernel::flash ? flash_attention_time(one, rates)
                                                    : unfused_attention_time(one, rates);
  };
  if (m.sparse.heads > 0) [[unlikely]]
    return indexed_time(m, how, seen, queries, all_keys, rates, core, timed);
  return timed(core);
}

}  // namespace detail

/// One layer, one micro-batch, one rank.
///
///     products     sum of product_time over products_of_layer; backward twice as many, or as
///                  many where weights are frozen, and the adapters'
///     attention    flash_attention_time or unfused_attention_time
///     elementwise  bytes of norms, activations, residuals and casts over memory bandwidth
///
/// Kernels of one stream follow one another: the parts add up.
///
/// Source: the parts'; elementwise bytes by counting the tensors of V. Korthikanti et al.,
/// "Reducing Activation Recomputation in Large Transformer Models", MLSys (2023), figure 2,
/// arXiv:2205.05198.
///
/// \throws invalid_input as products_of_layer and mean_attention_span do
template <class T>
constexpr basic_layer_time<T> layer_time(const transformer& m, layer_kind kind, const recipe& how,
                                         const parallelism& cut, const layer_tokens& seen,
                                         const basic_kernel_rates<T>& rates) {
  const auto on_rank = [&](int length) {
    return largest_share(static_cast<double>(length) * cut.micro_batch_size, cut.context);
  };
  const double rows = on_rank(seen.sequence_length);
  const double others = seen.attended_length > 0 ? on_rank(seen.attended_length) : 0;
  auto products = detail::work_of_products(m, kind, how, cut, rows, others, rates);
  if (m.recurrent.layers > 0) [[unlikely]]
    products = detail::with_recurrence(products, m, how, cut, rows, rates);
  if (has_two_head_sizes(m) || m.sparse.heads > 0) [[unlikely]]
    products = detail::with_further_attention(products, m, cut, rows, rates);

  basic_layer_time<T> time{
      .products = products.time,
      .attention = detail::core_time(m, how, cut, seen, rates, rows, seen.sequence_length),
      .elementwise = detail::elementwise_time(m, kind, how, cut, rates, rows, products.cast),
      .weights = products.weights};
  if (m.recurrent.layers > 0) [[unlikely]] {
    time.attention = m.attention_share() * time.attention;
    time.elementwise = time.elementwise +
                       m.recurrent_share() * recurrence_time(m.recurrent, rows, cut.tensor, rates);
  }
  if (seen.attended_length > 0) [[unlikely]] {
    const layer_tokens across{.sequence_length = seen.sequence_length,
                              .mask = attention_mask::full};
    time.attention =
        time.attention + detail::core_time(m, how, cut, across, rates, rows, seen.attended_length);
  }
  return time;
}

}  // namespace gpuplan
