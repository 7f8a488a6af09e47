#include <gpuplan/scaling/isoefficiency.hpp>

#include <cmath>
#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

static_assert(isoefficiency(1 * second, 0.5) == 1 * second);
static_assert(isoefficiency(1 * second, 0.75) == 3 * second);
static_assert(isoefficiency(seconds{0}, 0.99) == seconds{0});

TEST_CASE("adding n numbers at an efficiency of 0.8", "[scaling][reference]") {
  // A. Grama et al., "Introduction to Parallel Computing" (2003), table 5.1: 64 numbers on 4
  // processors, 192 on 8, 512 on 16, in units of one addition; the overhead is 2 p log2 p.
  struct row {
    double processors;
    double numbers;
  };
  const auto printed = GENERATE(row{4, 64}, row{8, 192}, row{16, 512});
  const seconds overhead = 2 * printed.processors * std::log2(printed.processors) * second;
  CHECK_THAT(isoefficiency(overhead, 0.8).in(second), WithinRel(printed.numbers, 1e-12));
}

TEST_CASE("the work found has the efficiency asked for", "[scaling][property]") {
  testing::check_property("inverse", [] {
    const double efficiency = *rc::gen::inRange(1, 1000) * 1e-3;
    const seconds overhead = *rc::gen::inRange(1, 100000) * ms;
    const seconds work = isoefficiency(overhead, efficiency);
    RC_ASSERT(std::abs(work / (work + overhead) - efficiency) < 1e-12);
  });
}

TEST_CASE("isoefficiency refuses what its documentation refuses", "[scaling][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(isoefficiency(seconds{-1}, 0.5), invalid_input);
  CHECK_THROWS_AS(isoefficiency(seconds{nan}, 0.5), invalid_input);
  for (const double efficiency : {-0.1, 1.0, nan})
    CHECK_THROWS_AS(isoefficiency(second, efficiency), invalid_input);
}

}  // namespace
}  // namespace gpuplan
