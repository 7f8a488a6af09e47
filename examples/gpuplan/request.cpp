/// \file
/// What was measured of the cluster of a question.

#include "request.hpp"

#include <gpuplan/calibrate/link_limits.hpp>
#include <gpuplan/calibrate/profile_reader.hpp>

#include "inputs.hpp"

namespace gpuplan::cli {

measured_cluster read_measured(const std::string& path) {
  measured_cluster measured{path, read_profile(read_file(path, "profile"), path)};
  require_possible_links(measured.profile, path);
  return measured;
}

}  // namespace gpuplan::cli
