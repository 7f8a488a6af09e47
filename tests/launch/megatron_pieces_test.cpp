#include <gpuplan/launch/megatron_pieces.hpp>

#include <vector>

#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

TEST_CASE("pieces give the chunks, and the layers of each stage", "[launch]") {
  recipe how;
  parallelism cut{.pipeline = 2};
  const transformer m{.layers = 12};
  cut_into_pieces({3, 3, 4, 2}, m, how, cut);
  CHECK(cut.interleave == 2);
  CHECK(how.split.layers(0) == 7);
  CHECK(how.split.layers(1) == 5);
  cut_into_pieces({6, 6}, m, how, cut);
  CHECK(cut.interleave == 1);
  CHECK(how.split.stages() == 0);
  CHECK_THROWS_WITH(cut_into_pieces({6, 3, 3}, m, how, cut),
                    "cut_into_pieces: pieces must be a multiple of the stages");
  CHECK_THROWS_AS(cut_into_pieces({}, m, how, cut), invalid_input);
}

TEST_CASE("the pieces of a pipeline that nothing splits are no split", "[launch][property]") {
  testing::check_property("usual pieces", [] {
    transformer m = catalog::deepseek_v3;
    m.layers = *rc::gen::inRange(1, 100);
    m.moe.dense_layers = m.moe.first_dense_layers = 0;
    m.multi_token_prediction_layers = *rc::gen::inRange(0, 2);
    const parallelism cut{.pipeline = *rc::gen::inRange(1, 17),
                          .interleave = *rc::gen::inRange(1, 5)};
    std::vector<int> pieces;
    for (int chunk = 0; chunk < cut.interleave; ++chunk)
      for (int stage = 0; stage < cut.pipeline; ++stage)
        pieces.push_back(layers_of_chunk(m, {}, cut, stage, chunk).total());
    recipe how;
    parallelism read = cut;
    read.interleave = 1;
    cut_into_pieces(pieces, m, how, read);
    RC_ASSERT(read.interleave == cut.interleave);
    RC_ASSERT(how.split.stages() == 0);
  });
}

}  // namespace
}  // namespace gpuplan
