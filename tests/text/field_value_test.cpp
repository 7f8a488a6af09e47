#include <gpuplan/text/field_value.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

static_assert(trimmed(" \ta b\t ") == "a b" && trimmed("").empty() && trimmed(" \t").empty());

static_assert(detail::days_to(1970, 1, 1) == 0 && detail::days_to(2000, 3, 1) == 11017);
static_assert(detail::days_to(1969, 12, 31) == -1 && detail::days_to(2100, 3, 1) == 47541);
static_assert(!detail::days_to(2023, 2, 29) && !detail::days_to(2023, 13, 1));

TEST_CASE("a field is a number from least to most, or says why not", "[text]") {
  CHECK(number_in("2.5", 0, 10).value == 2.5);
  CHECK(number_in("+7e1", 0, 100).value == 70);
  CHECK(number_in("-3", -5, 5).value == -3);
  CHECK(whole_in("2.0", 0, 10).value == 2);
  struct refused {
    std::string_view text;
    field_problem why;
  };
  for (const refused& one : {refused{"", field_problem::empty},
                             {"x", field_problem::not_understood},
                             {"1x", field_problem::not_understood},
                             {"+-1", field_problem::not_understood},
                             {"nan", field_problem::not_finite},
                             {"inf", field_problem::not_finite},
                             {"-1", field_problem::negative},
                             {"11", field_problem::too_large},
                             {"1e999", field_problem::too_large}}) {
    INFO(one.text);
    CHECK(number_in(one.text, 0, 10).problem == one.why);
  }
  CHECK(number_in("-11", -10, 10).problem == field_problem::too_large);
  CHECK(whole_in("2.5", 0, 10).problem == field_problem::not_whole);
}

TEST_CASE("a field is a date, a time by the clock, or seconds", "[text]") {
  CHECK(instant_in("1970-01-02").value == 86400);
  CHECK(instant_in("2020-04-01T00:00:10Z").value == 1585699210);
  CHECK(instant_in("2020-04-01 02:00:10+02:00").value == 1585699210);
  CHECK(instant_in("-5").value == -5);
  CHECK(instant_in("2020-04-01T10:59:59Z").value == 1585738799);
  CHECK(instant_in("2020-04-01T23:59:60Z").value == 1585785600);  // a leap second
  CHECK(instant_in("2020-04-01T24:00:00Z").problem == field_problem::not_understood);
  CHECK(instant_in("2020-04-01T10:61:00Z").problem == field_problem::not_understood);
  CHECK(duration_in("100:00:00").value == 360000);
  CHECK(duration_in("1:61:00").problem == field_problem::not_understood);
  CHECK(instant_in("2020-02-30").problem == field_problem::not_understood);
  CHECK(duration_in("1-02:03:04").value == 93784);
  CHECK(duration_in("03:04").value == 184);
  CHECK(duration_in("-1").problem == field_problem::negative);
}

}  // namespace
}  // namespace gpuplan
