#include <gpuplan/api/option_words.hpp>

#include <string>
#include <vector>

#include "support/catch.hpp"

namespace gpuplan::api {
namespace {

using nlohmann::json;

/// Why a value is refused; "nothing" where it is a word.
std::string refusal_of_value(const json& value) {
  try {
    static_cast<void>(words_of(value, "options.x"));
  } catch (const bad_request& refused) {
    CHECK(refused.answer()["error"]["where"] == "options.x");
    return refused.what();
  }
  return "nothing";
}

static_assert(is_of_the_command_line("json"));
static_assert(is_of_the_command_line("help-all"));
static_assert(!is_of_the_command_line("level"));

TEST_CASE("values are words", "[api]") {
  CHECK(word_of("0.5", "x") == "0.5");
  CHECK(word_of(0.5, "x") == "0.5");
  CHECK(word_of(64, "x") == "64");
  CHECK(word_of(true, "x") == "on");
  CHECK(word_of(false, "x") == "off");
  CHECK(words_of({1, "b"}, "x") == std::vector<std::string>{"1", "b"});
  CHECK(words_of("b", "x") == std::vector<std::string>{"b"});
  CHECK(words_of(json::array(), "x").empty());
  CHECK(joined({"a", "b"}) == "a,b");
  CHECK(joined({}).empty());
}

TEST_CASE("what is no word is refused, and says where", "[api]") {
  CHECK(refusal_of_value("") == "options.x must not be empty");
  CHECK(refusal_of_value(std::string("a\0b", 3)) == "options.x must not hold a byte 0");
  CHECK(refusal_of_value(json::object()) ==
        "options.x must be a string, a number or a flag, not an object");
  CHECK(refusal_of_value({1, nullptr}) ==
        "options.x must be a string, a number or a flag, not null");
}

TEST_CASE("an unknown field is refused with the closest", "[api]") {
  try {
    refuse_unknown("options", "levl", {"profile", "level"});
  } catch (const bad_request& refused) {
    CHECK(std::string(refused.what()) == "options: levl is not a known field; did you mean level?");
    CHECK(refused.answer()["error"]["where"] == "options.levl");
    return;
  }
  FAIL("an unknown field must be refused");
}

TEST_CASE("members that nobody knows are refused with the closest", "[api]") {
  const json request{{"question", "plan"}, {"modell", "gpt2"}};
  CHECK_NOTHROW(refuse_unknown_members(request, {"question", "modell"}));
  try {
    refuse_unknown_members(request, {"question", "model"});
    FAIL("modell is not known");
  } catch (const bad_request& refused) {
    CHECK(refused.answer()["error"]["what"] ==
          "request: modell is not a known field; did you mean model?");
    CHECK(refused.answer()["error"]["where"] == "modell");
  }
}

}  // namespace
}  // namespace gpuplan::api
