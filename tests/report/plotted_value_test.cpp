#include <gpuplan/report/plotted_value.hpp>

#include <limits>

#include "support/catch.hpp"

namespace {

using namespace gpuplan;
using namespace gpuplan::units;

static_assert(plotted_value{3 * GB}.base == 3e9);
static_assert(plotted_value{3 * GB}.of == bytes::exponents);
static_assert(plotted_value{64}.of == dimension{});
static_assert(!std::is_constructible_v<plotted_value, const char*>);

TEST_CASE("a value is printed in its best unit", "[report]") {
  CHECK(text_of(80 * GiB) == "80 GiB");
  CHECK(text_of(1536.0 * byte) == "1.5 KiB");
  CHECK(text_of(12.0 * byte) == "12 B");
  CHECK(text_of(0 * second) == "0 s");
  CHECK(text_of(1.25 * second) == "1.25 s");
  CHECK(text_of(90 * second) == "90 s");
  CHECK(text_of(3 * hour) == "3 h");
  CHECK(text_of(40 * day) == "40 d");
  CHECK(text_of(12.5 * us) == "12.5 us");
  CHECK(text_of(989e12 * FLOP / second) == "989 TFLOP/s");
  CHECK(text_of(3.35e12 * byte / second) == "3.35 TB/s");
  CHECK(text_of(295.2 * FLOP / byte) == "295.2 FLOP/B");
  CHECK(text_of(1.2143e6 * dollar) == "$1.21 million");
  CHECK(text_of(868931.6 * dollar) == "$868,932");
  CHECK(text_of(-2.49 * dollar) == "-$2.49");
  CHECK(text_of(0 * dollar) == "$0");
  CHECK(text_of(244.3 * MWh) == "244.3 MWh");
  CHECK(text_of(2 * kWh) == "2 kWh");
  CHECK(text_of(5 * joule) == "5 J");
  CHECK(text_of(115.5 * tonne) == "115.5 t");
  CHECK(text_of(3200 * gram) == "3.2 kg");
  CHECK(text_of(64) == "64");
  CHECK(text_of(0.4321, value_reading::percent) == "43.21 %");
}

TEST_CASE("numbers keep four digits that count", "[report]") {
  CHECK(number_text(0) == "0");
  CHECK(number_text(1234567) == "1,234,567");
  CHECK(number_text(-1234.6) == "-1,235");
  CHECK(number_text(12.345678) == "12.35");
  CHECK(number_text(0.00123456) == "0.001235");
  CHECK(number_text(1e-7) == "1e-07");
  CHECK(number_text(3e15) == "3e+15");
  CHECK(number_text(100) == "100");
  CHECK(number_text(3.45678, 3) == "3.46");
  CHECK(number_text(std::numeric_limits<double>::infinity()) == "unbounded");
  CHECK(number_text(std::numeric_limits<double>::quiet_NaN()) == "not known");
  CHECK(text_of(seconds{std::numeric_limits<double>::infinity()}) == "unbounded");
}

TEST_CASE("a unit is found for any dimension and size", "[report]") {
  CHECK(unit_for(bytes::exponents, 70e9).symbol == "GiB");
  CHECK(unit_for(bytes::exponents, 70e9).size == 0x1p30);
  CHECK(unit_for(dollars::exponents, 2.5e6).symbol == "million $");
  CHECK(unit_for(seconds::exponents, 5e9).symbol == "y");
  CHECK(unit_for(seconds::exponents, 0).symbol == "s");
  CHECK(unit_for({}, 5).symbol.empty());
  CHECK(unit_for(joules::exponents, 2e9).symbol == "kWh");
  CHECK(unit_for(bytes::exponents, std::numeric_limits<double>::infinity()).symbol == "B");
}

}  // namespace
