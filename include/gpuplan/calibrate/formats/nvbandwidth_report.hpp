#pragma once
/// \file
/// What `nvbandwidth -j` prints.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/require.hpp>
#include <gpuplan/text/decimal_number.hpp>
#include <gpuplan/text/json_fields.hpp>
#include <gpuplan/text/json_text.hpp>
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
    require(sum() > bytes_per_second{0},
            "nvbandwidth_test: the test must have measured a bandwidth");
    return sum() / static_cast<double>(measured());
  }
  /// The slowest pair, which a job of all GPUs waits for.
  /// \throws invalid_input if no bandwidth was measured
  [[nodiscard]] bytes_per_second slowest() const {
    require(sum() > bytes_per_second{0},
            "nvbandwidth_test: the test must have measured a bandwidth");
    bytes_per_second least = sum();
    for (const bytes_per_second each : bandwidths)
      if (each > bytes_per_second{0}) least = std::min(least, each);
    return least;
  }
};

/// What nvbandwidth printed: its tests, or what went wrong.
struct nvbandwidth_report {
  std::string driver{};                ///< "Driver Version"
  std::string error{};                 ///< what the tool says went wrong as a whole
  std::vector<std::string> devices{};  ///< names of the "GPU Device list", of each GPU
  std::vector<nvbandwidth_test> tests{};

  /// The test of a name, if it is there.
  [[nodiscard]] const nvbandwidth_test* find(std::string_view name) const {
    for (const nvbandwidth_test& test : tests)
      if (test.name == name) return &test;
    return nullptr;
  }
};

namespace detail {

inline constexpr std::array nvbandwidth_statuses{
    named<nvbandwidth_status>{"Passed", nvbandwidth_status::passed},
    named<nvbandwidth_status>{"Running", nvbandwidth_status::running},
    named<nvbandwidth_status>{"Waived", nvbandwidth_status::waived},
    named<nvbandwidth_status>{"Not Found", nvbandwidth_status::not_found},
    named<nvbandwidth_status>{"Error", nvbandwidth_status::error}};

/// The fields that are looked at, of the report and of its tests.
inline bool keeps_of_nvbandwidth(std::string_view field) {
  constexpr std::array<std::string_view, 10> fields{
      "GPU Device list", "nvbandwidth",           "Driver Version",   "error", "testcases", "name",
      "status",          "bandwidth_description", "bandwidth_matrix", "sum"};
  return std::find(fields.begin(), fields.end(), field) != fields.end();
}

/// "NVIDIA H100 80GB HBM3" of "0: NVIDIA H100 80GB HBM3 (00000000:1b:00)"; texts alone.
inline std::vector<std::string> nvbandwidth_devices(const nlohmann::json& list) {
  std::vector<std::string> names;
  for (const nlohmann::json& each : list) {
    if (!each.is_string()) continue;
    std::string_view name = each.get_ref<const std::string&>();
    if (const std::size_t colon = name.find(": "); colon != name.npos)
      name.remove_prefix(colon + 2);
    names.emplace_back(name.substr(0, name.find(" (")).substr(0, 128));
  }
  return names;
}

/// A cell: a number, or text that is one; 0 where it says N/A.
inline double nvbandwidth_cell(const json_fields& test, const nlohmann::json& cell) {
  double value = -1;
  if (cell.is_number()) value = cell.get<double>();
  if (cell.is_string()) {
    const auto& text = cell.get_ref<const std::string&>();
    if (text == "N/A") return 0;
    const auto [end, error] = decimal_from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) value = -1;
  }
  if (!(value >= 0 && value <= 1e9))
    test.refuse("bandwidth_matrix", "must hold numbers from 0 to 1e9 or N/A, not " + shown(cell));
  return value;
}

/// Keeps the matrix that the sum is of: the whole, or the last of two or three of equal height.
template <class Quantity>
void keep_last_matrix(const json_fields& fields, nvbandwidth_test& test,
                      std::vector<Quantity>& cells, Quantity unit) {
  constexpr double most_sum = 1e15;
  const double said = fields.number("sum", 0, most_sum, "a number from 0 to 1e15");
  for (std::size_t matrices = 1; matrices <= 3; ++matrices) {
    if (test.rows % matrices != 0) continue;
    const auto first = cells.end() - static_cast<std::ptrdiff_t>(cells.size() / matrices);
    const double sum = std::accumulate(first, cells.end(), Quantity{}) / unit;
    constexpr double printed = 1e-4;  // cells have six digits
    if (!(std::abs(sum - said) <= printed * said)) continue;
    cells.erase(cells.begin(), first);
    test.rows /= matrices;
    return;
  }
  fields.refuse("sum", "must be that of the matrix, or of the last of several of one height");
}

inline void read_nvbandwidth_matrix(const json_fields& fields, nvbandwidth_test& test) {
  const nlohmann::json* matrix = fields.array("bandwidth_matrix");
  if (matrix == nullptr) return;
  const bool of_latency = test.description.find("(ns)") != std::string::npos;
  if (!of_latency && test.description.find("GB/s") == std::string::npos)
    fields.refuse("bandwidth_description", "must end with GB/s or (ns)");
  test.rows = matrix->size();
  for (const nlohmann::json& row : *matrix) {
    if (!row.is_array() && !row.is_null())  // null: a table without columns
      fields.refuse("bandwidth_matrix", "must be an array of arrays, not of " + shown(row));
    const bool first = &row == &matrix->front();
    if (first) test.columns = row.size();
    if (row.size() != test.columns)
      fields.refuse("bandwidth_matrix", "must have rows of one length");
    if (first && of_latency) test.latencies.reserve(test.rows * test.columns);
    if (first && !of_latency) test.bandwidths.reserve(test.rows * test.columns);
    for (const nlohmann::json& cell : row) {
      const double value = nvbandwidth_cell(fields, cell);
      if (of_latency)
        test.latencies.push_back(value * units::ns);
      else
        test.bandwidths.push_back(value * units::GB / units::second);
    }
  }
  if (!fields.has("sum")) return;
  if (of_latency)
    keep_last_matrix(fields, test, test.latencies, units::ns);
  else
    keep_last_matrix(fields, test, test.bandwidths, units::GB / units::second);
}

}  // namespace detail

/// Reads what `nvbandwidth -j` prints, with -v or without. Its matrices hold GB/s (1e9 B/s) or ns
/// as text, N/A where there is no pair. Sums and averages are not read but made from the matrix,
/// which is printed to six digits.
///
///     name  of the file, for the error line
///
/// Source: NVIDIA, nvbandwidth 0.8 (2025), json_output.cpp.
///
/// \throws invalid_input of one line, "<name>: <field> ...", where parse_json does, if there is no
///         object nvbandwidth or no list of tests and no error in it, or a field is of another
///         type, unknown value or length
inline nvbandwidth_report read_nvbandwidth(std::string_view text, std::string_view name) {
  const nlohmann::json whole = parse_json(text, name, {.keeps = detail::keeps_of_nvbandwidth});
  const json_fields outer{whole, name};
  if (!outer.has("nvbandwidth")) outer.refuse("nvbandwidth", "is missing");
  const json_fields body{whole.at("nvbandwidth"), outer.where() + ": nvbandwidth"};
  nvbandwidth_report report;
  report.driver = body.text_or("Driver Version", {});
  report.error = body.text_or("error", {});
  if (const nlohmann::json* list = body.array("GPU Device list"))
    report.devices = detail::nvbandwidth_devices(*list);
  const nlohmann::json* tests = body.array("testcases");
  if (tests == nullptr && report.error.empty()) body.refuse("testcases", "is missing");
  if (tests == nullptr) return report;
  report.tests.reserve(tests->size());
  for (const nlohmann::json& each : *tests) {
    const json_fields fields{
        each, body.where() + ".testcases[" + std::to_string(report.tests.size()) + "]"};
    nvbandwidth_test test;
    test.name = fields.text("name");
    if (!fields.has("status")) fields.refuse("status", "is missing");
    test.status =
        fields.choice_or("status", detail::nvbandwidth_statuses, nvbandwidth_status::error);
    test.description = fields.text_or("bandwidth_description", {});
    test.error = fields.text_or("error", {});
    detail::read_nvbandwidth_matrix(fields, test);
    report.tests.push_back(std::move(test));
  }
  return report;
}

}  // namespace gpuplan
