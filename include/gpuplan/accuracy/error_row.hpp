#pragma once
/// \file
/// One line of the table of errors: a class, and how far off its answers were.  And what the runs
/// behind the table had.

#include <array>
#include <cstdint>
#include <optional>

#include <gpuplan/accuracy/error_class.hpp>
#include <gpuplan/model/precision.hpp>

namespace gpuplan {

/// The probabilities whose quantiles the table holds.
inline constexpr std::array error_probabilities{0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95};

/// ln(measured / predicted) at each of error_probabilities.
using error_quantiles = std::array<double, error_probabilities.size()>;

/// The errors of a class, or of several where a part of it is left out.
struct error_row {
  prediction of{};
  std::optional<trained_kind> kind{};
  std::optional<framework> software{};
  std::optional<launch_part> launches{};
  std::optional<bool> known_device{};
  std::optional<bool> many_gpus{};
  int runs = 0;
  int sources = 0;
  std::int64_t most_gpus = 0;  ///< of a run whose step was timed; 0 of other quantities
  error_quantiles quantiles{};
};

/// What the recipes of the runs had whose steps were timed.
struct timed_recipes {
  std::array<bool, precisions.size()> formats{};  ///< by precision
  std::int64_t longest_sequence = 0;              ///< tokens
  bool offloads = false;                          ///< some run kept states on its hosts
};

}  // namespace gpuplan
