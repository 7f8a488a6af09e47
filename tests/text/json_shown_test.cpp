#include <gpuplan/text/json_shown.hpp>

#include <string>

#include <nlohmann/json.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

TEST_CASE("values and names are shown short and on one line", "[model]") {
  CHECK(shown(4096) == "4096");
  CHECK(shown("a\nb") == "the string \"a\\nb\"");
  CHECK(shown(nlohmann::json::object()) == "an object");
  CHECK(shown(std::string(1000, 'x')) == "the string \"" + std::string(47, 'x') + "...");
  CHECK(shown("\xff") == "the string \"\\ufffd\"");
  CHECK(shown_name("hidden_size") == "hidden_size");
  CHECK(shown_name(std::string(80, 'x')) == std::string(80, 'x'));
  CHECK(shown_name(std::string(81, 'x')) == "\"" + std::string(80, 'x') + "\"");
  CHECK(shown_name("") == "\"\"");
  CHECK(shown_name("two words") == "\"two words\"");
}

}  // namespace
}  // namespace gpuplan
