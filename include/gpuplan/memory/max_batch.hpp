#pragma once
/// \file
/// The largest micro-batch that fits, from a linear memory model or from a footprint.

#include <cstdint>

#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Memory as a straight line in the batch: M(B) = fixed + B per_sample.
struct linear_memory {
  bytes fixed{};       ///< weights, gradients, optimizer; the batch does not move them; >= 0
  bytes per_sample{};  ///< activations and their gradients; > 0

  [[nodiscard]] constexpr bytes at(double batch) const { return fixed + batch * per_sample; }
};

/// A GPU's memory and the part of it that the model must not use.
struct memory_budget {
  bytes capacity{};  ///< > 0
  bytes reserved{};  ///< workspaces and slack; >= 0

  [[nodiscard]] constexpr bytes available() const { return capacity - reserved; }
};

/// Why a batch is no larger.
enum class batch_limit {
  next_sample,   ///< some fit; one more would not
  first_sample,  ///< the states fit, one sample beside them does not
  states         ///< not even the states fit
};

/// The largest batch that fits, 0 where none does.
struct largest_batch {
  std::int64_t samples{};
  batch_limit limit{};
  bytes needed{};     ///< by the smallest batch that does not fit
  bytes available{};  ///< for it

  [[nodiscard]] constexpr bool fits() const { return samples >= 1; }
};

/// Largest batch whose straight line stays within a budget.
///
///     B = floor((M_GPU - M_reserved - M_fixed) / k), 0 when that is below one
///
///     M_GPU       memory of the GPU, budget.capacity            B, > 0
///     M_reserved  kept free, budget.reserved                    B, >= 0
///     M_fixed     weights, gradients, optimizer, line.fixed     B, >= 0
///     k           activations of one sample, line.per_sample    B, > 0
///
/// Holds where activations grow with the batch in proportion and nothing else grows.
///
/// Source: S. Rajbhandari et al., "ZeRO: Memory Optimizations Toward Training Trillion Parameter
/// Models", SC20 (2020), section 3, for what is fixed and what grows.
///
/// \throws invalid_input if capacity <= 0, reserved < 0, fixed < 0 or per_sample <= 0
constexpr largest_batch max_batch(const memory_budget& budget, const linear_memory& line) {
  require(budget.capacity > bytes{0}, "max_batch: budget.capacity must be > 0 B");
  require(budget.reserved >= bytes{0}, "max_batch: budget.reserved must be >= 0 B");
  require(line.fixed >= bytes{0}, "max_batch: line.fixed must be >= 0 B");
  require(line.per_sample > bytes{0}, "max_batch: line.per_sample must be > 0 B");

  const bytes room = budget.available() - line.fixed;
  if (room < bytes{0}) return {0, batch_limit::states, line.fixed, budget.available()};
  require(room / line.per_sample < 0x1p62, "max_batch: line.per_sample must be > room / 2^62 B");
  const auto samples = static_cast<std::int64_t>(room / line.per_sample);
  return {.samples = samples,
          .limit = samples > 0 ? batch_limit::next_sample : batch_limit::first_sample,
          .needed = line.at(static_cast<double>(samples) + 1),
          .available = budget.available()};
}

/// Memory of a model's fullest stage with micro-batches of `size`, as many of them a step as the
/// recipe's global batch makes of cut.micro_batch_size: the pipeline is as full at every size.
///
/// Source: V. Korthikanti et al., "Reducing Activation Recomputation in Large Transformer Models",
/// MLSys (2023), arXiv:2205.05198.
///
/// \throws invalid_input if size < 1 or as memory_footprint does
constexpr bytes memory_of_micro_batch(const footprint& job, int size) {
  require(size >= 1, "memory_of_micro_batch: size must be >= 1 sequence");
  return resized(job, size).worst_stage().total();
}

/// Largest micro-batch of a real model: the inverse of memory_of_micro_batch, by bisection.
///
/// Holds: whole samples, as pairs of chosen and rejected.
///
/// Source: by definition.
///
/// \throws invalid_input if capacity <= 0 or as memory_footprint does
constexpr largest_batch max_micro_batch(const footprint& job, bytes capacity) {
  require(capacity > bytes{0}, "max_micro_batch: capacity must be > 0 B");
  const int sample = job.recipe.sequences_per_sample;
  const auto memory_of = [&](int samples) { return memory_of_micro_batch(job, samples * sample); };
  const auto fits = [&](int samples) { return memory_of(samples) <= capacity; };
  const int most = (1 << 24) / sample;

  if (!fits(1)) {
    const stage_footprint worst = resized(job, sample).worst_stage();
    const bool states_fit = worst.at(moment::optimizer_step) <= capacity;
    return {0, states_fit ? batch_limit::first_sample : batch_limit::states, worst.total(),
            capacity};
  }
  int fitting = 1;
  while (fitting < most && fits(2 * fitting)) fitting *= 2;
  int beyond = 2 * fitting;
  while (beyond - fitting > 1) {
    const int middle = fitting + (beyond - fitting) / 2;
    (fits(middle) ? fitting : beyond) = middle;
  }
  return {std::int64_t{fitting} * sample, batch_limit::next_sample, memory_of(beyond), capacity};
}

}  // namespace gpuplan
