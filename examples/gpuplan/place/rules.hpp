#pragma once
/// \file
/// Which rules of placement a policy breaks.

#include "place/pool.hpp"

namespace gpuplan::cli {

/// Positions of the nodes that hold the data of each list of the table of jobs.
/// \throws bad_usage if a name is that of no node, or of several
std::vector<std::vector<std::size_t>> nodes_of_data(const place_question& asked);

/// Checks the five rules.
void check_rules(const place_question& asked, place_outcome& out);

}  // namespace gpuplan::cli
