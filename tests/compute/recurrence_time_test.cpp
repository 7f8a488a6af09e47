#include <gpuplan/compute/recurrence_time.hpp>

#include <gpuplan/compute/layer_time.hpp>
#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/require.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr recurrent_mixer net{
    .layers = 24,
    .attention_layers = 8,
    .linear = {.key_heads = 16, .value_heads = 32, .key_head_dim = 128, .value_head_dim = 128}};
constexpr recipe how{.global_batch_size = 8, .sequence_length = 4096};

basic_kernel_rates<double> rates() {
  return kernel_rates_of(catalog::h100_sxm5_80gb, how, profile_of(framework::transformer_engine));
}

/// A model of 32 layers, so many of which have the net.
transformer model(int recurrent, int attending) {
  transformer m{.layers = 32,
                .hidden_size = 2048,
                .attention_heads = 16,
                .kv_heads = 2,
                .head_dim = 256,
                .ffn_size = 8192,
                .vocabulary_size = 32000,
                .gated_ffn = true};
  m.recurrent = net;
  m.recurrent.layers = recurrent;
  m.recurrent.attention_layers = attending;
  return m;
}

seconds total(const transformer& m, int tensor = 1) {
  const parallelism cut{.tensor = tensor};
  const auto time = layer_time(m, layer_kind::dense, how, cut, {.sequence_length = 4096}, rates());
  return time.total().total();
}

TEST_CASE("a recurrence moves its values and does its operations", "[compute][facts]") {
  basic_kernel_rates<double> flat = rates();
  flat.elementwise = 1e12 * byte / second;
  flat.attention.forward_64 = 1e14 * FLOP / second;
  const auto time = recurrence_time(net, 1000, 2, flat);
  CHECK_THAT(time.forward.in(second),
             WithinRel(500 * (40960 * 2 / 1e12 + 8.0 * 4096 * 128 / 1e14), 1e-12));
  CHECK_THAT(time.backward.in(second), WithinRel(2 * time.forward.in(second), 1e-15));
}

TEST_CASE("the mean layer lies between one that attends and one that has a mixer", "[compute]") {
  const seconds attends = total(model(0, 0));
  const seconds mixes = total(model(32, 0));
  const seconds mean = total(model(24, 8));
  CHECK_THAT(mean.in(second), WithinRel((0.25 * attends + 0.75 * mixes).in(second), 1e-9));
  CHECK(total(model(32, 32)) > attends);
  CHECK(total(model(24, 8), 2) < mean);
}

// Attention grows with the sequence, a recurrence does not: what such models are for.
TEST_CASE("a mixer of long sequences takes less than attention", "[compute][property]") {
  const auto step = [](const transformer& m, int length) {
    recipe longer = how;
    longer.sequence_length = length;
    return layer_time(m, layer_kind::dense, longer, {}, {.sequence_length = length}, rates())
               .total()
               .total() /
           static_cast<double>(length);
  };
  CHECK(step(model(32, 0), 131072) < 0.5 * step(model(0, 0), 131072));
  CHECK_THAT(step(model(32, 0), 131072).in(second),
             WithinRel(step(model(32, 0), 16384).in(second), 0.05));
}

TEST_CASE("tokens and ranks out of range are refused", "[compute]") {
  CHECK_THROWS_WITH(recurrence_time(net, -1, 1, rates()), "recurrence_time: rows must be >= 0");
  CHECK_THROWS_WITH(recurrence_time(net, 1, 0, rates()), "recurrence_time: tensor must be >= 1");
}

}  // namespace
}  // namespace gpuplan
