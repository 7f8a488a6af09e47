#pragma once
/// \file
/// How long a convolutional network keeps one GPU busy, layer by layer.

#include <cstddef>
#include <limits>

#include <gpuplan/ceiling.hpp>
#include <gpuplan/compute/gemm.hpp>
#include <gpuplan/compute/kernel_rates.hpp>
#include <gpuplan/compute/training_flop.hpp>
#include <gpuplan/model/convnet.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Forward pass of a network over a batch: 2 B sum of multiply_adds(layer).
///
///     B  images   count, >= 0
///
/// Errata: a chapter on training prints multiply-adds as operations throughout.
///
/// Source: by definition.
///
/// \throws invalid_input if images < 0
constexpr flop forward_flop(const convnet& net, int images) {
  require(images >= 0, "forward_flop: images must be >= 0");
  return 2 * images * multiply_adds(net) * units::FLOP;
}

/// Forward and backward pass, three times the forward one.  The first layer needs no gradient of
/// its input, so that this is high by 2 B multiply_adds(first layer): 3 % of ResNet-50's forward
/// pass, 1 % of its step.
///
/// Source: as forward_flop.
///
/// \throws invalid_input if images < 0
constexpr flop training_flop(const convnet& net, int images) {
  return (1 + backward_over_forward) * forward_flop(net, images);
}

/// How software runs what stands between convolutions.
enum class convnet_kernels {
  separate,  ///< activations and sums are kernels of their own (PyTorch, eager)
  fused      ///< the normalisation before them does them too (MXNet with cuDNN's fused kernels)
};

/// How images lie in memory.
enum class channel_order {
  last,  ///< as tensor cores read them; for kernels that use none, any order is as good
  first  ///< tensors are turned before and after every convolution on tensor cores
};

/// How software trains a convolutional network.
struct convnet_software {
  convnet_kernels kernels = convnet_kernels::separate;
  channel_order order = channel_order::last;
};

/// \throws invalid_input naming the first field that is no value of its enumeration
constexpr void require_valid(const convnet_software& by) {
  require(by.kernels == convnet_kernels::separate || by.kernels == convnet_kernels::fused,
          "convnet_software.kernels must be separate or fused");
  require(by.order == channel_order::last || by.order == channel_order::first,
          "convnet_software.order must be last or first");
}

/// The three products of a convolution.
template <class T>
struct basic_convolution_time {
  basic_seconds<T> forward{};
  basic_seconds<T> input_gradient{};
  basic_seconds<T> weight_gradient{};

  [[nodiscard]] constexpr basic_seconds<T> total() const {
    return forward + input_gradient + weight_gradient;
  }
};

namespace detail {

/// A sum as long as this is left whole: a tile takes it in steps, which must be many.
inline constexpr double least_split_depth = 256;

/// A product whose sum is cut into as many slices as leave no multiprocessor without a tile.
struct split_product {
  matrix_product product{};
  double slices = 1;
};

constexpr split_product split(const matrix_product& p, int multiprocessors) {
  const double tiles = ceiling(p.rows / product_tile) * ceiling(p.columns / product_tile) * p.count;
  const double most = p.depth / least_split_depth;
  const double wanted = multiprocessors / tiles < most ? multiprocessors / tiles : most;
  const double above = ceiling(wanted);
  const double slices = above > wanted ? above - 1 : above;
  if (!(slices > 1)) return {p, 1};
  return {{p.rows, p.columns, p.depth / slices, p.count * slices}, slices};
}

/// A kernel that reads its operands as they lie in memory, whatever the product they stand for.
template <class T>
constexpr basic_seconds<T> kernel_time(const matrix_product& p, bytes moved,
                                       const basic_kernel_rates<T>& rates) {
  const basic_matrix_unit<T>& unit = rates.product;
  const product_tiling tiles = product_tiles(p, unit.streaming_multiprocessors);
  const basic_seconds<T> worked =
      2 * tiles.area() * p.depth * unit.streaming_multiprocessors * units::FLOP / unit.rate;
  const basic_seconds<T> fed = moved / rates.memory;
  return worked > fed ? worked : fed;
}

}  // namespace detail

/// A convolution as an implicit matrix product: no copy of the windows is made.
///
///     forward              B H' W'   x  C'/g  x  k^2 C/g
///     gradient of input    B H W     x  C/g   x  k^2 C'/g (H' W')/(H W)
///     gradient of weights  k^2 C/g   x  C'/g  x  B H' W', cut into slices of the sum
///
///     B           images
///     H, W, C     height, width and channels of the input
///     H', W', C'  those of the output
///     k           kernel
///     g           groups, one product each
///
/// Each takes the longer of product_time without its bytes, and of its bytes over rates.memory:
/// input, weights and output once, where strides skip no part of them.  Slices leave no
/// multiprocessor idle and are at least 256 deep; each writes an FP32 result that is read again.
/// Tiles follow one another without a pause: many are short, and share a multiprocessor.  Where
/// channels come first, both tensors of a kernel are turned besides: read and written once more.
///
/// Source: S. Chetlur et al., "cuDNN: Efficient Primitives for Deep Learning" (2014),
/// arXiv:1410.0759; NVIDIA, "Convolutional Layers User's Guide", DU-09799 (2023).
///
/// \throws invalid_input if layer is no convolution, images < 1, or order is no channel_order
template <class T>
constexpr basic_convolution_time<T> convolution_time(const convnet_layer& layer, int images,
                                                     channel_order order,
                                                     const basic_kernel_rates<T>& rates) {
  require(layer.kind == convnet_layer_kind::convolution,
          "convolution_time: layer.kind must be convolution");
  require(images >= 1, "convolution_time: images must be >= 1");
  require_valid(convnet_software{.order = order});
  const double groups = layer.groups;
  const double window = static_cast<double>(layer.kernel) * layer.kernel;
  const double in = layer.input.channels / groups;
  const double out = layer.output.channels / groups;
  const double places = static_cast<double>(images) * layer.output.height * layer.output.width;
  const double pixels = static_cast<double>(images) * layer.input.height * layer.input.width;
  const double weights = window * in * layer.output.channels;

  const double seen = window * places < pixels ? window * places : pixels;
  const bytes x = seen * layer.input.channels * rates.value;
  const bytes dx = pixels * layer.input.channels * rates.value;
  const bytes y = places * layer.output.channels * rates.value;
  const bytes w = weights * rates.value;
  const double turns = order == channel_order::first ? 2 : 0;
  const basic_seconds<T> turned = turns * (dx + y) / rates.memory;

  const auto [to_weights, slices] =
      detail::split({window * in, out, places, groups}, rates.product.streaming_multiprocessors);
  const bytes partial = slices * weights * bytes{2 * 4};
  return {
      .forward = detail::kernel_time({places, out, window * in, groups}, x + w + y, rates) + turned,
      .input_gradient = detail::kernel_time({pixels, in, window * out * places / pixels, groups},
                                            y + w + dx, rates) +
                        turned,
      .weight_gradient = detail::kernel_time(to_weights, x + y + partial, rates) + turned};
}

/// Time of a network, forward and backward, by what it is spent on.
template <class T>
struct basic_convnet_time {
  basic_seconds<T> convolutions{};
  basic_seconds<T> normalizations{};
  basic_seconds<T> activations{};
  basic_seconds<T> sums{};
  basic_seconds<T> pooling{};
  basic_seconds<T> dense{};

  [[nodiscard]] constexpr basic_seconds<T> total() const {
    return convolutions + normalizations + activations + sums + pooling + dense;
  }
};

namespace detail {

/// Is an activation between this layer and the next?  None stands before a sum, nor at the end of
/// a branch, which the next layer does not read; a convolution has its own where nothing normalises
/// it.
constexpr bool activates(const convnet& net, std::size_t i) {
  const convnet_layer& layer = net.layers[i];
  if (i + 1 == net.layers.size()) return false;
  const convnet_layer& next = net.layers[i + 1];
  switch (layer.kind) {
    case convnet_layer_kind::residual_add: return true;
    case convnet_layer_kind::pooling: return false;
    default:
      return next.kind != convnet_layer_kind::normalization &&
             next.kind != convnet_layer_kind::residual_add && next.input == layer.output;
  }
}

}  // namespace detail

/// One forward and one backward pass of a network over a batch, on one GPU.
///
///     convolutions    convolution_time; the first needs no gradient of its input
///     normalisation   3 passes over its output forward, 5 backward
///     activation      2 and 3      sum      3 and 3        fused: 0 and 0, 1 and 2
///     pooling         input and twice the output, both ways
///     dense           product_pass_time
///
///     a pass reads or writes each value once, at rates.elementwise
///
/// Statistics of a batch are of one GPU's images.  Loss, optimizer and the host are left out.
///
/// Nothing in it is fitted to convolutional networks.  Against published rates of ResNet-50 on
/// V100, A100, H100, H200 and L40S it is between 11 % slow and 11 % fast in 16 bits and TF32; in
/// FP32, without tensor cores, 20 % slow: algorithms with fewer multiplications run there.
///
/// Source: S. Ioffe and C. Szegedy, "Batch Normalization", ICML (2015), arXiv:1502.03167, passes by
/// counting; the parts'.
///
/// \throws invalid_input if images < 1, or an enumeration has no such value
template <class T>
constexpr basic_convnet_time<T> convnet_time(const convnet& net, int images,
                                             const convnet_software& by,
                                             const basic_kernel_rates<T>& rates) {
  require(images >= 1, "convnet_time: images must be >= 1");
  require_valid(by);
  const bool apart = by.kernels == convnet_kernels::separate;
  const auto moved = [&](const image_shape& shape, double passes) {
    return passes * images * shape.elements() * rates.value / rates.elementwise;
  };
  basic_convnet_time<T> time;
  for (std::size_t i = 0; i < net.layers.size(); ++i) {
    const convnet_layer& layer = net.layers[i];
    switch (layer.kind) {
      case convnet_layer_kind::convolution: {
        const auto each = convolution_time(layer, images, by.order, rates);
        time.convolutions += i == 0 ? each.forward + each.weight_gradient : each.total();
        break;
      }
      case convnet_layer_kind::normalization:
        time.normalizations += moved(layer.output, 3 + 5);
        break;
      case convnet_layer_kind::residual_add:
        time.sums += moved(layer.output, apart ? 3 + 3 : 1 + 2);
        break;
      case convnet_layer_kind::pooling:
        time.pooling += 2 * (moved(layer.input, 1) + moved(layer.output, 2));
        break;
      case convnet_layer_kind::dense:
        time.dense +=
            product_pass_time({static_cast<double>(images),
                               static_cast<double>(layer.output.channels), layer.input.elements()},
                              rates.product, rates.formats, bytes{4})
                .total();
        break;
      default: require(false, "convnet_time: layer.kind must be one of its values");
    }
    if (apart && detail::activates(net, i)) time.activations += moved(layer.output, 2 + 3);
  }
  return time;
}

}  // namespace gpuplan
