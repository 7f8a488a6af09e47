#include "support/vectors.hpp"

#include <stdexcept>
#include <string>

namespace gpuplan::testing {

nlohmann::json load_json(const std::filesystem::path& path) {
  const std::string text = read_text(path);
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    throw std::runtime_error{path.string() + ": " + error.what()};
  }
}

nlohmann::json load_vectors(std::string_view name) {
  return load_json(vectors_folder() / (std::string(name) + ".json"));
}

nlohmann::json load_own_vectors(std::string_view name) {
  return load_json(data_folder() / "vectors" / (std::string(name) + ".json"));
}

bool are_own_vectors() {
  return vectors_folder() == data_folder() / "vectors";
}

}  // namespace gpuplan::testing
