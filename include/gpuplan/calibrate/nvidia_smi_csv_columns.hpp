#pragma once
/// \file
/// The columns of nvidia-smi's tables, and what stands in them.

#include <array>
#include <optional>
#include <string_view>

#include <gpuplan/calibrate/nccl_tests_log.hpp>
#include <gpuplan/calibrate/nvidia_smi_csv_gpu.hpp>
#include <gpuplan/text/field_value.hpp>
#include <gpuplan/text/row_fault.hpp>
#include <gpuplan/trace/columns.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Columns that are looked at.
enum class nvidia_smi_column {
  other,
  index,
  name,
  uuid,
  bus,
  driver,
  memory_total,
  memory_used,
  power,
  power_limit,
  sm_clock,
  sm_clock_most,
  memory_clock,
  memory_clock_most,
  utilization,
  temperature,
  pcie_generation,
  pcie_width
};

namespace detail {

struct nvidia_smi_title {
  std::string_view title;
  nvidia_smi_column column;
};

/// As the header has them first, then as a query may have them.
inline constexpr std::array nvidia_smi_titles{
    nvidia_smi_title{"index", nvidia_smi_column::index},
    nvidia_smi_title{"name", nvidia_smi_column::name},
    nvidia_smi_title{"uuid", nvidia_smi_column::uuid},
    nvidia_smi_title{"pci.bus_id", nvidia_smi_column::bus},
    nvidia_smi_title{"driver_version", nvidia_smi_column::driver},
    nvidia_smi_title{"memory.total", nvidia_smi_column::memory_total},
    nvidia_smi_title{"memory.used", nvidia_smi_column::memory_used},
    nvidia_smi_title{"power.draw", nvidia_smi_column::power},
    nvidia_smi_title{"power.limit", nvidia_smi_column::power_limit},
    nvidia_smi_title{"clocks.current.sm", nvidia_smi_column::sm_clock},
    nvidia_smi_title{"clocks.max.sm", nvidia_smi_column::sm_clock_most},
    nvidia_smi_title{"clocks.current.memory", nvidia_smi_column::memory_clock},
    nvidia_smi_title{"clocks.max.memory", nvidia_smi_column::memory_clock_most},
    nvidia_smi_title{"utilization.gpu", nvidia_smi_column::utilization},
    nvidia_smi_title{"temperature.gpu", nvidia_smi_column::temperature},
    nvidia_smi_title{"pcie.link.gen.current", nvidia_smi_column::pcie_generation},
    nvidia_smi_title{"pcie.link.width.current", nvidia_smi_column::pcie_width},
    nvidia_smi_title{"gpu_name", nvidia_smi_column::name},
    nvidia_smi_title{"gpu_uuid", nvidia_smi_column::uuid},
    nvidia_smi_title{"gpu_bus_id", nvidia_smi_column::bus},
    nvidia_smi_title{"clocks.sm", nvidia_smi_column::sm_clock},
    nvidia_smi_title{"clocks.mem", nvidia_smi_column::memory_clock},
    nvidia_smi_title{"clocks.max.mem", nvidia_smi_column::memory_clock_most},
    nvidia_smi_title{"pcie.link.gen.gpucurrent", nvidia_smi_column::pcie_generation}};

/// The column of a title, with or without its unit: "memory.used [MiB]".
constexpr nvidia_smi_column nvidia_smi_column_of(std::string_view title) {
  title = trimmed(title.substr(0, title.find('[')));
  for (const nvidia_smi_title& known : nvidia_smi_titles)
    if (known.title == title) return known.column;
  return nvidia_smi_column::other;
}

}  // namespace detail

/// The column as a header has it.
constexpr std::string_view name_of(nvidia_smi_column column) {
  for (const detail::nvidia_smi_title& known : detail::nvidia_smi_titles)
    if (known.column == column) return known.title;
  return "other";
}

namespace detail {

/// Whether a cell is no value but a title of this column.
constexpr bool is_nvidia_smi_column(std::string_view cell, nvidia_smi_column column) {
  return column != nvidia_smi_column::other && nvidia_smi_column_of(cell) == column;
}

/// A cell as a figure in the unit that its column has in nvidia-smi, or what is wrong with it.
inline field_number nvidia_smi_number(std::string_view cell, std::string_view unit, double most) {
  const std::string_view number = next_word(cell);
  const field_number read = number_in(number, 0, most);
  const std::string_view said = next_word(cell);
  const bool as_said = said.empty() || said == unit;
  if (!read.problem && !(as_said && next_word(cell).empty()))
    return {.problem = field_problem::not_understood};
  return read;
}

/// Takes a cell into a row; what is wrong, if it is not what its column has.
inline std::optional<field_problem> take_nvidia_smi_cell(nvidia_smi_gpu& row,
                                                         nvidia_smi_column column,
                                                         std::string_view cell) {
  using enum nvidia_smi_column;
  row.rows = 1;
  const bool says_nothing = cell.empty() || cell.starts_with('[') || cell == "N/A";
  if (column == other || column == driver || says_nothing) return {};
  const std::string_view text = cell.substr(0, 128);
  if (column == name) return row.name = text, std::nullopt;
  if (column == uuid) return row.uuid = text, std::nullopt;
  if (column == bus) return row.bus = text, std::nullopt;

  const auto whole = [&](int& field) {
    const field_number read = whole_in(cell, 0, 1e6);
    if (!read.problem) field = static_cast<int>(read.value);
    return read.problem;
  };
  if (column == nvidia_smi_column::index) return whole(row.index);
  if (column == pcie_generation) return whole(row.pcie_generation);
  if (column == pcie_width) return whole(row.pcie_width);

  const auto once = [&](auto& field, std::string_view unit, auto size) {
    const field_number read = nvidia_smi_number(cell, unit, 1e9);
    if (!read.problem) field = read.value * size;
    return read.problem;
  };
  const auto sample = [&](auto& field, std::string_view unit, auto size) {
    auto value = size;
    const auto problem = once(value, unit, size);
    if (!problem) field = {.samples = 1, .least = value, .mean = value, .most = value};
    return problem;
  };
  constexpr per_second megahertz = 1e6 / units::second;
  switch (column) {
    case memory_total: return once(row.memory_total, "MiB", units::MiB);
    case memory_used: return sample(row.memory_used, "MiB", units::MiB);
    case power: return sample(row.power, "W", units::watt);
    case power_limit: return once(row.power_limit, "W", units::watt);
    case sm_clock: return sample(row.sm_clock, "MHz", megahertz);
    case sm_clock_most: return once(row.sm_clock_most, "MHz", megahertz);
    case memory_clock: return sample(row.memory_clock, "MHz", megahertz);
    case memory_clock_most: return once(row.memory_clock_most, "MHz", megahertz);
    case utilization: return sample(row.utilization, "%", 0.01);
    case temperature: return sample(row.temperature, "C", 1.0);
    default: return {};
  }
}

}  // namespace detail

}  // namespace gpuplan
