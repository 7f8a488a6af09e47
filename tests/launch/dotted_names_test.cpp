#include <gpuplan/launch/dotted_names.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

TEST_CASE("nested values have names with dots", "[launch]") {
  CHECK(dotted(nlohmann::json::parse(R"({"a": {"b": 1, "c": {"d": [2]}}, "e": null})")) ==
        nlohmann::json::parse(R"({"a.b": 1, "a.c.d": [2], "e": null})"));
  CHECK(dotted(nlohmann::json::array()) == nlohmann::json::object());
}

}  // namespace
}  // namespace gpuplan
