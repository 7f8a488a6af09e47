#include <gpuplan/launch/arguments_not_modelled.hpp>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

constexpr auto table = std::to_array<modelled_value>(
    {{"on_by_default", "true"}, {"off_by_default", "false"}, {"method", "ring"}, {"level", "2"}});

std::vector<std::string> named(const nlohmann::json& values) {
  launch_job said;
  add_other_values({values, "f"}, table, said);
  return said.not_modelled;
}

TEST_CASE("an argument with another value than is modelled is named", "[launch]") {
  CHECK(named(nlohmann::json::object()).empty());
  CHECK(named({{"on_by_default", true}, {"off_by_default", false}, {"method", "ring"}}).empty());
  CHECK(named({{"on_by_default", nullptr}, {"method", nullptr}, {"level", 2}}).empty());
  CHECK(named({{"level", "2"}}).empty());
  CHECK(
      named(
          {{"on_by_default", false}, {"off_by_default", true}, {"method", "tree"}, {"level", 3}}) ==
      std::vector<std::string>{"on_by_default false", "off_by_default true", "method tree",
                               "level 3"});
  CHECK(named({{"on_by_default", "no"}}) == std::vector<std::string>{"on_by_default false"});
  CHECK_THROWS_WITH(named({{"off_by_default", "maybe"}}),
                    "f: off_by_default must be true or false, not the string \"maybe\"");
}

TEST_CASE("an argument that nobody reads is named unless it is idle", "[launch]") {
  const launch_arguments args{{{"log.level", 1}, {"new", true}, {"off", false}, {"read", 1}}, "f"};
  CHECK(args.has("read"));
  launch_job said;
  add_not_modelled(args, std::array<std::string_view, 1>{"log."}, said);
  CHECK(said.not_modelled == std::vector<std::string>{"new"});
}

}  // namespace
}  // namespace gpuplan
