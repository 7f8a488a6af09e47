#include <gpuplan/calibrate/memory_peak.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

static_assert(name_of(allocation_part::unknown) == "unknown");
static_assert(name_of(allocation_part::backward) == "backward");
static_assert(name_of(allocation_part::optimizer) == "optimizer");

TEST_CASE("a part of a step is the sum of what its functions took", "[calibrate]") {
  const memory_peak peak{
      .shares = {{.frame = "step", .part = allocation_part::optimizer, .size = bytes{8}},
                 {.frame = "foreach", .part = allocation_part::optimizer, .size = bytes{2}},
                 {.frame = "forward", .size = bytes{4}}}};
  CHECK(peak.of_part(allocation_part::optimizer) == bytes{10});
  CHECK(peak.of_part(allocation_part::unknown) == bytes{4});
  CHECK(peak.of_part(allocation_part::backward) == bytes{0});
  CHECK(peak.events == 0);
}

}  // namespace
}  // namespace gpuplan
