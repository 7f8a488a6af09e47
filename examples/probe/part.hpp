#pragma once
/// \file
/// One section as a process of its own measures it: what it works with, and what it reports.

#include <functional>
#include <string>

#include <gpuplan/calibrate/probe_report.hpp>

#include "monitor.hpp"
#include "options.hpp"
#include "report.hpp"
#include "stopwatch.hpp"

namespace gpuplan::probe {

struct part {
  part_request request;
  const management_library& management;
  gpu_monitor monitor;
  time_budget budget;
  /// Tells what there is so far, in case the process does not live to its end.
  std::function<void(const probe_report&)> tell{};
  cudaDeviceProp properties{};
  probe_report report{};  ///< with one device
  left_out unmeasured{};  ///< reported at the end, as problems
  left_out impossible{};  ///< on this device: reported at the end, as warnings

  [[nodiscard]] probe_device& device() { return report.devices.front(); }
  [[nodiscard]] std::string device_name() const {
    return "device " + std::to_string(request.device);
  }
  void publish() const {
    if (tell) tell(report);
  }
  /// What came before, as contexts and communicators, does not count as the section's time.
  void start_clock() { budget = time_budget{request.time}; }
  void warn(const std::string& text) { report.warnings.push_back(device_name() + ": " + text); }
  /// Something is missing from the report.
  void miss(const std::string& reason) {
    report.problems.push_back({.section = std::string{facts_of(request.what).name},
                               .device = request.device,
                               .reason = reason});
  }
  /// Makes one of several measurements; one that fails is left out and does not stop the others.
  ///
  /// \throws device_failure if the device no longer answers
  template <class Measure>
  void attempt(const std::string& name, const work_stream& stream, const Measure& measure) {
    try {
      measure();
    } catch (const device_failure& failure) {
      unmeasured.add(failure.what(), name);
      stream.wait();
    }
  }
};

// Each measures one section of part.report; what it has measured stays there if it throws.

void measure_identity(part& p);
void measure_launch(part& p);
void measure_hbm(part& p);
void measure_host_copy(part& p);
void measure_gemm(part& p);
void measure_collectives(part& p);

/// Measures the part; what goes wrong is a problem in its report.
probe_report measured_part(const part_request& request,
                           const std::function<void(const probe_report&)>& tell);

/// The PCI address of a device, "0000:3b:00.0".
std::string bus_id_of(int device);

}  // namespace gpuplan::probe
