#pragma once
/// \file
/// A queue of jobs that hold different numbers of GPUs, described by numbers.

#include <cstdint>
#include <vector>

#include <gpuplan/queue/gang/mix.hpp>
#include <gpuplan/simulate/pool_policy.hpp>
#include <gpuplan/units/units.hpp>

#include "queue/queue.hpp"

namespace gpuplan::cli {

/// The largest pool that is looked at for a mix: formulas go through each number of busy GPUs.
inline constexpr std::int64_t most_gpus_of_mix = 20000;

/// The question.
struct queue_mix {
  per_second arrival_rate{};
  std::vector<gang_class> classes{};
  std::int64_t gpus = 0;  ///< 0: as many as the targets ask for
  std::vector<wait_target> targets{};
  std::vector<std::int64_t> sizes{};
  std::vector<const named_policy*> policies{};
  double level = usual_level;
};

/// \throws invalid_input or bad_usage
queue_answer answer_of(const queue_mix& asked);

}  // namespace gpuplan::cli
