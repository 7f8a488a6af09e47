#pragma once
/// \file
/// The time of an epoch on n data-parallel devices.

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// An epoch that is divided over devices, and what each of its steps pays for that.
struct data_parallel_job {
  seconds compute{};        ///< of the whole epoch on one device; >= 0
  double steps{};           ///< updates of the epoch, samples / global batch; >= 0
  seconds communication{};  ///< of one step, what computing does not hide; >= 0
  seconds waiting{};        ///< of one step, for the slowest device; >= 0
};

/// Where the time of an epoch goes.
struct data_parallel_epoch {
  seconds compute{};
  seconds communication{};
  seconds waiting{};

  [[nodiscard]] constexpr seconds total() const { return compute + communication + waiting; }
};

/// Time of an epoch on n devices.
///
///     T(n) = T_1 / n  +  (N / B) t_comm  +  (N / B) t_wait
///
///     T_1      job.compute                      s
///     N / B    job.steps                        count
///     t_comm   job.communication, at n devices  s, of a step
///     t_wait   job.waiting, at n devices        s, of a step
///     n        devices                          count, >= 1
///
/// Gradients are reduced in every step, so communication grows with the steps: charged once an
/// epoch, as in T_1/n + t_comm + t_wait, it is N / B times too small.
///
/// Source: definition; S. Shi, Q. Wang and X. Chu, "Performance Modeling and Evaluation of
/// Distributed Deep Learning Frameworks on GPUs", IEEE DASC (2018), arXiv:1711.05979.
///
/// \throws invalid_input if a field of job is < 0 or devices < 1
constexpr data_parallel_epoch data_parallel_epoch_time(const data_parallel_job& job, int devices) {
  require(job.compute >= seconds{0}, "data_parallel_job.compute must be >= 0 s");
  require(job.steps >= 0, "data_parallel_job.steps must be >= 0");
  require(job.communication >= seconds{0}, "data_parallel_job.communication must be >= 0 s");
  require(job.waiting >= seconds{0}, "data_parallel_job.waiting must be >= 0 s");
  require(devices >= 1, "data_parallel_epoch_time: devices must be >= 1");
  return {.compute = job.compute / devices,
          .communication = job.steps * job.communication,
          .waiting = job.steps * job.waiting};
}

}  // namespace gpuplan
