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

static_assert(matrix_product{}.rows == 0 && matrix_product{}.columns == 0 &&
              matrix_product{}.depth == 0 && matrix_product{}.count == 1);
static_assert(product_flop({2, 3, 5}) == 60 * FLOP);
static_assert(product_bytes({2, 3, 5}, {.operand = 2 * byte, .result = 4 * byte}) ==
              (2 * (10 + 15) + 4 * 6) * byte);
// One tile on one multiprocessor of many: as long as the wave of a tenth that fills up.
static_assert(product_tiles({128, 128, 64}, 1).waves == 1);
static_assert(product_tiles({128, 256, 64}, 1).waves == 2 &&
              product_tiles({256, 128, 64}, 1).waves == 2);

// Tiles of 128 x 128 on 108 multiprocessors: a wave that is full, and one that is not.
static_assert(product_tiles({128 * 108, 128, 4096}, 108).waves == 1);
static_assert(product_tiles({128 * 108 + 1, 128, 4096}, 108).waves == 109.0 / 108 + last_wave);
static_assert(product_tiles({128 * 107, 128, 4096}, 108).waves == 1, "never less than it takes");
static_assert(product_tiles({128 * 54, 128, 4096}, 108).waves == 0.5 + last_wave);
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
  const matrix_product deeper{full.rows, full.columns, full.depth + fill_depth};
  CHECK_THAT(product_time(full, a100).in(second),
             WithinRel((product_flop(deeper) / a100.rate).in(second), 1e-14));
}

TEST_CASE("a kernel starts once, whatever it multiplies", "[compute][facts]") {
  basic_matrix_unit<double> unit = a100;
  unit.start = 3 * us;
  for (const matrix_product& p : {matrix_product{0, 1, 1}, matrix_product{4096, 4096, 4096},
                                  matrix_product{128, 128, 128, 64}})
    CHECK_THAT((product_time(p, unit) - product_time(p, a100)).in(us), WithinRel(3, 1e-9));
}

TEST_CASE("a gradient that is added is written once more", "[compute][facts]") {
  const matrix_product p{4096, 4096, 8192};
  const seconds alone = product_time(p, a100, {.operand = bytes{2}, .result = bytes{0}});
  CHECK_THAT((weight_gradient_time(p, a100, bytes{2}, bytes{8}) - alone).in(us),
             WithinRel((4096 * 4096 * bytes{4} / a100.bandwidth).in(us), 1e-9));
  CHECK(weight_gradient_time(p, a100, bytes{2}, bytes{0}) == alone);
  const auto both = product_pass_time(p, a100, {}, bytes{8});
  CHECK(both.forward == product_time(p, a100));
  CHECK_THAT(both.backward.in(us),
             WithinRel((product_time(p.left_gradient(), a100) +
                        weight_gradient_time(p.right_gradient(), a100, bytes{2}, bytes{8}))
                           .in(us),
                       1e-12));
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
    unit.start = *rc::gen::inRange(0, 10) * us;
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
  refused([](auto& u) { u.start = seconds{-1}; });
  CHECK_THROWS_AS(weight_gradient_time(p, a100, bytes{-1}, bytes{8}), invalid_input);
  CHECK_THROWS_AS(weight_gradient_time(p, a100, bytes{2}, bytes{-8}), invalid_input);
  refused([](auto& u) { u.rate = flop_per_second{std::numeric_limits<double>::quiet_NaN()}; });
}

}  // namespace
}  // namespace gpuplan
