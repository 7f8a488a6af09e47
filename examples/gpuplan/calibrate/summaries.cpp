/// \file
/// Files that gpuplan calibrate sums up: memory, nvidia-smi; and profiles.

#include <fmt/format.h>

#include <gpuplan/calibrate/formats/memory_snapshot.hpp>
#include <gpuplan/calibrate/formats/nvidia_smi_csv.hpp>
#include <gpuplan/calibrate/profile_reader.hpp>
#include <gpuplan/units/format.hpp>

#include "calibrate/file.hpp"
#include "calibrate/words.hpp"
#include "program.hpp"
#include "summary.hpp"
#include "table_file.hpp"

namespace gpuplan::cli {
namespace {

std::int64_t rows_of(const nvidia_smi_report& report) {
  std::int64_t rows = 0;
  for (const nvidia_smi_gpu& gpu : report.gpus) rows += gpu.rows;
  return rows;
}

report_json size_or_null(bytes size) {
  return size > bytes{0} ? json_number(size) : report_json(nullptr);
}

}  // namespace

measured_file take_memory(const std::string& name, std::string_view text) {
  const memory_snapshot memory = read_memory_snapshot(text, name);
  measured_file taken{.kind = "pytorch-memory", .said = {}, .json = {}, .profile = {}};
  const allocator_level& held = memory.reserved;
  const bytes reserved = held.peak > bytes{0} ? held.peak : held.current;
  const bytes allocated =
      memory.allocated.peak > bytes{0} ? memory.allocated.peak : memory.allocated.current;
  taken.said = fmt::format(
      "{}: {} in tensors, {} reserved by PyTorch; not used in the "
      "profile\n",
      name, sized(allocated), sized(reserved));
  taken.json = {{"file", name},
                {"kind", taken.kind},
                {"device", memory.device},
                {"allocated_bytes", json_number(memory.allocated.current)},
                {"max_allocated_bytes", size_or_null(memory.allocated.peak)},
                {"reserved_bytes", json_number(memory.reserved.current)},
                {"max_reserved_bytes", size_or_null(memory.reserved.peak)},
                {"retries", memory.retries},
                {"out_of_memory", memory.out_of_memory}};
  return taken;
}

measured_file take_nvidia_smi(const std::string& name, std::string_view text) {
  const nvidia_smi_report report = read_nvidia_smi(text);
  if (report.gpus.empty()) throw bad_usage{name + ": has no row of nvidia-smi that can be read"};
  say_faults(name, report.faults, report.faulty);
  measured_file taken{.kind = "nvidia-smi", .said = {}, .json = {}, .profile = {}};
  const auto seen = static_cast<std::int64_t>(report.gpus.size());
  taken.said = fmt::format("{}: {} nvidia-smi; the profile takes nothing from it\n", name,
                           report.told_apart ? counted(seen, "GPU") + " seen by"
                                             : counted(rows_of(report), "row") +
                                                   ", of GPUs that nothing tells apart, of");
  taken.json = {{"file", name},
                {"kind", taken.kind},
                {"driver", report.driver},
                {"faulty_lines", report.faulty},
                {"gpu_count", report.told_apart ? report_json(seen) : report_json(nullptr)},
                {"gpus", report_json::array()}};
  for (const nvidia_smi_gpu& gpu : report.gpus) {
    const bool has_power = gpu.power.samples > 0;
    taken.json["gpus"].push_back(
        {{"name", gpu.name},
         {"samples", gpu.rows},
         {"memory_bytes", size_or_null(gpu.memory_total)},
         {"max_memory_used_bytes", size_or_null(gpu.memory_used.most)},
         {"mean_power_w", has_power ? json_number(gpu.power.mean) : report_json(nullptr)},
         {"max_power_w", has_power ? json_number(gpu.power.most) : report_json(nullptr)}});
    if (has_power)
      taken.said += fmt::format("  {}: {:.0f} W on average, {:.0f} W at most\n", gpu.name,
                                gpu.power.mean / units::watt, gpu.power.most / units::watt);
  }
  return taken;
}

measured_file take_profile(const std::string& name, std::string_view text) {
  measured_file taken{
      .kind = "profile", .said = {}, .json = {}, .profile = read_profile(text, name)};
  const auto sources = static_cast<std::int64_t>(taken.profile.sources.size());
  taken.said = fmt::format("{}: a profile of {}\n", name, counted(sources, "measurement"));
  taken.json = {{"file", name}, {"kind", taken.kind}, {"sources", sources}};
  return taken;
}

}  // namespace gpuplan::cli
