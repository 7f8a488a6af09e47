#include <gpuplan/api/typed_number.hpp>

#include <string>

#include <gpuplan/units/units.hpp>

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
  CHECK(plain_number("90%", "--level", 0.001, 0.999) == 0.9);
  CHECK(plain_number("5%", "--headroom", 0, 0.999) == 0.05);
  CHECK_THROWS_AS(plain_number("5%", "--epochs", 0, 10), invalid_input);
  CHECK(refusal_of_text("0.001") == "nothing");
  CHECK(refusal_of_text("0.999") == "nothing");
  CHECK(refusal_of_text("0.9991") ==
        "--level must be a number from 0.001 to 0.999 or a percentage, not the string \"0.9991\"");
}

TEST_CASE("what is no number is refused", "[api]") {
  for (const char* text : {"", "x", "nan", "NaN", "inf", "0.5x", "100%", "5%%", "%"}) {
    CAPTURE(text);
    CHECK(refusal_of_text(text).starts_with(
        "--level must be a number from 0.001 to 0.999 or a percentage, not "));
  }
}

TEST_CASE("a whole number lies between its bounds", "[api]") {
  const auto refusal = [](const char* text) {
    return testing::refusal_by([&] { whole_number(text, "--gpus", 2, 1000); });
  };
  CHECK(whole_number("1k", "--gpus", 2, 1000) == 1000);
  CHECK(whole_number("2", "--gpus", 2, 1000) == 2);
  for (const char* text : {"1", "1001", "2.5", "x", "", "inf"})
    CHECK(refusal(text).starts_with("--gpus must be a whole number from 2 to 1000, not "));
}

TEST_CASE("a share is a number or a percentage", "[api]") {
  CHECK(share_of("0.25", "--risk") == 0.25);
  CHECK(share_of("25%", "--risk") == 0.25);
  CHECK(share_of("100%", "--risk") == 1);
  const auto refusal = [](const char* text) {
    return testing::refusal_by([&] { share_of(text, "--risk"); });
  };
  CHECK(refusal("1.5") ==
        "--risk must be a number from 0.0 to 1.0 or a percentage, not the string \"1.5\"");
  CHECK(
      refusal("101%").starts_with("--risk must be a number from 0.0 to 1.0 or a percentage, not "));
}

TEST_CASE("a quantity has its unit", "[api]") {
  CHECK(quantity_of<bytes>("2GB", "--memory") == bytes{2e9});
  CHECK(testing::refusal_by([] {
          quantity_of<bytes>("2", "--memory");
        }).starts_with("--memory: '2' "));
}

}  // namespace
}  // namespace gpuplan::api
