#include <gpuplan/units/quantity.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <boost/math/differentiation/autodiff.hpp>

#include <gpuplan/units/units.hpp>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

// A quantity is its number and nothing else.
static_assert(sizeof(bytes) == sizeof(double) && alignof(bytes) == alignof(double));
static_assert(std::is_trivially_copyable_v<bytes> && std::is_standard_layout_v<bytes>);
static_assert(std::is_nothrow_default_constructible_v<bytes> &&
              std::is_nothrow_copy_assignable_v<bytes>);
static_assert(bytes{} == bytes{0}, "a quantity begins at zero");
static_assert(bytes::exponents == dimension{.byte = 1});

// The dimension of a product is the sum of exponents; where all cancel, a number is left.
static_assert(std::is_same_v<decltype(1 * GB / second), bytes_per_second>);
static_assert(std::is_same_v<decltype(700 * watt * hour), joules>);
static_assert(std::is_same_v<decltype(1 / (5 * ms)), per_second>);
static_assert(std::is_same_v<decltype(GiB / GB), double>);
static_assert(std::is_same_v<decltype(second * (1 / second)), double>);
static_assert(std::is_same_v<decltype(second * second), square_seconds>);
static_assert(GB / MB == 1000 && (80 * GiB).in(GiB) == 80);

// Sums, signs, scales.
static_assert(1 * GB + 1 * MB == 1001 * MB && 1 * GB - 1 * MB == 999 * MB && -GB == -1 * GB);
static_assert(2 * GB == GB * 2 && GB / 2 == 0.5 * GB && 2 * GB == 2.0F * GB);
constexpr bytes changed() {
  bytes x = 3 * GB;
  x += 1 * GB;
  x -= 2 * GB;
  x *= 6;
  x /= 3;
  return x;
}
static_assert(changed() == 4 * GB);
static_assert(abs(-3 * GB) == 3 * GB && abs(3 * GB) == 3 * GB && abs(bytes{-infinity}) > GB);
static_assert(std::bit_cast<std::uint64_t>(abs(bytes{-0.0}) / byte) == 0, "-0 becomes 0");
static_assert(larger(GB, GiB) == GiB && larger(GiB, GB) == GiB && smaller(GB, GiB) == GB);
static_assert(larger(GB, bytes{nan}) == GB && smaller(GB, bytes{nan}) == GB &&
              isnan(larger(bytes{nan}, GB)));
static_assert((std::max)(GB, GiB) == GiB && std::clamp(2 * GB, bytes{}, GB) == GB);

// NaN fails every comparison but !=, as a number does.
static_assert(!(bytes{nan} < GB) && !(bytes{nan} > GB) && !(bytes{nan} <= GB));
static_assert(!(bytes{nan} >= GB) && !(bytes{nan} == bytes{nan}) && bytes{nan} != bytes{nan});
static_assert(isnan(bytes{nan}) && !isnan(GB) && !isnan(bytes{infinity}));
static_assert(isfinite(-GB) && !isfinite(bytes{nan}) && !isfinite(bytes{-infinity}));

// What must not compile.
template <class A, class B>
concept adds = requires(A a, B b) {
  a + b;
};
template <class A, class B>
concept subtracts = requires(A a, B b) {
  a - b;
};
template <class A, class B>
concept less = requires(A a, B b) {
  a < b;
};
template <class A, class B>
concept greater = requires(A a, B b) {
  a > b;
};
template <class A, class B>
concept at_most = requires(A a, B b) {
  a <= b;
};
template <class A, class B>
concept at_least = requires(A a, B b) {
  a >= b;
};
template <class A, class B>
concept equals = requires(A a, B b) {
  a == b;
};
template <class A, class B>
concept differs = requires(A a, B b) {
  a != b;
};
template <class A, class B>
concept gathers = requires(A a, B b) {
  a += b;
};
template <class A, class B>
concept scales = requires(A a, B b) {
  a* b;
};
template <class A, class B>
constexpr bool related =
    adds<A, B> || subtracts<A, B> || less<A, B> || greater<A, B> || at_most<A, B> ||
    at_least<A, B> || equals<A, B> || differs<A, B> || gathers<A, B>;
static_assert(adds<bytes, bytes> && subtracts<bytes, bytes> && less<bytes, bytes> &&
              greater<bytes, bytes> && at_most<bytes, bytes> && at_least<bytes, bytes> &&
              equals<bytes, bytes> && differs<bytes, bytes> && gathers<bytes, bytes>);
static_assert(!related<bytes, seconds> && !related<seconds, bytes>);
static_assert(!related<bytes_per_second, per_second>);
static_assert(!related<bytes, double> && !related<double, bytes> && !related<bytes, int>,
              "a bare number has no unit to agree with");
static_assert(!related<bytes, basic_seconds<float>>, "nor do scalars hide a dimension");
static_assert(!std::is_convertible_v<double, bytes> && !std::is_convertible_v<bytes, double>);
static_assert(!std::is_constructible_v<double, bytes>, "a number leaves by in(unit)");
static_assert(!std::is_constructible_v<seconds, bytes> && !std::is_assignable_v<seconds&, bytes>);
static_assert(scales<bytes, int> && scales<bytes, double> && !scales<bytes, bool>,
              "the answer to a question is no factor");

template <class A, class B>
concept ordered = requires(A a, B b) {
  larger(a, b);
  smaller(a, b);
};
static_assert(ordered<bytes, bytes> && !ordered<bytes, seconds> && !ordered<bytes, double>);

template <class Q>
concept has_root = requires(Q q) {
  sqrt(q);
};
static_assert(has_root<square_seconds> && !has_root<seconds>, "half an exponent is no dimension");

// A scalar widens, a dimension never does.
using ad = boost::math::differentiation::autodiff_fvar<double, 1>;
static_assert(std::is_convertible_v<bytes, basic_bytes<ad>>);
static_assert(!std::is_convertible_v<basic_bytes<ad>, bytes>, "a derivative is not dropped");
static_assert(!std::is_convertible_v<bytes, basic_seconds<ad>>);

TEST_CASE("the root of a variance is a time", "[units][quantity]") {
  const seconds deviation = sqrt(9.0 * second * second);
  CHECK(deviation == 3 * second);
  CHECK(isnan(sqrt(square_seconds{-1})));
}

TEST_CASE("derivatives pass through every operation", "[units][quantity][autodiff]") {
  const ad x = boost::math::differentiation::make_fvar<double, 1>(4.0);
  const basic_bytes<ad> size{x};
  const auto slope = [](const ad& y) { return y.derivative(1); };
  CHECK(slope((size + GB).in_base_units()) == 1);
  CHECK(slope((GB - size).in_base_units()) == -1);
  CHECK(slope((3 * size).in_base_units()) == 3);
  CHECK(slope((size * size).in_base_units()) == 8);
  CHECK(slope((FLOP / size).in_base_units()) == -1.0 / 16);
  CHECK(slope(GB / size) == -1e9 / 16);
  CHECK(slope(sqrt(size * size).in_base_units()) == 1);
  CHECK(slope(abs(-size).in_base_units()) == 1);
  CHECK(slope(size.in(kB)) == 1e-3);
  CHECK(size < GB);
  CHECK(isfinite(size));
}

TEST_CASE("quantities are to the last bit what doubles are", "[units][quantity][property]") {
  testing::check_property(
      "each operation has the value of the operation on numbers", [](double a, double b) {
        const auto same = [](double x, double y) {
          return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y) ||
                 (std::isnan(x) && std::isnan(y));
        };
        const bytes m{a};
        const seconds t{b};
        RC_ASSERT(same((m / t).in_base_units(), a / b));
        RC_ASSERT(same((m * t).in_base_units(), a * b));
        RC_ASSERT(same((m + bytes{b}).in_base_units(), a + b));
        RC_ASSERT(same((m - bytes{b}).in_base_units(), a - b));
        RC_ASSERT(same(m / bytes{b}, a / b));
        RC_ASSERT(same((b * m).in_base_units(), b * a));
        RC_ASSERT(same((m / b).in_base_units(), a / b));
        RC_ASSERT(same((a / t).in_base_units(), a / b));
        RC_ASSERT(same(m.in(GiB), a / 0x1p30));
        RC_ASSERT((m < bytes{b}) == (a < b));
      });
}

}  // namespace
}  // namespace gpuplan
