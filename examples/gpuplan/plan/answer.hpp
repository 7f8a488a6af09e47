#pragma once
/// \file
/// What plan answers, as JSON and for people.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "plan/offers.hpp"
#include "summary.hpp"

namespace gpuplan::cli {

/// A Pareto front, and how it was made.
struct front {
  std::vector<plan> plans;  ///< the fastest first
  std::size_t of = 0;       ///< plans that were compared
};

std::string_view name_of(wish by);

/// "The deadline is kept with a probability of 63 %.", a line; nothing where nothing is limited.
std::string limits_in_words(const run_limits& limits, const offer& shown);

/// The best plans at other risks, a row each.
report_json json_of(const std::vector<risky_choice>& choices, const plan_question& asked);
report_json answer_of(const offers& found, const std::optional<front>& even_better);
void print_for_people(const offers& found, const std::optional<front>& even_better,
                      table_detail detail);

}  // namespace gpuplan::cli
