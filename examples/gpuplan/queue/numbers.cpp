/// \file
/// The wait of a queue that is described by numbers.

#include "queue/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include <gpuplan/ceiling.hpp>
#include <gpuplan/queue/ggc.hpp>
#include <gpuplan/queue/mgk.hpp>

#include "program.hpp"
#include "queue/gangs.hpp"
#include "queue/simulation.hpp"
#include "queue/tables.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

std::string key_of(queue_policy policy) {
  switch (policy) {
    case queue_policy::first_come_first_served: return "fcfs";
    case queue_policy::processor_sharing: return "ps";
    case queue_policy::shortest_job_first: return "sjf";
    case queue_policy::preemptive_shortest_job_first: return "psjf";
    case queue_policy::shortest_remaining_time: return "srpt";
    case queue_policy::least_attained_service: return "las";
  }
  return "";
}

/// Jobs at once on so many GPUs.
workload workload_on(const queue_numbers& asked, std::int64_t gpus) {
  return {.arrival_rate = asked.arrival_rate,
          .mean_service = asked.mean_service,
          .servers = static_cast<int>(gpus / asked.gpus_per_job)};
}

wait_figures wait_on(const queue_numbers& asked, std::int64_t gpus) {
  return figures_of(general_wait(workload_on(asked, gpus), asked.spread).wait);
}

/// Those of scaled_renewal_wait, as measured on 8 to 100 servers.
std::string error_of_scaled(const waiting& wait, const variability& spread) {
  if (wait.probability < 0.01) return "errors are known only where 1 % of the jobs or more wait";
  if (spread.arrivals > 1)
    return "mean off by 7 %, at most 52 % on 8 to 100 servers; p95 and p99 within 30 %";
  return spread.service < 1
             ? "mean off by 27 %, at most 2.8 times too long on 8 to 100 servers; percentiles rough"
             : "mean off by 16 %, at most 75 % on 8 to 100 servers; percentiles rough";
}

std::string error_of_heavy_tail(double variability) {
  const std::optional<double> most = heavy_tail_factor(variability);
  const std::string said = "heavy tail: two moments do not fix the wait; ";
  return most ? said + fmt::format("simulated ones were 0.6 to {} times this", *most)
              : said + "above a variability of 100 none was simulated";
}

/// The errors that the library states for a formula.
std::string error_of(const general_waiting& answer, const variability& spread) {
  if (answer.trust == wait_trust::heavy_tail) return error_of_heavy_tail(spread.service);
  switch (answer.formula) {
    case wait_formula::erlang_c: return "exact";
    case wait_formula::pollaczek_khinchine:
    case wait_formula::crommelin:
      return spread.service <= 2
                 ? "mean and P(wait) exact; percentiles within 30 % from a load of 0.8, else rough"
                 : "mean and P(wait) exact; percentiles rough: p99 is longer, p50 shorter";
    case wait_formula::kimura:
      return spread.service < 1 ? "mean within 1 %; percentiles within 30 %"
                                : "mean off by 6 %, at most 22 %; percentiles within 30 %";
    case wait_formula::takacs:
      if (spread.arrivals == 0) return "exact";
      return spread.arrivals < 1
                 ? "exact for gamma arrivals; lognormal ones wait 0.8 to 1 times this"
                 : "exact for hyperexponential arrivals; gamma and lognormal ones wait 0.8 to 1.7 "
                   "times this";
    case wait_formula::scaled_renewal: return error_of_scaled(answer.wait, spread);
  }
  return "";
}

std::string model_of_arrivals(const workload& jobs, wait_formula formula) {
  return fmt::format("{}/{}", formula == wait_formula::takacs ? "GI/M" : "G/G",
                     jobs.servers == 1 ? "1" : "c");
}

/// Each model of which a reader may have heard, and the one that holds here.
std::vector<model_row> models_of(const queue_numbers& asked) {
  const workload jobs = workload_on(asked, asked.gpus);
  const variability& spread = asked.spread;
  const general_waiting best = general_wait(jobs, spread);
  const bool random = spread.arrivals == 1;
  const std::string not_random = "not here: arrivals are not random";

  std::vector<model_row> rows;
  const bool markov = random && spread.service == 1;
  rows.push_back({.key = "mmc",
                  .model = "M/M/c",
                  .by = "Erlang C",
                  .wait = figures_of(wait(jobs)),
                  .validity = markov    ? "exact"
                              : !random ? not_random
                                        : "not here: service is not exponential",
                  .chosen = markov});
  const bool equal = random && spread.service == 0;
  rows.push_back({.key = "mdc",
                  .model = "M/D/c",
                  .by = "Crommelin",
                  .wait = figures_of(deterministic_wait(jobs)),
                  .validity = equal     ? error_of(best, spread)
                              : !random ? not_random
                                        : "not here: jobs are not equally long",
                  .chosen = equal});
  if (!markov && !equal) {
    const variability of_service{.arrivals = 1, .service = spread.service};
    const general_waiting general = general_wait(jobs, of_service);
    rows.push_back({.key = "mgc",
                    .model = jobs.servers == 1 ? "M/G/1" : "M/G/c",
                    .by = std::string(formula_in_words(general.formula)),
                    .wait = figures_of(general.wait),
                    .validity = random ? error_of(general, of_service) : not_random,
                    .chosen = random});
  }
  if (!random)
    rows.push_back({.key = "ggc",
                    .model = model_of_arrivals(jobs, best.formula),
                    .by = std::string(formula_in_words(best.formula)),
                    .wait = figures_of(best.wait),
                    .validity = error_of(best, spread),
                    .chosen = true});
  if (best.trust == wait_trust::heavy_tail)
    if (const auto found = simulated(asked, {}))
      rows.push_back({.key = "simulated",
                      .model = fmt::format("{} service", spelled(service_shapes, asked.shape)),
                      .by = "simulated",
                      .wait = {.probability = found->probability.mean,
                               .mean = found->mean_wait.mean,
                               .percentiles = {found->median_wait.mean, found->wait_90.mean,
                                               found->wait_95.mean, found->wait_99.mean}},
                      .validity = simulated_in_words(*found)});
  return rows;
}

/// That a simulation contradicts the formula that the answer rests on; empty: none does.
std::string note_of_simulation(const std::vector<model_row>& rows) {
  const auto chosen = std::find_if(rows.begin(), rows.end(), [](const model_row& row) {
    return row.chosen && row.wait.mean > seconds{0};
  });
  const auto simulated = std::find_if(rows.begin(), rows.end(),
                                      [](const model_row& row) { return row.key == "simulated"; });
  if (chosen == rows.end() || simulated == rows.end()) return {};
  const double times = simulated->wait.mean / chosen->wait.mean;
  if (times < 1.5 && times > 1 / 1.5) return {};
  return fmt::format(
      "Simulated, jobs wait {:.2g} times as long as the formula says; GPUs for "
      "targets and all sizes rest on the formula.",
      times);
}

/// Policies of which nothing is known here.
std::string without_answer(const std::vector<policy_row>& rows) {
  std::string names;
  for (const policy_row& row : rows)
    if (!row.known) names += (names.empty() ? "" : ", ") + row.key;
  return names;
}

/// The row of a policy whose time in the system a formula knows, or bounds.
policy_row formula_row(const queue_numbers& asked, queue_policy policy, seconds least, seconds most,
                       const std::string& how) {
  return {.key = key_of(policy),
          .policy = std::string(name_of(policy)),
          .wait_least = larger(least - asked.mean_service, seconds{0}),
          .wait_most = most - asked.mean_service,
          .least = least,
          .most = most,
          .how = how};
}

/// Is the wait of those that wait exponential?
bool has_exact_tail(wait_formula formula) {
  return formula == wait_formula::erlang_c || formula == wait_formula::takacs;
}

/// First come first served, whose p99 is that of the wait: exact where all percentiles are.
policy_row first_come_row(const queue_numbers& asked, seconds mean, const general_waiting& found,
                          bool is_mean_exact) {
  static_assert(printed_percentiles.back() == 99);
  const char* how = found.trust == wait_trust::heavy_tail ? "formula, rough: heavy tail"
                    : !is_mean_exact                      ? "formula"
                    : has_exact_tail(found.formula)       ? "exact"
                                                          : "mean exact, p99 by formula";
  policy_row row = formula_row(asked, queue_policy::first_come_first_served, mean, mean, how);
  row.p99 = figures_of(found.wait).percentiles.back();
  return row;
}

/// Of a queue that is stable: exact where a formula is, then simulated, then bounds.
std::vector<policy_row> known_policies_of(const queue_numbers& asked) {
  const workload jobs = workload_on(asked, asked.gpus);
  const service_time law = service_time_of(asked.shape, asked.mean_service, asked.spread.service);
  const general_waiting in_order = general_wait(jobs, asked.spread);
  const bool random = asked.spread.arrivals == 1;
  std::vector<policy_row> rows;
  const auto add = [&](queue_policy policy, seconds least, seconds most, const std::string& how) {
    rows.push_back(formula_row(asked, policy, least, most, how));
  };
  for (const queue_policy policy : asked.policies) {
    const bool first_come = policy == queue_policy::first_come_first_served;
    if (random && jobs.servers == 1) {
      const seconds mean = std::visit(
          [&](const auto& of) { return mean_response(policy, of, asked.arrival_rate); }, law);
      if (first_come)
        rows.push_back(first_come_row(asked, mean, in_order, true));
      else
        add(policy, mean, mean, "exact");
      continue;
    }
    if (first_come) {
      rows.push_back(first_come_row(asked, in_order.wait.response(), in_order,
                                    in_order.trust == wait_trust::exact));
      continue;
    }
    if (random && policy == queue_policy::processor_sharing) {
      const seconds mean = shared_pool_response(jobs, asked.mean_service);
      add(policy, mean, mean, "exact");
      continue;
    }
    const named_policy* known = find_pool_policy(key_of(policy));
    const seconds work = static_cast<double>(asked.gpus_per_job) * asked.mean_service;
    const auto found =
        known != nullptr ? simulated(asked, fitted_to(*known, work).policy) : std::nullopt;
    if (found) {
      rows.push_back(simulated_row(fitted_to(*known, work), *found, asked.mean_service));
    } else if (random && policy == queue_policy::shortest_remaining_time) {
      const response_bounds bounds = std::visit(
          [&](const auto& of) { return srpt_bounds(of, asked.arrival_rate, jobs.servers); }, law);
      add(policy, bounds.lower, bounds.upper, "bounds");
    }
  }
  return rows;
}

/// Those asked for by name, known or not; of all those that are known.  Where the queue grows, none
/// has an end.
std::vector<policy_row> policies_of(const queue_numbers& asked) {
  std::vector<policy_row> rows;
  if (workload_on(asked, asked.gpus).utilization() >= 1) {
    for (const queue_policy policy : asked.policies)
      rows.push_back(endless_row(key_of(policy), name_of(policy)));
    return rows;
  }
  rows = known_policies_of(asked);
  if (asked.policies.size() >= queue_policies.size()) return rows;  // all: those that fit
  std::vector<policy_row> all;
  for (const queue_policy policy : asked.policies) {
    const std::string key = key_of(policy);
    const auto known = std::find_if(rows.begin(), rows.end(),
                                    [&](const policy_row& row) { return row.key == key; });
    all.push_back(known != rows.end() ? std::move(*known)
                                      : unknown_row(key, name_of(policy), "not known here"));
  }
  return all;
}

}  // namespace

std::string_view formula_in_words(wait_formula formula) {
  switch (formula) {
    case wait_formula::erlang_c: return "Erlang C";
    case wait_formula::pollaczek_khinchine: return "Pollaczek and Khinchine";
    case wait_formula::crommelin: return "Crommelin";
    case wait_formula::takacs: return "Takacs";
    case wait_formula::kimura: return "Kimura";
    case wait_formula::scaled_renewal: return "GI/M/c";
  }
  return "";
}

queue_answer answer_of(const queue_numbers& asked) {
  queue_answer answer{
      .gpus = asked.gpus, .level = asked.level, .offered_gpus = asked.offered_gpus()};
  const std::int64_t each = asked.gpus_per_job;
  const double load = asked.arrival_rate * asked.mean_service;
  answer.least_stable_gpus = (static_cast<std::int64_t>(rounded_down(load)) + 1) * each;

  for (const wait_target& target : asked.targets) {
    need_row need{.target = target};
    need.gpus = fewest(answer.least_stable_gpus, each, 1, most_gpus,
                       [&](std::int64_t gpus) { return wait_on(asked, gpus).keep(target); });
    if (need.gpus > 0)
      need.utilization = answer.offered_gpus / static_cast<double>(need.gpus);
    else
      need.why = fmt::format("not even {} GPUs", most_gpus);
    answer.needs.push_back(need);
  }

  const std::int64_t middle =
      asked.gpus > 0 ? (std::max)(asked.gpus, answer.least_stable_gpus) : answer.needed_gpus();
  auto sizes = asked.sizes;
  if (sizes.empty() && middle > 0) {
    sizes = sizes_around(middle, each);
    if (asked.gpus > 0 && asked.gpus != middle) sizes.insert(sizes.begin(), asked.gpus);
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  }
  for (const std::int64_t gpus : sizes) {
    const general_waiting found = general_wait(workload_on(asked, gpus), asked.spread);
    answer.sizes.push_back({.gpus = gpus,
                            .utilization = answer.offered_gpus / static_cast<double>(gpus),
                            .wait = figures_of(found.wait),
                            .by = std::string(formula_in_words(found.formula))});
  }
  if (asked.gpus == 0) return answer;

  answer.utilization = answer.offered_gpus / static_cast<double>(asked.gpus);
  const workload jobs = workload_on(asked, asked.gpus);
  answer.stable = jobs.utilization() < 1;
  if (!answer.stable)
    answer.reason = fmt::format("jobs keep {} busy and {} {} there; it takes {} or more",
                                amount_of_gpus(answer.offered_gpus, 6), jobs.servers * each,
                                jobs.servers * each == 1 ? "is" : "are", answer.least_stable_gpus);
  answer.models = models_of(asked);
  answer.policies = policies_of(asked);
  if (const std::string note = note_of_simulation(answer.models); !note.empty())
    answer.notes.push_back(note);
  if (const std::string names = without_answer(answer.policies); !names.empty())
    answer.notes.push_back(
        fmt::format("Not compared: {}. There is no formula for it here, and it is simulated for "
                    "random arrivals on up to 500 jobs at once alone.",
                    names));
  if (const std::int64_t idle = asked.gpus % each; idle > 0)
    answer.notes.push_back(fmt::format("{} of the {} {} left over: jobs of {} do not fill them",
                                       idle, counted(asked.gpus, "GPU"), idle == 1 ? "is" : "are",
                                       each));
  return answer;
}

}  // namespace gpuplan::cli
