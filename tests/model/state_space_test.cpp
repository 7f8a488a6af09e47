#include <gpuplan/model/state_space.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

// Nemotron 3 Nano, Granite 4 H Small and Jamba, from their published sizes.
constexpr state_space nano{
    .channels = 4096, .state_size = 128, .heads = 64, .groups = 8, .norm = true};
constexpr state_space granite{.channels = 8192, .state_size = 128, .heads = 128, .norm = true};
constexpr state_space jamba{.kind = state_space_kind::mamba_1,
                            .channels = 8192,
                            .state_size = 16,
                            .time_step_rank = 256,
                            .norm = true};

static_assert(convolved_channels(nano) == 6144);
static_assert(convolved_channels(jamba) == 8192);

template <class... Args>
concept counts = requires(Args... args) {
  state_space_parameters(args...);
};
static_assert(!counts<state_space>, "the maps in and out need the width of the model");

state_space with(state_space s, auto member, auto value) {
  s.*member = value;
  return s;
}

TEST_CASE("state-space layers have the parameters of published models", "[model][reference]") {
  // The layers' shares of the published weights: 23, 36 and 28 of them.
  CHECK(23 * state_space_parameters(nano, 2688) == 891'070'784);
  CHECK(36 * state_space_parameters(granite, 4096) == 3'682'331'136);
  CHECK(28 * state_space_parameters(jamba, 4096) == 2'948'636'544);
}

TEST_CASE("each option of a state-space layer adds what it names", "[model]") {
  const auto count = [](const state_space& s) { return state_space_parameters(s, 2688); };
  CHECK(count(nano) - count(with(nano, &state_space::norm, false)) == 4096);
  CHECK(count(nano) - count(with(nano, &state_space::convolution_bias, false)) == 6144);
  CHECK(count(with(nano, &state_space::projection_bias, true)) - count(nano) ==
        4096 + 6144 + 64 + 2688);
  CHECK(count(with(nano, &state_space::convolution, 5)) - count(nano) == 6144);
  CHECK(count(jamba) - count(with(jamba, &state_space::norm, false)) == 256 + 32);
}

TEST_CASE("a sequence keeps the state of its channels and of the convolution", "[model]") {
  // FP32 and BF16: 49 082 368 B in the 23 layers of Nemotron 3 Nano.
  const sequence_state kept = state_space_state(nano);
  CHECK(kept == sequence_state{.recurrent = 64 * 64 * 128, .convolution = 3 * 6144});
  CHECK(23 * (4 * kept.recurrent + 2 * kept.convolution) == 49'082'368);
  CHECK(state_space_state(jamba) ==
        sequence_state{.recurrent = 8192 * 16, .convolution = 3 * 8192});
  CHECK(state_space_state(with(nano, &state_space::convolution, 1)).convolution == 0);
}

TEST_CASE("a wider model has larger state-space layers", "[model]") {
  testing::check_property("parameters grow", [] {
    const int hidden = *rc::gen::inRange(1, 100'000);
    const state_space s{.channels = *rc::gen::inRange(1, 100'000),
                        .state_size = *rc::gen::inRange(1, 1000),
                        .heads = *rc::gen::inRange(1, 1000),
                        .groups = *rc::gen::inRange(1, 64)};
    RC_ASSERT(state_space_parameters(s, hidden + 1) - state_space_parameters(s, hidden) ==
              3.0 * s.channels + 2.0 * s.groups * s.state_size + s.heads);
  });
}

TEST_CASE("a state-space layer without a size is refused", "[model]") {
  CHECK_THROWS_WITH(state_space_parameters(nano, 0), ContainsSubstring("hidden_size"));
  CHECK_THROWS_WITH(state_space_state({}), ContainsSubstring("channels"));
  CHECK_THROWS_WITH(state_space_state(with(nano, &state_space::state_size, 0)),
                    ContainsSubstring("state_size"));
  CHECK_THROWS_WITH(state_space_state(with(nano, &state_space::heads, 0)),
                    ContainsSubstring("heads"));
  CHECK_THROWS_WITH(state_space_state(with(nano, &state_space::groups, 0)),
                    ContainsSubstring("groups"));
  CHECK_THROWS_WITH(state_space_state(with(nano, &state_space::convolution, 0)),
                    ContainsSubstring("convolution"));
  CHECK_THROWS_WITH(state_space_state(with(jamba, &state_space::time_step_rank, 0)),
                    ContainsSubstring("time_step_rank"));
}

}  // namespace
}  // namespace gpuplan
