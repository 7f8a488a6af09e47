#include <gpuplan/units/link_rate.hpp>

#include <type_traits>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr link_rate nvlink4 = both_directions(900 * GB / second);
constexpr link_rate ndr = per_direction(400 * Gbit / second);

static_assert(nvlink4.per_direction() == 450 * GB / second);
static_assert(nvlink4.both_directions() == 900 * GB / second);
static_assert(ndr.per_direction() == 50 * GB / second);
static_assert(ndr.both_directions() == 100 * GB / second);
static_assert(both_directions(900 * GB / second) == per_direction(450 * GB / second));
static_assert(18 * both_directions(50 * GB / second) == nvlink4, "eighteen links of an H100");
static_assert((ndr + ndr).per_direction() == 100 * GB / second);
static_assert(link_rate{}.per_direction() == bytes_per_second{0});
static_assert(sizeof(link_rate) == sizeof(double) && std::is_trivially_copyable_v<link_rate>);

// What must not compile: a rate of unsaid direction, either way.
static_assert(!std::is_constructible_v<link_rate, bytes_per_second>);
static_assert(!std::is_constructible_v<bytes_per_second, link_rate>);
static_assert(!std::is_assignable_v<bytes_per_second&, link_rate>);
template <class A, class B>
concept divides = requires(A a, B b) {
  a / b;
};
static_assert(divides<bytes, bytes_per_second> && !divides<bytes, link_rate>,
              "a message does not travel both ways at once");
template <class A, class B>
concept comparable = requires(A a, B b) {
  a < b;
};
static_assert(!comparable<link_rate, bytes_per_second>);
template <class Q>
concept has_direction = requires(Q q) {
  per_direction(q);
};
static_assert(has_direction<bytes_per_second> && !has_direction<bytes> && !has_direction<double>);

TEST_CASE("an advertised sum of both directions is twice what a message sees", "[units][link]") {
  // NVIDIA's H100 datasheet: NVLink 900 GB/s, both directions of 18 links.
  const seconds real = 1 * GB / nvlink4.per_direction();
  const seconds believed = 1 * GB / nvlink4.both_directions();
  CHECK(real / believed == 2);
}

}  // namespace
}  // namespace gpuplan
