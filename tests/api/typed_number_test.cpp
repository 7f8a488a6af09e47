#include <gpuplan/api/typed_number.hpp>

#include <string>

#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace gpuplan::api {
namespace {

std::string refusal_of_text(const char* text) {
  return testing::refusal_by([&] { return plain_number(text, "--level", 0.001, 0.999); });
}

TEST_CASE("a number that was typed lies between its bounds", "[api]") {
  CHECK(plain_number("0.5", "--level", 0, 1) == 0.5);
  CHECK(plain_number("2k", "--x", 0, 1e6) == 2000);
  CHECK(refusal_of_text("0.001") == "nothing");
  CHECK(refusal_of_text("0.999") == "nothing");
  CHECK(refusal_of_text("0.9991") ==
        "--level must be a number from 0.001 to 0.999, not the string \"0.9991\"");
}

TEST_CASE("what is no number is refused", "[api]") {
  for (const char* text : {"", "x", "nan", "NaN", "inf", "0.5x", "50%"}) {
    CAPTURE(text);
    CHECK(refusal_of_text(text).starts_with("--level must be a number from 0.001 to 0.999, not "));
  }
}

}  // namespace
}  // namespace gpuplan::api
