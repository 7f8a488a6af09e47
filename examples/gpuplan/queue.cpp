/// \file
/// gpuplan queue: how long jobs wait for GPUs, and how many GPUs keep a promise.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/report/json.hpp>
#include <gpuplan/units/format.hpp>

#include "inputs.hpp"
#include "options.hpp"
#include "program.hpp"
#include "queue_numbers.hpp"
#include "queue_tables.hpp"

namespace gpuplan::cli {
namespace {

constexpr const char* after_options =
    "How long jobs wait: how many, the mean and the percentiles by each model, how far to trust\n"
    "it, the fewest GPUs that keep a target, other sizes, other policies.  A squared coefficient\n"
    "of variation (scv) is variance over squared mean: 0 for clockwork, 1 for random.  Exit code "
    "4\n"
    "where jobs come faster than the GPUs finish them.\n"
    "\n"
    "Examples:\n"
    "  gpuplan queue --arrivals 4/h --service 10h --gpus 64\n"
    "  gpuplan queue --arrivals 100/day --service 5h --service-scv 9 --gpus-per-job 8 --gpus 256 "
    "\\\n"
    "      --target-p95 1h\n"
    "  gpuplan queue --arrivals 0.5/min --service 2h --target-mean-wait 10min\n"
    "  gpuplan queue --arrivals 4/h --service 10h --gpus 48 --assert 'wait.mean_s < 10min'\n";

constexpr std::array policy_names{
    spelling<queue_policy>{"fcfs", queue_policy::first_come_first_served},
    spelling<queue_policy>{"ps", queue_policy::processor_sharing},
    spelling<queue_policy>{"sjf", queue_policy::shortest_job_first},
    spelling<queue_policy>{"psjf", queue_policy::preemptive_shortest_job_first},
    spelling<queue_policy>{"srpt", queue_policy::shortest_remaining_time},
    spelling<queue_policy>{"las", queue_policy::least_attained_service}};

/// The options as typed; empty where not given.
struct queue_options {
  std::string arrivals, service, gpus, gpus_per_job, arrival_variation, service_variation, shape;
  std::string mean, probability;
  std::array<std::string, printed_percentiles.size()> percentiles;
  std::string sizes, policies;
  answer_options answer;
};

std::vector<std::string_view> parts_of(std::string_view list) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto comma = list.find(',');
    parts.push_back(list.substr(0, comma));
    if (comma == list.npos) return parts;
    list.remove_prefix(comma + 1);
  }
}

/// A share as 0.1 or 10%.
double share_of(std::string_view typed, std::string_view option) {
  const bool percent = typed.ends_with('%');
  if (percent) typed.remove_suffix(1);
  const double share = plain_number(typed, option, 0, percent ? 100 : 1) / (percent ? 100 : 1);
  if (!(share > 0 && share < 1))
    throw bad_usage{std::string(option) + " must be above 0 and below 1, as 0.1 or 10%"};
  return share;
}

seconds time_of(const std::string& typed, std::string_view option) {
  const auto time = quantity_of<seconds>(typed, option);
  if (!(time <= 1e12 * units::second)) throw bad_usage{std::string(option) + " must be <= 1e12 s"};
  return time;
}

std::vector<wait_target> targets_of(const queue_options& typed) {
  using measure = wait_target::measure;
  std::vector<wait_target> targets;
  if (!typed.mean.empty()) {
    const seconds time = time_of(typed.mean, "--target-mean-wait");
    if (!(time > seconds{0})) throw bad_usage{"--target-mean-wait must be > 0 s"};
    targets.push_back({.of = measure::mean, .time = time});
  }
  for (std::size_t i = 0; i < typed.percentiles.size(); ++i) {
    if (typed.percentiles[i].empty()) continue;
    const int percent = printed_percentiles[i];
    const std::string option = fmt::format("--target-p{}", percent);
    targets.push_back({.of = measure::percentile,
                       .percent = percent,
                       .time = time_of(typed.percentiles[i], option)});
  }
  if (!typed.probability.empty())
    targets.push_back({.of = measure::probability,
                       .share = share_of(typed.probability, "--target-wait-probability")});
  return targets;
}

double variation_of(const std::string& typed, std::string_view option) {
  return plain_number(typed, option, 0, 1e6);
}

/// The variation of a shape that has only one.
double usual_variation(service_shape shape) {
  switch (shape) {
    case service_shape::exponential: return 1;
    case service_shape::deterministic: return 0;
    case service_shape::uniform: return 1.0 / 3;
    default:
      throw bad_usage{"--distribution " + std::string(spelled(service_shapes, shape)) +
                      " needs --service-scv"};
  }
}

/// The shape of a variation that came without one: long jobs are usually lognormal.
service_shape usual_shape(double variation) {
  if (variation == 0) return service_shape::deterministic;
  return variation == 1 ? service_shape::exponential : service_shape::lognormal;
}

queue_numbers numbers_of(const queue_options& typed) {
  queue_numbers asked;
  if (typed.arrivals.empty())
    throw bad_usage{"--arrivals is required, as 4/h; see gpuplan queue --help"};
  if (typed.service.empty())
    throw bad_usage{"--service is required, as 10h; see gpuplan queue --help"};
  asked.arrival_rate = quantity_of<per_second>(typed.arrivals, "--arrivals");
  if (!(asked.arrival_rate >= 1e-12 / units::second && asked.arrival_rate <= 1e9 / units::second))
    throw bad_usage{"--arrivals must be from 1e-12/s to 1e9/s, not " + typed.arrivals};
  asked.mean_service = time_of(typed.service, "--service");
  if (!(asked.mean_service >= 1e-9 * units::second))
    throw bad_usage{"--service must be >= 1 ns, not " + typed.service};
  if (!typed.gpus_per_job.empty())
    asked.gpus_per_job = whole_number(typed.gpus_per_job, "--gpus-per-job", 1, most_gpus);
  if (!(asked.offered_gpus() <= static_cast<double>(most_gpus) / 2))
    throw bad_usage{
        fmt::format("--arrivals times --service keep {:.4g} GPUs busy; at most {} are "
                    "looked at",
                    asked.offered_gpus(), most_gpus / 2)};
  if (!typed.gpus.empty()) {
    asked.gpus = whole_number(typed.gpus, "--gpus", 1, most_gpus);
    if (asked.gpus < asked.gpus_per_job)
      throw bad_usage{fmt::format("--gpus {} are fewer than one job takes (--gpus-per-job {})",
                                  asked.gpus, asked.gpus_per_job)};
  }
  if (!typed.arrival_variation.empty())
    asked.spread.arrivals = variation_of(typed.arrival_variation, "--arrival-scv");
  if (!typed.service_variation.empty()) {
    asked.spread.service = variation_of(typed.service_variation, "--service-scv");
    asked.shape = usual_shape(asked.spread.service);
  }
  if (!typed.shape.empty()) {
    asked.shape = choice(typed.shape, service_shapes, "--distribution");
    if (typed.service_variation.empty()) asked.spread.service = usual_variation(asked.shape);
  }
  (void)service_time_of(asked.shape, asked.mean_service, asked.spread.service);
  asked.targets = targets_of(typed);
  if (!typed.sizes.empty())
    for (const std::string_view one : parts_of(typed.sizes))
      asked.sizes.push_back(
          whole_number(one, "--what-if: each size", asked.gpus_per_job, most_gpus));
  if (asked.gpus == 0 && asked.targets.empty() && asked.sizes.empty())
    throw bad_usage{"give --gpus, or a target such as --target-mean-wait 10min, or --what-if"};
  if (typed.policies.empty())
    asked.policies.assign(queue_policies.begin(), queue_policies.end());
  else
    for (const std::string_view one : parts_of(typed.policies))
      asked.policies.push_back(choice(one, policy_names, "--policy"));
  return asked;
}

report_json inputs_of(const queue_numbers& asked) {
  report_json policies = report_json::array();
  for (const queue_policy policy : asked.policies)
    policies.push_back(spelled(policy_names, policy));
  return {{"arrivals_per_s", json_number(asked.arrival_rate)},
          {"service_s", json_number(asked.mean_service)},
          {"gpus", asked.gpus > 0 ? report_json(asked.gpus) : report_json(nullptr)},
          {"gpus_per_job", asked.gpus_per_job},
          {"arrival_scv", json_number(asked.spread.arrivals)},
          {"service_scv", json_number(asked.spread.service)},
          {"distribution", spelled(service_shapes, asked.shape)},
          {"policies", std::move(policies)}};
}

std::string title_of(const queue_numbers& asked) {
  std::string title = fmt::format("{} x {}", rate_in_words(asked.arrival_rate),
                                  format_duration(asked.mean_service));
  if (asked.gpus_per_job > 1) title += fmt::format(" x {} GPUs", asked.gpus_per_job);
  title += fmt::format(": {:.4g} GPUs busy", asked.offered_gpus());
  if (asked.gpus > 0) title += fmt::format(" of {}", asked.gpus);
  return title;
}

void print_answer(const queue_answer& answer, text_style style) {
  if (!answer.stable)
    print(fmt::format("The queue grows without bound: {}.\n\n", answer.reason));
  else if (answer.gpus > 0)
    print(fmt::format("Utilisation {}.\n\n", share_in_words(answer.utilization)));
  if (!answer.models.empty()) print(models_table(answer, style) + "* holds here\n\n");
  if (!answer.needs.empty()) print(needs_table(answer, style) + "\n");
  if (!answer.sizes.empty()) print(sizes_table(answer, style) + "\n");
  if (!answer.policies.empty()) print(policies_table(answer, style) + "\n");
  for (const std::string& note : answer.notes) print(note + "\n");
}

}  // namespace

command queue_command(CLI::App& program) {
  CLI::App* options =
      program.add_subcommand("queue", "How long jobs wait, and how many GPUs keep a promise");
  options->footer(after_options);
  const auto typed = std::make_shared<queue_options>();
  std::string group = "Jobs";
  const auto add = [&](const std::string& name, std::string& text, const std::string& what) {
    options->add_option(name, text, what)->group(group);
  };
  add("--arrivals", typed->arrivals, "Jobs that come, as 4/h, 0.5/min or 100/day");
  add("--service", typed->service, "Mean time that a job runs, as 10h");
  add("--gpus", typed->gpus, "GPUs of the cluster");
  add("--gpus-per-job", typed->gpus_per_job, "GPUs that each job holds [1]");
  add("--arrival-scv", typed->arrival_variation, "Of the times between arrivals [1]");
  add("--service-scv", typed->service_variation, "Of the times that jobs run [1]");
  add("--distribution", typed->shape,
      "exponential, deterministic, erlang, hyperexponential, uniform, lognormal or weibull "
      "[exponential, or lognormal of the scv]");
  group = "Targets";
  add("--target-mean-wait", typed->mean, "As 10min");
  for (std::size_t i = 0; i < printed_percentiles.size(); ++i)
    add(fmt::format("--target-p{}", printed_percentiles[i]), typed->percentiles[i],
        fmt::format("{} % of the jobs wait no longer, as 1h", printed_percentiles[i]));
  add("--target-wait-probability", typed->probability, "No more of the jobs wait, as 0.1 or 10%");
  group = "Answer";
  add("--what-if", typed->sizes, "Sizes of the cluster, as 48,64,96 [around --gpus]");
  add("--policy", typed->policies, "To compare, as fcfs,las: fcfs, ps, sjf, psjf, srpt, las [all]");
  typed->answer.add(*options);

  return {options, [typed] {
            const queue_numbers asked = numbers_of(*typed);
            const queue_answer found = answer_of(asked);
            report_json answer{{"schema_version", report_schema_version}};
            answer.update(json_of(found));
            answer["inputs"] = inputs_of(asked);
            const exit_code checked = typed->answer.check(answer);
            if (typed->answer.as_json) {
              print_json(answer);
            } else {
              const text_style style = style_of_output();
              print(bold(title_of(asked), style) + "\n\n");
              print_answer(found, style);
            }
            return found.stable ? checked : exit_infeasible;
          }};
}

}  // namespace gpuplan::cli
