#include <gpuplan/text/json_text.hpp>

#include <map>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

std::string refusal(std::string_view text) {
  try {
    static_cast<void>(parse_json(text, "file.json"));
  } catch (const invalid_input& error) {
    return error.what();
  }
  return "nothing";
}

TEST_CASE("good JSON is read as nlohmann::json reads it", "[model]") {
  for (const char* text : {R"({"a": [1, -2, 3.5, "x", true, null, {}], "b": {"a": []}})", "[]",
                           "12", "\"text\"", " {\"\\u00e9\": \"\xc3\xa9\"} ", "null"})
    CHECK(parse_json(text, "x") == nlohmann::json::parse(text));
  CHECK(parse_json("\xef\xbb\xbf{}", "x").empty());
  CHECK(parse_json(std::string(64, '[') + std::string(64, ']'), "x").is_array());
}

TEST_CASE("bad JSON is refused in one line, quickly", "[model]") {
  CHECK(refusal("") == "file.json: is empty");
  CHECK(refusal("hello") == "file.json: is not JSON at line 1, column 1");
  CHECK(refusal("{\n  \"a\": NaN}") == "file.json: is not JSON at line 2, column 8");
  using namespace std::string_literals;
  CHECK(refusal("{}\0{"s) == "file.json: is not JSON: byte 3 is zero");
  CHECK(refusal("{\"a\": \"\0\"}"s) == "file.json: is not JSON: byte 8 is zero");
  CHECK(refusal("{} {}") == "file.json: is not JSON at line 1, column 4");
  CHECK(refusal(R"({"a": 1e999})") ==
        "file.json: holds a number out of range at line 1, column 11");
  CHECK(refusal(R"({"a": 1, "b": {"a": 2}, "a": 3})") == "file.json: field a is given twice");
  CHECK(refusal(R"({"a\n": 1, "a\n": 2})") == "file.json: field \"a\\n\" is given twice");
  CHECK(refusal(std::string(20'000'000, ' ')) == "file.json: is longer than 16 MiB");
  for (const std::size_t depth : {8'000U, 9'000U, 1'000'000U})
    CHECK(refusal(std::string(depth, '[')) == "file.json: is nested more than 64 deep");
  CHECK(refusal(std::string(65, '[') + std::string(65, ']')) ==
        "file.json: is nested more than 64 deep");
  CHECK(refusal("{\"a\": \"\xff\"}") == "file.json: is not JSON at line 1, column 8");
  const std::string endless(8'000, 'x');
  CHECK(refusal("{\"" + endless + "\": 1, \"" + endless + "\": 2}").size() < 200);
}

TEST_CASE("fields that are not kept are read and dropped, however deep", "[model]") {
  const auto keeps = [](std::string_view field) { return field == "a" || field == "list"; };
  const std::string_view text =
      R"({"b": 1, "a": 2, "c": {"a": [3, {"a": 4}], "d": []}, "list": [{"a": 5, "b": 6}, "x"],
          "c": [], "e": [[["a"]]]})";
  CHECK(parse_json(text, "x", {.keeps = keeps}) ==
        nlohmann::json::parse(R"({"a": 2, "list": [{"a": 5}, "x"]})"));
  CHECK_THROWS_AS(parse_json(R"({"b": [1,)", "x", {.keeps = keeps}), invalid_input);
  CHECK_THROWS_AS(parse_json("{\"b\": " + std::string(64, '['), "x", {.keeps = keeps}),
                  invalid_input);
  CHECK_THROWS_AS(parse_json("1234", "x", {.longest = 3}), invalid_input);
}

TEST_CASE("a text that would take far more memory than its length is refused", "[model]") {
  const auto repeated = [](const std::string& what) {
    std::string all = "[" + what;
    for (int i = 0; i < 50'000; ++i) all += "," + what;
    return "{\"a\": " + all + "]}";
  };
  for (const char* dense : {"0", "[0]", R"({"":0})", "\"\""})
    CHECK(refusal(repeated(dense)).ends_with(": more values than a text of its length may hold"));
  for (const char* bare : {"[]", "{}", "true"})
    CHECK(refusal(repeated(bare)) ==
          "file.json: has more than 8 KiB, a line break counted as 8 bytes, in which no string "
          "or number begins");
  CHECK(refusal(repeated("\"some words of length\"")) == "nothing");
  CHECK(refusal("\"" + std::string((8 << 10) - 2, 'x') + "\"") == "nothing");
  CHECK(refusal("\"" + std::string((8 << 10) - 1, 'x') + "\"") ==
        "file.json: has a string longer than 8 KiB");
  CHECK(refusal(std::string(40'000, '1')) == "file.json: has a number longer than 8 KiB");
}

TEST_CASE("a reader may allow longer strings, and nothing else", "[model]") {
  const json_reading how{.longest_string = 20'000};
  const auto refused = [&](const std::string& text) {
    try {
      parse_json(text, "file.json", how);
    } catch (const invalid_input& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  const std::string longest = "\"" + std::string(19'998, 'x') + "\"";
  CHECK(refused("[" + longest + ", " + longest + "]") == "nothing");
  CHECK(parse_json(longest, "file.json", how).get<std::string>().size() == 19'998);
  CHECK(refused("\"x" + longest.substr(1)) == "file.json: has a string that is too long");
  CHECK(refused(std::string(9'000, '1')) == "file.json: has a number longer than 8 KiB");
  CHECK(refused(longest + std::string(9'000, ' ')) ==
        "file.json: has more than 8 KiB, a line break counted as 8 bytes, in which no string "
        "or number begins");
}

TEST_CASE("line breaks without end are refused before they are copied", "[model]") {
  CHECK(refusal("[" + std::string(1000, '\n') + "]") == "nothing");
  CHECK(refusal(std::string(8 << 10, ' ') + "1") == "nothing");
  CHECK(refusal(std::string((8 << 10) + 1, ' ') + "1") != "nothing");
  CHECK(refusal(std::string(1025, '\n')) ==
        "file.json: has more than 8 KiB, a line break counted as 8 bytes, in which no string "
        "or number begins");
  std::string lines = "[1";
  for (int i = 0; i < 1'000; ++i) lines += ",\n  1";
  CHECK(refusal(lines + "]") == "nothing");
}

TEST_CASE("what is written can be read", "[model]") {
  testing::check_property("round trip", [](const std::map<int, std::vector<int>>& values) {
    nlohmann::json object = nlohmann::json::object();
    for (const auto& [number, list] : values) object[std::to_string(number)] = list;
    RC_ASSERT(parse_json(object.dump(), "x") == object);
  });
}

}  // namespace
}  // namespace gpuplan
