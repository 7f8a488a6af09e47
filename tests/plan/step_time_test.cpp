#include <gpuplan/plan/step_time.hpp>

#include <set>

#include <gpuplan/compute/training_flop.hpp>
#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/plan/largest_draw.hpp>

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

TEST_CASE("ranks of DualPipe hold two stages, of which a micro-batch passes one",
          "[plan][reference]") {
  // Over two ranks each holds the whole model, and every second micro-batch passes a half of it.
  recipe both = how;
  both.schedule = pipeline_schedule::dualpipe;
  const step_time whole = step_of(how, {});
  const step_time halves = step_of(both, {.pipeline = 2});
  CHECK_THAT(halves.busy.total() / whole.busy.total(), WithinRel(0.5, 1e-12));
  // Untied, the two directions have an embedding and a head each, as the whole model has.
  transformer untied = model;
  untied.tied_embeddings = false;
  const auto updated = [&](const transformer& m, const recipe& with, const parallelism& cut) {
    return step_time_of(m, pool, with, cut, software).optimizer;
  };
  CHECK(updated(untied, both, {.pipeline = 2}) == updated(untied, how, {}));
  CHECK(updated(model, both, {.pipeline = 2}) == updated(untied, how, {}));
  CHECK(halves.data > step_of(how, {.pipeline = 2}).data);
}

TEST_CASE("a rank of a V-shaped schedule has both ends of the model, or none", "[plan][reference]") {
  recipe turned = how;
  turned.schedule = pipeline_schedule::zero_bubble_v;
  const step_time whole = step_of(how, {});
  const step_time folded = step_of(turned, {.pipeline = 2});
  CHECK_THAT(folded.busy.products / whole.busy.products, WithinRel(0.5, 1e-12));
  CHECK_THAT(folded.busy.ends / whole.busy.ends, WithinRel(1, 1e-12));
  CHECK(step_of(how, {.pipeline = 2}).busy.ends < folded.busy.ends);
  // Each micro-batch crosses between ranks there and back, a tenth of which shows beside the other.
  turned.overlap.pipeline = software_choice::off;
  const seconds shown = step_of(turned, {.pipeline = 2}).pipeline;
  const seconds once = step_of(how, {.pipeline = 2}).pipeline;
  CHECK_THAT(shown / once, WithinRel((2.0 * 64 + 1) / (64 + 1), 1e-12));
  CHECK_THAT(folded.pipeline / once, WithinRel((0.2 * 64 + 1) / (64 + 1), 1e-12));
}

TEST_CASE("a rank passes over the gradients that it keeps", "[plan][reference]") {
  // Of ZeRO 1 it keeps all, of ZeRO 2 an eighth: four passes of 4 B each less, over 7/8 of them.
  recipe divided = how;
  divided.zero = zero_stage::optimizer;
  const parallelism cut{.data = 8};
  const seconds all = step_of(divided, cut).optimizer;
  divided.zero = zero_stage::gradients;
  const seconds share = step_of(divided, cut).optimizer;
  const double parameters = memory_footprint(model, how, {}).stage(0).states.gradients / (4 * byte);
  const auto rate = kernel_rates_of(pool.gpu(), model, how, software).memory;
  const double counted = parameters - model.hidden_size;  // a step leaves the final norm out
  CHECK_THAT((all - share) / (7.0 / 8 * counted * 16 * byte / rate), WithinRel(1, 1e-8));
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
      // Two passes over the weights of all layers and one over their gradients, in FP32, by all ports
      // of a node, not by one of eight.
      const auto links = rank_links_of(pool.node, cut);
      const double moved = (2 * 2.0 + 4) * 32 * 12 * 4096.0 * 4096 * (ranks - 1) / ranks;
      const double micro_batches = 64.0 / ranks;
      CHECK(shown.busy.gather / seconds{1} ==
            Approx(micro_batches * moved / (links.data.bandwidth / (byte / second))).epsilon(0.4));
    }
}

/// Of a recipe whose transfers all show.
constexpr recipe shown_recipe(zero_stage zero) {
  recipe shown = how;
  shown.zero = zero;
  shown.overlap.data = software_choice::off;
  return shown;
}

TEST_CASE("sharded experts are gathered over the ranks that share them", "[plan][reference]") {
  transformer experts = model;
  experts.moe = {.experts = 8, .experts_per_token = 2, .ffn_size = 16384};
  const recipe shown = shown_recipe(zero_stage::parameters);
  const auto gathered = [&](const parallelism& cut) {
    return step_time_of(experts, pool, shown, cut, software).busy.gather;
  };
  // Of eight ranks each has its own expert: what is gathered is attention and router alone.
  const parallelism own{.data = 8, .expert = 8};
  const double dense = 4.0 * 4096 * 4096 + 4096 * 8;
  const auto links = rank_links_of(pool.node, own);
  const double moved =
      (2 * 2.0 + 4) * 32 * dense * 7 / 8 / (links.data.bandwidth / (byte / second));
  CHECK(gathered(own) / seconds{1} == Approx(8 * moved).epsilon(0.1));
  // Whole experts on each rank are gathered as all is, and are not reduced a second time.
  CHECK(gathered({.data = 8}) > 10 * gathered(own));
  const step_time whole = step_time_of(experts, pool, shown, {.data = 8}, software);
  CHECK(whole.data < 0.1 * whole.busy.gather);
}

TEST_CASE("gradients are scattered in the format in which ranks reduce them", "[plan][facts]") {
  recipe shown = shown_recipe(zero_stage::parameters);
  const auto gathered = [&](reduction_format format) {
    shown.reduction = format;
    return step_of(shown, {.data = 16}).busy.gather;
  };
  CHECK_THAT(gathered(reduction_format::fp32) / gathered(reduction_format::bf16),
             WithinRel(8.0 / 6, 0.01));
}

TEST_CASE("quantised weights are gathered as they are kept", "[plan][facts]") {
  recipe shown = shown_recipe(zero_stage::parameters);
  shown.adapters = {.rank = 8};
  const auto gathered = [&](base_weights base) {
    shown.adapters.base = base;
    return step_of(shown, {.data = 8}).busy.gather;
  };
  CHECK_THAT(gathered(base_weights::int8) / gathered(base_weights::by_precision),
             WithinRel(0.5, 0.03));
}

TEST_CASE("layers that predict further tokens are reduced and updated", "[plan][facts]") {
  transformer further = model;
  further.multi_token_prediction_layers = 4;
  const recipe shown = shown_recipe(zero_stage::none);
  const step_time usual = step_of(shown, {.data = 8});
  const step_time more = step_time_of(further, pool, shown, {.data = 8}, software);
  // Four layers beside 32, each with a map of state and embedding, 2 h h beside 12 h h.
  const double part = 4 * 14 / (32 * 12 + 50304.0 / 4096);
  CHECK_THAT(more.data / usual.data, WithinRel(1 + part, 0.01));
  CHECK(more.optimizer > usual.optimizer);

  transformer encoders = model;
  encoders.encoder_layers = 32;
  CHECK(step_time_of(encoders, pool, shown, {.data = 8}, software).data > 1.8 * usual.data);
}

TEST_CASE("tables trained beside adapters are reduced, updated and multiplied", "[plan][facts]") {
  transformer apart = model;
  apart.tied_embeddings = false;
  recipe adapted = shown_recipe(zero_stage::none);
  adapted.adapters = {.rank = 8};
  const auto step = [&] { return step_time_of(apart, pool, adapted, {.data = 8}, software); };
  const step_time frozen = step();
  const flop fewer = training_step_flop(apart, adapted);
  adapted.adapters.trained_tables.bits = static_cast<int>(trained_table::head);
  const step_time trained = step();
  CHECK(trained.data > 10 * frozen.data);
  CHECK(trained.optimizer > frozen.optimizer);
  CHECK(trained.busy.ends > frozen.busy.ends);
  CHECK_THAT(
      (training_step_flop(apart, adapted) - fewer) / (64 * 2048 * 2.0 * 4096 * 50304 * flop{1}),
      WithinRel(1, 1e-12));
}

TEST_CASE("states on the host leave the device's passes over gradients", "[plan][facts]") {
  recipe offloaded = how;
  offloaded.zero = zero_stage::optimizer;
  offloaded.adapters = {.rank = 8};
  const seconds on_device = step_of(offloaded, {.data = 8}).optimizer;
  offloaded.offload = offloaded_states::optimizer;
  const seconds on_host = step_of(offloaded, {.data = 8}).optimizer;
  CHECK(on_host >= software.step_host);
  CHECK(on_device >= software.step_host);
}

TEST_CASE("the host updates the experts that memory says a rank keeps", "[plan][facts]") {
  transformer experts = model;
  experts.moe = {.experts = 8, .experts_per_token = 2, .ffn_size = 16384};
  recipe offloaded = shown_recipe(zero_stage::optimizer);
  offloaded.offload = offloaded_states::optimizer;
  const auto update = [&](int group) {
    return step_time_of(experts, pool, offloaded, {.data = 64, .expert = 8, .shard_group = group},
                        software)
        .optimizer;
  };
  // Among eight ranks no two share an expert, so that each keeps all states of its own.
  CHECK(update(8) > 4 * update(0));
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

TEST_CASE("a replica waits for the slowest draw of all that it does in passes", "[plan][facts]") {
  const step_time step = step_of(how, {.data = 4, .tensor = 2, .pipeline = 4});
  REQUIRE(step.pipeline > seconds{0});
  const seconds passes = step.busy.total() + step.bubble + step.pipeline;
  CHECK_THAT(step.stragglers.in(second),
             WithinRel((software.jitter * largest_draw(4) * passes).in(second), 1e-9));
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
