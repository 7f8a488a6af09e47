#pragma once
/// \file
/// The vectors: tables of values that tests hold the library against, one JSON file each.

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "support/data.hpp"

namespace gpuplan::testing {

/// What a JSON file holds.
/// \throws std::runtime_error naming the path if it cannot be read or is not JSON
inline nlohmann::json load_json(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    throw std::runtime_error{path.string() + ": " + error.what()};
  }
}

/// The vectors called `name`: <name>.json in GPUPLAN_VECTORS, else in tests/data/vectors.
/// \throws std::runtime_error naming the path if it cannot be read or is not JSON
inline nlohmann::json load_vectors(std::string_view name) {
  return load_json(vectors_folder() / (std::string(name) + ".json"));
}

}  // namespace gpuplan::testing
