#include <gpuplan/text/json_toml.hpp>

#include <string>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

nlohmann::json toml(const std::string& text) {
  return parse_toml(text, "f.toml");
}

TEST_CASE("TOML of configurations is read as JSON", "[text]") {
  CHECK(
      toml("a = \"x # y\" # c\n[t]\nn = 10_000\nb.c = [1,\n 2]\n[t.u]\nf = -1e-4\ng = true\n") ==
      nlohmann::json::parse(
          R"({"a": "x # y", "t": {"n": 10000, "b": {"c": [1, 2]}, "u": {"f": -1e-4, "g": true}}})"));
  CHECK(toml("x = {a = 1, b = 'c'}\n") == nlohmann::json::parse(R"({"x": {"a": 1, "b": "c"}})"));
}

TEST_CASE("what is no such TOML is refused in one line", "[text]") {
  CHECK_THROWS_WITH(toml("a\n"), "f.toml: line 1: is neither [section] nor name = value");
  CHECK_THROWS_WITH(toml("a = 1\na = 2\n"), "f.toml: line 2: a is given twice");
  CHECK_THROWS_WITH(toml("[t]\n[t]\n"), "f.toml: line 2: [t] is given twice");
  CHECK_THROWS_WITH(toml("[[t]]\n"), "f.toml: line 1: arrays of tables are not read");
  CHECK_THROWS_WITH(toml("a = [1\n"), "f.toml: line 1: a bracket is not closed");
  CHECK_THROWS_WITH(toml("a = \"\"\"x\n"), Catch::Matchers::Contains("f.toml: line 1: "));
  CHECK_THROWS_WITH(toml("a = 1\n[a.b]\n"), "f.toml: line 2: a is no table");
  CHECK_THROWS_WITH(toml("a =\n"), "f.toml: line 1: a has no value");
}

}  // namespace
}  // namespace gpuplan
