#include <gpuplan/queue/gang/mix.hpp>

#include <vector>

#include <gpuplan/queue/gang/one_size.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

TEST_CASE("equal durations do not vary, whatever is rounded", "[queue][limits]") {
  for (int first = 1; first < 60; ++first)
    for (const seconds duration : {1 * hour, 0.1 * second, 7.3 * year}) {
      const std::vector<gang_class> classes{
          {.gpus = 8, .share = first / 7.0, .mean_duration = duration, .variability = 0},
          {.gpus = 8, .share = 0.3, .mean_duration = duration * (1 + 1e-15), .variability = 0}};
      const double variability = mix_of(classes).variability();
      CHECK(variability >= 0);
      CHECK(variability <= 1e-14);
      CHECK(one_size_of({0.1 / duration, classes, 16})->variability == variability);
    }
}

}  // namespace
}  // namespace gpuplan
