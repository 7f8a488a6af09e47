#include <gpuplan/plan/fewest_gpus.hpp>

#include <cstdint>
#include <limits>

#include <gpuplan/require.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

constexpr auto never = [] { return false; };

/// The first part or multiple of a node above `gpus` that is enough, by a look at each.
std::int64_t counted_up(std::int64_t gpus, std::int64_t node, std::int64_t needed) {
  std::int64_t n = gpus + 1;
  while (n < needed || (node % n != 0 && n % node != 0)) ++n;
  return n;
}

TEST_CASE("fewest_gpus: part of a node where that is enough", "[fewest_gpus]") {
  const auto from = [](std::int64_t gpus, std::int64_t needed) {
    const auto fits = [&](std::int64_t n) { return n >= needed; };
    return fewest_gpus(gpus, 8, 1 << 16, fits, never);
  };
  CHECK(from(1, 2) == 2);
  CHECK(from(1, 3) == 4);
  CHECK(from(2, 4) == 4);
  CHECK(from(3, 4) == 4);
  CHECK(from(4, 5) == 8);
}

TEST_CASE("fewest_gpus: as a look at each part of a node and number of nodes", "[fewest_gpus]") {
  for (const std::int64_t node : {1, 4, 8, 72})
    for (const std::int64_t gpus : {1, 3, 8, 100})
      for (const std::int64_t needed : {2, 7, 9, 64, 65, 500, 4095}) {
        if (needed <= gpus) continue;
        const auto fits = [&](std::int64_t n) { return n >= needed; };
        CAPTURE(node, gpus, needed);
        CHECK(fewest_gpus(gpus, node, 1 << 16, fits, never) == counted_up(gpus, node, needed));
      }
}

TEST_CASE("fewest_gpus: none where no number fits, and few are tried", "[fewest_gpus]") {
  int tried = 0;
  const auto fits = [&](std::int64_t) {
    ++tried;
    return false;
  };
  CHECK(fewest_gpus(8, 8, 1 << 16, fits, never) == 0);
  CHECK(tried == 13);
  CHECK(fewest_gpus(8, 8, 8, fits, never) == 0);
  CHECK(tried == 13);
}

TEST_CASE("fewest_gpus: what was found so far where enough was tried", "[fewest_gpus]") {
  int tried = 0;
  const auto fits = [&](std::int64_t n) {
    ++tried;
    return n >= 40;
  };
  const auto after = [&](int most) { return [&tried, most] { return tried >= most; }; };
  CHECK(fewest_gpus(8, 8, 1 << 16, fits, after(3)) == 64);
  CHECK(tried == 3);
  tried = 0;
  CHECK(fewest_gpus(8, 8, 1 << 16, fits, after(2)) == 0);
  CHECK(tried == 2);
}

TEST_CASE("fewest_gpus: refuses what is out of range", "[fewest_gpus]") {
  const auto fits = [](std::int64_t) { return true; };
  CHECK_THROWS_AS(fewest_gpus(0, 8, 8, fits, never), invalid_input);
  CHECK_THROWS_AS(fewest_gpus((std::int64_t{1} << 40) + 1, 8, 8, fits, never), invalid_input);
  CHECK_THROWS_AS(fewest_gpus(8, 0, 8, fits, never), invalid_input);
  CHECK_THROWS_AS(fewest_gpus(8, std::numeric_limits<std::int64_t>::max(), 8, fits, never),
                  invalid_input);
  CHECK_THROWS_AS(fewest_gpus(8, 8, 0, fits, never), invalid_input);
  CHECK_THROWS_AS(fewest_gpus(8, 8, (std::int64_t{1} << 40) + 1, fits, never), invalid_input);
  const auto none = [](std::int64_t) { return false; };
  CHECK(fewest_gpus(8, 8, std::int64_t{1} << 40, none, never) == 0);
}

}  // namespace
}  // namespace gpuplan
