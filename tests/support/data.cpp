#include "support/data.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

namespace gpuplan::testing {

std::filesystem::path data_folder() {
  return GPUPLAN_TEST_DATA;
}

std::filesystem::path vectors_folder() {
  const char* chosen = std::getenv("GPUPLAN_VECTORS");
  return chosen != nullptr && *chosen != '\0' ? std::filesystem::path{chosen}
                                              : data_folder() / "vectors";
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file{path, std::ios::binary};
  std::string text{std::istreambuf_iterator<char>{file}, {}};
  if (!file) throw std::runtime_error{"cannot read " + path.string()};
  return text;
}

std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder,
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
