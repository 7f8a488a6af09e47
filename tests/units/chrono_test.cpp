#include <gpuplan/units/chrono.hpp>

#include <limits>
#include <type_traits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;
using namespace std::chrono_literals;

static_assert(from_chrono(2min) == 2 * minute && from_chrono(3h) == 3 * hour);
static_assert(from_chrono(-1s) == -1 * second && from_chrono(0ns) == seconds{0});
static_assert(from_chrono(1.5h) == 90 * minute);
static_assert(to_chrono(2 * hour) == 2h && to_chrono(0.5 * second) == 500ms);
static_assert(std::chrono::duration_cast<std::chrono::milliseconds>(to_chrono(1.25 * second)) ==
              1250ms);

// What must not compile.
template <class T>
concept goes_out = requires(T x) {
  to_chrono(x);
};
template <class T>
concept comes_in = requires(T x) {
  from_chrono(x);
};
static_assert(goes_out<seconds> && !goes_out<bytes> && !goes_out<double>);
static_assert(!goes_out<square_seconds> && !goes_out<per_second>);
static_assert(comes_in<std::chrono::nanoseconds> && !comes_in<double> && !comes_in<seconds>);
static_assert(!std::is_convertible_v<std::chrono::seconds, seconds>, "the door has a name");
static_assert(!std::is_convertible_v<seconds, std::chrono::duration<double>>);

TEST_CASE("a time survives the way out and back", "[units][chrono][property]") {
  testing::check_property("from_chrono(to_chrono(t)) is t", [](double t) {
    RC_ASSERT(from_chrono(to_chrono(seconds{t})) == seconds{t});
  });
  testing::check_property("a whole number of milliseconds comes back", [] {
    const auto ms = std::chrono::milliseconds{
        *rc::gen::inRange<std::int64_t>(-1'000'000'000'000, 1'000'000'000'000)};
    RC_ASSERT(std::chrono::round<std::chrono::milliseconds>(to_chrono(from_chrono(ms))) == ms);
  });
}

TEST_CASE("what is not finite stays so", "[units][chrono]") {
  CHECK(isnan(from_chrono(to_chrono(seconds{std::numeric_limits<double>::quiet_NaN()}))));
  CHECK(!isfinite(from_chrono(to_chrono(seconds{std::numeric_limits<double>::infinity()}))));
}

}  // namespace
}  // namespace gpuplan
