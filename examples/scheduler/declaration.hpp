#pragma once
/// \file
/// Declarations as text.

#include <cstdint>
#include <string_view>

#include "gpuplan_admission.h"
#include "words.hpp"

namespace gpuplan::scheduler {

/// The number of a choice of a recipe or a layout, or -1.
int32_t choice_of(std::string_view key, std::string_view name);

/// Declares one thing; false, and why, where the key or the value is none.  The job may be changed
/// then.
bool declare_text(gpuplan_job& job, std::string_view key, const char* text, words& why);

}  // namespace gpuplan::scheduler
