#include <gpuplan/calibrate/service_censored.hpp>

#include <cmath>
#include <vector>

#include <gpuplan/queue/service_laws.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

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
                    "product_limit_service: some job must be longer than 0 s");
  CHECK_THROWS_AS(product_limit_service(trace{ended(0)}), invalid_input);
  CHECK(mean_service(product_limit_service(trace{running(1)})) == 1 * week);
}

}  // namespace
}  // namespace gpuplan
