/// \file
/// Figures of a wait, and the targets it must keep.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <fmt/format.h>

#include <gpuplan/units/format.hpp>

#include "queue/queue.hpp"

namespace gpuplan::cli {

std::string time_in_words(seconds time) {
  if (!isfinite(time)) return "unbounded";
  if (time > seconds{0} && time < units::ms) return "< 1 ms";
  return format_duration(time);
}

std::string wait_target::key() const {
  switch (of) {
    case measure::mean: return "mean_wait";
    case measure::probability: return "wait_probability";
    case measure::percentile: return fmt::format("p{}", percent);
  }
  return "";
}

std::string wait_target::words() const {
  switch (of) {
    case measure::mean: return "mean wait of " + time_in_words(time);
    case measure::probability: return fmt::format("wait of {:.3g} % of the jobs", 100 * share);
    case measure::percentile: return fmt::format("p{} of {}", percent, time_in_words(time));
  }
  return "";
}

bool wait_figures::keep(const wait_target& target) const {
  switch (target.of) {
    case wait_target::measure::mean: return mean <= target.time;
    case wait_target::measure::probability: return isfinite(mean) && probability <= target.share;
    case wait_target::measure::percentile:
      for (std::size_t i = 0; i < percentiles.size(); ++i)
        if (printed_percentiles[i] == target.percent) return percentiles[i] <= target.time;
  }
  return false;
}

std::optional<error_band> wait_figures::mean_band(double level) const {
  if (!mean_errors) return std::nullopt;
  return error_band_of(*mean_errors, level);
}

wait_figures figures_of(const waiting& wait) {
  wait_figures figures{.probability = wait.probability, .mean = wait.mean};
  if (!wait.stable()) {
    figures.percentiles.fill(wait.mean);
    return figures;
  }
  const wait_law law = wait.probability > 0 ? wait_law_of(wait) : wait_law{};
  for (std::size_t i = 0; i < printed_percentiles.size(); ++i) {
    const seconds time = law.percentile(printed_percentiles[i] / 100.0);
    if (time > 1e-12 * law.conditional_mean) figures.percentiles[i] = time;
  }
  return figures;
}

std::int64_t queue_answer::needed_gpus() const {
  std::int64_t all = 0;
  for (const need_row& need : needs) {
    if (need.gpus == 0) return 0;
    all = (std::max)(all, need.gpus);
  }
  return all;
}

std::vector<std::int64_t> sizes_around(std::int64_t gpus, std::int64_t gpus_per_job,
                                       int least_percent, int most_percent) {
  std::vector<std::int64_t> sizes;
  for (const int percent : {50, 75, 90, 100, 110, 125, 150, 200}) {
    if (percent < least_percent || percent > most_percent) continue;
    const std::int64_t jobs = (gpus * percent / 100 + gpus_per_job - 1) / gpus_per_job;
    const std::int64_t size = percent == 100 ? gpus : jobs * gpus_per_job;
    if (size >= gpus_per_job && size <= most_gpus) sizes.push_back(size);
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

named_policy fitted_to(const named_policy& policy, seconds mean_work) {
  named_policy fitted = policy;
  if (policy.policy.order != job_order::least_attained_service) return fitted;
  if (policy.policy.thresholds.empty()) {
    fitted.policy.quantum = larger(policy.policy.quantum, mean_work / 20);
    fitted.meaning = "least attained service";
  }
  return fitted;
}

std::string simulated_in_words(const replicated_waiting& found) {
  const basic_confidence<seconds>& wait = found.mean_wait;
  if (!(wait.mean > seconds{0})) return "simulated: none waited";
  if (!std::isfinite(wait.half_width / seconds{1}))
    return "simulated: too few waited to say how far off";
  if (!found.settled) return "simulated, too short: waits still grow";
  const double percent = 100 * (wait.half_width / wait.mean);
  return percent < 99.5 ? fmt::format("simulated, wait +- {:.2g} %", percent)
                        : fmt::format("simulated, wait +- {:.0f} %", percent);
}

policy_row endless_row(std::string_view key, std::string_view policy) {
  constexpr seconds never{HUGE_VAL};
  return {.key = std::string(key),
          .policy = std::string(policy),
          .wait_least = never,
          .wait_most = never,
          .least = never,
          .most = never,
          .p99 = never,
          .how = "exact"};
}

policy_row unknown_row(std::string_view key, std::string_view policy, std::string why) {
  policy_row row = endless_row(key, policy);
  row.p99 = std::nullopt;
  row.how = std::move(why);
  row.known = false;
  return row;
}

policy_row simulated_row(const named_policy& policy, const replicated_waiting& found,
                         seconds mean_duration) {
  const seconds wait = found.mean_wait.mean;
  return {.key = std::string(policy.name),
          .policy = std::string(policy.meaning),
          .wait_least = wait,
          .wait_most = wait,
          .least = wait + mean_duration,
          .most = wait + mean_duration,
          .p99 = found.wait_99.mean,
          .how = simulated_in_words(found)};
}

}  // namespace gpuplan::cli
