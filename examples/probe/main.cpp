/// \file
/// gpuplan-probe: measures the GPUs of a machine.  Each section runs in a process of its own, so that
/// one that fails or hangs does not stop the others.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include <cuda_runtime_api.h>

#include <gpuplan/calibrate/probe_report_reader.hpp>
#include <gpuplan/calibrate/probe_report_writer.hpp>

#include "options.hpp"
#include "part.hpp"
#include "process.hpp"
#include "report.hpp"

namespace gpuplan::probe {
namespace {

enum exit_code { exit_complete = 0, exit_no_device = 1, exit_partial = 2 };

/// After each report of a part, and after the last; JSON contains neither.
constexpr char end_of_report = '\x1e';
constexpr char end_of_part = '\x04';

void say(const std::string& line) {
  std::fprintf(stderr, "gpuplan-probe: %s\n", line.c_str());
}

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text, size};
}

/// Measures a part in this process and prints its report, again and again as it grows.
int run_part(const part_request& request) {
  // NCCL and cuBLASLt log to standard output: keep that out of the report.
  std::FILE* answer = fdopen(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), "w");
  if (answer == nullptr ||
      (dup2(STDERR_FILENO, STDOUT_FILENO) < 0 && std::freopen("/dev/null", "w", stdout) == nullptr))
    throw std::runtime_error{"standard output is closed"};
  const auto tell = [answer](const probe_report& report) {
    std::fputs(probe_report_json(report).c_str(), answer);
    std::fputc(end_of_report, answer);
    std::fflush(answer);
  };
  tell(measured_part(request, tell));
  std::fputc(end_of_part, answer);
  std::fclose(answer);
  return exit_complete;
}

/// The last whole report of a part's output.
probe_report last_report(const std::string& output) {
  const std::size_t end = output.rfind(end_of_report);
  if (end == output.npos) throw std::runtime_error{"it reported nothing"};
  const std::size_t before = end == 0 ? output.npos : output.rfind(end_of_report, end - 1);
  const std::size_t begin = before == output.npos ? 0 : before + 1;
  return read_probe_report(std::string_view{output}.substr(begin, end - begin), "part");
}

bool write_report(const probe_report& report, const std::string& output) {
  const std::string text = probe_report_json(report);
  std::FILE* file = output.empty() ? stdout : std::fopen(output.c_str(), "w");
  if (file == nullptr) return false;
  const bool written = std::fputs(text.c_str(), file) >= 0 && std::fflush(file) == 0;
  return (output.empty() || std::fclose(file) == 0) && written;
}

/// A whole probe: which parts it measures, and the report they make.
class probe {
 public:
  probe(const probe_options& options, std::vector<int> devices, std::vector<std::string> warnings)
      : options_{options},
        devices_{std::move(devices)},
        whole_{.tool_version = GPUPLAN_VERSION,
               .time_utc = now_utc(),
               .warnings = std::move(warnings)} {}

  probe_report run() {
    for (const int device : devices_) measure({.what = section::identity, .device = device});
    leave_unusable();
    for (const int device : devices_)
      for (const section_facts& facts : section_table)
        if (facts.what != section::identity && facts.what != section::collectives &&
            options_.wants(facts.what))
          measure({.what = facts.what, .device = device});
    if (options_.wants(section::collectives)) measure_collectives();
    if (!whole_.problems.empty()) whole_.status = probe_status::partial;
    return whole_;
  }

 private:
  /// Devices that other programs use, and those that do not answer.
  void leave_unusable() {
    devices_.clear();
    for (const probe_device& device : whole_.devices) {
      if (device.name.empty()) continue;
      if (!device.busy.value_or(false) || options_.busy_too)
        devices_.push_back(device.index);
      else
        miss({.what = section::identity, .device = device.index},
             "busy, so not measured; --busy measures it");
    }
  }

  void measure_collectives() {
    const int all = static_cast<int>(devices_.size());
    if (all == 1) {
      whole_.warnings.emplace_back("one device: no collectives");
    } else if (all > 1 && devices_.back() != all - 1) {
      miss({.what = section::collectives}, "left out: they need devices 0, 1, ... without a gap");
    } else {
      for (const int ranks : team_sizes(all))
        measure({.what = section::collectives, .device = 0, .ranks = ranks});
    }
  }

  static std::string name_of(const part_request& part) {
    return (part.what == section::collectives ? std::to_string(part.ranks) + " devices"
                                              : "device " + std::to_string(part.device)) +
           ": " + std::string{facts_of(part.what).name};
  }

  void miss(const part_request& part, const std::string& reason) {
    whole_.problems.push_back({.section = std::string{facts_of(part.what).name},
                               .device = part.device,
                               .reason = reason});
    say(name_of(part) + ": " + reason);
  }

  /// Measures a part in a process of its own and adds what it reports.
  void measure(part_request part) {
    part.busy_too = options_.busy_too;
    part.time = options_.time_scale() * facts_of(part.what).time;
    // The part before has heated the device.
    if (part.what != section::identity) std::this_thread::sleep_for(std::chrono::milliseconds{500});
    const auto begin = std::chrono::steady_clock::now();
    const process_end end = run_process({"/proc/self/exe", "--part", word_of(part)},
                                        1.5 * part.time + 20 * units::second);
    std::string problem = end.problem;
    try {
      const probe_report found = last_report(end.output);
      add_part(whole_, found);
      for (const probe_problem& one : found.problems) say(name_of(part) + ": " + one.reason);
    } catch (const std::exception& failure) {
      if (problem.empty()) problem = failure.what();
    }
    if (!problem.empty() && end.output.ends_with(end_of_part))
      whole_.warnings.push_back(name_of(part) + ": complete, but its process " + problem);
    else if (!problem.empty())
      miss(part, problem);
    save();
    char took[32];
    std::snprintf(took, sizeof took, "%.1f s", since(begin).in_base_units());
    say(name_of(part) + ": " + took);
  }

  /// Writes what there is so far, for users who stop the probe.
  void save() const {
    std::error_code none;
    if (options_.output.empty() || (std::filesystem::exists(options_.output, none) &&
                                    !std::filesystem::is_regular_file(options_.output, none)))
      return;
    probe_report so_far = whole_;
    so_far.problems.push_back({.section = "all", .reason = "stopped before all was measured"});
    so_far.status = probe_status::partial;
    (void)write_report(so_far, options_.output);
  }

  const probe_options& options_;
  std::vector<int> devices_;
  probe_report whole_;
};

/// The devices that are asked for.
/// \throws bad_usage if one does not exist
std::vector<int> chosen(std::vector<int> devices, int count) {
  if (devices.empty())
    for (int device = 0; device < count; ++device) devices.push_back(device);
  std::sort(devices.begin(), devices.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  if (devices.back() >= count)
    throw bad_usage{"--device " + std::to_string(devices.back()) + ": there " +
                    (count == 1 ? "is 1" : "are " + std::to_string(count))};
  return devices;
}

int run(const std::vector<const char*>& words) {
  const probe_options options = read_options(words);
  if (options.help) return std::fputs(help_text().c_str(), stdout) < 0;
  if (options.version) return std::puts("gpuplan-probe " GPUPLAN_VERSION) < 0;
  const std::vector<std::string> removed = remove_hindrances();
  if (options.part) return run_part(*options.part);

  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0) {
    say("no CUDA device" +
        (error != cudaSuccess ? std::string{": "} + cudaGetErrorString(error) : std::string{}));
    return exit_no_device;
  }
  // Kept open, so that the driver does not put the devices to sleep between two parts.
  const management_library library;
  const probe_report report = probe{options, chosen(options.devices, count), removed}.run();
  for (const std::string& warning : report.warnings) say(warning);
  if (!write_report(report, options.output)) {
    say("cannot write " + (options.output.empty() ? "the report" : options.output));
    return exit_partial;
  }
  if (std::none_of(report.devices.begin(), report.devices.end(),
                   [](const probe_device& device) { return !device.name.empty(); })) {
    say("no usable GPU: none of them answers");
    return exit_no_device;
  }
  return report.status == probe_status::ok ? exit_complete : exit_partial;
}

}  // namespace
}  // namespace gpuplan::probe

int main(int argc, char** argv) {
  try {
    return gpuplan::probe::run({argv + 1, argv + argc});
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "gpuplan-probe: %s\n", failure.what());
    return 2;
  }
}
