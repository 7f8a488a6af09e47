#pragma once
/// \file
/// M/M/c with abandonment (Erlang A): jobs give up when they have waited too long.

#include <cmath>
#include <numbers>

#include <gpuplan/queue/detail/service_integrals.hpp>
#include <gpuplan/queue/erlang.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// The steady state of a queue whose jobs give up.  It is stable at any load.
struct impatient_waiting {
  double probability = 0;     ///< that a job finds every server busy
  double abandonment = 0;     ///< share of the jobs that give up
  seconds mean{};             ///< W_q, over all jobs, until they start or give up
  per_second arrival_rate{};  ///< lambda, of all jobs
  seconds mean_service{};     ///< S

  /// L_q = lambda W_q
  [[nodiscard]] constexpr double queue_length() const { return arrival_rate * mean; }

  /// Servers busy, on average.
  [[nodiscard]] constexpr double busy() const {
    return (1 - abandonment) * (arrival_rate * mean_service);
  }

  /// L, jobs that wait or run.
  [[nodiscard]] constexpr double jobs() const { return queue_length() + busy(); }
};

namespace detail {

/// Weights t_k = prod_{j<=k} a / (c + j f) of k jobs waiting, relative to the largest.
struct impatient_states {
  double sum{};           ///< over k >= 0
  double moment{};        ///< of k
  tiny_number nobody{1};  ///< the weight of k = 0
};

/// The same where load and servers are about equal and jobs so patient that weights hardly fall,
/// relative to k = 0.
///
///     sum t_k   = x int e^f(s) ds
///     sum k t_k = x y int (1 - e^-s) e^f(s) ds
///     f(s)      = (y - x) s - y (s - 1 + e^-s)
///
///     x, y  servers and load over impatience
///
/// By legendre_24 on 32 parts: to rounding.
inline impatient_states patient_states_of(double load, double servers, double impatience) {
  constexpr int parts = 32;
  const double x = servers / impatience;
  const double y = load / impatience;
  const double excess = (load - servers) / impatience;
  const double width = 1 / std::sqrt(y);  // of e^f, about its largest
  const double most = excess < 0 ? std::fmin(10 * width, -45 / excess) : excess / y + 10 * width;
  const double half = most / parts / 2;
  impatient_states all;
  const auto add = [&](double s, double weight) {
    const double curved = s * s / 2 * (1 - s / 3 * (1 - s / 4 * (1 - s / 5 * (1 - s / 6))));
    const double value = weight * half * std::exp(excess * s - y * curved);
    all.sum += x * value;
    all.moment += x * y * -std::expm1(-s) * value;
  };
  for (int part = 0; part < parts; ++part) {
    const double middle = (2 * part + 1) * half;
    for (const auto& [point, weight] : legendre_24) {
      add(middle - half * point, weight);
      add(middle + half * point, weight);
    }
  }
  return all;
}

/// Whether the sums of weights would be long: above some 1e5 terms, as the square root of
/// load / impatience, where load and servers are equal within what patience smooths.  The bound of
/// 1e3 keeps e^f below e^500, which a double holds.
constexpr bool is_long_sum(double load, double servers, double impatience) {
  const double apart = load > servers ? load - servers : servers - load;
  return load / impatience > 1e10 && apart < 1e-3 * servers &&
         (load < servers || apart / impatience * apart < 1e3 * load);
}

constexpr impatient_states impatient_states_of(double load, double servers, double impatience) {
  if (is_long_sum(load, servers, impatience)) return patient_states_of(load, servers, impatience);
  double mode = 0;
  if (load > servers) {
    const double at = (load - servers) / impatience;
    require(at < 1e9, "impatient_wait: the queue must stay below 1e9 jobs");
    mode = static_cast<double>(static_cast<long>(at));
  }
  impatient_states s;
  double weight = 1;
  double k = mode;
  for (; weight > 0; ++k) {
    s.sum += weight;
    s.moment += k * weight;
    const double next = servers + (k + 1) * impatience;
    if (load < next && weight * (k + 1) * load < 1e-18 * (1 + s.moment) * (next - load)) break;
    weight *= load / next;
  }
  k = mode;
  while (k > 0) {
    s.nobody.x *= (servers + k * impatience) / load;
    k -= 1;
    if (s.nobody.x < 0x1p-256) {
      s.nobody.x *= 0x1p256;
      ++s.nobody.shifts;
    }
    if (s.nobody.shifts > 0) continue;  // no longer adds to the sum
    s.sum += s.nobody.x;
    s.moment += k * s.nobody.x;
  }
  return s;
}

/// All weights: with jobs waiting, and with a server free.
constexpr double all_states(const impatient_states& s, double lost) {
  return lost > 0 ? s.sum + s.nobody.value() * (1 - lost) / lost : HUGE_VAL;
}

constexpr double impatience_of(const workload& jobs, seconds patience) {
  gpuplan::require_valid(jobs);
  require(patience > seconds{0} && patience < seconds{1e300},
          "impatient_wait: patience must be > 0 s and finite; without end it is wait()");
  return jobs.mean_service / patience;
}

}  // namespace detail

/// Erlang A, M/M/c+M: jobs that wait give up after an exponential time.
///
///     p_k ~ prod_{j<=k} lambda / (c / S + j / P)   for k jobs waiting
///     L_q = sum k p_k,  W_q = L_q / lambda,  abandonment = W_q / P
///
///     lambda, S, c  of jobs; any load
///     P             mean patience    s, > 0, < 1e300; in overload (lambda S - c) P / S < 1e9
///
/// Sums of positive terms outwards from the largest: O(c + sqrt(c P/S)), and O(P/S) in overload.
/// Where lambda P > 1e10 and the load is that of the servers within what patience smooths,
/// integrals in their place: O(c).
///
/// Holds: M/M/c+M, Erlang A; any load.
///
/// Source: S. Zeltyn and A. Mandelbaum, "Call centers with impatient customers: many-server
/// asymptotics of the M/M/n+G queue", Queueing Systems 51 (2005) 361-402.
///
/// \throws invalid_input if jobs are invalid, patience <= 0 s, or overload would have 1e9 jobs wait
constexpr impatient_waiting impatient_wait(const workload& jobs, seconds patience) {
  const double impatience = detail::impatience_of(jobs, patience);
  const double load = jobs.offered_load();
  if (load == 0) return {.mean_service = jobs.mean_service};
  const auto s = detail::impatient_states_of(load, jobs.servers, impatience);
  const double all = detail::all_states(s, erlang_b(jobs.servers, load));
  const seconds mean = s.moment / all / jobs.arrival_rate;
  return {.probability = s.sum / all,
          .abandonment = mean / patience,
          .mean = mean,
          .arrival_rate = jobs.arrival_rate,
          .mean_service = jobs.mean_service};
}

/// Erlang A: the probability that a job waits longer than t, until it starts or gives up.
///
///     P(T > t) = e^(-t/P) J(t) / (e + J(0))
///     J(t)     = integral from t of exp(lambda P (1 - e^(-x/P)) - c x/S) dx
///
///     lambda, S, c, P  as in impatient_wait
///     t                s, >= 0
///
/// J(t) is the sum of impatient_wait with lambda e^(-t/P) for lambda, as the integral is an
/// incomplete gamma function.
///
/// Holds: M/M/c+M, Erlang A; any load.
///
/// Source: as impatient_wait.
///
/// \throws invalid_input as impatient_wait, or if t < 0 s
inline double impatient_wait_tail(const workload& jobs, seconds patience, seconds t) {
  const double impatience = detail::impatience_of(jobs, patience);
  require(t >= seconds{0}, "impatient_wait_tail: t must be >= 0 s");
  const double load = jobs.offered_load();
  if (load == 0) return 0;
  const double left = std::exp(-(t / patience));
  const double later_load = load * left;
  if (later_load == 0) return 0;
  const auto now = detail::impatient_states_of(load, jobs.servers, impatience);
  const auto later = detail::impatient_states_of(later_load, jobs.servers, impatience);
  const double all = detail::all_states(now, erlang_b(jobs.servers, load));
  const double gone = -std::expm1(-(t / patience));
  // What rounding has put into later_load, which the sum magnifies by its mean number of jobs.
  const double rounded = (load * gone - (load - later_load)) / later_load;
  const double exponent = load / impatience * gone - jobs.servers * (t / jobs.mean_service) -
                          rounded * later.moment / later.sum +
                          256 * std::numbers::ln2 * (later.nobody.shifts - now.nobody.shifts);
  return left * std::exp(exponent) * (later.sum / all) * (now.nobody.x / later.nobody.x);
}

}  // namespace gpuplan
