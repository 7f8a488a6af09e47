#include <gpuplan/text/decimal_number.hpp>

#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string_view>
#include <system_error>

#include "support/property.hpp"

namespace gpuplan {
namespace {

struct reading {
  double value = 7;  // what a refused text leaves unchanged
  std::size_t taken = 0;
  std::errc error{};
};

reading read(std::string_view text) {
  reading all;
  const auto [end, error] = decimal_from_chars(text.data(), text.data() + text.size(), all.value);
  all.taken = static_cast<std::size_t>(end - text.data());
  all.error = error;
  return all;
}

TEST_CASE("a number is read up to what does not belong to it", "[text]") {
  CHECK(read("2.5").value == 2.5);
  CHECK(read("-3e2").value == -300);
  CHECK(read(".5GB").value == 0.5);
  CHECK(read(".5GB").taken == 2);
  CHECK(read("1e5x").taken == 3);
  CHECK(read("0e999").value == 0);
  CHECK(std::isinf(read("inf").value));
  CHECK(std::isnan(read("nan").value));
}

TEST_CASE("what is no number, or none that a double can be, leaves the value", "[text][errors]") {
  for (const std::string_view text : {"", "x", "+1", " 1", "-", "."}) {
    CAPTURE(text);
    CHECK(read(text).error == std::errc::invalid_argument);
    CHECK(read(text).value == 7);
  }
  for (const std::string_view text : {"1e999", "-1e999", "1e-999"}) {
    CAPTURE(text);
    CHECK(read(text).error == std::errc::result_out_of_range);
    CHECK(read(text).taken == text.size());
    CHECK(read(text).value == 7);
  }
}

TEST_CASE("a double written with 17 digits is read as itself", "[text][property]") {
  testing::check_property("17 digits are enough", [] {
    const double value = *rc::gen::arbitrary<double>();
    RC_PRE(value == 0 || std::isnormal(value));
    char text[40];
    std::snprintf(text, sizeof text, "%.17g", value);
    RC_ASSERT(read(text).value == value);
  });
}

}  // namespace
}  // namespace gpuplan
