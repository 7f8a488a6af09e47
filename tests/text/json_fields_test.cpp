#include <gpuplan/text/json_fields.hpp>

#include <array>
#include <string>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using nlohmann::json;

enum class colour { red, green };
constexpr std::array colours{named<colour>{"red", colour::red},
                             named<colour>{"green", colour::green}};

/// The line with which a use of the fields is refused.
template <class Use>
std::string refusal(const json& object, Use&& use) {
  try {
    static_cast<void>(use(json_fields{object, "file"}));
  } catch (const invalid_input& error) {
    return error.what();
  }
  return "nothing";
}

const json object = json::parse(
    R"({"a": 3, "b": -3, "c": 1.5, "d": "text", "e": true, "f": null, "g": [1], "h": {}, "i": 3})");

TEST_CASE("fields are read by type, null as absent", "[model]") {
  const json_fields fields{object, "file"};
  CHECK(fields.integer("a") == 3);
  CHECK(fields.integer("b", -10) == -3);
  CHECK(fields.integer_or("f", 7) == 7);
  CHECK(fields.integer_or("nowhere", 7) == 7);
  CHECK(fields.integer({"nowhere", "a", "i"}) == 3);
  CHECK(fields.integer_or({"nowhere", "f"}, 8) == 8);
  CHECK(fields.flag_or("e", false));
  CHECK(fields.flag_or("nowhere", true));
  CHECK(fields.text("d") == "text");
  CHECK(fields.text_or("nowhere", "other") == "other");
  CHECK(fields.array("g")->size() == 1);
  CHECK(fields.array("f") == nullptr);
  CHECK((fields.has("a") && !fields.has("f") && fields.names("f") && !fields.names("nowhere")));
  CHECK(json_fields(json{{"x", "green"}}, "file").choice_or("x", colours, colour::red) ==
        colour::green);
  CHECK(fields.choice_or("nowhere", colours, colour::red) == colour::red);
}

TEST_CASE("a field of another type or out of range is refused", "[model]") {
  const auto integer = [](const char* field) {
    return refusal(object, [&](const json_fields& fields) { return fields.integer(field); });
  };
  CHECK(integer("b") == "file: b must be >= 1, not -3");
  CHECK(integer("c") == "file: c must be an integer, not 1.5");
  CHECK(integer("d") == "file: d must be an integer, not the string \"text\"");
  CHECK(integer("e") == "file: e must be an integer, not true");
  CHECK(integer("f") == "file: f must not be null");
  CHECK_THROWS_AS((json_fields{object, "file"}.integer("f")), null_field);
  CHECK_THROWS_AS((json_fields{object, "file"}.integer("f")), invalid_input);
  try {
    static_cast<void>(json_fields{object, "file"}.integer("nowhere"));
  } catch (const null_field&) {
    FAIL("a field that is missing is not null");
  } catch (const invalid_input&) {
  }
  CHECK(integer("h") == "file: h must be an integer, not an object");
  CHECK(integer("nowhere") == "file: nowhere is missing");
  CHECK(refusal(object, [](const json_fields& fields) {
          return fields.integer({"a", "b"});
        }) == "file: b is not what a says");
  CHECK(refusal(object, [](const json_fields& fields) { return fields.flag_or("a", true); }) ==
        "file: a must be true or false, not 3");
  CHECK(refusal(object, [](const json_fields& fields) { return fields.text("a"); }) ==
        "file: a must be a string, not 3");
  CHECK(refusal(object, [](const json_fields& fields) { return fields.array("a"); }) ==
        "file: a must be an array, not 3");
  CHECK(refusal(object, [](const json_fields& fields) {
          return fields.choice_or("d", colours, colour::red);
        }) == "file: d must be one of red, green, not the string \"text\"");
  CHECK(refusal(json(3), [](const json_fields&) {}) == "file: must be a JSON object, not 3");
  CHECK(refusal(json{{"rad", 1}}, [](const json_fields& fields) {
          fields.refuse_unknown(colours);
        }) == "file: rad is not a known field; did you mean red?");
}

TEST_CASE("numbers beyond an int are refused, the largest allowed is not", "[model]") {
  const auto integer = [](const json& number) {
    return refusal(json{{"n", number}},
                   [](const json_fields& fields) { return fields.integer("n"); });
  };
  CHECK(integer(json_fields::largest) == "nothing");
  CHECK(integer(8.0) == "nothing");
  CHECK(integer(-8.0) == "file: n must be >= 1, not -8.0");
  CHECK(integer(json_fields::largest + 1) == "file: n must be <= 1000000000, not 1000000001");
  CHECK(integer(18'446'744'073'709'551'615ULL) ==
        "file: n must be <= 1000000000, not 18446744073709551615");
  CHECK(integer(json::parse("123456789012345678901234567890")) ==
        "file: n must be <= 1000000000, not 1.2345678901234568e+29");
}

}  // namespace
}  // namespace gpuplan
