#pragma once
/// \file
/// Policies judged by the five aims of a schedule.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/report/json.hpp>
#include <gpuplan/report/table.hpp>

#include "place/pool.hpp"

namespace gpuplan::cli {

/// Weights of aims as they are typed: "wait=0.5,energy=0.5", divided by their sum.
/// \throws bad_usage
std::array<double, schedule_objectives::count> aim_weights(const std::string& typed);

/// The weights in one window, with the windows before it as history.
struct weights_at {
  seconds until{};
  std::array<double, schedule_objectives::count> weights{};
};

/// The aims of each policy, and what follows from the weights.
struct aims_answer {
  std::vector<schedule_objectives> aims{};                        ///< of each policy
  std::array<std::string, schedule_objectives::count> unknown{};  ///< why; empty: it is known
  std::array<double, schedule_objectives::count> weights{};       ///< that the scores are by
  std::vector<weights_at> over_time{};                            ///< of dynamic weights
  std::vector<std::optional<double>> score{};  ///< 0 .. 1, least is best; none of one policy
  std::vector<bool> on_front{};
  std::optional<std::size_t> best{};
};

/// Judges the policies.
/// \throws bad_usage if an aim that has a weight is unknown, or dynamic weights have no history
aims_answer judge(const std::vector<place_outcome>& all, const place_question& asked);

report_json json_of(const aims_answer& judged, std::size_t policy);
report_json json_of(const aims_answer& judged, const std::vector<place_outcome>& all,
                    const place_question& asked);
std::string text_of(const aims_answer& judged, const std::vector<place_outcome>& all,
                    const place_question& asked, text_style style);

}  // namespace gpuplan::cli
