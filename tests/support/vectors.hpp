#pragma once
/// \file
/// The vectors: tables of values that tests hold the library against, one JSON file each.

#include <filesystem>
#include <string_view>

#include <nlohmann/json.hpp>

#include "support/data.hpp"

namespace gpuplan::testing {

/// What a JSON file holds.
/// \throws std::runtime_error naming the path if it cannot be read or is not JSON
nlohmann::json load_json(const std::filesystem::path& path);

/// The vectors called `name`: <name>.json in GPUPLAN_VECTORS, else in tests/data/vectors.
/// \throws std::runtime_error naming the path if it cannot be read or is not JSON
nlohmann::json load_vectors(std::string_view name);

}  // namespace gpuplan::testing
