#include <gpuplan/model/recurrent_mixer.hpp>

#include <array>
#include <cstddef>

#include <gpuplan/require.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

// Qwen3-Next 80B-A3B, Kimi Linear 48B, MiniMax-M1, Jamba, Nemotron 3 Nano: their published sizes.
constexpr recurrent_mixer qwen{
    .layers = 36,
    .attention_layers = 12,
    .linear = {.key_heads = 16, .value_heads = 32, .key_head_dim = 128, .value_head_dim = 128}};
constexpr recurrent_mixer kimi{.layers = 20,
                               .attention_layers = 7,
                               .linear = {.kind = linear_attention_kind::kimi_delta,
                                          .key_heads = 32,
                                          .value_heads = 32,
                                          .key_head_dim = 128,
                                          .value_head_dim = 128,
                                          .gate_rank = 128}};
constexpr recurrent_mixer minimax{.layers = 70,
                                  .attention_layers = 10,
                                  .linear = {.kind = linear_attention_kind::lightning,
                                             .key_heads = 64,
                                             .value_heads = 64,
                                             .key_head_dim = 128,
                                             .value_head_dim = 128}};
constexpr recurrent_mixer jamba{.layers = 28,
                                .attention_layers = 4,
                                .space = {.kind = state_space_kind::mamba_1,
                                          .channels = 8192,
                                          .state_size = 16,
                                          .time_step_rank = 256,
                                          .norm = true}};
constexpr recurrent_mixer nemotron{
    .layers = 23,
    .attention_layers = 6,
    .space = {.channels = 4096, .state_size = 128, .heads = 64, .groups = 8, .norm = true}};
constexpr std::array all{qwen, kimi, minimax, jamba, nemotron};

double weights_of_maps(const recurrent_mixer& mixer, int hidden_size, double t = 1) {
  double sum = 0;
  visit_recurrent_maps(mixer, hidden_size, t,
                       [&](const recurrent_map& map) { sum += map.inputs * map.outputs; });
  return sum;
}

static_assert(recurrent_width(qwen) == 4096 && recurrent_inputs(qwen) == 8192);
static_assert(recurrent_heads(qwen) == 16 && recurrent_heads(nemotron) == 64);
static_assert(recurrent_groups(nemotron) == 8 && recurrent_groups(jamba) == 0);
static_assert(recurrent_groups(qwen) == 0);
static_assert(recurrence_operations(minimax) == 6 * 64 * 128 * 128);
static_assert(recurrence_operations(nemotron) == 7 * 4096 * 128);
static_assert(recurrent_traffic(minimax) == 3 * 8192 + 4 * 8192);
static_assert(recurrent_kept_values(jamba) == 3 * 8192 + 256 + 2 * 16);
static_assert(recurrent_kept_values(nemotron) == 4096 + 2 * 8 * 128 + 3 * 4096 + 64);

// Convolutions, decays, steps and norms are all that is no map: 1 % of Mamba 1's, which has a
// state's decays, and less than half of that of the others.
TEST_CASE("the maps of a mixer are nearly all of its parameters", "[model]") {
  for (const recurrent_mixer& mixer : all) {
    const double parameters = recurrent_parameters(mixer, 4096);
    CHECK(weights_of_maps(mixer, 4096) < parameters);
    CHECK(weights_of_maps(mixer, 4096) > 0.99 * parameters);
  }
}

// By hand, from the parts that linear_attention_parameters and state_space_parameters list.
TEST_CASE("what is no map of a mixer is its convolution, decays and norms", "[model][facts]") {
  CHECK(recurrent_parameters(qwen, 2048) - weights_of_maps(qwen, 2048) == 4 * 8192 + 2 * 32 + 128);
  CHECK(recurrent_parameters(kimi, 2304) - weights_of_maps(kimi, 2304) ==
        4 * 3 * 4096 + 4096 + 32 + 128);
  CHECK(recurrent_parameters(minimax, 6144) - weights_of_maps(minimax, 6144) == 8192);
  CHECK(recurrent_parameters(jamba, 4096) - weights_of_maps(jamba, 4096) ==
        8192.0 * 5 + 8192 + 8192 * 16 + 8192 + 256 + 32);
  CHECK(recurrent_parameters(nemotron, 2688) - weights_of_maps(nemotron, 2688) ==
        6144 * 5 + 3 * 64 + 4096);
}

TEST_CASE("tensor ranks share the maps of a mixer, but for narrow ones", "[model]") {
  for (const recurrent_mixer& mixer : {qwen, minimax, nemotron})
    CHECK(4 * weights_of_maps(mixer, 4096, 4) == weights_of_maps(mixer, 4096));
  double whole = 0;
  visit_recurrent_maps(kimi, 4096, 4, [&](const recurrent_map& map) {
    if (map.whole_rank) whole += map.inputs * map.outputs;
  });
  CHECK(whole == 2 * 4096 * 128);
  CHECK(4 * (weights_of_maps(kimi, 4096, 4) - whole) + whole == weights_of_maps(kimi, 4096));
}

TEST_CASE("a mixer does and keeps more the wider it is", "[model]") {
  testing::check_property("of every kind", [] {
    recurrent_mixer mixer = all[*rc::gen::inRange<std::size_t>(0, all.size())];
    const recurrent_mixer before = mixer;
    mixer.linear.value_head_dim *= 2;
    mixer.space.channels *= 2;
    RC_ASSERT(recurrence_operations(mixer) > recurrence_operations(before));
    RC_ASSERT(recurrent_traffic(mixer) > recurrent_traffic(before));
    RC_ASSERT(recurrent_kept_values(mixer) > recurrent_kept_values(before));
    RC_ASSERT(recurrent_parameters(mixer, 512) > recurrent_parameters(before, 512));
  });
}

TEST_CASE("mixers out of range are refused by field", "[model]") {
  require_valid(recurrent_mixer{});  // none: its sizes are not read
  recurrent_mixer mixer = qwen;
  mixer.layers = -1;
  CHECK_THROWS_WITH(require_valid(mixer), "recurrent_mixer.layers must be >= 0");
  mixer = qwen;
  mixer.attention_layers = -1;
  CHECK_THROWS_WITH(require_valid(mixer), "recurrent_mixer.attention_layers must be >= 0");
  mixer = qwen;
  mixer.linear.value_heads = 0;
  CHECK_THROWS_WITH(require_valid(mixer), "linear_attention.value_heads must be >= 1");
  CHECK_THROWS_WITH(require_valid(recurrent_mixer{.layers = 1}),
                    "state_space.channels must be >= 1");
}

}  // namespace
}  // namespace gpuplan
