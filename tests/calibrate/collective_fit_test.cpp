#include <gpuplan/calibrate/collective_fit.hpp>

#include <cmath>
#include <limits>
#include <vector>

#include <gpuplan/simulate/random_numbers.hpp>

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
    RC_ASSERT(fit.latency_bounds.holds(fit.link.latency));
    RC_ASSERT(fit.fill_bounds.holds(fit.link.fill));
    RC_ASSERT(fit.bandwidth_bounds.holds(fit.link.bandwidth));
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
  CHECK(fit.latency_bounds.high == seconds{std::numeric_limits<double>::infinity()});
  CHECK(fit.bandwidth_bounds.low == bytes_per_second{0});
  CHECK(fit.fill_bounds.high == seconds{0});
}

TEST_CASE("intervals of a collective's numbers hold the true ones as often as they say",
          "[calibrate][statistics]") {
  random_numbers random{1};
  for (const collective_form form : {collective_form::alpha_beta, collective_form::pipelined}) {
    const bool has_root = form == collective_form::pipelined;
    const pipelined_link link{
        .latency = 20 * us, .fill = (has_root ? 4 : 0) * us, .bandwidth = 200 * GB / second};
    const std::vector<transfer_sample> exact = sweep(link);
    constexpr int sweeps = 600;
    int latencies = 0;
    int fills = 0;
    int bandwidths = 0;
    for (int i = 0; i < sweeps; ++i) {
      std::vector<transfer_sample> samples = exact;
      for (transfer_sample& sample : samples)
        sample.time = sample.time * (1 + 0.03 * random.normal());
      const collective_fit fit = fit_collective(samples, form);
      latencies += fit.latency_bounds.holds(link.latency) ? 1 : 0;
      fills += fit.fill_bounds.holds(link.fill) ? 1 : 0;
      bandwidths += fit.bandwidth_bounds.holds(link.bandwidth) ? 1 : 0;
    }
    // 95 % of 600: a deviation is 0.9 %.
    CAPTURE(has_root);
    CHECK(std::abs(latencies / double{sweeps} - fit_level) < 0.035);
    CHECK(std::abs(bandwidths / double{sweeps} - fit_level) < 0.035);
    if (has_root) CHECK(std::abs(fills / double{sweeps} - fit_level) < 0.035);
  }
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
  CHECK(fault_of(fit) == curve_fault::flat);
  std::vector<transfer_sample> falling = flat;
  falling[2].time = 5 * us;
  CHECK(fault_of(fit_collective(falling, collective_form::alpha_beta)) == curve_fault::flat);
}

TEST_CASE("a curve that misses the times is poor", "[calibrate]") {
  const pipelined_link link{.latency = 20 * us, .bandwidth = 200 * GB / second};
  std::vector<transfer_sample> samples = sweep(link);
  CHECK(fault_of(fit_collective(samples, collective_form::alpha_beta)) == curve_fault::none);
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples[i].time = std::pow(10.0, i % 3) * samples[i].time;
  CHECK(fault_of(fit_collective(samples, collective_form::alpha_beta)) == curve_fault::poor);
}

TEST_CASE("a curve that misses more than a tenth of the times far is poor", "[calibrate]") {
  const pipelined_link link{.latency = 20 * us, .bandwidth = 200 * GB / second};
  std::vector<transfer_sample> samples = sweep(link);
  const auto slow = [&](std::size_t from, double times) {
    std::vector<transfer_sample> some = samples;
    for (std::size_t i = from; i < some.size(); i += 3) some[i].time = times * some[i].time;
    return fit_collective(some, collective_form::alpha_beta);
  };
  CHECK(slow(1, 100).quality.median < 0.1);
  CHECK(fault_of(slow(1, 100)) == curve_fault::poor);
  CHECK(fault_of(slow(1, 5)) == curve_fault::none);  // as on a busy network
  CHECK(fault_of(slow(samples.size() - 2, 100)) == curve_fault::none);
}

TEST_CASE("messages of one size tell no curve", "[calibrate][errors]") {
  std::vector<transfer_sample> samples(5, {1 * MB, 10 * us});
  samples[1].time = 11 * us;
  CHECK(sizes_of(samples) == 1);
  CHECK_THROWS_AS(fit_collective(samples, collective_form::alpha_beta), invalid_input);
  samples.push_back({2 * MB, 20 * us});
  CHECK(sizes_of(samples) == 2);
  CHECK_NOTHROW(fit_collective(samples, collective_form::alpha_beta));
  CHECK_THROWS_AS(fit_collective(samples), invalid_input);
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
