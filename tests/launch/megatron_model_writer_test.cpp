#include <gpuplan/launch/megatron_model_writer.hpp>

#include <string>

#include "launch/small_launch.hpp"
#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

TEST_CASE("layers of two kinds are written as runs", "[launch]") {
  CHECK(detail::layer_runs("000111") == "([0]*3+[1]*3)");
  CHECK(detail::layer_runs("0101") == "([0]*1+[1]*1+[0]*1+[1]*1)");
  CHECK(detail::layer_frequency(48, 36) == 4);
  CHECK(detail::layer_frequency(7, 7) == "([1]*7)");
  CHECK(detail::layer_frequency(7, 2) == "([1]*1+[0]*2+[1]*1+[0]*3)");
}

TEST_CASE("layers with experts are drawn as they are taken to lie", "[launch][property]") {
  testing::check_property("dense layers", [] {
    transformer m{.layers = *rc::gen::inRange(1, 80)};
    m.moe = {.experts = 8, .experts_per_token = 2};
    m.moe.dense_layers = *rc::gen::inRange(0, m.layers);
    m.moe.first_dense_layers = *rc::gen::inRange(0, m.moe.dense_layers + 1);
    const std::string drawn = detail::drawn_experts(m);
    transformer read = m;
    read.moe.first_dense_layers = first_dense_layers(drawn);
    RC_ASSERT(detail::drawn_experts(read) == drawn);
    RC_ASSERT(written_out(detail::layer_runs(drawn)) == drawn);
  });
}

TEST_CASE("the width of dense layers is written where there are any", "[launch]") {
  transformer m{.layers = 4, .hidden_size = 512, .attention_heads = 8, .ffn_size = 1536};
  const auto width = [&] {
    nlohmann::json args = nlohmann::json::object();
    detail::write_megatron_model(m, 1024, args);
    return args.value("ffn-hidden-size", 0);
  };
  CHECK(width() == 1536);
  m.moe = {.experts = 8, .experts_per_token = 2, .ffn_size = 256, .dense_layers = 1};
  CHECK(width() == 1536);
  m.moe.dense_layers = 0;
  CHECK(width() == 0);
}

TEST_CASE("as many layers have an index of their own as were meant", "[launch][property]") {
  testing::check_property("index", [] {
    transformer m{.layers = *rc::gen::inRange(1, 100)};
    m.sparse = {.heads = 4, .head_dim = 64, .tokens = 512};
    m.sparse.layers = *rc::gen::inRange(1, m.layers + 1);
    nlohmann::json args = nlohmann::json::object();
    detail::write_megatron_index(m, args);
    RC_ASSERT(detail::indexed_layers(m.layers, args.value("dsa-indexer-skip-topk-offset", 0),
                                     args.value("dsa-indexer-topk-freq", 1)) == m.sparse.layers);
  });
}

}  // namespace
}  // namespace gpuplan
