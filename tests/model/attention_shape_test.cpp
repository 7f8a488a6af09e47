#include <gpuplan/model/attention_shape.hpp>

#include <string>
#include <vector>

#include <gpuplan/model/catalog.hpp>
#include <gpuplan/model/layer_parameters.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

constexpr transformer grouped = catalog::llama_3_8b;  // 32 query heads of 128, 8 of keys
constexpr transformer latent = catalog::deepseek_v3;

static_assert(attention_kind_of(grouped) == attention_kind::heads);
static_assert(attention_kind_of(latent) == attention_kind::latent);
static_assert(attention_maps(grouped) == 2, "queries, keys and values as one; the output");
static_assert(attention_maps(latent) == 5);
static_assert(expanded_key_heads(grouped) == 8 && expanded_key_heads(latent) == 128);
static_assert(cached_values(grouped, 8) == 2 * 8 * 128);
static_assert(cached_values(latent, 128) == 512 + 64, "DeepSeek-V2, table 1: a latent and its key");
static_assert(normed_latent_width(grouped) == 0 && normed_latent_width(latent) == 512 + 1536);

constexpr transformer without_query_rank() {
  transformer m = latent;
  m.latent.query_rank = 0;
  return m;
}
static_assert(attention_maps(without_query_rank()) == 4, "queries of the hidden state itself");

struct widths {
  std::vector<std::string> names;
  double weights = 0;
};

widths widths_of(const transformer& m) {
  widths all;
  visit_attention_maps(m, m.attention_heads, m.key_value_heads(), [&](const attention_map& map) {
    all.names.emplace_back(map.name);
    all.weights += map.inputs * map.outputs();
  });
  return all;
}

TEST_CASE("the maps of attention are those that a layer runs, in order", "[model]") {
  CHECK(widths_of(grouped).names ==
        std::vector<std::string>{"query, key, value", "attention output"});
  CHECK(widths_of(grouped).weights == 4096.0 * (4096 + 2 * 1024) + 4096.0 * 4096);
  CHECK(widths_of(latent).names == std::vector<std::string>{"query down", "query up",
                                                            "key-value down", "key-value up",
                                                            "attention output"});
  // DeepSeek-V3: h 7168, 128 heads, ranks 1536 and 512, head widths 128 + 64 and 128.
  CHECK(widths_of(latent).weights == 7168.0 * 1536 + 1536.0 * 128 * 192 + 7168.0 * (512 + 64) +
                                         512.0 * 128 * 256 + 128.0 * 128 * 7168);
}

TEST_CASE("each kind has the outputs that a rank's heads leave it", "[model]") {
  std::vector<double> outputs;
  visit_attention_maps(grouped, 4, 1, [&](const attention_map& map) {
    outputs.push_back(map.query_outputs);
    outputs.push_back(map.key_outputs);
  });
  CHECK(outputs == std::vector<double>{4 * 128, 2 * 128, 4096, 0});
}

}  // namespace
}  // namespace gpuplan
