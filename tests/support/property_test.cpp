#include "support/property.hpp"

#include "support/catch.hpp"

namespace gpuplan::testing {
namespace {

TEST_CASE("a property that holds has no counterexample", "[support]") {
  check_property("a square is not negative", [](short x) { RC_ASSERT(x * x >= 0); });
}

TEST_CASE("a property that fails says the smallest case", "[support]") {
  const auto why = counterexample("every number is below ten", [] {
    const int x = *rc::gen::inRange(0, 1000).as("a number");
    RC_ASSERT(x < 10);
  });
  CHECK_THAT(why, ContainsSubstring("every number is below ten"));
  CHECK_THAT(why, ContainsSubstring("a number:\n10"));
}

TEST_CASE("a property that throws fails, and so does one that refuses every case", "[support]") {
  CHECK_FALSE(counterexample("throws", [] { throw 1; }).empty());
  CHECK_FALSE(counterexample("refuses", [] { RC_DISCARD("no such case"); }).empty());
}

TEST_CASE("a failed property fails its test", "[support][!shouldfail]") {
  check_property("every number is below ten", [](int x) { RC_ASSERT(x < 10); });
}

}  // namespace
}  // namespace gpuplan::testing
