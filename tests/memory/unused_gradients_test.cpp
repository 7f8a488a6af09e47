#include <gpuplan/memory/unused_gradients.hpp>

#include <set>
#include <utility>

#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr transformer llama = catalog::llama_3_8b;  // 4096; 32 and 8 heads of 128; 14336

// Queries, keys and values 6144 x 4096; output 4096 x 4096; 28672 x 4096; 4096 x 14336.
static_assert(unused_gradients_of(llama, {}, {}, {}).dense ==
              4096.0 * (6144 + 4096 + 28672 + 14336) * bytes{2});
static_assert(unused_gradients_of(llama, {}, {.tensor = 4}, {}).dense ==
              4096.0 * (6144 + 4096 + 28672 + 14336) / 4 * bytes{2});

static_assert(unused_gradients_of(llama, {.weights = weight_storage::fp32}, {}, {}).dense ==
                  4096.0 * (6144 + 4096 + 28672 + 14336) * bytes{4},
              "in the weights' format");

// A shape that two matrices have is made once.
constexpr transformer square{.layers = 2,
                             .hidden_size = 512,
                             .attention_heads = 8,
                             .ffn_size = 512,
                             .vocabulary_size = 1000};
static_assert(weight_shapes_of(square, {}).size == 2, "1536 x 512, and 512 x 512 of three");
static_assert(unused_gradients_of(square, {}, {}, {}).dense == 512.0 * (1536 + 512) * bytes{2});

// Of experts the shapes of one; dense layers of the same model share those of attention.
constexpr transformer deepseek = catalog::deepseek_v3;
constexpr unused_by_layers of_deepseek = unused_gradients_of(deepseek, {}, {}, {});
static_assert(of_deepseek.both > of_deepseek.moe && of_deepseek.both > of_deepseek.dense);
static_assert(of_deepseek.both < of_deepseek.moe + of_deepseek.dense);
static_assert(of_deepseek.both - of_deepseek.moe ==
              3.0 * deepseek.ffn_size * deepseek.hidden_size * bytes{2});
static_assert(of_deepseek.of(true, true) == of_deepseek.both);
static_assert(of_deepseek.of(true, false) == of_deepseek.dense);
static_assert(of_deepseek.of(false, true) == of_deepseek.moe);
static_assert(of_deepseek.of(false, false) == bytes{0});

// Where products do not add to accumulated gradients, nothing is left over.
constexpr recipe unfused{.gradient_accumulation_fusion = software_choice::off};
constexpr recipe pytorch{.framework = framework::fsdp2};
constexpr recipe adapted{.adapters = {.rank = 8}};
static_assert(!returns_unused_gradients(unfused, {}));
static_assert(!returns_unused_gradients(pytorch, {}));
static_assert(!returns_unused_gradients(adapted, {}), "frozen weights have no gradient");
static_assert(!returns_unused_gradients({}, {.gradients_unused = false}));
static_assert(unused_gradients_of(llama, unfused, {}, {}).dense == bytes{0});

TEST_CASE("unused gradients are a term of every moment", "[memory][facts]") {
  const recipe how{.global_batch_size = 1, .sequence_length = 1024};
  recipe without = how;
  without.gradient_accumulation_fusion = software_choice::off;
  const stage_footprint with = memory_footprint(llama, how, {}).stage(0);
  const stage_footprint less = memory_footprint(llama, without, {}).stage(0);
  const bytes more = unused_gradients_of(llama, how, {}, {}).dense;
  CHECK(with.unused_gradients == more);
  for (const moment when : {moment::layer_backward, moment::optimizer_step})
    CHECK(with.at(when) - less.at(when) == more);
}

TEST_CASE("a dense model is summed without its list of shapes", "[memory][property]") {
  testing::check_property("as the list has it", [] {
    transformer m{.layers = 1,
                  .hidden_size = 64 * *rc::gen::inRange(1, 5),
                  .attention_heads = *rc::gen::inRange(1, 5),
                  .kv_heads = 1,
                  .head_dim = 64,
                  .ffn_size = 64 * *rc::gen::inRange(1, 9),
                  .vocabulary_size = 100,
                  .gated_ffn = *rc::gen::arbitrary<bool>()};
    const parallelism cut{.tensor = *rc::gen::element(1, 2, 4)};
    const weight_shapes shapes = weight_shapes_of(m, cut);
    const unused_by_layers summed = unused_gradients_of(m, {}, cut, {});
    RC_ASSERT(summed.dense == shapes.values(weight_shapes::dense_layers) * bytes{2});
    RC_ASSERT(summed.moe == shapes.values(weight_shapes::moe_layers) * bytes{2});
    RC_ASSERT(summed.both == summed.dense);
  });
}

TEST_CASE("each shape counts once, whichever matrices have it", "[memory][property]") {
  testing::check_property("as a set of pairs", [] {
    weight_shapes shapes;
    std::set<std::pair<double, double>> seen;
    for (int i = 0; i < 8; ++i) {
      const double rows = *rc::gen::inRange(0, 4);
      const double columns = *rc::gen::inRange(0, 4);
      shapes.add(rows, columns, weight_shapes::dense_layers);
      if (rows * columns > 0) seen.emplace(rows, columns);
    }
    double sum = 0;
    for (const auto& [rows, columns] : seen) sum += rows * columns;
    RC_ASSERT(shapes.size == seen.size());
    RC_ASSERT(shapes.values(weight_shapes::dense_layers) == sum);
    RC_ASSERT(shapes.values(weight_shapes::moe_layers) == 0);
  });
}

}  // namespace
}  // namespace gpuplan
