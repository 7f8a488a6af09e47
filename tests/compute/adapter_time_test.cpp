#include <gpuplan/compute/adapter_time.hpp>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr recipe how{.adapters = {.rank = 16}};
constexpr auto rates = kernel_rates_of(catalog::h100_sxm5_80gb, how, framework_profile{});
constexpr transformer m = catalog::llama_3_8b;
constexpr double rows = 8192;

TEST_CASE("a frozen product lacks the gradient of its weights", "[compute][facts]") {
  const matrix_product p{rows, 4096, 14336};
  const auto trained = product_pass_time(p, rates.product, rates.formats, bytes{8});
  const auto frozen = frozen_product_pass_time(p, rates.product, rates.formats);
  CHECK(frozen.forward == trained.forward);
  CHECK_THAT((trained.backward - frozen.backward).in(second),
             WithinRel(weight_gradient_time(p.right_gradient(), rates.product,
                                            rates.formats.operand, bytes{8})
                           .in(second),
                       1e-12));
}

TEST_CASE("adapters take the time of their bytes, not of their operations", "[compute][limits]") {
  const auto time = adapters_time(m, layer_kind::dense, how, {}, rows, rates);
  const double sides = adapted_maps_of(m, layer_kind::dense, how.adapters, {}).sides();
  // A tile is far wider than an adapter: the fuller part of each is for nothing.
  CHECK(time.total() > 6 * rows * 16 * sides * FLOP / rates.product_16.rate);
  CHECK(time.forward > rows * sides * bytes{2} / rates.memory);
  CHECK(time.backward > time.forward);
  const auto whole = products_of_layer(m, layer_kind::dense, {}, rows);
  const auto frozen = frozen_products_time(m, layer_kind::dense, how, {}, rows, whole, rates);
  CHECK(frozen.forward > time.forward);
  CHECK(time.total() < 0.15 * frozen.total());
}

TEST_CASE("a 4-bit base is written in 16 bits before each pass", "[compute][facts]") {
  recipe small = how;
  small.adapters.base = base_weights::nf4;
  const auto whole = products_of_layer(m, layer_kind::dense, {}, rows);
  const auto plain = frozen_products_time(m, layer_kind::dense, how, {}, rows, whole, rates);
  const auto slower = frozen_products_time(m, layer_kind::dense, small, {}, rows, whole, rates);
  double weights = 0;
  for (const matrix_product& p : whole) weights += p.columns * p.depth;
  const double more =
      (weights * (bytes_per_4_bit_weight({}) + bytes{2}) / rates.elementwise).in(second);
  CHECK_THAT((slower.forward - plain.forward).in(second), WithinRel(more, 1e-9));
  CHECK_THAT((slower.backward - plain.backward).in(second), WithinRel(more, 1e-9));
  small.adapters.base = base_weights::fp8;
  const auto in_fp8 = frozen_products_time(m, layer_kind::dense, small, {}, rows, whole, rates);
  CHECK(in_fp8.total() == plain.total());
}

TEST_CASE("integers are unpacked in steps, once for both passes", "[compute][facts]") {
  recipe packed = how;
  packed.adapters.base = base_weights::int4;
  const auto whole = products_of_layer(m, layer_kind::dense, {}, rows);
  const auto plain = frozen_products_time(m, layer_kind::dense, how, {}, rows, whole, rates);
  const auto slower = frozen_products_time(m, layer_kind::dense, packed, {}, rows, whole, rates);
  double weights = 0;
  for (const matrix_product& p : whole) weights += p.columns * p.depth;
  const double more =
      (weights * (bytes_per_4_bit_weight({}) + bytes{16}) / rates.elementwise).in(second);
  CHECK_THAT((slower.forward - plain.forward).in(second), WithinRel(more, 1e-9));
  CHECK(slower.backward == plain.backward);
}

}  // namespace
}  // namespace gpuplan
