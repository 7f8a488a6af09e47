#pragma once
/// \file
/// Choices that change no answer.

#include "request.hpp"

namespace gpuplan::cli {

/// How a choice is called where it was made.
enum class choice_name { field, option };

/// Whether other kinds of recomputation are tried, too.
enum class recompute_choice { fixed, searched };

/// Refuses a choice other than the usual one that has no effect on what is asked for: of experts
/// where the model has none, say.
/// \throws invalid_input
void require_effects(const job& asked, recompute_choice tried, choice_name made);

}  // namespace gpuplan::cli
