#include <gpuplan/memory/end_memory.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr transformer gpt{.layers = 8,
                          .hidden_size = 512,
                          .attention_heads = 8,
                          .ffn_size = 2048,
                          .vocabulary_size = 50304};
constexpr recipe how{
    .sequence_length = 1024, .attention = attention_kernel::unfused, .sequence_parallel = true};

constexpr bytes buffers(const parallelism& cut, const kernel_memory& kernels = {},
                        const transformer& m = gpt) {
  const micro_batch_tokens seen = tokens_on_rank(1024, how, cut);
  return message_buffers(m, how, cut, {seen, seen}, kernels);
}
static_assert(buffers({}) == bytes{0});
static_assert(buffers({.tensor = 4}) == 2 * 1024.0 * 512 * byte, "gathered before the head");
static_assert(buffers({.tensor = 4}, {.scores_buffered = true}) == 2 * 2 * 1024.0 * 1024 * byte,
              "two heads' scores are larger: one buffer as large as its largest use");
static_assert(buffers({.pipeline = 4, .interleave = 3}) == 6 * 2 * 1024.0 * 512 * byte,
              "an activation and a gradient for each chunk");

constexpr transformer sparse = [] {
  transformer m = gpt;
  m.moe = {.experts = 8, .experts_per_token = 2, .ffn_size = 1024};
  return m;
}();
static_assert(buffers({.data = 8, .expert = 8}, {.dispatcher = token_dispatcher::all_gather},
                      sparse) == 8 * 2 * 1024.0 * 512 * byte);
static_assert(buffers({.data = 8, .expert = 8}, {}, sparse) == bytes{0});

static_assert(communicators_of({}) == 0);
static_assert(communicators_of({.data = 2, .tensor = 2, .pipeline = 2, .context = 2}) == 4);
static_assert(communicators_of({.data = 8, .expert = 8}) == 2, "no replicas of experts");
static_assert(communicators_of({.data = 8, .expert = 4}) == 3);

TEST_CASE("further predictions keep the softmax of their logits", "[memory][facts]") {
  transformer ahead = gpt;
  ahead.multi_token_prediction_layers = 1;
  const micro_batch_tokens seen = tokens_on_rank(1024, how, {});
  const end_memory plain = memory_of_ends(gpt, how, {}, {seen, seen}, {});
  const end_memory further = memory_of_ends(ahead, how, {}, {seen, seen}, {});
  CHECK(further.head - plain.head == (4 * 1024.0 * 50304 + 4 * 1024.0 * 512) * byte);
  CHECK(further.logits == plain.logits);
  CHECK(plain.deferred_gradient == bytes{0});
  CHECK(memory_of_ends(gpt, how, {}, {seen, seen}, {.head_gradients_deferred = 2})
            .deferred_gradient == 2 * 50304.0 * 512 * byte);
}

TEST_CASE("a head whose weight gradients wait keeps logits and inputs", "[memory][facts]") {
  const micro_batch_tokens seen = tokens_on_rank(1024, how, {});
  CHECK(memory_of_ends(gpt, how, {}, {seen, seen}, {}).deferred_head == bytes{0});
  CHECK(memory_of_ends(gpt, how, {}, {seen, seen}, {.head_gradients_deferred = 3}).deferred_head ==
        3 * 2 * 1024.0 * (50304 + 512) * byte);
}

/// What a further prediction keeps beside the inputs of its norm and head, 512 values a token each.
constexpr bytes kept_of_prediction(const recipe& one, const parallelism& cut) {
  transformer ahead = gpt;
  ahead.multi_token_prediction_layers = 1;
  const micro_batch_tokens seen = tokens_on_rank(1024, one, cut);
  return memory_of_ends(ahead, one, cut, {seen, seen}, {}).head -
         2 * head_inputs(gpt, one, {seen, seen});
}
static_assert(kept_of_prediction({.sequence_length = 1024, .loss = loss_kernel::chunked}, {}) ==
                  2 * 1024.0 * 512 * byte,
              "the gradient of its head's input");
static_assert(kept_of_prediction({.sequence_length = 1024,
                                  .loss = loss_kernel::compiled,
                                  .framework = framework::fsdp2},
                                 {.tensor = 4}) == 4 * 1024.0 * 50304 / 4 * byte,
              "a loss on divided logits keeps FP32");

TEST_CASE("memory_of_ends refuses a loss outside its enumeration", "[memory][errors]") {
  recipe wrong = how;
  wrong.loss = static_cast<loss_kernel>(99);
  const micro_batch_tokens seen = tokens_on_rank(1024, how, {});
  CHECK_THROWS_AS(memory_of_ends(gpt, wrong, {}, {seen, seen}, {}), invalid_input);
}

}  // namespace
}  // namespace gpuplan

namespace gpuplan::kept_at_the_ends {
namespace {

using namespace units;

constexpr transformer gpt{.layers = 1,
                          .hidden_size = 512,
                          .attention_heads = 8,
                          .ffn_size = 2048,
                          .vocabulary_size = 50304};
constexpr recipe how{.sequence_length = 1024, .dropout = true};
constexpr micro_batch_tokens four = tokens_on_rank(1024, how, {.micro_batch_size = 4});
constexpr stream_tokens seen{four, four};

static_assert(batch_memory(gpt, seen, {}) == 28 * 4096 * byte);
static_assert(batch_memory(gpt, seen, {.mask_in_batch = true}) ==
              (28 * 4096 + 4 * 1024.0 * 1024) * byte);
static_assert(embedding_mask(gpt, how, seen) == 4096.0 * 512 * byte);
static_assert(embedding_mask(gpt, recipe{}, seen) == bytes{0}, "nothing drops");
static_assert(head_inputs(gpt, how, seen) == 4 * 4096.0 * 512 * byte);

static_assert(bytes_per_logit(loss_kernel::in_place, precision::mixed_bf16) == 6 * byte);
static_assert(bytes_per_logit(loss_kernel::fused, precision::mixed_bf16) == 10 * byte);
static_assert(bytes_per_logit(loss_kernel::fused, precision::fp32) == 8 * byte,
              "FP32 logits are not copied to FP32");
static_assert(bytes_per_logit(loss_kernel::te_fused, precision::mixed_bf16) == 2 * byte);
static_assert(bytes_per_logit(loss_kernel::compiled, precision::mixed_bf16) == 4 * byte);
static_assert(bytes_per_logit(loss_kernel::compiled, precision::fp32) == 8 * byte);
static_assert(bytes_per_logit(loss_kernel::eager, precision::mixed_bf16) == 14 * byte);
static_assert(bytes_per_logit(loss_kernel::in_place, precision::fp32) == 4 * byte,
              "FP32 logits are overwritten themselves");
static_assert(bytes_per_logit(loss_kernel::none, precision::mixed_bf16) == bytes{0});

constexpr double logits = 4096.0 * 50304;
static_assert(logits_on_rank(gpt, {.tensor = 4}, seen) == logits / 4);
static_assert(logits_at_loss(gpt, how, {}, seen) == 6 * logits * byte);
static_assert(logits_at_loss(gpt, how, {.tensor = 4}, seen) == 6 * logits / 4 * byte);

constexpr recipe chunked{.sequence_length = 1024, .loss = loss_kernel::chunked};
static_assert(logits_at_loss(gpt, chunked, {}, seen) < logits_at_loss(gpt, how, {}, seen));
constexpr recipe frozen{
    .sequence_length = 1024, .loss = loss_kernel::chunked, .adapters = {.rank = 8}};
static_assert(logits_at_loss(gpt, chunked, {}, seen) - logits_at_loss(gpt, frozen, {}, seen) ==
                  2 * 50304.0 * 512 * byte,
              "a frozen head has no gradient");
// Megatron Core returns a gradient that nobody reads where the head's is fused; PyTorch alone makes
// none where it is.
static_assert(head_gradients(gpt, how, {}, seen, {}) ==
              2 * (logits + 4096.0 * 512 + 50304.0 * 512) * byte);
constexpr recipe compiled{
    .sequence_length = 1024, .loss = loss_kernel::compiled, .framework = framework::fsdp2};
static_assert(head_gradients(gpt, compiled, {}, seen, {}) == 2 * (logits + 4096.0 * 512) * byte);
static_assert(head_gradients(gpt, compiled, {}, seen, {.head_gradient_fused = false}) ==
              head_gradients(gpt, how, {}, seen, {}));

// PyTorch's loss on divided logits is not fused, whatever is asked for; gathered, it is one rank's.
constexpr recipe gathered = [] {
  recipe all = compiled;
  all.replicated_logits = true;
  return all;
}();
static_assert(logits_at_loss(gpt, compiled, {}, seen) == 4 * logits * byte);
static_assert(logits_at_loss(gpt, compiled, {.tensor = 4}, seen) ==
              (2 + 4 * 4) * logits / 4 * byte);
static_assert(logits_at_loss(gpt, gathered, {.tensor = 4}, seen) ==
              logits_at_loss(gpt, compiled, {}, seen));
static_assert(deferred_head(gpt, how, {}, seen, {}) == bytes{0});
static_assert(deferred_head(gpt, how, {}, seen, {.head_gradients_deferred = 2}) ==
              4 * (logits + 4096.0 * 512) * byte);
static_assert(deferred_head(gpt, gathered, {.tensor = 4}, seen, {.head_gradients_deferred = 2}) ==
                  4 * (logits / 4 + 4096.0 * 512) * byte,
              "their gradients are divided again");

TEST_CASE("an encoder's batch and masks are held beside the decoder's", "[memory][facts]") {
  transformer both = gpt;
  both.encoder_layers = 1;
  const stream_tokens two{tokens_on_rank(128, how, {}), tokens_on_rank(512, how, {})};
  CHECK(batch_memory(both, two, {}) == (28 * 128 + 8 * 512) * byte);
  CHECK(batch_memory(both, two, {.mask_in_batch = true}) ==
        (28 * 128 + 8 * 512 + 512.0 * 512 + 128.0 * 128 + 128.0 * 512) * byte);
  CHECK(embedding_mask(both, how, two) == (128.0 + 512) * 512 * byte);
  CHECK(head_inputs(both, how, two) == 4 * 128.0 * 512 * byte);
}

TEST_CASE("a loss outside its enumeration is refused", "[memory][errors]") {
  CHECK_THROWS_AS(bytes_kept_per_logit(static_cast<loss_kernel>(99), precision::mixed_bf16),
                  invalid_input);
  CHECK_THROWS_AS(bytes_per_logit(static_cast<loss_kernel>(99), precision::fp32), invalid_input);
}

}  // namespace
}  // namespace gpuplan::kept_at_the_ends
