#pragma once
/// \file
/// Convolutional networks that benchmarks use, for images of 224 x 224 and 1000 classes.

#include <array>
#include <cstddef>

#include <gpuplan/model/convnet.hpp>

namespace gpuplan::catalog {

/// What the networks below read.
inline constexpr image_shape imagenet_image{224, 224, 3};

namespace detail {

/// Collects layers into an array, each reading what the last one made.
template <std::size_t N>
struct convnet_builder {
  std::array<convnet_layer, N> layers{};
  std::size_t size = 0;
  image_shape at = imagenet_image;

  constexpr void add(const convnet_layer& layer) {
    layers[size++] = layer;
    at = layer.output;
  }
  constexpr void convolve(int channels, int kernel, int stride) {
    add(convolution(at, channels, kernel, stride, kernel / 2));
    add(normalization_of(at));
  }
};

/// Layers of a bottleneck ResNet: stem 3, seven a block and two more where it changes shape, end 2.
constexpr std::size_t resnet_layers(const std::array<int, 4>& blocks) {
  std::size_t count = 3 + 4 * 2 + 2;
  for (const int n : blocks) count += 7 * static_cast<std::size_t>(n);
  return count;
}

/// A block of three convolutions around a shortcut.  The second has the stride, as in every
/// implementation since the paper; the shortcut is mapped where the shape changes.
template <class Builder>
constexpr void add_bottleneck(Builder& net, int width, int stride) {
  constexpr int expansion = 4;
  const image_shape entry = net.at;
  net.convolve(width, 1, 1);
  net.convolve(width, 3, stride);
  net.convolve(width * expansion, 1, 1);
  const image_shape exit = net.at;
  if (entry != exit) {
    net.at = entry;
    net.convolve(exit.channels, 1, stride);
  }
  net.add(residual_add(exit));
}

template <std::size_t N>
constexpr std::array<convnet_layer, N> resnet(const std::array<int, 4>& blocks) {
  convnet_builder<N> net;
  net.convolve(64, 7, 2);
  net.add(pooling(net.at, 3, 2, 1));
  int width = 64;
  for (std::size_t stage = 0; stage < blocks.size(); ++stage, width *= 2)
    for (int block = 0; block < blocks[stage]; ++block)
      add_bottleneck(net, width, stage > 0 && block == 0 ? 2 : 1);
  net.add(pooling(net.at, net.at.height, 1));
  net.add(dense(net.at, 1000));
  return net.layers;
}

constexpr std::array<convnet_layer, 21> vgg_16_of() {
  convnet_builder<21> net;
  int channels = 64;
  for (const int convolutions : {2, 2, 3, 3, 3}) {
    for (int i = 0; i < convolutions; ++i) {
      convnet_layer layer = convolution(net.at, channels, 3, 1, 1);
      layer.bias = true;
      net.add(layer);
    }
    net.add(pooling(net.at, 2, 2));
    if (channels < 512) channels *= 2;
  }
  net.add(dense(net.at, 4096));
  net.add(dense(net.at, 4096));
  net.add(dense(net.at, 1000));
  return net.layers;
}

inline constexpr std::array<int, 4> blocks_50{3, 4, 6, 3};
inline constexpr std::array<int, 4> blocks_101{3, 4, 23, 3};
inline constexpr std::array<int, 4> blocks_152{3, 8, 36, 3};
inline constexpr auto resnet_50_layers = resnet<resnet_layers(blocks_50)>(blocks_50);
inline constexpr auto resnet_101_layers = resnet<resnet_layers(blocks_101)>(blocks_101);
inline constexpr auto resnet_152_layers = resnet<resnet_layers(blocks_152)>(blocks_152);
inline constexpr auto vgg_16_layers = vgg_16_of();

}  // namespace detail

/// K. He et al., "Deep Residual Learning for Image Recognition", CVPR (2016), table 1,
/// arXiv:1512.03385: 25 557 032, 44 549 160 and 60 192 808 parameters.
inline constexpr convnet resnet_50{imagenet_image, detail::resnet_50_layers};
inline constexpr convnet resnet_101{imagenet_image, detail::resnet_101_layers};
inline constexpr convnet resnet_152{imagenet_image, detail::resnet_152_layers};

/// K. Simonyan and A. Zisserman, "Very Deep Convolutional Networks for Large-Scale Image
/// Recognition", ICLR (2015), configuration D, arXiv:1409.1556: 138 357 544 parameters.
inline constexpr convnet vgg_16{imagenet_image, detail::vgg_16_layers};

}  // namespace gpuplan::catalog
