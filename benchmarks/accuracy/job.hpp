#pragma once
/// \file
/// A training job as a row of measurements describes it, and what the library says of its memory.

#include <stdexcept>
#include <string>

#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>

namespace gpuplan::accuracy {

/// What memory_footprint is asked.
struct job {
  transformer model{};
  gpuplan::recipe recipe{};
  gpuplan::parallelism parallelism{};
  gpuplan::workspace workspace{};
  int data_rank = fullest_rank;  ///< whose memory is asked for, where ranks differ

  [[nodiscard]] constexpr footprint memory() const {
    footprint all = memory_footprint(model, recipe, parallelism, workspace);
    all.data_rank = data_rank;
    return all;
  }
};

/// A row that says something the descriptions have no word for, or says too little.
class unmapped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The least multiple of `step` that is not below `count`.
constexpr int padded(int count, int step) {
  return (count + step - 1) / step * step;
}

}  // namespace gpuplan::accuracy
