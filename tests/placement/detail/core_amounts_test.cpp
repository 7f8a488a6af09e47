#include <gpuplan/placement/detail/core_amounts.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gpuplan/simulate/random_numbers.hpp>

#include "support/catch.hpp"

namespace gpuplan::detail {
namespace {

/// The same by a look at each.
std::size_t counted_within(std::vector<std::int64_t> amounts, std::int64_t cores) {
  std::sort(amounts.begin(), amounts.end());
  amounts.erase(std::unique(amounts.begin(), amounts.end()), amounts.end());
  return static_cast<std::size_t>(std::count_if(amounts.begin(), amounts.end(),
                                                [&](std::int64_t one) { return one <= cores; }));
}

TEST_CASE("core_amounts: a few by hand", "[core_amounts]") {
  const core_amounts amounts{{4000, 1000, 4000, 2500}};
  CHECK(amounts.size() == 3);
  CHECK(amounts.within(-1) == 0);
  CHECK(amounts.within(999) == 0);
  CHECK(amounts.within(1000) == 1);
  CHECK(amounts.within(3999) == 2);
  CHECK(amounts.within(4000) == 3);
  CHECK(amounts.within(INT64_MAX) == 3);
  CHECK(amounts.largest_of(0) == 0);
  CHECK(amounts.largest_of(2) == 2500);
  CHECK(amounts.largest_of(3) == 4000);
}

TEST_CASE("core_amounts: of none, no amount is there", "[core_amounts]") {
  const core_amounts none{{}};
  CHECK(none.size() == 0);
  CHECK(none.within(1000) == 0);
}

TEST_CASE("core_amounts: as a look at each counts them, whatever their range", "[core_amounts]") {
  random_numbers random{7};
  for (const std::uint64_t range :
       {30ULL, 12'000ULL, 131'071ULL, 131'072ULL, 131'073ULL, 5'000'000ULL, 4'000'000'000ULL}) {
    std::vector<std::int64_t> drawn;
    for (int i = 0; i < 200; ++i)
      drawn.push_back(static_cast<std::int64_t>(random.below(range + 1)));
    drawn.push_back(static_cast<std::int64_t>(range));
    const core_amounts amounts{drawn};
    const auto holds = [&](std::int64_t cores) {
      CHECK(amounts.within(cores) == counted_within(drawn, cores));
    };
    for (int i = 0; i < 100; ++i) holds(static_cast<std::int64_t>(random.below(range + 2)));
    for (const std::int64_t one : drawn) {
      holds(one - 1);
      holds(one);
      CHECK(amounts.largest_of(amounts.within(one)) == one);
    }
  }
}

}  // namespace
}  // namespace gpuplan::detail
