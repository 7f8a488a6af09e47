#pragma once
/// \file
/// The files that tests read: tests/data, and the folder of vectors, which may be another one.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace gpuplan::testing {

/// tests/data of the source tree.
std::filesystem::path data_folder();

/// Where the vectors are: the environment's GPUPLAN_VECTORS, else tests/data/vectors.
std::filesystem::path vectors_folder();

/// The whole text of a file.
/// \throws std::runtime_error naming the path if it cannot be read
std::string read_text(const std::filesystem::path& path);

/// The files of a folder with this extension (".json"), sorted by name.
/// \throws std::runtime_error naming the folder if it holds none
std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder,
                                            std::string_view extension);

}  // namespace gpuplan::testing
