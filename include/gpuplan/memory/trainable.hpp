#pragma once
/// \file
/// Training a part of the parameters: frozen layers, low-rank adapters, low-rank optimizer states.

#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Model states with a part of the parameters frozen: those keep their weight, and nothing else.
///
///     M = w P (1 - f) + (w + g + k + o) P f
///
///     P           parameters            count, >= 0
///     f           trainable fraction    1, 0 to 1
///     w, g, k, o  bytes a parameter, see parameter_bytes
///
/// Activations of frozen layers are still kept where a trained layer lies before them.
///
/// Holds: 16 B a trained parameter: FP16 weights and gradients, FP32 Adam.
///
/// Source: S. Rajbhandari et al., "ZeRO: Memory Optimizations Toward Training Trillion Parameter
/// Models", SC20 (2020), arXiv:1910.02054.
///
/// \throws invalid_input if parameters < 0 or trainable is not 0 to 1
constexpr model_states partly_frozen_states(double parameters, double trainable,
                                            const parameter_bytes& per = {}) {
  require(parameters >= 0, "partly_frozen_states: parameters must be >= 0");
  require(trainable >= 0 && trainable <= 1, "partly_frozen_states: trainable must be 0 to 1");
  const double trained = trainable * parameters;
  return {.weights = parameters * per.weight,
          .gradients = trained * per.gradient,
          .master_weights = trained * per.master,
          .optimizer = trained * per.optimizer};
}

/// A matrix that is adapted or projected.
struct matrix_shape {
  double rows{};     ///< >= 1
  double columns{};  ///< >= 1
};

/// Parameters of a low-rank adapter of one matrix.
///
///     r (d + k)
///
///     d  rows       count, >= 1
///     k  columns    count, >= 1
///     r  rank       count, >= 1
///
/// Holds: r <= min(d, k).
///
/// Source: E. Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models", ICLR (2022),
/// section 4.1, arXiv:2106.09685.
///
/// \throws invalid_input if rows, columns or rank < 1, or rank is above either
constexpr double lora_parameters(const matrix_shape& matrix, int rank) {
  require(matrix.rows >= 1 && matrix.columns >= 1, "matrix_shape: rows and columns must be >= 1");
  require(rank >= 1 && rank <= matrix.rows && rank <= matrix.columns,
          "lora_parameters: rank must be 1 to the smaller side");
  return rank * (matrix.rows + matrix.columns);
}

/// Model states of a frozen model with adapters: the model's weights as `frozen` says, everything
/// of the adapters as `per` says.
///
/// Source: E. Hu et al. (2022) as above; T. Dettmers et al., "QLoRA", NeurIPS (2023),
/// arXiv:2305.14314, for 4-bit frozen weights (0.5 B and 0.016 B of scales).
///
/// \throws invalid_input if a count < 0 or frozen < 0 B
constexpr model_states adapter_states(double parameters, double adapter, bytes frozen,
                                      const parameter_bytes& per = {}) {
  require(parameters >= 0, "adapter_states: parameters must be >= 0");
  require(adapter >= 0, "adapter_states: adapter must be >= 0");
  require(frozen >= bytes{0}, "adapter_states: frozen must be >= 0 B");
  return {.weights = parameters * frozen + adapter * per.weight,
          .gradients = adapter * per.gradient,
          .master_weights = adapter * per.master,
          .optimizer = adapter * per.optimizer};
}

/// Values that a low-rank optimizer keeps for a matrix: a projection, and its states in the
/// projected space.
///
///     r m + s r n      m the smaller side, n the larger, s states of the optimizer
///
///     m  smaller side               count, >= 1
///     n  larger side                count, >= m
///     r  rank                       count, 1 to m
///     s  states of the optimizer    count, >= 0
///
/// against s m n.  Gradients are still whole while one matrix is at work.
///
/// Holds: against s m n of the full optimizer.
///
/// Source: J. Zhao et al., "GaLore: Memory-Efficient LLM Training by Gradient Low-Rank
/// Projection", ICML (2024), table 1, arXiv:2403.03507.
///
/// \throws invalid_input if a side or rank < 1, rank is above the smaller side, or states < 0
constexpr double galore_values(const matrix_shape& matrix, int rank, double states) {
  require(matrix.rows >= 1 && matrix.columns >= 1, "matrix_shape: rows and columns must be >= 1");
  const double least = matrix.rows < matrix.columns ? matrix.rows : matrix.columns;
  const double most = matrix.rows < matrix.columns ? matrix.columns : matrix.rows;
  require(rank >= 1 && rank <= least, "galore_values: rank must be 1 to the smaller side");
  require(states >= 0, "galore_values: states must be >= 0");
  return rank * least + states * rank * most;
}

}  // namespace gpuplan
