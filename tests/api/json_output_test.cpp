#include <gpuplan/api/json_output.hpp>

#include <string>

#include "support/catch.hpp"

namespace gpuplan::api {
namespace {

TEST_CASE("JSON takes one line, or a line for each value", "[api]") {
  const report_json value{{"a", 1}, {"b", {1, 2}}};
  CHECK(printed(value, json_layout::line) == R"({"a":1,"b":[1,2]})");
  CHECK(printed(value, json_layout::indent) == "{\n  \"a\": 1,\n  \"b\": [\n    1,\n    2\n  ]\n}");
}

TEST_CASE("what a terminal would obey is escaped, and JSON reads it back", "[api]") {
  const std::string obeyed = "a\u0085b\u202Ec\x7F";
  const std::string text = printed(report_json(obeyed), json_layout::line);
  CHECK(text == R"("a\u0085b\u202ec\u007f")");
  CHECK(report_json::parse(text) == obeyed);
  CHECK(printed(report_json("\033[1m"), json_layout::line) == R"("\u001b[1m")");
  CHECK(printed(report_json("\u00e9"), json_layout::line) == "\"\u00e9\"");
}

TEST_CASE("bytes that are no UTF-8 are replaced", "[api]") {
  CHECK(report_json::accept(printed(report_json("\xC3("), json_layout::line)));
}

}  // namespace
}  // namespace gpuplan::api
