#pragma once
/// \file
/// Prefetch of sharded weights (ZeRO-3, FSDP), one layer ahead: the time of a pass.

#include <type_traits>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What one of some equal layers takes.
template <class T>
struct basic_sharded_layer {
  basic_seconds<T> gather{};          ///< a, all-gather of its weights; >= 0
  basic_seconds<T> forward{};         ///< f; >= 0
  basic_seconds<T> backward{};        ///< b; >= 0
  basic_seconds<T> reduce_scatter{};  ///< r, of its gradients; >= 0
};

using sharded_layer = basic_sharded_layer<double>;

/// \throws invalid_input naming the first field that is out of its range
template <class T>
constexpr void require_valid(const basic_sharded_layer<T>& layer) {
  require(layer.gather >= seconds{0}, "sharded_layer.gather must be >= 0 s");
  require(layer.forward >= seconds{0}, "sharded_layer.forward must be >= 0 s");
  require(layer.backward >= seconds{0}, "sharded_layer.backward must be >= 0 s");
  require(layer.reduce_scatter >= seconds{0}, "sharded_layer.reduce_scatter must be >= 0 s");
}

/// Forward pass, the next layer's weights gathered while one computes.
///
///     T = a + (L - 1) max(f, a) + f
///
///     L     equal layers    count, >= 1
///     a, f  layer.gather, .forward
///
/// Holds when one collective runs at a time, beside the computation.  Two layers' weights are whole
/// at a time.
///
/// Source: Y. Zhao et al., "PyTorch FSDP: Experiences on Scaling Fully Sharded Data Parallel",
/// Proc. VLDB Endowment 16 (2023) 3848-3860, section 3.3.
///
/// \throws invalid_input if layers < 1 or a time is < 0 s
template <class T>
constexpr basic_seconds<T> prefetched_forward(const basic_sharded_layer<T>& layer, int layers) {
  require(layers >= 1, "prefetched_forward: layers must be >= 1");
  require_valid(layer);
  return layer.gather + (layers - 1.0) * larger(layer.forward, layer.gather) + layer.forward;
}

/// Backward pass, the next layer's weights gathered while one computes, its gradients
/// reduce-scattered when it has.
///
///     T = a + L b + r                                                 if b >= a + r, or L = 1
///         a + max(a, b) + (L - 2) (a + r) + max(b, r) + r             else
///
///     L        equal layers    count, >= 1
///     a, b, r  layer.gather, .backward, .reduce_scatter
///
/// At most a + (L - 1) max(b, a + r) + b + r.  Holds when collectives run one at a time in the
/// order in which they are asked for.
///
/// Source: as prefetched_forward.
///
/// \throws invalid_input if layers < 1 or a time is < 0 s
template <class T>
constexpr basic_seconds<T> prefetched_backward(const basic_sharded_layer<T>& layer, int layers) {
  require(layers >= 1, "prefetched_backward: layers must be >= 1");
  require_valid(layer);
  const basic_seconds<T>& a = layer.gather;
  const basic_seconds<T>& b = layer.backward;
  const basic_seconds<T>& r = layer.reduce_scatter;
  if (layers == 1 || b >= a + r) return a + static_cast<double>(layers) * b + r;
  return a + larger(a, b) + (layers - 2.0) * (a + r) + larger(b, r) + r;
}

/// Forward pass over sharded layers, nothing gathered ahead.
///
///     L (a + f)
///
///     L  equal layers                       count, >= 1
///     a  all-gather of a layer's weights    s, >= 0
///     f  forward pass of a layer            s, >= 0
///
/// Holds: each layer waits for its weights.
///
/// Source: Y. Zhao et al., "PyTorch FSDP: Experiences on Scaling Fully Sharded Data Parallel", VLDB
/// (2023), arXiv:2304.11277.
///
/// \throws invalid_input if layers < 1 or a time is < 0 s
template <class T>
constexpr basic_seconds<T> blocking_forward(const basic_sharded_layer<T>& layer, int layers) {
  require(layers >= 1, "blocking_forward: layers must be >= 1");
  require_valid(layer);
  return static_cast<double>(layers) * (layer.gather + layer.forward);
}

/// Backward pass over sharded layers, nothing gathered ahead.
///
///     L (a + b + r)
///
///     L  equal layers                       count, >= 1
///     a  all-gather of a layer's weights    s, >= 0
///     b  backward pass of a layer           s, >= 0
///     r  reduce-scatter of its gradients    s, >= 0
///
/// Holds: each layer waits for its weights, and for its gradients to be sent.
///
/// Source: as blocking_forward.
///
/// \see blocking_forward
template <class T>
constexpr basic_seconds<T> blocking_backward(const basic_sharded_layer<T>& layer, int layers) {
  require(layers >= 1, "blocking_backward: layers must be >= 1");
  require_valid(layer);
  return static_cast<double>(layers) * (layer.gather + layer.backward + layer.reduce_scatter);
}

/// What a forward pass cannot beat however far ahead it gathers, for uneven layers as well: the
/// larger of all computation and all gathers.  Gathering d layers ahead keeps d + 1 whole.
///
///     max(C, M)
///
///     C  computation, on its own      s, >= 0
///     M  communication, on its own    s, >= 0
///
/// Holds: always.
///
/// Source: as blocking_forward.
///
/// \throws invalid_input if a time is < 0 s
template <class T>
constexpr basic_seconds<T> prefetch_bound(const basic_seconds<T>& computation,
                                          const std::type_identity_t<basic_seconds<T>>& gathers) {
  require(computation >= seconds{0}, "prefetch_bound: computation must be >= 0 s");
  require(gathers >= seconds{0}, "prefetch_bound: gathers must be >= 0 s");
  return larger(computation, gathers);
}

}  // namespace gpuplan
