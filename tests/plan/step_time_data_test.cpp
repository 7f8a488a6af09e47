#include <gpuplan/plan/step_time_data.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

// AdamW: 3 x 4 B for the gradient, 2 (4 + 8) for copy and states, 2 for the weight; without a copy
// 3 x 4 and 2 (4 + 8).
static_assert(bytes_per_update({.weight = 2 * byte,
                                .gradient = 4 * byte,
                                .master = 4 * byte,
                                .optimizer = 8 * byte}) == 38 * byte);
static_assert(bytes_per_update({.weight = 4 * byte,
                                .gradient = 4 * byte,
                                .master = 0 * byte,
                                .optimizer = 8 * byte}) == 36 * byte);

TEST_CASE("a ring carries n - 1 of n parts of what is reduced and gathered", "[plan][reference]") {
  constexpr basic_rank_links<double> links{.data = {.bandwidth = 100 * GB / second},
                                           .expert_data = {.bandwidth = 50 * GB / second},
                                           .replicas = {.bandwidth = 25 * GB / second}};
  constexpr rank_parameters held{.matrices = 7e9, .tables = 1e9, .experts = 4e9};
  constexpr parallelism cut{.data = 8};
  recipe how{.reduction = reduction_format::fp32};

  // 7/8 of 8e9 dense parameters over 100 GB/s, and of 4e9 of experts over 50 GB/s, 4 B each.
  auto traffic = detail::data_traffic_of(held, how, cut, links);
  CHECK_THAT(traffic.gradients.in(second), WithinRel(0.28 + 0.28, 1e-12));
  CHECK_THAT(traffic.weights.in(second), WithinRel(0.28 + 0.28, 1e-12));

  how.zero = zero_stage::optimizer;  // weights come back in BF16
  traffic = detail::data_traffic_of(held, how, cut, links);
  CHECK_THAT(traffic.gradients.in(second), WithinRel(0.28 + 0.28, 1e-12));
  CHECK_THAT(traffic.weights.in(second), WithinRel(0.14 + 0.14, 1e-12));

  // Two groups of four: 3/4 within a group, then half of a quarter, there and back, between them; of
  // experts 3e9 of 4 B over 50 GB/s, then 0.5e9 of 8 B over 25.
  traffic = detail::data_traffic_of(held, how, {.data = 8, .shard_group = 4}, links);
  CHECK_THAT(traffic.gradients.in(second), WithinRel(0.24 + 0.32 + 0.24 + 0.16, 1e-12));
  CHECK_THAT(traffic.weights.in(second), WithinRel(0.12 + 0.12, 1e-12));

  // Where each rank gathers its weights layer by layer, nothing is reduced a second time.
  how.zero = zero_stage::parameters;
  traffic = detail::data_traffic_of(held, how, cut, links);
  CHECK(traffic.gradients == seconds{0});
  CHECK(traffic.weights == seconds{0});

  // DualPipe has each stage on two ranks, which reduce an eighth each, half of 8 B a gradient.
  constexpr basic_rank_links<double> far{.pipeline = {.bandwidth = 10 * GB / second},
                                         .data = links.data,
                                         .expert_data = links.expert_data};
  how.zero = zero_stage::optimizer;
  how.schedule = pipeline_schedule::dualpipe;
  traffic = detail::data_traffic_of(held, how, {.data = 8, .pipeline = 2}, far);
  CHECK_THAT(traffic.gradients.in(second), WithinRel(0.28 + 0.28 + 12.0 / 8 * 4 / 10, 1e-12));
  how.schedule = {};

  traffic = detail::data_traffic_of(held, how, {.data = 1}, links);
  CHECK(traffic.gradients == seconds{0});
  CHECK(traffic.weights == seconds{0});
}

}  // namespace
}  // namespace gpuplan
