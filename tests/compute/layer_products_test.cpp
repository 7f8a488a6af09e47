#include <gpuplan/compute/layer_products.hpp>

#include <algorithm>
#include <cmath>

#include <gpuplan/compute/layer_flop.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/model/parameters.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"
#include "support/random_job.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr bool same(const matrix_product& a, const matrix_product& b) {
  return a.rows == b.rows && a.columns == b.columns && a.depth == b.depth && a.count == b.count;
}
constexpr flop flop_of(const layer_products& products) {
  flop sum{};
  for (const matrix_product& p : products) sum += product_flop(p);
  return sum;
}

// Llama 3 8B: 32 query heads and 8 key heads of 128, width 14336, gated.
constexpr layer_products llama =
    products_of_layer(catalog::llama_3_8b, layer_kind::dense, {.tensor = 2}, 1000);
static_assert(llama.size == 4);
static_assert(same(llama.list[0], {1000, (32 + 16) * 128 / 2, 4096}));
static_assert(same(llama.list[1], {1000, 4096, 4096 / 2}));
static_assert(same(llama.list[2], {1000, 14336, 4096}), "two halves of two matrices");
static_assert(same(llama.list[3], {1000, 4096, 14336 / 2}));
static_assert(llama.weights() == (4096 * 6144 + 4096 * 4096 + 3.0 * 4096 * 14336) / 2);

// Mixtral 8x7B over 4 expert ranks: 2 of 8 experts, each a quarter of 2 x 1000 visits.
constexpr layer_products mixtral =
    products_of_layer(catalog::mixtral_8x7b_v0_1, layer_kind::moe, {.data = 4, .expert = 4}, 1000);
static_assert(mixtral.size == 5);
static_assert(same(mixtral.list[2], {1000, 8, 4096}), "the router");
static_assert(same(mixtral.list[3], {1000, 2 * 14336, 4096, 2}));
static_assert(same(mixtral.list[4], {1000, 4096, 14336, 2}));

// DeepSeek-V3: the maps to latents, whole on each rank, of an eighth of the tokens where sequence
// parallelism divides them.
constexpr layer_products latents =
    products_of_layer(catalog::deepseek_v3, layer_kind::dense, {.tensor = 8}, 1000, 0, 1, 8);
static_assert(same(latents.list[0], {125, 1536, 7168}) && same(latents.list[2], {125, 576, 7168}));
static_assert(same(latents.list[1], {1000, 128 * 192 / 8, 1536}), "queries of all tokens");
static_assert(products_of_layer(catalog::deepseek_v3, layer_kind::dense, {.tensor = 8}, 1000)
                  .list[0]
                  .rows == 1000);
static_assert(latent_shares_of({.sequence_parallel = true}, {.tensor = 8}) == 8);
static_assert(latent_shares_of({}, {.tensor = 8}) == 1);

// A decoder beside an encoder: queries of its own tokens, keys and values of the encoder's.
// Four experts, two a rank on average 2 x 1000 / 4 rows each; half as many again on the fullest.
static_assert(products_of_layer(catalog::mixtral_8x7b_v0_1, layer_kind::moe,
                                {.data = 4, .expert = 4}, 1000, 0, 1.5)
                  .list[3]
                  .rows == 1500);

constexpr layer_products across = products_of_layer(catalog::gpt2, layer_kind::dense, {}, 100, 500);
static_assert(across.size == 7);
static_assert(same(across.list[2], {100, 768, 768}) && same(across.list[3], {500, 1536, 768}));

template <class... Args>
concept lists = requires(Args... args) {
  products_of_layer(args...);
};
static_assert(lists<transformer, layer_kind, parallelism, int>);
static_assert(!lists<transformer, layer_kind, parallelism, bytes>, "rows are a count");
static_assert(!lists<transformer, parallelism, layer_kind, int>);

static_assert(largest_share(10, 4) == 3 && largest_share(8, 4) == 2 && largest_share(1, 4) == 1);

TEST_CASE("products on one rank have the weights that parameters count", "[compute][reference]") {
  // Meta publishes 8.03e9 parameters: 32 layers of these weights, two tables of 128256 x 4096, and
  // 65 norms.
  const double weights = products_of_layer(catalog::llama_3_8b, layer_kind::dense, {}, 1).weights();
  CHECK(weights == 218'103'808);
  CHECK(32 * weights + 2.0 * 128256 * 4096 + 65 * 4096 == 8'030'261'248);
  // Mistral publishes 46.7e9 parameters, 12.9e9 of them for each token.
  const double sparse =
      products_of_layer(catalog::mixtral_8x7b_v0_1, layer_kind::moe, {}, 8).weights();
  CHECK(32 * sparse + 2.0 * 32000 * 4096 + 65 * 4096 == 46'702'792'704);
}

TEST_CASE("one rank's products do the operations that a layer counts", "[compute][cross-check]") {
  const auto check = [](const transformer& m, layer_kind kind, double rows) {
    CHECK(flop_of(products_of_layer(m, kind, {}, rows)) ==
          rows * token * forward_flop(m, kind, 0).total());
  };
  check(catalog::gpt2, layer_kind::dense, 1024);
  check(catalog::llama_3_8b, layer_kind::dense, 8192);
  check(catalog::gemma_2_9b, layer_kind::dense, 4096);
  check(catalog::mixtral_8x7b_v0_1, layer_kind::moe, 4096);
  check(catalog::qwen3_30b_a3b, layer_kind::moe, 4096);
  check(catalog::deepseek_v2_lite, layer_kind::dense, 4096);
  check(catalog::deepseek_v3, layer_kind::dense, 4096);
  check(catalog::deepseek_v3, layer_kind::moe, 4096);
}

TEST_CASE("experts do the work of active parameters, whatever is stored", "[compute][reference]") {
  // DeepSeek-V3 publishes 37e9 of 671e9 parameters active for each token, of which 0.9e9 are the
  // head and 0.9e9 the embedding, which is no product.
  const transformer& m = catalog::deepseek_v3;
  constexpr double rows = 65536;
  const flop work = m.dense_layers() * flop_of(products_of_layer(m, layer_kind::dense, {}, rows)) +
                    m.moe_layers() * flop_of(products_of_layer(m, layer_kind::moe, {}, rows));
  const double active = work.in(FLOP) / (2 * rows) + 2.0 * m.vocabulary_size * m.hidden_size;
  CHECK_THAT(active, WithinRel(37e9, 0.02));
}

TEST_CASE("ranks share the products of a layer, and no work is lost", "[compute][property]") {
  testing::check_property("sum over ranks", [] {
    const transformer m = testing::random_transformer();
    const layer_kind kind = m.moe.experts > 0 ? layer_kind::moe : layer_kind::dense;
    parallelism cut{.tensor = testing::power_of_two(3)};
    const double rows = 64.0 * *rc::gen::inRange(1, 1000);
    const flop alone = flop_of(products_of_layer(m, kind, {}, rows));
    const flop all = cut.tensor * flop_of(products_of_layer(m, kind, cut, rows));
    RC_ASSERT(all >= (1 - 1e-12) * alone);
    // Only what does not divide is done twice: a visit of each expert at most.
    const double visits = m.moe.experts == 0 ? 0 : rows * m.moe.experts_per_token / m.moe.experts;
    if (visits == std::floor(visits) && m.ffn_size % cut.tensor == 0 &&
        m.moe.ffn_size % cut.tensor == 0)
      RC_ASSERT(all <= (1 + 1e-12) * alone);
  });
}

TEST_CASE("more rows or a wider layer never do less", "[compute][property]") {
  testing::check_property("monotone products", [] {
    const transformer m = testing::random_transformer();
    const layer_kind kind = m.moe.experts > 0 ? layer_kind::moe : layer_kind::dense;
    const double rows = *rc::gen::inRange(1, 100000);
    transformer wider = m;
    wider.ffn_size += 8;
    wider.moe.ffn_size += 8;
    const flop work = flop_of(products_of_layer(m, kind, {}, rows));
    RC_ASSERT(flop_of(products_of_layer(m, kind, {}, rows + 1)) > work);
    RC_ASSERT(flop_of(products_of_layer(wider, kind, {}, rows)) > work);
    RC_ASSERT(std::ranges::all_of(products_of_layer(m, kind, {}, rows), [](const auto& p) {
      return p.rows >= 1 && p.columns >= 1 && p.depth >= 1 && p.count >= 1;
    }));
  });
}

TEST_CASE("no more products than there is room for", "[compute][limits]") {
  transformer most = catalog::deepseek_v3;
  most.encoder_layers = 1;
  CHECK(products_of_layer(most, layer_kind::moe, {}, 10, 20).size <= layer_products::capacity);
  CHECK(products_of_layer(most, layer_kind::moe, {}, 10, 20).size == 15);
}

TEST_CASE("products_of_layer refuses what its documentation refuses", "[compute][errors]") {
  const transformer& m = catalog::gpt2;
  CHECK_THROWS_AS(products_of_layer(m, layer_kind::dense, {}, 0), invalid_input);
  CHECK_THROWS_AS(products_of_layer(m, layer_kind::dense, {}, 1, -1), invalid_input);
  CHECK_THROWS_AS(products_of_layer(m, layer_kind::dense, {}, 1, 0, 1, 0.5), invalid_input);
  CHECK_THROWS_AS(products_of_layer(m, layer_kind::moe, {}, 1), invalid_input);
}

}  // namespace
}  // namespace gpuplan
