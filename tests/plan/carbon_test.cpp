#include <gpuplan/plan/carbon.hpp>

#include <cmath>
#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

static_assert(operational_carbon(1 * kWh, 400 * gram / kWh) == 400 * gram);
static_assert(operational_carbon(joules{0}, 400 * gram / kWh) == grams{0});
static_assert(embodied_carbon(150 * kg, 1 * year, 6 * year) == 25 * kg);

template <class Energy>
concept emits = requires(Energy energy) {
  operational_carbon(energy, grams_per_joule{1});
};
static_assert(emits<joules> && !emits<watts> && !emits<double>);

TEST_CASE("the emissions of BLOOM", "[plan][reference]") {
  // Luccioni, Viguier and Ligozat 2023: 1 082 990 GPU hours at 400 W on a grid of 57 g/kWh
  // are 24.69 tonnes; the GPUs, 150 kg each over six years at 85%, are 3.64 tonnes; the servers,
  // one for eight GPUs and 2500 kg each, 7.57.
  const seconds gpu_time = 1082990 * hour;
  CHECK(std::abs(operational_carbon(400 * watt * gpu_time, 57 * gram / kWh).in(tonne)-24.69) <=
        0.005);
  const seconds lifetime = 6 * 365 * day;
  CHECK(std::abs(embodied_carbon(150 * kg, gpu_time, lifetime, 0.85).in(tonne)-3.64) <= 0.005);
  CHECK(std::abs(embodied_carbon(2500 * kg, gpu_time / 8, lifetime, 0.85).in(tonne)-7.57) <= 0.01);
}

TEST_CASE("the emissions of Llama 2 are at one intensity", "[plan][reference]") {
  // Model card of Llama 2: GPU hours at 400 W and tonnes; the intensity of 7B foretells the others.
  const grams_per_joule grid = 31.22 * tonne / (184320 * hour * (400 * watt));
  CHECK(std::abs(operational_carbon(368640 * hour * (400 * watt), grid).in(tonne)-62.44) <= 0.01);
  CHECK(std::abs(operational_carbon(1720320 * hour * (400 * watt), grid).in(tonne)-291.42) <= 0.05);
}

TEST_CASE("emissions refuse what their documentation refuses", "[plan][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(operational_carbon(joules{-1}, gram / kWh), invalid_input);
  CHECK_THROWS_AS(operational_carbon(joules{nan}, gram / kWh), invalid_input);
  CHECK_THROWS_AS(operational_carbon(kWh, grams_per_joule{-1}), invalid_input);
  CHECK_THROWS_AS(embodied_carbon(grams{-1}, hour, year), invalid_input);
  CHECK_THROWS_AS(embodied_carbon(kg, seconds{nan}, year), invalid_input);
  CHECK_THROWS_AS(embodied_carbon(kg, hour, seconds{0}), invalid_input);
  for (const double utilization : {0.0, 1.1, nan})
    CHECK_THROWS_AS(embodied_carbon(kg, hour, year, utilization), invalid_input);
}

}  // namespace
}  // namespace gpuplan
