#include <gpuplan/text/json_yaml.hpp>

#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

nlohmann::json yaml(const std::string& text) {
  return parse_yaml(text, "f.yaml");
}

TEST_CASE("YAML of configurations is read as JSON", "[text]") {
  CHECK(yaml("# c\n---\na: 1 # one\nb:\n  c: 'x # y'\n  d: ${VAR}/z\ne:\n- 1\n- k: 2\n  l: 3\n") ==
        nlohmann::json::parse(
            R"({"a": 1, "b": {"c": "x # y", "d": "${VAR}/z"}, "e": [1, {"k": 2, "l": 3}]})"));
  CHECK(yaml("--moe-layer-freq: ([0]*3+[1]*12)\n--layout: Et*2|(tt|)*5t|tmL\n") ==
        nlohmann::json{{"--moe-layer-freq", "([0]*3+[1]*12)"}, {"--layout", "Et*2|(tt|)*5t|tmL"}});
  CHECK(yaml("a: [1,\n  2]\nb: one\n  two\nc: |\n  x: 1\n  y\n") ==
        nlohmann::json::parse(R"({"a": [1, 2], "b": "one two", "c": "x: 1\ny\n"})"));
  CHECK(yaml("base: &base\n  a: 1\n  b: 2\nall:\n  <<: *base\n  b: 3\n")["all"] ==
        nlohmann::json::parse(R"({"a": 1, "b": 3})"));
  CHECK(yaml("").is_null());
}

TEST_CASE("blocks of text are read as PyYAML reads them", "[text][reference]") {
  // PyYAML 6.0, yaml.safe_load: the value of each text, as JSON.
  const std::vector<std::pair<std::string, std::string>> rows{
      {"a: |\n  x\n  y\n\nb: 1\n", "{\"a\": \"x\\ny\\n\", \"b\": 1}"},
      {"a: |-\n  x\n\n  y\n\n", "{\"a\": \"x\\n\\ny\"}"},
      {"a: |+\n  x\n\n", "{\"a\": \"x\\n\\n\"}"},
      {"a: >\n  x\n  y\n\n  z\n   more\n  w\n", "{\"a\": \"x y\\nz\\n more\\nw\\n\"}"},
      {"a: >-\n  x\n  y\n", "{\"a\": \"x y\"}"},
      {"a: |2\n    x\n  y\n", "{\"a\": \"  x\\ny\\n\"}"},
      {"a: |1-\n  x\n", "{\"a\": \" x\"}"},
      {"- |\n  x\n- >-\n  y\n", "[\"x\\n\", \"y\"]"},
      {"a: | # c\n  x # d\n", "{\"a\": \"x # d\\n\"}"},
      {"a: |\n\n  x\n", "{\"a\": \"\\nx\\n\"}"},
      {"a: |\nb: 1\n", "{\"a\": \"\", \"b\": 1}"},
      {"a:\n  - b: |\n      x\n    c: 1\n", "{\"a\": [{\"b\": \"x\\n\", \"c\": 1}]}"},
      {"a: >\n  x\n\n\n  y\n", "{\"a\": \"x\\n\\ny\\n\"}"},
      {"a: >\n   x\n\n    more\n\n   y\n", "{\"a\": \"x\\n\\n more\\n\\ny\\n\"}"},
      {"a: >2\n   x\n  y\n", "{\"a\": \" x\\ny\\n\"}"},
      {"a: |+\n\n\nb: 1\n", "{\"a\": \"\\n\\n\", \"b\": 1}"},
      {"a: >\n\n  x\n", "{\"a\": \"\\nx\\n\"}"},
      {"a: |\n  x\n # c\nb: 1\n", "{\"a\": \"x\\n\", \"b\": 1}"},
      {"a: >+\n  x\n\n\n", "{\"a\": \"x\\n\\n\\n\"}"}};
  for (const auto& [text, value] : rows) {
    INFO(text);
    CHECK(yaml(text) == nlohmann::json::parse(value));
  }
  for (const char* header : {"|x", ">--", "|00", "|-+", "| x"})
    CHECK_THROWS_WITH(yaml("a: " + std::string(header) + "\n  x\n"),
                      "f.yaml: line 1: | and > may only have -, + or a number of columns after "
                      "them");
}

TEST_CASE("a value ends with its quotes, or at a line that is no further in", "[text]") {
  CHECK(yaml("a: x\n      \nb: 1\n") == nlohmann::json({{"a", "x"}, {"b", 1}}));
  CHECK(yaml("a: x\n   y\nb: 1\n") == nlohmann::json({{"a", "x y"}, {"b", 1}}));
  CHECK_THROWS_AS(yaml("a: 'x'\n   y\nb: 1\n"), invalid_input);
  CHECK(yaml("a: 'x\n   y'\nb: 1\n") == nlohmann::json({{"a", "x y"}, {"b", 1}}));
}

TEST_CASE("what is no such YAML is refused in one line", "[text]") {
  CHECK_THROWS_WITH(yaml("a: 1\n\tb: 2\n"), "f.yaml: line 2: is indented with a tab; use spaces");
  CHECK_THROWS_WITH(yaml("a: 'x\n"), "f.yaml: line 1: a quote or a bracket is not closed");
  CHECK_THROWS_WITH(yaml("a: 1\n- b\n"), "f.yaml: line 2: is an item of a list among names");
  CHECK_THROWS_WITH(yaml("a: 1\nb\n"), "f.yaml: line 2: is no name with a colon after it");
  CHECK_THROWS_WITH(yaml("a: 1\n: 2\n"), "f.yaml: line 2: has no name before its colon");
  CHECK_THROWS_WITH(yaml("a: *b\n"),
                    "f.yaml: line 1: anchors, aliases and tags are not read, but for a merged "
                    "map, <<: *name");
  CHECK_THROWS_WITH(yaml("a:\n  <<: *b\n"),
                    "f.yaml: line 2: <<: must name a map that an anchor above it marks, as <<: "
                    "*name");
  CHECK_THROWS_WITH(parse_yaml(std::string(largest_yaml_text + 1, 'a'), "f.yaml"),
                    "f.yaml: is longer than 1 MiB");
  std::string deep;
  for (int i = 0; i < 40; ++i) deep += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  CHECK_THROWS_WITH(yaml(deep), Catch::Matchers::Contains("is nested more than 32 deep"));
}

TEST_CASE("merged maps cannot multiply without bound", "[text]") {
  std::string text = "m0: &m0\n";
  for (int i = 0; i < 2000; ++i) text += "  a" + std::to_string(i) + ": 1\n";
  for (int i = 0; i < 100; ++i) text += "n" + std::to_string(i) + ":\n  <<: *m0\n";
  CHECK_THROWS_WITH(yaml(text), Catch::Matchers::Contains("has more than 100000 values"));
}

TEST_CASE("any YAML is read, or refused in one line", "[text][property]") {
  testing::check_property("one line", [] {
    const std::string alphabet = "ab:-[]{}'\"#|>&*<\n\n   ,1";
    std::string text;
    for (const int place : *rc::gen::container<std::vector<int>>(
             rc::gen::inRange(0, static_cast<int>(alphabet.size()))))
      text += alphabet[static_cast<std::size_t>(place)];
    try {
      static_cast<void>(yaml(text));
    } catch (const invalid_input& refused) {
      RC_ASSERT(std::string(refused.what()).find('\n') == std::string::npos);
    }
  });
}

TEST_CASE("a name has one value", "[text]") {
  CHECK_THROWS_WITH(parse_yaml("a: 1\nb: 2\na: 3\n", "f"),
                    Catch::Matchers::Contains("line 3: ") &&
                        Catch::Matchers::Contains("is given twice, with another value"));
  CHECK(parse_yaml("a: 1\na: 1\n", "f") == nlohmann::json{{"a", 1}});
  CHECK(parse_yaml("x: &m\n  a: 1\ny:\n  <<: *m\n  a: 2\n", "f")["y"]["a"] == 2);
}

}  // namespace
}  // namespace gpuplan
