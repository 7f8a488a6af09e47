#include <gpuplan/plan/stage_time.hpp>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr node box = node_of(catalog::a100_sxm4_80gb, 8, interconnect{14 * us, 23.5 * GB / second});
constexpr framework_profile software = profile_of(framework::transformer_engine);
constexpr recipe how{.global_batch_size = 64, .sequence_length = 4096};

constexpr auto mixtral(const parallelism& cut) {
  return busy_time_of_layer(catalog::mixtral_8x7b_v0_1, layer_kind::moe, how, cut,
                            {.sequence_length = how.sequence_length},
                            kernel_rates_of(box.gpu, how, software), software,
                            rank_links_of(box, cut));
}

TEST_CASE("a stage is its layers and its ends", "[plan][facts]") {
  const parallelism cut{.tensor = 2, .pipeline = 2};
  const transformer& m = catalog::mixtral_8x7b_v0_1;
  const auto clock = stage_clock_of(m, how, cut, kernel_rates_of(box.gpu, how, software), software,
                                    rank_links_of(box, cut));
  const seconds first = clock.of({.moe = 16, .has_embedding = true}).total();
  const seconds last = clock.of({.moe = 16, .has_head = true}).total();
  CHECK_THAT((first - clock.embedding - clock.end_launch).in(second),
             WithinRel((16 * mixtral(cut).total()).in(second), 1e-12));
  CHECK_THAT((last - clock.head - clock.end_launch).in(second),
             WithinRel((16 * mixtral(cut).total()).in(second), 1e-12));
  CHECK(clock.head > clock.embedding);
}

TEST_CASE("the host launches both ends of each micro-batch", "[plan][facts]") {
  const transformer& m = catalog::llama_3_8b;
  const auto clock = [&](cuda_graphs graphs, int further = 0) {
    recipe with = how;
    with.cuda_graphs = graphs;
    transformer predicts = m;
    predicts.multi_token_prediction_layers = further;
    return stage_clock_of(predicts, with, {}, kernel_rates_of(box.gpu, with, software), software,
                          rank_links_of(box, {}));
  };
  const auto launched = clock(cuda_graphs::none);
  const stage_layers both{.has_embedding = true, .has_head = true};
  // Both ends together are as many launches as a dense layer.
  CHECK_THAT(launched.of(both).launch.in(second), WithinRel(software.dense_host.in(second), 1e-12));
  CHECK(launched.of({.has_head = true}).launch == launched.end_launch);
  CHECK(launched.of({.dense = 1}).launch < launched.of(both).launch);
  CHECK_THAT(basic_stage_totals<double>(m, launched).of(both).in(second),
             WithinRel(launched.of(both).total().in(second), 1e-12));
  // A reference model has ends of its own, for a forward pass.
  recipe preferences = how;
  preferences.reference = reference_model::frozen;
  CHECK_THAT(detail::host_of_end(preferences, software).in(second),
             WithinRel((1 + forward_kernels) * launched.end_launch.in(second), 1e-12));
  // A further prediction has a head of its own.
  CHECK_THAT(clock(cuda_graphs::none, 1).prediction.launch.in(second),
             WithinRel((launched.dense.launch + launched.end_launch).in(second), 1e-12));
  // Graphs of layers let the host be at the ends before the device is.
  CHECK(clock(cuda_graphs::fixed_shapes).end_launch == seconds{0});
  CHECK(clock(cuda_graphs::iteration).of(both).launch == seconds{0});
}

TEST_CASE("an encoder of one token is no encoder of as many as the sequence has", "[plan][facts]") {
  transformer m = catalog::llama_3_8b;
  m.encoder_layers = m.layers;
  const auto stage = [&](int encoder_length) {
    recipe with = how;
    with.encoder_sequence_length = encoder_length;
    const parallelism cut{};
    const auto clock = stage_clock_of(m, with, cut, kernel_rates_of(box.gpu, with, software),
                                      software, rank_links_of(box, cut));
    return clock.of({.dense = 4}).total() + clock.encoder.total();
  };
  CHECK(stage(0) == stage(how.sequence_length));
  CHECK(stage(1) < 0.9 * stage(2048));
}

TEST_CASE("what joins state and embedding is computed again with its layer", "[plan][facts]") {
  transformer m = catalog::llama_3_8b;
  m.multi_token_prediction_layers = 1;
  const auto again = [&](recompute what) {
    recipe with = how;
    with.recompute = what;
    return stage_clock_of(m, with, {}, kernel_rates_of(box.gpu, with, software), software,
                          rank_links_of(box, {}));
  };
  const auto joined = [](const auto& clock) {
    return clock.prediction.products - clock.dense.products;
  };
  // A third of the three passes; half of the forward passes under the policy of every second.
  const auto full = again(recompute::full);
  CHECK_THAT((full.prediction.recompute - full.dense.recompute).in(second),
             WithinRel(joined(full).in(second) / 3, 0.05));
  const auto second_ones = again(recompute::alternate_products);
  CHECK_THAT((second_ones.prediction.recompute - second_ones.dense.recompute).in(second),
             WithinRel(joined(second_ones).in(second) / 6, 0.05));
  const auto core = again(recompute::selective);
  CHECK(core.prediction.recompute == core.dense.recompute);
}

}  // namespace
}  // namespace gpuplan
