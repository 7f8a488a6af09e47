#include <gpuplan/memory/constants.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

TEST_CASE("every constant of the memory model has a unit and a source", "[memory][facts]") {
  for (const memory_constant& one : memory_constants) {
    CAPTURE(one.name);
    CHECK(one.value > 0);
    CHECK(!one.unit.empty());
    CHECK(!one.source.empty());
  }
}

}  // namespace
}  // namespace gpuplan
