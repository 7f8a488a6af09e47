#pragma once
/// \file
/// Policies of a simulated pool whose jobs grow, shrink or share GPUs: Optimus, Sia, AntMan.

#include <array>
#include <span>
#include <string_view>

#include <gpuplan/require.hpp>
#include <gpuplan/text/lookup.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Who gets which GPUs.
enum class sharing_rule {
  marginal_gain,  ///< elastic: the next GPU goes to the job whose time left falls most (Optimus)
  goodput,        ///< elastic: the configurations of least cost in all (Sia)
  opportunistic   ///< those that would wait run in what the others leave of their GPUs (AntMan)
};

/// A policy under which a job need not hold just the GPUs of the trace.
///
/// An elastic job runs on any number of GPUs, or under goodput a power of two.  Its speed on n
/// GPUs, over that on the g of the trace, follows Amdahl's law.
///
///     speed = S(n) / S(g),   S(n) = 1 / ((1 - p) + p / n)
///
///     p  parallel_part   1, 0 to 1
///
/// or S(n) is what was measured: speed_ups, and the last of them beyond.
///
/// An opportunistic job runs at full speed on free GPUs, and beside others with the speed of
/// opportunistic_step_time for the idle share i: i / (1 - i), 1 at most, as all jobs are taken to
/// be busy for 1 - i of the time, and to fit into the memory that is left.
struct sharing_policy {
  sharing_rule rule = sharing_rule::marginal_gain;

  double parallel_part = 1;  ///< p, of all elastic jobs; 0 to 1
  /// Instead of it: S with 1, 2, ... GPUs; > 0.
  std::span<const double> speed_ups{};
  /// Of elastic jobs: GPUs are dealt when jobs have come or ended, but not sooner than this after
  /// the time before; >= 0.
  seconds interval{};
  /// Of elastic jobs: that a job loses when the number of its GPUs changes; >= 0.
  seconds restart_time{};

  double idle = 0;  ///< i, share of the time that a job leaves its GPUs idle; >= 0 and < 1
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const sharing_policy& policy) {
  require(policy.parallel_part >= 0 && policy.parallel_part <= 1,
          "sharing_policy.parallel_part must be 0 to 1");
  for (const double speed_up : policy.speed_ups)
    require(speed_up > 0 && speed_up < 1e300, "sharing_policy.speed_ups must be > 0 and finite");
  require(policy.interval >= seconds{0} && policy.interval < seconds{1e300},
          "sharing_policy.interval must be >= 0 s and finite");
  require(policy.restart_time >= seconds{0} && policy.restart_time < seconds{1e300},
          "sharing_policy.restart_time must be >= 0 s and finite");
  require(policy.idle >= 0 && policy.idle < 1, "sharing_policy.idle must be >= 0 and < 1");
}

/// A policy that has a name.  parallel_part and idle are of the jobs, not of the policy.
struct named_sharing_policy {
  std::string_view name;
  std::string_view meaning;
  sharing_policy policy;
};

/// Intervals as the authors have them: Y. Peng et al., "Optimus: An Efficient Dynamic Resource
/// Scheduler for Deep Learning Clusters", EuroSys (2018), section 5; S. Jayaram Subramanya et al.,
/// "Sia: Heterogeneity-aware, goodput-optimized ML-cluster scheduling", SOSP (2023), whose program
/// also takes 30 s for a restart.
inline constexpr std::array sharing_policies{
    named_sharing_policy{"optimus",
                         "elastic jobs, marginal gain of Optimus",
                         {.rule = sharing_rule::marginal_gain,
                          .interval = seconds{600},
                          .restart_time = seconds{30}}},
    named_sharing_policy{
        "sia",
        "elastic jobs, configurations of Sia",
        {.rule = sharing_rule::goodput, .interval = seconds{60}, .restart_time = seconds{30}}},
    named_sharing_policy{
        "antman", "opportunistic jobs of AntMan", {.rule = sharing_rule::opportunistic}}};

/// The policy of that name, whatever its case and separators; nullptr if there is none.
constexpr const named_sharing_policy* find_sharing_policy(std::string_view name) {
  for (const named_sharing_policy& each : sharing_policies)
    if (same_name(each.name, name)) return &each;
  return nullptr;
}

}  // namespace gpuplan
