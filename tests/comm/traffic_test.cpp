#include <gpuplan/comm/traffic.hpp>

#include <limits>

#include <gpuplan/comm/all_gather.hpp>
#include <gpuplan/comm/all_reduce.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr data_parallel_traffic seven_billion{.ranks = 8, .gradients = 14 * GB, .weights = 14 * GB};
static_assert(seven_billion.sent(zero_stage::none) == 24.5 * GB);
static_assert(seven_billion.sent(zero_stage::optimizer) == 24.5 * GB);
static_assert(seven_billion.sent(zero_stage::gradients) == 24.5 * GB);
static_assert(seven_billion.sent(zero_stage::parameters) == 36.75 * GB, "half as much again");
static_assert(data_parallel_traffic{.gradients = 1 * GB}.sent(zero_stage::none) == bytes{0});

constexpr data_parallel_traffic accumulated{.ranks = 8,
                                            .gradients = 14 * GB,
                                            .weights = 14 * GB,
                                            .micro_batches = 4,
                                            .reduce_scatters = 4,
                                            .gathers = 1};
static_assert(accumulated.sent(zero_stage::none) == 24.5 * GB, "once for all micro-batches");
static_assert(accumulated.sent(zero_stage::gradients) == 5 * 12.25 * GB);
static_assert(accumulated.sent(zero_stage::parameters) == 4 * 2 * 12.25 * GB);

static_assert(data_parallel_traffic{.ranks = 2, .weights = 1 * GB}.sent(zero_stage::optimizer) ==
                  0.5 * GB,
              "no gradients");
static_assert(data_parallel_traffic{.ranks = 2, .gradients = 1 * GB}.sent(zero_stage::optimizer) ==
                  0.5 * GB,
              "no weights");

// The coarse demand of a cluster is p/(p - 1) times what a ring sends in all.
static_assert(coarse_all_reduce_bandwidth(8, 3 * GB, 1 * second) == 48 * GB / second);
static_assert(coarse_all_reduce_bandwidth(8, 7 * GB, 2 * second) * (2 * second) * 7 ==
              sent_by_each(collective::all_reduce, 8, 7 * GB) * 8 * 8);
static_assert(coarse_all_reduce_bandwidth(8, bytes{0}, 1 * second) == 0 * GB / second);

// Sharding over all ranks is hybrid sharding with one replica.
constexpr hybrid_traffic one_group = hybrid_shard_traffic(8, 1, 14 * GB, 14 * GB, 1);
static_assert(one_group.inside == seven_billion.sent(zero_stage::parameters));
static_assert(one_group.across == bytes{0});
static_assert(hybrid_shard_traffic(1, 8, 14 * GB, 14 * GB, 1).across ==
              seven_billion.sent(zero_stage::none));
static_assert(hybrid_shard_traffic(8, 2, 16 * GB, 16 * GB, 1).across == 2 * GB);

static_assert(tensor_parallel_traffic(8, 1 * GB) == 7 * GB);
static_assert(tensor_parallel_traffic(8, 1 * GB, 6) == 10.5 * GB, "computed again");
static_assert(tensor_parallel_traffic(1, 1 * GB) == bytes{0});
static_assert(ulysses_traffic(1, 1 * GB, 1) == bytes{0});
static_assert(ulysses_traffic(4, 16 * GB, 1) == 12 * GB);
static_assert(ring_attention_traffic(4, 16 * GB, 1) == 24 * GB);
static_assert(ring_attention_traffic(4, 16 * GB, 0.125) == 3 * GB);
static_assert(expert_traffic(4, 1 * GB, 8) == 6 * GB);

template <class... Args>
concept accepts = requires(Args... args) {
  tensor_parallel_traffic(args...);
};
static_assert(accepts<int, bytes>);
static_assert(!accepts<int, double>, "activations need a unit");

TEST_CASE("what is sent, over the link, is the transfer of the ring", "[comm][cross-check]") {
  const interconnect link{.bandwidth = 50 * GB / second};
  const int n = GENERATE(1, 2, 8, 100);
  CHECK_THAT((sent_by_each(collective::all_reduce, n, 1 * GB) / link.bandwidth).in(second),
             WithinRel(ring_all_reduce(link, n, 1 * GB).transfer.in(second), 1e-14));
  CHECK_THAT((sent_by_each(collective::all_gather, n, 1 * GB) / link.bandwidth).in(second),
             WithinRel(ring_all_gather(link, n, 1 * GB).transfer.in(second), 1e-14));
}

TEST_CASE("traffic refuses what its documentation refuses", "[comm][errors]") {
  const bytes nan = std::numeric_limits<double>::quiet_NaN() * byte;
  const auto refused = [](auto change) {
    data_parallel_traffic traffic = seven_billion;
    change(traffic);
    CHECK_THROWS_AS(traffic.sent(zero_stage::parameters), invalid_input);
  };
  refused([](data_parallel_traffic& t) { t.ranks = 0; });
  refused([&](data_parallel_traffic& t) { t.gradients = nan; });
  refused([](data_parallel_traffic& t) { t.weights = -1 * byte; });
  refused([](data_parallel_traffic& t) { t.micro_batches = 0; });
  refused([](data_parallel_traffic& t) { t.reduce_scatters = 0; });
  refused([](data_parallel_traffic& t) { t.gathers = 0; });
  CHECK_THROWS_AS(seven_billion.sent(static_cast<zero_stage>(9)), invalid_input);
  CHECK_THROWS_AS(sent_by_each(collective::broadcast, 2, nan), invalid_input);
  CHECK_THROWS_AS(coarse_all_reduce_bandwidth(0, 1 * GB, 1 * second), invalid_input);
  CHECK_THROWS_AS(coarse_all_reduce_bandwidth(8, nan, 1 * second), invalid_input);
  CHECK_THROWS_AS(coarse_all_reduce_bandwidth(8, -1 * byte, 1 * second), invalid_input);
  CHECK_THROWS_AS(coarse_all_reduce_bandwidth(8, 1 * GB, seconds{0}), invalid_input);
  CHECK_THROWS_AS(tensor_parallel_traffic(0, 1 * GB), invalid_input);
  CHECK_THROWS_AS(tensor_parallel_traffic(2, 1 * GB, -1), invalid_input);
  CHECK_THROWS_AS(hybrid_shard_traffic(8, 0, 1 * GB, 1 * GB, 1), invalid_input);
  CHECK_THROWS_AS(ulysses_traffic(2, 1 * GB, 1.5), invalid_input);
  CHECK_THROWS_AS(ring_attention_traffic(2, 1 * GB, -0.5), invalid_input);
  CHECK_THROWS_AS(expert_traffic(2, 1 * GB, 0), invalid_input);
}

}  // namespace
}  // namespace gpuplan
