#pragma once
/// \file
/// Priority classes: jobs of a more urgent class are served first.

#include <cstddef>
#include <span>

#include <gpuplan/queue/erlang.hpp>
#include <gpuplan/queue/mg1.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Jobs of one priority.
struct priority_class {
  per_second arrival_rate{};       ///< lambda; >= 0
  seconds mean_service{};          ///< E S; > 0
  square_seconds second_moment{};  ///< E S^2; >= (E S)^2

  [[nodiscard]] constexpr double utilization() const { return arrival_rate * mean_service; }
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const priority_class& of) {
  require(of.arrival_rate >= per_second{0}, "priority_class.arrival_rate must be >= 0 /s");
  require(of.mean_service > seconds{0}, "priority_class.mean_service must be > 0 s");
  require(of.second_moment >= (1 - 1e-12) * (of.mean_service * of.mean_service),
          "priority_class.second_moment must be >= the mean squared");
}

namespace detail {

/// sigma: utilization of the classes before `end`.
constexpr double utilization_before(std::span<const priority_class> classes, std::size_t end) {
  double sum = 0;
  for (std::size_t j = 0; j < end; ++j) {
    gpuplan::require_valid(classes[j]);
    sum += classes[j].utilization();
  }
  return sum;
}

}  // namespace detail

/// Priority without preemption, M/G/1: the mean wait of class k.
///
///     W_k = R / ((1 - s_(k-1)) (1 - s_k))
///     R   = sum_j lambda_j E S_j^2 / 2
///     s_k = sum_(j<=k) rho_j
///
///     lambda, S, rho  of classes, the most urgent first
///     k               rank   count from 0
///
/// Exact.  In overload the classes that are still served in full have a finite wait: of the first
/// that is not, R counts what is served.
///
/// Source: A. Cobham, "Priority assignment in waiting line problems", Operations Research 2 (1954)
/// 70-76.
///
/// \throws invalid_input if a class is invalid or rank >= the number of classes
constexpr seconds priority_wait(std::span<const priority_class> classes, std::size_t rank) {
  require(rank < classes.size(), "priority_wait: rank must be < the number of classes");
  const double before = detail::utilization_before(classes, rank);
  const double through = detail::utilization_before(classes, rank + 1);
  if (!(through < 1)) return detail::for_ever;

  seconds residual{};
  double left = 1;
  for (const priority_class& of : classes) {
    require_valid(of);
    const double busy = of.utilization();
    const double served = busy <= left ? 1 : left / busy;
    residual += served * of.arrival_rate * of.second_moment / 2;
    left = busy <= left ? left - busy : 0;
  }
  return residual / ((1 - before) * (1 - through));
}

/// Priority with preemption, M/G/1: the mean time that a job of class k takes; what is interrupted
/// resumes where it was.
///
///     T_k = E S_k / (1 - s_(k-1)) + sum_(j<=k) lambda_j E S_j^2 / 2 / ((1 - s_(k-1)) (1 - s_k))
///
///     lambda, S, s, k  as in priority_wait
///
/// Exact.  Less urgent classes are not noticed.
///
/// Source: R. W. Conway, W. L. Maxwell and L. W. Miller, "Theory of Scheduling" (1967),
/// section 8.7.
///
/// \throws invalid_input if a class is invalid or rank >= the number of classes
constexpr seconds preemptive_priority_response(std::span<const priority_class> classes,
                                               std::size_t rank) {
  require(rank < classes.size(),
          "preemptive_priority_response: rank must be < the number of classes");
  const double before = detail::utilization_before(classes, rank);
  const double through = detail::utilization_before(classes, rank + 1);
  if (!(through < 1)) return detail::for_ever;

  seconds residual{};
  for (const priority_class& of : classes.first(rank + 1))
    residual += of.arrival_rate * of.second_moment / 2;
  return (classes[rank].mean_service + residual / (1 - through)) / (1 - before);
}

namespace detail {

/// Jobs of the classes before `end`, all at servers of one kind.
constexpr workload jobs_before(std::span<const per_second> arrival_rates, const workload& pool,
                               std::size_t end) {
  workload jobs = pool;
  jobs.arrival_rate = per_second{0};
  for (const per_second rate : arrival_rates.first(end)) {
    require(rate >= per_second{0}, "priority: every arrival rate must be >= 0 /s");
    jobs.arrival_rate += rate;
  }
  return jobs;
}

/// How the mean number of waiting jobs of M/M/c grows between two loads:
/// (L_q(a_2) - L_q(a_1)) / (a_2 - a_1), and the derivative where they are equal.
///
///     L_q  = c x / (s (s + x))
///     x    = a B(c, a)
///     s    = c - a
///     dx_k = B_k(a_1) + a_2 dB_k
///     dB_k = k dx_(k-1) / ((k + x_1) (k + x_2)),  x_i = a_i B_(k-1)(a_i)
///     dB_0 = 0
///
///     c         servers                              count, >= 1
///     a_1, a_2  less, more: the loads                erlang, 0 <= a_1 <= a_2 < c
///     B_k(a)    Erlang B of k servers at load a      1
///     d         a difference over that of the loads
///
/// No term is negative, so no digit is lost where the loads are close.
///
/// Source: ours, from the recursion of Erlang B in D. Gross et al., "Fundamentals of Queueing
/// Theory", 4th ed. (2008), section 2.5.
constexpr double queue_growth(int servers, double less, double more) {
  double b_less = 1;
  double b_more = 1;
  double growth = 0;  // dB
  for (double k = 1; k <= servers; k += 1) {
    const double x_less = less * b_less;
    const double x_more = more * b_more;
    growth = k / (k + x_less) * ((b_less + more * growth) / (k + x_more));
    b_less = x_less / (k + x_less);
    b_more = x_more / (k + x_more);
  }
  const double x_less = less * b_less;
  const double x_more = more * b_more;
  const double s_less = servers - less;
  const double s_more = servers - more;
  const double rise =
      (b_less + more * growth) * s_less * s_less + x_less * (s_less + s_more) + x_less * x_more;
  return servers * (rise / (s_less * (s_less + x_less)) / (s_more * (s_more + x_more)));
}

}  // namespace detail

/// Priority without preemption, M/M/c, service as long in each class: the mean wait of class k.
///
///     W_k = C S / c / ((1 - s_(k-1)) (1 - s_k)),   s_k = sum_(j<=k) lambda_j S / c
///
///     lambda  arrival_rates, the most urgent first   1/s, >= 0
///     S, c    pool.mean_service, pool.servers        s, > 0; count, >= 1
///     C       erlang_c of all classes;  k = rank     count from 0
///
/// Exact.
///
/// Source: A. Cobham, "Priority assignment in waiting line problems", Operations Research 2 (1954)
/// 70-76.
///
/// \throws invalid_input if pool or a rate is invalid, or rank >= the number of classes
constexpr seconds pool_priority_wait(std::span<const per_second> arrival_rates,
                                     const workload& pool, std::size_t rank) {
  require(rank < arrival_rates.size(), "pool_priority_wait: rank must be < the number of classes");
  const workload all = detail::jobs_before(arrival_rates, pool, arrival_rates.size());
  require_valid(all);
  const double before = detail::jobs_before(arrival_rates, pool, rank).utilization();
  const double through = detail::jobs_before(arrival_rates, pool, rank + 1).utilization();
  if (!(through < 1)) return detail::for_ever;
  const double busy = erlang_c(pool.servers, all.offered_load());
  return busy * (pool.mean_service / pool.servers) / ((1 - before) * (1 - through));
}

/// Priority with preemption, M/M/c, service as long in each class: the mean time a job of class k
/// takes.
///
///     T_k = (L(1..k) - L(1..k-1)) / lambda_k
///
///     lambda, S, c, k  as in pool_priority_wait
///     L                wait().jobs() of M/M/c with these classes alone
///
/// Exact.  The difference is not taken as such, so that no digit is lost where class k is rare.
///
/// Source: D. Gross et al., "Fundamentals of Queueing Theory", 4th ed. (2008), section 3.4.
///
/// \throws invalid_input as pool_priority_wait, or if the rate of class k is 0
constexpr seconds pool_preemptive_priority_response(std::span<const per_second> arrival_rates,
                                                    const workload& pool, std::size_t rank) {
  require(rank < arrival_rates.size(),
          "pool_preemptive_priority_response: rank must be < the number of classes");
  require(arrival_rates[rank] > per_second{0},
          "pool_preemptive_priority_response: arrival rate must be > 0 /s");
  const workload through = detail::jobs_before(arrival_rates, pool, rank + 1);
  require_valid(through);
  const double less = detail::jobs_before(arrival_rates, pool, rank).offered_load();
  const double more = through.offered_load();
  if (!(more < pool.servers)) return detail::for_ever;
  return (1 + detail::queue_growth(pool.servers, less, more)) * pool.mean_service;
}

}  // namespace gpuplan
