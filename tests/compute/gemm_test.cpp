#include <gpuplan/compute/gemm.hpp>

#include <limits>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr basic_matrix_unit<double> a100{
    .rate = 260 * TFLOP / second, .bandwidth = 1.7 * TB / second, .streaming_multiprocessors = 108};

double side(int least, int most) {
  return static_cast<double>(*rc::gen::inRange(least, most));
}

static_assert(product_flop({2, 3, 5}) == 60 * FLOP);
static_assert(product_bytes({2, 3, 5}, {.operand = 2 * byte, .result = 4 * byte}) ==
              (2 * (10 + 15) + 4 * 6) * byte);
static_assert(product_tiles({128, 256, 64}, 108).waves == 1 &&
              product_tiles({256, 128, 64}, 108).waves == 1);

// NVIDIA DU-09798, section 4.2: on an A100 of 108 multiprocessors 256 x 128 tiles; one tile more
// than a wave holds takes a second wave.
static_assert(product_tiles({128 * 108, 256, 4096}, 108).waves == 1);
static_assert(product_tiles({128 * 108 + 1, 256, 4096}, 108).waves == 2);
static_assert(product_tiles({2304, 1536, 4096}, 108).waves == 1, "9 x 12 tiles of 256 x 128");
static_assert(product_tiles({2304, 1537, 4096}, 108).waves == 2, "9 x 13 tiles");
static_assert(product_tiles({0, 5, 5}, 108).waves == 0);

template <class... Args>
concept products = requires(Args... args) {
  product_time(args...);
};
static_assert(products<matrix_product, basic_matrix_unit<double>>);
static_assert(!products<double, basic_matrix_unit<double>>);

static_assert(product_tiles({1, 16384, 16384}, 108).high == 16, "a row takes a block of rows");

TEST_CASE("a product of whole waves runs at the rate of the unit", "[compute][limits]") {
  const matrix_product full{256 * 108, 128 * 16, 8192};
  CHECK_THAT(product_time(full, a100).in(second),
             WithinRel((product_flop(full) / a100.rate).in(second), 1e-14));
}

TEST_CASE("a skinny product is bound by its bytes", "[compute][limits]") {
  const matrix_product row{1, 16384, 16384};
  CHECK_THAT(product_time(row, a100).in(second),
             WithinRel((product_bytes(row, {}) / a100.bandwidth).in(second), 1e-14));
}

TEST_CASE("no product is faster than its operations or its bytes allow", "[compute][property]") {
  testing::check_property("roofline of a product", [] {
    const matrix_product p{side(0, 100000), side(0, 100000), side(0, 100000), side(0, 64)};
    basic_matrix_unit<double> unit = a100;
    unit.turnover = *rc::gen::inRange(0, 10) * us;
    const seconds t = product_time(p, unit);
    RC_ASSERT(t >= (1 - 1e-12) * (product_flop(p) / unit.rate));
    RC_ASSERT(t >= (1 - 1e-12) * (product_bytes(p, {}) / unit.bandwidth));
  });
}

TEST_CASE("a larger product never takes less time", "[compute][property]") {
  testing::check_property("each side grown", [] {
    const matrix_product p{side(1, 5000), side(1, 5000), side(1, 5000)};
    const double more = side(1, 500);
    const seconds t = product_time(p, a100);
    for (const matrix_product& larger : {matrix_product{p.rows + more, p.columns, p.depth},
                                         matrix_product{p.rows, p.columns + more, p.depth},
                                         matrix_product{p.rows, p.columns, p.depth + more}})
      RC_ASSERT(product_time(larger, a100) >= t);
  });
}

TEST_CASE("the gradients of a product are two products of as many operations", "[compute][facts]") {
  const matrix_product p{3, 5, 7, 2};
  CHECK(product_flop(p.left_gradient()) == product_flop(p));
  CHECK(product_flop(p.right_gradient()) == product_flop(p));
  CHECK(p.left_gradient().columns == p.depth);
  CHECK(p.right_gradient().depth == p.rows);
}

TEST_CASE("product_time refuses what its documentation refuses", "[compute][errors]") {
  const matrix_product p{128, 128, 128};
  CHECK_THROWS_AS(product_time({-1, 2, 3}, a100), invalid_input);
  CHECK_THROWS_AS(product_time({1, 2, 3, -1}, a100), invalid_input);
  CHECK_THROWS_AS(product_tiles(p, 0), invalid_input);
  const auto refused = [&](auto change) {
    basic_matrix_unit<double> unit = a100;
    change(unit);
    CHECK_THROWS_AS(product_time(p, unit), invalid_input);
  };
  refused([](auto& u) { u.rate = flop_per_second{0}; });
  refused([](auto& u) { u.bandwidth = bytes_per_second{0}; });
  refused([](auto& u) { u.rate = flop_per_second{std::numeric_limits<double>::quiet_NaN()}; });
}

}  // namespace
}  // namespace gpuplan
