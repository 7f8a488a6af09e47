#pragma once
/// \file
/// Bandwidths and latencies between the host and its GPUs, as nvbandwidth measures them.

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What became of a test.
enum class nvbandwidth_status { passed, running, waived, not_found, error };

/// One test: a table of pairs, by rows, as its description says which is which.
struct nvbandwidth_test {
  std::string name{};  ///< "host_to_device_memcpy_ce"
  nvbandwidth_status status = nvbandwidth_status::passed;
  std::string description{};  ///< "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)"
  std::string error{};        ///< what the tool says went wrong
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<bytes_per_second> bandwidths{};  ///< 0: not measured; none in a test of latency
  std::vector<seconds> latencies{};            ///< 0: not measured; none in a test of bandwidth

  /// Pairs that were measured.
  [[nodiscard]] std::size_t measured() const {
    return static_cast<std::size_t>(
        std::count_if(bandwidths.begin(), bandwidths.end(),
                      [](bytes_per_second each) { return each > bytes_per_second{0}; }) +
        std::count_if(latencies.begin(), latencies.end(),
                      [](seconds each) { return each > seconds{0}; }));
  }
  /// Of all pairs together: of a test that runs them at once it is what they get at once.
  [[nodiscard]] bytes_per_second sum() const {
    bytes_per_second all{};
    for (const bytes_per_second each : bandwidths) all += each;
    return all;
  }
  /// \throws invalid_input if no bandwidth was measured
  [[nodiscard]] bytes_per_second average() const {
    require(sum() > bytes_per_second{0}, "nvbandwidth_test: a bandwidth must be measured");
    return sum() / static_cast<double>(measured());
  }
  /// The slowest pair, which a job of all GPUs waits for.
  /// \throws invalid_input if no bandwidth was measured
  [[nodiscard]] bytes_per_second slowest() const {
    require(sum() > bytes_per_second{0}, "nvbandwidth_test: a bandwidth must be measured");
    bytes_per_second least = sum();
    for (const bytes_per_second each : bandwidths)
      if (each > bytes_per_second{0}) least = std::min(least, each);
    return least;
  }
};

/// What nvbandwidth printed: its tests, or what went wrong.
struct nvbandwidth_report {
  std::string driver{};  ///< "Driver Version"
  std::string error{};   ///< what the tool says went wrong as a whole
  std::vector<nvbandwidth_test> tests{};

  /// The test of a name, if it is there.
  [[nodiscard]] const nvbandwidth_test* find(std::string_view name) const {
    for (const nvbandwidth_test& test : tests)
      if (test.name == name) return &test;
    return nullptr;
  }
};

}  // namespace gpuplan
