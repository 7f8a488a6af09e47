#include <gpuplan/compute/convnet_time.hpp>

#include <array>
#include <cmath>
#include <limits>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/model/convnet_catalog.hpp>

#include "support/catch.hpp"
#include "support/derivative.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;
using enum convnet_kernels;

constexpr auto rates_of(const accelerator& gpu, precision in = precision::mixed_fp16) {
  return kernel_rates_of(gpu, {.precision = in}, framework_profile{});
}
constexpr auto a100 = rates_of(catalog::a100_sxm4_80gb);

// Slices of a sum: four tiles on 108 multiprocessors leave room for 27 of each.
static_assert(detail::split({256, 256, 27 * 256}, 108).slices == 27);
static_assert(detail::split({512, 256, 1000}, 108).slices == 3, "each at least 256 deep");
static_assert(detail::split({512, 256, 200}, 108).slices == 1);
static_assert(detail::split({256 * 108, 128, 1e6}, 108).slices == 1, "no multiprocessor is idle");
static_assert(product_flop(detail::split({512, 256, 1000}, 108).product) ==
              product_flop({512, 256, 1000}));

template <class... Args>
concept convolves = requires(Args... args) {
  convolution_time(args...);
};
static_assert(convolves<convnet_layer, int, channel_order, basic_kernel_rates<double>>);
static_assert(!convolves<convnet_layer, bytes, channel_order, basic_kernel_rates<double>>);
static_assert(!convolves<convnet_layer, int, bool, basic_kernel_rates<double>>);

TEST_CASE("a wide convolution runs at the rate of products", "[compute][limits]") {
  // 3 x 3 over 32 x 32 images, 1024 channels: far above the ridge, whole tiles, one multiprocessor.
  basic_kernel_rates<double> one = a100;
  one.product.streaming_multiprocessors = 1;
  const convnet_layer layer = convolution({32, 32, 1024}, 1024, 3, 1, 1);
  const auto time = convolution_time(layer, 128, channel_order::last, one);
  const flop work = 2 * 128 * multiply_adds(layer) * FLOP;
  CHECK_THAT((time.forward * one.product.rate).in(FLOP), WithinRel(work.in(FLOP), 1e-12));
  CHECK_THAT((time.input_gradient * one.product.rate).in(FLOP), WithinRel(work.in(FLOP), 1e-12));
  CHECK_THAT((time.weight_gradient * one.product.rate).in(FLOP), WithinRel(work.in(FLOP), 1e-12));
}

TEST_CASE("a narrow convolution is bound by its bytes", "[compute][limits]") {
  const convnet_layer layer = convolution({56, 56, 64}, 64, 1);
  const auto time = convolution_time(layer, 256, channel_order::last, a100);
  const bytes moved = (2 * 256 * 56.0 * 56 * 64 + 64 * 64) * 2 * byte;
  CHECK_THAT(time.forward.in(second), WithinRel((moved / a100.memory).in(second), 1e-12));
}

TEST_CASE("a stride of two reads a quarter of what a window of one sees", "[compute][facts]") {
  const convnet_layer all = convolution({56, 56, 256}, 512, 1);
  const convnet_layer quarter = convolution({56, 56, 256}, 512, 1, 2);
  const auto time = [](const convnet_layer& layer) {
    return convolution_time(layer, 256, channel_order::last, a100);
  };
  CHECK(time(quarter).forward < time(all).forward / 3.5);
  CHECK(time(quarter).input_gradient > time(all).input_gradient / 3.5);  // writes zeros, too
}

TEST_CASE("channels that come first are turned, in and out", "[compute][facts]") {
  const convnet_layer layer = convolution({56, 56, 64}, 64, 1);
  const auto first = convolution_time(layer, 256, channel_order::first, a100);
  const auto last = convolution_time(layer, 256, channel_order::last, a100);
  const bytes both = 2 * 256 * 56.0 * 56 * 64 * 2 * byte;
  CHECK_THAT((first.forward - last.forward).in(second),
             WithinRel((2 * both / a100.memory).in(second), 1e-12));
}

TEST_CASE("normalisations move eight passes, and an activation five", "[compute][facts]") {
  const image_shape shape{56, 56, 64};
  const std::array layers{normalization_of(shape), residual_add(shape), normalization_of(shape),
                          pooling(shape, 2, 2)};
  const convnet net{shape, layers};
  const seconds pass = 32 * shape.elements() * 2 * byte / a100.elementwise;
  const auto apart = convnet_time(net, 32, {separate}, a100);
  CHECK_THAT(apart.normalizations / pass, WithinRel(16, 1e-12));
  CHECK_THAT(apart.sums / pass, WithinRel(6, 1e-12));
  CHECK_THAT(apart.activations / pass, WithinRel(10, 1e-12));  // after the sum, before pooling
  CHECK_THAT(apart.pooling / pass, WithinRel(2 * (1 + 2.0 / 4), 1e-12));
  const auto together = convnet_time(net, 32, {fused}, a100);
  CHECK_THAT(together.normalizations / pass, WithinRel(16, 1e-12));
  CHECK_THAT(together.sums / pass, WithinRel(3, 1e-12));
  CHECK(together.activations == seconds{0});
}

TEST_CASE("ResNet-50 has an activation after all but the last layer of each branch",
          "[compute][reference]") {
  // He et al. 2016: one after the stem, two in each of 16 blocks, and one after each sum.
  int count = 0;
  for (std::size_t i = 0; i < catalog::resnet_50.layers.size(); ++i)
    count += detail::activates(catalog::resnet_50, i);
  CHECK(count == 1 + 16 * 3);
  count = 0;  // Simonyan and Zisserman 2015: after all but the last of 16 layers with weights
  for (std::size_t i = 0; i < catalog::vgg_16.layers.size(); ++i)
    count += detail::activates(catalog::vgg_16, i);
  CHECK(count == 15);
}

TEST_CASE("ResNet-50 trains at nearly the rates that were measured", "[compute][reference]") {
  // Images a second of one GPU.  NVIDIA, DeepLearningExamples, PyTorch ResNet-50 v1.5, README,
  // training performance, in NHWC with 16 bits and in NCHW without; MLPerf Training v4.0, NVIDIA's
  // logs of 8 GPUs in MXNet.  Errors of the model: 4, -8, -11, -5, 11, -4 and -20 %.
  struct row {
    const accelerator* gpu;
    precision in;
    int images;
    convnet_software by;
    double printed;
    double error;
  };
  const convnet_software eager{separate};
  const convnet_software mxnet{fused};
  const auto& r = GENERATE_REF(
      row{&catalog::a100_sxm4_80gb, precision::mixed_fp16, 256, eager, 2470, 0.038},
      row{&catalog::v100_sxm2_32gb, precision::mixed_fp16, 256, eager, 1156, -0.082},
      row{&catalog::h100_sxm5_80gb, precision::mixed_fp16, 400, mxnet, 57294.76 / 8, -0.114},
      row{&catalog::h200_sxm_141gb, precision::mixed_fp16, 400, mxnet, 63599.05 / 8, -0.050},
      row{&catalog::l40s, precision::mixed_fp16, 200, mxnet, 14835.43 / 8, 0.108},
      row{&catalog::a100_sxm4_80gb,
          precision::tf32,
          256,
          {separate, channel_order::first},
          938,
          -0.040},
      row{&catalog::v100_sxm2_32gb, precision::fp32, 112, eager, 356, -0.199});
  const auto time = convnet_time(catalog::resnet_50, r.images, r.by, rates_of(*r.gpu, r.in));
  const double rate = r.images / time.total().in(second);
  INFO(rate << " images/s, printed " << r.printed);
  CHECK(std::abs(rate / r.printed - 1 - r.error) < 0.02);
  CHECK(std::abs(rate / r.printed - 1) < 0.30);
}

TEST_CASE("no network is faster than its operations at the peak", "[compute][property]") {
  testing::check_property("convnets below the peak", [] {
    const auto& entry = *rc::gen::elementOf(catalog::accelerators);
    RC_PRE(entry.gpu->peak.fp16 > flop_per_second{0});
    const int images = *rc::gen::inRange(1, 513);
    const convnet& net =
        *rc::gen::element(catalog::resnet_50, catalog::resnet_152, catalog::vgg_16);
    const convnet_software by{*rc::gen::element(separate, fused),
                              *rc::gen::element(channel_order::last, channel_order::first)};
    const auto rates = rates_of(*entry.gpu);
    const seconds time = convnet_time(net, images, by, rates).total();
    const flop work =
        training_flop(net, images) - 2 * images * multiply_adds(net.layers.front()) * FLOP;
    RC_ASSERT(time >= work / entry.gpu->peak.fp16);
    RC_ASSERT(convnet_time(net, images + 8, by, rates).total() > time);
    RC_ASSERT(convnet_time(net, images, {separate, by.order}, rates).total() >= time);
    RC_ASSERT(convnet_time(net, images, {by.kernels, channel_order::first}, rates).total() >= time);
  });
}

TEST_CASE("a network follows the rates of its device", "[compute][derivative]") {
  using testing::dual;
  const auto at = [](const auto& bandwidth) {
    using scalar = std::remove_cvref_t<decltype(bandwidth)>;
    basic_accelerator<scalar> gpu{.memory_bandwidth = 10 * TB / second};
    gpu.peak.fp16 = 300 * TFLOP / second;
    gpu.achieved_memory_bandwidth = basic_bytes_per_second<scalar>{bandwidth};
    gpu.streaming_multiprocessors = 108;
    const auto rates = kernel_rates_of(gpu, {.precision = precision::mixed_fp16},
                                       basic_framework_profile<scalar>{});
    return convnet_time(catalog::resnet_50, 256, {separate}, rates).total().in_base_units();
  };
  const double exact = testing::slope(at(testing::variable(1.7e12)));
  CHECK(exact < 0);
  CHECK_THAT(exact, WithinRel(testing::difference(at, 1.7e12), 1e-5));
}

TEST_CASE("convnet_time refuses what its documentation refuses", "[compute][errors]") {
  const convnet_layer layer = convolution({8, 8, 8}, 8, 1);
  const auto refused = [&](const convnet_layer& one, int images, channel_order order) {
    CHECK_THROWS_AS(convolution_time(one, images, order, a100), invalid_input);
  };
  refused(layer, 0, channel_order::last);
  refused(layer, 1, channel_order{9});
  refused(dense({1, 1, 8}, 8), 1, channel_order::last);
  CHECK_THROWS_AS(convnet_time(catalog::resnet_50, 0, {}, a100), invalid_input);
  CHECK_THROWS_AS(convnet_time(catalog::resnet_50, 1, {convnet_kernels{9}}, a100), invalid_input);
  const std::array odd{convnet_layer{.kind = static_cast<convnet_layer_kind>(9)}};
  CHECK_THROWS_AS(convnet_time({{}, odd}, 1, {}, a100), invalid_input);
}

}  // namespace
}  // namespace gpuplan

namespace gpuplan {
namespace {

using units::FLOP;

static_assert(forward_flop(catalog::resnet_50, 0) == flop{0});
static_assert(forward_flop(catalog::resnet_50, 2) == 4 * multiply_adds(catalog::resnet_50) * FLOP);
static_assert(training_flop(catalog::vgg_16, 32) == 3 * forward_flop(catalog::vgg_16, 32));

// The part that training_flop counts too much, as its comment says.
constexpr double first = multiply_adds(catalog::resnet_50.layers.front());
static_assert(first / multiply_adds(catalog::resnet_50) < 0.03);

TEST_CASE("a batch below nothing is refused", "[compute]") {
  CHECK_THROWS_AS(forward_flop(catalog::resnet_50, -1), invalid_input);
}

}  // namespace
}  // namespace gpuplan
