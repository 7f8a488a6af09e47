#include <gpuplan/plan/pipeline_layout.hpp>

#include <algorithm>
#include <array>
#include <string>

#include <gpuplan/model/catalog.hpp>

#include "support/property.hpp"

namespace gpuplan {
namespace {

template <class... Args>
concept accepts = requires(Args... args) {
  pipeline_layout_of(args...);
};
static_assert(accepts<transformer, recipe, parallelism>);
static_assert(!accepts<transformer, parallelism, recipe>);

TEST_CASE("a pipeline is spelled as Megatron-LM spells it", "[plan]") {
  transformer m = catalog::llama_3_2_1b;  // 16 layers
  CHECK(pipeline_layout_of(m, {}, {}) == "Et*16L");
  CHECK(pipeline_layout_of(m, {}, {.pipeline = 2}) == "Et*8|t*8L");
  CHECK(pipeline_layout_of(m, {}, {.pipeline = 2, .interleave = 2}) == "Et*4|t*4|t*4|t*4L");
  m.multi_token_prediction_layers = 2;
  const recipe uneven{.split = layer_split{std::array{7, 8, 1, 0}}};
  CHECK(pipeline_layout_of(m, uneven, {.pipeline = 4}) == "Et*7|t*8|t|mmL");
}

TEST_CASE("each layer is spelled once", "[plan][property]") {
  testing::check_property("layers add up", [] {
    transformer m = catalog::llama_3_2_1b;
    m.layers = *rc::gen::inRange(1, 200);
    const parallelism cut{.pipeline = *rc::gen::inRange(1, (std::min)(m.layers, 16) + 1)};
    const std::string text = pipeline_layout_of(m, {}, cut);
    RC_ASSERT(std::count(text.begin(), text.end(), '|') == cut.pipeline - 1);
    int layers = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != 't') continue;
      const bool several = i + 1 < text.size() && text[i + 1] == '*';
      layers += several ? std::stoi(text.substr(i + 2)) : 1;
    }
    RC_ASSERT(layers == m.layers);
  });
}

TEST_CASE("a split of other layers is refused", "[plan][errors]") {
  const recipe wrong{.split = layer_split{std::array{7, 8}}};
  CHECK_THROWS_AS(pipeline_layout_of(catalog::llama_3_2_1b, wrong, {.pipeline = 2}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
