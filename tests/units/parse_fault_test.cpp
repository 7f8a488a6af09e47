#include <gpuplan/units/parse_fault.hpp>

#include <array>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using enum parse_fault;

constexpr std::array faults{none,          no_number,        comma,
                            negative,      out_of_range,     no_unit,
                            unknown_unit,  more_after_unit,  other_dimension,
                            bit_or_byte,   thousand_or_1024, minute_or_million,
                            plural_or_rate};

TEST_CASE("every fault has one line of its own", "[units][parse]") {
  for (const parse_fault a : faults) {
    CHECK(!problem_of(a).empty());
    CHECK(problem_of(a).find('\n') == std::string_view::npos);
    for (const parse_fault b : faults) CHECK((a == b) == (problem_of(a) == problem_of(b)));
  }
  CHECK(problem_of(parse_fault{99}) == "is not understood");
}

TEST_CASE("a dimension that nobody asks for still has an example", "[units][parse]") {
  CHECK(examples_of(bytes::exponents) == "80GiB, 80GB or 640Gbit");
  CHECK(examples_of(square_seconds::exponents) == "a number and its unit");
}

}  // namespace
}  // namespace gpuplan
