#include <gpuplan/model/linear_attention.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

// Qwen3-Next 80B-A3B, Kimi-K3 and MiniMax-M1, from their published sizes.
constexpr linear_attention qwen{
    .key_heads = 16, .value_heads = 32, .key_head_dim = 128, .value_head_dim = 128};
constexpr linear_attention kimi{.kind = linear_attention_kind::kimi_delta,
                                .key_heads = 96,
                                .value_heads = 96,
                                .key_head_dim = 128,
                                .value_head_dim = 128};
constexpr linear_attention minimax{.kind = linear_attention_kind::lightning,
                                   .key_heads = 64,
                                   .value_heads = 64,
                                   .key_head_dim = 128,
                                   .value_head_dim = 128};

static_assert(qwen.key_width() == 2048 && qwen.value_width() == 4096);

linear_attention with(linear_attention a, int linear_attention::*member, int value) {
  a.*member = value;
  return a;
}

TEST_CASE("linear attention has the parameters of published models", "[model][reference]") {
  // The layers' shares of the published weights: 36, 69 and 70 of them.
  CHECK(36 * linear_attention_parameters(qwen, 2048) == 1'213'864'704);
  CHECK(69 * linear_attention_parameters(kimi, 7168) == 30'618'086'496);
  CHECK(70 * linear_attention_parameters(minimax, 6144) == 17'616'650'240);
}

TEST_CASE("a gate of low rank replaces a full map", "[model]") {
  const linear_attention low = with(kimi, &linear_attention::gate_rank, 128);
  CHECK(linear_attention_parameters(kimi, 7168) - linear_attention_parameters(low, 7168) ==
        7168.0 * 12288 - 128.0 * (7168 + 12288));
}

TEST_CASE("a sequence keeps a matrix of each head", "[model]") {
  CHECK(linear_attention_state(qwen) ==
        sequence_state{.recurrent = 32 * 128 * 128, .convolution = 3 * 8192});
  CHECK(linear_attention_state(kimi) ==
        sequence_state{.recurrent = 96 * 128 * 128, .convolution = 3 * 3 * 12288});
  CHECK(linear_attention_state(minimax) == sequence_state{.recurrent = 64 * 128 * 128});
  CHECK(linear_attention_state(with(qwen, &linear_attention::key_head_dim, 64)).recurrent ==
        32 * 128 * 64);
}

TEST_CASE("parameters of linear attention grow with the width of the model", "[model]") {
  testing::check_property("by a line of each map", [] {
    const int hidden = *rc::gen::inRange(1, 100'000);
    const linear_attention a{.key_heads = *rc::gen::inRange(1, 100),
                             .value_heads = *rc::gen::inRange(1, 100),
                             .key_head_dim = *rc::gen::inRange(1, 300),
                             .value_head_dim = *rc::gen::inRange(1, 300)};
    RC_ASSERT(linear_attention_parameters(a, hidden + 1) - linear_attention_parameters(a, hidden) ==
              2 * a.key_width() + 3 * a.value_width() + 2.0 * a.value_heads);
  });
}

TEST_CASE("linear attention without a size is refused", "[model]") {
  CHECK_THROWS_WITH(linear_attention_parameters(qwen, 0), ContainsSubstring("hidden_size"));
  CHECK_THROWS_WITH(linear_attention_state({}), ContainsSubstring("key_heads"));
  for (const auto& [member, name] : {std::pair{&linear_attention::value_heads, "value_heads"},
                                     std::pair{&linear_attention::key_head_dim, "key_head_dim"},
                                     std::pair{&linear_attention::value_head_dim, "value_head_dim"},
                                     std::pair{&linear_attention::convolution, "convolution"}})
    CHECK_THROWS_WITH(linear_attention_state(with(qwen, member, 0)), ContainsSubstring(name));
  CHECK_THROWS_WITH(linear_attention_state(with(qwen, &linear_attention::gate_rank, -1)),
                    ContainsSubstring("gate_rank"));
  linear_attention none = qwen;
  none.kind = static_cast<linear_attention_kind>(7);
  CHECK_THROWS_WITH(linear_attention_parameters(none, 8), ContainsSubstring("kind"));
}

}  // namespace
}  // namespace gpuplan
