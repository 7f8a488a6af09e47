#pragma once
/// \file
/// What an optimizer step moves in one fused kernel, and in one kernel for each operation.

#include <gpuplan/model/optimizer.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Tensors of the parameters' size that the kernels of one update read and write.
struct update_passes {
  int kernels = 1;
  int weight = 2;  ///< the copy that is updated
  int gradient = 1;
  int states = 0;     ///< momentum, variance
  int temporary = 0;  ///< results in between, which a fused kernel keeps in registers

  [[nodiscard]] constexpr int total() const { return weight + gradient + states + temporary; }
};

/// How many kernels make an update.
enum class update_kernels {
  fused,    ///< one: each tensor is read once, and written once where it changes
  separate  ///< one for each tensor operation, as eager PyTorch runs a loop over parameters
};

/// Tensors that an update moves.
///
///                fused    separate    its kernels
///     sgd        3        3           p -= l g
///     momentum   5        8           v *= u;  v += g;  p -= l v
///     rmsprop    5        13          s *= r;  s += g g;  t = sqrt(s);  t += e;  p -= l g / t
///     adam       7        20          m *= a;  m += g;  v *= b;  v += g g;  t = sqrt(v);
///                                     t = t / c;  t += e;  p -= l m / t
///     adamw      7        22          p *= 1 - l w, and those of adam
///
/// Holds: one update; no passes for the gradients' norm, which bytes_per_update of the step counts.
///
/// Source: PyTorch, torch/optim/sgd.py, rmsprop.py, adam.py and adamw.py, their functions
/// _single_tensor_* (2.0, 2023), by counting what each kernel reads and writes.
///
/// \throws invalid_input if o is none of these five, or by is none of update_kernels
constexpr update_passes update_passes_of(optimizer o, update_kernels by) {
  require(by == update_kernels::fused || by == update_kernels::separate,
          "update_passes_of: by must be fused or separate");
  const bool fused = by == update_kernels::fused;
  switch (o) {
    case optimizer::sgd: return {};
    case optimizer::momentum:
      if (fused) return {.states = 2};
      return {.kernels = 3, .states = 2 + 2 + 1};
    case optimizer::rmsprop:
      if (fused) return {.states = 2};
      return {.kernels = 5, .gradient = 2, .states = 2 + 2 + 1, .temporary = 1 + 2 + 1};
    case optimizer::adam:
    case optimizer::adamw: {
      if (fused) return {.states = 4};
      const int decay = o == optimizer::adamw ? 1 : 0;
      return {.kernels = 8 + decay,
              .weight = 2 + 2 * decay,
              .gradient = 2,
              .states = 4 + 4 + 1 + 1,
              .temporary = 1 + 2 + 2 + 1};
    }
    default: break;
  }
  require(false, "update_passes_of: o must be sgd, momentum, rmsprop, adam or adamw");
  return {};
}

/// Bytes of a value of each tensor of an update.
struct update_formats {
  bytes weight{4};    ///< of the copy that is updated; >= 0
  bytes gradient{4};  ///< >= 0
  bytes state{4};     ///< and of results in between; >= 0
};

/// Bytes that an update moves for each parameter, by how it is cut into kernels.
///
///     n_w w + n_g g + (n_s + n_t) s
///
///     o    optimizer               one of sgd momentum rmsprop adam adamw
///     k    kernels                 one of fused separate
///     w    bytes of a weight       B, >= 0
///     g    bytes of a gradient     B, >= 0
///     s    bytes of a state        B, >= 0
///     n_w  passes over weights
///     n_g  passes over gradients
///     n_s  passes over states
///     n_t  passes over results in between
///
/// Adam in FP32: 28 B fused, 80 B as separate kernels, 2.9 times as much.
///
/// Holds: tensors larger than caches; the gradients' norm and scale are apart.
///
/// Source: PyTorch, torch/optim/adam.py, functions _single_tensor_adam and _fused_adam (2.0, 2023),
/// by counting.
///
/// \throws invalid_input as update_passes_of, or if a field of formats is < 0
constexpr bytes update_traffic(optimizer o, update_kernels by, const update_formats& formats = {}) {
  require(formats.weight >= bytes{0}, "update_formats.weight must be >= 0 B");
  require(formats.gradient >= bytes{0}, "update_formats.gradient must be >= 0 B");
  require(formats.state >= bytes{0}, "update_formats.state must be >= 0 B");
  const update_passes passes = update_passes_of(o, by);
  return passes.weight * formats.weight + passes.gradient * formats.gradient +
         (passes.states + passes.temporary) * formats.state;
}

/// Tensors of the parameters' size that an Adam step moves, as a textbook's chapter has it: 5 as
/// separate kernels, 2 fused.  Both are low by a factor of 3.5 to 4; their ratio of 2.5 is near the
/// counted one, 20 to 7.
///
///     5, fused 2
///
///     k  kernels    one of fused separate
///
/// Holds: as a ratio.
///
/// Source: a textbook's chapter on training.
///
/// \throws invalid_input if by is none of update_kernels
constexpr int coarse_update_passes(update_kernels by) {
  require(by == update_kernels::fused || by == update_kernels::separate,
          "coarse_update_passes: by must be fused or separate");
  return by == update_kernels::fused ? 2 : 5;
}

}  // namespace gpuplan
