/// \file
/// Of what kind a file of measurements is.

#include "calibrate/file.hpp"

#include <algorithm>
#include <array>

#include <gpuplan/calibrate/probe_report.hpp>
#include <gpuplan/text/json_text.hpp>

#include "program.hpp"

namespace gpuplan::cli {
namespace {

constexpr std::size_t longest_json = std::size_t{1} << 30;  // snapshots of memory with traces

constexpr std::array<std::string_view, 6> told_by{
    "schema", "nvbandwidth", "results", "segments", "allocated_bytes", "allocated_bytes.all.peak"};

measured_file read_json_file(const std::string& name, std::string_view text,
                             const sweep_hint& hint) {
  const nlohmann::json whole = parse_json(
      text, name, {.longest = longest_json, .keeps = [](std::string_view field) {
                     return std::find(told_by.begin(), told_by.end(), field) != told_by.end();
                   }});
  if (whole.is_array()) return take_memory(name, text);
  if (const auto schema = whole.find("schema"); schema != whole.end() && schema->is_string())
    return schema->get_ref<const std::string&>().starts_with("gpuplan-profile")
               ? take_profile(name, text)
               : take_probe(name, text);
  if (whole.contains("nvbandwidth")) return take_nvbandwidth(name, text);
  if (whole.contains("segments") || whole.contains("allocated_bytes") ||
      whole.contains("allocated_bytes.all.peak"))
    return take_memory(name, text);
  if (whole.contains("results")) return take_nccl_tests_json(name, text, hint);
  throw bad_usage{name +
                  ": is JSON of an unknown kind: not of gpuplan-probe, nccl-tests -J, "
                  "nvbandwidth -j or PyTorch's memory, and not a profile"};
}

/// Whether a table of nvidia-smi begins here: a line of names, some with their units.
bool is_nvidia_smi(std::string_view text) {
  const std::string_view head = text.substr(0, text.find('\n'));
  if (head.find(',') == head.npos) return false;
  constexpr std::array<std::string_view, 6> columns{"memory.",      "power.",     "clocks.",
                                                    "utilization.", "pcie.link.", "driver_version"};
  return std::any_of(columns.begin(), columns.end(),
                     [&](std::string_view column) { return head.find(column) != head.npos; });
}

}  // namespace

measured_file read_measured_file(const std::string& name, std::string_view text,
                                 const sweep_hint& hint) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (begin == text.npos) throw bad_usage{name + ": is empty"};
  if (text[begin] == '{' || text[begin] == '[') return read_json_file(name, text, hint);
  if (text.find("PyTorch CUDA memory summary") != text.npos) return take_memory(name, text);
  if (text.find("elapsed time per iteration (ms)") != text.npos) return take_training(name, text);
  if (is_nvidia_smi(text.substr(begin))) return take_nvidia_smi(name, text);
  return take_nccl_tests(name, text, hint);
}

}  // namespace gpuplan::cli
