#include "conclusion.hpp"

#include <limits>
#include <string>
#include <utility>

#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/units/number_format.hpp>

#include "datasheet.hpp"
#include "fits.hpp"
#include "sanity.hpp"

namespace gpuplan::probe {

void conclude(probe_report& report) {
  for (probe_device& device : report.devices) {
    const accelerator* known =
        device.mig.value_or(false) ? nullptr : datasheet_of(device.name, device.memory_size);
    const bytes_per_second most = known != nullptr
                                      ? most_memory_share * known->memory_bandwidth
                                      : bytes_per_second{std::numeric_limits<double>::infinity()};
    const std::string who = "device " + std::to_string(device.index) + ": ";
    device.fit.hbm_sustained = fitted(report.warnings, who + "hbm", [&] {
      return sustained_rate_of(device.hbm, device.l2, most);
    });
    for (const number_format format : number_formats) {
      const std::string name{spelled(number_format_names, format)};
      if (const auto fit = fitted(report.warnings, who + name, [&] {
            return products_of(device.gemm, format, device.multiprocessors,
                               known != nullptr ? known->peak[format] : flop_per_second{0});
          }))
        device.fit.gemm[name] = *fit;
    }
    device.fit.to_device = fitted(report.warnings, who + "copies to the device", [&] {
      return line_of(device.host_copy, host_direction::to_device);
    });
    device.fit.to_host = fitted(report.warnings, who + "copies to the host",
                                [&] { return line_of(device.host_copy, host_direction::to_host); });
    for (std::string& doubt : doubts_of(device)) report.warnings.push_back(std::move(doubt));
    if (known == nullptr && !device.name.empty() && !device.mig.value_or(false))
      report.warnings.push_back("device " + std::to_string(device.index) + ": \"" + device.name +
                                "\" is not in the catalog: no shares of a datasheet");
  }
  for (probe_collective& sweep : report.collectives)
    sweep.fit = fitted(report.warnings,
                       std::string{name_of(sweep.what)} + " of " + std::to_string(sweep.ranks),
                       [&] { return curve_of(sweep); });
  bool is_slow = false;
  for (const probe_peer_row& row : report.p2p)
    is_slow = is_slow || !row.problem.empty() || !row.verified.value_or(true);
  if (is_slow)
    report.warnings.emplace_back(
        "a pair of devices fails: try iommu=pt on the kernel's command line, and access control "
        "services (ACS) off on PCIe switches");
  report.status = report.problems.empty() ? probe_status::ok : probe_status::partial;
}

}  // namespace gpuplan::probe
