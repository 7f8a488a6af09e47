#pragma once
/// \file
/// The wait where arrivals or jobs are more, or less, regular than random: G/G/c by two moments.

#include <cmath>

#include <gpuplan/queue/erlang.hpp>
#include <gpuplan/queue/ggc_bounds.hpp>
#include <gpuplan/queue/ggc_formulas.hpp>
#include <gpuplan/queue/ggc_probability.hpp>
#include <gpuplan/queue/mdc.hpp>

namespace gpuplan {

/// Which formula an answer comes from.
enum class wait_formula { erlang_c, pollaczek_khinchine, crommelin, kimura, whitt };

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

/// The wait of G/G/c, by the formula that is best for the case.
///
///     M/M/c exact; M/G/1 exact, (1 + c_s^2)/2 W_M; M/D/c exact; M/G/c by Kimura; else by Whitt
///
///     lambda, S, c   of jobs;  c_a^2, c_s^2 of spread
///
/// The errors are those that kimura_wait and whitt_wait state.  A variability of service above 5 is
/// flagged unless the load is heavy, rho >= 0.9 and (1 - rho) sqrt(c) <= 0.5: among 12 simulated
/// cases of such jobs those flagged waited 0.57 (bounded Pareto) to 1.08 times (lognormal) the
/// answer, the others 0.9 to 1.3 times.  The probability of waiting is that of
/// whitt_wait_probability, but for M/D/c.
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
  const bool random = spread.arrivals == 1;
  answer.formula = random ? wait_formula::kimura : wait_formula::whitt;
  const double spare = 1 - jobs.utilization();
  const bool heavy_load = spare <= 0.1 && spare * std::sqrt(jobs.servers) <= 0.5;
  answer.trust =
      spread.service > 5 && !heavy_load ? wait_trust::heavy_tail : wait_trust::two_moments;
  answer.wait.mean = random ? kimura_wait(jobs, spread) : whitt_wait(jobs, spread);
  answer.wait.probability = whitt_wait_probability(jobs, spread);
  return answer;
}

}  // namespace gpuplan
