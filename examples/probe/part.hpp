#pragma once
/// \file
/// One section as a process of its own measures it: what it shares, and what it reports.

#include <cstddef>
#include <functional>
#include <string>

#include <gpuplan/calibrate/probe_report.hpp>
#include <gpuplan/hardware/accelerator.hpp>

#include "left_out.hpp"
#include "monitor.hpp"
#include "options.hpp"
#include "stopwatch.hpp"
#include "time_budget.hpp"

namespace gpuplan::probe {

struct part {
  part_request request;
  const management_library& management;
  gpu_monitor monitor;
  time_budget budget;
  const accelerator* datasheet;  ///< nullptr: not in the catalog
  /// Tells what there is so far, in case that the process does not live to its end.
  std::function<void(const probe_report&)> tell{};
  probe_report report{};  ///< with one device
  left_out unmeasured{};  ///< told at the end, as problems
  left_out impossible{};  ///< on this device: told at the end, as warnings

  [[nodiscard]] probe_device& device() { return report.devices.front(); }
  void publish() const {
    if (tell) tell(report);
  }
  /// What was before, as contexts and communicators, is not on the section's time.
  void start_clock() { budget = time_budget{request.time}; }
  /// 9.0 is 90.
  [[nodiscard]] int capability() const {
    const std::string& text = report.devices.front().compute_capability;
    const std::size_t point = text.find('.');
    return 10 * std::stoi(text.substr(0, point)) + std::stoi(text.substr(point + 1));
  }

  /// Something that is missing from the report.
  void leave_out(const std::string& reason, const std::string& name) {
    unmeasured.add(reason, name);
  }
  void miss(const std::string& reason) {
    report.problems.push_back({.section = std::string{facts_of(request.what).name},
                               .device = request.device,
                               .reason = reason});
  }
  /// Does one of several measurements; one that fails is left out, and takes no other with it.
  ///
  /// \throws device_failure if the device answers no more
  template <class Measure>
  void attempt(const std::string& name, const work_stream& stream, const Measure& measure) {
    try {
      measure();
    } catch (const device_failure& failure) {
      leave_out(failure.what(), name);
      stream.wait();
    }
  }
  [[nodiscard]] sampling how() const {
    return request.quick ? sampling{.samples = 9, .length = seconds{0.5e-3}} : sampling{};
  }
};

// Each measures one section of part.report; what it has measured stays there if it throws.

void measure_identity(part& p);
void measure_memory(part& p);
void measure_launch(part& p);
void measure_hbm(part& p);
void measure_host_copy(part& p);
void measure_gemm(part& p);
void measure_power(part& p);
void measure_contention(part& p);
void measure_peers(part& p);
void measure_collectives(part& p);

/// Measures the part; whatever goes wrong is a problem of its report.
probe_report measured_part(const part_request& request,
                           const std::function<void(const probe_report&)>& tell);

/// The PCI address of a device, "0000:3b:00.0".
std::string bus_id_of(int device);

}  // namespace gpuplan::probe
