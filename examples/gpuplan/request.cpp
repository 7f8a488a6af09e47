/// \file
/// What was measured of the cluster of a question.

#include "request.hpp"

#include <gpuplan/calibrate/profile_reader.hpp>

#include "inputs.hpp"

namespace gpuplan::cli {

measured_cluster read_measured(const std::string& path) {
  return {path, read_profile(read_file(path, "profile"), path)};
}

}  // namespace gpuplan::cli
