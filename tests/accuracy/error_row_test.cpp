#include <gpuplan/accuracy/error_row.hpp>

#include <cstddef>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

static_assert(!error_row{}.kind && !error_row{}.software && !error_row{}.launches);
static_assert(error_quantiles{}.size() == error_probabilities.size());

TEST_CASE("probabilities of the table rise, and pair off around the middle", "[accuracy]") {
  const std::size_t n = error_probabilities.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0) CHECK(error_probabilities[i] > error_probabilities[i - 1]);
    CHECK(error_probabilities[i] + error_probabilities[n - 1 - i] == 1);
  }
}

}  // namespace
}  // namespace gpuplan
