#include <gpuplan/launch/launch_job.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

TEST_CASE("a launch that says nothing has no model and leaves nothing open", "[launch]") {
  const launch_job nothing;
  CHECK_FALSE(nothing.model);
  CHECK(nothing.not_modelled.empty());
  CHECK(launch_surroundings{}.gpus == 0);
}

}  // namespace
}  // namespace gpuplan
