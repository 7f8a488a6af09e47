#pragma once
/// \file
/// Throughput against batch size: a rise, then a plateau.

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Throughput of a device as a function of its batch.
struct batch_curve {
  per_second plateau{};  ///< samples per second of a batch without end; > 0
  double half_batch{};   ///< the batch at half of that; >= 0
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const batch_curve& curve) {
  require(curve.plateau > per_second{0}, "batch_curve.plateau must be > 0 samples/s");
  require(curve.half_batch >= 0, "batch_curve.half_batch must be >= 0 samples");
}

/// Throughput of a batch over that of a batch without end.
///
///     u(B) = B / (B + B_half)
///
///     B       batch of one device     samples, > 0
///     B_half  the batch with u = 1/2  samples, >= 0
///
/// It is what a step of t_0 + B/R_max seconds gives, with B_half = t_0 R_max: t_0 is paid whatever
/// the batch (launches, weights read, an update), the rest is per sample.
///
/// Holds: a step costs a constant and a part for each sample.
///
/// Source: R. W. Hockney, "Characterizing Computers and Optimizing the FACR(l) Poisson-Solver on
/// Parallel Unicomputers", IEEE Trans. Computers C-32 (1983) 933-941, whose n_1/2 is B_half.
///
/// \throws invalid_input if batch <= 0 or half_batch < 0
constexpr double batch_utilization(double batch, double half_batch) {
  require(batch > 0, "batch_utilization: batch must be > 0 samples");
  require(half_batch >= 0, "batch_utilization: half_batch must be >= 0 samples");
  return batch / (batch + half_batch);
}

/// Samples a second of a device at a batch.
///
///     R B / (B + B_h)
///
///     R    samples a second of a batch without end    1/s, > 0
///     B_h  batch at half of that                      1, >= 0
///     B    batch                                      count, > 0
///
/// Holds: as batch_utilization.
///
/// Source: R. W. Hockney, "Characterizing Computers and Optimizing the FACR(l) Poisson-Solver on
/// Parallel Unicomputers", IEEE Trans. Computers C-32 (1983) 933-941.
///
/// \throws invalid_input if the curve is invalid or batch <= 0
constexpr per_second batch_throughput(const batch_curve& curve, double batch) {
  require_valid(curve);
  return curve.plateau * batch_utilization(batch, curve.half_batch);
}

/// Time of a step of one batch.
///
///     (B + B_h) / R
///
///     R    samples a second of a batch without end    1/s, > 0
///     B_h  batch at half of that                      1, >= 0
///     B    batch                                      count, > 0
///
/// Holds: as batch_utilization.
///
/// Source: as batch_throughput.
///
/// \throws invalid_input if the curve is invalid or batch <= 0
constexpr seconds batch_time(const batch_curve& curve, double batch) {
  require_valid(curve);
  require(batch > 0, "batch_time: batch must be > 0 samples");
  return (batch + curve.half_batch) / curve.plateau;
}

/// The smallest batch of a given utilization.
///
///     B_h u / (1 - u)
///
///     R    samples a second of a batch without end    1/s, > 0
///     B_h  batch at half of that                      1, >= 0
///     u    utilization                                1, >= 0, < 1
///
/// Holds: as batch_utilization.
///
/// Source: as batch_throughput.
///
/// \throws invalid_input if the curve is invalid, or utilization is not 0 to 1, or is 1
constexpr double batch_of_utilization(const batch_curve& curve, double utilization) {
  require_valid(curve);
  require(utilization >= 0 && utilization < 1,
          "batch_of_utilization: utilization must be 0 to below 1");
  return curve.half_batch * utilization / (1 - utilization);
}

/// A batch and the time of its step, as measured.
struct timed_batch {
  double samples{};  ///< > 0
  seconds time{};    ///< > 0
};

/// The curve through two measured batches.
///
///     R_max = (B_2 - B_1) / (t_2 - t_1),   B_half = R_max t_1 - B_1
///
///     B_1, t_1  smaller.samples, smaller.time   samples, s
///     B_2, t_2  larger.samples, larger.time     samples, s
///
/// Exact at both; two points leave nothing to judge the curve by.
///
/// Source: the two equations t = (B + B_half) / R_max, solved.
///
/// \throws invalid_input if a size or a time is <= 0, the larger batch is not larger or takes no
///         longer, or it has the lower throughput, which no such curve has
constexpr batch_curve batch_curve_through(const timed_batch& smaller, const timed_batch& larger) {
  require(smaller.samples > 0, "batch_curve_through: samples must be > 0");
  require(smaller.time > seconds{0}, "batch_curve_through: time must be > 0 s");
  require(larger.samples > smaller.samples,
          "batch_curve_through: larger.samples must be > smaller.samples");
  require(larger.time > smaller.time, "batch_curve_through: larger.time must be > smaller.time");
  require(larger.samples * smaller.time >= smaller.samples * larger.time,
          "batch_curve_through: larger must have at least the throughput of smaller");
  const per_second plateau = (larger.samples - smaller.samples) / (larger.time - smaller.time);
  const double half = plateau * smaller.time - smaller.samples;
  return {.plateau = plateau, .half_batch = half > 0 ? half : 0};
}

}  // namespace gpuplan
