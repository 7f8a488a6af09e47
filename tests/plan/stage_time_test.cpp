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
  CHECK_THAT((first - clock.embedding).in(second),
             WithinRel((16 * mixtral(cut).total()).in(second), 1e-12));
  CHECK_THAT((last - clock.head).in(second),
             WithinRel((16 * mixtral(cut).total()).in(second), 1e-12));
  CHECK(clock.head > clock.embedding);
}

}  // namespace
}  // namespace gpuplan
