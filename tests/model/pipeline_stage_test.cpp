#include <gpuplan/model/pipeline_stage.hpp>

#include <algorithm>
#include <array>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

constexpr transformer dense(int layers) {
  return {.layers = layers,
          .hidden_size = 64,
          .attention_heads = 1,
          .ffn_size = 256,
          .vocabulary_size = 100};
}
constexpr transformer deepseek_like = [] {
  transformer m = dense(61);
  m.moe = {.experts = 256,
           .experts_per_token = 8,
           .ffn_size = 32,
           .first_dense_layers = 3,
           .dense_layers = 3};
  return m;
}();

static_assert(layers_of_stage(dense(32), {}, {.pipeline = 4}, 2).total() == 8);
static_assert(layers_of_stage(dense(126), {}, {.pipeline = 16}, 0).total() == 7,
              "embedding and head count as a layer each: 7, 8, ..., 8, 7");
static_assert(layers_of_stage(dense(126), {}, {.pipeline = 16}, 1).total() == 8);
static_assert(layers_of_stage(dense(126), {}, {.pipeline = 16}, 14).total() == 8);
static_assert(layers_of_stage(dense(126), {}, {.pipeline = 16}, 15).total() == 7);
static_assert(layers_of_stage(dense(127), {}, {.pipeline = 16}, 0).total() == 8,
              "nothing divides: the first stages hold one more");
static_assert(layers_of_stage(dense(127), {}, {.pipeline = 16}, 15).total() == 7);
static_assert(layers_of_chunk(dense(126), {}, {.pipeline = 16, .interleave = 8}, 0, 0).total() == 0,
              "128 pieces: the first is the embedding, the last the head");
static_assert(layers_of_chunk(dense(126), {}, {.pipeline = 16, .interleave = 8}, 1, 0).total() ==
              1);
static_assert(layers_of_chunk(dense(126), {}, {.pipeline = 16, .interleave = 8}, 15, 7).total() ==
              0);
static_assert(layers_of_stage(dense(32), {}, {.pipeline = 4}, 0).has_embedding);
static_assert(!layers_of_stage(dense(32), {}, {.pipeline = 4}, 0).has_head);
static_assert(layers_of_stage(dense(32), {}, {.pipeline = 4}, 3).has_head);
static_assert(layers_of_stage(deepseek_like, {}, {.pipeline = 16}, 0).dense == 3,
              "61 layers on 16: nothing divides");
static_assert(layers_of_stage(deepseek_like, {}, {.pipeline = 16}, 0).moe == 1);
static_assert(layers_of_stage(deepseek_like, {}, {.pipeline = 16}, 15).moe == 3);

// With one further prediction the 61 layers are 64: 4 on each of 16, the prediction and the head
// beside two of them.
constexpr transformer predicting = [] {
  transformer m = deepseek_like;
  m.multi_token_prediction_layers = 1;
  return m;
}();
static_assert(layers_of_stage(predicting, {}, {.pipeline = 16}, 0).total() == 3);
static_assert(layers_of_stage(predicting, {}, {.pipeline = 16}, 1).total() == 4);
static_assert(layers_of_stage(predicting, {}, {.pipeline = 16}, 15).total() == 2);
static_assert(layers_of_chunk(predicting, {}, {.pipeline = 4, .interleave = 4}, 3, 3).total() == 2);
static_assert(layers_of_chunk(predicting, {}, {.pipeline = 32, .interleave = 2}, 31, 1).total() ==
                  0,
              "64 pieces would leave the last one a head and a prediction: two units");

static_assert(has_equal_pieces(dense(32), 4, 2));
static_assert(has_equal_pieces(dense(126), 16, 8), "with both ends a layer each");
static_assert(!has_equal_pieces(dense(127), 16, 1));

TEST_CASE("no stage has more layers than all that may be like no other", "[model][property]") {
  testing::check_property("for_each_distinct_stage", [] {
    const bool experts = *rc::gen::arbitrary<bool>();
    const transformer m = experts ? deepseek_like : dense(*rc::gen::inRange(1, 130));
    const parallelism cut{.pipeline = *rc::gen::inRange(1, m.layers + 1)};
    const recipe how;
    const pipeline_layers layers{m, how, cut};
    std::vector<int> seen;
    stage_layers most;
    layers.for_each_distinct_stage([&](int stage, const stage_layers& held) {
      RC_ASSERT(held.total() == layers_of_stage(m, how, cut, stage).total());
      seen.push_back(stage);
      if (held.dense > most.dense) most.dense = held.dense;
      if (held.moe > most.moe) most.moe = held.moe;
    });
    RC_ASSERT(seen.front() == 0 && seen.back() == cut.pipeline - 1);
    RC_ASSERT(static_cast<int>(seen.size()) ==
              (experts ? cut.pipeline : std::min(cut.pipeline, 3)));
    for (int stage = 0; stage < cut.pipeline; ++stage) {
      RC_ASSERT(layers.of_stage(stage).dense <= most.dense);
      RC_ASSERT(layers.of_stage(stage).moe <= most.moe);
    }
  });
}

TEST_CASE("a split says what each stage holds", "[model][facts]") {
  const recipe how{.split = layer_split{std::array{14, 16, 16, 14}}};
  const parallelism cut{.pipeline = 4};
  CHECK(layers_of_stage(dense(60), how, cut, 0).total() == 14);
  CHECK(layers_of_stage(dense(60), how, cut, 1).total() == 16);
  CHECK_THROWS_AS(layers_of_stage(dense(61), how, cut, 0), invalid_input);
  CHECK_THROWS_AS(layers_of_stage(dense(60), how, {.pipeline = 3}, 0), invalid_input);
  CHECK_THROWS_AS(layers_of_stage(dense(60), {}, cut, 4), invalid_input);
  CHECK_THROWS_AS(layers_of_stage(dense(60), {}, cut, -1), invalid_input);
}

constexpr transformer alternating = [] {
  transformer m = dense(8);
  m.moe = {.experts = 8, .experts_per_token = 2, .ffn_size = 64, .dense_layers = 4};
  return m;
}();
static_assert(layers_of_stage(alternating, {}, {.pipeline = 4}, 3).first_layer == 6);
static_assert(
    layers_of_chunk(alternating, {}, {.pipeline = 2, .interleave = 2}, 1, 1).first_layer == 6);

constexpr recipe of_most_stages = [] {
  std::array<int, 128> one_each{};
  one_each.fill(1);
  return recipe{.split = layer_split{one_each}};
}();
static_assert(layers_of_chunk(dense(128), of_most_stages, {.pipeline = 128}, 127, 0).total() == 1,
              "no stage is read beyond the last");

TEST_CASE("of an uneven split the first chunk of the first stage holds one layer less",
          "[model][facts]") {
  const transformer m{
      .layers = 14, .hidden_size = 64, .attention_heads = 1, .ffn_size = 64, .vocabulary_size = 64};
  const recipe how{.split = layer_split{std::array{3, 4, 4, 3}}};
  const parallelism cut{.pipeline = 4, .interleave = 2};
  const auto layers = [&](int stage, int chunk) {
    return layers_of_chunk(m, how, cut, stage, chunk).total();
  };
  CHECK(layers(0, 0) == 1);
  CHECK(layers(0, 1) == 2);
  CHECK(layers(3, 0) == 2);
  CHECK(layers(3, 1) == 1);
  CHECK(layers(1, 0) == 2);
}

TEST_CASE("a split with chunks counts the experts of each in the order of layers",
          "[model][reference]") {
  // Chunks of 2, 3, 2, 3 layers, twice: layers 0-1, 2-4, 5-6, 7-9 and 10-11, 12-14, 15-16, 17-19.
  const recipe how{.split = layer_split{std::array{4, 6, 4, 6}}};
  const parallelism cut{.pipeline = 4, .interleave = 2};
  const auto moe_layers = [&](int first_dense) {
    transformer m = dense(20);
    m.moe = {.experts = 8,
             .experts_per_token = 2,
             .ffn_size = 64,
             .first_dense_layers = first_dense,
             .dense_layers = first_dense};
    std::vector<int> moe;
    for (int chunk = 0; chunk < cut.interleave; ++chunk) {
      for (int stage = 0; stage < cut.pipeline; ++stage) {
        const stage_layers held = layers_of_chunk(m, how, cut, stage, chunk);
        CHECK(held.total() == (stage % 2 == 0 ? 2 : 3));
        moe.push_back(held.moe);
      }
    }
    for (int stage = 0; stage < cut.pipeline; ++stage) {
      const auto at = static_cast<std::size_t>(stage);
      CHECK(layers_of_stage(m, how, cut, stage).moe == moe[at] + moe[at + 4]);
    }
    return moe;
  };
  CHECK(moe_layers(3) == std::vector{0, 2, 2, 3, 2, 3, 2, 3});
  CHECK(moe_layers(11) == std::vector{0, 0, 0, 0, 1, 3, 2, 3});
  CHECK(moe_layers(17) == std::vector{0, 0, 0, 0, 0, 0, 0, 3});
}

// Eight layers there and back over four ranks: 0 and 7, 1 and 6, 2 and 5, 3 and 4.
constexpr recipe in_a_v{.schedule = pipeline_schedule::zero_bubble_v};
constexpr recipe both_ways{.schedule = pipeline_schedule::dualpipe};
static_assert(folds_model(in_a_v, {.pipeline = 2}) && !folds_model(in_a_v, {}));
static_assert(!folds_model({}, {.pipeline = 2}));
static_assert(runs_both_ways(both_ways, {.pipeline = 2}) && !runs_both_ways(both_ways, {}));
static_assert(!runs_both_ways(in_a_v, {.pipeline = 2}));
constexpr folded_layers turning = folded_layers_of(dense(8), in_a_v, {.pipeline = 4}, 3);
static_assert(turning.there.total() == 1 && turning.back.total() == 1);
static_assert(!turning.both().has_embedding && !turning.both().has_head);
constexpr folded_layers ends = folded_layers_of(dense(8), in_a_v, {.pipeline = 4}, 0);
static_assert(ends.there.has_embedding && !ends.there.has_head);
static_assert(ends.back.has_head && !ends.back.has_embedding);
// DualPipe: a stage of two layers and its mirror.
constexpr folded_layers mirrored = folded_layers_of(dense(8), both_ways, {.pipeline = 4}, 3);
static_assert(mirrored.both().total() == 4);
static_assert(mirrored.there.has_embedding && mirrored.back.has_head);

// Further predictions embed tokens: a copy where the head is, unless it is the embedding.
static_assert(copies_embedding(predicting, false, true) == !predicting.tied_embeddings);
static_assert(!copies_embedding(dense(8), false, true));
static_assert(!copies_embedding(predicting, true, true));
static_assert(!copies_embedding(predicting, false, false));

TEST_CASE("the halves of a split are layers in the order of the model", "[model][reference]") {
  // There 2, 1 layers, back 1, 1: 0-1 and 4 on the first rank, 2 and 3 on the other.
  transformer m = dense(5);
  m.moe = {.experts = 8,
           .experts_per_token = 2,
           .ffn_size = 64,
           .first_dense_layers = 1,
           .dense_layers = 1};
  recipe how = in_a_v;
  how.split = layer_split{std::array{3, 2}};
  const folded_layers first = folded_layers_of(m, how, {.pipeline = 2}, 0);
  CHECK(first.there.dense == 1);
  CHECK(first.there.moe == 1);
  CHECK(first.back.dense == 0);
  CHECK(first.back.moe == 1);
  CHECK(first.back.first_layer == 4);
  CHECK(first.both().has_embedding);
  CHECK(first.both().has_head);
  const folded_layers last = folded_layers_of(m, how, {.pipeline = 2}, 1);
  CHECK(last.there.first_layer == 2);
  CHECK(last.back.first_layer == 3);
  CHECK(last.both().total() == 2);
  CHECK_THROWS_AS(folded_layers_of(m, how, {.pipeline = 2}, 2), invalid_input);
  CHECK_THROWS_AS(folded_layers_of(m, how, {.pipeline = 3}, 0), invalid_input);
  CHECK_THROWS_AS(folded_layers_of(m, {}, {.pipeline = 2}, 0), invalid_input);
}

TEST_CASE("ranks of a folded pipeline hold every layer, in DualPipe twice", "[model][property]") {
  testing::check_property("sums over folded ranks", [] {
    transformer m = dense(*rc::gen::inRange(16, 100));
    const int first = *rc::gen::inRange(0, m.layers + 1);
    m.moe = {.experts = 8,
             .experts_per_token = 2,
             .ffn_size = 64,
             .first_dense_layers = first,
             .dense_layers = first};
    const parallelism cut{.pipeline = *rc::gen::inRange(2, 9)};
    for (const recipe& how : {in_a_v, both_ways}) {
      const int times = runs_both_ways(how, cut) ? 2 : 1;
      stage_layers sum;
      int ends_held = 0;
      for (int rank = 0; rank < cut.pipeline; ++rank) {
        const stage_layers held = folded_layers_of(m, how, cut, rank).both();
        sum.dense += held.dense;
        sum.moe += held.moe;
        ends_held += held.has_embedding ? 1 : 0;
        RC_ASSERT(held.has_embedding == held.has_head);
      }
      RC_ASSERT(sum.dense == times * m.dense_layers());
      RC_ASSERT(sum.moe == times * m.moe_layers());
      RC_ASSERT(ends_held == times);
    }
  });
}

TEST_CASE("the stages together hold every layer once", "[model][property]") {
  testing::check_property("sums over stages", [] {
    transformer m = dense(*rc::gen::inRange(1, 200));
    if (*rc::gen::arbitrary<bool>()) {
      const int first = *rc::gen::inRange(0, m.layers + 1);
      m.moe = {.experts = 8,
               .experts_per_token = 2,
               .ffn_size = 64,
               .first_dense_layers = first,
               .dense_layers = *rc::gen::inRange(first, m.layers + 1)};
    }
    const parallelism cut{.pipeline = *rc::gen::inRange(1, 33),
                          .interleave = *rc::gen::inRange(1, 5)};
    int dense_layers = 0;
    int moe_layers = 0;
    int fewest = m.layers;
    int most = 0;
    for (int stage = 0; stage < cut.pipeline; ++stage) {
      const stage_layers held = layers_of_stage(m, {}, cut, stage);
      RC_ASSERT(held.dense >= 0 && held.moe >= 0);
      dense_layers += held.dense;
      moe_layers += held.moe;
      fewest = std::min(fewest, held.total());
      most = std::max(most, held.total());
    }
    RC_ASSERT(dense_layers == m.dense_layers());
    RC_ASSERT(moe_layers == m.moe_layers());
    RC_ASSERT(most - fewest <= cut.interleave);
  });
}

}  // namespace
}  // namespace gpuplan
