#include <gpuplan/calibrate/collective_fit.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

std::vector<transfer_sample> sweep(const pipelined_link& link) {
  std::vector<transfer_sample> samples;
  for (int power = 3; power <= 30; ++power) {
    const bytes message{std::ldexp(1.0, power)};
    samples.push_back({message, pipelined_time(link, message).total()});
  }
  return samples;
}

TEST_CASE("the numbers of a collective come back from its times", "[calibrate][property]") {
  testing::check_property("within 1 %, with and without the root, with noise of 0.1 %", [] {
    const pipelined_link link{.latency = *rc::gen::inRange(1, 100) * us,
                              .fill = *rc::gen::inRange(0, 30) * us,
                              .bandwidth = *rc::gen::inRange(1, 900) * GB / second};
    std::vector<transfer_sample> samples = sweep(link);
    for (std::size_t i = 0; i < samples.size(); ++i)
      samples[i].time = samples[i].time * (1 + (i % 2 == 0 ? 1e-3 : -1e-3));
    const collective_fit fit = fit_collective(samples);
    RC_ASSERT(std::abs(fit.link.latency / link.latency - 1) <= 0.01);
    RC_ASSERT(std::abs(fit.link.bandwidth / link.bandwidth - 1) <= 0.01);
    RC_ASSERT(fit.quality.worst <= 0.005);
    RC_ASSERT(std::abs((fit.link.latency - link.latency) / fit.latency_error) < 20);
    RC_ASSERT(std::abs(fit.link.bandwidth / link.bandwidth - 1) < 20 * fit.bandwidth_error);
  });
}

TEST_CASE("a line through two samples is that line", "[calibrate][reference]") {
  const std::vector<transfer_sample> two{{1 * MB, 110 * us}, {10 * MB, 200 * us}};
  const collective_fit fit = fit_collective(two, collective_form::alpha_beta);
  CHECK_THAT(fit.link.latency / us, WithinRel(100.0, 1e-9));
  CHECK_THAT(fit.link.bandwidth / (GB / second), WithinRel(100.0, 1e-9));
  CHECK(fit.link.fill == seconds{0});
  CHECK(fit.least == 1 * MB);
  CHECK(fit.most == 10 * MB);
  CHECK(fit.latency_error == seconds{std::numeric_limits<double>::infinity()});
}

TEST_CASE("wrong rows of a log do not bend the fit", "[calibrate]") {
  const pipelined_link link{.latency = 20 * us, .fill = 2 * us, .bandwidth = 200 * GB / second};
  std::vector<transfer_sample> samples = sweep(link);
  samples[10].time = 6 * ms;  // two hundred times too long
  samples[20].time = 50 * samples[20].time;
  const collective_fit fit = fit_collective(samples);
  CHECK_THAT(fit.link.latency / link.latency, WithinRel(1.0, 0.01));
  CHECK_THAT(fit.link.bandwidth / link.bandwidth, WithinRel(1.0, 0.01));
  CHECK(fit.quality.outliers >= 2);
}

TEST_CASE("times that do not grow leave a rate that binds nothing", "[calibrate]") {
  const std::vector<transfer_sample> flat{{1 * kB, 10 * us}, {1 * MB, 10 * us}, {2 * MB, 10 * us}};
  const collective_fit fit = fit_collective(flat, collective_form::alpha_beta);
  CHECK_THAT(fit.link.latency / us, WithinRel(10.0, 1e-6));
  CHECK_NOTHROW(require_valid(fit.link));
  CHECK(fit.quality.worst < 1e-5);
}

TEST_CASE("samples of a collective out of range are refused", "[calibrate][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<transfer_sample> good{{1 * kB, 10 * us}, {1 * MB, 20 * us}};
  CHECK_THROWS_AS(fit_collective({}), invalid_input);
  CHECK_THROWS_AS(fit_collective(good), invalid_input);
  for (const transfer_sample bad :
       {transfer_sample{0 * byte, 1 * us}, transfer_sample{1 * byte, 0 * us},
        transfer_sample{bytes{nan}, 1 * us}, transfer_sample{1 * byte, seconds{nan}},
        transfer_sample{1 * byte, seconds{std::numeric_limits<double>::infinity()}}}) {
    std::vector<transfer_sample> samples = good;
    samples.push_back(bad);
    CHECK_THROWS_AS(fit_collective(samples), invalid_input);
  }
}

}  // namespace
}  // namespace gpuplan
