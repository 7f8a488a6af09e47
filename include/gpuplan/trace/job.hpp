#pragma once
/// \file
/// One job of a trace: when it was submitted, how many GPUs it held, and for how long.

#include <cstdint>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// One job of a trace. It holds all of its GPUs at once, from its start to its end (a gang).
struct trace_job {
  seconds submit{};       ///< when it came, after an origin common to the trace
  seconds duration{};     ///< how long it ran, >= 0 s
  std::int64_t gpus = 1;  ///< GPUs it held, >= 1
  std::int64_t priority = 0;  ///< larger goes first, where the policy looks at it
  bool finished = true;   ///< else it still ran when the trace ends, after this duration
};

/// \throws invalid_input if the duration is not >= 0 s and finite, the submission not finite, or
///         the GPUs not >= 1
constexpr void require_valid(const trace_job& job) {
  require(job.duration >= seconds{0} && job.duration < seconds{1e300},
          "trace_job: duration must be >= 0 s and finite");
  require(job.submit > seconds{-1e300} && job.submit < seconds{1e300},
          "trace_job: submit must be finite");
  require(job.gpus >= 1, "trace_job: gpus must be >= 1");
}

}  // namespace gpuplan
