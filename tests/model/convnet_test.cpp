#include <gpuplan/model/convnet.hpp>

#include <cmath>

#include <gpuplan/model/convnet_catalog.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using units::byte;

// Parameters as torchvision's models have them.
static_assert(parameters_of(catalog::resnet_50) == 25'557'032);
static_assert(parameters_of(catalog::resnet_101) == 44'549'160);
static_assert(parameters_of(catalog::resnet_152) == 60'192'808);
static_assert(parameters_of(catalog::vgg_16) == 138'357'544);

// Worked numbers of two source documents on the first convolution of ResNet-50.
constexpr convnet_layer first = catalog::resnet_50.layers.front();
static_assert(first.output == image_shape{112, 112, 64});
static_assert(activation_memory(first, 1, number_format::fp32) == 3'211'264 * byte,
              "printed as 3.14 MB");
static_assert(activation_memory(first, 32, number_format::fp32) == 102'760'448 * byte,
              "printed as 100.48 MB, and as 98 MB, which are MiB");
static_assert(multiply_adds(first) == 112.0 * 112 * 64 * 147, "7 x 7 x 3 for each output");
static_assert(parameters_of(first) * 4 == 37'632, "weight gradients in B, printed as 0.037 GB");
constexpr convnet_layer wide{.kind = convnet_layer_kind::convolution, .output = {224, 224, 64}};
static_assert(activation_memory(wide, 64, number_format::fp32) == 822'083'584 * byte,
              "printed as 3.2 GB, elsewhere as 8.1 GB");

static_assert(sliding_output(224, 7, 2, 3) == 112 && sliding_output(112, 3, 2, 1) == 56);
static_assert(sliding_output(7, 7, 1, 0) == 1);

// A depthwise convolution has one window a channel.
constexpr convnet_layer depthwise = [] {
  convnet_layer layer = convolution({14, 14, 512}, 512, 3, 1, 1);
  layer.groups = 512;
  return layer;
}();
static_assert(parameters_of(depthwise) == 9 * 512);
static_assert(multiply_adds(depthwise) == 14 * 14 * 9 * 512.0);

constexpr double product_outputs(const convnet& net) {
  double sum = 0;
  for (const convnet_layer& layer : net.layers)
    if (multiply_adds(layer) > 0) sum += layer.output.elements();
  return sum;
}

template <class... Args>
concept memory_accepts = requires(Args... args) {
  activation_memory(args...);
};
static_assert(memory_accepts<convnet, int, number_format>);
static_assert(!memory_accepts<convnet, int, double>, "bytes a number follow from its format");

TEST_CASE("operations and outputs are those that others print", "[model][reference]") {
  // torchvision, metadata of the weights (GFLOPS, multiply-adds counted once), to three places.
  CHECK(std::abs(multiply_adds(catalog::resnet_50) / 1e9 - 4.089) < 0.0005);
  CHECK(std::abs(multiply_adds(catalog::resnet_101) / 1e9 - 7.801) < 0.0005);
  CHECK(std::abs(multiply_adds(catalog::resnet_152) / 1e9 - 11.514) < 0.0005);
  CHECK(std::abs(multiply_adds(catalog::vgg_16) / 1e9 - 15.470) < 0.0005);
  // R. Wightman, "PyTorch Image Models", results, column of activations (outputs of
  // convolutions and dense layers).
  CHECK(std::abs(product_outputs(catalog::resnet_50) / 1e6 - 11.11) < 0.005);
  CHECK(std::abs(product_outputs(catalog::resnet_101) / 1e6 - 16.23) < 0.005);
  CHECK(std::abs(product_outputs(catalog::resnet_152) / 1e6 - 22.56) < 0.005);
}

TEST_CASE("each layer reads what one before it made", "[model]") {
  for (const convnet& net :
       {catalog::resnet_50, catalog::resnet_101, catalog::resnet_152, catalog::vgg_16}) {
    for (std::size_t i = 0; i < net.layers.size(); ++i) {
      bool made = net.layers[i].input == net.input;
      for (std::size_t j = 0; j < i; ++j) made |= net.layers[j].output == net.layers[i].input;
      CHECK(made);
      CHECK(net.layers[i].output.elements() > 0);
    }
    CHECK(net.layers.back().output == image_shape{1, 1, 1000});
  }
}

TEST_CASE("activations are linear in the batch and in the bytes of a number", "[model]") {
  testing::check_property("linear", [] {
    const int images = *rc::gen::inRange(0, 10'000);
    const bytes once = activation_memory(catalog::resnet_50, 1, number_format::bf16);
    RC_ASSERT(activation_memory(catalog::resnet_50, images, number_format::bf16) == images * once);
    RC_ASSERT(activation_memory(catalog::resnet_50, images, number_format::fp32) ==
              2 * images * once);
  });
}

TEST_CASE("windows that cannot slide and batches below nothing are refused", "[model]") {
  CHECK_THROWS_AS(sliding_output(4, 7, 1, 1), invalid_input);
  CHECK_THROWS_AS(sliding_output(0, 1, 1, 0), invalid_input);
  CHECK_THROWS_AS(sliding_output(4, 2, 0, 0), invalid_input);
  CHECK_THROWS_AS(activation_memory(first, -1, number_format::fp32), invalid_input);
  CHECK_THROWS_AS(parameters_of(convnet_layer{.kind = static_cast<convnet_layer_kind>(9)}),
                  invalid_input);
}

}  // namespace
}  // namespace gpuplan
