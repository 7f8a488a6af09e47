#pragma once
/// \file
/// What gpuplan place says: as JSON and as tables.

#include <string>
#include <vector>

#include <gpuplan/report/json.hpp>
#include <gpuplan/report/table.hpp>

#include "place/pool.hpp"

namespace gpuplan::cli {

report_json json_of(const place_outcome& out, const place_question& asked);

/// The names of the nodes by their numbers, null of one without; null where the table names none.
report_json names_of_nodes(const place_question& asked);

/// The policies side by side, and the pool under the first of them.
std::string text_of(const std::vector<place_outcome>& all, const place_question& asked,
                    text_style style);

}  // namespace gpuplan::cli
