#include <gpuplan/simulate/random_numbers.hpp>

#include <cstdint>
#include <set>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

TEST_CASE("seeds and streams begin with numbers of their own", "[simulate]") {
  std::set<std::uint64_t> first;
  for (std::uint64_t seed = 0; seed < 4; ++seed)
    for (std::uint64_t stream = 0; stream < 4; ++stream)
      first.insert(random_numbers{seed, stream}.bits());
  CHECK(first.size() == 16);
  CHECK(random_numbers{7, 2}.bits() == random_numbers{7, 2}.bits());
  CHECK(random_numbers{7}.bits() == random_numbers{7, 0}.bits());
}

}  // namespace
}  // namespace gpuplan
