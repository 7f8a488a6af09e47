#include <gpuplan/placement/gpu_sharing.hpp>

#include <array>
#include <limits>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr shared_gpu gpu{.memory = 80 * GB, .host_bandwidth = 25 * GB / second};
constexpr gpu_tenant half{.step = 1 * second, .memory = 30 * GB, .busy = 0.5};
constexpr gpu_tenant most{.step = 1 * second, .memory = 40 * GB, .busy = 0.8};

static_assert(sharing_load_of(std::array{half, most}).fits(gpu));
static_assert(!sharing_load_of(std::array{half, most, half}).fits(gpu), "100 GB of 80");
static_assert(sharing_load_of(std::array{half, half}).keeps_promises(gpu));
static_assert(!sharing_load_of(std::array{half, most}).keeps_promises(gpu), "1.3 of the time");

TEST_CASE("equal tenants: as Gandiva packs them", "[placement][reference]") {
  CHECK(sharing_slowdown(std::array{half, half}, 0, gpu) == 1);
  CHECK_THAT(sharing_slowdown(std::array{half, most}, 0, gpu), WithinRel(1.3, 1e-15));
  CHECK(packing_pays(std::array{half, most}));
  const gpu_tenant full{.step = 1 * second, .busy = 1};
  CHECK_FALSE(packing_pays(std::array{full, full}));
  CHECK_FALSE(packing_pays(std::array<gpu_tenant, 0>{}));
}

TEST_CASE("guaranteed and opportunistic tenants: as AntMan keeps them", "[placement][reference]") {
  gpu_tenant first = most;
  first.service = gpu_service::guaranteed;
  gpu_tenant guest = half;
  guest.service = gpu_service::opportunistic;
  const std::array two{first, guest};
  CHECK(sharing_slowdown(two, 0, gpu) == 1);
  CHECK_THAT(sharing_slowdown(two, 1, gpu), WithinRel(2.5, 1e-12));  // half of the time in a fifth
  guest.memory = 65 * GB;  // 25 GB of it go to the host and back: 2 s
  CHECK_THAT(sharing_slowdown(std::array{first, guest}, 1, gpu), WithinRel(4.5, 1e-12));
  guest.memory = 10 * GB;
  CHECK_THAT(sharing_slowdown(std::array{first, guest, guest}, 2, gpu), WithinRel(5.0, 1e-12));
  first.busy = 1;
  CHECK(sharing_slowdown(std::array{first, guest}, 1, gpu) ==
        std::numeric_limits<double>::infinity());
}

TEST_CASE("equal tenants share what guaranteed ones leave", "[placement]") {
  gpu_tenant first = most;
  first.service = gpu_service::guaranteed;
  CHECK(sharing_slowdown(std::array{first, half}, 0, gpu) == 1);
  CHECK_THAT(sharing_slowdown(std::array{first, half}, 1, gpu), WithinRel(2.5, 1e-12));
  CHECK_THAT(sharing_slowdown(std::array{first, half, half}, 1, gpu), WithinRel(5.0, 1e-12));
  first.busy = 1;
  CHECK(sharing_slowdown(std::array{first, half}, 1, gpu) ==
        std::numeric_limits<double>::infinity());
}

TEST_CASE("tenants out of range are refused", "[placement][errors]") {
  CHECK_THROWS_AS(sharing_slowdown(std::array{half}, 1, gpu), invalid_input);
  CHECK_THROWS_AS(sharing_slowdown(std::array{gpu_tenant{}}, 0, gpu), invalid_input);
  CHECK_THROWS_AS(sharing_slowdown(std::array{half}, 0, shared_gpu{}), invalid_input);
  CHECK_THROWS_AS(sharing_slowdown(std::array{half}, 0, shared_gpu{.memory = 1 * GB}),
                  invalid_input);
  CHECK_THROWS_AS(sharing_load_of(std::array{gpu_tenant{.step = 1 * second, .busy = 1.1}}),
                  invalid_input);
  CHECK_THROWS_AS(sharing_load_of(std::array{gpu_tenant{.step = 1 * second, .memory = -1 * GB}}),
                  invalid_input);
}

}  // namespace
}  // namespace gpuplan
