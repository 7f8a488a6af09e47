#include <gpuplan/queue/share/weighted_sharing.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr std::array even{sharing_class{0.5 / second, 1 * second, 2},
                          sharing_class{0.125 / second, 2 * second, 2}};
static_assert(weighted_sharing_response(even, 0) == 4 * second, "equal weights: S / (1 - rho)");
static_assert(abs(weighted_sharing_response(even, 1) - 8 * second) < 1e-14 * second);

TEST_CASE("weights move time between classes, but keep the work", "[queue][property]") {
  testing::check_property("sum of rho_k T_k is that of processor sharing", [] {
    std::vector<sharing_class> classes(static_cast<std::size_t>(*rc::gen::inRange(1, 17)));
    double total = 0;
    for (sharing_class& of : classes) {
      of = {*rc::gen::inRange(1, 100) / 1.0 / hour, *rc::gen::inRange(1, 100) * minute,
            static_cast<double>(*rc::gen::inRange(1, 50))};
      total += of.arrival_rate * of.mean_service;
    }
    const double rho = *rc::gen::inRange(1, 990) / 1000.0;
    double kept = 0;
    double shared = 0;
    for (sharing_class& of : classes) of.arrival_rate *= rho / total;
    for (std::size_t k = 0; k < classes.size(); ++k) {
      const seconds time = weighted_sharing_response(classes, k);
      RC_ASSERT(time >= classes[k].mean_service * (1 - 1e-12));
      const double load = classes[k].arrival_rate * classes[k].mean_service;
      // Work of exponential jobs left is as their number: lambda T S.
      kept += load * (time / hour);
      shared += load * (classes[k].mean_service / (1 - rho) / hour);
    }
    RC_ASSERT(std::abs(kept - shared) <= 1e-9 * shared);
  });
}

TEST_CASE("weighted sharing in overload, and what is none", "[queue][errors]") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isinf(weighted_sharing_response(std::array{sharing_class{1 / hour, 1 * hour}}, 0) /
                   hour));
  CHECK_THROWS_AS(weighted_sharing_response(even, 2), invalid_input);
  CHECK_THROWS_AS(weighted_sharing_response(std::vector<sharing_class>(17, even[0]), 0),
                  invalid_input);
  CHECK_THROWS_AS(weighted_sharing_response(std::array{sharing_class{nan / hour, 1 * hour}}, 0),
                  invalid_input);
  CHECK_THROWS_AS(weighted_sharing_response(std::array{sharing_class{1 / hour, 0 * hour}}, 0),
                  invalid_input);
  CHECK_THROWS_AS(weighted_sharing_response(std::array{sharing_class{1 / hour, 1 * hour, 0}}, 0),
                  invalid_input);
}

}  // namespace
}  // namespace gpuplan
