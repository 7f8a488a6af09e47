#include <gpuplan/launch/option_arguments.hpp>

#include <algorithm>

#include <gpuplan/model/recipe_fields.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

static_assert(option_for("global-batch-size") == "--batch");
static_assert(option_for("hidden-size").empty());

TEST_CASE("every key is a field whose first option goes before the argument", "[launch]") {
  const auto has = [](const auto& rows, const option_argument& one) {
    return std::any_of(rows.begin(), rows.end(), [&](const auto& row) {
      return row.key == one.key && row.main_option() == one.option;
    });
  };
  for (const option_argument& one : option_arguments) {
    INFO(one.argument);
    CHECK((one.key.empty() || has(recipe_fields, one) || has(parallelism_fields, one)));
  }
}

}  // namespace
}  // namespace gpuplan
