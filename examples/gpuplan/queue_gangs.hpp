#pragma once
/// \file
/// The wait of gangs by formula: jobs that hold several GPUs, coming at random.

#include <cstdint>
#include <optional>
#include <span>

#include <gpuplan/queue/trace_job.hpp>
#include <gpuplan/units/units.hpp>

#include "queue.hpp"

namespace gpuplan::cli {

/// What the formula says of gangs.
struct gang_row {
  model_row row{};
  double capacity = 0;  ///< GPUs that first come first served can keep busy
  bool stable = true;
};

/// Of the jobs of a trace as a mix, coming at random.  None where the pool is too large for the
/// formula, or no job fits it.
std::optional<gang_row> gang_row_of(std::span<const trace_job> jobs, per_second arrival_rate,
                                    std::int64_t gpus);

}  // namespace gpuplan::cli
