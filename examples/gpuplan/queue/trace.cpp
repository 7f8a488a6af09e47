/// \file
/// The wait of a trace: simulated, and by the formulas that people use.

#include "queue/trace.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <gpuplan/queue/ggc.hpp>
#include <gpuplan/simulate/simulate.hpp>
#include <gpuplan/units/format.hpp>

#include "program.hpp"
#include "queue/gangs.hpp"
#include "queue/numbers.hpp"
#include "queue/tables.hpp"
#include "queue/trace_policies.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

wait_figures simulated_figures(const simulated_waiting& wait) {
  return {.probability = wait.probability(),
          .mean = wait.mean_wait,
          .percentiles = {wait.median_wait, wait.wait_90, wait.wait_95, wait.wait_99}};
}

/// First come first served on pools of many sizes, each simulated once.
class replays {
 public:
  explicit replays(jobs_span jobs) : jobs_{jobs} {}

  const simulated_waiting& on(std::int64_t gpus) {
    const auto known = known_.find(gpus);
    if (known != known_.end()) return known->second;
    return known_.emplace(gpus, simulate(jobs_, gpus)).first->second;
  }

  /// The fewest GPUs, from the least on in steps, whose waits keep a target; 0 where none do.
  std::int64_t fewest_for(const wait_target& target, std::int64_t least, std::int64_t step) {
    const auto keeps = [&](std::int64_t gpus) { return simulated_figures(on(gpus)).keep(target); };
    std::int64_t enough = 0;
    for (const auto& [gpus, wait] : known_) {
      if (gpus < least) continue;
      if (simulated_figures(wait).keep(target)) {
        enough = gpus;
        break;
      }
      least = gpus + step;
    }
    if (enough == 0) return fewest(least, step, 8, most_gpus, keeps);
    const std::int64_t found = fewest(least, step, (enough - least) / step, enough - 1, keeps);
    return found == 0 ? enough : found;
  }

 private:
  jobs_span jobs_;
  std::map<std::int64_t, simulated_waiting> known_;
};

/// What people compute who take each job for one server's.
void add_job_level(const trace_facts& facts, std::int64_t gpus, std::vector<model_row>& rows) {
  const double servers = std::round(static_cast<double>(gpus) / facts.mix.moments.gpus);
  const workload jobs{.arrival_rate = *facts.arrival_rate,
                      .mean_service = facts.mix.moments.duration,
                      .servers = static_cast<int>(std::fmax(1, servers))};
  const std::string who = facts.largest > 1
                              ? fmt::format(
                                    "not here: takes jobs for {:.3g} GPUs each and arrivals for "
                                    "independent",
                                    facts.mix.moments.gpus)
                              : "if arrivals are independent of each other";
  rows.push_back({.key = "mmc",
                  .model = "M/M/c",
                  .by = "Erlang C",
                  .wait = figures_of(general_wait(jobs, {}).wait),
                  .validity = who});
  const variability spread{.arrivals = facts.arrival_variation,
                           .service = facts.service.squared_variation()};
  const general_waiting general = general_wait(jobs, spread);
  rows.push_back({.key = "ggc",
                  .model = "G/G/c",
                  .by = std::string(formula_in_words(
                      general.wait.stable() ? general.formula : wait_formula::scaled_renewal)),
                  .wait = figures_of(general.wait),
                  .validity = who});
}

/// A trace of which a question is asked, and the pools on which it was replayed.
struct replayed_trace {
  const queue_trace& asked;
  const trace_facts& facts;
  jobs_span jobs;
  replays first_come{jobs};

  /// By the jobs that can start there.
  [[nodiscard]] double utilization_on(std::int64_t gpus) const {
    return facts.offered_gpus(gpus) / static_cast<double>(gpus);
  }
};

/// A row for each size asked, or for sizes around the one in the middle.
std::vector<size_row> sizes_of(replayed_trace& of, std::int64_t middle) {
  const bool all = of.jobs.size() <= long_trace;
  const auto sizes = !of.asked.sizes.empty() || middle == 0
                         ? of.asked.sizes
                         : sizes_around(middle, 1, all ? 50 : 90, all ? 200 : 150);
  std::vector<size_row> rows;
  for (const std::int64_t gpus : sizes) {
    const simulated_waiting& wait = of.first_come.on(gpus);
    size_row row{.gpus = gpus,
                 .utilization = of.utilization_on(gpus),
                 .wait = simulated_figures(wait),
                 .by = "simulated"};
    row.none_fits = wait.jobs == 0;
    row.never_start = static_cast<std::int64_t>(wait.impossible);
    if (wait.impossible > 0)
      row.remark = row.none_fits ? "too small for every job"
                                 : fmt::format("too small for {} of the jobs", wait.impossible);
    rows.push_back(row);
  }
  return rows;
}

/// The fewest GPUs for each target.
void add_needs(replayed_trace& of, queue_answer& answer) {
  constexpr double most_counted = 1e15;
  const double all = of.facts.offered_gpus(of.facts.largest);
  const auto offered = static_cast<std::int64_t>((std::min)(all, most_counted));
  // The rate of a trace that is too short for one that lasts is no bound.
  const std::int64_t keeps_up = of.facts.steady() ? offered + 1 : 1;
  const std::int64_t least = (std::max)(of.facts.largest, keeps_up);
  const std::int64_t step =
      of.jobs.size() <= long_trace ? 1 : (std::max)(std::int64_t{1}, least / 100);
  for (const wait_target& target : of.asked.targets) {
    need_row need{.target = target};
    need.gpus = of.first_come.fewest_for(target, least, step);
    if (need.gpus > 0)
      need.utilization = of.utilization_on(need.gpus);
    else
      need.why = fmt::format("not even {} GPUs", most_gpus);
    answer.needs.push_back(need);
  }
  if (step > 1 && !answer.needs.empty())
    answer.notes.push_back(fmt::format("GPUs for targets are looked for in steps of {}.", step));
}

/// "3 of 40 jobs ask for more than 8 GPUs and can never start".
std::string never_start_in_words(const replayed_trace& of, std::int64_t jobs) {
  return fmt::format("{} of {} {} for more than {} and can never start", jobs,
                     counted(static_cast<std::int64_t>(of.jobs.size()), "job"),
                     jobs == 1 ? "asks" : "ask", counted(of.asked.gpus, "GPU"));
}

/// How many GPUs first come first served keeps busy, and whether that is enough for all jobs.
void add_capacity(const replayed_trace& of, const std::optional<gang_rows>& gangs,
                  queue_answer& answer) {
  if (gangs) {
    answer.capacity = gangs->capacity;
    answer.stable = gangs->stable;
  } else if (of.facts.steady()) {
    answer.capacity = static_cast<double>(of.asked.gpus);
    answer.stable = answer.utilization < 1;
  } else {
    answer.reason = too_short;
  }
  if (!answer.stable)
    answer.reason =
        fmt::format("jobs keep {} busy, and first come first served can keep {:.6g} of {}",
                    amount_of_gpus(answer.offered_gpus, 6), *answer.capacity, of.asked.gpus);
  if (answer.never_start == 0) return;
  const std::string overload = answer.stable ? "" : "; other " + answer.reason;
  answer.reason = never_start_in_words(of, answer.never_start) + overload;
  answer.stable = false;
}

/// The replay itself, then each formula.
void add_models(replayed_trace& of, const std::optional<gang_rows>& gangs, queue_answer& answer) {
  const std::int64_t gpus = of.asked.gpus;
  const simulated_waiting& wait = of.first_come.on(gpus);
  const std::string left_out =
      answer.never_start == 0
          ? ""
          : fmt::format("without the {} that never {}; ", counted(answer.never_start, "job"),
                        answer.never_start == 1 ? "starts" : "start");
  answer.models.push_back({.key = "replay",
                           .model = "the trace again, first come first served",
                           .by = "simulated",
                           .wait = simulated_figures(wait),
                           .validity = left_out + "any free GPUs will do; no nodes, no failures",
                           .chosen = true});
  if (gangs) {
    answer.models.push_back(gangs->came);
    answer.models.push_back(gangs->random);
  }
  if (of.facts.steady())
    add_job_level(of.facts, gpus, answer.models);
  else
    answer.notes.push_back(
        "The trace is too short for a rate that lasts: no formula is tried, and whether the GPUs "
        "keep up is not known, nor their utilisation.");
}

}  // namespace

double trace_facts::offered_gpus(std::int64_t most) const {
  return arrival_rate ? offered_gpus_up_to(mix, *arrival_rate, most) : 0;
}

trace_facts facts_of(const job_trace& trace) {
  const jobs_span jobs = trace.jobs;
  trace_facts facts{.counts = trace.counts};
  facts.doubts = duration_doubts_of(jobs);
  if (!(facts.doubts.longest >= 1 * units::us))
    throw bad_usage{"the trace has no job that ran for a microsecond or longer"};
  facts.mix = gpu_mix_of(jobs);
  facts.service = service_moments_of(jobs);
  facts.demand = endless_pool_of(jobs);
  if (jobs.size() >= 100) facts.top_share = longest_share(jobs, 0.01);
  facts.largest = facts.mix.classes.back().gpus;
  facts.span = jobs.back().submit - jobs.front().submit;
  facts.has_dates = jobs.front().submit >= seconds{1e8};
  facts.day = daily_profile(jobs);
  facts.week = arrival_profile_of(jobs, 1 * units::week, 7);
  if (facts.span > seconds{0}) {
    facts.arrival_rate = arrival_rate(jobs);
    facts.arrival_variation = interarrival_variation(jobs);
    facts.dispersion = dispersion_curve(jobs);
  }
  return facts;
}

std::vector<assumption> assumptions_of(const trace_facts& facts, std::int64_t gpus) {
  std::vector<assumption> all;
  const double arrivals = facts.arrival_variation;
  all.push_back({.key = "random_gaps",
                 .assumed = "times between jobs are random (scv 1)",
                 .holds = arrivals > 0.5 && arrivals < 2,
                 .found = facts.arrival_rate ? fmt::format("scv {:.3g}", arrivals)
                                             : std::string("all come at once")});
  const dispersion_at* hour = nullptr;
  for (const dispersion_at& at : facts.dispersion)
    if (at.window <= 1 * units::hour) hour = &at;
  if (hour != nullptr)
    all.push_back(
        {.key = "no_bursts",
         .assumed = "jobs do not come in bursts (dispersion 1)",
         .holds = hour->value < 2,
         .found = fmt::format("of the jobs in {}: {:.3g}",
                              hour->window < 1 * units::hour ? "10 min" : "an hour", hour->value)});
  const double drift = facts.demand.steady_peakedness() / facts.mix.moments.peakedness();
  all.push_back(
      {.key = "steady_rate",
       .assumed = "the rate does not drift",
       .holds = facts.arrival_rate && drift <= 1.25,
       .found = facts.arrival_rate
                    ? fmt::format("GPUs in demand vary {:.3g} times as of random jobs", drift)
                    : std::string("no rate")});
  const double service = facts.service.squared_variation();
  all.push_back(
      {.key = "light_tail",
       .assumed = "no heavy tail: two moments tell how long jobs run (scv up to 5)",
       .holds = service <= 5,
       .found = fmt::format("scv {:.3g}", service) +
                (facts.top_share ? fmt::format("; 1 % of the jobs hold {:.3g} % of the work",
                                               100 * *facts.top_share)
                                 : "")});
  all.push_back({.key = "one_gpu",
                 .assumed = "a job holds one GPU",
                 .holds = facts.largest == 1,
                 .found = fmt::format("{:.3g} on average, up to {}", facts.mix.moments.gpus,
                                      grouped(static_cast<double>(facts.largest)))});
  if (gpus > 0)
    all.push_back({.key = "small_jobs",
                   .assumed = "no job asks for more than a third of the GPUs",
                   .holds = 3 * facts.largest <= gpus,
                   .found = fmt::format(
                       "the largest asks for {:.3g} %",
                       100 * static_cast<double>(facts.largest) / static_cast<double>(gpus))});
  all.push_back(
      {.key = "known_durations",
       .assumed = "durations are known",
       .holds = facts.doubts.unfinished == 0 && !facts.doubts.clamped(),
       .found = fmt::format("{} still ran; {}", facts.doubts.unfinished,
                            facts.doubts.clamped()
                                ? fmt::format("{} were cut off at {}", facts.doubts.at_longest,
                                              format_duration(facts.doubts.longest))
                                : "none look cut off")});
  return all;
}

queue_answer answer_of(const queue_trace& asked, const job_trace& trace, const trace_facts& facts) {
  queue_answer answer{.gpus = asked.gpus,
                      .level = asked.level,
                      .rate_known = facts.steady(),
                      .steady = facts.steady()};
  answer.offered_gpus = facts.offered_gpus(asked.gpus > 0 ? asked.gpus : facts.largest);
  replayed_trace of{asked, facts, trace.jobs};
  const progress shown{"gpuplan: simulating"};

  if (asked.gpus > 0 || !asked.sizes.empty()) answer.sizes = sizes_of(of, asked.gpus);
  add_needs(of, answer);
  if (answer.sizes.empty()) answer.sizes = sizes_of(of, answer.needed_gpus());
  if (asked.gpus == 0) return answer;

  answer.utilization = of.utilization_on(asked.gpus);
  answer.never_start = static_cast<std::int64_t>(of.first_come.on(asked.gpus).impossible);
  if (of.first_come.on(asked.gpus).jobs == 0) {
    answer.stable = false;
    answer.nothing_fits = true;
    answer.reason =
        fmt::format("each job of the trace asks for more than {}", counted(asked.gpus, "GPU"));
    return answer;
  }
  std::optional<gang_rows> gangs;
  if (facts.steady()) gangs = gang_rows_of(of.jobs, facts.demand, *facts.arrival_rate, asked.gpus);
  add_capacity(of, gangs, answer);
  add_models(of, gangs, answer);
  add_policies(asked, trace.jobs, facts.mix.moments.work, answer);
  return answer;
}

}  // namespace gpuplan::cli
