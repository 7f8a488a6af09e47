#pragma once
/// \file
/// Rows of compute/: layers of transformers and of convolutional networks, by products and traffic.

#include <array>

#include <gpuplan/compute/attention_time.hpp>
#include <gpuplan/compute/convnet_time.hpp>
#include <gpuplan/compute/gemm.hpp>
#include <gpuplan/compute/head_time.hpp>
#include <gpuplan/compute/kernel_rates.hpp>
#include <gpuplan/compute/layer_products.hpp>
#include <gpuplan/compute/layer_time.hpp>
#include <gpuplan/compute/recurrence_time.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/kernel_formulas.hpp>
#include <gpuplan/registry/shapes.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

/// Kernels that multiply at one rate and move bytes at another, on one multiprocessor.
constexpr basic_kernel_rates<double> rates_of(double products, double moved) {
  const basic_matrix_unit<double> unit{.rate = flop_per_second{products},
                                       .bandwidth = bytes_per_second{moved}};
  return {.product = unit,
          .product_16 = unit,
          .attention = {.forward_64 = flop_per_second{products},
                        .forward_128 = flop_per_second{products},
                        .forward_256 = flop_per_second{products},
                        .forward_512 = flop_per_second{products},
                        .backward_128 = flop_per_second{products},
                        .backward_192 = flop_per_second{products}},
          .elementwise = bytes_per_second{moved},
          .memory = bytes_per_second{moved}};
}

/// The attention core of q queries, each of k keys of K, over a heads of width d.
constexpr attention_shape core_of(double queries, double keys, double all_keys, double heads,
                                  double width) {
  return {.queries = queries,
          .keys = keys,
          .all_keys = all_keys,
          .heads = heads,
          .query_head_dim = whole(width),
          .value_head_dim = whole(width)};
}

/// Their inputs, where neither a row nor its function says otherwise.
///
///     R  rate of large products        FLOP/s, > 0
///     W  bandwidth of device memory    B/s, > 0
///     h  hidden size                   count, >= 1
///     a  heads on the rank             count, >= 0
///     f  FFN width                     count, >= 1
///     q  queries                       token, >= 0
///     d  width of a head               count, >= 1
///     T  tokens on the rank            token, >= 1
///     B  images                        count, >= 1
inline constexpr std::array layer_rows{
    /// Time of a product and of the two products of its backward pass.
    ///
    ///     (6 m n k + 256 (m n + m k + n k)) / R + 4 n k / W
    ///
    ///     m  rows                  count, >= 0
    ///     n  columns               count, >= 0
    ///     k  depth, summed over    count, >= 0
    ///
    /// Holds: whole tiles on one multiprocessor, not bound by bytes; weight gradients are added.
    row{.call = "compute/gemm.hpp: product_pass_time(m, n, k, R, W) in s",
        .latex = R"(\frac{6 m n k + 256 (m n + m k + n k)}{R} + \frac{4 n k}{W})",
        .topics = "C3 C9",
        .evaluate =
            [](inputs x) {
              const auto unit = rates_of(x[3], x[4]).product;
              return product_pass_time(product_of(x), unit, {}, bytes{8}).total().in(units::second);
            },
        .examples = {{{2048, 2048, 2048, 1e14, 2e12},
                      0.00055599693824,
                      1e-12,
                      "6 x 2048^2 x 2176 / 1e14 and 4 x 2048^2 / 2e12, by hand"}}},
    /// Weights that one rank multiplies by in a layer.
    ///
    ///     h (a + 2 g) d / t + h a d / t + 3 h f / t
    ///
    ///     a  heads                    count, >= 1
    ///     g  key-value heads          count, >= 1
    ///     t  tensor-parallel ranks    count, >= 1
    ///
    /// Holds: a gated layer without experts, d = h / a; ranks divide what they share.
    row{.call = "compute/layer_products.hpp: products_of_layer(h, a, g, f, t) in count",
        .latex = R"(\frac{h (a + 2 g) d + h a d + 3 h f}{t})",
        .topics = "C3 P11",
        .evaluate =
            [](inputs x) {
              transformer m = gpt({1, whole(x[0]), whole(x[1]), whole(x[3]), 1});
              m.kv_heads = whole(x[2]);
              m.gated_ffn = true;
              const parallelism cut{.tensor = whole(x[4])};
              return products_of_layer(m, layer_kind::dense, cut, 1).weights();
            },
        .examples = {{{4096, 32, 8, 14336, 1},
                      218103808,
                      0,
                      "Llama 3 8B: 8 030 261 248 published, less tables and norms, over 32"},
                     {{4096, 32, 8, 14336, 8}, 27262976, 0, "an eighth"}}},
    /// Forward pass of an attention core whose scores are never written.
    ///
    ///     4 q k a d / R
    ///     backward 5/2 of it
    ///
    ///     k  keys that each attends to    token, >= 0
    ///
    /// Holds: keys as wide as values; R of these kernels.
    row{.call = "compute/attention_time.hpp: flash_attention_time(q, k, a, d, R) in s",
        .latex = R"(\frac{4 q k a d}{R})",
        .topics = "C3 C4",
        .evaluate =
            [](inputs x) {
              const basic_attention_unit<double> unit{.forward = flop_per_second{x[4]},
                                                      .backward = flop_per_second{x[4]}};
              return flash_attention_time(core_of(x[0], x[1], x[1], x[2], x[3]), unit)
                  .forward.in(units::second);
            },
        .examples = {{{8192, 1024, 8, 128, 1e14},
                      3.4359738368e-4,
                      1e-12,
                      "4 x 8192 x 1024 x 8 x 128 = 34 359 738 368 over 1e14, by hand"}}},
    /// Forward pass of a gated delta net's recurrence, all of whose heads are of one width.
    ///
    ///     T (26 a d / W + 8 a d^2 / R)
    ///
    ///     T  tokens                             token, >= 0
    ///     a  heads                              count, >= 1
    ///     d  width of a head                    count, >= 1
    ///     W  bandwidth of elementwise kernels   B/s, > 0
    ///
    /// Holds: 16-bit values, one rank.
    row{.call = "compute/recurrence_time.hpp: recurrence_time(T, a, d, R, W) in s",
        .latex = R"(T \left( \frac{26 a d}{W} + \frac{8 a d^2}{R} \right))",
        .topics = "C3 C4",
        .evaluate =
            [](inputs x) {
              const linear_attention net{.key_heads = whole(x[1]),
                                         .value_heads = whole(x[1]),
                                         .key_head_dim = whole(x[2]),
                                         .value_head_dim = whole(x[2])};
              return recurrence_time({.linear = net}, x[0], 1, rates_of(x[3], x[4]))
                  .forward.in(units::second);
            },
        .examples = {{{4096, 32, 128, 1e14, 1e12},
                      6.0800630784e-4,
                      1e-6,
                      "4096 (26 x 32 x 128 / 1e12 + 8 x 32 x 128^2 / 1e14), by hand"}}},
    /// Forward pass of an attention core that writes its scores to memory.
    ///
    ///     q k a (4 d / R + 11 / W)
    ///     backward q k a (8 d / R + 19 / W)
    ///
    ///     k  keys of a sequence, masked ones included    token, >= 0
    ///     W  bandwidth of device memory                  B/s, > 0
    ///
    /// Holds: 16-bit scores, dropout; 8 divides d; no time between waves.
    row{.call = "compute/attention_time.hpp: unfused_attention_time(q, k, a, d, R, W) in s",
        .latex = R"(q k a \left( \frac{4 d}{R} + \frac{11}{W} \right))",
        .topics = "C3 C4",
        .evaluate =
            [](inputs x) {
              return unfused_attention_time(core_of(x[0], x[1], x[1], x[2], x[3]),
                                            rates_of(x[4], x[5]))
                  .forward.in(units::second);
            },
        .examples = {{{8192, 2048, 8, 128, 2e14, 1e12},
                      1.81999239168e-3,
                      1e-12,
                      "134 217 728 scores: 0.3436 ms of products, 1.4764 ms of bytes"}}},
    /// Forward pass of the products of a layer, each as long as its tiles or its bytes take.
    ///
    ///     sum max(2 m n (k + 128) / R, 2 (T k + k N + T N) / W)
    ///     over k x N of h x 3 h, h x h, h x f, f x h
    ///     m, n = T, N rounded up to whole tiles of 128; a side below that to a multiple of 16
    ///
    ///     h  hidden size    count, >= 128, multiple of 128
    ///
    /// Holds: 16-bit values, one multiprocessor; 2 T (4 h^2 + 2 h f) / R where tiles are full and
    /// bytes take less; beside it attention and elementwise kernels.
    row{.call = "compute/layer_time.hpp: layer_time(T, h, f, R, W) in s",
        .latex =
            R"(\sum \max\left( \frac{2 m n (k + 128)}{R}, \frac{2 (T k + k N + T N)}{W} \right))",
        .topics = "C2 C3",
        .evaluate =
            [](inputs x) {
              const transformer m = gpt({1, whole(x[1]), whole(x[1] / 128), whole(x[2]), 1});
              const layer_tokens seen{.sequence_length = whole(x[0])};
              return layer_time(m, layer_kind::dense, {}, {}, seen, rates_of(x[3], x[4]))
                  .products.forward.in(units::second);
            },
        .examples = {{{2048, 4096, 16384, 2e14, 1.6e12},
                      0.00421980536832,
                      1e-12,
                      "2 x 2048 x (12 x 4096^2 + 128 x 9 x 4096) / 2e14, by hand"},
                     {{300, 4096, 16384, 2e14, 1.6e12},
                      0.00079121350656,
                      1e-12,
                      "300 tokens fill three tiles of 128: 3/16 of the above, by hand"},
                     {{100, 4096, 16384, 2e14, 1.6e12},
                      2.5985024e-4,
                      1e-12,
                      "bytes take longer: 103 940 096 + 35 192 832 + 2 x 138 313 728, by hand"}}},
    /// Head and loss, forward and backward.
    ///
    ///     (6 T V h + 256 (T V + T h + V h)) / R + (34 T V + 4 V h) / W
    ///
    ///     V  vocabulary on the rank    count, >= 1
    ///
    /// Holds: 16-bit products, whole tiles on one multiprocessor, an FP32 loss.
    row{.call = "compute/head_time.hpp: head_time(T, h, V, R, W) in s",
        .latex = R"(\frac{6 T V h + 256 (T V + T h + V h)}{R} + \frac{34 T V + 4 V h}{W})",
        .topics = "C2 C4",
        .evaluate =
            [](inputs x) {
              const transformer m = gpt({1, whole(x[1]), 1, 1, whole(x[2])});
              return head_time(m, x[0], 1, rates_of(x[3], x[4])).in(units::second);
            },
        .examples =
            {{{2048, 4096, 32768, 2e14, 1.6e12},
              0.010276380344320001,
              1e-12,
              "8.5147 ms of products, 1.4261 of logits, 0.3355 of added gradients, by hand"}}},
    /// Forward pass of embedding and head, with the log-probabilities of the labels.
    ///
    ///     2 T V (h + 128) / R + (16 T V + 12 T h) / W
    ///
    ///     V  vocabulary on the rank    count, >= 1
    ///
    /// Holds: 16-bit products, whole tiles on one multiprocessor, log-probabilities in FP32.
    row{.call = "compute/head_time.hpp: forward_ends_time(T, h, V, R, W) in s",
        .latex = R"(\frac{2 T V (h + 128)}{R} + \frac{16 T V + 12 T h}{W})",
        .topics = "C2 C4",
        .evaluate =
            [](inputs x) {
              const transformer m = gpt({1, whole(x[1]), 1, 1, whole(x[2])});
              return forward_ends_time(m, x[0], 1, rates_of(x[3], x[4])).in(units::second);
            },
        .examples =
            {{{2048, 4096, 32768, 2e14, 1.6e12},
              0.00356868161536,
              1e-9,
              "2.8347 ms of a product, 0.6711 of logits, 0.0629 of the embedding, by hand"}}},
    ///     20 T h / W
    ///
    /// Holds: 10 values of 2 B a token and channel.
    row{.call = "compute/head_time.hpp: embedding_time(T, h, W) in s",
        .latex = R"(20 T h / W)",
        .topics = "C4",
        .evaluate =
            [](inputs x) {
              const transformer m = gpt({1, whole(x[1]), 1, 1, 1});
              return embedding_time(m, x[0], rates_of(1, x[2])).in(units::second);
            },
        .examples = {{{2048, 4096, 1.6e12}, 1.048576e-4, 1e-12, "20 x 8 388 608 / 1.6e12"}}},
    /// Forward pass of a convolution as an implicit matrix product.
    ///
    ///     2 B s^2 k^2 C^2 / R
    ///
    ///     s  side of input and output    count, >= 1
    ///     C  channels in and out         count, >= 1
    ///     k  side of the window, odd     count, >= 1
    ///
    /// Holds: whole tiles on one multiprocessor, not bound by bytes; channels last.
    row{.call = "compute/convnet_time.hpp: convolution_time(B, s, C, k, R, W) in s",
        .latex = R"(\frac{2 B s^2 k^2 C^2}{R})",
        .topics = "C3",
        .evaluate =
            [](inputs x) {
              const convnet_layer layer = convolution({whole(x[1]), whole(x[1]), whole(x[2])},
                                                      whole(x[2]), whole(x[3]), 1, whole(x[3]) / 2);
              return convolution_time(layer, whole(x[0]), channel_order::last, rates_of(x[4], x[5]))
                  .forward.in(units::second);
            },
        .examples = {{{128, 56, 64, 3, 1e14, 2e12},
                      2.9595009024e-4,
                      1e-12,
                      "2 x 128 x 56^2 x 9 x 64^2 over 1e14, by hand"}}},
    /// A layer of batch normalisation, forward and backward.
    ///
    ///     16 B s^2 C / W
    ///
    ///     s  side of the image    count, >= 1
    ///     C  channels             count, >= 1
    ///
    /// Holds: 16-bit values: 3 passes forward, 5 backward; beside it convolutions, activations,
    /// sums and pooling, each a term.
    row{.call = "compute/convnet_time.hpp: convnet_time(B, s, C, W) in s",
        .latex = R"(\frac{16 B s^2 C}{W})",
        .topics = "C4",
        .evaluate =
            [](inputs x) {
              const image_shape shape{whole(x[1]), whole(x[1]), whole(x[2])};
              const std::array layers{normalization_of(shape)};
              return convnet_time({shape, layers}, whole(x[0]), {}, rates_of(1, x[3]))
                  .normalizations.in(units::second);
            },
        .examples = {{{256, 112, 64, 1e12},
                      3.288334336e-3,
                      1e-12,
                      "8 x 205 520 896 values of 2 B, by hand"}}}};
inline constexpr auto layer_formulas = with_words(layer_rows, words::layer_formulas);

}  // namespace gpuplan::registry
