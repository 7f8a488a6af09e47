#include <gpuplan/compute/head_time.hpp>

#include <limits>

#include <gpuplan/compute/training_flop.hpp>
#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"
#include "support/derivative.hpp"
#include "support/property.hpp"
#include "support/random_job.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr accelerator gpu{.memory_bandwidth = 2 * TB / second,
                          .achieved_memory_bandwidth = 1.6 * TB / second,
                          .peak = {.bf16 = 300 * TFLOP / second},
                          .sustained = {.bf16 = 200 * TFLOP / second},
                          .streaming_multiprocessors = 1};
/// Of products without starts, of which memory takes no time: operations alone.
constexpr auto rates = [] {
  auto found = kernel_rates_of(gpu, {}, framework_profile{});
  found.product.start = found.product_16.start = seconds{0};
  found.product.bandwidth = found.product_16.bandwidth = 1e30 * byte / second;
  return found;
}();
/// Operations of a product, the depth that its tiles lose among them.
constexpr seconds worked(double rows, double columns, double depth) {
  return 2 * rows * columns * (depth + fill_depth) * FLOP / rates.product_16.rate;
}
/// A product and its two gradients.
constexpr seconds passes(double rows, double columns, double depth) {
  return worked(rows, columns, depth) + worked(rows, depth, columns) + worked(columns, depth, rows);
}
constexpr transformer m{.layers = 1,
                        .hidden_size = 4096,
                        .attention_heads = 32,
                        .ffn_size = 16384,
                        .vocabulary_size = 32768};

// The embedding: 10 values of 2 B for each of 2048 x 4096, at 1.6 TB/s.
static_assert(embedding_time(m, 2048, rates) == 10.0 * 2048 * 4096 * 2 / 1.6e12 * second);

template <class... Args>
concept head_takes = requires(Args... args) {
  head_time(args...);
};
static_assert(head_takes<transformer, int, int, basic_kernel_rates<double>>);
static_assert(!head_takes<transformer, bytes, int, basic_kernel_rates<double>>, "rows are a count");
static_assert(!head_takes<transformer, int, int, flop_per_second>);

TEST_CASE("a frozen head lacks the gradients of its maps", "[compute][facts]") {
  transformer mapped = m;
  mapped.head_transform = true;
  mapped.embedding_size = 2048;
  for (const transformer& one : {m, mapped}) {
    const seconds logits = 4096 * 32768.0 * bytes_moved_per_logit / rates.elementwise;
    const seconds trained = head_time(one, 4096, 1, rates) - logits;
    const seconds frozen = frozen_head_time(one, 4096, 1, rates) - logits;
    CHECK_THAT(frozen / trained, WithinRel(2.0 / 3, 0.015));  // depths differ, and fill_depth not
  }
}

TEST_CASE("the head is three products, and traffic for each logit", "[compute][facts]") {
  // One multiprocessor, whole tiles: 6 T V h operations, and 34 B a logit.
  const double logits = 2048.0 * 32768;
  CHECK_THAT(
      head_time(m, 2048, 1, rates).in(second),
      WithinRel((passes(2048, 32768, 4096) + 34 * byte * logits / rates.elementwise).in(second),
                1e-12));
  CHECK(passes(2048, 32768, 4096) > 6 * logits * 4096 * FLOP / rates.product_16.rate);
  CHECK_THAT(
      head_time(m, 2048, 4, rates).in(second),
      WithinRel((passes(2048, 8192, 4096) + 34 * byte * logits / 4 / rates.elementwise).in(second),
                1e-12));
}

TEST_CASE("a forward pass alone is one product of each map", "[compute][facts]") {
  // 16 B for each logit, and 6 values of the embedding for each of 2048 x 4096.
  const seconds moved = 2048.0 * (16384 * bytes_moved_per_logit_forward / rates.elementwise +
                                  6 * 4096 * rates.value / rates.memory);
  const seconds head = forward_ends_time(m, 2048, 2, rates);
  CHECK_THAT(head.in(second), WithinRel((worked(2048, 16384, 4096) + moved).in(second), 1e-12));
  transformer mapped = m;
  mapped.head_transform = true;
  mapped.embedding_size = 1024;
  const seconds maps =
      worked(2048, 16384, 1024) + worked(2048, 4096, 4096) + worked(2048, 1024, 4096);
  CHECK_THAT(forward_ends_time(mapped, 2048, 2, rates).in(second),
             WithinRel((maps + moved).in(second), 1e-12));
  CHECK_THROWS_AS(forward_ends_time(m, 0, 1, rates), invalid_input);
  CHECK_THROWS_AS(forward_ends_time(m, 1, 0, rates), invalid_input);
}

TEST_CASE("a table's gradient that is added apart is moved once more", "[compute][facts]") {
  auto apart = rates;
  apart.gradient_addition = 10 * byte;
  const seconds more = head_time(m, 4096, 2, apart) - head_time(m, 4096, 2, rates);
  CHECK_THAT(more / (16384. * 4096 * 10 * byte / rates.memory), WithinRel(1, 1e-9));
}

TEST_CASE("the head does the operations that a step counts", "[compute][cross-check]") {
  // What a step of a model with a head does beside the layers, by difference.
  transformer headless = m;
  headless.vocabulary_size = 1;
  const recipe how{.global_batch_size = 1, .sequence_length = 2048};
  const flop head = training_step_flop(m, how) - training_step_flop(headless, how);
  const double logits = 2048.0 * 32767;
  CHECK_THAT(head.in(FLOP), WithinRel(6 * logits * 4096, 1e-12));
  CHECK(head_time(m, 2048, 1, rates) > head / rates.product_16.rate);
}

TEST_CASE("the head multiplies in 16 bits beside 8-bit layers", "[compute][facts]") {
  const accelerator& h100 = catalog::h100_sxm5_80gb;
  const framework_profile by = profile_of(framework::transformer_engine);
  const auto wide = kernel_rates_of(h100, {.precision = precision::mixed_bf16}, by);
  const auto narrow = kernel_rates_of(h100, {.precision = precision::mixed_fp8}, by);
  CHECK(head_time(m, 4096, 8, wide) == head_time(m, 4096, 8, narrow));
}

TEST_CASE("a narrow embedding is what the head multiplies by", "[compute][facts]") {
  transformer narrow = m;
  narrow.embedding_size = 512;
  CHECK(head_time(narrow, 2048, 1, rates) < head_time(m, 2048, 1, rates));
}

TEST_CASE("a transform and a narrow embedding are products too", "[compute][facts]") {
  const double rows = 2048;
  transformer transformed = m;
  transformed.head_transform = true;
  const seconds square = passes(rows, 4096, 4096);
  const seconds with_transform = head_time(transformed, rows, 1, rates);
  CHECK_THAT((with_transform - head_time(m, rows, 1, rates)) / square, WithinRel(1.0, 1e-12));

  transformer narrow = m;
  narrow.embedding_size = 512;
  const double logits = rows * m.vocabulary_size;
  const seconds wanted = passes(rows, m.vocabulary_size, 512) + passes(rows, 512, 4096) +
                         logits * bytes_moved_per_logit / rates.elementwise;
  CHECK_THAT(head_time(narrow, rows, 1, rates) / wanted, WithinRel(1.0, 1e-12));
}

TEST_CASE("more tokens, words or width take longer, more ranks less", "[compute][property]") {
  testing::check_property("monotone ends", [] {
    const transformer any = testing::random_transformer();
    const double rows = *rc::gen::inRange(1, 100'000);
    const int ranks = testing::power_of_two(4);
    const seconds time = head_time(any, rows, ranks, rates);
    const flop work = 6 * rows * any.vocabulary_size * any.hidden_size * FLOP;
    transformer more = any;
    more.vocabulary_size += 1024;
    RC_ASSERT(head_time(more, rows, ranks, rates) > time);
    more = any;
    more.hidden_size += 1024;
    RC_ASSERT(head_time(more, rows, ranks, rates) > time);
    RC_ASSERT(head_time(any, rows + 256, ranks, rates) > time);
    RC_ASSERT(head_time(any, rows, 2 * ranks, rates) <= time);
    RC_ASSERT(ranks * time >= work / rates.product_16.rate);
    RC_ASSERT(embedding_time(any, rows + 1, rates) > embedding_time(any, rows, rates));
  });
}

TEST_CASE("the ends follow the bandwidth of memory", "[compute][derivative]") {
  using testing::dual;
  const auto at = [](const auto& bandwidth) {
    using scalar = std::remove_cvref_t<decltype(bandwidth)>;
    basic_accelerator<scalar> device{.memory_bandwidth = 10 * TB / second};
    device.peak.bf16 = 300 * TFLOP / second;
    device.achieved_memory_bandwidth = basic_bytes_per_second<scalar>{bandwidth};
    const auto of = kernel_rates_of(device, {}, basic_framework_profile<scalar>{});
    return (head_time(m, 2048, 1, of) + embedding_time(m, 2048, of)).in_base_units();
  };
  const double exact = testing::slope(at(testing::variable(1.6e12)));
  CHECK(exact < 0);
  CHECK_THAT(exact, WithinRel(testing::difference(at, 1.6e12), 1e-6));
}

TEST_CASE("no tokens or no ranks are refused", "[compute][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double rows : {0.0, -1.0, nan}) {
    CHECK_THROWS_AS(head_time(m, rows, 1, rates), invalid_input);
    CHECK_THROWS_AS(embedding_time(m, rows, rates), invalid_input);
  }
  CHECK_THROWS_AS(head_time(m, 1, 0, rates), invalid_input);
}

}  // namespace
}  // namespace gpuplan
