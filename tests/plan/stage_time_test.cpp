#include <gpuplan/plan/stage_time.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr accelerator gpu{.memory = 80 * GiB,
                          .memory_bandwidth = 2 * TB / second,
                          .peak = {.fp16 = 312 * TFLOP / second, .bf16 = 312 * TFLOP / second},
                          .achieved = {.bf16 = 270 * TFLOP / second}};
static_assert(achievable_peak(gpu, number_format::bf16) == 270 * TFLOP / second, "measured");
static_assert(achievable_peak(gpu, number_format::fp16) == 312 * TFLOP / second, "datasheet");
static_assert(achievable_peak(gpu, number_format::fp4) == flop_per_second{0}, "no units");

constexpr node box{.gpu = gpu,
                   .gpus = 8,
                   .scale_up = {3 * us, 230 * GB / second},
                   .fabric = {14 * us, 25 * GB / second}};
constexpr transformer mixtral{.layers = 32,
                              .hidden_size = 4096,
                              .attention_heads = 32,
                              .kv_heads = 8,
                              .vocabulary_size = 32000,
                              .gated_ffn = true,
                              .tied_embeddings = false,
                              .moe = {.experts = 8, .experts_per_token = 2, .ffn_size = 14336}};
constexpr recipe how{.global_batch_size = 64, .sequence_length = 4096};

constexpr auto layer(const parallelism& cut, const recipe& with = how) {
  return layer_time(mixtral, gpu, links_of(box, cut), with, cut, layer_kind::moe);
}

TEST_CASE("what is not cut does not talk", "[plan][limits]") {
  const auto alone = layer({});
  CHECK(alone.total() == alone.compute);
  CHECK(layer({.data = 2, .tensor = 2}).tensor > seconds{0});
  CHECK(layer({.context = 2}).context > seconds{0});
  CHECK(layer({.data = 8, .expert = 8}).expert > seconds{0});
}

TEST_CASE("tensor and context ranks share the operations", "[plan][facts]") {
  CHECK_THAT((4 * layer({.tensor = 4}).compute).in(second),
             WithinRel(layer({}).compute.in(second), 1e-14));
  CHECK_THAT((2 * layer({.context = 2}).compute).in(second),
             WithinRel(layer({}).compute.in(second), 1e-14));
}

TEST_CASE("full recomputation repeats the collectives of the forward pass", "[plan][facts]") {
  recipe full = how;
  full.recompute = recompute::full;
  CHECK_THAT((1.5 * layer({.tensor = 4}).tensor).in(second),
             WithinRel(layer({.tensor = 4}, full).tensor.in(second), 1e-14));
}

TEST_CASE("a stage is its layers, and the head on the last", "[plan][facts]") {
  const parallelism cut{.tensor = 2, .pipeline = 2};
  const auto clock = stage_clock_of(mixtral, gpu, links_of(box, cut), how, cut);
  const seconds first = clock.of({.moe = 16, .has_embedding = true}).total();
  const seconds last = clock.of({.moe = 16, .has_head = true}).total();
  CHECK_THAT(first.in(second), WithinRel(16 * layer(cut).total().in(second), 1e-12));
  CHECK(last > first);
}

}  // namespace
}  // namespace gpuplan
