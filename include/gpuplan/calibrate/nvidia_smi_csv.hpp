#pragma once
/// \file
/// What `nvidia-smi --query-gpu=... --format=csv` prints, once or again and again (-l).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/calibrate/nvidia_smi_csv_columns.hpp>
#include <gpuplan/calibrate/nvidia_smi_csv_gpu.hpp>
#include <gpuplan/text/delimited_table.hpp>
#include <gpuplan/text/field_value.hpp>
#include <gpuplan/text/row_fault.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A table of nvidia-smi: each GPU once, whatever the number of rows about it.
struct nvidia_smi_report {
  static constexpr std::size_t most_gpus = 64;  ///< of one host

  std::vector<nvidia_smi_gpu> gpus{};  ///< in the order in which they were first met
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
    const delimited_table row_start = table_;
    line_ = table_.line_number();
    nvidia_smi_gpu row;
    std::size_t count = 0;
    bool good = true;
    const auto broken = table_.row([&](std::size_t index, const table_field& field) {
      count = index + 1;
      if (index >= columns_.size() || !good) return;
      const nvidia_smi_column column = columns_[index];
      if (column == nvidia_smi_column::driver && report_->driver.empty())
        report_->driver = field.text.substr(0, 64);
      if (const auto problem = take_nvidia_smi_cell(row, column, field.text)) {
        refuse(name_of(column), field.text, *problem, "a number with its usual unit, or [N/A]");
        good = false;
      }
    });
    if (!good) return;
    if (!broken && count == columns_.size()) return take(row);
    if (!broken) table_.after_first_line(row_start);
    refuse({}, {},
           broken                    ? *broken
           : count < columns_.size() ? field_problem::too_few_fields
                                     : field_problem::too_many_fields,
           "as many fields as the header has");
  }

  void take(const nvidia_smi_gpu& row) {
    const auto same = [&](const nvidia_smi_gpu& gpu) {
      if (!row.uuid.empty()) return gpu.uuid == row.uuid;
      if (!row.bus.empty()) return gpu.bus == row.bus;
      return gpu.index == row.index;
    };
    const bool is_named = !row.uuid.empty() || !row.bus.empty() || row.index >= 0;
    const auto end = report_->gpus.end();
    const auto found = is_named ? std::find_if(report_->gpus.begin(), end, same) : end;
    if (found != end) return found->add(row);
    if (report_->gpus.size() == nvidia_smi_report::most_gpus)
      return refuse({}, {}, field_problem::too_large, "rows of 64 GPUs, by uuid, bus or index");
    report_->gpus.push_back(row);
  }

  delimited_table table_;
  nvidia_smi_report* report_;
  std::vector<nvidia_smi_column> columns_{};
  std::int64_t line_ = 1;
};

}  // namespace detail

/// Reads a table of `nvidia-smi --query-gpu=... --format=csv[,noheader][,nounits]`. Units are taken
/// from the cells or the header, else they are those that nvidia-smi has; columns that are not
/// known here are passed over. A cell in brackets ([N/A], [Not Supported]) says nothing.
///
/// Rows of one uuid, bus or index are samples of one GPU; without such a column each row is a GPU.
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
