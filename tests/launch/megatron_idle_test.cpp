#include <gpuplan/launch/megatron_idle.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

static_assert(is_idle_megatron_argument("log-interval"));
static_assert(is_idle_megatron_argument("lr"));
static_assert(is_idle_megatron_argument("save-interval"));
static_assert(!is_idle_megatron_argument("fp8-param-gather"));
static_assert(!is_idle_megatron_argument("seq-length"));
static_assert(!is_idle_megatron_argument(""));

TEST_CASE("no argument that a plan decides is idle", "[launch]") {
  for (const char* name :
       {"num-layers", "recompute-granularity", "offload-modules", "squared-relu"})
    CHECK_FALSE(is_idle_megatron_argument(name));
}

TEST_CASE("no argument that changes time or memory is idle", "[launch]") {
  for (const char* name :
       {"deterministic-mode", "distributed-backend", "moe-router-fusion", "moe-router-group-topk",
        "moe-router-num-groups", "moe-router-topk-limited-devices", "no-align-param-gather",
        "muon-num-ns-steps", "muon-scalar-optimizer", "muon-tp-mode", "train-sync-interval"}) {
    INFO(name);
    CHECK_FALSE(is_idle_megatron_argument(name));
  }
  for (const char* name : {"muon-momentum", "train-iters", "train-samples", "train-data-path"})
    CHECK(is_idle_megatron_argument(name));
}

}  // namespace
}  // namespace gpuplan
