#include <gpuplan/queue/share/marginal_gain.hpp>

#include <array>
#include <functional>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

TEST_CASE("the next GPU goes to the job that it helps most", "[queue][reference]") {
  // Twice as fast with two GPUs, three times with three: 100 steps and 10 steps of 1 s.
  constexpr std::array times{6 * second, 3 * second, 2 * second};
  const std::array jobs{elastic_job{100, times}, elastic_job{10, times}};
  std::array<int, 2> units{};
  CHECK(marginal_gain_allocation(jobs, 1, units) == 0);
  CHECK(units == std::array{1, 0});
  CHECK(marginal_gain_allocation(jobs, 4, units) == 0);
  CHECK(units == std::array{3, 1});
  CHECK(marginal_gain_allocation(jobs, 9, units) == 3);
  CHECK(units == std::array{3, 3});
}

TEST_CASE("of jobs that gain alike the first goes before", "[queue]") {
  constexpr std::array times{6 * second, 3 * second, 2 * second};
  const std::array jobs{elastic_job{10, times}, elastic_job{10, times}, elastic_job{10, times}};
  std::array<int, 3> units{};
  CHECK(marginal_gain_allocation(jobs, 4, units) == 0);
  CHECK(units == std::array{2, 1, 1});
  CHECK(marginal_gain_allocation(jobs, 5, units) == 0);
  CHECK(units == std::array{2, 2, 1});
  CHECK(marginal_gain_allocation(jobs, 2, units) == 0);
  CHECK(units == std::array{1, 1, 0});
  // No more where one unit more helps nobody.
  constexpr std::array flat{6 * second, 6 * second, 2 * second};
  CHECK(marginal_gain_allocation(std::array{elastic_job{1, flat}}, 3, std::span{units}.first(1)) ==
        2);
}

TEST_CASE("of gains that shrink none does better", "[queue][property]") {
  testing::check_property("the sum of times left is the least of all ways", [] {
    const int gpus = *rc::gen::inRange(3, 9);
    std::vector<std::vector<seconds>> tables(3);
    std::vector<elastic_job> jobs;
    for (auto& table : tables) {
      // Amdahl's law: convex, so that each further GPU gains less than the one before.
      const double serial = *rc::gen::inRange(1, 100) / 100.0;
      for (int n = 1; n <= gpus; ++n) table.push_back((serial + (1 - serial) / n) * second);
      jobs.push_back({static_cast<double>(*rc::gen::inRange(1, 1000)), table});
    }
    std::vector<int> units(3);
    const int left = marginal_gain_allocation(jobs, gpus, units);
    RC_ASSERT(left >= 0);
    const auto total = [&](int a, int b, int c) {
      return jobs[0].time_left(a) + jobs[1].time_left(b) + jobs[2].time_left(c);
    };
    const seconds ours = total(units[0], units[1], units[2]);
    for (int a = 1; a <= gpus; ++a)
      for (int b = 1; a + b < gpus; ++b)
        for (int c = 1; a + b + c <= gpus; ++c) RC_ASSERT(ours <= total(a, b, c) * (1 + 1e-12));
  });
}

TEST_CASE("units of several GPUs", "[queue]") {
  constexpr std::array times{6 * second, 3 * second};
  const std::array jobs{elastic_job{1, times, 8}, elastic_job{1, times, 2}, elastic_job{1, {}, 1}};
  std::array<int, 3> units{};
  CHECK(marginal_gain_allocation(jobs, 5, units) == 1);  // the gang of 8 waits
  CHECK(units == std::array{0, 2, 0});
}

TEST_CASE("elastic jobs that are none are refused", "[queue][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const std::array times{6 * second, nan * second};
  std::array<int, 1> units{};
  CHECK_THROWS_AS(marginal_gain_allocation(std::array{elastic_job{1, times}}, 5, units),
                  invalid_input);
  CHECK_THROWS_AS(marginal_gain_allocation(std::array{elastic_job{nan, {}}}, 5, units),
                  invalid_input);
  CHECK_THROWS_AS(marginal_gain_allocation(std::array{elastic_job{1, {}, 0}}, 5, units),
                  invalid_input);
  CHECK_THROWS_AS(marginal_gain_allocation(std::array{elastic_job{}}, -1, units), invalid_input);
  CHECK_THROWS_AS(marginal_gain_allocation({}, 1, units), invalid_input);
}

}  // namespace
}  // namespace gpuplan
