#pragma once
/// \file
/// Policies of a simulated pool: the order of waiting jobs, and which may start earlier.

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include <gpuplan/require.hpp>
#include <gpuplan/text/lookup.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Who is first.  Equals keep the order of arrival.
enum class job_order {
  arrival,
  priority,                 ///< the larger trace_job.priority
  shortest_job,             ///< of all that it takes
  shortest_remaining_time,  ///< preemptive
  least_attained_service,   ///< of GPUs x time, in levels; preemptive
  round_robin  ///< by turns: who ran in the last turn goes behind who waits; preemptive
};

/// What those behind a job that does not fit may do.
enum class backfilling {
  none,          ///< wait
  easy,          ///< start, where it does not delay the first that waits
  conservative,  ///< start, where it delays nobody before them; only in the order of arrival
  first_fit      ///< start, where they fit: the large may wait for ever
};

/// Whether a job that runs makes room for one that goes before it.  The pool is then given anew at
/// every event: all GPUs or none to each job in its order, and those that no longer fit are passed
/// over.  What a job has done is kept; to go on costs it switch_time.
enum class preemption { never, at_once };

/// A policy of a pool.
struct pool_policy {
  job_order order = job_order::arrival;
  backfilling backfill = backfilling::none;
  preemption preempt = preemption::never;

  /// Of least attained service, GPU s: where a job moves down a level; first come first served in
  /// each.  Without thresholds all levels are one quantum wide: least attained service itself where
  /// that is far less than 1 - rho of most jobs, which takes as many events.
  std::span<const seconds> thresholds{};
  /// Of round robin the length of a turn, s; > switch_time.
  seconds quantum{};  ///< GPU s; > 0, unless there are thresholds

  /// That a job loses each time that it goes on after a stop; >= 0.
  seconds switch_time{};

  /// Of least attained service: a job that was stopped, and has waited so many times as long as it
  /// ran, goes back to the first level; > 0.
  double starvation_knob = std::numeric_limits<double>::infinity();

  /// Of conservative backfill: jobs that hold a reservation, at most; those behind wait for one; >=
  /// 1.
  std::int64_t reservations = 10000;

  [[nodiscard]] constexpr bool preempts() const {
    return preempt == preemption::at_once || order == job_order::shortest_remaining_time ||
           order == job_order::least_attained_service || order == job_order::round_robin;
  }
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const pool_policy& policy) {
  require(!policy.preempts() || policy.backfill == backfilling::none,
          "pool_policy.backfill must be none where jobs are preempted: all that fit start");
  require(policy.backfill != backfilling::conservative || policy.order == job_order::arrival,
          "pool_policy.order must be arrival for conservative backfill");
  require(policy.reservations >= 1, "pool_policy.reservations must be >= 1");
  require(policy.starvation_knob > 0, "pool_policy.starvation_knob must be > 0");
  require(policy.switch_time >= seconds{0} && policy.switch_time < seconds{1e300},
          "pool_policy.switch_time must be >= 0 s and finite");
  require(policy.order != job_order::round_robin || policy.quantum > policy.switch_time,
          "pool_policy.quantum must be > switch_time where jobs take turns");
  if (policy.order != job_order::least_attained_service) return;
  require(!policy.thresholds.empty() || policy.quantum > seconds{0},
          "pool_policy.quantum must be > 0 s, or thresholds be given");
  seconds before{0};
  for (const seconds threshold : policy.thresholds) {
    require(threshold > before, "pool_policy.thresholds must be > 0 s and ascending");
    before = threshold;
  }
}

/// Levels of the simulator of Tiresias, GPU s (SymbioticLab/Tiresias, simulator, 2019).
inline constexpr std::array tiresias_thresholds{seconds{3250}, seconds{7200}, seconds{18000}};

/// Turn of Gandiva, and the most that suspending a job and resuming another takes (W. Xiao et al.,
/// "Gandiva: Introspective Cluster Scheduling for Deep Learning", OSDI, 2018, sections 3.1 and 5).
inline constexpr seconds gandiva_turn{60};
inline constexpr seconds gandiva_switch{1};

/// A policy that has a name.
struct named_policy {
  std::string_view name;
  std::string_view meaning;
  pool_policy policy;
};

inline constexpr std::array pool_policies{
    named_policy{"fcfs", "first come first served", {}},
    named_policy{"easy", "EASY backfill", {.backfill = backfilling::easy}},
    named_policy{"conservative", "conservative backfill", {.backfill = backfilling::conservative}},
    named_policy{"first-fit", "first that fits", {.backfill = backfilling::first_fit}},
    named_policy{"priority", "priority", {.order = job_order::priority}},
    named_policy{"priority-easy",
                 "priority, EASY backfill",
                 {.order = job_order::priority, .backfill = backfilling::easy}},
    named_policy{"priority-preemptive",
                 "preemptive priority",
                 {.order = job_order::priority, .preempt = preemption::at_once}},
    named_policy{"sjf", "shortest job first", {.order = job_order::shortest_job}},
    named_policy{"sjf-easy",
                 "shortest job first, EASY backfill",
                 {.order = job_order::shortest_job, .backfill = backfilling::easy}},
    named_policy{
        "srpt", "shortest remaining time first", {.order = job_order::shortest_remaining_time}},
    named_policy{"las",
                 "least attained service, by the GPU hour",
                 {.order = job_order::least_attained_service, .quantum = seconds{3600}}},
    named_policy{"tiresias",
                 "least attained service in the levels of Tiresias",
                 {.order = job_order::least_attained_service, .thresholds = tiresias_thresholds}},
    named_policy{
        "gandiva",
        "time slicing of Gandiva",
        {.order = job_order::round_robin, .quantum = gandiva_turn, .switch_time = gandiva_switch}}};

/// The policy of that name, whatever its case and separators; nullptr if there is none.
constexpr const named_policy* find_pool_policy(std::string_view name) {
  for (const named_policy& each : pool_policies)
    if (same_name(each.name, name)) return &each;
  return nullptr;
}

}  // namespace gpuplan
