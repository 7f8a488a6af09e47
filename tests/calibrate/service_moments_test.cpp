#include <gpuplan/calibrate/service_moments.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

#include <gpuplan/queue/service_laws.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

std::vector<trace_job> lasting(const std::vector<double>& times) {
  std::vector<trace_job> jobs;
  for (const double time : times) jobs.push_back({.duration = time * second});
  return jobs;
}

TEST_CASE("moments of durations", "[calibrate]") {
  const auto of = service_moments_of(lasting({1, 2, 3, 0, 4}));
  CHECK(of.jobs == 5);
  CHECK(of.mean == 2 * second);
  CHECK(of.second == 6 * second * second);
  CHECK(of.third == 20 * second * second * second);
  CHECK_THAT(of.squared_variation(), WithinRel(0.5, 1e-15));
  CHECK_THAT(of.log_mean, WithinRel(std::log(24) / 4, 1e-14));
  const auto equal = service_moments_of(lasting({std::exp(2), std::exp(4)}));
  CHECK_THAT(equal.log_mean, WithinRel(3, 1e-14));
  CHECK_THAT(equal.log_deviation, WithinRel(1, 1e-14));
}

TEST_CASE("jobs that are equally long do not vary", "[calibrate][limits]") {
  // 1e-6 is no sum of powers of two: the mean of squares rounds to less than the squared mean.
  for (const double duration : {1e-6, 0.1, 3.3, 1e11}) {
    const std::vector<trace_job> jobs(3000, trace_job{.duration = duration * second});
    CHECK(service_moments_of(jobs).squared_variation() >= 0);
    CHECK(service_moments_of(jobs).squared_variation() <= 1e-12);
  }
}

TEST_CASE("the share of the largest jobs counts their GPUs", "[calibrate]") {
  std::vector<trace_job> jobs(100, {.duration = 1 * second});
  CHECK_THAT(longest_share(jobs, 0.01), WithinRel(0.01, 1e-14));
  CHECK_THAT(longest_share(jobs, 0.005), WithinRel(0.01, 1e-14));
  CHECK_THAT(longest_share(jobs, 0.07), WithinRel(0.07, 1e-14));
  CHECK_THAT(longest_share(jobs, 1), WithinRel(1, 1e-14));
  jobs[50].gpus = 102;
  CHECK_THAT(longest_share(jobs, 0.01), WithinRel(102.0 / 201, 1e-14));
  jobs[7].duration = 201 * second;
  CHECK_THAT(longest_share(jobs, 0.01), WithinRel(201.0 / 401, 1e-14));
  CHECK_THAT(longest_share(jobs, 0.02), WithinRel(303.0 / 401, 1e-14));
}

TEST_CASE("durations that are cut off, unfinished or zero are noticed", "[calibrate]") {
  std::vector<trace_job> jobs;
  for (int i = 1; i <= 1000; ++i) jobs.push_back({.duration = i * minute});
  CHECK_FALSE(duration_doubts_of(jobs).clamped());
  for (trace_job& job : jobs) job.duration = smaller(job.duration, 900 * minute);
  const auto cut = duration_doubts_of(jobs);
  CHECK(cut.clamped());
  CHECK(cut.longest == 900 * minute);
  CHECK(cut.at_longest == 101);
  CHECK(cut.near_longest == 90);

  // Two dozen at the end of many that are about as long.
  std::vector<trace_job> long_ones;
  for (int i = 1; i <= 1000; ++i)
    long_ones.push_back({.duration = std::min(i + 24, 1000) * minute});
  CHECK(duration_doubts_of(long_ones).at_longest == 25);
  CHECK_FALSE(duration_doubts_of(long_ones).clamped());

  jobs[3].finished = false;
  jobs[4].duration = 0 * second;
  CHECK(duration_doubts_of(jobs).unfinished == 1);
  CHECK(duration_doubts_of(jobs).zero == 1);
  CHECK_FALSE(duration_doubts_of(lasting(std::vector<double>(50, 60.0))).clamped());
  CHECK_FALSE(duration_doubts_of({}).clamped());
}

TEST_CASE("durations stay in the order of the jobs", "[calibrate]") {
  CHECK(durations_of(lasting({3, 1, 2})) ==
        std::vector<seconds>{3 * second, 1 * second, 2 * second});
}

TEST_CASE("traces without work are refused", "[calibrate][errors]") {
  CHECK_THROWS_WITH(service_moments_of({}),
                    "service_moments_of: jobs must be >= 1 and not all of 0 s");
  CHECK_THROWS_AS(service_moments_of(lasting({0, 0})), invalid_input);
  CHECK_THROWS_AS(service_moments_of(lasting({-5, 3})), invalid_input);
  CHECK_THROWS_AS(longest_share({}, 0.01), invalid_input);
  CHECK_THROWS_AS(longest_share(lasting({0}), 0.01), invalid_input);
  for (const double share : {0.0, -1.0, 1.1, std::nan("")})
    CHECK_THROWS_AS(longest_share(lasting({1}), share), invalid_input);
}

using namespace units;

using trace = std::vector<trace_job>;

trace_job ended(double weeks) {
  return {.duration = weeks * week};
}
trace_job running(double weeks) {
  return {.duration = weeks * week, .finished = false};
}

TEST_CASE("remissions of leukaemia, a textbook's example of incomplete observations",
          "[calibrate][reference]") {
  // Freireich et al. 1963, the treated group; P(S > x) as E. A. Gehan, Biometrika 52 (1965)
  // 203-223, and any textbook of survival print it.
  const trace remissions{
      ended(6),    ended(6),    ended(6),    running(6),  ended(7),    running(9),  ended(10),
      running(10), running(11), ended(13),   ended(16),   running(17), running(19), running(20),
      ended(22),   ended(23),   running(25), running(32), running(32), running(34), running(35)};
  const empirical_service law = product_limit_service(remissions);
  const auto tail = [&](double weeks) { return law.tail(weeks * week); };
  CHECK(std::abs(tail(6) - 0.857) < 0.0005);
  CHECK(std::abs(tail(7) - 0.807) < 0.0005);
  CHECK(std::abs(tail(10) - 0.753) < 0.0005);
  CHECK(std::abs(tail(13) - 0.690) < 0.0005);
  CHECK(std::abs(tail(16) - 0.627) < 0.0005);
  CHECK(std::abs(tail(22) - 0.538) < 0.0005);
  CHECK(std::abs(tail(23) - 0.448) < 0.0005);
  CHECK(std::abs(tail(34.9) - 0.448) < 0.0005);
  CHECK(tail(35) == 0);
}

TEST_CASE("without unfinished jobs it is the sample", "[calibrate][property]") {
  testing::check_property("the same law", [] {
    trace jobs;
    std::vector<seconds> sizes;
    for (const int size :
         *rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 30)))) {
      jobs.push_back(ended(size));
      if (size > 0) sizes.push_back(size * week);
    }
    RC_PRE(!sizes.empty());
    const empirical_service limit = product_limit_service(jobs);
    const empirical_service sample{sizes};
    for (int x = 0; x < 31; ++x)
      RC_ASSERT(std::abs(limit.tail(x * week) - sample.tail(x * week)) < 1e-12);
  });
}

TEST_CASE("jobs cut off by the end of a trace do not shorten the mean", "[calibrate]") {
  // Quantiles of an exponential law, seen for a time that is uniform up to four means.
  trace jobs;
  for (int i = 0; i < 2000; ++i) {
    const double size = -std::log(1 - (i + 0.5) / 2000);
    const double seen = 4 * std::fmod(i * 0.6180339887498949, 1.0);
    jobs.push_back(seen < size ? running(seen) : ended(size));
  }
  seconds cut;
  for (const trace_job& job : jobs) cut += job.duration / 2000.0;
  CHECK(cut < 0.8 * week);
  const seconds mean = mean_service(product_limit_service(jobs));
  CHECK_THAT(mean / week, WithinRel(1, 0.05));
}

TEST_CASE("a trace of no time is refused", "[calibrate][errors]") {
  CHECK_THROWS_WITH(product_limit_service({}),
                    "product_limit_service: at least one job must last > 0 s");
  CHECK_THROWS_AS(product_limit_service(trace{ended(0)}), invalid_input);
  CHECK(mean_service(product_limit_service(trace{running(1)})) == 1 * week);
}

}  // namespace
}  // namespace gpuplan
