#pragma once
/// \file
/// Wait, run and cost of each size of a job in a pool: which is done first, which is cheapest.

#include <string>

#include <gpuplan/report/figure.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/report/table.hpp>

#include "plan/offers.hpp"

namespace gpuplan::cli {

/// null where the job waits for no pool.
report_json json_of_completion(const offers& found);

/// A row for each size, and what to take.
std::string completion_in_words(const offers& found, text_style style);

/// Wait and run of each size, one on the other.
figure completion_figure(const offers& found);

}  // namespace gpuplan::cli
