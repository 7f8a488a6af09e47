#pragma once
/// \file
/// Time shares on GPUs of several types, as in Gavel: which job runs how long on which type.

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

namespace detail {

/// Maximises c x where A x <= b, x >= 0 and b >= 0: the simplex method with Bland's rule, which
/// cannot go round in circles.  Scales of rows and columns do not matter: nothing is compared but
/// with 0, a difference far below both of its terms is 0, and ratios that differ as little are
/// equal.
class linear_program {
 public:
  linear_program(std::size_t rows, std::size_t columns)
      : rows_{rows}, columns_{columns}, cells_((rows + 1) * (columns + rows + 1), 0.0) {
    for (std::size_t row = 0; row < rows; ++row) {
      at(row, columns + row) = 1;  // slack
      basis_.push_back(columns + row);
    }
  }

  /// A, by rows.
  [[nodiscard]] double& at(std::size_t row, std::size_t column) {
    return cells_[row * width() + column];
  }
  /// b
  [[nodiscard]] double& bound(std::size_t row) { return at(row, width() - 1); }
  /// c
  void maximise(std::size_t column, double weight) { at(rows_, column) = -weight; }

  /// x, best
  [[nodiscard]] std::vector<double> solve() {
    while (true) {
      std::size_t enter = 0;
      while (enter < width() - 1 && !(at(rows_, enter) < 0)) ++enter;
      if (enter == width() - 1) break;
      std::size_t leave = rows_;
      for (std::size_t row = 0; row < rows_; ++row) {
        if (!(at(row, enter) > 0)) continue;
        const double ratio = bound(row) / at(row, enter);
        const double least = leave == rows_ ? HUGE_VAL : bound(leave) / at(leave, enter);
        const bool first = leave == rows_ || basis_[row] < basis_[leave];
        if (ratio < (1 - tie) * least || (ratio <= (1 + tie) * least && first)) leave = row;
      }
      require(leave < rows_, "linear program: the objective must be bounded");
      pivot(leave, enter);
    }
    std::vector<double> x(columns_, 0.0);
    for (std::size_t row = 0; row < rows_; ++row)
      if (basis_[row] < columns_) x[basis_[row]] = bound(row);
    return x;
  }

 private:
  /// Of a difference, over its first term: chosen, room for 1e5 roundings of a double.
  static constexpr double rounding = 1e-11;
  static constexpr double tie = rounding / 2;  ///< of ratios: their differences are rounding, too

  [[nodiscard]] std::size_t width() const { return columns_ + rows_ + 1; }

  /// a - b, and 0 where that is rounding alone.
  static double difference(double a, double b) {
    const double d = a - b;
    return std::abs(d) <= rounding * std::abs(a) ? 0 : d;
  }

  void pivot(std::size_t leave, std::size_t enter) {
    const double by = at(leave, enter);
    for (std::size_t column = 0; column < width(); ++column) at(leave, column) /= by;
    for (std::size_t row = 0; row <= rows_; ++row) {
      const double factor = at(row, enter);
      if (row == leave || factor == 0) continue;
      for (std::size_t column = 0; column < width(); ++column)
        at(row, column) = difference(at(row, column), factor * at(leave, column));
    }
    basis_[leave] = enter;
  }

  std::size_t rows_;
  std::size_t columns_;
  std::vector<double> cells_;
  std::vector<std::size_t> basis_{};
};

}  // namespace detail

/// A job that runs on GPUs of any type, on so many at once.
struct heterogeneous_job {
  std::span<const per_second> speeds{};  ///< steps a second on each type of GPU; >= 0
  int gpus = 1;                          ///< that it takes at once; >= 1
  double weight = 1;                     ///< of its claim; > 0
};

/// The share of the time that each job runs on each type.
struct time_shares {
  std::size_t types = 0;
  std::vector<double> share{};  ///< by job, then type; 0 to 1

  [[nodiscard]] double of(std::size_t job, std::size_t type) const {
    return share[job * types + type];
  }
};

namespace detail {

inline void require_valid(std::span<const heterogeneous_job> jobs, std::span<const int> gpus) {
  require(!jobs.empty() && !gpus.empty(), "gavel: jobs and types of GPU must be >= 1");
  for (const int count : gpus) require(count >= 0, "gavel: GPUs of a type must be >= 0");
  for (const heterogeneous_job& job : jobs) {
    require(job.gpus >= 1, "heterogeneous_job.gpus must be >= 1");
    require(job.weight > 0, "heterogeneous_job.weight must be > 0");
    require(job.speeds.size() == gpus.size(),
            "heterogeneous_job.speeds must be as many as types of GPU");
    for (const per_second speed : job.speeds)
      require(speed >= per_second{0}, "heterogeneous_job.speeds must be >= 0 /s");
  }
}

}  // namespace detail

/// By how much the rounding of a linear program may move a share.
inline constexpr double share_rounding = 1e-9;

/// Steps a second of a job, on average over its shares of the time.
///
///     f = sum_j T_j X_j
///
///     T_j, X_j  speeds of the job, its shares   1/s, >= 0; 1, 0 to 1
///
/// The shares of a job sum to 1 at most, as it runs on one type at a time; shares that a linear
/// program has found may be off by share_rounding.
///
/// Source: D. Narayanan et al., "Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning
/// Workloads", OSDI (2020), section 3.1.
///
/// \throws invalid_input if there are not as many shares as speeds, a share is not 0 to 1, or
///         their sum is above 1
constexpr per_second effective_speed(const heterogeneous_job& job, std::span<const double> shares) {
  require(shares.size() == job.speeds.size(),
          "effective_speed: there must be a share for each speed");
  per_second sum{};
  double time = 0;
  for (std::size_t j = 0; j < shares.size(); ++j) {
    require(shares[j] >= -share_rounding && shares[j] <= 1 + share_rounding,
            "effective_speed: every share must be 0 to 1");
    time += shares[j];
    sum += shares[j] * job.speeds[j];
  }
  require(time <= 1 + share_rounding, "effective_speed: the shares of a job must sum to <= 1");
  return sum;
}

/// Steps a second with an equal share of every type: what a job may claim.
///
///     f = sum_j T_j N_j / max(g M, sum_j N_j)
///
///     T_j, g  speeds, gpus of the job;  N_j GPUs of type j;  M jobs   count, >= 1
///
/// Source: as effective_speed, section 4.1.
///
/// \throws invalid_input if the job or jobs is invalid
constexpr per_second equal_share_speed(const heterogeneous_job& job, std::span<const int> gpus,
                                       int jobs) {
  require(jobs >= 1, "equal_share_speed: jobs must be >= 1");
  require(job.gpus >= 1, "heterogeneous_job.gpus must be >= 1");
  require(job.speeds.size() == gpus.size(),
          "heterogeneous_job.speeds must be as many as types of GPU");
  per_second sum{};
  double time = 0;
  for (std::size_t j = 0; j < gpus.size(); ++j) {
    const double share = static_cast<double>(gpus[j]) / job.gpus / jobs;
    time += share;
    sum += share * job.speeds[j];
  }
  return time > 1 ? sum / time : sum;
}

/// The shares under which the job that is worst off, by its speed over a claim, is best off.
///
///     max over X of min_m f_m(X) / claim_m,   0 <= X,  sum_j X_mj <= 1,  sum_m g_m X_mj <= N_j
///
///     f, g, X   effective_speed and gpus of a job, shares of its time
///     N         gpus of each type
///     claim     of each job   1/s, > 0
///
/// The linear program in exact steps.  With claims w equal_share_speed / g it is Gavel's weighted
/// max-min fairness; with the steps left its least makespan; with steps left over time left, a
/// test of deadlines.
///
/// Source: D. Narayanan et al., "Heterogeneity-Aware Cluster Scheduling Policies for Deep Learning
/// Workloads", OSDI (2020), sections 4.1 and 4.2.
///
/// \throws invalid_input if a job is invalid, or a claim is not > 0 /s
inline time_shares max_min_shares(std::span<const heterogeneous_job> jobs,
                                  std::span<const int> gpus, std::span<const per_second> claims) {
  detail::require_valid(jobs, gpus);
  require(claims.size() == jobs.size(), "max_min_shares: there must be a claim for each job");
  const std::size_t types = gpus.size();
  const std::size_t least = jobs.size() * types;  // the column of min f / claim
  detail::linear_program program(2 * jobs.size() + types, least + 1);
  program.maximise(least, 1);
  for (std::size_t m = 0; m < jobs.size(); ++m) {
    require(claims[m] > per_second{0}, "max_min_shares: every claim must be > 0 /s");
    program.at(m, least) = 1;
    program.bound(jobs.size() + m) = 1;
    for (std::size_t j = 0; j < types; ++j) {
      program.at(m, m * types + j) = -(jobs[m].speeds[j] / claims[m]);
      program.at(jobs.size() + m, m * types + j) = 1;
      program.at(2 * jobs.size() + j, m * types + j) = jobs[m].gpus;
    }
  }
  for (std::size_t j = 0; j < types; ++j) program.bound(2 * jobs.size() + j) = gpus[j];
  time_shares shares{.types = types, .share = program.solve()};
  shares.share.pop_back();
  return shares;
}

/// Gavel's weighted max-min fairness.
///
///     max over X of min_m g_m f_m(X) / (w_m f_m(equal shares))
///
///     f, g, w  effective_speed, gpus and weight of a job
///
/// Source: as max_min_shares, section 4.1.
///
/// \throws invalid_input if a job is invalid, or can run nowhere
inline time_shares fair_shares(std::span<const heterogeneous_job> jobs, std::span<const int> gpus) {
  detail::require_valid(jobs, gpus);
  std::vector<per_second> claims;
  for (const heterogeneous_job& job : jobs) {
    const per_second equal = equal_share_speed(job, gpus, static_cast<int>(jobs.size()));
    require(equal > per_second{0}, "fair_shares: every job must run on some GPU");
    claims.push_back(job.weight / job.gpus * equal);
  }
  return max_min_shares(jobs, gpus, claims);
}

/// The least time in which all jobs can be done.
///
///     min over X of max_m Q_m / f_m(X)
///
///     Q  steps_left of each job   count, > 0
///     f  effective_speed
///
/// Source: as max_min_shares, section 4.2, which searches by halves; exact here, as 1/T is the
/// optimum of max_min_shares with the claims Q.
///
/// \throws invalid_input if a job is invalid, steps_left <= 0, or a job can run nowhere
inline seconds least_makespan(std::span<const heterogeneous_job> jobs, std::span<const int> gpus,
                              std::span<const double> steps_left) {
  require(steps_left.size() == jobs.size(),
          "least_makespan: steps_left must have an entry for each job");
  std::vector<per_second> claims;
  for (const double steps : steps_left) {
    require(steps > 0, "least_makespan: every job must have > 0 steps left");
    claims.emplace_back(steps);
  }
  const time_shares shares = max_min_shares(jobs, gpus, claims);
  seconds longest{};
  for (std::size_t m = 0; m < jobs.size(); ++m) {
    const auto own = std::span{shares.share}.subspan(m * shares.types, shares.types);
    const per_second speed = effective_speed(jobs[m], own);
    require(speed > per_second{0}, "least_makespan: every job must run on some GPU");
    longest = larger(longest, steps_left[m] / speed);
  }
  return longest;
}

}  // namespace gpuplan
