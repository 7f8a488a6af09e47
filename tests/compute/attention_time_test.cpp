#include <gpuplan/compute/attention_time.hpp>

#include <limits>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"
#include "support/derivative.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr basic_kernel_rates<double> rates{.product_16 = {.rate = 200 * TFLOP / second,
                                                          .bandwidth = 1.6 * TB / second,
                                                          .streaming_multiprocessors = 100,
                                                          .start = 10 * us},
                                           .attention = {.forward_64 = 50 * TFLOP / second,
                                                         .forward_128 = 100 * TFLOP / second,
                                                         .forward_256 = 120 * TFLOP / second,
                                                         .forward_512 = 80 * TFLOP / second,
                                                         .backward_128 = 80 * TFLOP / second,
                                                         .backward_192 = 70 * TFLOP / second,
                                                         .half_length = 512,
                                                         .start = 20 * us},
                                           .elementwise = 1 * TB / second,
                                           .memory = 1.6 * TB / second};
// Without a ramp, a start, or blocks that wait: operations over a rate.
constexpr basic_attention_unit<double> plain{.forward = 100 * TFLOP / second,
                                             .backward = 100 * TFLOP / second};

// Four sequences of 2048 tokens, each token attending to half of them, 8 heads of 128.
constexpr attention_shape core{.queries = 4 * 2048,
                               .keys = 1024,
                               .all_keys = 2048,
                               .heads = 8,
                               .query_head_dim = 128,
                               .value_head_dim = 128};

// 2 x 8192 x 1024 x 8 x 256 operations at 100 TFLOP/s.
static_assert(flash_attention_time(core, plain).forward == 34'359'738'368 / 100e12 * second);
static_assert(flash_attention_time(core, plain).backward ==
              2.5 * flash_attention_time(core, plain).forward);
static_assert(flash_attention_time(attention_shape{.query_head_dim = 1, .value_head_dim = 1}, plain)
                      .total() == seconds{0},
              "no queries, no time");

// A causal sequence as long as half_length takes twice the time of its operations.
constexpr basic_attention_unit<double> ramped{
    .forward = 100 * TFLOP / second, .backward = 100 * TFLOP / second, .half_length = 2048};
static_assert(flash_attention_time(core, ramped).forward ==
              2 * flash_attention_time(core, plain).forward);

// Rates between widths that were measured: time is linear in 1 / width.
constexpr auto unit = attention_unit_of(rates.attention, 128, 128, 100);
static_assert(unit.forward == 100 * TFLOP / second && unit.backward == 80 * TFLOP / second);
static_assert(attention_unit_of(rates.attention, 32, 32, 100).forward == 50 * TFLOP / second);
static_assert(attention_unit_of(rates.attention, 192, 64, 100).forward == unit.forward,
              "the mean of both widths");
static_assert(attention_unit_of(rates.attention, 96, 96, 100).forward > 50 * TFLOP / second);
static_assert(attention_unit_of(rates.attention, 96, 96, 100).forward < unit.forward);
static_assert(attention_unit_of(rates.attention, 1024, 1024, 0).forward == 80 * TFLOP / second);
static_assert(flash_attention_time(core, rates).total() ==
              flash_attention_time(core, unit).total());

template <class... Args>
concept flash_takes = requires(Args... args) {
  flash_attention_time(args...);
};
static_assert(flash_takes<attention_shape, basic_kernel_rates<double>>);
static_assert(!flash_takes<attention_shape, flop_per_second>, "rates, not one of them");
static_assert(!flash_takes<double, basic_kernel_rates<double>>);

TEST_CASE("scores that are written take the time of products and of bytes", "[compute][facts]") {
  // By hand: 8192 x 2048 x 8 scores; 2 x 256 operations each; two kernels of 10 us; 11 and 19 bytes
  // each at 1 TB/s.
  constexpr double scores = 8192.0 * 2048 * 8;
  constexpr double products = 512 * scores / 200e12 + 20e-6;
  const auto time = unfused_attention_time(core, rates);
  CHECK_THAT(time.forward.in(second), WithinRel(products + 11 * scores / 1e12, 1e-14));
  CHECK_THAT(time.backward.in(second), WithinRel(2 * products + 19 * scores / 1e12, 1e-14));
}

TEST_CASE("flash attention does the operations that a layer counts", "[compute][cross-check]") {
  for (const transformer& m : {catalog::llama_3_8b, catalog::deepseek_v3}) {
    const attention_shape shape{.queries = 4096,
                                .keys = 2048,
                                .all_keys = 4096,
                                .heads = static_cast<double>(m.attention_heads),
                                .query_head_dim = m.query_head_dim(),
                                .value_head_dim = m.value_head_dim()};
    const flop counted =
        forward_flop(m, layer_kind::dense, 2048).attention_core * (4096 * units::token);
    CHECK_THAT((flash_attention_time(shape, plain).forward * plain.forward).in(FLOP),
               WithinRel(counted.in(FLOP), 1e-14));
  }
}

TEST_CASE("rows of heads that 8 does not divide are slow", "[compute][facts]") {
  attention_shape odd = core;
  odd.query_head_dim = odd.value_head_dim = 127;
  CHECK(unfused_attention_time(odd, rates).forward > unfused_attention_time(core, rates).forward);
}

TEST_CASE("more of anything never takes less time", "[compute][property]") {
  testing::check_property("monotone attention", [] {
    attention_shape shape{.queries = *rc::gen::inRange(0, 100'000) * 1.0,
                          .keys = *rc::gen::inRange(0, 100'000) * 1.0,
                          .heads = *rc::gen::inRange(1, 129) * 1.0,
                          .query_head_dim = 8 * *rc::gen::inRange(1, 33),
                          .value_head_dim = 8 * *rc::gen::inRange(1, 33)};
    shape.all_keys = shape.keys + *rc::gen::inRange(0, 100'000);
    const auto flash = flash_attention_time(shape, rates);
    const auto unfused = unfused_attention_time(shape, rates);
    const flop masked = 2 * shape.queries * shape.all_keys * shape.heads *
                        (shape.query_head_dim + shape.value_head_dim) * FLOP;
    RC_ASSERT(unfused.forward >= (1 - 1e-12) * (masked / rates.product_16.rate));
    RC_ASSERT(unfused.backward >= 1.5 * unfused.forward);

    attention_shape more = shape;
    more.queries += 1;
    RC_ASSERT(flash_attention_time(more, rates).total() >= flash.total());
    RC_ASSERT(unfused_attention_time(more, rates).total() >= unfused.total());
    more = shape;
    more.heads += 1;
    RC_ASSERT(flash_attention_time(more, rates).total() >= flash.total());
    RC_ASSERT(unfused_attention_time(more, rates).total() >= unfused.total());
    more = shape;
    more.keys += 1;
    more.all_keys += 1;
    RC_ASSERT(flash_attention_time(more, rates).total() >= flash.total());
    RC_ASSERT(unfused_attention_time(more, rates).total() >= unfused.total());
  });
}

TEST_CASE("attention takes as much less as its kernels are faster", "[compute][derivative]") {
  basic_attention_unit<testing::dual> by_rate;
  by_rate.forward = basic_flop_per_second<testing::dual>{testing::variable(1e14)};
  by_rate.backward = by_rate.forward;
  const testing::dual time = flash_attention_time(core, by_rate).total().in_base_units();
  CHECK_THAT(testing::slope(time) * 1e14, WithinRel(-static_cast<double>(time), 1e-12));
}

TEST_CASE("a shape of less than nothing is refused", "[compute][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](const attention_shape& shape) {
    CHECK_THROWS_AS(flash_attention_time(shape, rates), invalid_input);
    CHECK_THROWS_AS(unfused_attention_time(shape, rates), invalid_input);
  };
  for (const double wrong : {-1.0, nan}) {
    attention_shape shape = core;
    shape.queries = wrong;
    refused(shape);
    shape = core;
    shape.keys = wrong;
    refused(shape);
    shape = core;
    shape.all_keys = wrong;
    refused(shape);
    shape = core;
    shape.heads = wrong;
    refused(shape);
  }
  attention_shape shape = core;
  shape.all_keys = shape.keys - 1;
  refused(shape);
  shape = core;
  shape.query_head_dim = 0;
  refused(shape);
  shape = core;
  shape.value_head_dim = 0;
  refused(shape);
}

}  // namespace
}  // namespace gpuplan
