#pragma once
/// \file
/// Queues of G/G/c, general arrivals and services on c servers: bounds of the mean wait, its
/// approximations, the probability of waiting, and what to make of it all.

#include <cmath>
#include <limits>
#include <numbers>

#include <gpuplan/queue/continuous_erlang.hpp>
#include <gpuplan/queue/erlang.hpp>
#include <gpuplan/queue/gimc.hpp>
#include <gpuplan/queue/mdc.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Squared coefficients of variation: variance over squared mean.  0 is clockwork, 1 random.
struct variability {
  double arrivals = 1;  ///< c_a^2, of the times between arrivals; >= 0
  double service = 1;   ///< c_s^2, of the times of service; >= 0

  [[nodiscard]] constexpr double mean() const { return (arrivals + service) / 2; }
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const variability& spread) {
  require(spread.arrivals >= 0 && spread.arrivals < 1e300,
          "variability.arrivals must be >= 0 and finite");
  require(spread.service >= 0 && spread.service < 1e300,
          "variability.service must be >= 0 and finite");
}

/// Kingman's bound, G/G/1: the mean wait is never longer.
///
///     W_q <= (c_a^2 + rho^2 c_s^2) / (2 lambda (1 - rho))
///
///     lambda, rho    of jobs; one server     1/s; 1
///     c_a^2, c_s^2   of spread               1, >= 0
///
/// Tight as rho tends to 1.
///
/// Holds: G/G/1.
///
/// Source: J. F. C. Kingman, "Some inequalities for the queue GI/G/1", Biometrika 49 (1962)
/// 315-324.
///
/// \throws invalid_input if jobs or spread are invalid, or servers != 1
constexpr seconds kingman_bound(const workload& jobs, const variability& spread) {
  require_valid(jobs);
  require_valid(spread);
  require(jobs.servers == 1, "kingman_bound: servers must be 1");
  const double rho = jobs.utilization();
  if (!(rho < 1)) return seconds{std::numeric_limits<double>::infinity()};
  if (rho == 0) return seconds{0};
  return (spread.arrivals + rho * rho * spread.service) / (2 * (1 - rho)) / jobs.arrival_rate;
}

/// The limit of heavy traffic, G/G/c: what the mean wait tends to as rho tends to 1.
///
///     W_q = (c_a^2 + c_s^2) / (2 (c / S - lambda))
///
///     lambda, S, c  of jobs;  c_a^2, c_s^2 of spread
///
/// Twice the wait and more at moderate load: no approximation there.
///
/// Holds: G/G/c, rho near 1; twice too long and more at moderate load.
///
/// Source: J. Koellerstroem, "Heavy traffic theory for queues with several servers", J. Appl. Prob.
/// 11 (1974) 544-552.
///
/// \throws invalid_input if jobs or spread are invalid
constexpr seconds heavy_traffic_wait(const workload& jobs, const variability& spread) {
  require_valid(jobs);
  require_valid(spread);
  if (!(jobs.utilization() < 1)) return seconds{std::numeric_limits<double>::infinity()};
  return spread.mean() / (jobs.servers / jobs.mean_service - jobs.arrival_rate);
}

namespace detail {

/// Q(z) = 1 - Phi(z) of the normal law.
inline double normal_tail(double z) {
  return std::erfc(z / std::numbers::sqrt2) / 2;
}

/// ln Q(z), also where Q(z) is below the smallest double.  From z = 30 on by the asymptotic series
///
///     Q(z) = e^(-z^2/2) / (z sqrt(2 pi)) (1 - 1/z^2 + 3/z^4 - 15/z^6 + ...)
///
/// of which the first term left out, 10395/z^12, is below 2e-14 there.
///
/// Source: M. Abramowitz and I. Stegun, "Handbook of Mathematical Functions" (1964), 26.2.12.
inline double log_normal_tail(double z) {
  if (z < 30) return std::log(normal_tail(z));
  const double q = 1 / (z * z);
  const double series = -q * (1 - 3 * q * (1 - 5 * q * (1 - 7 * q * (1 - 9 * q))));
  return -z * z / 2 - std::log(z * std::sqrt(2 * std::numbers::pi)) + std::log1p(series);
}

}  // namespace detail

/// Probability that a job of G/G/c waits, by Whitt.
///
///     P   = p_1                             for c_a^2 >= 1, c <= 6 or g <= 1/2
///     P   = c_a^2 p_1 + (1 - c_a^2) Q(g)    for c_a^2 < 1, c > 6 and g >= 1
///     p_1 = r^2 p_4 + (1 - r^2) p_5
///     p_4 = min(1, C Q((1 + c_s^2) y / (c_a^2 + c_s^2)) / Q(y))    right in heavy traffic
///     p_5 = min(1, C Q(2 y / (1 + c_a^2)) / Q(y))                  right in light traffic
///     y   = (1 - r) sqrt(c)
///     g   = (c - a - 1/2) / sqrt(a z)
///     z   = (c_a^2 + c_s^2) / (1 + c_s^2)
///     a   = lambda S
///     r   = a / c
///     C   = erlang_c(c, a)
///     Q   = tail of the normal law
///
///     a, c, r        offered load, servers and utilization of jobs
///     c_a^2, c_s^2   of spread
///     C              erlang_c(c, a)
///     Q              tail of the normal law
///
/// Between g = 1/2 and g = 1 the weight of the second is 2 (1 - c_a^2)
/// (g - 1/2), so that P jumps at g = 1, as in the source.  Exact for
/// M/M/c.  Error on 103 exact cases, 1 to 64 servers, rho 0.5 to 0.98,
/// mean and largest: c_a^2 < 1 4% and 16%, 1 2% and 9%, above 2% and 7%.
///
/// Holds: two moments; within 16%.
///
/// Source: W. Whitt, "Approximations for the GI/G/m queue", Production and Operations Management 2
/// (1993) 114-161.
///
/// \throws invalid_input if jobs or spread are invalid
inline double whitt_wait_probability(const workload& jobs, const variability& spread) {
  require_valid(jobs);
  require_valid(spread);
  const double servers = jobs.servers;
  const double load = jobs.offered_load();
  const double rho = jobs.utilization();
  if (!(rho < 1)) return 1;
  if (load == 0 || spread.mean() == 0) return 0;
  const double ca = spread.arrivals;
  const double cs = spread.service;

  const double y = (1 - rho) * std::sqrt(servers);
  // By logarithms: C and Q of many servers are below the smallest double where C Q / Q is not.
  const double base = log_erlang_c(servers, load) - detail::log_normal_tail(y);
  const auto scaled = [base](double z) {
    return std::exp(std::fmin(0, base + detail::log_normal_tail(z)));
  };
  const double heavy = scaled((1 + cs) * y / (ca + cs));
  const double light = scaled(2 * y / (1 + ca));
  const double few = rho * rho * heavy + (1 - rho * rho) * light;
  if (ca >= 1 || servers <= 6) return few;

  const double z = (ca + cs) / (1 + cs);
  const double spare = (servers - load - 0.5) / std::sqrt(load * z);
  const double many = ca * few + (1 - ca) * detail::normal_tail(spare);
  if (spare <= 0.5) return few;
  if (spare >= 1) return many;
  const double part = 2 * (1 - ca) * (spare - 0.5);
  return part * many + (1 - part) * few;
}

namespace detail {

/// M/M/c in O(sqrt c).
inline waiting markov_wait(const workload& jobs) {
  return wait_of(jobs, [](int c, double load) { return continuous_erlang_c(c, load); });
}

/// Cosmetatos' correction g for more than one server: M/D/c waits (1 + g)/2 of M/M/c, for few of
/// them.
inline double server_correction(double servers, double rho) {
  return (1 - rho) * (servers - 1) * (std::sqrt(4 + 5 * servers) - 2) / (16 * servers * rho);
}

/// The same as Whitt bounds it, so that D/M/c waits more than nothing.
inline double bounded_correction(double servers, double rho) {
  return std::fmin(0.24, server_correction(servers, rho));
}

/// D/M/c over M/M/c, twice: Whitt's phi_3.
inline double clockwork_arrivals(double servers, double rho) {
  return (1 - 4 * bounded_correction(servers, rho)) * std::exp(-2 * (1 - rho) / (3 * rho));
}

/// A wait of M/M/c, scaled by the variability of arrivals and service; endless where that is,
/// though nothing varies.
inline seconds scaled_wait(seconds markov, const variability& spread) {
  return isfinite(markov) ? spread.mean() * markov : markov;
}

}  // namespace detail

/// Mean wait of G/G/c by Allen and Cunneen.
///
///     W_q = (c_a^2 + c_s^2)/2 W_M
///
///     W_M            wait(jobs).mean, of M/M/c
///     c_a^2, c_s^2   of spread
///
/// Exact for M/M/c and M/G/1.  Error on 174 exact cases, 1 to 64 servers, rho 0.5 to 0.98, mean and
/// largest: M/G/c with c_s^2 < 1 1.5% and 4%, above 13% and 53%; c_a^2 < 1 14% and 51%, above 8%
/// and 37%.  Heavy tails: hundreds of percent.
///
/// Holds: G/G/c; M/G/c of heavy tails: hundreds of percent too long.
///
/// Source: A. O. Allen, "Probability, Statistics, and Queueing Theory", 2nd ed. (1990), section
/// 5.3.5.
///
/// \throws invalid_input if jobs or spread are invalid
inline seconds allen_cunneen_wait(const workload& jobs, const variability& spread) {
  require_valid(spread);
  return detail::scaled_wait(detail::markov_wait(jobs).mean, spread);
}

/// Mean wait of G/G/c by Kraemer and Langenbach-Belz.
///
///     W_q = (c_a^2 + c_s^2)/2 W_M g
///     g = exp(-2 (1 - rho) (1 - c_a^2)^2 / (3 rho (c_a^2 + c_s^2)))   for c_a^2 < 1
///     g = exp(-(1 - rho) (c_a^2 - 1) / (c_a^2 + 4 c_s^2))             for c_a^2 >= 1
///
///     W_M, rho       of wait(jobs) and jobs;  c_a^2, c_s^2 of spread, not both 0
///
/// Error as that of allen_cunneen_wait for random arrivals; c_a^2 < 1 11% and 49%, above 11% and
/// 41%.
///
/// Holds: G/G/c.
///
/// Source: W. Kraemer and M. Langenbach-Belz, "Approximate formulae for the delay in the queueing
/// system GI/G/1", 8th International Teletraffic Congress (1976) 235.
///
/// \throws invalid_input if jobs or spread are invalid
inline seconds kraemer_langenbach_belz_wait(const workload& jobs, const variability& spread) {
  require_valid(spread);
  const seconds markov = detail::markov_wait(jobs).mean;
  const double ca = spread.arrivals;
  const double rho = jobs.utilization();
  if (!(rho > 0) || !(rho < 1) || spread.mean() == 0) return detail::scaled_wait(markov, spread);
  const double exponent =
      ca < 1 ? 2 * (1 - rho) * (1 - ca) * (1 - ca) / (3 * rho * (ca + spread.service))
             : (1 - rho) * (ca - 1) / (ca + 4 * spread.service);
  return spread.mean() * std::exp(-exponent) * markov;
}

/// Mean wait of G/G/c by Whitt.
///
///     W_q   = phi h W_M
///     h     = (c_a^2 + c_s^2) / 2
///     phi   = (4 (c_a^2 - c_s^2) phi_1 + c_s^2 Psi) / (4 c_a^2 - 3 c_s^2)    for c_a^2 >= c_s^2
///           = ((c_s^2 - c_a^2) phi_3 + (c_s^2 + 3 c_a^2) Psi) / (2 (c_a^2 + c_s^2))    otherwise
///     phi_1 = 1 + g
///     phi_3 = (1 - 4 g) e^(-2 (1 - rho) / (3 rho))
///     phi_4 = min(1, (phi_1 + phi_3) / 2)
///     Psi   = 1                     for h >= 1
///           = phi_4^(2 (1 - h))     otherwise
///     g     = min(0.24, (1 - rho) (c - 1) (sqrt(4 + 5 c) - 2) / (16 c rho))
///     rho   = lambda S / c
///     W_M   = mean wait of M/M/c
///
///     W_M            wait(jobs).mean
///     lambda, S, c   of jobs;  c_a^2, c_s^2 of spread
///
/// Error on 174 exact cases, 1 to 64 servers, rho 0.5 to 0.98, mean and largest: M/G/c with c_s^2 <
/// 1 0.9% and 3%, above 5% and 21%; c_a^2 < 1 3% and 19%, above 7% and 31%.  Bursty arrivals
/// at many servers that are often free wait far longer: 10 times at c = 48, rho = 0.7, c_a^2 = 9,
/// c_s^2 = 1.
///
/// Holds: G/G/c; bursts at many servers that are often free: far too short.
///
/// Source: W. Whitt, "Approximations for the GI/G/m queue", Production and Operations Management 2
/// (1993) 114-161.
///
/// \throws invalid_input if jobs or spread are invalid
inline seconds whitt_wait(const workload& jobs, const variability& spread) {
  require_valid(spread);
  const seconds markov = detail::markov_wait(jobs).mean;
  const double ca = spread.arrivals;
  const double cs = spread.service;
  const double rho = jobs.utilization();
  if (!(rho > 0) || !(rho < 1) || spread.mean() == 0) return detail::scaled_wait(markov, spread);

  const double phi_1 = 1 + detail::bounded_correction(jobs.servers, rho);
  const double phi_3 = detail::clockwork_arrivals(jobs.servers, rho);
  const double phi_4 = std::fmin(1, (phi_1 + phi_3) / 2);
  const double psi = spread.mean() >= 1 ? 1 : std::pow(phi_4, 2 * (1 - spread.mean()));
  const double phi = ca >= cs ? (4 * (ca - cs) * phi_1 + cs * psi) / (4 * ca - 3 * cs)
                              : ((cs - ca) * phi_3 + (cs + 3 * ca) * psi) / (2 * ca + 2 * cs);
  return phi * spread.mean() * markov;
}

/// Mean wait of G/G/c by Kimura.
///
///     W_q   = (c_a^2 + c_s^2) / ((1 - c_a^2)/W_DM + (1 - c_s^2)/W_MD + 2 (c_a^2 + c_s^2 - 1)/W_M)
///     W_M   = mean wait of M/M/c
///     W_MD  = (1 + g)/2 W_M, of M/D/c: service like clockwork
///     W_DM  = phi/2 W_M, of D/M/c: arrivals like clockwork
///     phi   = (1 - 4 min(0.24, g)) e^(-2 (1 - rho) / (3 rho))
///     g     = (1 - rho) (c - 1) (sqrt(4 + 5 c) - 2) / (16 c rho)
///     rho   = lambda S / c
///
///     W_M           wait(jobs).mean
///     lambda, S, c  of jobs;  c_a^2 <= 1, c_s^2 of spread
///
/// phi is phi_3 of whitt_wait. Where g is 0.4 or more, which many servers at low load make it, W_MD
/// is deterministic_wait's.
///
/// For arrivals less regular than random the denominator may vanish, and the answer is refused.
/// Error on 174 exact cases, mean and largest: M/G/c with c_s^2 < 1 0.3% and 1%, above 6% and 22%;
/// c_a^2 < 1 8% and 31%.
///
/// Holds: G/G/c, arrivals no burstier than random.
///
/// Source: T. Kimura, "A two-moment approximation for the mean waiting time in the GI/G/s queue",
/// Management Science 32 (1986) 751-763.
///
/// \throws invalid_input if jobs or spread are invalid, or spread.arrivals > 1
inline seconds kimura_wait(const workload& jobs, const variability& spread) {
  require_valid(spread);
  require(spread.arrivals <= 1, "kimura_wait: spread.arrivals must be <= 1");
  const seconds markov = detail::markov_wait(jobs).mean;
  const double rho = jobs.utilization();
  if (!(rho < 1) || !(markov > seconds{0}) || spread.mean() == 0)
    return detail::scaled_wait(markov, spread);

  const double correction = detail::server_correction(jobs.servers, rho);
  const double clockwork_service =
      correction < 0.4 ? (1 + correction) / 2 : deterministic_wait(jobs).mean / markov;
  const double clockwork_arrivals = detail::clockwork_arrivals(jobs.servers, rho) / 2;
  const double of_arrivals =  // of random ones none, however seldom clockwork's would wait
      spread.arrivals == 1 ? 0 : (1 - spread.arrivals) / clockwork_arrivals;
  const double denominator =
      of_arrivals + (1 - spread.service) / clockwork_service + 2 * (2 * spread.mean() - 1);
  return 2 * spread.mean() / denominator * markov;
}

namespace detail {

/// Mean wait of M/G/c: exact for one server, and for jobs of equal or of exponential duration; else
/// by Kimura.
inline seconds random_arrivals_wait(const workload& jobs, double service) {
  const variability spread{.arrivals = 1, .service = service};
  if (jobs.servers == 1) return scaled_wait(markov_wait(jobs).mean, spread);
  if (service == 0) return deterministic_wait(jobs).mean;
  return kimura_wait(jobs, spread);
}

}  // namespace detail

/// Mean wait of G/G/c from those of GI/M/c and M/G/c.
///
///     W_q  = h W_M x^e y
///     h    = (c_a^2 + c_s^2) / 2
///     x    = 2 W_GM / ((1 + c_a^2) W_M)
///     y    = 2 W_MG / ((1 + c_s^2) W_M)
///     e    = 1                  for c_a^2 >= 1
///          = 2 / (1 + c_s^2)    otherwise
///     W_M  = mean wait of M/M/c
///     W_GM = mean wait of GI/M/c, exact: renewal_wait
///     W_MG = mean wait of M/G/c: exact for one server and for equal jobs, else kimura_wait
///
///     W_M            wait(jobs).mean
///     lambda, S, c   of jobs;  c_a^2, c_s^2 of spread
///
/// x and y say by how much a wait differs from what the variability alone makes of it.  Right where
/// arrivals or service are exponential, and in heavy traffic.
///
/// Error on 39 exact cases, 1 to 64 servers, rho 0.5 to 0.98, neither exponential, mean and
/// largest: c_a^2 < 1 0.5% and 2%, above 3% and 15%.  On 564 simulated cases where 1% of the jobs
/// or more wait, 8, 24, 48 and 100 servers, rho 0.7 to 0.95, c_a^2 0, 1/4, 2, 4 and 9, c_s^2 the
/// same; laws are gamma below 1, above it hyperexponential, of service also lognormal:
///
///     c_a^2 > 1                7%, 52%; whitt_wait 28%, 100%
///     c_a^2 < 1, c_s^2 > 1    16%, 75%; whitt_wait 48%, 264%
///     c_a^2 < 1, c_s^2 < 1    27%, 175%; whitt_wait 114%, 727%
///
/// Holds: G/G/c; where both vary less than random and few wait, twice too long.
///
/// Source: the form and e are this library's, chosen by simulation; W_GM as renewal_wait, W_MG as
/// kimura_wait.
///
/// \throws invalid_input if jobs or spread are invalid
inline seconds scaled_renewal_wait(const workload& jobs, const variability& spread) {
  require_valid(spread);
  const seconds markov = detail::markov_wait(jobs).mean;
  const double ca = spread.arrivals;
  const double cs = spread.service;
  if (!isfinite(markov) || !(markov > seconds{0}) || spread.mean() == 0)
    return detail::scaled_wait(markov, spread);
  const double x = renewal_wait(jobs, ca).mean / markov * (2 / (1 + ca));
  const double y = detail::random_arrivals_wait(jobs, cs) / markov * (2 / (1 + cs));
  const double e = ca >= 1 ? 1 : 2 / (1 + cs);
  return spread.mean() * std::pow(x, e) * y * markov;
}

/// Which formula an answer comes from.
enum class wait_formula {
  erlang_c,
  pollaczek_khinchine,
  crommelin,
  takacs,  ///< renewal_wait
  kimura,
  scaled_renewal
};

/// How far to trust an answer.
enum class wait_trust {
  exact,
  two_moments,  ///< the errors that the formula states
  heavy_tail    ///< no formula of two moments is right for all laws: simulate, or fit more moments
};

/// A wait, and where it comes from.
struct general_waiting {
  waiting wait{};
  wait_formula formula = wait_formula::erlang_c;
  wait_trust trust = wait_trust::exact;
};

/// Mean wait of G/G/c by the formula that is best for the case.
///
///     M/M/c, M/D/c, GI/M/c exact; M/G/1 exact, (1 + c_s^2)/2 W_M; M/G/c by Kimura; else
///         scaled_renewal_wait
///
///     lambda, S, c   of jobs;  c_a^2, c_s^2 of spread
///
/// The errors are those that kimura_wait and scaled_renewal_wait state.  GI/M/c is exact for the
/// laws of arrivals that renewal_wait takes: trusted as exact for clockwork alone.
///
/// A variability of service above 5 is flagged unless the load is heavy, rho >= 0.9 and (1 - rho)
/// sqrt(c) <= 0.5: among 12 simulated cases of such jobs those flagged waited 0.57 (bounded Pareto)
/// to 1.08 times (lognormal) the answer, the others 0.9 to 1.3 times.  Of 50 more, lognormal,
/// hyperexponential and Weibull on 10 and 48 servers, rho 0.5 and 0.85, those of a variability up
/// to 16 waited at most 2.1 times the answer, up to 50 4.7 times, up to 100 7.8 times.  The
/// probability of waiting is that of whitt_wait_probability, but for M/D/c and GI/M/c; where
/// arrivals vary more than random ones, it is scaled as that of GI/M/c, up to 1.
///
/// Holds: two moments; flagged where the tail is heavy.
///
/// Source: for M/G/1 F. Pollaczek (1930) and A. Khinchine (1932), in D. Gross et al., "Fundamentals
/// of Queueing Theory", 4th ed. (2008), section 5.1; the others as their functions say.
///
/// \throws invalid_input if jobs or spread are invalid
inline general_waiting general_wait(const workload& jobs, const variability& spread) {
  require_valid(spread);
  general_waiting answer{.wait = detail::markov_wait(jobs)};
  if (!answer.wait.stable() || (spread.arrivals == 1 && spread.service == 1)) return answer;

  if (spread.arrivals == 1 && jobs.servers == 1) {
    answer.formula = wait_formula::pollaczek_khinchine;
    answer.wait.mean *= spread.mean();
    return answer;
  }
  if (spread.arrivals == 1 && spread.service == 0) {
    answer.formula = wait_formula::crommelin;
    answer.wait = deterministic_wait(jobs);
    return answer;
  }
  if (spread.service == 1) {
    answer.formula = wait_formula::takacs;
    answer.trust = spread.arrivals == 0 ? wait_trust::exact : wait_trust::two_moments;
    answer.wait = renewal_wait(jobs, spread.arrivals);
    return answer;
  }
  const bool random = spread.arrivals == 1;
  answer.formula = random ? wait_formula::kimura : wait_formula::scaled_renewal;
  const double spare = 1 - jobs.utilization();
  const bool heavy_load = spare <= 0.1 && spare * std::sqrt(jobs.servers) <= 0.5;
  answer.trust =
      spread.service > 5 && !heavy_load ? wait_trust::heavy_tail : wait_trust::two_moments;
  answer.wait.mean = random ? kimura_wait(jobs, spread) : scaled_renewal_wait(jobs, spread);
  answer.wait.probability = whitt_wait_probability(jobs, spread);
  if (spread.arrivals > 1) {
    // In this order, as a ratio of two tiny numbers may be any number, but that of one to a much
    // smaller one overflows.
    const double of_exponential = whitt_wait_probability(jobs, {spread.arrivals, 1});
    const double exact = renewal_wait(jobs, spread.arrivals).probability;
    if (of_exponential > 0)
      answer.wait.probability = std::fmin(1, exact * (answer.wait.probability / of_exponential));
  }
  // Jobs that wait do so for a time: one of both below the smallest double is that of no wait.
  if (answer.wait.probability == 0) answer.wait.mean = seconds{0};
  if (answer.wait.mean == seconds{0}) answer.wait.probability = 0;
  return answer;
}

}  // namespace gpuplan
