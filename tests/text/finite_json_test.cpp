#include <gpuplan/text/finite_json.hpp>

#include <string>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

TEST_CASE("numbers that JSON does not have become null", "[text]") {
  CHECK(finite_json(R"({"a": Infinity, "b": [-Infinity, NaN]})") ==
        R"({"a": null, "b": [null, null]})");
  CHECK(finite_json("Infinity") == "null");
  CHECK(finite_json("") == "");
}

TEST_CASE("strings stay as they are", "[text]") {
  CHECK(finite_json(R"({"NaN": "Infinity", "a\"NaN": NaN})") ==
        R"({"NaN": "Infinity", "a\"NaN": null})");
  CHECK(finite_json(R"("\\" NaN)") == R"("\\" null)");
  CHECK(finite_json("\"\\") == "\"\\");
}

TEST_CASE("text without such numbers comes back", "[text][property]") {
  testing::check_property("identity", [](const std::string& text) {
    if (text.find("NaN") == text.npos && text.find("Infinity") == text.npos)
      RC_ASSERT(finite_json(text) == text);
  });
}

}  // namespace
}  // namespace gpuplan
