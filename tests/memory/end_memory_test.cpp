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
  CHECK(further.head - plain.head == 4 * 1024.0 * 50304 * byte);
  CHECK(further.logits == plain.logits);
  CHECK(plain.deferred_gradient == bytes{0});
  CHECK(memory_of_ends(gpt, how, {}, {seen, seen}, {.head_gradients_deferred = 2})
            .deferred_gradient == 2 * 50304.0 * 512 * byte);
}

TEST_CASE("memory_of_ends refuses a loss outside its enumeration", "[memory][errors]") {
  recipe wrong = how;
  wrong.loss = static_cast<loss_kernel>(99);
  const micro_batch_tokens seen = tokens_on_rank(1024, how, {});
  CHECK_THROWS_AS(memory_of_ends(gpt, wrong, {}, {seen, seen}, {}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
