#include <gpuplan/plan/repair.hpp>

#include <set>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr transformer gpt3{.layers = 96,
                           .hidden_size = 12288,
                           .attention_heads = 96,
                           .ffn_size = 49152,
                           .vocabulary_size = 51200};
constexpr cluster pool{.node = {.gpu = {.memory = 80 * GiB,
                                        .memory_bandwidth = 2039 * GB / second,
                                        .peak = {.bf16 = 312 * TFLOP / second}},
                                .gpus = 8,
                                .scale_up = {3 * us, 230 * GB / second},
                                .fabric = {14 * us, 23.5 * GB / second}},
                       .nodes = 128};
constexpr recipe how{.global_batch_size = 1536, .sequence_length = 2048};
static_assert(!detail::better_repair(repair{}, repair{}), "an order, for std::sort");
static_assert(detail::smaller_divisor(1, 1) == 0 && detail::smaller_divisor(0, 1) == 0);
static_assert(detail::smaller_divisor(4, 1) == 2 && detail::smaller_divisor(4, 2) == 1 &&
              detail::smaller_divisor(4, 3) == 0);
static_assert(detail::smaller_divisor(7, 1) == 1 && detail::smaller_divisor(7, 2) == 0);

TEST_CASE("a job too large by its micro-batch is mended by one change", "[plan][repair]") {
  const parallelism cut{.data = 16, .tensor = 8, .pipeline = 8, .micro_batch_size = 4};
  REQUIRE_FALSE(evaluate(gpt3, pool, how, cut).fits());
  const repairs found = repairs_of(gpt3, pool, how, cut);
  REQUIRE(found.any_fits());
  for (const repair& one : found) {
    CHECK(one.count == 1);
    const estimate again = evaluate(gpt3, pool, one.recipe, one.parallelism);
    CHECK(again.fits() == one.fits);
    CHECK(again.memory.worst_stage().total() == one.needed);
    CHECK(again.time.total() == one.step);
    CHECK(one.parallelism.gpus() == cut.gpus());
  }
}

TEST_CASE("repairs are ranked: those that fit first, then by time", "[plan][repair]") {
  const parallelism cut{.data = 16, .tensor = 8, .pipeline = 8, .micro_batch_size = 4};
  const repairs found = repairs_of(gpt3, pool, how, cut);
  for (std::size_t i = 1; i < found.size; ++i) {
    const repair& a = found.list[i - 1];
    const repair& b = found.list[i];
    CHECK((a.fits || !b.fits));
    if (a.fits && b.fits && a.count == b.count) CHECK(a.step <= b.step);
  }
}

TEST_CASE("where one change is not enough, two are tried", "[plan][repair]") {
  const parallelism cut{.data = 128, .tensor = 8, .micro_batch_size = 4};
  const repairs found = repairs_of(gpt3, pool, how, cut);
  REQUIRE(found.any_fits());
  CHECK(found.list[0].count == 2);
  CHECK(found.size <= repairs::capacity);
  for (const repair& one : found) {
    if (one.count == 1) continue;
    CHECK(one.changes[0] < one.changes[1]);
    CHECK_FALSE((one.changes[0] == repair_kind::selective_recompute &&
                 one.changes[1] == repair_kind::full_recompute));
  }
}

TEST_CASE("the mildest strength is taken: a micro-batch no smaller than it must be",
          "[plan][repair]") {
  const parallelism cut{.data = 16, .tensor = 8, .pipeline = 8, .micro_batch_size = 24};
  const repairs found = repairs_of(gpt3, pool, how, cut);
  for (const repair& one : found) {
    if (one.count != 1 || one.changes[0] != repair_kind::micro_batch || !one.fits) continue;
    for (int size = one.parallelism.micro_batch_size + 1; size < 24; ++size) {
      if (24 % size != 0) continue;
      parallelism larger = one.parallelism;
      larger.micro_batch_size = size;
      CHECK_FALSE(evaluate(gpt3, pool, how, larger).fits());
    }
  }
}

TEST_CASE("smaller divisors come in order, each once", "[plan][facts]") {
  for (int size = 1; size <= 400; ++size) {
    int level = 0;
    for (int divisor = size - 1; divisor >= 1; --divisor)
      if (size % divisor == 0) CHECK(detail::smaller_divisor(size, ++level) == divisor);
    CHECK(detail::smaller_divisor(size, level + 1) == 0);
  }
}

TEST_CASE("the largest micro-batch is mended as fast as a small one", "[plan][limits]") {
  // Within seconds: numbers are tried up to the square root, not down from the size.
  const parallelism cut{.data = 16, .tensor = 8, .pipeline = 8, .micro_batch_size = 1'000'000'000};
  const repairs found = repairs_of(gpt3, pool, {.global_batch_size = 2'000'000'000}, cut);
  for (const repair& one : found) CHECK(one.parallelism.micro_batch_size >= 1);
  for (int level = 1; level < 100; ++level)
    CHECK(1'000'000'000 % detail::smaller_divisor(1'000'000'000, level) == 0);
  CHECK(detail::smaller_divisor(1'000'000'000, 99) == 1);
  CHECK(detail::smaller_divisor(2'147'483'647, 1) == 1);
}

TEST_CASE("what no change mends is said by the memory it would need", "[plan][limits]") {
  cluster one = cluster_of(pool.node, 1);
  const repairs found = repairs_of(gpt3, one, how, {});
  CHECK(found.size > 0);
  CHECK_FALSE(found.any_fits());
}

TEST_CASE("idle GPUs are taken", "[plan][repair]") {
  constexpr transformer llama{.layers = 32,
                              .hidden_size = 4096,
                              .attention_heads = 32,
                              .kv_heads = 8,
                              .ffn_size = 14336,
                              .vocabulary_size = 128256,
                              .gated_ffn = true,
                              .tied_embeddings = false};
  constexpr recipe eight{.global_batch_size = 8};
  const cluster one_node = cluster_of(pool.node, 8);
  const repairs found = repairs_of(llama, one_node, eight, {});
  REQUIRE(found.any_fits());
  const bytes now = evaluate(llama, one_node, eight, {}).memory.worst_stage().total();
  for (const repair& one : found) {
    CHECK(one.parallelism.gpus() <= 8);
    CHECK((one.fits || one.needed < now));
  }
}

TEST_CASE("the host takes what a GPU has no room for, if there is a link to it", "[plan][facts]") {
  // One GPU of 80 GB and 7e9 parameters: 18 B each are too much, 6 B fit.
  const recipe alone{.global_batch_size = 1, .sequence_length = 2048};
  cluster one =
      cluster_of(node_of(catalog::a100_sxm4_80gb, 1, interconnect{5 * us, GB / second}), 1);
  const auto offered = [&](repair_kind kind) {
    for (const repair& found : repairs_of(*catalog::find_model("llama-2-7b"), one, alone, {}))
      if (found.count == 1 && found.changes[0] == kind) return found.fits;
    return false;
  };
  CHECK(offered(repair_kind::offload_optimizer));
  CHECK_FALSE(offered(repair_kind::offload_activations));
  one.node.gpu.host = {};
  CHECK_FALSE(offered(repair_kind::offload_optimizer));
}

TEST_CASE("what leaves a host as full that is too small is no change", "[plan][limits]") {
  recipe offloaded{.global_batch_size = 8, .sequence_length = 2048};
  offloaded.offload = offloaded_states::optimizer;
  cluster one =
      cluster_of(node_of(catalog::a100_sxm4_80gb, 8, interconnect{5 * us, GB / second}), 8);
  one.node.host_memory = 40 * GB;
  const parallelism cut{.data = 8};
  const auto& llama = *catalog::find_model("llama-2-7b");
  REQUIRE(evaluate(llama, one, offloaded, cut).refusal.reason == reject_reason::host_memory);
  const repairs found = repairs_of(llama, one, offloaded, cut);
  CHECK(found.size > 0);  // its optimizer's states may be divided, or be of 8 bits
  for (const repair& mended : found) {
    CHECK(mended.fits == (mended.fullness <= 1));
    CHECK(mended.changes[0] != repair_kind::full_recompute);
  }
}

TEST_CASE("each strength of a change changes its field alone", "[plan][facts]") {
  struct job {
    recipe how{.zero = zero_stage::none, .recompute = recompute::none};
    parallelism cut{.data = 6, .tensor = 2, .micro_batch_size = 12};
  };
  const auto changed = [](repair_kind kind, int level, job from, std::int64_t gpus = 12) {
    REQUIRE(detail::change(kind, level, from.how, from.cut, gpus));
    return from;
  };
  const auto past = [](repair_kind kind, int level, job from, std::int64_t gpus = 12) {
    return !detail::change(kind, level, from.how, from.cut, gpus);
  };
  const job plain;

  CHECK(changed(repair_kind::micro_batch, 1, plain).cut.micro_batch_size == 6);
  CHECK(changed(repair_kind::micro_batch, 2, plain).cut.micro_batch_size == 4);
  CHECK(changed(repair_kind::micro_batch, 5, plain).cut.micro_batch_size == 1);
  CHECK(past(repair_kind::micro_batch, 6, plain));

  // Ranks of the replicas where they can be divided, else of idle GPUs.
  CHECK(changed(repair_kind::tensor, 1, plain).cut.tensor == 4);
  CHECK(changed(repair_kind::pipeline, 1, plain).cut.pipeline == 2);
  CHECK(changed(repair_kind::context, 1, plain).cut.context == 2);
  for (const repair_kind kind :
       {repair_kind::tensor, repair_kind::pipeline, repair_kind::context}) {
    CHECK(changed(kind, 1, plain).cut.data == 3);
    CHECK(past(kind, 2, plain, 47));
    CHECK(changed(kind, 2, plain, 48).cut.data == 6);
    CHECK(changed(kind, 2, plain, 48).cut.gpus() == 48);
    CHECK(past(kind, 8, plain, 1 << 20));
  }
  CHECK(changed(repair_kind::expert, 3, plain).cut.expert == 8);
  CHECK(past(repair_kind::expert, 8, plain));
  CHECK(changed(repair_kind::data, 2, plain, 48).cut.data == 24);
  CHECK(past(repair_kind::data, 2, plain, 47));

  CHECK(changed(repair_kind::zero, 1, plain).how.zero == zero_stage::optimizer);
  CHECK(changed(repair_kind::zero, 3, plain).how.zero == zero_stage::parameters);
  CHECK(past(repair_kind::zero, 4, plain));
  CHECK(past(repair_kind::zero, 1, {.cut = {.tensor = 2}}));

  CHECK(changed(repair_kind::sequence_parallel, 1, plain).how.sequence_parallel);
  CHECK(past(repair_kind::sequence_parallel, 1, {.cut = {.data = 2}}));
  CHECK(changed(repair_kind::full_recompute, 1, plain).how.recompute == recompute::full);
  CHECK(changed(repair_kind::selective_recompute, 1, plain).how.recompute == recompute::selective);
  CHECK(past(repair_kind::selective_recompute, 1, {.how = {.recompute = recompute::full}}));
  CHECK(changed(repair_kind::adam_8bit, 1, plain).how.optimizer == optimizer::adam_8bit);
  CHECK(past(repair_kind::adam_8bit, 1, {.how = {.optimizer = optimizer::sgd}}));
  CHECK(changed(repair_kind::gradient_16_bit, 1, plain).how.gradient == gradient_format::bf16);
  for (const repair_kind kind :
       {repair_kind::sequence_parallel, repair_kind::full_recompute, repair_kind::adam_8bit,
        repair_kind::gradient_16_bit, repair_kind::offload_optimizer})
    CHECK(past(kind, 2, plain));
  CHECK(changed(repair_kind::offload_optimizer, 1, plain).how.offload ==
        offloaded_states::optimizer);
  CHECK(changed(repair_kind::offload_activations, 1, plain).how.offloaded_activations == 0.25);
  CHECK(changed(repair_kind::offload_activations, 4, plain).how.offloaded_activations == 1);
  CHECK(past(repair_kind::offload_activations, 5, plain));
}

TEST_CASE("every kind of change has a name of its own", "[plan][facts]") {
  std::set<std::string_view> names;
  for (const repair_kind kind : repair_kinds) names.insert(name_of(kind));
  CHECK(names.size() == repair_kinds.size());
  CHECK(name_of(repair_kind::expert) == "expert");
}

}  // namespace
}  // namespace gpuplan
