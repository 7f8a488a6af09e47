#pragma once
/// \file
/// The use of the nodes and the aims of the policies, in pictures.

#include <optional>
#include <vector>

#include <gpuplan/report/html.hpp>

#include "place/aims.hpp"
#include "place/pool.hpp"

namespace gpuplan::cli {

html_page page_of(const std::vector<place_outcome>& all, const std::optional<aims_answer>& judged,
                  const place_question& asked);

}  // namespace gpuplan::cli
