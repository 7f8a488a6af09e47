/// \file
/// gpuplan-probe: measures the GPUs of a machine, each section in a process of its own, so that one
/// that fails or hangs takes no other with it.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cuda_runtime_api.h>

#include <gpuplan/calibrate/probe_report.hpp>

#include "assembly.hpp"
#include "conclusion.hpp"
#include "environment.hpp"
#include "options.hpp"
#include "part.hpp"
#include "process.hpp"
#include "report_text.hpp"
#include "summary.hpp"
#include "time_budget.hpp"

namespace gpuplan::probe {
namespace {

enum exit_code { exit_complete = 0, exit_no_device = 1, exit_partial = 2 };

/// After each report of a part, and after the last; no text of JSON has them.
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

probe_host host_facts() {
  probe_host host;
  std::ifstream processors{"/proc/cpuinfo"};
  for (std::string line; std::getline(processors, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const std::size_t colon = line.find(": ");
    if (colon != line.npos) host.cpu = line.substr(colon + 2);
    break;
  }
  int nodes = 0;
  while (access(("/sys/devices/system/node/node" + std::to_string(nodes)).c_str(), F_OK) == 0)
    ++nodes;
  if (nodes > 0) host.numa_nodes = nodes;
  utsname system{};
  if (uname(&system) == 0) host.kernel = system.release;
  return host;
}

/// Measures a part in this process and prints what there is of it.
int run_part(const part_request& request) {
  // NCCL and cuBLASLt log to standard output: from here on that is where progress goes.
  std::FILE* answer = fdopen(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), "w");
  if (answer == nullptr ||
      (dup2(STDERR_FILENO, STDOUT_FILENO) < 0 && std::freopen("/dev/null", "w", stdout) == nullptr))
    throw std::runtime_error{"standard output is closed"};
  const auto tell = [answer](const probe_report& report) {
    std::fputs(text_of(report).c_str(), answer);
    std::fputc(end_of_report, answer);
    std::fflush(answer);
  };
  tell(measured_part(request, tell));
  std::fputc(end_of_part, answer);
  std::fclose(answer);
  return exit_complete;
}

/// The last whole report of a part's output.
probe_report report_in(const std::string& output) {
  const std::size_t end = output.rfind(end_of_report);
  if (end == output.npos) throw std::runtime_error{"it told nothing"};
  const std::size_t before = end == 0 ? output.npos : output.rfind(end_of_report, end - 1);
  const std::size_t begin = before == output.npos ? 0 : before + 1;
  return report_of(std::string_view{output}.substr(begin, end - begin));
}

bool write_report(const std::string& text, const std::string& output) {
  std::FILE* file = output.empty() ? stdout : std::fopen(output.c_str(), "w");
  if (file == nullptr) return false;
  const bool written = std::fputs(text.c_str(), file) >= 0 && std::fflush(file) == 0;
  return (output.empty() || std::fclose(file) == 0) && written;
}

/// The text of a report; without its fits, if one of them is no number that it can hold.
std::string text_of_all(probe_report report) {
  try {
    return text_of(report);
  } catch (const std::exception& failure) {
    report.problems.push_back({.section = "fit", .reason = failure.what()});
    report.status = probe_status::partial;
  }
  for (probe_device& device : report.devices) device.fit = {};
  for (probe_collective& sweep : report.collectives) sweep.fit.reset();
  return text_of(report);
}

class probe {
 public:
  probe(const probe_options& options, std::vector<int> devices, std::vector<std::string> warnings)
      : options_{options},
        devices_{std::move(devices)},
        budget_{time_of_probe(static_cast<int>(devices_.size()), options.time_scale())} {
    whole_.warnings = std::move(warnings);
    whole_.tool_version = GPUPLAN_VERSION;
    whole_.time_utc = now_utc();
    whole_.host = host_facts();
  }

  probe_report run() {
    // Others ask who a device is.
    for (const int device : devices_) take({.what = section::identity, .device = device});
    leave_unusable();
    for (const int device : devices_)
      for (const section_facts& facts : section_table)
        if (facts.of_each_device && facts.what != section::identity && options_.wants(facts.what))
          take({.what = facts.what, .device = device});
    if (!devices_.empty()) take_all_devices();
    conclude(whole_);
    return whole_;
  }

 private:
  /// What there is so far, for whom the rest takes too long.
  void save() const {
    std::error_code none;
    if (options_.output.empty() || (std::filesystem::exists(options_.output, none) &&
                                    !std::filesystem::is_regular_file(options_.output, none)))
      return;
    probe_report so_far = whole_;
    so_far.problems.push_back({.section = "all", .reason = "ended before all was measured"});
    conclude(so_far);
    (void)write_report(text_of_all(so_far), options_.output);
  }

  [[nodiscard]] bool is_busy(int index) const {
    for (const probe_device& device : whole_.devices)
      if (device.index == index) return device.busy.value_or(false);
    return false;
  }

  /// What others use, and what does not answer.
  void leave_unusable() {
    std::vector<int> usable;
    for (const probe_device& device : whole_.devices) {
      if (device.busy.value_or(false) && !options_.busy_too) {
        whole_.problems.push_back({.section = "identity",
                                   .device = device.index,
                                   .reason = "busy, so not measured; --busy measures it"});
        say("device " + std::to_string(device.index) + ": " + whole_.problems.back().reason);
      } else if (!device.name.empty()) {
        usable.push_back(device.index);
      }
    }
    devices_ = usable;
  }

  void take_all_devices() {
    if (options_.wants(section::collectives)) {
      const int all = static_cast<int>(devices_.size());
      if (all == 1) {
        whole_.warnings.emplace_back("one device: no collectives");
      } else if (devices_.back() != all - 1) {
        whole_.problems.push_back(
            {.section = "collectives", .reason = "left out: only the first devices take part"});
        say("collectives: " + whole_.problems.back().reason);
      } else {
        for (const int ranks : team_sizes(all))
          take({.what = section::collectives, .device = 0, .ranks = ranks});
      }
    }
    if (options_.wants(section::peers))
      for (std::size_t i = 0; i < devices_.size(); ++i)
        for (std::size_t j = i + 1; j < devices_.size(); ++j)
          take({.what = section::peers, .device = devices_[i], .peer = devices_[j]});
  }

  void take(part_request request) {
    const section_facts& facts = facts_of(request.what);
    std::string name = "device " + std::to_string(request.device);
    if (request.what == section::peers) name += " and " + std::to_string(request.peer);
    if (request.what == section::collectives)
      name = std::to_string(request.ranks) + (request.ranks == 1 ? " device" : " devices");
    name += ": " + std::string{facts.name};
    const auto miss = [&](const std::string& reason) {
      whole_.problems.push_back(
          {.section = std::string{facts.name}, .device = request.device, .reason = reason});
      say(name + ": " + reason);
    };

    request.quick = options_.quick;
    request.beside_others = is_busy(request.device);
    request.time = options_.time_scale() * facts.time;
    if (!budget_.has(request.time)) return miss("left out: the time for the whole probe is over");
    // The one before has warmed the device.
    if (request.what != section::identity)
      std::this_thread::sleep_for(std::chrono::milliseconds{options_.quick ? 200 : 700});
    std::vector<std::string> words{"/proc/self/exe"};
    for (std::string& word : words_of(request)) words.push_back(std::move(word));
    const auto begin = std::chrono::steady_clock::now();
    const process_end end = run_process(words, 1.5 * request.time + 20 * units::second);
    try {
      const probe_report part = report_in(end.output);
      take_part(whole_, request.what, part);
      for (const probe_problem& problem : part.problems) say(name + ": " + problem.reason);
    } catch (const std::exception& failure) {
      if (end.problem.empty()) return miss(failure.what());
    }
    if (!end.problem.empty() && end.output.ends_with(end_of_part)) {
      whole_.warnings.push_back(name + ": complete, but its process " + end.problem);
    } else if (!end.problem.empty()) {
      miss(end.problem);
      if (request.what == section::peers && !has_pair(request))
        whole_.p2p.push_back(hung_pair(request, end.problem));
    }
    save();
    char took[32];
    std::snprintf(took, sizeof took, "%.1f s", since(begin).in_base_units());
    say(name + ": " + took);
  }

  [[nodiscard]] bool has_pair(const part_request& request) const {
    return std::any_of(whole_.p2p.begin(), whole_.p2p.end(), [&](const probe_peer_row& row) {
      return row.source == request.device && row.destination == request.peer;
    });
  }

  static probe_peer_row hung_pair(const part_request& request, const std::string& problem) {
    return {.source = request.device, .destination = request.peer, .problem = problem};
  }

  const probe_options& options_;
  std::vector<int> devices_;
  time_budget budget_;
  probe_report whole_{};
};

/// The devices that are asked for and are there.
/// \throws bad_usage if one is not
std::vector<int> chosen(const std::vector<int>& asked, int count) {
  std::vector<int> devices;
  for (int device = 0; device < count; ++device) devices.push_back(device);
  if (asked.empty()) return devices;
  for (const int device : asked)
    if (device >= count)
      throw bad_usage{"--device " + std::to_string(device) + ": there " +
                      (count == 1 ? "is" : "are") + " " + std::to_string(count)};
  devices = asked;
  std::sort(devices.begin(), devices.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  return devices;
}

int run(const std::vector<const char*>& words) {
  const probe_options options = read_options(words);
  if (options.help) return std::fputs(help_text().c_str(), stdout) < 0;
  if (options.version) return std::puts("gpuplan-probe " GPUPLAN_VERSION) < 0;
  const std::vector<std::string> unset = unset_hindrances();
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
  const probe_report report = probe{options, chosen(options.devices, count), unset}.run();
  if (!write_report(text_of_all(report), options.output)) {
    say("cannot write " + (options.output.empty() ? "the report" : options.output));
    return exit_partial;
  }
  bool any = false;
  for (const probe_device& device : report.devices) any = any || !device.name.empty();
  for (const probe_device& device : report.devices)
    if (!device.name.empty())
      for (const std::string& line : summary_of(device)) say(line);
  for (const std::string& warning : report.warnings) say(warning);
  if (!any) {
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
