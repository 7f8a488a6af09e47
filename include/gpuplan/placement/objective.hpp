#pragma once
/// \file
/// Objectives of a schedule, and their weighted sum.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

#include <gpuplan/placement/aim_scale.hpp>
#include <gpuplan/placement/fairness.hpp>
#include <gpuplan/placement/utilization.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A job that a schedule has run.
struct scheduled_job {
  seconds submit{};
  seconds start{};  ///< >= submit
  seconds end{};    ///< >= start
  double gpus = 1;  ///< >= 0
  watts power{};    ///< of all its GPUs, mean over its run, >= 0
  int user = 0;     ///< >= 0: fairness is among the users that have a job
};

/// The five aims of a schedule.
struct schedule_objectives {
  seconds mean_wait{};  ///< f1, least: start - submit
  per_second
      throughput{};        ///< f2, most: jobs ended over the time from first submission to last end
  double utilization = 0;  ///< f3, most: of the GPUs over that time, 0 .. 1
  joules energy{};         ///< f4, least: sum of P_i t_i
  double fairness = 1;     ///< f5, most: Jain's index of the GPU time of the users

  static constexpr std::size_t count = 5;
  /// All as numbers to be made small, in base units: those that want most with their sign turned.
  [[nodiscard]] constexpr std::array<double, count> to_minimize() const {
    return {mean_wait.in_base_units(), -throughput.in_base_units(), -utilization,
            energy.in_base_units(), -fairness};
  }
};

/// The aims of a schedule on a pool of so many GPUs.
///
///     f1 = 1/n sum (start_i - submit_i)      f2 = n / T          f3 = sum g_i t_i / (G T)
///     f4 = sum P_i t_i                       f5 = Jain of sum over a user's jobs of g_i t_i
///
///     T  last end - first submission   s      t_i  end_i - start_i   s
///
/// Source: definitions; R. Jain, D. Chiu and W. Hawe, DEC Research Report TR-301 (1984), for f5.
///
/// \throws invalid_input if there is no job, no GPU, or a job is out of range
inline schedule_objectives objectives_of(std::span<const scheduled_job> jobs, double gpus) {
  require(!jobs.empty(), "objectives_of: jobs must be >= 1");
  require(gpus > 0, "objectives_of: gpus must be > 0");
  schedule_objectives of;
  seconds first = jobs.front().submit;
  seconds last = jobs.front().end;
  seconds busy{};
  std::vector<double> by_user;  // less than 0: has no job
  for (const scheduled_job& job : jobs) {
    require(job.start >= job.submit && job.end >= job.start,
            "objectives_of: submit <= start <= end must hold for every job");
    require(job.gpus >= 0, "objectives_of: gpus of a job must be >= 0");
    require(job.power >= watts{0}, "objectives_of: power must be >= 0 W");
    require(job.user >= 0 && job.user < 1000000, "objectives_of: user must be 0 .. 999999");
    of.mean_wait += job.start - job.submit;
    of.energy += job.power * (job.end - job.start);
    first = std::min(first, job.submit);
    last = std::max(last, job.end);
    const seconds held = job.gpus * (job.end - job.start);
    busy += held;
    const auto user = static_cast<std::size_t>(job.user);
    if (by_user.size() <= user) by_user.resize(user + 1, -1.0);
    by_user[user] = std::max(0.0, by_user[user]) + held.in_base_units();
  }
  const double count = static_cast<double>(jobs.size());
  of.mean_wait = of.mean_wait / count;
  if (last > first) {
    of.throughput = count / (last - first);
    of.utilization = busy / (gpus * (last - first));
  }
  std::erase_if(by_user, [](double held) { return held < 0; });
  if (busy > seconds{0}) of.fairness = jain_index(by_user);
  return of;
}

/// Candidates by rows, aims to be made small by columns.
using objective_table = Eigen::MatrixXd;

/// Each aim brought to 0 .. 1 over the candidates: 0 for the best of them, 1 for the worst.
///
///     (f - f_min) / (f_max - f_min)    0 where f_max = f_min: that aim does not tell them apart
///
/// \throws invalid_input if there is no candidate, or a value is not finite
inline objective_table normalized(const objective_table& aims) {
  require(aims.rows() >= 1 && aims.cols() >= 1, "normalized: candidates and aims must be >= 1");
  require(aims.allFinite() && aims.cwiseAbs().maxCoeff() <= 1e300,
          "normalized: every value must be finite, -1e300 .. 1e300");
  objective_table scaled = objective_table::Zero(aims.rows(), aims.cols());
  for (Eigen::Index aim = 0; aim < aims.cols(); ++aim) {
    const double least = aims.col(aim).minCoeff();
    const double most = aims.col(aim).maxCoeff();
    scaled.col(aim) =
        aims.col(aim).unaryExpr([=](double f) { return normalized_aim(f, least, most); });
  }
  return scaled;
}

/// One number for each candidate: the weighted sum of its normalised aims, 0 .. 1, least is best.
///
/// A weighted sum finds only the candidates on the convex hull of the front: see objective_front.
///
/// Source: L. A. Zadeh, "Optimality and non-scalar-valued performance criteria", IEEE Trans.
/// Automatic Control 8 (1963) 59-60.
///
/// \throws invalid_input as normalized, or if a weight is not >= 0, all are 0, or there is not one
///         for each aim
inline Eigen::VectorXd weighted_sum(const objective_table& aims, const Eigen::VectorXd& weights) {
  require(weights.size() == aims.cols(), "weighted_sum: there must be a weight for each aim");
  require(
      weights.size() >= 1 && weights.allFinite() && weights.minCoeff() >= 0 && weights.sum() > 0,
      "weighted_sum: weights must be >= 0 and not all 0");
  return normalized(aims) * (weights / weights.sum());
}

/// Weights that lean towards the aims that are worse than the others at the moment.
///
///     w_i <- w_i max(0, 1 + gamma (f_i - mean f) / sigma) / sum        f_i normalised, 1 is worst
///
///     gamma  how strongly     1, >= 0
///     sigma  of the f_i       population form; where it is 0 the weights stay
///
/// The source has no guard: with (f_i - mean)/sigma below -1/gamma its weight is negative. Here it
/// is 0; where every weight would be, they stay as they are.
///
/// Source: definition.
///
/// \throws invalid_input if sizes differ, a weight is not >= 0 or all are 0, gamma is not >= 0, or
///         a value is not finite
inline Eigen::VectorXd dynamic_weights(const Eigen::VectorXd& weights, const Eigen::VectorXd& aims,
                                       double gamma) {
  require(weights.size() == aims.size() && weights.size() >= 1,
          "dynamic_weights: there must be a weight for each aim");
  require(weights.minCoeff() >= 0 && weights.sum() > 0 && weights.sum() < 1e300,
          "dynamic_weights: weights must be >= 0, not all 0, and of a finite sum");
  require(aims.allFinite(), "dynamic_weights: every aim must be finite");
  require(gamma >= 0 && gamma < 1e300, "dynamic_weights: gamma must be >= 0 and finite");
  const Eigen::VectorXd before = weights / weights.sum();
  const Eigen::ArrayXd off = aims.array() - aims.mean();
  const double sigma = std::sqrt(off.square().mean());
  if (!(sigma > 0)) return before;
  const Eigen::VectorXd leaned = before.cwiseProduct(aims.unaryExpr(
      [=, mean = aims.mean()](double f) { return leaning_weight(f, mean, sigma, gamma); }));
  return leaned.sum() > 0 ? Eigen::VectorXd(leaned / leaned.sum()) : before;
}

/// Rows that no other row beats: one at least as small in every aim and smaller in one. Ascending.
///
/// Source: V. Pareto, "Manuale di economia politica" (1906).
///
/// \throws invalid_input if a value is not finite
inline std::vector<Eigen::Index> objective_front(const objective_table& aims) {
  require(aims.allFinite(), "objective_front: every value must be finite");
  std::vector<Eigen::Index> front;
  for (Eigen::Index row = 0; row < aims.rows(); ++row) {
    bool beaten = false;
    for (Eigen::Index other = 0; other < aims.rows() && !beaten; ++other)
      beaten = (aims.row(other).array() <= aims.row(row).array()).all() &&
               (aims.row(other).array() < aims.row(row).array()).any();
    if (!beaten) front.push_back(row);
  }
  return front;
}

}  // namespace gpuplan
