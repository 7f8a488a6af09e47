#pragma once
/// \file
/// Rows of memory/: what layers and the ends of a model keep, how often, and what a stage needs.

#include <array>

#include <gpuplan/memory/activations.hpp>
#include <gpuplan/memory/end_memory.hpp>
#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/memory/in_flight.hpp>
#include <gpuplan/memory/stage_terms.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/shapes.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>

namespace gpuplan::registry {

/// One micro-batch of a GPT layer of which f = 4 h, in BF16 with unfused attention and dropout.
struct layer_case {
  transformer model{};
  recipe how{};
  parallelism cut{};
  stream_tokens seen{};
};

/// Of s, b, h, a and, where they are given, t and 1 for sequence parallelism.
constexpr layer_case layer_of(inputs x) {
  layer_case one{.model = gpt({1, whole(x[2]), whole(x[3]), whole(4 * x[2]), 1}),
                 .how = {.sequence_length = whole(x[0]),
                         .attention = attention_kernel::unfused,
                         .dropout = true},
                 .cut = {.micro_batch_size = whole(x[1])}};
  if (x.size() > 4) one.cut.tensor = whole(x[4]);
  if (x.size() > 5) one.how.sequence_parallel = x[5] > 0;
  const micro_batch_tokens tokens = tokens_on_rank(one.how.sequence_length, one.how, one.cut);
  one.seen = {tokens, tokens};
  return one;
}

/// What a dense layer of the case keeps.
constexpr layer_activations activations_of(const layer_case& one) {
  return decoder_layer(one.model, layer_kind::dense, one.how, one.cut, one.seen);
}

inline constexpr symbol sequence{"s", "sequence", "token", ">= 1"};
inline constexpr symbol micro_batch{"b", "micro-batch", "count", ">= 1"};
inline constexpr symbol hidden{"h", "hidden size", "count", ">= 1"};
inline constexpr symbol heads{"a", "heads", "count", ">= 1"};
inline constexpr symbol vocabulary{"V", "vocabulary, padded", "count", ">= 1"};

/// Their inputs, where neither a row nor its function says otherwise.
///
///     b  micro-batch               count, >= 1
///     s  sequence                  token, >= 1
///     c  context-parallel ranks    count, >= 1
///     t  tensor-parallel ranks     count, >= 1
///     p  pipeline ranks            count, >= 1
///     h  hidden size               count, >= 1
///     a  heads                     count, >= 1
///     V  vocabulary, padded        count, >= 1
///     v  chunks a rank             count, >= 1
///     d  data-parallel ranks       count, >= 1
inline constexpr std::array memory_activation_rows{
    /// Tokens of a micro-batch whose residual stream one rank keeps.
    ///
    ///     b s / c, over t with sequence parallelism
    ///
    /// Holds: with sequence parallelism.
    row{.call = "memory/micro_batch.hpp: tokens_on_rank(b, s, c, t) in token",
        .latex = R"(\frac{b s}{c t})",
        .errata = "Megatron-LM's estimator leaves c out.",
        .topics = "M10",
        .evaluate =
            [](inputs x) {
              return tokens_on_rank(whole(x[1]), {.sequence_parallel = true},
                                    {.tensor = whole(x[3]),
                                     .context = whole(x[2]),
                                     .micro_batch_size = whole(x[0])})
                  .residual;
            },
        .examples = {{{2, 8192, 4, 8}, 512, 0, "2 x 8192 / 32"}}},
    /// Bytes of one value that a layer keeps.
    ///
    ///     storage of the precision's activation format
    ///
    ///     p  precision    one of fp32 tf32 mixed_fp16 mixed_bf16 mixed_fp8 mixed_nvfp4 pure_bf16
    ///
    /// Holds: inputs of products are 1 B under mixed FP8.
    row{.call = "memory/attention_activations.hpp: bytes_per_activation(p) in B",
        .latex = R"(S_{act})",
        .topics = "M7",
        .evaluate =
            [](inputs x) {
              return bytes_per_activation(static_cast<precision>(whole(x[0])))
                  .value.in(units::byte);
            },
        .examples = {{{0}, 4, 0, "FP32"}, {{3}, 2, 0, "mixed BF16"}}},
    /// Bytes of one value that a norm reads and keeps.
    ///
    ///     value, or 4 under autocast
    ///
    ///     fp32  1 where inputs of norms are kept in FP32    1, 0 or 1
    ///
    /// Holds: mixed BF16.
    row{.call = "memory/attention_activations.hpp: norm_input_bytes(fp32) in B",
        .latex = R"(S_{norm})",
        .topics = "M10",
        .evaluate =
            [](inputs x) {
              return norm_input_bytes(bytes_per_activation(precision::mixed_bf16),
                                      {.norms_kept_fp32 = x[0] > 0})
                  .in(units::byte);
            },
        .examples = {{{0}, 2, 0, "BF16"}, {{1}, 4, 0, "FP32"}}},
    ///     13 s b h + 5 a s^2 b
    ///
    /// Holds: 2-byte values, dropout, unfused scores, as many key-value heads as heads.
    row{.call = "memory/attention_activations.hpp: attention_block(s, b, h, a) in B",
        .latex = R"(13 s b h + 5 a s^2 b)",
        .errata = "The source's 11 s b h leaves the norm's 2 s b h to the layer.",
        .topics = "M10",
        .evaluate =
            [](inputs x) {
              const layer_case one = layer_of(x);
              return attention_block(one.model, one.how, one.cut,
                                     {one.seen.decoder, one.seen.decoder})
                  .total()
                  .in(units::byte);
            },
        .examples = {{{2048, 1, 4096, 32}, 780140544, 0, by_hand}}},
    ///     21 s b h
    ///
    /// Holds: 2-byte values, dropout, f = 4 h; gated networks keep 6 f or 8 f a token.
    row{.call = "memory/ffn_activations.hpp: dense_ffn(s, b, h, a) in B",
        .latex = R"(21 s b h)",
        .errata = "The source's 19 s b h leaves the norm's 2 s b h to the layer.",
        .topics = "M10",
        .evaluate =
            [](inputs x) {
              const layer_case one = layer_of(x);
              return dense_ffn(one.model, one.how, one.cut, one.seen.decoder)
                  .total()
                  .in(units::byte);
            },
        .examples = {{{2048, 1, 4096, 32}, 176160768, 0, by_hand}}},
    ///     T (4 h + 4 E + k (2 h + 6 f))
    ///
    ///     T  tokens                    token, >= 1
    ///     E  experts                   count, >= 1
    ///     k  experts a token visits    count, 1 to E
    ///     f  width of one expert       count, >= 1
    ///
    /// Holds: 2-byte values, gated, balanced, no dropout, one rank.
    row{.call = "memory/ffn_activations.hpp: moe_ffn(T, h, E, k, f) in B",
        .latex = R"(T \left( 4 h + 4 E + k (2 h + 6 f) \right))",
        .errata = "Public estimators count one dense network instead of k experts.",
        .topics = "M10",
        .evaluate =
            [](inputs x) {
              transformer m = gpt({1, whole(x[1]), 1, 1, 1});
              m.gated_ffn = true;
              m.moe = {.experts = whole(x[2]),
                       .experts_per_token = whole(x[3]),
                       .ffn_size = whole(x[4])};
              const recipe how{.sequence_length = whole(x[0])};
              return moe_ffn(m, how, {}, tokens_on_rank(whole(x[0]), how, {}))
                  .total()
                  .in(units::byte);
            },
        .examples = {{{4096, 4096, 8, 2, 14336},
                      838991872,
                      0,
                      "Mixtral's layer, 204 832 B a token, by hand"}}},
    ///     s b h (10 + 24/t) + 5 a s^2 b / t
    ///     with sequence parallelism (34 s b h + 5 a s^2 b) / t
    ///
    ///     sp  1 with sequence parallelism    1, 0 or 1
    ///
    /// Holds: 2-byte values, dropout, unfused scores, f = 4 h, as many key-value heads.
    row{.call = "memory/activations.hpp: decoder_layer(s, b, h, a, t, sp) in B",
        .latex = R"(s b h \left( 10 + \frac{24}{t} + \frac{5 a s}{h t} \right))",
        .errata = "A chapter's 8 b s h values leave out norms, inputs, dropout and every s^2 "
                  "tensor.",
        .topics = "M10",
        .evaluate = [](inputs x) { return activations_of(layer_of(x)).total().in(units::byte); },
        .examples = {{{2048, 1, 4096, 32, 1, 0}, 956301312, 0, by_hand},
                     {{2048, 1, 4096, 32, 8, 0}, 192937984, 0, by_hand},
                     {{2048, 1, 4096, 32, 8, 1}, 119537664, 0, by_hand}}},
    ///     as decoder_layer, over the encoder's tokens, without cross-attention
    ///
    /// Holds: as decoder_layer.
    row{.call = "memory/activations.hpp: encoder_layer(s, b, h, a) in B",
        .latex = R"(34 s b h + 5 a s^2 b)",
        .topics = "M10",
        .evaluate =
            [](inputs x) {
              layer_case one = layer_of(x);
              one.model.encoder_layers = 1;
              return encoder_layer(one.model, one.how, one.cut, one.seen).total().in(units::byte);
            },
        .examples = {{{2048, 1, 4096, 32}, 956301312, 0, by_hand}}},
    ///     decoder_layer + 8 s b h
    ///
    /// Holds: as decoder_layer; the inputs of two norms and of a map of 2 h are added.
    row{.call = "memory/activations.hpp: prediction_layer(s, b, h, a) in B",
        .latex = R"(42 s b h + 5 a s^2 b)",
        .topics = "M10",
        .evaluate =
            [](inputs x) {
              const layer_case one = layer_of(x);
              return prediction_layer(one.model, one.how, one.cut, one.seen)
                  .total()
                  .in(units::byte);
            },
        .examples = {{{2048, 1, 4096, 32}, 1023410176, 0, "956 301 312 + 8 s b h, by hand"}}},
    /// What a layer keeps under selective recomputation.
    ///
    ///     34 s b h
    ///
    /// Holds: all but the attention core; full recomputation keeps 2 s b h.
    row{.call = "memory/activations.hpp: kept_by(s, b, h, a) in B",
        .latex = R"(34 s b h)",
        .errata = "Beside flash attention selective recomputation saves next to nothing: the "
                  "scores are not kept anyway.",
        .topics = "M10 M11",
        .evaluate =
            [](inputs x) {
              layer_case one = layer_of(x);
              one.how.recompute = recompute::selective;
              return kept_by(one.model, one.how, activations_of(one)).in(units::byte);
            },
        .examples = {{{2048, 1, 4096, 32}, 285212672, 0, by_hand}}},
    /// What a layer's backward pass makes again under selective recomputation.
    ///
    ///     5 a s^2 b
    ///
    /// Holds: unfused, with dropout; full recomputation makes the whole layer again.
    row{.call = "memory/activations.hpp: computed_again(s, b, h, a) in B",
        .latex = R"(5 a s^2 b)",
        .topics = "M10 M11",
        .evaluate =
            [](inputs x) {
              layer_case one = layer_of(x);
              one.how.recompute = recompute::selective;
              return computed_again(one.model, one.how, activations_of(one)).in(units::byte);
            },
        .examples = {{{2048, 1, 4096, 32}, 671088640, 0, by_hand}}},
    /// Gradients of activations that one layer's backward pass holds at once.
    ///
    ///     4 s b h + max(8 s b h, 4 a s^2 b)
    ///
    /// Holds: unfused scores, f = 4 h; 2-byte values.
    row{.call = "memory/activations.hpp: layer_gradients(s, b, h, a) in B",
        .latex = R"(4 s b h + \max(8 s b h,\, 4 a s^2 b))",
        .topics = "M10",
        .evaluate =
            [](inputs x) {
              const layer_case one = layer_of(x);
              return layer_gradients(one.model, one.how, one.cut, activations_of(one),
                                     {one.seen.decoder, one.seen.decoder})
                  .in(units::byte);
            },
        .examples = {{{2048, 1, 4096, 32}, 570425344, 0, by_hand}}},
    ///     28 s b + b s^2
    ///
    /// Holds: first and last stage; tokens, labels and positions in int64, mask in FP32.
    row{.call = "memory/end_memory.hpp: batch_memory(s, b) in B",
        .latex = R"(28 s b + b s^2)",
        .topics = "M14",
        .evaluate =
            [](inputs x) {
              const recipe how{.sequence_length = whole(x[0])};
              const micro_batch_tokens tokens =
                  tokens_on_rank(whole(x[0]), how, {.micro_batch_size = whole(x[1])});
              return batch_memory(gpt({}), {tokens, tokens}, {.mask_in_batch = true})
                  .in(units::byte);
            },
        .examples = {{{1024, 4}, 4308992, 0, "28 x 4096 + 4 x 1024^2"}}},
    ///     s b h
    ///
    /// Holds: with dropout, a byte a value.
    row{.call = "memory/end_memory.hpp: embedding_mask(s, b, h, a) in B",
        .latex = R"(s b h)",
        .topics = "M10",
        .evaluate =
            [](inputs x) {
              const layer_case one = layer_of(x);
              return embedding_mask(one.model, one.how, one.seen).in(units::byte);
            },
        .examples = {{{1024, 4, 512, 8}, 2097152, 0, "s b h"}}},
    ///     4 s b h
    ///
    /// Holds: 2-byte values.
    row{.call = "memory/end_memory.hpp: head_inputs(s, b, h, a) in B",
        .latex = R"(4 s b h)",
        .topics = "M10",
        .evaluate =
            [](inputs x) {
              const layer_case one = layer_of(x);
              return head_inputs(one.model, one.how, one.seen).in(units::byte);
            },
        .examples = {{{2048, 1, 4096, 32}, 33554432, 0, by_hand}}},
    /// Bytes of one logit at the loss.
    ///
    ///     in place v + 4, fused v + 8, te fused v, compiled 2 v, eager v + 12, chunked v + 8
    ///
    ///     l  loss    one of loss_kernel
    ///
    /// Holds: v = 2, mixed BF16.
    row{.call = "memory/end_memory.hpp: bytes_per_logit(l) in B",
        .latex = R"(v + 4,\; v + 8,\; v,\; 2 v,\; v + 12)",
        .errata = "The paper that counts 4 s b V for FP32 logits leaves out the 16-bit ones.",
        .topics = "M10",
        .evaluate =
            [](inputs x) {
              return bytes_per_logit(static_cast<loss_kernel>(whole(x[0])), precision::mixed_bf16)
                  .in(units::byte);
            },
        .examples = {{{0}, 6, 0, "logits, and one FP32 copy that the softmax overwrites"},
                     {{3}, 4, 0, "compiled: logits and gradient"}}},
    /// Bytes of one logit that the loss keeps until its backward pass.
    ///
    ///     4 of in place, fused and eager, v of te fused and compiled, 0 of chunked
    ///
    ///     l  loss    one of loss_kernel
    ///
    /// Holds: v = 2, mixed BF16.
    row{.call = "memory/end_memory.hpp: bytes_kept_per_logit(l) in B",
        .latex = R"(4,\; v,\; 0)",
        .topics = "M10",
        .evaluate =
            [](inputs x) {
              return bytes_kept_per_logit(static_cast<loss_kernel>(whole(x[0])),
                                          precision::mixed_bf16)
                  .in(units::byte);
            },
        .examples = {{{0}, 4, 0, "the softmax"}, {{2}, 2, 0, "the gradient"}}},
    ///     s b V / t
    ///
    /// Holds: context parallelism divides s.
    row{.call = "memory/end_memory.hpp: logits_on_rank(s, b, V, t) in count",
        .latex = R"(s b V / t)",
        .topics = "M10",
        .evaluate =
            [](inputs x) {
              const recipe how{.sequence_length = whole(x[0])};
              const parallelism cut{.tensor = whole(x[3]), .micro_batch_size = whole(x[1])};
              const micro_batch_tokens tokens = tokens_on_rank(whole(x[0]), how, cut);
              return logits_on_rank(gpt({.vocabulary = whole(x[2])}), cut, {tokens, tokens});
            },
        .examples = {{{1024, 4, 50304, 2}, 103022592, 0, "4096 x 25152"}}},
    ///     6 s b V / t
    ///
    /// Holds: in-place loss, mixed BF16.
    row{.call = "memory/end_memory.hpp: logits_at_loss(s, b, V, t) in B",
        .latex = R"(6 s b V / t)",
        .errata = "Megatron-LM's own estimator has 4 s b V, on a single stage only.",
        .topics = "M10",
        .evaluate =
            [](inputs x) {
              const recipe how{.sequence_length = whole(x[0])};
              const parallelism cut{.tensor = whole(x[3]), .micro_batch_size = whole(x[1])};
              const micro_batch_tokens tokens = tokens_on_rank(whole(x[0]), how, cut);
              return logits_at_loss(gpt({.vocabulary = whole(x[2])}), how, cut, {tokens, tokens})
                  .in(units::byte);
            },
        .examples = {{{1024, 4, 50304, 1},
                      1236271104,
                      0,
                      "6 B a logit, which reproduces measured peaks of 12-layer runs to 0.4 "
                      "%"}}},
    ///     2 s b (h + V / t) + 2 V h / t
    ///
    /// Holds: 2-byte values; the last term is the gradient of the head's weights, which Megatron
    /// Core makes even where it is accumulated in place.
    row{.call = "memory/end_memory.hpp: head_gradients(s, b, h, V, t) in B",
        .latex = R"(2 s b \left( h + \frac{V}{t} \right) + \frac{2 V h}{t})",
        .topics = "M10",
        .evaluate =
            [](inputs x) {
              const recipe how{.sequence_length = whole(x[0])};
              const parallelism cut{.tensor = whole(x[4]), .micro_batch_size = whole(x[1])};
              const micro_batch_tokens tokens = tokens_on_rank(whole(x[0]), how, cut);
              return head_gradients(gpt({.hidden_size = whole(x[2]), .vocabulary = whole(x[3])}),
                                    how, cut, {tokens, tokens}, {})
                  .in(units::byte);
            },
        .examples =
            {{{1024, 4, 512, 50304, 1}, 467795968, 0, "2 x (4096 x (512 + 50304) + 50304 x 512)"}}},
    ///     n 2 s b (V / t + h)
    ///
    ///     n  micro-batches that wait    count, >= 0
    ///
    /// Holds: 2-byte values, t = 1.
    row{.call = "memory/end_memory.hpp: deferred_head(s, b, h, V, n) in B",
        .latex = R"(2 n s b \left( \frac{V}{t} + h \right))",
        .evaluate =
            [](inputs x) {
              const recipe how{.sequence_length = whole(x[0])};
              const parallelism cut{.micro_batch_size = whole(x[1])};
              const micro_batch_tokens tokens = tokens_on_rank(whole(x[0]), how, cut);
              return deferred_head(gpt({.hidden_size = whole(x[2]), .vocabulary = whole(x[3])}),
                                   how, cut, {tokens, tokens},
                                   {.head_gradients_deferred = whole(x[4])})
                  .in(units::byte);
            },
        .examples = {{{1024, 4, 512, 50304, 2}, 832569344, 0, "2 x 416 284 672"}}},
    /// Buffers that stay for messages to other ranks.
    ///
    ///     2 s b h with sequence parallelism
    ///     with a pipeline 2 v 2 s b h r beside it
    ///
    /// Holds: 2-byte values, sequence parallelism: r = 1/t; experts served all-to-all.
    row{.call = "memory/end_memory.hpp: message_buffers(s, b, h, t, p, v) in B",
        .latex = R"(2 s b h + 4 v s b h r)",
        .topics = "M6",
        .evaluate =
            [](inputs x) {
              const recipe how{.sequence_length = whole(x[0]), .sequence_parallel = true};
              const parallelism cut{.tensor = whole(x[3]),
                                    .pipeline = whole(x[4]),
                                    .interleave = whole(x[5]),
                                    .micro_batch_size = whole(x[1])};
              const micro_batch_tokens tokens = tokens_on_rank(whole(x[0]), how, cut);
              return message_buffers(gpt({.hidden_size = whole(x[2])}), how, cut, {tokens, tokens},
                                     {})
                  .in(units::byte);
            },
        .examples = {{{1024, 4, 512, 4, 2, 3}, 10485760, 0, "4 MiB + 6 x 1 MiB"}}},
    ///     [d > 1] + [t > 1] + [p > 1] + [c > 1], and those of experts
    ///
    /// Holds: without experts.
    row{.call = "memory/end_memory.hpp: communicators_of(d, t, p, c) in count",
        .latex = R"(\sum_{x \in \{d, t, p, c\}} [x > 1])",
        .topics = "M6",
        .evaluate =
            [](inputs x) {
              return static_cast<double>(communicators_of({.data = whole(x[0]),
                                                           .tensor = whole(x[1]),
                                                           .pipeline = whole(x[2]),
                                                           .context = whole(x[3])}));
            },
        .examples = {{{16, 8, 8, 1}, 3, 0, "data, tensor and pipeline"}}},
    row{.call = "memory/in_flight.hpp: in_flight(p, i, m, v) in count",
        .latex = R"(\min(p - i, m),\quad \frac{\min(2(p-i-1) + (v-1)p + 1,\, m v)}{v})",
        .errata = "Public estimators give the first stage's number to every stage.",
        .topics = "M10",
        .evaluate =
            [](inputs x) {
              return in_flight({}, {.pipeline = whole(x[0]), .interleave = whole(x[3])},
                               whole(x[1]), whole(x[2]))
                  .total();
            },
        .examples = {{{8, 0, 64, 1}, 8, 0, "p on the first rank"},
                     {{8, 5, 64, 1}, 3, 0, "p - i"},
                     {{8, 0, 64, 2}, 11.5, 0, "p (1 + (p - 1)/(p v)), section 4.2.3"}}},
    /// Passes of one chunk among those begun before the first backward pass.
    ///
    ///     G floor(K/(G v)) + clamp(K mod (G v) - c G, 0, G)
    ///
    ///     p  pipeline ranks, and the group G    count, >= 1
    ///     i  this rank                          count, 0 to p - 1
    ///     m  micro-batches of a step            count, >= 1
    ///     c  this chunk                         count, 0 to v - 1
    ///
    /// Holds: interleaved one forward, one backward.
    row{.call = "memory/in_flight.hpp: interleaved_in_flight(p, i, m, v, c) in count",
        .latex =
            R"(G \left\lfloor \frac{K}{G v} \right\rfloor + \min(\max(K \bmod G v - c G, 0), G))",
        .topics = "M10",
        .evaluate =
            [](inputs x) {
              return interleaved_in_flight({}, {.pipeline = whole(x[0]), .interleave = whole(x[3])},
                                           whole(x[1]), whole(x[4]), whole(x[2]));
            },
        .examples = {{{4, 0, 8, 2, 0}, 7, 0, "K = 11: 4 + 3 of chunk 0"},
                     {{4, 0, 8, 2, 1}, 4, 0, "and 4 of chunk 1, by listing the passes"}}},
    row{.call = "memory/micro_batch.hpp: micro_batches_of(B, b, d) in count",
        .latex = R"(\left\lceil \frac{B}{b d} \right\rceil)",
        .topics = "B2",
        .evaluate =
            [](inputs x) {
              return static_cast<double>(
                  micro_batches_of({.global_batch_size = whole(x[0])},
                                   {.data = whole(x[2]), .micro_batch_size = whole(x[1])}));
            },
        .examples = {{{1536, 1, 16}, 96, 0, "1536 / 16"}}},
    /// Peak memory of a training job, as the framework's allocator sees it.
    ///
    ///     max over moments (states + activations in flight + ends + temporaries + workspace)
    ///
    ///     L  layers    count, >= 1
    ///
    /// Holds: a GPT with positions, f = 4 h, unfused attention, dropout, BF16 with Adam,
    /// optimizer divided, on an H100.
    row{.call = "memory/footprint.hpp: memory_footprint(L, h, a, s, b, V, d) in B",
        .latex = R"(\max_t \left( M_{states} + M_{act}(t) + M_{ends}(t) + M_{work} \right))",
        .errata = "The total is the maximum over a step, not the sum of everything; a chapter "
                  "divides all memory by t p, though weights, activations and logits divide "
                  "differently.",
        .topics = "M1 M10 M12",
        .evaluate =
            [](inputs x) {
              transformer m =
                  gpt({whole(x[0]), whole(x[1]), whole(x[2]), whole(4 * x[1]), whole(x[5])});
              m.positions = position_encoding::learned;
              m.position_rows = whole(x[3]);
              return memory_footprint(m,
                                      {.global_batch_size = whole(x[4] * x[6]),
                                       .sequence_length = whole(x[3]),
                                       .zero = zero_stage::optimizer,
                                       .attention = attention_kernel::unfused,
                                       .dropout = true},
                                      {.data = whole(x[6]), .micro_batch_size = whole(x[4])},
                                      hopper_workspace)
                  .worst_stage()
                  .allocator_peak()
                  .in(units::byte);
            },
        .examples = {{{12, 512, 8, 1024, 4, 50304, 8},
                      4702430720,
                      0.01,
                      "measured: Megatron-LM's continuous integration, "
                      "gpt3_mcore_te_tp1_pp1_dist_optimizer_fim_dataset on 8 H100"}}},
    /// What a term adds to the total of a stage: of logits.
    ///
    ///     at(peak moment) - at(peak moment) without the term
    ///
    ///     A          activations                   B, >= 0
    ///     logits     at the loss                   B, >= 0
    ///     gradients  in a layer's backward pass    B, >= 0
    ///
    /// Holds: nothing where the term is held at another moment than the peak's.
    row{.call = "memory/stage_terms.hpp: share_of_total(A, logits, gradients) in B",
        .latex = R"(M_{peak} - M_{without})",
        .topics = "M15",
        .evaluate =
            [](inputs x) {
              stage_footprint stage;
              stage.activations = bytes{x[0]};
              stage.logits = bytes{x[1]};
              stage.layer_gradients = bytes{x[2]};
              bytes share{};
              for (const stage_term& term : stage_terms)
                if (term.name == "logits") share = share_of_total(stage, term);
              return share.in(units::byte);
            },
        .examples = {{{100, 20, 10}, 20, 0, "the loss is the peak"},
                     {{100, 20, 50}, 0, 0, "the backward pass is"}}}};
inline constexpr auto memory_activation_formulas =
    with_words(memory_activation_rows, words::memory_activation_formulas);

}  // namespace gpuplan::registry
