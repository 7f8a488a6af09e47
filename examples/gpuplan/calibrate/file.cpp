/// \file
/// Of what kind a file of measurements is.

#include "calibrate/file.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include <gpuplan/calibrate/formats/training_log.hpp>
#include <gpuplan/calibrate/probe_report.hpp>
#include <gpuplan/text/json_text.hpp>

#include "calibrate/told_run.hpp"
#include "program.hpp"

namespace gpuplan::cli {
namespace {

constexpr std::size_t longest_json = std::size_t{1} << 30;  // snapshots of memory with traces

constexpr std::array<std::string_view, 6> told_by{
    "schema", "nvbandwidth", "results", "segments", "allocated_bytes", "allocated_bytes.all.peak"};

measured_file read_json_file(const std::string& name, std::string_view text,
                             const sweep_hint& hint) {
  constexpr std::size_t head = std::size_t{1} << 16;
  if (text.substr(0, head).find("\"log_history\"") != text.npos)
    return take_trainer_state(name, text, hint);
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
                  "nvbandwidth -j, PyTorch's memory or the Trainer's state, and not a profile"};
}

/// Whether lines of a log of training are among the first.
bool is_training_log(std::string_view text) {
  constexpr std::size_t looked_at = std::size_t{1} << 26;
  return read_training_log(text.substr(0, looked_at)).pattern != nullptr;
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

/// The header of a table: the first line that is neither a comment nor empty.
std::string_view head_of(std::string_view text) {
  const auto is_passed = [](std::string_view line) {
    return line.starts_with('#') || line.starts_with("\r\n") || line.starts_with('\n');
  };
  while (is_passed(text) && text.find('\n') != text.npos) text.remove_prefix(text.find('\n') + 1);
  return text.substr(0, text.find_first_of("\r\n"));
}

/// Whether a table of runs begins here: a line of names, among them what was measured; perhaps only
/// that, where options say the rest.
bool is_run_table(std::string_view text) {
  return run_header_of(head_of(text), ',').measured > 0;
}

/// \throws bad_usage of what is a table of runs but for its separator, or for what was measured
void refuse_half_table(const std::string& name, std::string_view text) {
  const std::string_view head = head_of(text);
  for (const char separator : {';', '\t'}) {
    const run_header found = run_header_of(head, separator);
    if (found.of_jobs + found.measured >= 2)
      throw bad_usage{name + ": its columns are separated by " +
                      (separator == ';' ? "semicolons" : "tabs") +
                      "; a table of runs has commas between them"};
  }
  if (run_header_of(head, ',').of_jobs == 0 || head.find(',') == head.npos) return;
  std::string names;
  for (const speed_column& column : speed_columns) names += std::string(column.name) + ", ";
  for (const peak_column& column : peak_columns) names += std::string(column.name) + ", ";
  throw bad_usage{name + ": has no column of what was measured; one of " + names + "is needed"};
}

/// Whether brackets begin what is no JSON: "[rank0]: step: 1 ...", "{'train_runtime': ...".
bool is_bracketed_line(std::string_view text) {
  if (text.size() < 2) return false;
  const char next = text[1];
  const bool letter =
      (next >= '0' && next <= '9') || (next >= 'A' && next <= 'Z') || (next >= 'a' && next <= 'z');
  return text[0] == '[' ? letter : next == '\'';
}

}  // namespace

measured_file read_measured_file(const std::string& name, std::string_view text,
                                 const sweep_hint& hint) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (begin == text.npos) throw bad_usage{name + ": is empty"};
  const bool bracket = text[begin] == '{' || text[begin] == '[';
  const bool log =
      is_training_log(text) || text.find("elapsed time per iteration (ms)") != text.npos;
  if (bracket && !(is_bracketed_line(text.substr(begin)) && log))
    return read_json_file(name, text, hint);
  if (text.find("PyTorch CUDA memory summary") != text.npos) return take_memory(name, text);
  if (text.find("elapsed time per iteration (ms)") != text.npos)
    return take_training(name, text, hint);
  if (is_nvidia_smi(text.substr(begin))) return take_nvidia_smi(name, text);
  if (is_run_table(text.substr(begin))) return take_run_table(name, text, hint);
  if (is_training_log(text)) return take_training_log(name, text, hint);
  refuse_half_table(name, text.substr(begin));
  if (const log_pattern* const of = named_pattern(text))
    throw bad_usage{fmt::format("{}: has lines of {}, but no '{}' that is a number > 0", name,
                                of->software, of->name)};
  return take_nccl_tests(name, text, hint);
}

}  // namespace gpuplan::cli
