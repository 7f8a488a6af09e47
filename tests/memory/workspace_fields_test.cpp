#include <gpuplan/memory/workspace_fields.hpp>

#include "support/catch.hpp"
#include "support/field_tables.hpp"

namespace gpuplan {
namespace {

static_assert(workspace_fields.size() == testing::members_of<workspace>() - 1,
              "each member of a workspace but the kernels' choices has a row");

TEST_CASE("the rows of a workspace have names, help and the bounds of require_valid", "[memory]") {
  testing::check_names(workspace_fields);
  testing::check_bounds(workspace_fields, workspace{});
}

}  // namespace
}  // namespace gpuplan
