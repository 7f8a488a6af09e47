#include <gpuplan/compute/grouped_gemm.hpp>

#include <limits>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr basic_grouped_unit<double> unit{.product = {.rate = 1000 * TFLOP / second,
                                                      .bandwidth = 4 * TB / second,
                                                      .streaming_multiprocessors = 100,
                                                      .start = 30 * us},
                                          .weights = 7 * TB / second,
                                          .group_start = 3 * us};

template <class... Args>
concept grouped = requires(Args... args) {
  grouped_product_time(args...);
};
static_assert(grouped<matrix_product, basic_grouped_unit<double>, product_formats, grouped_launch>);
static_assert(!grouped<matrix_product, basic_grouped_unit<double>, product_formats, bool>,
              "how groups are launched has names");
static_assert(!grouped<matrix_product, basic_matrix_unit<double>, product_formats, grouped_launch>);

TEST_CASE("experts with few tokens wait for their weights", "[compute][facts]") {
  // By hand: 64 experts of 16 tokens, 4096 x 2048 weights of 2 bytes at 7 TB/s; tiles of 16 x 128,
  // 16 of each expert, 10.24 + 0.1 waves on 100 multiprocessors of 10 TFLOP/s.
  const matrix_product p{16, 2048, 4096, 64};
  const double weights = 64.0 * 2048 * 4096 * 2 / 7e12;
  const double worked = (10.24 + last_wave) * 2 * 16 * 128 * (4096 + fill_depth) / 1e13;
  REQUIRE(weights > worked);
  CHECK_THAT(grouped_product_time(p, unit, {}, grouped_launch::fused).in(second),
             WithinRel(3e-5 + weights + grouped_remainder * worked, 1e-13));
  CHECK_THAT(grouped_product_time(p, unit, {}, grouped_launch::one_by_one).in(second),
             WithinRel(64 * 3e-6 + weights + grouped_remainder * worked, 1e-13));
}

TEST_CASE("experts with many tokens run at the rate of products", "[compute][limits]") {
  const matrix_product p{65536, 4096, 8192, 8};
  const double share = product_flop(p) / unit.product.rate /
                       grouped_product_time(p, unit, {}, grouped_launch::fused);
  CHECK(share < 1);
  CHECK(share > 0.97);
}

TEST_CASE("more tokens of an expert never take less time", "[compute][property]") {
  testing::check_property("rows grown", [] {
    const double rows = *rc::gen::inRange(1, 4000);
    const double more = *rc::gen::inRange(1, 400);
    const double count = *rc::gen::inRange(1, 128);
    const auto time = [&](double tokens) {
      return grouped_product_time({tokens, 2048, 1024, count}, unit, {}, grouped_launch::fused);
    };
    RC_ASSERT(time(rows + more) >= time(rows));
  });
}

TEST_CASE("a permutation reads and writes both orders", "[compute][facts]") {
  // By hand: 1000 rows of 4 x 4096 + 3 x 1536 values of 2 bytes at 2 TB/s; in FP8 one of each 1.
  const expert_values of{.rows = 1000, .hidden = 4096, .width = 1536};
  CHECK_THAT(permutation_time(of, product_formats{}, 2 * TB / second).in(us),
             WithinRel(1000 * (4 * 4096 + 3 * 1536) * 2 / 2e6, 1e-14));
  const product_formats narrow{.operand = 1 * byte, .result = 2 * byte};
  CHECK_THAT(permutation_time(of, narrow, 2 * TB / second).in(us),
             WithinRel(1000 * (7 * 4096 + 5 * 1536) / 2e6, 1e-14));
}

TEST_CASE("grouped products refuse what their documentation refuses", "[compute][errors]") {
  const matrix_product p{16, 16, 16, 2};
  const auto launch = grouped_launch::fused;
  CHECK_THROWS_AS(grouped_product_time({-1, 1, 1, 1}, unit, {}, launch), invalid_input);
  basic_grouped_unit<double> wrong = unit;
  wrong.weights = bytes_per_second{0};
  CHECK_THROWS_AS(grouped_product_time(p, wrong, {}, launch), invalid_input);
  wrong = unit;
  wrong.group_start = -1 * us;
  CHECK_THROWS_AS(grouped_product_time(p, wrong, {}, launch), invalid_input);
  wrong = unit;
  wrong.product.rate = flop_per_second{std::numeric_limits<double>::quiet_NaN()};
  CHECK_THROWS_AS(grouped_product_time(p, wrong, {}, launch), invalid_input);
  CHECK_THROWS_AS(grouped_product_time(p, unit, {}, static_cast<grouped_launch>(7)), invalid_input);
  CHECK_THROWS_AS(permutation_time(expert_values{.rows = -1}, product_formats{}, 1 * TB / second),
                  invalid_input);
  CHECK_THROWS_AS(permutation_time(expert_values{}, product_formats{}, 0 * TB / second),
                  invalid_input);
}

}  // namespace
}  // namespace gpuplan
