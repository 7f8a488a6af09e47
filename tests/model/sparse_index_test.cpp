#include <gpuplan/model/sparse_index.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

constexpr sparse_index deepseek{.heads = 64, .head_dim = 128, .query_rank = 1536};
constexpr sparse_index glm{.heads = 32, .head_dim = 128, .query_rank = 2048};

static_assert(sparse_index_parameters({1, 1, 1}, 1) == 5);
static_assert(sparse_index_parameters({1, 1, 0}, 3) == 3 + 3 + 3 + 2,
              "queries of the hidden state");
static_assert(sparse_index_parameters({.heads = 1, .head_dim = 1, .head_weights = false}, 3) ==
              3 + 3 + 2);
// 64 heads of 128 over 10 tokens: each a product of 128 and one weight.
static_assert(index_operations(deepseek, 10) == 2 * 10 * (64 * 128 + 64));

TEST_CASE("an index has the parameters of published models", "[model][reference]") {
  // Of all layers: 61 of DeepSeek-V3.2, 78 of GLM 5.1, 21 that GLM 5.2 gives one.
  CHECK(61 * sparse_index_parameters(deepseek, 7168) == 851'524'864);
  CHECK(78 * sparse_index_parameters(glm, 6144) == 731'008'512);
  CHECK(21 * sparse_index_parameters(glm, 6144) == 196'809'984);
}

TEST_CASE("an index without a size is refused", "[model]") {
  CHECK_THROWS_WITH(sparse_index_parameters({0, 1, 1}, 1), ContainsSubstring("heads"));
  CHECK_THROWS_WITH(sparse_index_parameters({1, 0, 1}, 1), ContainsSubstring("head_dim"));
  CHECK_THROWS_WITH(sparse_index_parameters({1, 1, -1}, 1), ContainsSubstring("query_rank"));
  CHECK_THROWS_WITH(sparse_index_parameters({1, 1, 1}, 0), ContainsSubstring("hidden_size"));
}

}  // namespace
}  // namespace gpuplan
