/// \file
/// The wait of gangs of several sizes.

#include "queue/mix.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include <fmt/format.h>

#include <gpuplan/ceiling.hpp>
#include <gpuplan/queue/gang/gang.hpp>
#include <gpuplan/queue/gang/one_size.hpp>
#include <gpuplan/queue/gang/residual.hpp>
#include <gpuplan/simulate/replications.hpp>
#include <gpuplan/simulate/saturated.hpp>

#include "program.hpp"
#include "queue/gangs.hpp"
#include "queue/numbers.hpp"
#include "queue/simulation.hpp"
#include "queue/tables.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

/// The formula on pools of many sizes, each once.
class gang_waits {
 public:
  gang_waits(const queue_mix& asked, const gang_mix& mix) : asked_{asked}, mix_{mix} {}

  const gang_waiting& on(std::int64_t gpus) {
    const auto known = known_.find(gpus);
    if (known != known_.end()) return known->second;
    gang_waiting answer{};
    answer.wait = {.probability = 1,
                   .mean = seconds{HUGE_VAL},
                   .arrival_rate = asked_.arrival_rate,
                   .mean_service = mix_.duration};
    answer.trust = gang_trust::overload;
    const auto held = static_cast<double>(gpus);
    const gang_workload jobs{.arrival_rate = asked_.arrival_rate,
                             .classes = asked_.classes,
                             .gpus = static_cast<int>(gpus)};
    if (const auto same = one_size_of(jobs)) {
      answer = gang_wait(jobs, same->limit());
    } else if (mix_.largest <= gpus && asked_.arrival_rate * mix_.work < held) {
      const saturation limit = saturation_of(
          saturated_run(drawn_gangs{asked_.classes}, mix_.work, gpus, {.jobs = 100000}));
      answer = gang_wait(jobs, limit);
    }
    return known_.emplace(gpus, answer).first->second;
  }

 private:
  const queue_mix& asked_;
  const gang_mix& mix_;
  std::map<std::int64_t, gang_waiting> known_{};
};

/// Jobs of one size by the numbers that they are; none where sizes differ or the GPUs are too few.
std::optional<queue_numbers> numbers_of(const queue_mix& asked) {
  if (asked.gpus == 0) return std::nullopt;
  const auto same = one_size_of({.arrival_rate = asked.arrival_rate,
                                 .classes = asked.classes,
                                 .gpus = static_cast<int>(asked.gpus)});
  if (!same) return std::nullopt;
  const double v = same->variability;
  return queue_numbers{.arrival_rate = asked.arrival_rate,
                       .mean_service = same->jobs.mean_service,
                       .gpus = asked.gpus,
                       .gpus_per_job = same->gpus,
                       .spread = {.service = v},
                       .shape = v == 0   ? service_shape::deterministic
                                : v == 1 ? service_shape::exponential
                                : v > 1  ? service_shape::hyperexponential
                                         : service_shape::lognormal,
                       .sizes = {asked.gpus},
                       .policies = {queue_policy::first_come_first_served},
                       .level = asked.level};
}

/// The formula of jobs of one size, which are a queue of servers.
std::string formula_of_one_size(const queue_mix& asked, std::int64_t gpus) {
  queue_mix one = asked;
  one.gpus = gpus;
  auto numbers = numbers_of(one);
  if (numbers) numbers->gpus = 0;  // of the size alone
  return numbers ? answer_of(*numbers).sizes.front().by : "cycles";
}

/// Models and what follows from them, of jobs of several sizes.
void add_models(const queue_mix& asked, const gang_mix& mix, const gang_waiting& found,
                queue_answer& answer) {
  answer.models.push_back({.key = "random_gangs",
                           .model = "gangs",
                           .by = "cycles",
                           .wait = figures_of(found),
                           .validity = validity_of(found.trust, variability_of_work(mix)),
                           .chosen = true});
  const double servers = std::round(static_cast<double>(asked.gpus) / mix.gpus);
  answer.models.push_back(
      {.key = "mmc",
       .model = "M/M/c",
       .by = "Erlang C",
       .wait = figures_of(wait({.arrival_rate = asked.arrival_rate,
                                .mean_service = mix.duration,
                                .servers = static_cast<int>(std::fmax(1, servers))})),
       .validity = fmt::format("not here: takes jobs for {:.3g} GPUs each", mix.gpus)});
}

/// Each policy simulated; not known where it would take too long, or where the queue grows in the
/// order of arrival but not for want of GPUs.
std::vector<policy_row> policies_of(const queue_mix& asked, const gang_mix& mix, bool stable) {
  const double busy = asked.arrival_rate * mix.duration;
  const bool too_few =
      mix.largest > asked.gpus || asked.arrival_rate * mix.work >= static_cast<double>(asked.gpus);
  std::vector<policy_row> rows;
  for (const named_policy* each : asked.policies) {
    const named_policy policy = fitted_to(*each, mix.work);
    const double most = policy.policy.preempts() ? 500 : 5000;
    if (too_few || (!stable && policy.name == pool_policies.front().name)) {
      rows.push_back(endless_row(policy.name, policy.meaning));
      continue;
    }
    if (!stable || busy > most) {
      rows.push_back(unknown_row(policy.name, policy.meaning,
                                 stable ? "not simulated here" : "not known here"));
      continue;
    }
    const auto warm_up = static_cast<std::int64_t>(std::fmax(2000, 10 * busy));
    const std::int64_t least = policy.policy.preempts() ? 15000 : 30000;
    replicated_waiting found =
        replicate(drawn_gangs{asked.classes}, asked.arrival_rate, asked.gpus, policy.policy,
                  {.jobs = (std::max)(least, warm_up),
                   .warm_up = warm_up,
                   .most_effort = most_effort_of_simulation});
    const double load = asked.arrival_rate * mix.work / static_cast<double>(asked.gpus);
    const variability spread{.arrivals = 1, .service = variability_of_work(mix)};
    if (is_too_short(found, spread, load)) found.settled = false;
    rows.push_back(simulated_row(policy, found, mix.duration));
  }
  return rows;
}

/// Why the queue grows without end; empty where it does not.
std::string fault_of(const queue_answer& answer, const gang_mix& mix) {
  if (mix.largest > answer.gpus)
    return fmt::format("jobs of {} never fit {}", counted(mix.largest, "GPU"), answer.gpus);
  if (answer.stable) return {};
  return fmt::format("jobs keep {} busy, and first come first served can keep {:.6g} of {}",
                     amount_of_gpus(answer.offered_gpus, 6),
                     answer.capacity.value_or(static_cast<double>(answer.gpus)), answer.gpus);
}

}  // namespace

queue_answer answer_of(const queue_mix& asked) {
  const gang_mix mix = mix_of(asked.classes);
  queue_answer answer{
      .gpus = asked.gpus, .level = asked.level, .offered_gpus = asked.arrival_rate * mix.work};
  gang_waits waits{asked, mix};
  const auto utilization_on = [&](std::int64_t gpus) {
    return answer.offered_gpus / static_cast<double>(gpus);
  };

  const auto least =
      (std::max)(mix.largest, static_cast<std::int64_t>(rounded_down(answer.offered_gpus)) + 1);
  const auto first = static_cast<std::int64_t>(std::fmax(1, std::sqrt(answer.offered_gpus)));
  for (const wait_target& target : asked.targets) {
    need_row need{.target = target};
    need.gpus = fewest(least, 1, first, most_gpus_of_mix, [&](std::int64_t gpus) {
      return figures_of(waits.on(gpus).wait).keep(target);
    });
    if (need.gpus > 0)
      need.utilization = utilization_on(need.gpus);
    else
      need.why = fmt::format("not even {} GPUs", most_gpus_of_mix);
    answer.needs.push_back(need);
  }
  const std::int64_t middle = asked.gpus > 0 ? asked.gpus : answer.needed_gpus();
  for (const std::int64_t gpus :
       !asked.sizes.empty() || middle == 0 ? asked.sizes : sizes_around(middle, 1))
    if (gpus <= most_gpus_of_mix)
      answer.sizes.push_back({.gpus = gpus,
                              .utilization = utilization_on(gpus),
                              .wait = figures_of(waits.on(gpus)),
                              .by = formula_of_one_size(asked, gpus)});
  if (asked.gpus == 0) return answer;

  answer.utilization = utilization_on(asked.gpus);
  const gang_waiting& found = waits.on(asked.gpus);
  answer.stable = found.wait.stable();
  if (found.limit.busy > 0) answer.capacity = found.limit.busy;
  answer.reason = fault_of(answer, mix);
  answer.policies = policies_of(asked, mix, answer.stable);
  const std::optional<queue_numbers> numbers = numbers_of(asked);
  if (!numbers) {
    add_models(asked, mix, found, answer);
    return answer;
  }
  const queue_answer same = answer_of(*numbers);
  answer.models = same.models;
  answer.notes = same.notes;
  answer.least_stable_gpus = same.least_stable_gpus;
  for (policy_row& row : answer.policies)
    if (row.key == same.policies.front().key) row = same.policies.front();
  return answer;
}

}  // namespace gpuplan::cli
