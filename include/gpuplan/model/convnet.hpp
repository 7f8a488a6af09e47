#pragma once
/// \file
/// Convolutional networks as lists of layers: parameters, multiply-adds and outputs.

#include <cstdint>
#include <span>

#include <gpuplan/require.hpp>
#include <gpuplan/units/number_format.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Height, width and channels of one image as a layer sees it.
struct image_shape {
  int height = 0;    ///< >= 1
  int width = 0;     ///< >= 1
  int channels = 0;  ///< >= 1

  [[nodiscard]] constexpr double elements() const {
    return static_cast<double>(height) * width * channels;
  }
  friend constexpr bool operator==(const image_shape&, const image_shape&) = default;
};

/// What a layer of a convolutional network does.
enum class convnet_layer_kind { convolution, normalization, pooling, residual_add, dense };

/// One layer, with what it reads and what it makes.  An activation function works in place and is
/// no layer of its own.
struct convnet_layer {
  convnet_layer_kind kind{};
  image_shape input{};
  image_shape output{};
  int kernel = 1;  ///< side of the square window of a convolution or a pooling; >= 1
  int groups = 1;  ///< of channels that a convolution keeps apart; divides both channel counts
  bool bias = false;
};

/// A network.  The list is somebody else's, such as a constexpr array, and must outlive it.
struct convnet {
  image_shape input{};
  std::span<const convnet_layer> layers{};
};

/// Side of what a window makes of a side.
///
///     floor((n + 2 p - k) / s) + 1
///
///     n  side of the input         count, >= 1
///     k  side of the window        count, >= 1
///     s  stride                    count, >= 1
///     p  padding on either side    count, >= 0
///
/// Holds: no dilation.
///
/// Source: V. Dumoulin and F. Visin, "A guide to convolution arithmetic for deep learning" (2016),
/// relationship 6, arXiv:1603.07285.
///
/// \throws invalid_input if one is out of its range, or the window is larger than what it slides on
constexpr int sliding_output(int side, int kernel, int stride, int padding) {
  require(side >= 1 && kernel >= 1, "sliding_output: side and kernel must be >= 1");
  require(stride >= 1 && padding >= 0, "sliding_output: stride must be >= 1, padding >= 0");
  require(std::int64_t{side} + 2 * std::int64_t{padding} >= kernel,
          "sliding_output: kernel must be <= side + 2 padding");
  return static_cast<int>((std::int64_t{side} + 2 * std::int64_t{padding} - kernel) / stride + 1);
}

/// A convolution of `channels` square kernels, without a bias, as a normalization follows it.
///
/// \throws invalid_input as sliding_output does
constexpr convnet_layer convolution(const image_shape& input, int channels, int kernel,
                                    int stride = 1, int padding = 0) {
  return {.kind = convnet_layer_kind::convolution,
          .input = input,
          .output = {sliding_output(input.height, kernel, stride, padding),
                     sliding_output(input.width, kernel, stride, padding), channels},
          .kernel = kernel};
}
/// The mean or the largest of each window, channel by channel.
///
/// \throws invalid_input as sliding_output does
constexpr convnet_layer pooling(const image_shape& input, int kernel, int stride, int padding = 0) {
  convnet_layer layer = convolution(input, input.channels, kernel, stride, padding);
  layer.kind = convnet_layer_kind::pooling;
  return layer;
}
/// A batch normalization: a scale and a shift of each channel.
constexpr convnet_layer normalization_of(const image_shape& input) {
  return {.kind = convnet_layer_kind::normalization, .input = input, .output = input};
}
/// The sum of two inputs of this shape.
constexpr convnet_layer residual_add(const image_shape& input) {
  return {.kind = convnet_layer_kind::residual_add, .input = input, .output = input};
}
/// A fully connected layer with a bias; it reads all elements of its input.
constexpr convnet_layer dense(const image_shape& input, int features) {
  return {
      .kind = convnet_layer_kind::dense, .input = input, .output = {1, 1, features}, .bias = true};
}

/// Trained parameters of a layer.
///
///     convolution     k^2 C/g C' + C' with a bias
///     dense           n C' + C' with a bias
///     normalization   2 C, scale and shift
///     pooling, add    0
///
///     k  kernel, C and C' channels in and out, g groups, n elements of the input
///
/// Source: K. He et al., "Deep Residual Learning for Image Recognition", CVPR (2016),
/// arXiv:1512.03385.
///
/// \throws invalid_input if kind is no value of its enumeration
constexpr double parameters_of(const convnet_layer& layer) {
  const double outputs = layer.output.channels;
  const double bias = layer.bias ? outputs : 0;
  switch (layer.kind) {
    case convnet_layer_kind::convolution: {
      const int inputs = layer.input.channels / layer.groups;
      return static_cast<double>(layer.kernel) * layer.kernel * inputs * outputs + bias;
    }
    case convnet_layer_kind::dense: return layer.input.elements() * outputs + bias;
    case convnet_layer_kind::normalization: return 2 * outputs;
    case convnet_layer_kind::pooling:
    case convnet_layer_kind::residual_add: return 0;
  }
  require(false, "parameters_of: convnet_layer.kind must be one of its values");
  return 0;
}

/// Multiply-adds of a layer for one image: each weight of a convolution or a dense layer once for
/// each place of its output, H' W' k^2 C/g C'.  Biases, normalisation, pooling and sums, below
/// 1 %, are left out.
///
/// Source: by definition.
constexpr double multiply_adds(const convnet_layer& layer) {
  if (layer.kind != convnet_layer_kind::convolution && layer.kind != convnet_layer_kind::dense)
    return 0;
  const double bias = layer.bias ? layer.output.channels : 0;
  const double places = static_cast<double>(layer.output.height) * layer.output.width;
  return places * (parameters_of(layer) - bias);
}

/// Memory of a layer's output for a batch: B H W C S.
///
///     B        images                count, >= 0
///     H, W, C  layer.output          elements
///     S        limits_of(format).storage   B
///
/// Errata: a memory calculation article prints 3.14 MB for the first convolution of ResNet-50 in
/// FP32; 112 x 112 x 64 x 4 B is 3.211 MB, or 3.0625 MiB.
///
/// Source: as multiply_adds.
///
/// \throws invalid_input if images < 0
constexpr bytes activation_memory(const convnet_layer& layer, int images, number_format format) {
  require(images >= 0, "activation_memory: images must be >= 0");
  return images * layer.output.elements() * limits_of(format).storage;
}

/// Parameters of all layers.
constexpr double parameters_of(const convnet& net) {
  double sum = 0;
  for (const convnet_layer& layer : net.layers) sum += parameters_of(layer);
  return sum;
}
/// Multiply-adds of all layers on one image, forward.
constexpr double multiply_adds(const convnet& net) {
  double sum = 0;
  for (const convnet_layer& layer : net.layers) sum += multiply_adds(layer);
  return sum;
}
/// Memory of all outputs of a network, kept for its backward pass.
constexpr bytes activation_memory(const convnet& net, int images, number_format format) {
  bytes sum{};
  for (const convnet_layer& layer : net.layers) sum += activation_memory(layer, images, format);
  return sum;
}

}  // namespace gpuplan
