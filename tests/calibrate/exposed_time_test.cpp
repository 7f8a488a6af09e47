#include <gpuplan/calibrate/exposed_time.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace {

using namespace gpuplan;
using namespace gpuplan::units;

timed_activity ran(double begin, double end, std::size_t kind) {
  return {{begin * second, end * second}, kind};
}

time_window from_to(double begin, double end) {
  return {begin * second, end * second};
}

using times = std::vector<seconds>;

TEST_CASE("an instant counts for the first kind that runs then", "[calibrate]") {
  const std::vector<timed_activity> all{ran(1, 4, 1), ran(2, 3, 0), ran(6, 9, 1), ran(8, 10, 2)};
  const exposed_time shown = exposed_time_of(all, 3, from_to(0, 12));
  CHECK(shown.of_kind == times{1 * second, 5 * second, 1 * second});
  CHECK(shown.idle == 5 * second);
  CHECK(shown.total() == 12 * second);
}

TEST_CASE("activities of one kind that overlap count once", "[calibrate]") {
  const std::vector<timed_activity> all{ran(0, 5, 0), ran(1, 2, 0), ran(4, 7, 0), ran(7, 8, 0)};
  CHECK(exposed_time_of(all, 1, from_to(0, 10)).of_kind == times{8 * second});
}

TEST_CASE("what lies outside the window does not count", "[calibrate]") {
  const std::vector<timed_activity> all{ran(0, 3, 0), ran(-5, 1, 1), ran(9, 12, 1), ran(5, 5, 0)};
  const exposed_time shown = exposed_time_of(all, 2, from_to(2, 10));
  CHECK(shown.of_kind == times{1 * second, 1 * second});
  CHECK(shown.idle == 6 * second);
  CHECK(exposed_time_of({}, 1, from_to(3, 3)).total() == 0 * second);
  CHECK(exposed_time_of(all, 2, from_to(20, 21)).idle == 1 * second);
}

TEST_CASE("times sum up to the window, and agree with counting each instant", "[calibrate]") {
  testing::check_property("whole seconds", [] {
    constexpr std::size_t kinds = 4;
    std::vector<timed_activity> all;
    for (int left = *rc::gen::inRange(0, 12); left > 0; --left) {
      const int begin = *rc::gen::inRange(-5, 30);
      all.push_back(ran(begin, begin + *rc::gen::inRange(0, 10),
                        static_cast<std::size_t>(*rc::gen::inRange(0, 4))));
    }
    const exposed_time shown = exposed_time_of(all, kinds, from_to(0, 25));
    RC_ASSERT(shown.total() == 25 * second);
    times counted(kinds);
    seconds idle{};
    for (int i = 0; i < 25; ++i) {
      std::size_t first = kinds;
      for (const timed_activity& one : all)
        if (one.when.begin <= i * second && one.when.end > i * second)
          first = std::min(first, one.kind);
      (first < kinds ? counted[first] : idle) += 1 * second;
    }
    RC_ASSERT(shown.of_kind == counted);
    RC_ASSERT(shown.idle == idle);
  });
}

TEST_CASE("times and kinds that cannot be are refused", "[calibrate][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refuses = [](const timed_activity& one, std::size_t kinds, const time_window& window) {
    CHECK_THROWS_AS(exposed_time_of(std::vector{one}, kinds, window), invalid_input);
  };
  refuses(ran(0, 1, 0), 0, from_to(0, 1));
  refuses(ran(0, 1, 0), most_activity_kinds + 1, from_to(0, 1));
  refuses(ran(0, 1, 2), 2, from_to(0, 1));
  refuses(ran(1, 0, 0), 1, from_to(0, 1));
  refuses(ran(nan, 1, 0), 1, from_to(0, 1));
  refuses(ran(0, std::numeric_limits<double>::infinity(), 0), 1, from_to(0, 1));
  refuses(ran(0, 1, 0), 1, from_to(1, 0));
  refuses(ran(0, 1, 0), 1, from_to(0, nan));
  refuses(ran(0, 1, 0), 1, from_to(-std::numeric_limits<double>::infinity(), 1));
}

}  // namespace
