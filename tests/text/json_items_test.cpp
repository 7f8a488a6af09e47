#include <gpuplan/text/json_items.hpp>

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

constexpr auto keeps_all = [](std::string_view) { return true; };

/// "list[place] = value" of each item.
template <class Keeps>
std::vector<std::string> items_of(std::string_view text, const Keeps& keeps) {
  std::vector<std::string> seen;
  for_each_json_item(text, "file.json", keeps, [&](const json_item& item) {
    seen.push_back(std::string(item.list) + "[" + std::to_string(item.place) +
                   "] = " + item.value.dump());
  });
  return seen;
}
std::vector<std::string> items_of(std::string_view text) {
  return items_of(text, keeps_all);
}

std::string refusal(std::string_view text, const json_items_limit& most = {}) {
  try {
    for_each_json_item(
        text, "file.json", keeps_all, [](const json_item&) {}, most);
  } catch (const invalid_input& error) {
    return error.what();
  }
  return "nothing";
}

using lines = std::vector<std::string>;

TEST_CASE("objects in lists of the outermost object are items", "[text]") {
  CHECK(items_of(R"({"a": [{"x": 1}, 7, {"y": [1, {"z": 2}]}], "b": {"c": [{"no": 1}]}, "d": 3,
                     "e": [{}]})") ==
        lines{R"(a[0] = {"x":1})", R"(a[2] = {"y":[1,{"z":2}]})", "e[0] = {}"});
  CHECK(items_of(R"([{"x": 1}, [], {"y": 2}])") == lines{R"([0] = {"x":1})", R"([2] = {"y":2})"});
  CHECK(items_of(R"({"t": [[{"x": 1}, {"x": 2}], [], [3, {"x": 4}]]})") ==
        lines{R"(t[0] = {"x":1})", R"(t[0] = {"x":2})", R"(t[2] = {"x":4})"});
  for (const char* none : {"1", "{}", "[]", R"({"a": {"b": 1}})", "\"text\"", "null"})
    CHECK(items_of(none).empty());
  CHECK(items_of("\xef\xbb\xbf[{}]") == lines{"[0] = {}"});
}

TEST_CASE("fields that are not kept are dropped, however deep", "[text]") {
  const auto keeps = [](std::string_view field) { return field == "a" || field == "in"; };
  CHECK(items_of(R"({"list": [{"b": [{"a": 1}], "a": {"b": 1, "a": 2}, "in": [{"b": {}, "a": 3}]}],
                     "more": [{"b": 1}]})",
                 keeps) == lines{R"(list[0] = {"a":{"a":2},"in":[{"a":3}]})", "more[0] = {}"});
}

TEST_CASE("the text of a field is empty where there is none", "[text]") {
  const nlohmann::json event =
      nlohmann::json::parse(R"({"name": "step", "size": 5, "none": null})");
  CHECK(text_in(event, "name") == "step");
  CHECK(text_in(event, "size").empty());
  CHECK(text_in(event, "none").empty());
  CHECK(text_in(event, "action").empty());
  CHECK(text_in(nlohmann::json("name"), "name").empty());
  CHECK(text_in(nlohmann::json::array({"name"}), "name").empty());
}

TEST_CASE("what is no JSON is refused in one line", "[text][errors]") {
  CHECK(refusal("") == "file.json: is empty");
  CHECK(refusal("[{}") == "file.json: is not JSON at line 1, column 3");
  CHECK(refusal("{\"a\": [{\n\"x\": NaN}]}") == "file.json: is not JSON at line 2, column 6");
  CHECK(refusal(R"([{"x": 1e999}])") ==
        "file.json: holds a number out of range at line 1, column 12");
  CHECK(refusal(R"([{"x": 1, "x": 2}])") == "file.json: field x is given twice");
  CHECK(refusal(R"({"x": 1, "x": 2})") == "nothing");  // of what is not kept
  for (const std::size_t depth : {65U, 100'000U})
    CHECK(refusal("[" + std::string(depth, '[')) == "file.json: is nested more than 64 deep");
  CHECK(refusal(R"({"list": [{"x": [1, 2, 3]}]})", {.values = 3}) ==
        "file.json: an object of list has more than 3 values");
  CHECK(refusal(R"({"list": [{"x": [1, 2, 3]}, {"x": [1]}]})", {.values = 4}) == "nothing");
  CHECK(refusal("[{}]", {.longest = 3}) == "file.json: is longer than 0 MiB");
  CHECK(refusal("[\"" + std::string(9000, 'x') + "\"]") ==
        "file.json: has a string longer than 8 KiB");
}

TEST_CASE("the fields of the outermost object, as far as they are asked for", "[text]") {
  const auto never = [](std::string_view) { return false; };
  CHECK(outer_json_fields(R"({"a": {"b": [1, "c:"]}, "d\"": "}", "e": 1})", never) ==
        lines{"a", "d\\\"", "e"});
  CHECK(outer_json_fields(R"({"a": 1, "b": 2, "c": 3})",
                          [](std::string_view field) { return field == "b"; }) == lines{"a", "b"});
  for (const char* none : {"", "[{\"a\": 1}]", "]]]", "\"a\": 1", "{", "{\"a"})
    CHECK(outer_json_fields(none, never).empty());
}

TEST_CASE("items are those of the whole value", "[text]") {
  testing::check_property("items", [](const std::vector<std::vector<int>>& values) {
    nlohmann::json whole = nlohmann::json::object();
    lines expected;
    for (std::size_t i = 0; i < values.size(); ++i)
      for (const int x : values[i]) {
        whole["list"].push_back({{"x", x}, {"i", i}});
        expected.push_back("list[" + std::to_string(expected.size()) +
                           "] = " + whole["list"].back().dump());
      }
    RC_ASSERT(items_of(whole.dump()) == expected);
  });
}

}  // namespace
}  // namespace gpuplan
