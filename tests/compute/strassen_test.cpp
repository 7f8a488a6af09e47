#include <gpuplan/compute/strassen.hpp>

#include <cmath>
#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

static_assert(strassen_flop({8, 8, 8}, 0) == product_flop({8, 8, 8}));
// Two by two: 7 multiplications, which count as 14 operations here, and 18 additions.
static_assert(strassen_flop({2, 2, 2}, 1) == (7 * 2 + 18) * FLOP);

template <class... Args>
concept accepts = requires(Args... args) {
  strassen_flop(args...);
};
static_assert(accepts<matrix_product, int>);
static_assert(!accepts<flop, int>);

/// The same by recursion.
double by_recursion(double m, double n, double k, int levels) {
  if (levels == 0) return 2 * m * n * k;
  return 7 * by_recursion(m / 2, n / 2, k / 2, levels - 1) +
         (5 * m * k + 5 * k * n + 8 * m * n) / 4;
}

TEST_CASE("Strassen's count follows its recursion", "[compute][property]") {
  testing::check_property("closed loop and recursion agree", [] {
    const int levels = *rc::gen::inRange(0, 6);
    const auto size = [&] { return *rc::gen::inRange(1, 50) * double(1 << levels); };
    const matrix_product p{size(), size(), size(), 3};
    const double expected = 3 * by_recursion(p.rows, p.columns, p.depth, levels);
    RC_ASSERT(std::abs(strassen_flop(p, levels).in(FLOP) / expected - 1) < 1e-12);
  });
}

TEST_CASE("large products gain an eighth a level, small ones lose", "[compute][reference]") {
  const matrix_product large{16384, 16384, 16384};
  CHECK(std::abs(strassen_flop(large, 1) / product_flop(large) - 0.875) <= 1e-3);
  const matrix_product small{8, 8, 8};
  CHECK(strassen_flop(small, 3) > product_flop(small));
}

TEST_CASE("Strassen's count refuses what is no size", "[compute][errors]") {
  CHECK_THROWS_AS(strassen_flop({-1, 1, 1}, 1), invalid_input);
  CHECK_THROWS_AS(strassen_flop({1, nan, 1}, 1), invalid_input);
  CHECK_THROWS_AS(strassen_flop({1, 1, 1}, -1), invalid_input);
  CHECK_THROWS_AS(strassen_flop({1, 1, 1}, 31), invalid_input);
}

}  // namespace
}  // namespace gpuplan
