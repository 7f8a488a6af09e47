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

}  // namespace
}  // namespace gpuplan
