#pragma once
/// \file
/// Rules of thumb that guides print, under names that say so.  The accurate forms stand in
/// activations.hpp, model_states.hpp and workspace.hpp.

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Sizes that the coarse rules know of a transformer.
struct coarse_transformer {
  int layers = 1;           ///< >= 1
  int hidden_size = 1;      ///< >= 1
  int sequence_length = 1;  ///< tokens, >= 1
  int batch = 1;            ///< sequences, >= 1
};

namespace detail {

constexpr void require_valid_coarse(const coarse_transformer& m) {
  require(m.layers >= 1 && m.hidden_size >= 1 && m.sequence_length >= 1 && m.batch >= 1,
          "coarse_transformer: fields must be >= 1");
}

}  // namespace detail

/// Coarse: activations of a transformer without its constants.
///
///     B batch, L layers, d hidden_size, s sequence_length, S bytes a value
///
///     L  layers         count, >= 1
///     d  hidden size    count, >= 1
///     s  sequence       token, >= 1
///     B  batch          count, >= 1
///     S  one value      B, > 0
///
/// Beside s b h (34 + 5 a s/h) at 2 bytes a value its linear term is 4.25 times and its s^2 term
/// 1.25 a times too small (a heads): use it for nothing but reading old plans.
///
/// Holds: nowhere: reads old plans.
///
/// Source: a textbook's chapter on GPU allocation.
///
/// \throws invalid_input if a field is < 1 or value <= 0 B
constexpr bytes coarse_transformer_activations(const coarse_transformer& m, bytes value) {
  detail::require_valid_coarse(m);
  require(value > bytes{0}, "coarse_transformer_activations: value must be > 0 B");
  const double s = m.sequence_length;
  return static_cast<double>(m.batch) * m.layers * (4.0 * m.hidden_size * s + 2 * s * s) * value;
}

/// Coarse: eight tensors of b s h a layer.  Leaves out norms, inputs, dropout and every s^2 tensor:
/// at 2 bytes 16 of the 34 s b h that a layer keeps.
///
///     8 b s h S
///
///     h  hidden size    count, >= 1
///     s  sequence       token, >= 1
///     b  batch          count, >= 1
///     S  one value      B, > 0
///
/// Holds: leaves out norms, inputs, dropout and every s^2 tensor: 16 of 34 s b h.
///
/// Source: a textbook's chapter on training.
///
/// \throws invalid_input if a field is < 1 or value <= 0 B
constexpr bytes coarse_layer_activations(const coarse_transformer& m, bytes value) {
  detail::require_valid_coarse(m);
  require(value > bytes{0}, "coarse_layer_activations: value must be > 0 B");
  return 8.0 * m.batch * m.sequence_length * m.hidden_size * value;
}

/// Coarse: inputs of every k-th layer.
///
///     B s d (L / k) S
///
///     L  layers                  count, >= 1
///     d  hidden size             count, >= 1
///     s  sequence                token, >= 1
///     B  batch of one replica    count, >= 1
///     k  layers of a block       count, >= 1
///     S  one value               B, > 0
///
/// Holds: leaves out the block that is computed again.
///
/// Source: as coarse_transformer_activations.
///
/// \throws invalid_input if a field is < 1, every < 1 or value <= 0 B
constexpr bytes coarse_checkpointed_activations(const coarse_transformer& m, int every,
                                                bytes value) {
  detail::require_valid_coarse(m);
  require(every >= 1, "coarse_checkpointed_activations: every must be >= 1 layer");
  require(value > bytes{0}, "coarse_checkpointed_activations: value must be > 0 B");
  return static_cast<double>(m.batch) * m.sequence_length * m.hidden_size *
         (static_cast<double>(m.layers) / every) * value;
}

/// Coarse: Adam beside FP16 as 3/2 of the FP32 parameters.  True of pure 16-bit Adam only: with a
/// master copy it is 12 bytes, 3 times.
///
///     1.5 x 4 P
///
///     P  parameters    count, >= 0
///
/// Holds: pure 16-bit Adam only; with a master copy it is 12 B, 3 times.
///
/// Source: as coarse_layer_activations.
///
/// \throws invalid_input if parameters < 0
constexpr bytes coarse_fp16_adam(double parameters) {
  require(parameters >= 0, "coarse_fp16_adam: parameters must be >= 0");
  return 1.5 * 4 * parameters * units::byte;
}

/// From here to there, as rules of thumb say it.
struct coarse_range {
  bytes least{};
  bytes most{};
};

/// Coarse: training takes four to six times the parameters (the lower end).  Mixed-precision Adam
/// takes 8 to 9 times its 2-byte weights, FP32 Adam 4 times, both before any activation.
///
///     4 M to 6 M
///
///     M  bytes of the parameters    B, >= 0
///
/// Holds: FP32 Adam before any activation.
///
/// Source: an article on GPU memory.
///
/// \throws invalid_input if weights < 0 B
constexpr coarse_range coarse_training_memory(bytes weights) {
  require(weights >= bytes{0}, "coarse_training_memory: weights must be >= 0 B");
  return {4 * weights, 6 * weights};
}

/// Coarse: a tenth to a fifth of the model as workspace (the lower end).  Real ones are constants,
/// not parts of the model: see workspace.hpp.
///
///     0.1 M to 0.2 M
///
///     M  bytes of the model    B, >= 0
///
/// Holds: real workspaces are constants: see framework_at_start.
///
/// Source: as coarse_transformer_activations.
///
/// \throws invalid_input if model < 0 B
constexpr coarse_range coarse_workspace(bytes model) {
  require(model >= bytes{0}, "coarse_workspace: model must be >= 0 B");
  return {0.1 * model, 0.2 * model};
}

}  // namespace gpuplan
