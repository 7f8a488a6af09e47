#include <gpuplan/registry/symbol_range.hpp>

#include <limits>
#include <string_view>

#include "registry/post.hpp"
#include "support/catch.hpp"

namespace gpuplan::registry {
namespace {

TEST_CASE("ranges are read as they are written", "[registry]") {
  const auto fits = [](std::string_view range, double x, double n = 4) {
    formula row = other_sending;
    const symbol symbols[]{{"x", "it", "1", range}, {"n", "another", "1", "any"}};
    row.symbols = symbols;
    const double values[]{x, n};
    return fit_of(row, 0, values);
  };
  constexpr auto within = range_fit::within;
  constexpr auto outside = range_fit::outside;
  constexpr auto unknown = range_fit::unknown;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(fits(">= 1", 1) == within);
  CHECK(fits(">= 1", 0.999) == outside);
  CHECK(fits("> 0, <= 1", 1) == within);
  CHECK(fits("> 0, <= 1", 0) == outside);
  CHECK(fits("0 to n - 1", 3) == within);
  CHECK(fits("0 to n - 1", 4) == outside);
  CHECK(fits("< 2 n + 1", 8) == within);
  CHECK(fits("< 2 n + 1", 9) == outside);
  CHECK(fits("> 0, x n <= 8", 2) == within);
  CHECK(fits("> 0, x n <= 8", 2.1) == outside);
  CHECK(fits("0 or 1 or n", 4) == within);
  CHECK(fits("0 or 1 or n", 2) == outside);
  CHECK(fits(">= 64, multiple of 64", 128) == within);
  CHECK(fits(">= 64, multiple of 64", 96) == outside);
  CHECK(fits("multiple of n", 12) == within);
  CHECK(fits("any", -1e300) == within);
  CHECK(fits("1e-3 to 1e6", 1e-3) == within);
  for (const std::string_view range : {"any", ">= 1", "0 to n", "0 or 1"})
    CHECK(fits(range, nan) == outside);
  for (const std::string_view range :
       {"small", ">= y", ">= ", "0 to", "multiple 4", "0 .. 1", ">= 1 2x", "> 0 <", "1 2 = 3"})
    CHECK(fits(range, 1) == unknown);
}

}  // namespace
}  // namespace gpuplan::registry
