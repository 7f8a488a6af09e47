#pragma once
/// \file
/// Objectives of a schedule, and their weighted sum.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <Eigen/Core>

#include <gpuplan/placement/aim_scale.hpp>
#include <gpuplan/placement/fairness.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A job of a schedule: it came, waited, ran and ended; or it came and went without running.
struct scheduled_job {
  seconds submit{};
  seconds start{};  ///< >= submit; infinite: it never ran
  seconds end{};    ///< >= start; infinite: it runs on, or never ran
  double gpus = 1;  ///< >= 0
  watts power{};    ///< of all its GPUs, mean over its run, >= 0
  int user = 0;     ///< >= 0: fairness is among the users that have a job
  seconds wanted_until = seconds{std::numeric_limits<double>::infinity()};  ///< if it never ran
};

/// The five aims of a schedule, or of a part of it.
struct schedule_objectives {
  std::optional<seconds> mean_wait{};  ///< f1, least: start - submit; empty: no job started
  per_second throughput{};             ///< f2, most: jobs ended over the time
  double utilization = 0;              ///< f3, most: of the GPUs over the time, 0 .. 1
  joules energy{};                     ///< f4, least: sum of P_i t_i
  std::optional<double> fairness{};    ///< f5, most: Jain's index; empty: no user has anything

  static constexpr std::size_t count = 5;
  /// All as numbers to be made small, in base units: those that want most with their sign turned.
  /// What is unknown stays empty.
  [[nodiscard]] constexpr std::array<std::optional<double>, count> to_minimize() const {
    std::array<std::optional<double>, count> aims{};
    if (mean_wait) aims[0] = mean_wait->in_base_units();
    aims[1] = -throughput.in_base_units();
    aims[2] = -utilization;
    aims[3] = energy.in_base_units();
    if (fairness) aims[4] = -*fairness;
    return aims;
  }
};

/// What the share theta of a user is, of which Jain's index is taken.
enum class user_share : std::uint8_t {
  gpu_time,     ///< GPU time that the user's jobs held
  granted_part  ///< GPU time held over GPU time wanted: from submission until the end
};

namespace detail {

/// How much of a stretch of time lies inside another; 0 where they do not meet.
constexpr seconds overlap_of(seconds start, seconds end, seconds from, seconds until) {
  const seconds inside = std::min(end, until) - std::max(start, from);
  return inside > seconds{0} ? inside : seconds{0};
}

/// What users held and wanted.
struct user_accounts {
  std::vector<double> held{};
  std::vector<double> wanted{};

  void add(const scheduled_job& job, seconds from, seconds until) {
    const auto user = static_cast<std::size_t>(job.user);
    if (held.size() <= user) {
      held.resize(user + 1, 0.0);
      wanted.resize(user + 1, -1.0);  // less than 0: has no job
    }
    const bool ran = job.start < seconds{std::numeric_limits<double>::infinity()};
    const seconds wants = overlap_of(job.submit, ran ? job.end : job.wanted_until, from, until);
    held[user] += job.gpus * overlap_of(job.start, job.end, from, until).in_base_units();
    wanted[user] = std::max(0.0, wanted[user]) + job.gpus * wants.in_base_units();
  }

  [[nodiscard]] std::optional<double> fairness(user_share share) const {
    std::vector<double> shares;
    for (std::size_t user = 0; user < held.size(); ++user) {
      if (wanted[user] < 0) continue;
      if (share == user_share::gpu_time)
        shares.push_back(held[user]);
      else if (wanted[user] > 0)
        shares.push_back(held[user] / wanted[user]);
    }
    if (std::none_of(shares.begin(), shares.end(), [](double x) { return x > 0; })) return {};
    return jain_index(shares);
  }
};

}  // namespace detail

/// The aims of a schedule within a stretch of time, on a pool of so many GPUs.
///
///     f1 = mean of start_i - submit_i, of the jobs that start within it
///     f2 = n / T
///     f3 = sum g_i t_i / (G T)
///     f4 = sum P_i t_i
///     f5 = Jain of theta_u, over the users
///
///     n        jobs that end within it                 count
///     T        until - from                            s, > 0
///     t_i      time that job i runs within it          s
///     g_i, G   GPUs of job i, of the pool              count
///     P_i      power of the GPUs of job i              W
///     theta_u  share of user u, see user_share         s, or 1
///
/// What happens exactly at `from` or `until` counts.
///
/// Source: definitions; R. Jain, D. Chiu and W. Hawe, DEC Research Report TR-301 (1984), for f5.
///
/// \throws invalid_input if until is not > from, there is no GPU, or a job is out of range
inline schedule_objectives objectives_between(std::span<const scheduled_job> jobs, double gpus,
                                              seconds from, seconds until,
                                              user_share share = user_share::gpu_time) {
  require(gpus > 0, "objectives_between: gpus must be > 0");
  require(until > from && until < seconds{1e300}, "objectives_between: until must be > from");
  seconds waited{};
  seconds busy{};
  double started = 0;
  double ended = 0;
  schedule_objectives of;
  detail::user_accounts users;
  for (const scheduled_job& job : jobs) {
    require(job.start >= job.submit && job.end >= job.start,
            "scheduled_job: submit <= start <= end must hold for every job");
    require(job.gpus >= 0, "scheduled_job: gpus of a job must be >= 0");
    require(job.power >= watts{0}, "scheduled_job: power must be >= 0 W");
    require(job.user >= 0 && job.user < 1000000, "scheduled_job: user must be 0 .. 999999");
    if (job.start >= from && job.start <= until) {
      ++started;
      waited += job.start - job.submit;
    }
    if (job.end >= from && job.end <= until) ++ended;
    const seconds ran = detail::overlap_of(job.start, job.end, from, until);
    busy += job.gpus * ran;
    of.energy += job.power * ran;
    users.add(job, from, until);
  }
  if (started > 0) of.mean_wait = waited / started;
  of.throughput = ended / (until - from);
  of.utilization = busy / (gpus * (until - from));
  of.fairness = users.fairness(share);
  return of;
}

/// The aims of a whole schedule: from its first submission to its last end.
/// \throws invalid_input as objectives_between, or if there is no job, or no time passes
inline schedule_objectives objectives_of(std::span<const scheduled_job> jobs, double gpus,
                                         user_share share = user_share::gpu_time) {
  require(!jobs.empty(), "objectives_of: jobs must be >= 1");
  seconds first = jobs.front().submit;
  seconds last = first;
  for (const scheduled_job& job : jobs) {
    first = std::min(first, job.submit);
    for (const seconds at : {job.submit, job.start, job.end})
      if (at < seconds{std::numeric_limits<double>::infinity()}) last = std::max(last, at);
  }
  return objectives_between(jobs, gpus, first, last, share);
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

/// Weights that lean towards the aims that are worse now than they used to be.
///
///     w_i(t) = w_i max(0, 1 + gamma (f_i(t) - mean_i) / sigma_i) / sum
///
///     w_i              weight of aim i before                           1, >= 0
///     f_i(t)           aim i now, to be made small                      any unit, finite
///     mean_i, sigma_i  mean and deviation of the earlier values of f_i  that unit; population form
///     gamma            how strongly                                     1, >= 0
///
/// A row of `history` is a moment before now, a column is an aim. Without history, and where
/// sigma_i is 0, the weight of the aim stays. The source has no guard: with (f - mean)/sigma below
/// -1/gamma its weight is negative. Here it is 0; if every weight would be 0, they stay as they
/// are.
///
/// Source: definition.
///
/// \throws invalid_input if sizes differ, a weight is not >= 0 or all are 0, gamma is not >= 0, or
///         a value is not finite
inline Eigen::VectorXd dynamic_weights(const Eigen::VectorXd& weights, const Eigen::VectorXd& now,
                                       const objective_table& history, double gamma) {
  require(weights.size() == now.size() && weights.size() >= 1,
          "dynamic_weights: there must be a weight for each aim");
  require(history.rows() == 0 || history.cols() == now.size(),
          "dynamic_weights: history must have a column for each aim");
  require(weights.minCoeff() >= 0 && weights.sum() > 0 && weights.sum() < 1e300,
          "dynamic_weights: weights must be >= 0, not all 0, and of a finite sum");
  require(now.allFinite() && history.allFinite(), "dynamic_weights: every aim must be finite");
  require(gamma >= 0 && gamma < 1e300, "dynamic_weights: gamma must be >= 0 and finite");
  const Eigen::VectorXd before = weights / weights.sum();
  if (history.rows() == 0) return before;
  Eigen::VectorXd leaned = before;
  for (Eigen::Index aim = 0; aim < now.size(); ++aim) {
    const double mean = history.col(aim).mean();
    const double sigma = std::sqrt((history.col(aim).array() - mean).square().mean());
    leaned(aim) *= leaning_weight(now(aim), mean, sigma, gamma);
  }
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
