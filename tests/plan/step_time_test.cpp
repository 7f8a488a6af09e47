#include <gpuplan/plan/step_time.hpp>

#include <set>

#include <gpuplan/compute/training_flop.hpp>
#include <gpuplan/hardware/catalog.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/random_job.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr transformer model{.layers = 32,
                            .hidden_size = 4096,
                            .attention_heads = 32,
                            .ffn_size = 16384,
                            .vocabulary_size = 50304};
constexpr cluster pool =
    cluster_of(node_of(catalog::a100_sxm4_80gb, 8, interconnect{14 * us, 23.5 * GB / second}), 128);
constexpr recipe how{.global_batch_size = 64, .sequence_length = 2048};
constexpr framework_profile software = profile_of(framework::transformer_engine);

constexpr step_time step_of(const recipe& with, const parallelism& cut,
                            const framework_profile& by = software) {
  return step_time_of(model, pool, with, cut, by);
}

static_assert(step_time{.busy = {.products = 1 * second},
                        .pipeline = 2 * second,
                        .bubble = 4 * second,
                        .stragglers = 8 * second,
                        .data = 16 * second,
                        .optimizer = 32 * second,
                        .offload = 64 * second}
                      .total() == 127 * second,
              "each part once");

TEST_CASE("one GPU computes and updates, and does nothing else", "[plan][limits]") {
  const step_time alone = step_of(how, {});
  const auto& busy = alone.busy;
  CHECK(alone.total() == busy.total() + alone.optimizer);
  CHECK(busy.tensor + busy.context + busy.expert + busy.gather == seconds{0});
  CHECK(alone.binding() == step_term::products);
  const seconds at_peak = training_step_flop(model, how) / (312 * TFLOP / second);
  CHECK(alone.total() > at_peak);
}

TEST_CASE("the bubble of equal stages is (p - 1)/(v m) of the rest", "[plan][cross-check]") {
  transformer headless = model;
  headless.vocabulary_size = 1;
  recipe launched = how;  // so that the host's work for both ends is none, too
  launched.cuda_graphs = cuda_graphs::iteration;
  const int chunks = GENERATE(1, 2);
  const parallelism cut{.data = 4, .pipeline = 4, .interleave = chunks};
  const step_time step = step_time_of(headless, pool, launched, cut, software);
  CHECK_THAT(step.bubble / step.busy.total(), WithinRel(pipeline_bubble(4, 16, chunks), 1e-3));
}

TEST_CASE("stages in one node talk faster, and their replicas slower", "[plan][facts]") {
  parallelism cut{.data = 16, .tensor = 2, .pipeline = 4};
  const step_time usual = step_of(how, cut);
  cut.order = group_order::pipeline_then_data;
  const step_time turned = step_of(how, cut);
  CHECK(turned.pipeline < usual.pipeline);
  CHECK(turned.data > usual.data);
  CHECK(turned.busy.total() == usual.busy.total());
  CHECK(turned.bubble == usual.bubble);
}

TEST_CASE("a zero-bubble schedule leaves less of it", "[plan][facts]") {
  recipe zero = how;
  zero.schedule = pipeline_schedule::zero_bubble_h1;
  const parallelism cut{.data = 4, .pipeline = 4};
  CHECK_THAT((3 * step_of(zero, cut).bubble).in(second),
             WithinRel(step_of(how, cut).bubble.in(second), 1e-12));
  zero.schedule = pipeline_schedule::zero_bubble_h2;
  CHECK(step_of(zero, cut).bubble == seconds{0});
}

TEST_CASE("full recomputation costs about a third of forward and backward", "[plan][reference]") {
  recipe full = how;
  full.recompute = recompute::full;
  const double ratio = step_of(full, {}).busy.total() / step_of(how, {}).busy.total();
  CHECK(ratio > 1.28);
  CHECK(ratio < 4.0 / 3);
}

TEST_CASE("software that hides data traffic shows less of it", "[plan][facts]") {
  const parallelism cut{.data = 16, .tensor = 8};
  framework_profile blocking = software;
  blocking.overlaps_data = false;
  CHECK(step_of(how, cut).data < step_of(how, cut, blocking).data);
  CHECK(step_of(how, {.tensor = 8}).data == seconds{0});
}

TEST_CASE("weights gathered tensor by tensor go over one port, or over the node's links",
          "[plan][facts]") {
  static_assert(rank_links_of(pool.node, {.data = 8}).data_in_turn.bandwidth ==
                pool.node.scale_up.bandwidth);
  static_assert(rank_links_of(pool.node, {.data = 16}).data_in_turn.bandwidth ==
                pool.node.fabric.bandwidth);
  recipe sharded = how;
  sharded.zero = zero_stage::parameters;
  const framework_profile in_turn = profile_of(framework::megatron_2021);
  const auto a_byte = [&](int ranks) {  // seconds for each byte that a rank sends
    const step_time step = step_of(sharded, {.data = ranks}, in_turn);
    return step.busy.gather / (ranks - 1.0) * ranks * (ranks / 8.0);
  };
  CHECK(a_byte(16) > 5 * a_byte(8));
}

TEST_CASE("software that prefetches and is told to wait gathers over the same links",
          "[plan][facts]") {
  recipe sharded = how;
  sharded.zero = zero_stage::parameters;
  recipe told = sharded;
  told.overlap.data = software_choice::off;
  for (const framework by : {framework::transformer_engine, framework::fsdp, framework::fsdp2})
    for (const int ranks : {8, 16, 64}) {
      CAPTURE(ranks);
      const parallelism cut{.data = ranks};
      const step_time hidden = step_of(sharded, cut, profile_of(by));
      const step_time shown = step_of(told, cut, profile_of(by));
      CHECK(shown.busy.gather >= hidden.busy.gather);
      // Three passes over the weights of all layers by all ports of a node, not by one of eight.
      const auto links = rank_links_of(pool.node, cut);
      const double moved = 3 * 2.0 * 32 * 12 * 4096.0 * 4096 * (ranks - 1) / ranks;
      const double micro_batches = 64.0 / ranks;
      CHECK(shown.busy.gather / seconds{1} ==
            Approx(micro_batches * moved / (links.data.bandwidth / (byte / second))).epsilon(0.4));
    }
}

TEST_CASE("divided gradients are reduced after every micro-batch", "[plan][facts]") {
  framework_profile blocking = software;
  blocking.overlaps_data = false;
  const auto data = [&](zero_stage stage, int micro_batch) {
    recipe with = how;
    with.zero = stage;
    return step_of(with, {.data = 8, .micro_batch_size = micro_batch}, blocking).data;
  };
  // 64 sequences on 8 replicas: 8 micro-batches of one, or one of 8.
  CHECK(data(zero_stage::optimizer, 1) == data(zero_stage::optimizer, 8));
  CHECK(data(zero_stage::gradients, 8) == data(zero_stage::optimizer, 8));
  CHECK(data(zero_stage::gradients, 1) > 4 * data(zero_stage::gradients, 8));
}

TEST_CASE("a smaller last node slows the ring through it", "[plan][facts]") {
  const auto box = pool.node;
  CHECK(ring_link(box, 1, 16).bandwidth > ring_link(box, 1, 9, 1).bandwidth);
  CHECK(ring_link(box, 1, 9, 1).bandwidth == box.fabric.bandwidth);
  CHECK(ring_link(box, 1, 11, 3).bandwidth == 3.0 * box.fabric.bandwidth);
  CHECK(rank_links_of(box, {.data = 9}).data.bandwidth == box.fabric.bandwidth);
  CHECK_THROWS_AS(ring_link(box, 1, 9, -1), invalid_input);
}

TEST_CASE("all wait for the slowest GPU's kernels, and for nothing else of it", "[plan][facts]") {
  const parallelism cut{.data = 4, .tensor = 2, .pipeline = 4};
  const step_time even = step_of(how, cut);
  cluster uneven = pool;
  uneven.slowest = 1.1;
  const step_time slow = step_time_of(model, uneven, how, cut, software);
  CHECK_THAT((slow.total() - even.total()).in(second),
             WithinRel((0.1 * even.busy.kernels()).in(second), 1e-9));
  CHECK(slow.busy.total() == even.busy.total());
  CHECK(slow.total() < 1.1 * even.total());
}

TEST_CASE("terms are named, and the largest binds", "[plan][facts]") {
  static_assert(step_terms.size() == static_cast<std::size_t>(step_term::input) + 1,
                "every term has a row of the table");
  std::set<std::string_view> names;
  for (const step_term term : step_terms) names.insert(name_of(term));
  CHECK(names.size() == step_terms.size());
  std::set<std::string_view> titles;
  for (const step_term term : step_terms) {
    titles.insert(title_of(term));
    CHECK(title_of_step_term(name_of(term)) == title_of(term));
  }
  CHECK(titles.size() == step_terms.size());
  CHECK(title_of(step_term::products) == "GEMM");
  CHECK(title_of_step_term("idle") == "idle");
  constexpr step_time mostly_data{.busy = {.products = 1 * second}, .data = 2 * second};
  static_assert(mostly_data.binding() == step_term::data);
  static_assert(mostly_data[step_term::data] == 2 * second);
  static_assert(mostly_data.total() == 3 * second);
  CHECK_THROWS_AS(mostly_data[step_term{99}], invalid_input);
}

TEST_CASE("a step takes as long from a description as from its memory", "[plan][property]") {
  testing::check_property("both forms of step_time_of", [] {
    const testing::random_job job = testing::random_job_any();
    const framework_profile kind = profile_of(job.recipe.framework);
    const step_time one = step_time_of(job.model, job.pool, job.recipe, job.parallelism, kind);
    const footprint memory =
        memory_footprint(job.model, job.recipe, job.parallelism, {.cublas = 1 * GiB});
    const step_time other = step_time_of(job.pool, kind, memory);
    for (const step_term term : step_terms) RC_ASSERT(one[term] == other[term]);
  });
}

TEST_CASE("the terms of a step add up to it", "[plan][property]") {
  const step_time step = step_of(how, {.data = 4, .tensor = 2, .pipeline = 4});
  seconds sum;
  for (const step_term term : step_terms) sum += step[term];
  CHECK_THAT(sum.in(second), WithinRel(step.total().in(second), 1e-14));
}

}  // namespace
}  // namespace gpuplan
