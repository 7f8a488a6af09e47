#include <gpuplan/plan/failures.hpp>

#include <array>
#include <cmath>
#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

static_assert(job_mtbf(1000 * hour, 10) == 100 * hour);
static_assert(observed_mtbf(10 * hour, 100, 5) == 200 * hour);
static_assert(failure_rate({}) == per_second{0});
static_assert(failure_rate(std::array{failing_parts{10, 100 * second},
                                      failing_parts{1, 10 * second}}) == 0.2 / second);
static_assert(failure_rate(std::array{failing_parts{
                  10, seconds{std::numeric_limits<double>::infinity()}}}) == per_second{0});

template <class Time>
concept fails_after = requires(Time time) {
  job_mtbf(time, 8);
};
static_assert(fails_after<seconds> && !fails_after<per_second> && !fails_after<double>);

TEST_CASE("the interruptions of Llama 3", "[plan][reference]") {
  // A. Grattafiori et al., "The Llama 3 Herd of Models" (2024), section 3.3.4 and table 5,
  // arXiv:2407.21783: in 54 days on 16384 GPUs 466 interruptions, 47 of them planned.
  const seconds all = observed_mtbf(54 * day, 1, 466);
  CHECK(std::abs(all.in(hour)-2.78) <= 0.005);
  const seconds unexpected = observed_mtbf(54 * day, 1, 419);
  CHECK(std::abs(unexpected.in(hour)-3.09) <= 0.005);

  // The log's GPU fails every 5.8 years; of as many of them one fails as often as the log says.
  const seconds of_gpu = observed_mtbf(54 * day, 16384, 419);
  CHECK(std::abs(of_gpu.in(year)-5.78) <= 0.01);
  CHECK_THAT(job_mtbf(of_gpu, 16384).in(hour), WithinRel(unexpected.in(hour), 1e-12));
  CHECK_THAT((54 * day / unexpected), WithinRel(419.0, 1e-12));

  // Its causes, counted apart, make up the whole.
  constexpr std::array causes{148, 72, 54, 35, 32, 19, 17, 7, 6, 6, 4, 3, 3, 3, 2, 2, 2, 2, 1, 1};
  std::array<failing_parts, causes.size()> parts;
  for (std::size_t i = 0; i < causes.size(); ++i)
    parts[i] = {1, observed_mtbf(54 * day, 1, causes[i])};
  CHECK_THAT(failure_rate(parts) * unexpected, WithinRel(1.0, 1e-9));
}

TEST_CASE("how reliable is 99.9 percent", "[plan][reference]") {
  // The AI Training chapter names no time; over a day it is 1000 devices of which one fails daily.
  const seconds of_one = mtbf_of_survival(0.999, 1 * day);
  CHECK(std::abs(of_one.in(day)-999.5) <= 0.05);
  CHECK_THAT(survival(1 * day, of_one), WithinRel(0.999, 1e-12));
  CHECK_THAT(survival(1 * day, job_mtbf(of_one, 1000)), WithinRel(std::pow(0.999, 1000), 1e-9));
}

TEST_CASE("the failure rate grows with the nodes as a straight line", "[plan][property]") {
  testing::check_property("linear", [] {
    const seconds one = *rc::gen::inRange(1, 1000000) * hour;
    const double nodes = *rc::gen::inRange(1, 1000000);
    const std::array single{failing_parts{1, one}};
    const std::array many{failing_parts{nodes, one}};
    RC_ASSERT(std::abs(failure_rate(many) / (nodes * failure_rate(single)) - 1) < 1e-12);
    RC_ASSERT(std::abs(failure_rate(many) * job_mtbf(one, nodes) - 1) < 1e-12);
    const seconds time = *rc::gen::inRange(0, 1000) * hour;
    RC_ASSERT(survival(time, one) <= 1 && survival(time, one) >= survival(2 * time, one));
  });
}

TEST_CASE("failures refuse what their documentation refuses", "[plan][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const failing_parts bad : {failing_parts{-1, hour}, failing_parts{nan, hour},
                                  failing_parts{1, seconds{0}}, failing_parts{1, seconds{nan}}})
    CHECK_THROWS_AS(failure_rate(std::array{bad}), invalid_input);
  CHECK_THROWS_AS(job_mtbf(seconds{0}, 1), invalid_input);
  CHECK_THROWS_AS(job_mtbf(hour, nan), invalid_input);
  CHECK_THROWS_AS(observed_mtbf(hour, 1, 0), invalid_input);
  CHECK_THROWS_AS(observed_mtbf(hour, 0, 1), invalid_input);
  CHECK_THROWS_AS(observed_mtbf(seconds{nan}, 1, 1), invalid_input);
  CHECK_THROWS_AS(survival(seconds{-1}, hour), invalid_input);
  CHECK_THROWS_AS(survival(hour, seconds{nan}), invalid_input);
  for (const double probability : {0.0, 1.0, nan})
    CHECK_THROWS_AS(mtbf_of_survival(probability, day), invalid_input);
  CHECK_THROWS_AS(mtbf_of_survival(0.9, seconds{0}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
