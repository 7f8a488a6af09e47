#pragma once
/// \file
/// Which of the source documents' worked numbers (seed_cases.json) which test checks.

#include <nlohmann/json.hpp>

namespace gpuplan::testing {

/// Does seed_memory_test.cpp check this row?
bool is_checked_with_memory(const nlohmann::json& row);

}  // namespace gpuplan::testing
