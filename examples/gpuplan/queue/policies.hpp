#pragma once
/// \file
/// The policies of `gpuplan queue` that are simulated, and the options that some of them take.

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gpuplan/simulate/pool_policy.hpp>

#include "queue/trace.hpp"

namespace CLI {
class App;
}

namespace gpuplan::cli {

/// Above it Optimus' choice is not simulated, nor Sia's above that of simulate_sharing().
inline constexpr std::int64_t most_gpus_of_optimus = 20'000;
inline constexpr std::int64_t most_gpus_of_sia = 4096;

/// \throws bad_usage if it is a policy that looks at priorities, which a trace alone has
void refuse_priorities(std::string_view name);

/// The first that looks at priorities; empty where none does.
std::string_view policy_of_priorities(std::span<const trace_policy> policies);

/// As typed; empty where not given.
struct policy_options {
  std::string names;
  std::string parallel_part, speed_up, round, restart;  ///< of elastic jobs
  std::string turn, switch_time;                        ///< of time slicing
  std::string idle;                                     ///< of opportunistic jobs

  void add(CLI::App& command);

  /// What is only of some policies, by its option.
  [[nodiscard]] std::array<std::pair<const char*, const std::string*>, 7> parameters() const;
  /// \throws bad_usage if one is given
  void refuse_parameters(const char* why) const;

  /// \throws bad_usage if one is unknown, or an option has no effect on those named
  [[nodiscard]] std::vector<trace_policy> of_trace(std::int64_t gpus) const;
  /// Of elastic jobs with 1, 2, ... GPUs, between those measured in proportion; empty where not
  /// given.
  /// \throws bad_usage if it cannot be read
  [[nodiscard]] std::vector<double> measured_speed_ups() const;
  /// \throws bad_usage if one is unknown, or is for traces only
  [[nodiscard]] std::vector<const named_policy*> of_mix() const;
};

}  // namespace gpuplan::cli
