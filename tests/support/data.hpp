#pragma once
/// \file
/// The files that tests read: tests/data, and the folder of vectors, which may be another one.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace gpuplan::testing {

/// tests/data of the source tree.
inline std::filesystem::path data_folder() {
  return GPUPLAN_TEST_DATA;
}

/// Where the vectors are: the environment's GPUPLAN_VECTORS, else tests/data/vectors.
inline std::filesystem::path vectors_folder() {
  const char* chosen = std::getenv("GPUPLAN_VECTORS");
  return chosen != nullptr && *chosen != '\0' ? std::filesystem::path{chosen}
                                              : data_folder() / "vectors";
}

/// The whole text of a file.
/// \throws std::runtime_error naming the path if it cannot be read
inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream file{path, std::ios::binary};
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  if (!file) throw std::runtime_error{"cannot read " + path.string()};
  return text;
}

/// The files of a folder with this extension (".json"), sorted by name.
/// \throws std::runtime_error naming the folder if it holds none
inline std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder,
                                                   std::string_view extension) {
  std::vector<std::filesystem::path> files;
  std::error_code unreadable;
  for (const auto& entry : std::filesystem::directory_iterator{folder, unreadable})
    if (entry.path().extension() == extension) files.push_back(entry.path());
  if (files.empty())
    throw std::runtime_error{"no *" + std::string(extension) + " in " + folder.string()};
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace gpuplan::testing
