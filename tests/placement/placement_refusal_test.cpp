#include <gpuplan/placement/placement_refusal.hpp>

#include <array>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

TEST_CASE("why a task finds no node", "[placement]") {
  std::array nodes{empty_node(4, 32000, 64 * GiB)};
  nodes[0].free_core_thousandths = 1000;
  nodes[0].free_memory = 1 * GiB;
  CHECK(refusal_of(nodes, {.gpus = 1, .core_thousandths = 2000}) == placement_refusal::cores);
  CHECK(refusal_of(nodes, {.gpus = 1, .memory = 2 * GiB}) == placement_refusal::memory);
  CHECK(refusal_of(nodes, {.gpus = 5}) == placement_refusal::never);
  CHECK(refusal_of(nodes, {.gpus = 1, .accepted_types = 2}) == placement_refusal::type);
  CHECK(refusal_of(nodes, {.gpus = 5, .accepted_types = 1}) == placement_refusal::never);
  CHECK(refusal_of({}, {.gpus = 1}) == placement_refusal::never);
  CHECK((is_final(placement_refusal::type) && is_final(placement_refusal::never)));
  CHECK_FALSE(is_final(placement_refusal::gpus));
  nodes[0].free_gpu = {900, 0, 0, 0};
  CHECK(refusal_of(nodes, {.gpus = 1}) == placement_refusal::gpus);
  for (std::size_t why = 0; why < placement_refusals; ++why)
    CHECK(name_of(static_cast<placement_refusal>(why))[0] != '\0');
}

}  // namespace
}  // namespace gpuplan
