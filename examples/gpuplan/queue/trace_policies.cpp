/// \file
/// Policies on the jobs of a trace, beside each other.

#include "queue/trace_policies.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/simulate/simulate.hpp>
#include <gpuplan/simulate/simulate_sharing.hpp>
#include <gpuplan/units/format.hpp>

namespace gpuplan::cli {
namespace {

/// Jobs on which policies are compared: those that preempt take some 20 us a job.
constexpr std::int64_t usual_sample = 20000;
constexpr std::int64_t sample_of_long_trace = 5000;

/// The jobs in a row, so many, in which most work came in least time.
jobs_span busiest(jobs_span jobs, std::int64_t most) {
  const auto count = static_cast<std::size_t>(most);
  if (jobs.size() <= count) return jobs;
  const auto work_of = [](const trace_job& job) {
    return static_cast<double>(job.gpus) * job.duration;
  };
  seconds work{};
  for (const trace_job& job : jobs.first(count)) work += work_of(job);
  std::size_t best = 0;
  double highest = -1;
  for (std::size_t i = 0;; ++i) {
    const seconds span = jobs[i + count - 1].submit - jobs[i].submit;
    const double busy = work / larger(span, seconds{1});
    if (busy > highest) {
      highest = busy;
      best = i;
    }
    if (i + count == jobs.size()) break;
    work += work_of(jobs[i + count]) - work_of(jobs[i]);
  }
  return jobs.subspan(best, count);
}

/// Mean wait, each job counted as often as it has GPUs: large where the large jobs starve.
seconds wait_of_gpus(jobs_span jobs, std::span<const simulated_job> each) {
  double gpus = 0;
  seconds sum{};
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!isfinite(each[i].wait)) continue;
    gpus += static_cast<double>(jobs[i].gpus);
    sum += static_cast<double>(jobs[i].gpus) * each[i].wait;
  }
  return gpus > 0 ? sum / gpus : seconds{0};
}

/// Jobs that are there at once, mean over time, where the short go first.
double jobs_present(jobs_span jobs, std::int64_t gpus) {
  const simulated_waiting short_first = simulate(jobs, gpus, find_pool_policy("sjf-easy")->policy);
  if (!(short_first.makespan > seconds{0})) return 0;
  return static_cast<double>(short_first.jobs) * (short_first.mean_response / short_first.makespan);
}

/// Mean over the jobs of the time from submission to end over the duration, of which 10 s at least
/// are taken, and 1 at least: D. G. Feitelson and L. Rudolph, "Metrics and benchmarking for parallel
/// job scheduling", JSSPP (1998), section 3.
double bounded_slowdown(jobs_span jobs, std::span<const simulated_job> each) {
  double sum = 0;
  double count = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!isfinite(each[i].end)) continue;
    const seconds response = each[i].end - jobs[i].submit;
    sum += std::fmax(1, response / larger(jobs[i].duration, seconds{10}));
    ++count;
  }
  return count > 0 ? sum / count : 1;
}

/// How long the GPUs would take for the jobs: to the last that comes, and then for all their work.
seconds time_for(jobs_span jobs, std::int64_t gpus) {
  seconds work{};
  for (const trace_job& job : jobs) work += static_cast<double>(job.gpus) * job.duration;
  return jobs.back().submit - jobs.front().submit + work / static_cast<double>(gpus);
}

/// Turns that are simulated, at most.
constexpr double most_turns = 2e5;

/// How often a policy looks at a job, where so many are there at once: some 50 ns each.
double looks_of(const trace_policy& asked, jobs_span jobs, std::int64_t gpus, double present) {
  const auto count = static_cast<double>(jobs.size());
  const auto all = static_cast<double>(gpus);
  if (const auto* const plain = std::get_if<pool_policy>(&asked.policy); plain != nullptr) {
    if (!plain->preempts()) return 0;
    if (plain->order != job_order::round_robin) return count * present;
    return (count + std::fmin(time_for(jobs, gpus) / plain->quantum, most_turns)) * present;
  }
  const auto& policy = std::get<sharing_policy>(asked.policy);
  if (policy.rule == sharing_rule::opportunistic) return 2 * count * present;
  double deals = 2 * count;
  if (policy.interval > seconds{0})
    deals = std::fmin(deals, time_for(jobs, gpus) / policy.interval);
  // Of each job and each way to run it Sia looks at every number of GPUs left, in a few ns.
  return policy.rule == sharing_rule::marginal_gain
             ? 2 * count * present + deals * (present + 4 * all)
             : 2 * count * present +
                   deals * std::fmin(present, all) * all * std::log2(2 * all) / 20;
}

/// The jobs to compare policies on: those that preempt look at all jobs present at each event.
jobs_span usual_sample_of(jobs_span jobs, const queue_trace& asked) {
  constexpr double most_looks = 2e7;
  std::int64_t count = jobs.size() <= long_trace ? usual_sample : sample_of_long_trace;
  jobs_span sample = busiest(jobs, count);
  const bool preempts = std::any_of(asked.policies.begin(), asked.policies.end(),
                                    [](const trace_policy& each) { return each.preempts(); });
  const auto takes_long = [&] {
    const double present = jobs_present(sample, asked.gpus);
    return std::any_of(asked.policies.begin(), asked.policies.end(), [&](const trace_policy& each) {
      return looks_of(each, sample, asked.gpus, present) > most_looks;
    });
  };
  while (preempts && count > 500 && takes_long()) {
    count /= 2;
    sample = busiest(jobs, count);
  }
  return sample;
}

/// A policy with the speed-ups that were measured, its turns long enough, and its levels wide enough, to be simulated in time.
trace_policy simulable(const trace_policy& asked, const queue_trace& question, jobs_span jobs,
                       seconds mean_work) {
  trace_policy fitted = asked;
  if (auto* const shared = std::get_if<sharing_policy>(&fitted.policy);
      shared != nullptr && shared->rule != sharing_rule::opportunistic)
    shared->speed_ups = question.speed_ups;
  auto* const plain = std::get_if<pool_policy>(&fitted.policy);
  if (plain == nullptr) return fitted;
  if (plain->order == job_order::round_robin) {
    plain->quantum = larger(plain->quantum, time_for(jobs, question.gpus) / most_turns);
  } else {
    const named_policy named =
        fitted_to(named_policy{asked.name, asked.meaning, *plain}, mean_work);
    fitted.meaning = named.meaning;
    *plain = named.policy;
  }
  return fitted;
}

/// What it is, with what it was told.
std::string meaning_of(const trace_policy& policy) {
  const std::string meaning{policy.meaning};
  if (const auto* const plain = std::get_if<pool_policy>(&policy.policy); plain != nullptr)
    return plain->order == job_order::round_robin
               ? fmt::format("{}, turns of {}", meaning, format_duration(plain->quantum))
               : meaning;
  const auto& told = std::get<sharing_policy>(policy.policy);
  if (told.rule == sharing_rule::opportunistic)
    return fmt::format("{}, {:.4g} % idle", meaning, 100 * told.idle);
  return !told.speed_ups.empty()
             ? meaning + ", measured speed-up"
             : fmt::format("{}, {:.6g} % parallel", meaning, 100 * told.parallel_part);
}

simulated_waiting simulated(const trace_policy& policy, jobs_span jobs, std::int64_t gpus,
                            std::span<simulated_job> each) {
  if (const auto* const plain = std::get_if<pool_policy>(&policy.policy); plain != nullptr)
    return simulate(jobs, gpus, *plain, each);
  return simulate_sharing(jobs, gpus, std::get<sharing_policy>(policy.policy), each);
}

}  // namespace

void add_policies(const queue_trace& asked, std::span<const trace_job> jobs, seconds mean_work,
                  queue_answer& answer) {
  const jobs_span sample =
      asked.sample > 0 ? busiest(jobs, asked.sample) : usual_sample_of(jobs, asked);
  std::vector<simulated_job> each_job(sample.size());
  for (const trace_policy& each : asked.policies) {
    const trace_policy policy = simulable(each, asked, sample, mean_work);
    const simulated_waiting found = simulated(policy, sample, asked.gpus, each_job);
    answer.policies.push_back({.key = std::string(each.name),
                               .policy = meaning_of(policy),
                               .wait_least = found.mean_wait,
                               .wait_most = found.mean_wait,
                               .least = found.mean_response,
                               .most = found.mean_response,
                               .p99 = found.wait_99,
                               .of_gpus = wait_of_gpus(sample, each_job),
                               .slowdown = bounded_slowdown(sample, each_job),
                               .utilization = found.utilization,
                               .how = "simulated"});
  }
  answer.policy_jobs = static_cast<std::int64_t>(sample.size());
  answer.policy_sample = sample.size() < jobs.size();
}

}  // namespace gpuplan::cli
