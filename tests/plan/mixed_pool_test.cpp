#include <gpuplan/plan/mixed_pool.hpp>

#include <array>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr interconnect hdr{14 * us, 23.5 * GB / second};
constexpr interconnect ndr{14 * us, 47 * GB / second};
constexpr cluster a100 = cluster_of(node_of(catalog::a100_sxm4_80gb, 8, hdr), 8);
constexpr cluster h100 = cluster_of(node_of(catalog::h100_sxm5_80gb, 8, ndr), 24);
constexpr recipe how{
    .global_batch_size = 64, .sequence_length = 4096, .zero = zero_stage::parameters};
constexpr parallelism cut{.data = 32};
constexpr transformer model = catalog::llama_3_8b;

TEST_CASE("a pool of two kinds waits for the slower", "[plan][facts]") {
  const mixed_estimate both = evaluate_mixed(model, std::array{a100, h100}, how, cut);
  REQUIRE(both.fits());
  CHECK(both.part == 0);
  const cluster slow = cluster_of(a100.node, 32);
  CHECK(both.step.slowest == evaluate(model, slow, how, cut).time.total());
  // A quarter of the GPUs is slow; of the others' time a part is waiting.
  cluster fast = cluster_of(h100.node, 32);
  fast.node.fabric = hdr;  // every ring goes through the slower ports
  const seconds alone = evaluate(model, fast, how, cut).time.total();
  CHECK_THAT(both.step.mean.in(second),
             WithinRel((0.25 * both.step.slowest + 0.75 * alone).in(second), 1e-12));
  CHECK(both.step.idle() > 0.2);
  CHECK_THAT(both.proportional.in(second),
             WithinRel(1 / (0.25 / both.step.slowest.in(second) + 0.75 / alone.in(second)), 1e-12));
  CHECK(both.proportional < both.step.slowest);
  CHECK(both.proportional > alone);
  const mixed_estimate turned = evaluate_mixed(model, std::array{h100, a100}, how, cut);
  CHECK(turned.part == 1);
  CHECK(turned.step.slowest == both.step.slowest);
  CHECK_THAT(turned.step.mean / both.step.mean, WithinRel(1, 1e-12));
}

TEST_CASE("a pool of one kind is that kind", "[plan][limits]") {
  const mixed_estimate one = evaluate_mixed(model, std::array{h100, h100}, how, {.data = 32});
  CHECK(one.step.idle() == 0);
  CHECK(one.step.slowest == evaluate(model, cluster_of(h100.node, 48), how, cut).time.total());
  CHECK_THAT(one.proportional.in(second), WithinRel(one.step.slowest.in(second), 1e-12));
}

TEST_CASE("every kind must have the memory", "[plan][limits]") {
  cluster small = a100;
  small.node.gpu.memory = 8 * GiB;
  const mixed_estimate none = evaluate_mixed(model, std::array{h100, small}, how, cut);
  CHECK_FALSE(none.fits());
  CHECK(none.part == 1);
  CHECK(none.slowest.refusal.reason == reject_reason::memory);
  CHECK_THROWS_AS(evaluate_mixed(model, std::span<const cluster>{}, how, cut), invalid_input);
}

}  // namespace
}  // namespace gpuplan
