#include <gpuplan/memory/stage_states.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr rank_parameters held{.matrices = 600, .vectors = 8, .tables = 400, .experts = 800};

static_assert(states_on_rank(held, {}, {}).total() == 18 * 1808 * byte);
static_assert(states_on_rank(held, {.zero = zero_stage::optimizer}, {.data = 8}).total() ==
                  (6 * 1808 + 12 * 1808 / 8.0) * byte,
              "Megatron-LM's distributed optimizer: 6 + 12/N");

constexpr parallelism spread{.data = 8, .tensor = 2, .expert = 4, .expert_tensor = 1};
static_assert(expert_shards(spread) == 4, "8 data x 2 tensor ranks hold 4 pieces");
static_assert(states_on_rank(held, {.zero = zero_stage::optimizer}, spread).total() ==
              (6 * 1808 + 12 * 1008 / 8.0 + 12 * 800 / 4.0) * byte);
static_assert(states_on_rank(held, {.zero = zero_stage::parameters}, spread).total() ==
              (18 * 1008 / 8.0 + 18 * 800 / 4.0) * byte);
static_assert(expert_shards({.data = 8, .shard_group = 2}) == 2, "hybrid sharding");
static_assert(states_on_rank({.matrices = 600}, {.zero = zero_stage::parameters},
                             {.data = 8, .shard_group = 2})
                  .total() == 18 * 300 * byte);

constexpr recipe with(optimizer rule, zero_stage zero = zero_stage::none) {
  return {.precision = precision::fp32, .optimizer = rule, .zero = zero};
}
static_assert(states_on_rank(held, with(optimizer::muon), {}).optimizer ==
                  (4 * (600 + 800) + 8 * 408) * byte,
              "one state a matrix, two for all else");

TEST_CASE("Adafactor keeps a value a row and column", "[memory][facts]") {
  const rank_parameters matrix{.matrices = 1024.0 * 4096, .vectors = 1024, .sides = 5120};
  CHECK(states_on_rank(matrix, with(optimizer::adafactor), {}).optimizer ==
        4.0 * (5120 + 1024) * byte);
  CHECK(states_on_rank(matrix, with(optimizer::adafactor, zero_stage::optimizer), {.data = 4})
            .optimizer == 4.0 * (5120 + 1024) / 4 * byte);
}

TEST_CASE("Muon's whole tensors make one rank fuller than the others", "[memory][facts]") {
  const rank_parameters part{
      .matrices = 800, .vectors = 80, .tables = 400, .tensors = 13, .largest_table = 400};
  const recipe how = with(optimizer::muon, zero_stage::optimizer);
  const parallelism cut{.data = 8};
  // 13 tensors, dealt forth to 8 ranks and back: the last goes to rank 15 - 12 = 3.
  const bytes fullest = states_on_rank(part, how, cut).optimizer;
  CHECK(fullest == (4.0 * 100 + 8.0 * (10 + 400)) * byte);
  CHECK(states_on_rank(part, how, cut, 3).optimizer == fullest);
  CHECK(states_on_rank(part, how, cut, 4).optimizer == (4.0 * 100 + 8.0 * 10) * byte);
}

TEST_CASE("the update copies 16-bit gradients to FP32, and only those", "[memory][facts]") {
  CHECK(gradient_copy_on_rank(held, {}, {}) == bytes{0});
  const recipe fp16{.precision = precision::mixed_fp16};
  CHECK(gradient_copy_on_rank(held, fp16, {}) == 4 * 1808 * byte);
  recipe divided = fp16;
  divided.zero = zero_stage::optimizer;
  CHECK(gradient_copy_on_rank(held, divided, {.data = 8}) == 4 * 1808 / 8.0 * byte);
  CHECK(gradient_copy_on_rank(held, {.precision = precision::bf16}, {}) == bytes{0});
  CHECK(updated_on_rank(held, divided, {.data = 8}) == 1808 / 8.0);
}

TEST_CASE("FSDP keeps whole gradients in a pipeline", "[memory][reference]") {
  for (const framework by : {framework::fsdp, framework::fsdp2, framework::transformer_engine})
    for (const zero_stage stage : {zero_stage::gradients, zero_stage::parameters}) {
      const recipe how{.zero = stage, .framework = by};
      const bytes alone = states_on_rank(held, how, {.data = 8}).gradients;
      const bytes piped = states_on_rank(held, how, {.data = 8, .pipeline = 2}).gradients;
      CHECK(piped == (by == framework::transformer_engine ? 1 : 8) * alone);
    }
  const recipe one{.zero = zero_stage::optimizer, .framework = framework::fsdp2};
  CHECK(states_on_rank(held, one, {.data = 8}).gradients ==
        states_on_rank(held, one, {.data = 8, .pipeline = 2}).gradients);
}

TEST_CASE("states refuse a choice outside its enumeration", "[memory][errors]") {
  CHECK_THROWS_AS(states_on_rank(held, {.optimizer = static_cast<optimizer>(99)}, {}),
                  invalid_input);
  CHECK_THROWS_AS(states_on_rank(held, {.precision = static_cast<precision>(99)}, {}),
                  invalid_input);
}

}  // namespace
}  // namespace gpuplan
