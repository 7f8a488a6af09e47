#pragma once
/// \file
/// How long jobs wait, in pictures.

#include <string>
#include <vector>

#include <gpuplan/report/html.hpp>

#include "queue/queue.hpp"

namespace gpuplan::cli {

/// The wait against the load, and that of the policies: of `others`, answers for pools of other
/// sizes, and of the answer's own where there are none.
html_page page_of(const std::string& title, const queue_answer& answer,
                  const std::vector<queue_answer>& others);

}  // namespace gpuplan::cli
