/// \file
/// The wait of a job in a pool of GPUs that others use, too.

#include "plan/pool.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <gpuplan/calibrate/arrival_fit.hpp>
#include <gpuplan/calibrate/gpu_mix.hpp>
#include <gpuplan/queue/gang/arriving_gang.hpp>
#include <gpuplan/queue/gang/one_size.hpp>
#include <gpuplan/simulate/inserted_job.hpp>
#include <gpuplan/simulate/saturated.hpp>
#include <gpuplan/units/format.hpp>

#include "inputs.hpp"
#include "program.hpp"
#include "queue/command_line.hpp"
#include "queue/gangs.hpp"
#include "queue/mix.hpp"
#include "queue/trace.hpp"
#include "queue/trace_file.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

/// A pool of a trace is simulated, and may be as large as any.
constexpr std::int64_t most_gpus_of_trace = most_gpus;
/// Jobs of a trace that are simulated around each time; conservative backfill takes far longer.
constexpr std::int64_t jobs_around = 10'000;
constexpr std::int64_t jobs_around_conservative = 1'000;
/// A job that runs longer than anything of the pool waits as one of this length.
constexpr seconds longest_job{1e12};

/// Policies that a job can wait under; those that stop jobs, or know priorities, say nothing of it.
constexpr std::array waiting_policies{"fcfs",      "easy", "conservative",
                                      "first-fit", "sjf",  "sjf-easy"};

named_policy policy_of(const std::string& typed, bool by_formula) {
  const std::string name = typed.empty() ? waiting_policies.front() : typed;
  const named_policy* found = find_pool_policy(name);
  const std::size_t known = by_formula ? 3 : waiting_policies.size();
  const auto end = waiting_policies.begin() + static_cast<std::ptrdiff_t>(known);
  if (found != nullptr && std::find(waiting_policies.begin(), end, found->name) != end)
    return *found;
  std::string names;
  for (auto one = waiting_policies.begin(); one != end; ++one)
    names += (names.empty() ? "" : ", ") + std::string(*one);
  throw bad_usage{fmt::format("--policy must be one of {}{}, not {}", names,
                              by_formula ? " beside --arrivals" : "",
                              shown(nlohmann::json(typed)))};
}

/// The GPUs that jobs keep busy, and those that the pool has.
std::string load_in_words(double offered, std::int64_t gpus) {
  return fmt::format("{:.4g} of {} busy", offered, counted(gpus, "GPU"));
}

/// Why the queue grows; nothing where it does not.
std::string overload_of(const queue_mix& jobs, const gang_mix& mix, const gang_waiting& found) {
  if (found.wait.stable()) return {};
  if (mix.largest > jobs.gpus)
    return fmt::format("jobs of {} GPUs never fit the {} of the pool, and hold up all others",
                       mix.largest, jobs.gpus);
  return fmt::format("jobs keep {:.4g} GPUs busy, and the pool can keep {:.4g} of {}",
                     jobs.arrival_rate * mix.work, found.limit.busy, jobs.gpus);
}

/// By which factor means are off where jobs wait often enough: as arriving_gang_waits says, or
/// gang_trust where that is more; of jobs of one size for a gang of that size.  None where durations
/// vary more than was simulated.
std::optional<double> error_factor_of(gang_trust trust, double variability) {
  if (trust == gang_trust::exact) return 1;
  if (trust == gang_trust::two_moments) return 1.22;
  if (trust == gang_trust::large_jobs) return 1.8;
  if (trust == gang_trust::heavy_tail) return heavy_tail_factor(variability);
  return 1.15;
}

/// The wait of a gang of some size, by formula.
struct gang_wait_law {
  gamma_wait_law law{};
  std::optional<error_distribution> mean_errors{};  ///< where they were measured
};

/// Jobs that come at random, by formula.
class random_pool : public shared_pool {
 public:
  random_pool(pool_basis basis, std::map<int, gang_wait_law> waits)
      : shared_pool{std::move(basis)}, waits_{std::move(waits)} {}

  [[nodiscard]] pool_wait wait_of(int gpus, seconds, double level) const override {
    const auto& [law, mean_errors] = waits_.at(gpus);
    pool_wait wait{law.probability, law.mean(), law.mean(), law.mean(), {}, {}};
    if (!isfinite(law.conditional_mean)) return wait;
    if (mean_errors) wait.mean_band = error_band_of(*mean_errors, level);
    wait.low = law.percentile((1 - level) / 2);
    wait.high = law.percentile((1 + level) / 2);
    constexpr int parts = 100;
    for (int i = 0; i < parts; ++i)
      wait.equally_likely.push_back(law.percentile((i + 0.5) / parts));
    return wait;
  }

 private:
  std::map<int, gang_wait_law> waits_;
};

/// How far to trust the wait of a gang of another size than the jobs, which all have one.
gang_trust trust_of_others(const gang_waiting& jobs, const one_size_gangs& same,
                           std::int64_t gpus) {
  if (jobs.trust == gang_trust::overload) return jobs.trust;
  if (same.variability > largest_stated_variability) return gang_trust::heavy_tail;
  return std::int64_t{3} * same.gpus > gpus ? gang_trust::large_jobs : gang_trust::stated;
}

/// By how much means are off: "off by a factor of 1.15".
std::string error_in_words(gang_trust trust, double variability) {
  const std::optional<double> factor = error_factor_of(trust, variability);
  return factor ? fmt::format("off by a factor of {:.3g}", *factor)
                : "off by no known factor, as none that vary so much were simulated";
}

/// By what waits come about, and by how much they are off.
std::string formula_in_words(gang_trust trust, double variability) {
  return fmt::format(
      "by the formula of gangs that come at random; means were {} against simulations, by more "
      "where few jobs wait",
      error_in_words(trust, variability));
}

/// The same of a gang of the one size of all jobs.
std::string formula_in_words(const one_size_gangs& same, gang_trust trust) {
  const std::string on =
      fmt::format("jobs of {} on {} servers", counted(same.gpus, "GPU"), same.jobs.servers);
  if (trust == gang_trust::exact && same.variability == 1) return "exact for " + on + " (M/M/c)";
  const bool equal = same.variability == 0;
  if (trust == gang_trust::exact)
    return fmt::format("mean exact for {} (M/{}/c)", on, equal ? "D" : "G");
  return fmt::format("by two moments for {} (M/G/c), means at most {}", on,
                     error_in_words(trust, same.variability));
}

std::shared_ptr<const shared_pool> random_pool_of(const queue_mix& jobs, const named_policy& policy,
                                                  std::span<const std::int64_t> sizes) {
  const gang_mix mix = mix_of(jobs.classes);
  const double variability = variability_of_work(mix);
  const std::vector<int> gangs(sizes.begin(), sizes.end());
  const gang_workload work{jobs.arrival_rate, jobs.classes, static_cast<int>(jobs.gpus)};
  const std::optional<one_size_gangs> same = one_size_of(work);
  saturation limit;
  if (same)
    limit = same->limit();
  else if (mix.largest <= jobs.gpus)
    limit = saturation_of(
        saturated_run(drawn_gangs{jobs.classes}, mix.work, jobs.gpus, {.jobs = 100'000}));
  const arriving_gangs found = arriving_gang_waits(work, limit, gangs, policy.policy.backfill);

  pool_basis basis{.policy = policy,
                   .gpus = jobs.gpus,
                   .offered_gpus = jobs.arrival_rate * mix.work,
                   .capacity = found.jobs.limit.busy};
  basis.load =
      fmt::format("{:.4g}/h x {}: {}", jobs.arrival_rate * units::hour,
                  format_duration(mix.duration), load_in_words(*basis.offered_gpus, jobs.gpus));
  basis.overload = overload_of(jobs, mix, found.jobs);
  gang_waiting others = found.jobs;
  if (same) others.trust = trust_of_others(found.jobs, *same, jobs.gpus);
  // Measured of mean waits in the order of arrival.
  std::optional<error_distribution> mean_errors;
  if (policy.policy.backfill == backfilling::none) mean_errors = figures_of(others).mean_errors;
  std::map<int, gang_wait_law> waits;
  bool some_alike = false;
  bool all_alike = true;
  for (std::size_t i = 0; i < gangs.size(); ++i) {
    const bool alike = same && gangs[i] == same->gpus;
    some_alike = some_alike || alike;
    all_alike = all_alike && alike;
    waits[gangs[i]] = {found.waits[i], alike ? std::nullopt : mean_errors};
  }
  if (found.jobs.wait.stable())
    basis.error_factor = error_factor_of(all_alike ? found.jobs.trust : others.trust, variability);
  const bool said = some_alike && found.jobs.wait.stable();
  if (said) basis.how = formula_in_words(*same, found.jobs.trust);
  if (!all_alike || !said)
    basis.how += (said ? "; of other sizes " : "") + formula_in_words(others.trust, variability);
  return std::make_shared<const random_pool>(std::move(basis), std::move(waits));
}

/// Jobs of a trace, replayed with one more.
class traced_pool : public shared_pool {
 public:
  traced_pool(pool_basis basis, insertion_plan plan, std::vector<trace_job> jobs)
      : shared_pool{std::move(basis)}, plan_{plan}, jobs_{std::move(jobs)} {}

  [[nodiscard]] pool_wait wait_of(int gpus, seconds run, double level) const override {
    std::vector<seconds> waits =
        inserted_waits(jobs_, {.duration = smaller(run, longest_job), .gpus = gpus}, basis().gpus,
                       basis().policy.policy, plan_);
    const auto times = static_cast<double>(waits.size());
    const auto waited =
        std::count_if(waits.begin(), waits.end(), [](seconds each) { return each > seconds{0}; });
    pool_wait wait{.probability = static_cast<double>(waited) / times};
    for (const seconds each : waits) wait.mean += each / times;
    wait.low = order_statistic(waits, (1 - level) / 2);
    wait.high = order_statistic(waits, (1 + level) / 2);
    wait.equally_likely = std::move(waits);
    return wait;
  }

 private:
  insertion_plan plan_;
  std::vector<trace_job> jobs_;
};

/// What the jobs of a trace keep busy, if they show it for long enough.
void add_load(std::span<const trace_job> jobs, pool_basis& basis) {
  const seconds span = jobs.back().submit - jobs.front().submit;
  basis.load = grouped(static_cast<double>(basis.jobs)) + (basis.jobs == 1 ? " job" : " jobs");
  if (span > seconds{0}) basis.load += " in " + format_duration(span);
  const bool run = std::any_of(jobs.begin(), jobs.end(),
                               [](const trace_job& job) { return job.duration > seconds{0}; });
  const gpu_mix mix = run ? gpu_mix_of(jobs) : gpu_mix{};
  if (!lasts(mix, span)) {
    basis.unknown = too_short;
    return;
  }
  basis.offered_gpus = offered_gpus_up_to(mix, arrival_rate(jobs), basis.gpus);
  basis.load += ": " + load_in_words(*basis.offered_gpus, basis.gpus);
  if (*basis.offered_gpus > static_cast<double>(basis.gpus))
    basis.overload =
        "the trace has more work than the pool can do in its time: waits grow to its end";
}

std::shared_ptr<const shared_pool> traced_pool_of(job_trace trace, const named_policy& policy,
                                                  std::int64_t gpus) {
  insertion_plan plan{.before = jobs_around, .after = jobs_around};
  if (policy.policy.backfill == backfilling::conservative)
    plan.before = plan.after = jobs_around_conservative;
  const auto too_large = std::count_if(trace.jobs.begin(), trace.jobs.end(),
                                       [&](const trace_job& job) { return job.gpus > gpus; });
  pool_basis basis{.origin = answer_origin::simulation,
                   .policy = policy,
                   .gpus = gpus,
                   .jobs = static_cast<std::int64_t>(trace.jobs.size()),
                   .times = plan.times};
  add_load(trace.jobs, basis);
  if (too_large > 0) basis.load += fmt::format("; {} that ask for more are left out", too_large);
  basis.how = fmt::format(
      "the trace simulated with the job in it, at {} times spread evenly over its last {:.0f} %; "
      "no "
      "nodes, no failures",
      plan.times, 100 * (1 - plan.warm_up));
  return std::make_shared<const traced_pool>(std::move(basis), plan, std::move(trace.jobs));
}

/// As gpuplan queue takes them; jobs of one size are a mix, too.
queue_mix mix_asked(const pool_options& typed, std::int64_t gpus) {
  queue_options numbers;
  numbers.arrivals = typed.arrivals;
  numbers.service = typed.service;
  numbers.service_variation = typed.service_variation;
  numbers.gpus = std::to_string(gpus);
  numbers.gpus_per_job = typed.gpus_per_job.empty() ? "1" : typed.gpus_per_job;
  if (!numbers.of_mix()) {
    const std::int64_t each =
        whole_number(numbers.gpus_per_job, "--gpus-per-job", 1, most_gpus_of_mix);
    if (each > gpus)
      throw bad_usage{fmt::format("--pool-gpus {} are fewer than one job takes (--gpus-per-job {})",
                                  gpus, each)};
    numbers.gpus_per_job = fmt::format("{}:1", each);
  }
  return numbers.mix();
}

constexpr std::array pool_option_names{
    "--pool",    "--pool-columns", "--pool-where",   "--pool-bad-rows", "--arrivals",
    "--service", "--service-scv",  "--gpus-per-job", "--pool-gpus",     "--policy"};

}  // namespace

void pool_options::add(CLI::App& command) {
  const auto add = [&](const char* name, std::string& text, const char* what) {
    command.add_option(name, text, what)->group("Pool that others use, too");
  };
  add("--pool", trace, "A trace of its jobs, as gpuplan queue --trace reads it");
  add("--pool-columns", columns, "Names of columns, such as submit=Submit,gpus=NGPU");
  add("--pool-where", filter, "Only rows with this value, such as vc=5");
  add("--pool-bad-rows", bad_rows,
      "Share of rows that may be left out because they cannot be read, such as 50% [10%]");
  add("--arrivals", arrivals, "In place of a trace: arrival rate of its jobs, such as 4/h");
  add("--service", service, "Mean duration of one of them, such as 10h");
  add("--service-scv", service_variation, "Squared coefficient of variation of the durations [1]");
  add("--gpus-per-job", gpus_per_job,
      "GPUs that each of them holds, or a mix such as 1:70%,8:30% [1]");
  add("--pool-gpus", gpus, "GPUs of the pool");
  add("--policy", policy,
      "fcfs, easy or conservative; of a trace also first-fit, sjf or sjf-easy [fcfs]");
}

bool pool_options::given() const {
  if (!trace.empty() && !arrivals.empty())
    throw bad_usage{"give --pool or --arrivals, not both: each says what jobs the pool has"};
  const auto refuse = [](const char* option, const std::string& typed, const char* why) {
    if (!typed.empty()) throw bad_usage{std::string(option) + why};
  };
  if (!trace.empty()) {
    constexpr const char* why = " is not for --pool: what it says is read in the trace";
    refuse("--service", service, why);
    refuse("--service-scv", service_variation, why);
    refuse("--gpus-per-job", gpus_per_job, why);
    return true;
  }
  refuse("--pool-columns", columns, " goes with --pool");
  refuse("--pool-where", filter, " goes with --pool");
  refuse("--pool-bad-rows", bad_rows, " goes with --pool");
  if (!arrivals.empty()) return true;
  constexpr const char* why =
      " has no effect: give --pool jobs.csv, or --arrivals 4/h, for the jobs of the pool";
  refuse("--service", service, why);
  refuse("--service-scv", service_variation, why);
  refuse("--gpus-per-job", gpus_per_job, why);
  refuse("--pool-gpus", gpus, why);
  refuse("--policy", policy, why);
  return false;
}

std::vector<std::string> pool_options::files() const {
  return trace.empty() ? std::vector<std::string>{} : std::vector{trace};
}

std::int64_t pool_options::size() const {
  const bool traced = !trace.empty();
  if (gpus.empty())
    throw bad_usage{
        fmt::format("--pool-gpus is required beside {}, as 512", traced ? "--pool" : "--arrivals")};
  return whole_number(gpus, "--pool-gpus", 1, traced ? most_gpus_of_trace : most_gpus_of_mix);
}

std::vector<std::int64_t> pool_options::sizes(std::int64_t node) const {
  const std::int64_t all = size();
  if (all < node)
    throw bad_usage{
        fmt::format("--pool-gpus {} are fewer than a node has, {}; --gpus-per-node "
                    "or --gpus says otherwise",
                    all, node)};
  std::vector<std::int64_t> tried;
  for (std::int64_t count = node; count <= all && count <= most_ranks; count *= 2)
    tried.push_back(count);
  const std::int64_t whole = (std::min)(all, std::int64_t{most_ranks}) / node * node;
  if (whole > tried.back()) tried.push_back(whole);
  return tried;
}

std::shared_ptr<const shared_pool> pool_options::read(std::span<const std::int64_t> sizes) const {
  const std::int64_t all = size();
  for (const std::int64_t size : sizes)
    if (size > all)
      throw bad_usage{
          fmt::format("--gpus {} are more than the pool has (--pool-gpus {})", size, all)};
  const named_policy order = policy_of(policy, trace.empty());
  if (trace.empty()) return random_pool_of(mix_asked(*this, all), order, sizes);
  return traced_pool_of(read_trace_file({.path = trace,
                                         .columns = columns,
                                         .filter = filter,
                                         .bad_rows = bad_rows,
                                         .columns_option = "--pool-columns",
                                         .filter_option = "--pool-where",
                                         .bad_rows_option = "--pool-bad-rows"}),
                        order, all);
}

void pool_options::erase_from(command_words& words) {
  for (const char* name : pool_option_names) words.erase(name);
}

}  // namespace gpuplan::cli
