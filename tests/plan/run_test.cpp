#include <gpuplan/plan/run.hpp>

#include <limits>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

// Chapter 3, section 3.8.4, with its own 2.5 s a step (which no such hardware reaches): 300e9
// tokens take 66.3 h and not the printed 238 h, which are seconds; whole steps are counted.
constexpr run_job printed{.gpus = 1024,
                          .tokens_per_step = 1536 * 2048 * token,
                          .step = 2.5 * second,
                          .gpu_power = 400 * watt};
constexpr run_estimate run = training_run(printed, 300e9 * token, {.gpu = 1 * dollar / hour});
static_assert(run.steps == 95368);
static_assert(run.time == 238420 * second);
static_assert(run.energy_cost == dollars{0});

template <class Tokens>
concept runs_for = requires(run_job job, Tokens trained) {
  training_run(job, trained);
};
static_assert(runs_for<tokens>);
static_assert(!runs_for<double>, "tokens need their unit");
static_assert(!runs_for<seconds>, "a run is measured in tokens");
static_assert(!std::is_assignable_v<watts&, joules>, "power is not energy");

TEST_CASE("a run costs its GPU hours and its energy", "[plan][reference]") {
  CHECK_THAT(run.gpu_cost.in(dollar), WithinRel(1024 * 238420 / 3600.0, 1e-12));
  CHECK_THAT(run.energy.in(kWh), WithinRel(1024 * 0.4 * 238420 / 3600, 1e-12));
  const run_estimate site =
      training_run(printed, 300e9 * token,
                   {.electricity = 0.1 * dollar / kWh, .power_usage_effectiveness = 1.25});
  CHECK_THAT(site.energy.in(kWh), WithinRel(1.25 * run.energy.in(kWh), 1e-12));
  CHECK_THAT(site.cost().in(dollar), WithinRel(0.1 * site.energy.in(kWh), 1e-12));
}

TEST_CASE("a part of a step is a whole step", "[plan][limits]") {
  CHECK(training_run(printed, 1 * token).steps == 1);
  CHECK(training_run(printed, printed.tokens_per_step).steps == 1);
  CHECK(training_run(printed, printed.tokens_per_step + 1 * token).steps == 2);
}

TEST_CASE("twice the tokens take no less and at most twice the time", "[plan][property]") {
  testing::check_property("tokens doubled", [] {
    const tokens some = *rc::gen::inRange<std::int64_t>(1, 1'000'000'000'000) * token;
    const seconds once = training_run(printed, some).time;
    const seconds twice = training_run(printed, 2 * some).time;
    RC_ASSERT(twice >= once);
    RC_ASSERT(twice <= 2 * once);
  });
}

TEST_CASE("training_run refuses what its documentation refuses", "[plan][errors]") {
  const tokens trained = 1e9 * token;
  const auto refused = [&](auto change) {
    run_job job = printed;
    change(job);
    CHECK_THROWS_AS(training_run(job, trained), invalid_input);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refused([](run_job& j) { j.gpus = 0; });
  refused([](run_job& j) { j.step = seconds{0}; });
  refused([&](run_job& j) { j.step = seconds{nan}; });
  refused([](run_job& j) { j.tokens_per_step = tokens{0}; });
  refused([](run_job& j) { j.gpu_power = -1 * watt; });
  CHECK_THROWS_AS(training_run(printed, tokens{nan}), invalid_input);
  CHECK_THROWS_AS(training_run(printed, trained, {.gpu = dollars_per_second{-1}}), invalid_input);
  CHECK_THROWS_AS(training_run(printed, trained, {.power_usage_effectiveness = 0.9}),
                  invalid_input);
  CHECK_THROWS_AS(training_run(estimate{}, trained), invalid_input);
}

}  // namespace
}  // namespace gpuplan
