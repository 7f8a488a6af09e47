#pragma once
/// \file
/// Time of the parts before and after the layers: embedding, LM head and loss.

#include <gpuplan/ceiling.hpp>
#include <gpuplan/compute/gemm.hpp>
#include <gpuplan/compute/kernel_rates.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// Bytes moved for each logit by loss and head, forward and backward: the 16-bit logit written (2),
/// read and kept in FP32 (2 + 4), read twice by the loss (8), its gradient in FP32 (4 + 4), cast
/// (4 + 2) and read by two products (4).
///
/// Source: NVIDIA, "Megatron-LM", megatron/core/tensor_parallel/cross_entropy.py (2026), by
/// counting.
inline constexpr bytes bytes_moved_per_logit{34};

/// Forward and backward passes of head and loss, for one micro-batch on one rank.
///
///     3 products of T x V/t x e, and 34 T V/t bytes
///     3 of T x h x h where there is a transform, 3 of T x e x h where e is not h
///     V/t e rates.gradient_addition bytes where products do not add to the table's gradient
///
///     T  rows: tokens on the rank   V  vocabulary_size   t  tensor, ranks
///     h  hidden_size                e  embedding_width()
///
/// In 16 bits, whatever the layers multiply in.  Only the table is divided by t.
///
/// Source: NVIDIA, "Megatron-LM", github.com/NVIDIA/Megatron-LM (2026).
///
/// \throws invalid_input if rows < 1 or tensor < 1
template <class T>
constexpr basic_seconds<T> head_time(const transformer& m, double rows, int tensor,
                                     const basic_kernel_rates<T>& rates) {
  require(rows >= 1, "head_time: rows must be >= 1");
  require(tensor >= 1, "head_time: tensor must be >= 1");
  const double words = ceiling(m.vocabulary_size / static_cast<double>(tensor));
  const double hidden = m.hidden_size;
  const double width = m.embedding_width();
  detail::require_valid(rates.product_16);
  const auto unit = detail::clock_of(rates.product_16);
  const detail::tiled_side tiled_rows = detail::tiled(rows);
  const auto passes = [&](double columns, double depth) {
    return detail::pass_time_of({rows, columns, depth}, tiled_rows, unit, rates.formats_16,
                                bytes{8})
        .total();
  };
  basic_seconds<T> products = passes(words, width);
  if (m.head_transform) [[unlikely]]
    products += passes(hidden, hidden);
  if (m.embedding_size > 0) [[unlikely]]
    products += passes(width, hidden);
  if (rates.gradient_addition > bytes{0}) [[unlikely]]
    products += words * width * rates.gradient_addition / rates.memory;
  const double logits = rows * words;
  return products + logits * bytes_moved_per_logit / rates.elementwise;
}

/// The same where the head is frozen: 2 products of each in place of 3.
///
/// Source: as head_time.
///
/// \throws invalid_input as head_time does
template <class T>
[[gnu::cold]] constexpr basic_seconds<T> frozen_head_time(const transformer& m, double rows,
                                                          int tensor,
                                                          const basic_kernel_rates<T>& rates) {
  const double hidden = m.hidden_size;
  const double width = m.embedding_width();
  const auto saved = [&](double columns, double depth) {
    const matrix_product map{rows, columns, depth};
    return weight_gradient_time(map.right_gradient(), rates.product_16, rates.formats_16.operand,
                                bytes{8});
  };
  basic_seconds<T> time = head_time(m, rows, tensor, rates);
  time -= saved(ceiling(m.vocabulary_size / static_cast<double>(tensor)), width);
  if (m.head_transform) time -= saved(hidden, hidden);
  if (m.embedding_size > 0) time -= saved(width, hidden);
  return time;
}

/// Bytes moved for each logit by a forward pass alone, of those of bytes_moved_per_logit: the
/// 16-bit logit written (2), read and kept in FP32 (2 + 4), read twice by the log-probabilities
/// (8).
///
/// Source: as bytes_moved_per_logit, by counting.
inline constexpr bytes bytes_moved_per_logit_forward{16};

/// Forward pass of embedding and head with the log-probabilities of the labels, for one micro-batch
/// on one rank: what a reference model does.
///
///     1 product of T x V/t x e, and 16 T V/t bytes; 6 T h values for the embedding
///
///     T, V, t, h, e  as in head_time
///
/// Source: as head_time.
///
/// \throws invalid_input as head_time does
template <class T>
[[gnu::cold]] constexpr basic_seconds<T> forward_ends_time(const transformer& m, double rows,
                                                           int tensor,
                                                           const basic_kernel_rates<T>& rates) {
  require(rows >= 1, "forward_ends_time: rows must be >= 1");
  require(tensor >= 1, "forward_ends_time: tensor must be >= 1");
  const double words = ceiling(m.vocabulary_size / static_cast<double>(tensor));
  const double hidden = m.hidden_size;
  const double width = m.embedding_width();
  const auto pass = [&](double columns, double depth) {
    return product_time(matrix_product{rows, columns, depth}, rates.product_16, rates.formats_16);
  };
  basic_seconds<T> time = pass(words, width);
  if (m.head_transform) time += pass(hidden, hidden);
  if (m.embedding_size > 0) time += pass(width, hidden);
  return time + rows * words * bytes_moved_per_logit_forward / rates.elementwise +
         6.0 * rows * hidden * rates.value / rates.memory;
}

/// Forward and backward passes of the embedding, for one micro-batch on one rank: 10 h values a
/// token, the row read, summed with positions, dropped out and written, and its gradient added.
///
/// Source: as head_time.
///
/// \throws invalid_input if rows < 1
template <class T>
constexpr basic_seconds<T> embedding_time(const transformer& m, double rows,
                                          const basic_kernel_rates<T>& rates) {
  require(rows >= 1, "embedding_time: rows must be >= 1");
  return 10.0 * rows * m.hidden_size * rates.value / rates.memory;
}

}  // namespace gpuplan
