/// \file
/// The questions that options of gpuplan queue make.

#include "queue/command_line.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <gpuplan/text/json_fields.hpp>

#include "inputs.hpp"

namespace gpuplan::cli {
namespace {

std::vector<std::string_view> parts_of(std::string_view list) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto comma = list.find(',');
    parts.push_back(list.substr(0, comma));
    if (comma == list.npos) return parts;
    list.remove_prefix(comma + 1);
  }
}

/// A quantity from `least` to `most`, both among them; `range` says so, of a negative one, too.
template <class Q>
Q quantity_within(const std::string& typed, std::string_view option, Q least, Q most,
                  const char* range) {
  const parsed<Q> read = parse<Q>(typed);
  const bool negative = read.fault == parse_fault::negative;
  if (negative || (read && !(read.value >= least && read.value <= most)))
    throw bad_usage{fmt::format("{} must be {}, not {}", option, range, typed)};
  return quantity_of<Q>(typed, option);
}

constexpr seconds longest_time{1e12};
constexpr seconds shortest_time{1e-300};  ///< of those that must be longer than 0 s

/// Of waits that a target may ask for.
double probability_of(const std::string& typed) {
  const bool percent = typed.ends_with('%');
  const parsed<double> read = parse_count(percent ? typed.substr(0, typed.size() - 1) : typed);
  const double share = percent ? read.value / 100 : read.value;
  if (!read || !(share > 0 && share < 1))
    throw bad_usage{
        "--target-wait-probability must be above 0 and below 1, such as 0.1 or 10%, not " +
        shown(nlohmann::json(typed))};
  return share;
}

/// Refuses a target that --csv says nothing of: its rows are sizes, which only a target alone
/// chooses, or policies.
void refuse_unseen_targets(const queue_options& typed) {
  const bool is_seen = !typed.as_csv || !typed.answer.assertions.empty() || !typed.html.empty() ||
                       (typed.gpus.empty() && typed.sizes.empty());
  if (is_seen) return;
  const auto refuse = [](const std::string& option, const std::string& given) {
    if (!given.empty())
      throw bad_usage{option + " has no effect: --csv prints the " +
                      "rows of --gpus, --what-if and --policy alone"};
  };
  refuse("--target-mean-wait", typed.mean);
  for (std::size_t i = 0; i < typed.percentiles.size(); ++i)
    refuse(fmt::format("--target-p{}", printed_percentiles[i]), typed.percentiles[i]);
  refuse("--target-wait-probability", typed.probability);
}

std::vector<wait_target> targets_of(const queue_options& typed) {
  using measure = wait_target::measure;
  refuse_unseen_targets(typed);
  std::vector<wait_target> targets;
  if (!typed.mean.empty()) {
    const seconds time = quantity_within(typed.mean, "--target-mean-wait", shortest_time,
                                         longest_time, "above 0 s, up to 1e12 s");
    targets.push_back({.of = measure::mean, .time = time});
  }
  for (std::size_t i = 0; i < typed.percentiles.size(); ++i) {
    if (typed.percentiles[i].empty()) continue;
    const int percent = printed_percentiles[i];
    const std::string option = fmt::format("--target-p{}", percent);
    targets.push_back({.of = measure::percentile,
                       .percent = percent,
                       .time = quantity_within(typed.percentiles[i], option, seconds{0},
                                               longest_time, "from 0 s to 1e12 s")});
  }
  if (!typed.probability.empty()) {
    targets.push_back({.of = measure::probability, .share = probability_of(typed.probability)});
  }
  return targets;
}

std::vector<std::int64_t> sizes_of(const queue_options& typed, std::int64_t least) {
  std::vector<std::int64_t> sizes;
  if (!typed.sizes.empty())
    for (const std::string_view one : parts_of(typed.sizes)) {
      const std::int64_t size = whole_number(one, "--what-if: each size", least, most_gpus);
      if (std::find(sizes.begin(), sizes.end(), size) != sizes.end())
        throw bad_usage{fmt::format("--what-if: {} is named twice", one)};
      sizes.push_back(size);
    }
  return sizes;
}

void require_size(std::int64_t gpus, const std::vector<wait_target>& targets,
                  const std::vector<std::int64_t>& sizes) {
  if (gpus == 0 && targets.empty() && sizes.empty())
    throw bad_usage{"give --gpus, or a target such as --target-mean-wait 10min, or --what-if"};
}

/// Policies are compared on --gpus alone.
void refuse_idle_policies(const queue_options& typed) {
  if (!typed.gpus.empty()) return;
  constexpr const char* why =
      " has no effect: policies are compared on --gpus, and that is not given";
  for (const auto& [option, given] :
       {std::pair{"--policy", &typed.policies.names}, std::pair{"--sample", &typed.sample}})
    if (!given->empty()) throw bad_usage{std::string(option) + why};
  typed.policies.refuse_parameters(why);
}

/// Errors of the mean wait were measured of gangs of several sizes alone.
void refuse_level(const band_options& typed) {
  if (typed.level.empty()) return;
  (void)typed.level_asked();
  throw bad_usage{"--level has no effect: no range is known of the wait of jobs of one size"};
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

/// Adds a policy to those asked for.
/// \throws bad_usage if it is there
void add_once(std::vector<queue_policy>& all, queue_policy one, std::string_view name) {
  if (std::find(all.begin(), all.end(), one) != all.end())
    throw bad_usage{"--policy: " + std::string(name) + " is named twice"};
  all.push_back(one);
}

}  // namespace

void queue_options::add(CLI::App& command) {
  std::string group = "Jobs given by numbers";
  const auto add = [&](const std::string& name, std::string& text, const std::string& what) {
    command.add_option(name, text, what)->group(group);
  };
  add("--arrivals", arrivals, "Arrival rate of jobs, such as 4/h, 0.5/min or 100/day");
  add("--service", service, "Mean duration of a job, such as 10h");
  add("--gpus-per-job", gpus_per_job, "GPUs that each job holds, or a mix such as 1:70%,8:30% [1]");
  add("--arrival-scv", arrival_variation,
      "Squared coefficient of variation of the times between arrivals [1]");
  add("--service-scv", service_variation, "Squared coefficient of variation of the durations [1]");
  add("--distribution", shape,
      "exponential, deterministic, erlang, hyperexponential, uniform, lognormal or weibull "
      "[exponential, or lognormal of the scv]");
  group = "Jobs given by a trace";
  add("--trace", trace,
      "A table with a header: submit_s, gpus, duration_s; also what sacct --parsable2 prints; - "
      "for "
      "standard input");
  add("--sacct", sacct, "The same, and it must come from sacct");
  add("--columns", columns, "Names of columns, such as submit=Submit,gpus=NGPU,duration=Elapsed");
  add("--where", filter, "Only rows with this value, such as vc=5");
  add("--bad-rows", bad_rows,
      "Share of rows that may be left out because they cannot be read, such as 50% [10%]");
  group = "Cluster";
  add("--gpus", gpus, "GPUs of the pool");
  group = "Targets";
  add("--target-mean-wait", mean, "As 10min");
  for (std::size_t i = 0; i < printed_percentiles.size(); ++i)
    add(fmt::format("--target-p{}", printed_percentiles[i]), percentiles[i],
        fmt::format("{} % of the jobs wait at most this long, such as 1h", printed_percentiles[i]));
  add("--target-wait-probability", probability,
      "At most this share of the jobs waits, such as 0.1 or 10%");
  group = "Answer";
  add("--what-if", sizes, "Other sizes of the pool, such as 48,64,96 [around --gpus]");
  policies.add(command);
  add("--sample", sample,
      "Jobs of a trace to compare policies on, or all [the busiest in a row, at most 20000; of "
      "more than 200000 5000]");
  band.add_level(command);
  answer.add(command);
}

std::vector<std::string> queue_options::files() const {
  std::vector<std::string> read;
  for (const std::string& path : {trace, sacct})
    if (!path.empty()) read.push_back(path);
  return read;
}

queue_numbers queue_options::numbers() const {
  const queue_options& typed = *this;
  const auto refuse = [](const char* option, const std::string& given) {
    if (!given.empty()) throw bad_usage{std::string(option) + " goes with --trace"};
  };
  refuse("--columns", typed.columns);
  refuse("--where", typed.filter);
  refuse("--bad-rows", typed.bad_rows);
  refuse("--sample", typed.sample);
  typed.policies.refuse_parameters(" goes with --trace");
  queue_numbers asked;
  if (typed.arrivals.empty())
    throw bad_usage{
        "give --arrivals 4/h and --service 10h, or --trace jobs.csv; see gpuplan queue --help"};
  if (typed.service.empty()) throw bad_usage{"--service is required beside --arrivals, as 10h"};
  asked.arrival_rate = quantity_within(typed.arrivals, "--arrivals", per_second{1e-12},
                                       per_second{1e9}, "from 1e-12/s to 1e9/s");
  asked.mean_service = quantity_within(typed.service, "--service", 1 * units::ns, longest_time,
                                       "from 1 ns to 1e12 s");
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
  asked.sizes = sizes_of(typed, asked.gpus_per_job);
  refuse_level(typed.band);
  require_size(asked.gpus, asked.targets, asked.sizes);
  refuse_idle_policies(typed);
  if (typed.policies.names.empty())
    asked.policies.assign(queue_policies.begin(), queue_policies.end());
  else
    for (const std::string_view one : parts_of(typed.policies.names)) {
      refuse_priorities(one);
      add_once(asked.policies, choice(one, policy_names, "--policy"), one);
    }
  return asked;
}

queue_mix queue_options::mix() const {
  queue_options rest = *this;
  rest.gpus_per_job.clear();
  rest.policies.names.clear();
  rest.sizes.clear();
  rest.band.level.clear();
  const auto refuse = [](const char* option, const std::string& given) {
    if (!given.empty())
      throw bad_usage{std::string(option) +
                      " is not for a mix of --gpus-per-job: arrivals are "
                      "random, and two moments tell how long jobs run"};
  };
  refuse("--distribution", shape);
  refuse("--arrival-scv", arrival_variation);
  if (!sizes.empty() && gpus.empty()) rest.gpus = std::to_string(most_gpus_of_mix);
  const queue_numbers each = rest.numbers();

  queue_mix asked{
      .arrival_rate = each.arrival_rate, .targets = each.targets, .level = band.level_asked()};
  if (!gpus.empty()) asked.gpus = whole_number(gpus, "--gpus", 1, most_gpus_of_mix);
  for (const std::string_view part : parts_of(gpus_per_job)) {
    const auto colon = part.find(':');
    if (colon == part.npos)
      throw bad_usage{"--gpus-per-job: a mix is GPUS:SHARE, as 1:70%,8:30%, not " +
                      shown(nlohmann::json(part))};
    const double share = share_of(part.substr(colon + 1), "--gpus-per-job: each share");
    if (share == 0) throw bad_usage{fmt::format("--gpus-per-job {}: a share must be > 0", part)};
    asked.classes.push_back({.gpus = static_cast<int>(whole_number(
                                 part.substr(0, colon), "--gpus-per-job", 1, most_gpus_of_mix)),
                             .share = share,
                             .mean_duration = each.mean_service,
                             .variability = each.spread.service});
  }
  if (std::all_of(asked.classes.begin(), asked.classes.end(),
                  [&](const gang_class& one) { return one.gpus == asked.classes.front().gpus; }))
    refuse_level(band);
  double all = 0;
  for (const gang_class& one : asked.classes) all += one.share;
  if (!(std::abs(all - 1) < 1e-6))
    throw bad_usage{fmt::format("--gpus-per-job: the shares make {:.6g} %, not 100 %", 100 * all)};
  if (!(asked.arrival_rate * mix_of(asked.classes).work <= most_gpus_of_mix))
    throw bad_usage{fmt::format("a mix is looked at on up to {} GPUs, and this keeps {:.6g} busy",
                                most_gpus_of_mix, asked.arrival_rate * mix_of(asked.classes).work)};
  asked.sizes = sizes_of(*this, 1);
  for (const std::int64_t size : asked.sizes)
    if (size > most_gpus_of_mix)
      throw bad_usage{
          fmt::format("--what-if: a mix is looked at on up to {} GPUs", most_gpus_of_mix)};
  refuse_idle_policies(*this);
  asked.policies = policies.of_mix();
  return asked;
}

queue_trace queue_options::trace_question() const {
  const queue_options& typed = *this;
  const auto refuse = [](const char* option, const std::string& given) {
    if (!given.empty())
      throw bad_usage{std::string(option) + " is not for a trace: what it says is read there"};
  };
  refuse("--arrivals", typed.arrivals);
  refuse("--service", typed.service);
  refuse("--gpus-per-job", typed.gpus_per_job);
  refuse("--arrival-scv", typed.arrival_variation);
  refuse("--service-scv", typed.service_variation);
  refuse("--distribution", typed.shape);
  if (!typed.trace.empty() && !typed.sacct.empty())
    throw bad_usage{"give --trace or --sacct, not both"};

  queue_trace asked{.source = {.path = typed.trace.empty() ? typed.sacct : typed.trace,
                               .columns = typed.columns,
                               .filter = typed.filter,
                               .bad_rows = typed.bad_rows,
                               .of_sacct = !typed.sacct.empty()}};
  if (!typed.gpus.empty()) asked.gpus = whole_number(typed.gpus, "--gpus", 1, most_gpus);
  asked.targets = targets_of(typed);
  asked.sizes = sizes_of(typed, 1);
  asked.level = typed.band.level_asked();
  require_size(asked.gpus, asked.targets, asked.sizes);
  refuse_idle_policies(typed);
  if (asked.gpus > 0) {
    asked.policies = typed.policies.of_trace(asked.gpus);
    if (const auto ranked = policy_of_priorities(asked.policies); !ranked.empty())
      asked.source.needs_priority = fmt::format("--policy {}", ranked);
    asked.speed_ups = typed.policies.measured_speed_ups();
  }
  if (same_name(typed.sample, "all"))
    asked.sample = std::numeric_limits<std::int64_t>::max();
  else if (!typed.sample.empty())
    asked.sample = whole_number(typed.sample, "--sample", 1, std::int64_t{1} << 32);
  return asked;
}

}  // namespace gpuplan::cli
