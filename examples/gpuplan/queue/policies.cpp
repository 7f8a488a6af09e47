/// \file
/// Policies by their names, with what their options say.

#include "queue/policies.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <gpuplan/text/json_fields.hpp>
#include <gpuplan/units/format.hpp>

#include "inputs.hpp"

namespace gpuplan::cli {
namespace {

/// Those worth a look where none are named: none of priorities, which few traces have, and none
/// that must be told more of the jobs.
constexpr std::array usual_policies{"fcfs",     "easy", "conservative", "first-fit",
                                    "sjf-easy", "srpt", "las",          "tiresias"};

struct known_name {
  std::string_view name;
};

bool is_of_priorities(const named_policy& policy) {
  return policy.policy.order == job_order::priority;
}

/// The names of a question, in the order of the help.
std::vector<known_name> known_names(bool of_trace) {
  std::vector<known_name> known;
  for (const named_policy& each : pool_policies)
    if (of_trace || !(is_of_priorities(each) || each.policy.order == job_order::round_robin))
      known.push_back({each.name});
  if (of_trace)
    for (const named_sharing_policy& each : sharing_policies) known.push_back({each.name});
  return known;
}

/// The names asked for, each known and once.
std::vector<std::string_view> names_of(std::string_view typed, bool of_trace) {
  if (typed.empty()) return {usual_policies.begin(), usual_policies.end()};
  const std::vector<known_name> known = known_names(of_trace);
  std::vector<std::string_view> names;
  for (std::string_view rest = typed;;) {
    const auto comma = rest.find(',');
    const std::string_view one = rest.substr(0, comma);
    if (!of_trace) refuse_priorities(one);
    const auto found = std::find_if(known.begin(), known.end(), [&](const known_name& each) {
      return same_name(each.name, bounded_name(one));
    });
    if (found == known.end()) {
      std::string all;
      for (const known_name& each : known)
        all += (all.empty() ? "" : ", ") + std::string(each.name);
      const bool elsewhere = find_pool_policy(bounded_name(one)) != nullptr ||
                             find_sharing_policy(bounded_name(one)) != nullptr;
      throw bad_usage{fmt::format(
          "--policy must be one of {}, not {}{}", all, shown(nlohmann::json(one)),
          elsewhere ? ", which goes with --trace" : did_you_mean(bounded_name(one), known))};
    }
    if (std::find(names.begin(), names.end(), found->name) != names.end())
      throw bad_usage{fmt::format("--policy: {} is named twice", found->name)};
    names.push_back(found->name);
    if (comma == rest.npos) return names;
    rest.remove_prefix(comma + 1);
  }
}

/// A time of up to 1e12 s; the default where none is typed.
seconds time_or(const std::string& typed, std::string_view option, seconds usual) {
  if (typed.empty()) return usual;
  const auto time = quantity_of<seconds>(typed, option);
  if (!(time >= seconds{0} && time <= seconds{1e12}))
    throw bad_usage{fmt::format("{} must be from 0 s to 1e12 s, not {}", option, typed)};
  return time;
}

/// What a policy must be told of the jobs.
double share_for(std::string_view policy, const std::string& typed, std::string_view option,
                 std::string_view what) {
  if (typed.empty())
    throw bad_usage{
        fmt::format("--policy {} needs {}: a trace does not say {}", policy, option, what)};
  return plain_number(typed, option, 0, 1);
}

void require_gpus(std::string_view policy, std::int64_t gpus, std::int64_t most) {
  if (gpus > most)
    throw bad_usage{
        fmt::format("--policy {} is simulated on up to {} GPUs, not on {}", policy, most, gpus)};
}

pool_policy with_turns(pool_policy policy, const policy_options& typed) {
  policy.quantum = time_or(typed.turn, "--turn", policy.quantum);
  policy.switch_time = time_or(typed.switch_time, "--switch-time", policy.switch_time);
  if (!(policy.quantum > policy.switch_time))
    throw bad_usage{
        fmt::format("--turn must be longer than --switch-time, and {} is not longer "
                    "than {}",
                    format_duration(policy.quantum), format_duration(policy.switch_time))};
  return policy;
}

sharing_policy with_options(const named_sharing_policy& of, const policy_options& typed,
                            std::int64_t gpus) {
  sharing_policy policy = of.policy;
  if (policy.rule == sharing_rule::opportunistic) {
    policy.idle = share_for(of.name, typed.idle, "--idle-share", "how idle its jobs leave a GPU");
    if (!(policy.idle < 1)) throw bad_usage{"--idle-share must be below 1, not " + typed.idle};
    return policy;
  }
  require_gpus(of.name, gpus,
               policy.rule == sharing_rule::goodput ? most_gpus_of_sia : most_gpus_of_optimus);
  if (typed.speed_up.empty())
    policy.parallel_part =
        share_for(of.name, typed.parallel_part,
                  typed.parallel_part.empty() ? "--parallel-part or --speed-up" : "--parallel-part",
                  "how jobs speed up on more GPUs");
  else if (!typed.parallel_part.empty())
    throw bad_usage{"give --parallel-part or --speed-up, not both"};
  policy.interval = time_or(typed.round, "--round", policy.interval);
  policy.restart_time = time_or(typed.restart, "--restart-time", policy.restart_time);
  return policy;
}

}  // namespace

void refuse_priorities(std::string_view name) {
  const named_policy* const found = find_pool_policy(bounded_name(name));
  if (found != nullptr && is_of_priorities(*found))
    throw bad_usage{fmt::format(
        "--policy {} needs a column priority, which jobs given as numbers lack: it goes with "
        "--trace",
        found->name)};
}

std::string_view policy_of_priorities(std::span<const trace_policy> policies) {
  for (const trace_policy& each : policies)
    if (const named_policy* const found = find_pool_policy(each.name);
        found != nullptr && is_of_priorities(*found))
      return each.name;
  return {};
}

void policy_options::add(CLI::App& command) {
  const auto add = [&](const char* name, std::string& text, const char* what) {
    command.add_option(name, text, what)->group("Answer");
  };
  add("--policy", names,
      "Policies to compare, such as fcfs,easy,las; with numbers fcfs, ps, sjf, psjf, srpt, las; "
      "with a trace or a mix fcfs, easy, conservative, first-fit, sjf, sjf-easy, srpt, las, "
      "tiresias; with a trace also gandiva, optimus (up to 20000 GPUs), sia (up to 4096), antman, "
      "and with one that has a column priority also priority, priority-easy, priority-preemptive "
      "[those that fit]");
  add("--parallel-part", parallel_part,
      "Of optimus and sia, which need this or --speed-up: share of a job's time on one GPU that "
      "more GPUs divide (Amdahl's law), such as 0.99");
  add("--speed-up", speed_up,
      "Of optimus and sia: speed on several GPUs over that on one, as measured, such as "
      "2:1.9,4:3.6,8:6.5; more GPUs are no faster");
  add("--round", round,
      "Of optimus and sia: GPUs are dealt no more often than this [10min for optimus, 1min for "
      "sia]");
  add("--restart-time", restart, "Of optimus and sia: that a job loses when its GPUs change [30s]");
  add("--turn", turn, "Of gandiva: how long a job runs before one that waits has its turn [1min]");
  add("--switch-time", switch_time, "Of gandiva: that a job loses when it goes on [1s]");
  add("--idle-share", idle,
      "Of antman, which needs it: share of the time that a job leaves its GPUs idle, such as 0.3");
}

std::array<std::pair<const char*, const std::string*>, 7> policy_options::parameters() const {
  return {{{"--parallel-part", &parallel_part},
           {"--speed-up", &speed_up},
           {"--round", &round},
           {"--restart-time", &restart},
           {"--turn", &turn},
           {"--switch-time", &switch_time},
           {"--idle-share", &idle}}};
}

void policy_options::refuse_parameters(const char* why) const {
  for (const auto& [option, given] : parameters())
    if (!given->empty()) throw bad_usage{std::string(option) + why};
}

std::vector<trace_policy> policy_options::of_trace(std::int64_t gpus) const {
  std::vector<trace_policy> all;
  bool elastic = false;
  bool sliced = false;
  bool beside = false;
  for (const std::string_view name : names_of(names, true)) {
    if (const named_policy* const found = find_pool_policy(name); found != nullptr) {
      const bool turns = found->policy.order == job_order::round_robin;
      all.push_back(
          {found->name, found->meaning, turns ? with_turns(found->policy, *this) : found->policy});
      sliced = sliced || turns;
      continue;
    }
    const named_sharing_policy& found = *find_sharing_policy(name);
    all.push_back({found.name, found.meaning, with_options(found, *this, gpus)});
    (found.policy.rule == sharing_rule::opportunistic ? beside : elastic) = true;
  }
  const auto needs = [&](const char* policies, bool named, const auto&... ones) {
    const std::array<const std::string*, sizeof...(ones)> options{&ones...};
    for (const auto& [option, given] : parameters())
      if (!named && !given->empty() &&
          std::find(options.begin(), options.end(), given) != options.end())
        throw bad_usage{
            fmt::format("{} has no effect: it is of {}, not among --policy", option, policies)};
  };
  needs("optimus and sia", elastic, parallel_part, speed_up, round, restart);
  needs("gandiva", sliced, turn, switch_time);
  needs("antman", beside, idle);
  return all;
}

std::vector<double> policy_options::measured_speed_ups() const {
  if (speed_up.empty()) return {};
  std::vector<double> all{1};
  for (std::string_view rest = speed_up;;) {
    const auto comma = rest.find(',');
    const std::string_view one = rest.substr(0, comma);
    const auto colon = one.find(':');
    if (colon == one.npos)
      throw bad_usage{"--speed-up is GPUS:SPEED, as 2:1.9,4:3.6, not " +
                      shown(nlohmann::json(one))};
    const auto known = static_cast<std::int64_t>(all.size());
    const std::int64_t gpus = whole_number(one.substr(0, colon), "--speed-up: GPUs, which grow,",
                                           known + 1, most_gpus_of_optimus);
    const double speed = plain_number(one.substr(colon + 1), "--speed-up: each speed", 0, 1e6);
    if (!(speed > 0)) throw bad_usage{"--speed-up: each speed must be above 0"};
    const double before = all.back();
    for (std::int64_t n = known + 1; n <= gpus; ++n)
      all.push_back(before + (speed - before) * static_cast<double>(n - known) /
                                 static_cast<double>(gpus - known));
    if (comma == rest.npos) return all;
    rest.remove_prefix(comma + 1);
  }
}

std::vector<const named_policy*> policy_options::of_mix() const {
  refuse_parameters(" goes with --trace");
  std::vector<const named_policy*> all;
  for (const std::string_view name : names_of(names, false)) all.push_back(find_pool_policy(name));
  return all;
}

}  // namespace gpuplan::cli
