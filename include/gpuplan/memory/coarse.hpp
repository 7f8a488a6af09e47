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

/// Coarse: B L (4 d s + 2 s^2) S.
///
///     B batch, L layers, d hidden_size, s sequence_length, S bytes a value
///
/// Beside s b h (34 + 5 a s/h) at 2 bytes a value its linear term is 4.25 times and its s^2 term
/// 1.25 a times too small (a heads): use it for nothing but reading old plans.
///
/// \throws invalid_input if a field is < 1 or value <= 0 B
constexpr bytes coarse_transformer_activations(const coarse_transformer& m, bytes value) {
  detail::require_valid_coarse(m);
  require(value > bytes{0}, "coarse_transformer_activations: value must be > 0 B");
  const double s = m.sequence_length;
  return static_cast<double>(m.batch) * m.layers * (4.0 * m.hidden_size * s + 2 * s * s) * value;
}

/// Coarse: four tensors of b s h a layer for attention (Q, K, V, output), four for the
/// feed-forward network.  Leaves out norms, inputs, dropout and every s^2 tensor: at 2 bytes 16 of
/// the 34 s b h that a layer keeps.
///
/// \throws invalid_input if a field is < 1 or value <= 0 B
constexpr bytes coarse_layer_activations(const coarse_transformer& m, bytes value) {
  detail::require_valid_coarse(m);
  require(value > bytes{0}, "coarse_layer_activations: value must be > 0 B");
  return 8.0 * m.batch * m.sequence_length * m.hidden_size * value;
}

/// Coarse: inputs of every k-th layer, B s d (L / k) S, the block computed again left out.
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

/// Coarse: Adam beside FP16 is 3/2 of the FP32 parameters' bytes (2 + 2 + 2 of FP16 weight and two
/// states against 4).  True of pure 16-bit Adam only: with a master copy it is 12 bytes, 3 times.
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

/// Coarse: training takes four to six times the bytes of the parameters.  Mixed-precision Adam
/// takes 8 to 9 times its 2-byte weights, FP32 Adam 4 times, both before any activation.
///
/// \throws invalid_input if weights < 0 B
constexpr coarse_range coarse_training_memory(bytes weights) {
  require(weights >= bytes{0}, "coarse_training_memory: weights must be >= 0 B");
  return {4 * weights, 6 * weights};
}

/// Coarse: 10 to 20 % of the model for workspaces and slack.  Real ones are constants, not parts
/// of the model: see workspace.hpp.
///
/// \throws invalid_input if model < 0 B
constexpr coarse_range coarse_workspace(bytes model) {
  require(model >= bytes{0}, "coarse_workspace: model must be >= 0 B");
  return {0.1 * model, 0.2 * model};
}

}  // namespace gpuplan
