#include <gpuplan/compute/convnet_flop.hpp>

#include <gpuplan/model/convnet_catalog.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using units::FLOP;

static_assert(forward_flop(catalog::resnet_50, 0) == flop{0});
static_assert(forward_flop(catalog::resnet_50, 2) == 4 * multiply_adds(catalog::resnet_50) * FLOP);
static_assert(training_flop(catalog::vgg_16, 32) == 3 * forward_flop(catalog::vgg_16, 32));

// The part that training_flop counts too much, as its comment says.
constexpr double first = multiply_adds(catalog::resnet_50.layers.front());
static_assert(first / multiply_adds(catalog::resnet_50) < 0.03);

}  // namespace

TEST_CASE("a batch below nothing is refused", "[compute]") {
  CHECK_THROWS_AS(forward_flop(catalog::resnet_50, -1), invalid_input);
}

}  // namespace gpuplan
