#pragma once
/// \file
/// The best layouts as a table: a row for each kind of plan.

#include <cstddef>
#include <string>

#include <gpuplan/report/table.hpp>

#include "plan/offers.hpp"

namespace gpuplan::cli {

/// What is equal in all rows as a line, the rows in so many columns, and what the heads mean.
std::string layout_table(const offer& shown, std::size_t width, text_style style);

}  // namespace gpuplan::cli
