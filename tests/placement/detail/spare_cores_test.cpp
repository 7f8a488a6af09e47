#include <gpuplan/placement/detail/spare_cores.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <gpuplan/simulate/random_numbers.hpp>
#include <gpuplan/units/units.hpp>

#include "support/catch.hpp"

namespace gpuplan::detail {
namespace {

TEST_CASE("the first node with enough is that of a look at each", "[placement][property]") {
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    random_numbers random{seed};
    const auto draw = [&] {
      return spare_cores::entry{.cores = static_cast<std::int64_t>(random.below(8)) - 1,
                                .memory = bytes{static_cast<double>(random.below(8))}};
    };
    std::vector<spare_cores::entry> nodes(random.below(70));
    for (spare_cores::entry& node : nodes) node = draw();
    spare_cores spare{nodes};
    for (int round = 0; round < 50; ++round) {
      const spare_cores::entry asked{.cores = static_cast<std::int64_t>(random.below(8)),
                                     .memory = bytes{static_cast<double>(random.below(9))}};
      const std::uint64_t kept = 1 + random.below(3);
      const auto passes = [&](std::size_t node) { return node % kept == 0; };
      std::optional<std::size_t> expected;
      for (std::size_t n = 0; n < nodes.size() && !expected; ++n)
        if (nodes[n].cores >= asked.cores && nodes[n].memory >= asked.memory && passes(n))
          expected = n;
      REQUIRE(spare.first(asked, passes) == expected);
      found += expected ? 1 : 0;
      if (nodes.empty()) continue;
      const std::size_t node = random.below(nodes.size());
      nodes[node] = draw();
      spare.change(node, nodes[node]);
    }
  }
  CHECK(found > 1000);
}

}  // namespace
}  // namespace gpuplan::detail
