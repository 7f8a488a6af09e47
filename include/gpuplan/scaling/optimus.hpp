#pragma once
/// \file
/// The model of Optimus for a job: its loss by steps, and its speed by workers.

#include <cmath>
#include <initializer_list>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// How the loss of a job falls: l(k) = 1 / (slope k + start) + floor.
struct optimus_loss {
  double slope{};  ///< b_0, per step; > 0
  double start{};  ///< b_1; > 0
  double floor{};  ///< b_2, the loss without end; >= 0
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const optimus_loss& curve) {
  require(curve.slope > 0, "optimus_loss.slope must be > 0");
  require(curve.start > 0, "optimus_loss.start must be > 0");
  require(curve.floor >= 0, "optimus_loss.floor must be >= 0");
}

/// Loss after k steps, or epochs.
///
///     l(k) = 1 / (b_0 k + b_1) + b_2
///
///     b    curve.slope, start, floor    1, > 0, > 0, >= 0
///     k    steps                        count, >= 0
///     b_0  slope                        1, > 0
///     b_1  start                        1, > 0
///     b_2  floor                        1, >= 0
///
/// Fitted to a run by least squares; for the first tenth of it a poor forecast of the rest.
///
/// Holds: fitted to a run; poor at its beginning.
///
/// Source: Y. Peng et al., "Optimus: An Efficient Dynamic Resource Scheduler for Deep Learning
/// Clusters", EuroSys (2018), section 3.1.
///
/// \throws invalid_input if curve is invalid or steps < 0
constexpr double loss_after(const optimus_loss& curve, double steps) {
  require_valid(curve);
  require(steps >= 0, "loss_after: steps must be >= 0");
  return 1 / (curve.slope * steps + curve.start) + curve.floor;
}

/// Steps until the loss falls by less than a threshold in a window: when the job counts as
/// converged.
///
///     k = (x - b_1) / b_0,   x = (-d + sqrt(d^2 + 4 d / t)) / 2,   d = b_0 w
///
///     b    as in loss_after
///     b_0  slope        1, > 0
///     b_1  start        1, > 0
///     t    threshold    1, > 0
///     w    window       count, > 0
///
/// The k of l(k) - l(k + w) = t; 0 if the loss falls less from the start.
///
/// Holds: of the curve of loss_after.
///
/// Source: as loss_after; solved for k.
///
/// \throws invalid_input if curve is invalid, threshold <= 0 or window <= 0
inline double steps_to_converge(const optimus_loss& curve, double threshold, double window) {
  require_valid(curve);
  require(threshold > 0, "steps_to_converge: threshold must be > 0");
  require(window > 0, "steps_to_converge: window must be > 0 steps");
  const double d = curve.slope * window;
  // The root as laid out, without the difference of what is nearly equal.
  const double x = 2 / (threshold * (1 + std::sqrt(1 + 4 / (d * threshold))));
  return std::fmax(0, (x - curve.start) / curve.slope);
}

/// Where the time of a step goes, with parameter servers.
struct optimus_speed {
  seconds sample{};      ///< forward pass of a sample; synchronous only; >= 0
  seconds step{};        ///< that no worker and no server shortens; >= 0
  seconds traffic{};     ///< of one worker at one server: times workers over servers; >= 0
  seconds per_worker{};  ///< >= 0
  seconds per_server{};  ///< >= 0
};

/// Who works on a job.
struct optimus_tasks {
  int servers = 1;  ///< p, parameter servers; >= 1
  int workers = 1;  ///< w; >= 1
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const optimus_speed& speed) {
  for (const seconds part :
       {speed.sample, speed.step, speed.traffic, speed.per_worker, speed.per_server})
    require(part >= seconds{0}, "optimus_speed: every time must be >= 0 s");
}

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const optimus_tasks& tasks) {
  require(tasks.servers >= 1, "optimus_tasks.servers must be >= 1");
  require(tasks.workers >= 1, "optimus_tasks.workers must be >= 1");
}

/// Time of a synchronous step: all workers together take one batch.
///
///     T = t_0 M/w + t_1 + t_2 w/p + t_3 w + t_4 p
///
///     t    speed.sample, step, traffic, per_worker, per_server    s, >= 0
///     M    batch                                                  count, > 0
///     t_0  sample                                                 s, >= 0
///     t_1  step                                                   s, >= 0
///     t_2  traffic                                                s, >= 0
///     t_3  per worker                                             s, >= 0
///     t_4  per server                                             s, >= 0
///     p    servers                                                count, >= 1
///     w    workers                                                count, >= 1
///
/// Linear in t, so that a fit needs no start.
///
/// Holds: one batch among all workers.
///
/// Source: Y. Peng et al., "Optimus", EuroSys (2018), equation 4.
///
/// \throws invalid_input if speed or tasks are invalid, or batch <= 0
constexpr seconds synchronous_step_time(const optimus_speed& speed, const optimus_tasks& tasks,
                                        double batch) {
  require_valid(speed);
  require_valid(tasks);
  require(batch > 0, "synchronous_step_time: batch must be > 0 samples");
  const double w = tasks.workers;
  const double p = tasks.servers;
  return batch / w * speed.sample + speed.step + w / p * speed.traffic + w * speed.per_worker +
         p * speed.per_server;
}

/// Steps a second of asynchronous workers, each with a batch of its own.
///
///     f = w / (t_1 + t_2 w/p + t_3 w + t_4 p)
///
///     t_1  step          s, >= 0
///     t_2  traffic       s, >= 0
///     t_3  per worker    s, >= 0
///     t_4  per server    s, >= 0
///     p    servers       count, >= 1
///     w    workers       count, >= 1
///
///     t, w, p  as in synchronous_step_time; sample plays no part
///
/// Throughput alone: steps on stale weights are worth less.
///
/// Holds: throughput alone: steps on stale weights are worth less.
///
/// Source: Y. Peng et al., "Optimus", EuroSys (2018), equation 3.
///
/// \throws invalid_input if speed or tasks are invalid, or a step takes no time
constexpr per_second asynchronous_step_rate(const optimus_speed& speed,
                                            const optimus_tasks& tasks) {
  require_valid(speed);
  require_valid(tasks);
  const double w = tasks.workers;
  const double p = tasks.servers;
  const seconds step =
      speed.step + w / p * speed.traffic + w * speed.per_worker + p * speed.per_server;
  require(step > seconds{0}, "asynchronous_step_rate: a step must take > 0 s");
  return w / step;
}

}  // namespace gpuplan
