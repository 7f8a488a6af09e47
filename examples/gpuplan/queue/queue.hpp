#pragma once
/// \file
/// What `gpuplan queue` answers, whether it was asked with numbers or with a trace.

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/accuracy/error_band.hpp>
#include <gpuplan/queue/mmc.hpp>
#include <gpuplan/simulate/confidence.hpp>
#include <gpuplan/simulate/pool_policy.hpp>
#include <gpuplan/simulate/replications.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::cli {

/// A question about more GPUs is a slip.
inline constexpr std::int64_t most_gpus = 10'000'000;

/// The percentiles of the wait that are printed, and that a target may be set for.
inline constexpr std::array printed_percentiles{50, 90, 95, 99};

/// "4 h 10 min", "< 1 ms", "unbounded".
std::string time_in_words(seconds time);

/// What the wait is asked to keep.
struct wait_target {
  enum class measure { mean, probability, percentile };
  measure of = measure::mean;
  int percent = 0;   ///< of a percentile
  seconds time{};    ///< of a mean or a percentile: no longer
  double share = 0;  ///< of a probability: no more

  [[nodiscard]] std::string key() const;    ///< "mean_wait", "p95", "wait_probability"
  [[nodiscard]] std::string words() const;  ///< "mean wait of 10 min"
};

/// How many wait, how long on average, and the percentiles; infinite where the queue grows.
struct wait_figures {
  double probability = 0;
  seconds mean{};
  std::array<seconds, printed_percentiles.size()> percentiles{};
  std::optional<error_distribution> mean_errors{};  ///< of the formula, where they were measured

  /// What the mean is between, as a factor; none where its errors were not measured.
  [[nodiscard]] std::optional<error_band> mean_band(double level) const;
  [[nodiscard]] bool keep(const wait_target& target) const;
};

/// Of a mean and a probability, with an exponential tail.
wait_figures figures_of(const waiting& wait);

/// The wait by one model.
struct model_row {
  std::string key{};    ///< "mmc"
  std::string model{};  ///< "M/M/c"
  std::string by{};     ///< "Erlang C"
  wait_figures wait{};
  std::string validity{};
  bool chosen = false;
};

/// The fewest GPUs that keep a target; 0 where none do.
struct need_row {
  wait_target target;
  std::int64_t gpus = 0;
  double utilization = 0;
  std::string why{};  ///< none does
};

/// The wait on so many GPUs.
struct size_row {
  std::int64_t gpus = 0;
  double utilization = 0;
  wait_figures wait{};
  std::string by{};
  std::string remark{};
  bool none_fits = false;        ///< each job asks for more: no wait
  std::int64_t never_start = 0;  ///< jobs of a trace that ask for more: in no wait
};

/// The mean wait, and the mean time from arrival to end, under a policy.  The most is above the
/// least where only bounds are known.
struct policy_row {
  std::string key{};
  std::string policy{};
  seconds wait_least{};
  seconds wait_most{};
  seconds least{};
  seconds most{};
  std::optional<seconds> p99{};         ///< of the wait, where it is known
  std::optional<seconds> of_gpus{};     ///< mean wait, each job counted as often as it has GPUs
  std::optional<double> slowdown{};     ///< mean, bounded
  std::optional<double> utilization{};  ///< work of the trace over what the GPUs can do to the end
  std::string how{};                    ///< "exact", "bounds", "simulated"
  bool known = true;                    ///< false: no time is
};

/// The row of a policy where more work comes than the GPUs can do: jobs that never end add up.
policy_row endless_row(std::string_view key, std::string_view policy);

/// The row of a policy of which nothing is known here, and why.
policy_row unknown_row(std::string_view key, std::string_view policy, std::string why);

/// The answer to both kinds of question.
struct queue_answer {
  std::int64_t gpus = 0;       ///< 0 where none were given
  double level = usual_level;  ///< share of systems whose mean wait a range holds
  bool rate_known = true;      ///< false of a trace without a rate that lasts
  double offered_gpus = 0;
  double utilization = 0;
  bool stable = true;                  ///< not known to be overloaded
  bool steady = true;                  ///< false of a trace too short for a rate that lasts
  bool nothing_fits = false;           ///< each job asks for more GPUs
  std::int64_t never_start = 0;        ///< jobs of a trace that do: in no wait and no utilisation
  std::string reason{};                ///< why not
  std::int64_t least_stable_gpus = 0;  ///< the fewest on which the queue does not grow; 0: unknown
  std::vector<model_row> models{};     ///< none without GPUs
  std::vector<need_row> needs{};
  std::vector<size_row> sizes{};
  std::vector<policy_row> policies{};
  std::int64_t policy_jobs = 0;      ///< of a trace, on which policies were compared
  bool policy_sample = false;        ///< are they fewer than the trace has?
  std::optional<double> capacity{};  ///< GPUs that first come first served can keep busy
  std::vector<std::string> notes{};

  /// Whether work is done as fast as it comes; none where the trace is too short to say.
  [[nodiscard]] std::optional<bool> known_stable() const {
    if (stable && !steady) return std::nullopt;
    return stable;
  }
  /// Those that keep every target; 0 where none was set, or none do.
  [[nodiscard]] std::int64_t needed_gpus() const;
};

/// The sizes to look at where none were asked for: whole jobs, so many percent of a size.
std::vector<std::int64_t> sizes_around(std::int64_t gpus, std::int64_t gpus_per_job,
                                       int least_percent = 50, int most_percent = 200);

/// How often a simulation of the program may do its plan over, to be precise.
inline constexpr int most_effort_of_simulation = 4;

/// How far the mean wait of a simulation may be off.
std::string simulated_in_words(const replicated_waiting& found);

/// The row of a policy that was simulated.  The time in the system is the simulated wait, all the
/// time that a job does not run, and the mean duration that is known: the mean of the durations
/// that were drawn differs from it, often by more than jobs wait.
policy_row simulated_row(const named_policy& policy, const replicated_waiting& found,
                         seconds mean_duration);

/// A policy with the levels of least attained service a twentieth of the mean work wide, or as its
/// own where that is more: of long jobs the simulator has to look at each level.
named_policy fitted_to(const named_policy& policy, seconds mean_work);

/// The fewest of `least` and more, in steps, that keep something which all above keep, too; looked
/// for from `first` steps on.  0 where not even the most does.
template <class Keeps>
std::int64_t fewest(std::int64_t least, std::int64_t step, std::int64_t first, std::int64_t most,
                    Keeps keeps) {
  if (least > most) return 0;
  if (keeps(least)) return least;
  const std::int64_t end = (most - least) / step;
  std::int64_t low = 0;  // steps above the least
  std::int64_t high = (std::min)(first, end);
  while (!keeps(least + high * step)) {
    if (high == end) return 0;
    low = high;
    high = (std::min)(2 * high, end);
  }
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (keeps(least + middle * step) ? high : low) = middle;
  }
  return least + high * step;
}

}  // namespace gpuplan::cli
