#include <gpuplan/memory/micro_batch.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

constexpr micro_batch_tokens alone = tokens_on_rank(2048, {}, {.micro_batch_size = 4});
static_assert(alone.sequence == 2048 && alone.all == 8192 && alone.residual == 8192);

constexpr micro_batch_tokens cut = tokens_on_rank(
    2048, {.sequence_parallel = true}, {.tensor = 8, .context = 2, .micro_batch_size = 4});
static_assert(cut.sequence == 2048, "every query sees the whole sequence");
static_assert(cut.all == 4096, "half of the tokens with two context ranks");
static_assert(cut.residual == 512, "an eighth of those with sequence parallelism");
static_assert(tokens_on_rank(2048, {}, {.tensor = 8}).residual == 2048,
              "tensor parallelism alone replicates the residual stream");

constexpr recipe ten_sequences{.global_batch_size = 10};
static_assert(micro_batches_of(ten_sequences, {.data = 2, .micro_batch_size = 2}) == 3,
              "2, 2 and 1 sequences on each replica");
static_assert(fractional_micro_batches_of(ten_sequences, {.data = 2, .micro_batch_size = 2}) == 2.5,
              "the last is half the work");
static_assert(fractional_micro_batches_of(ten_sequences, {.data = 5, .micro_batch_size = 2}) ==
              micro_batches_of(ten_sequences, {.data = 5, .micro_batch_size = 2}));

TEST_CASE("tokens_on_rank refuses what its documentation refuses", "[memory][errors]") {
  CHECK_THROWS_AS(tokens_on_rank(0, {}, {}), invalid_input);
  CHECK_THROWS_AS(tokens_on_rank(2048, {}, {.context = 0}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
