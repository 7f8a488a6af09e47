#include <gpuplan/require.hpp>

#include <limits>
#include <string>
#include <type_traits>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

static_assert(std::is_base_of_v<std::invalid_argument, invalid_input>,
              "who catches std::invalid_argument catches ours");

// What holds costs nothing and may stand in a constant expression.
constexpr bool passes() {
  require(true, "never said");
  return true;
}
static_assert(passes());

TEST_CASE("require says its text when a condition fails", "[require][errors]") {
  CHECK_NOTHROW(require(true, "never said"));
  try {
    require(false, "ring_all_reduce: ranks must be >= 1");
    FAIL("nothing was thrown");
  } catch (const invalid_input& refused) {
    CHECK(refused.what() == std::string{"ring_all_reduce: ranks must be >= 1"});
  }
}

TEST_CASE("a condition written as x >= 0 refuses NaN", "[require][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(require(nan >= 0, "x must be >= 0"), invalid_input);
}

}  // namespace
}  // namespace gpuplan
