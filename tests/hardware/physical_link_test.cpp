#include <gpuplan/hardware/physical_link.hpp>

#include <limits>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr physical_link nvlink4{.latency = 3.4 * us,
                                .signalling = per_direction(478.125 * GB / second),
                                .advertised = both_directions(900 * GB / second),
                                .achievable = per_direction(367.2 * GB / second)};
constexpr physical_link unmeasured{.advertised = nvlink4.advertised};

static_assert((require_valid(nvlink4), true));
static_assert((require_valid(physical_link{}), true), "nothing is known of many a link");
static_assert(planned_rate(nvlink4) == nvlink4.achievable);
static_assert(planned_rate(unmeasured) == nvlink4.advertised);
static_assert(planned_rate(physical_link{}) == link_rate{});
static_assert(interconnect_of(nvlink4).bandwidth == 367.2 * GB / second, "one direction of it");
static_assert(interconnect_of(nvlink4).latency == nvlink4.latency);
static_assert(interconnect_of(unmeasured).bandwidth == 450 * GB / second, "half the brochure's");

template <class Rate>
concept advertises = requires(Rate rate) {
  physical_link{.advertised = rate};
};
static_assert(advertises<link_rate>);
static_assert(!advertises<bytes_per_second>, "it must say whether it is one direction or both");
static_assert(!advertises<double>, "400 of what?");

TEST_CASE("a negative or unknown rate makes no interconnect", "[hardware][errors]") {
  const auto refused = [](auto change) {
    physical_link changed = nvlink4;
    change(changed);
    CHECK_THROWS_AS(interconnect_of(changed), invalid_input);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refused([](physical_link& l) { l.latency = -1 * us; });
  refused([](physical_link& l) { l.signalling = per_direction(-1 * GB / second); });
  refused([](physical_link& l) { l.advertised = per_direction(-1 * GB / second); });
  refused([](physical_link& l) { l.achievable = per_direction(-1 * GB / second); });
  refused([&](physical_link& l) { l.achievable = per_direction(nan * GB / second); });
  refused([](physical_link& l) { l.achievable = l.advertised = {}; });
}

}  // namespace
}  // namespace gpuplan
