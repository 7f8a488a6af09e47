#pragma once
/// \file
/// What plan answers, in pictures.

#include <optional>

#include <gpuplan/report/html.hpp>

#include "plan/answer.hpp"

namespace gpuplan::cli {

/// Memory by stage, time by term, layouts that do and do not fit, time against cost, the roofline.
/// Searches once more for each cell of the map of layouts.
html_page page_of(const offers& found, const std::optional<front>& even_better);

}  // namespace gpuplan::cli
