#include <gpuplan/calibrate/step_factors.hpp>

#include <limits>

#include <gpuplan/calibrate/step_prediction.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/timed_runs.hpp"

namespace gpuplan {
namespace {

factor_values only(step_factor what, double times) {
  factor_values all = unit_factors;
  all[static_cast<std::size_t>(what)] = times;
  return all;
}

TEST_CASE("factors are in the order of their table, and have names of their own", "[calibrate]") {
  for (std::size_t i = 0; i < step_factor_count; ++i) {
    CHECK(static_cast<std::size_t>(step_factor_table[i].value) == i);
    CHECK(step_factor_table[i].prior_deviation > 0);
    for (std::size_t j = 0; j < i; ++j)
      CHECK(step_factor_table[i].name != step_factor_table[j].name);
  }
}

TEST_CASE("factors of 1 change no time", "[calibrate]") {
  for (const step_job& job : testing::varied_jobs()) {
    const seconds before =
        evaluate(job.model, job.pool, job.recipe, job.parallelism, job.workspace).time.total();
    CHECK(step_time_of(job, unit_factors) == before);
  }
}

TEST_CASE("each factor moves what it is called after", "[calibrate]") {
  const cluster known = testing::sixteen_h100();
  const accelerator& gpu = known.gpu();
  const auto with = [&](step_factor what) { return with_factors(known, only(what, 2)); };
  CHECK(sustained_rate(with(step_factor::products).gpu(), number_format::bf16) ==
        sustained_rate(gpu, number_format::bf16) / 2);
  CHECK(sustained_rate(with(step_factor::products).gpu(), number_format::fp4) ==
        flop_per_second{0});
  CHECK(operator_rates_of(with(step_factor::attention).gpu()).attention.backward_128 ==
        operator_rates_of(gpu).attention.backward_128 / 2);
  CHECK(streaming_bandwidth(with(step_factor::memory).gpu()) == streaming_bandwidth(gpu) / 2);
  CHECK(operator_rates_of(with(step_factor::memory).gpu()).elementwise_memory ==
        operator_rates_of(gpu).elementwise_memory / 2);
  CHECK(with(step_factor::node_messages).node.scale_up.bandwidth ==
        known.node.scale_up.bandwidth / 2);
  CHECK(with(step_factor::node_messages).node.fabric.bandwidth == known.node.fabric.bandwidth);
  CHECK(with(step_factor::fabric_messages).node.fabric.latency == 2 * known.node.fabric.latency);
  CHECK(with(step_factor::layer_host).node.layer_host == 2);
  CHECK(with(step_factor::step_host).node.step_host == 2);
}

TEST_CASE("no factor makes a device faster than its datasheet", "[calibrate]") {
  testing::check_property("clusters with factors are valid, and slower where a factor is larger",
                          [] {
                            factor_values times{};
                            for (double& one : times)
                              one = std::exp(*rc::gen::inRange(-600, 600) / 100.0);
                            const auto jobs = testing::varied_jobs();
                            const step_job& job = *rc::gen::elementOf(jobs);
                            const cluster pool = with_factors(job.pool, times);
                            require_valid(pool);
                            const seconds step = step_time_of(job, times);
                            RC_ASSERT(step > seconds{0});
                            factor_values more = times;
                            const auto which = *rc::gen::inRange<std::size_t>(0, step_factor_count);
                            more[which] *= 1.5;
                            RC_ASSERT(step_time_of(job, more) >= (1 - 1e-12) * step);
                          });
}

TEST_CASE("factors that are none are refused", "[calibrate]") {
  for (const double bad : {0.0, -1.0, 1e-4, 1e4, std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity()})
    CHECK_THROWS_AS(with_factors(testing::sixteen_h100(), only(step_factor::memory, bad)),
                    invalid_input);
}

}  // namespace
}  // namespace gpuplan
