#include <gpuplan/model/parallelism.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

static_assert(parallelism{}.gpus() == 1 && parallelism{}.replicas() == 1);
constexpr parallelism cut{.data = 16, .tensor = 8, .pipeline = 4, .context = 2, .expert = 8};
static_assert(cut.gpus() == 1024, "experts add no ranks");
static_assert(cut.replicas() == 32 && cut.shards() == 32, "context ranks hold the same weights");
static_assert(cut.expert_tensor_ranks() == 8 && cut.expert_replicas() == 4);

constexpr parallelism whole_experts = [] {
  parallelism other = cut;
  other.expert_tensor = 1;
  other.shard_group = 8;
  return other;
}();
static_assert(whole_experts.expert_replicas() == 32);
static_assert(whole_experts.shards() == 8, "hybrid sharding");
static_assert(parallelism{.data = 1 << 20, .tensor = 1 << 10, .pipeline = 64}.gpus() ==
                  std::int64_t{1} << 36,
              "products start in 64 bits");

TEST_CASE("an axis below one is refused", "[model][errors]") {
  const auto refused = [](auto change) {
    parallelism other;
    change(other);
    CHECK_THROWS_AS(require_valid(other), invalid_input);
  };
  require_valid(parallelism{});
  refused([](parallelism& p) { p.data = 0; });
  refused([](parallelism& p) { p.tensor = -1; });
  refused([](parallelism& p) { p.pipeline = 0; });
  refused([](parallelism& p) { p.context = 0; });
  refused([](parallelism& p) { p.expert = 0; });
  refused([](parallelism& p) { p.interleave = 0; });
  refused([](parallelism& p) { p.micro_batch_size = 0; });
  refused([](parallelism& p) { p.expert_tensor = -1; });
  refused([](parallelism& p) { p.shard_group = -1; });
  constexpr int many = 1'700'000'000;  // three of them are more than 64 bits count
  refused([](parallelism& p) { p.data = p.pipeline = p.context = many; });
  refused([](parallelism& p) { p.pipeline = p.expert = p.expert_tensor = many; });
  parallelism most{.data = many, .context = many};
  require_valid(most);
  CHECK(most.gpus() == std::int64_t{many} * many);
}

}  // namespace
}  // namespace gpuplan
