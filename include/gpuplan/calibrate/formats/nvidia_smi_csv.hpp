#pragma once
/// \file
/// What `nvidia-smi --query-gpu=... --format=csv` prints, once or again and again (-l).

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/calibrate/formats/nccl_tests_log.hpp>
#include <gpuplan/text/delimited_table.hpp>
#include <gpuplan/text/field_value.hpp>
#include <gpuplan/text/row_fault.hpp>
#include <gpuplan/trace/columns.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Samples of one figure: how many, the least, the mean and the most.
template <class Quantity>
struct sampled {
  std::int64_t samples = 0;
  Quantity least{};
  Quantity mean{};
  Quantity most{};

  constexpr void add(const sampled& more) {
    if (more.samples == 0) return;
    least = samples == 0 ? more.least : std::min(least, more.least);
    most = samples == 0 ? more.most : std::max(most, more.most);
    samples += more.samples;
    mean += static_cast<double>(more.samples) / static_cast<double>(samples) * (more.mean - mean);
  }
};

/// What rows about one GPU say together; what was not asked for has no samples, or is empty or 0.
struct nvidia_smi_gpu {
  std::string name{};
  std::string uuid{};
  std::string bus{};  ///< of PCI, "00000000:1B:00.0"
  int index = -1;     ///< -1: not said
  std::int64_t rows = 0;
  bytes memory_total{};
  sampled<bytes> memory_used{};
  watts power_limit{};
  sampled<watts> power{};
  per_second sm_clock_most{};  ///< that the device allows
  sampled<per_second> sm_clock{};
  per_second memory_clock_most{};
  sampled<per_second> memory_clock{};
  sampled<double> utilization{};  ///< part of the time that a kernel ran, 0 .. 1
  sampled<double> temperature{};  ///< degrees Celsius
  int pcie_generation = 0;        ///< in use, the most of all samples: at rest it is less
  int pcie_width = 0;             ///< lanes in use, likewise

  void add(const nvidia_smi_gpu& more) {
    ++rows;
    memory_used.add(more.memory_used);
    power.add(more.power);
    sm_clock.add(more.sm_clock);
    memory_clock.add(more.memory_clock);
    utilization.add(more.utilization);
    temperature.add(more.temperature);
    pcie_generation = std::max(pcie_generation, more.pcie_generation);
    pcie_width = std::max(pcie_width, more.pcie_width);
  }
};

/// Columns that are looked at.
enum class nvidia_smi_column {
  other,
  timestamp,
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
    nvidia_smi_title{"timestamp", nvidia_smi_column::timestamp},
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
  if (column == other || column == timestamp || column == driver || says_nothing) return {};
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

/// A table of nvidia-smi: each GPU once, whatever the number of rows about it.
struct nvidia_smi_report {
  static constexpr std::size_t most_gpus = 64;  ///< of one host

  std::vector<nvidia_smi_gpu> gpus{};  ///< in the order in which they were first met
  /// Whether that are GPUs. Else no column tells which rows are of one GPU, each row stands alone,
  /// and how many GPUs there are is not known.
  bool told_apart = true;
  std::string driver{};
  std::vector<row_fault> faults{};  ///< the first ones
  std::int64_t faulty = 0;          ///< how many there were
};

namespace detail {

/// A table of nvidia-smi as it is read, row by row.
class nvidia_smi_rows {
 public:
  nvidia_smi_rows(std::string_view text, std::string_view query, nvidia_smi_report& report)
      : table_{text, ','}, report_{&report} {
    if (!table_.next()) {
      refuse("the header", {}, field_problem::empty, "names of columns");
      return;
    }
    if (!query.empty()) {
      for (bool more = true; more;) {
        const std::size_t comma = query.find(',');
        add_column(trimmed(query.substr(0, comma)));
        more = comma != query.npos;
        if (more) query.remove_prefix(comma + 1);
      }
      delimited_table ahead = table_;  // a header may stand there all the same
      bool header = false;
      static_cast<void>(ahead.row([&](std::size_t index, const table_field& field) {
        header = header || (index == 0 && is_nvidia_smi_column(field.text, columns_[0]));
      }));
      if (header) table_ = ahead;
      return;
    }
    line_ = table_.line_number();
    const auto broken =
        table_.row([&](std::size_t, const table_field& field) { add_column(field.text); });
    bool known = false;
    for (const nvidia_smi_column column : columns_)
      known = known || column != nvidia_smi_column::other;
    if (broken || !known) {
      refuse("the header", {}, broken.value_or(field_problem::not_understood),
             "names of columns as nvidia-smi prints them, as memory.used [MiB]");
      columns_.clear();
    }
  }

  void read() {
    while (!columns_.empty() && table_.next()) read_row();
  }

 private:
  void add_column(std::string_view title) {
    if (columns_.size() < 256) columns_.push_back(nvidia_smi_column_of(title));
  }

  void refuse(std::string_view column, std::string_view field, field_problem problem,
              std::string_view allowed) {
    ++report_->faulty;
    if (report_->faults.size() >= 100) return;
    report_->faults.push_back({line_, std::string(column), shown_field(field), problem, allowed});
  }

  void read_row() {
    line_ = table_.line_number();
    nvidia_smi_gpu row;
    std::string own;   // a cell with doubled quotes
    std::string time;  // of the sample
    bool good = true;
    const auto broken =
        table_.row_of(columns_.size(), [&](std::size_t index, const table_field& field) {
          if (index >= columns_.size() || !good) return;
          const nvidia_smi_column column = columns_[index];
          const std::string_view cell = text_of(field, own);
          if (column == nvidia_smi_column::timestamp) time = cell;
          if (column == nvidia_smi_column::driver && report_->driver.empty())
            report_->driver = cell.substr(0, 64);
          if (const auto problem = take_nvidia_smi_cell(row, column, cell)) {
            refuse(name_of(column), cell, *problem, "a number with its usual unit, or [N/A]");
            good = false;
          }
        });
    if (!good) return;
    if (!broken) return take(row, time);
    refuse({}, {}, *broken, "as many fields as the header has");
  }

  /// Where the GPU of a row stands that has no name of its own: rows of one time are of so many
  /// GPUs, which each sample has in one order. Past the end where it is a new one.
  std::size_t place_in_sample(const nvidia_smi_gpu& row, const std::string& time) {
    if (unnamed_.empty() || time != sample_) in_sample_ = 0;
    sample_ = time;
    while (in_sample_ < unnamed_.size() && report_->gpus[unnamed_[in_sample_]].name != row.name)
      ++in_sample_;
    return in_sample_++;
  }

  void take(const nvidia_smi_gpu& row, const std::string& time) {
    const auto same = [&](const nvidia_smi_gpu& gpu) {
      if (!row.uuid.empty()) return gpu.uuid == row.uuid;
      if (!row.bus.empty()) return gpu.bus == row.bus;
      return gpu.index == row.index;
    };
    const bool is_named = !row.uuid.empty() || !row.bus.empty() || row.index >= 0;
    const auto end = report_->gpus.end();
    const auto found = is_named ? std::find_if(report_->gpus.begin(), end, same) : end;
    if (found != end) return found->add(row);
    if (!is_named && !time.empty()) {
      const std::size_t place = place_in_sample(row, time);
      if (place < unnamed_.size()) {
        // nvidia-smi may stamp the GPUs of one sample some milliseconds apart.
        report_->told_apart = unnamed_.size() > 1;
        return report_->gpus[unnamed_[place]].add(row);
      }
      report_->told_apart = true;
    } else if (!is_named) {
      report_->told_apart = report_->told_apart && unnamed_.empty();
    }
    if (report_->gpus.size() == nvidia_smi_report::most_gpus)
      return refuse({}, {}, field_problem::too_large, "rows of 64 GPUs, by uuid, bus or index");
    if (!is_named) unnamed_.push_back(report_->gpus.size());
    report_->gpus.push_back(row);
  }

  delimited_table table_;
  nvidia_smi_report* report_;
  std::vector<nvidia_smi_column> columns_{};
  std::vector<std::size_t> unnamed_{};  // places of GPUs that have no uuid, bus or index
  std::string sample_{};                // the time of the last row of one of them
  std::size_t in_sample_ = 0;           // how many of them that time has had
  std::int64_t line_ = 1;
};

}  // namespace detail

/// Reads a table of `nvidia-smi --query-gpu=... --format=csv[,noheader][,nounits]`. Units are taken
/// from the cells or the header, else they are those that nvidia-smi has; columns that are not
/// known here are passed over. A cell in brackets ([N/A], [Not Supported]) says nothing.
///
/// Rows of one uuid, bus or index are samples of one GPU. Without such a column there are as many
/// GPUs as rows that share a timestamp, and the first row of each timestamp is of the first of
/// them; without timestamps each row stands alone. `told_apart` is false where there are several
/// rows, and no two of them share a timestamp.
///
///     query  the columns as asked for, "name,memory.used,clocks.sm": needed with noheader
///
/// Rows that cannot be read are counted with their line.
///
/// Source: NVIDIA, nvidia-smi of driver 580 (2025), `nvidia-smi --help-query-gpu`.
inline nvidia_smi_report read_nvidia_smi(std::string_view text, std::string_view query = {}) {
  nvidia_smi_report report;
  detail::nvidia_smi_rows{text, query, report}.read();
  return report;
}

}  // namespace gpuplan
