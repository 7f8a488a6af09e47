#pragma once
/// \file
/// Nodes and tasks read from tables, in the columns of the open traces of 2023 or in others.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/gpu_task.hpp>
#include <gpuplan/queue/trace_fault.hpp>
#include <gpuplan/queue/trace_fields.hpp>
#include <gpuplan/queue/trace_table.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Names of columns of a table of nodes.
struct node_columns {
  std::string_view gpus = "gpu";
  std::string_view cores = "cpu_milli";    ///< thousandths
  std::string_view memory = "memory_mib";  ///< may be missing: unlimited
  std::string_view type = "model";         ///< may be missing: all of one type
  std::string_view rack = "rack";          ///< may be missing: all in one
};

/// Names of columns of a table of tasks.
struct task_columns {
  std::string_view gpus = "num_gpu";
  std::string_view share = "gpu_milli";    ///< thousandths of each; may be missing: whole GPUs
  std::string_view cores = "cpu_milli";    ///< thousandths; may be missing: none
  std::string_view memory = "memory_mib";  ///< may be missing: none
  std::string_view types = "gpu_spec";     ///< names with | between; may be missing: any
  std::string_view arrival = "creation_time";
  std::string_view departure = "deletion_time";
  std::string_view user = "user";
};

/// A task that comes, and goes again.
struct arriving_task {
  gpu_task task{};
  seconds arrival{};
  seconds departure{std::numeric_limits<double>::infinity()};
  int user = 0;
};

/// Names in the order in which they were first met.
class name_list {
 public:
  /// The number of a name, a new one where it is not known and there is room; else -1.
  int number_of(std::string_view name, std::size_t most) {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found != names_.end()) return static_cast<int>(found - names_.begin());
    if (names_.size() >= most) return -1;
    names_.emplace_back(name);
    return static_cast<int>(names_.size()) - 1;
  }
  [[nodiscard]] std::span<const std::string> names() const { return names_; }

 private:
  std::vector<std::string> names_{};
};

/// Rows of a table that are none of what was looked for.
struct table_faults {
  std::vector<trace_fault> first{};  ///< up to 100 of them
  std::int64_t count = 0;
};

struct node_table {
  std::vector<gpu_node> nodes{};
  std::vector<int> rack_of{};
  table_faults faults{};
};

struct task_table {
  std::vector<arriving_task> tasks{};  ///< in the order of the table
  table_faults faults{};
};

namespace detail {

constexpr double most_table_cores = 1e9;    // thousandths
constexpr double most_table_memory = 1e12;  // MiB

/// A table whose rows are read by the names of their columns.
template <std::size_t N>
class named_rows {
 public:
  static constexpr std::size_t absent = static_cast<std::size_t>(-1);

  named_rows(std::string_view text, const std::array<std::string_view, N>& names,
             std::size_t needed, table_faults& faults)
      : names_{names}, table_{text, separator_of(text)}, faults_{&faults} {
    places_.fill(absent);
    if (!table_.next()) {
      refuse("the header", {}, trace_problem::empty, "names of columns");
      return;
    }
    line_ = table_.line_number();
    const auto broken = table_.row([&](std::size_t index, const trace_field& field) {
      columns_ = index + 1;
      for (std::size_t name = 0; name < N; ++name)
        if (!names_[name].empty() && places_[name] == absent && field == names_[name])
          places_[name] = index;
    });
    if (broken) {
      refuse("the header", {}, *broken, {});
      return;
    }
    for (std::size_t name = 0; name < needed; ++name)
      if (places_[name] == absent) {
        refuse(names_[name], {}, trace_problem::missing_column, {});
        return;
      }
    readable_ = true;
  }

  /// Goes to the next row with as many fields as the header; faulty ones are counted.
  bool next() {
    while (readable_ && table_.next()) {
      const trace_table row_start = table_;
      line_ = table_.line_number();
      fields_ = {};
      std::size_t count = 0;
      const auto broken = table_.row([&](std::size_t index, const trace_field& field) {
        count = index + 1;
        for (std::size_t name = 0; name < N; ++name)
          if (places_[name] == index) fields_[name] = field.text;
      });
      if (!broken && count == columns_) return true;
      if (!broken) table_.after_first_line(row_start);
      refuse({}, {},
             broken             ? *broken
             : count < columns_ ? trace_problem::too_few_fields
                                : trace_problem::too_many_fields,
             "as many fields as the header has");
    }
    return false;
  }

  [[nodiscard]] bool has(std::size_t name) const { return places_[name] != absent; }
  [[nodiscard]] std::string_view text(std::size_t name) const { return fields_[name]; }

  /// A whole number of a column; empty, and a fault, where it is none.
  std::optional<double> whole(std::size_t name, double most, std::string_view allowed) {
    const trace_number read = whole_in(fields_[name], 0, most);
    if (!read.problem) return read.value;
    refuse(names_[name], fields_[name], *read.problem, allowed);
    return {};
  }

  void refuse(std::string_view column, std::string_view field, trace_problem problem,
              std::string_view allowed) {
    ++faults_->count;
    if (faults_->first.size() >= 100) return;
    std::string shown{field.substr(0, 60)};
    for (char& c : shown)
      if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
    faults_->first.push_back({line_, std::string(column), shown, problem, allowed});
  }
  void refuse(std::size_t name, trace_problem problem, std::string_view allowed) {
    refuse(names_[name], fields_[name], problem, allowed);
  }

 private:
  static char separator_of(std::string_view text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    return line.find(',') == line.npos && line.find('\t') != line.npos ? '\t' : ',';
  }

  std::array<std::string_view, N> names_;
  trace_table table_;
  table_faults* faults_;
  std::array<std::size_t, N> places_{};
  std::array<std::string_view, N> fields_{};
  std::size_t columns_ = 0;
  std::int64_t line_ = 1;
  bool readable_ = false;
};

constexpr std::string_view allowed_node_gpus = "a whole number from 0 to 16";
constexpr std::string_view allowed_cores = "thousandths of cores, whole, 0 to 1e9";
constexpr std::string_view allowed_memory = "MiB, whole, 0 to 1e12";
constexpr std::string_view allowed_types = "at most 64 names of types in all";

}  // namespace detail

/// Reads a table of nodes: a header, then a row for each node with its GPUs and cores, and where
/// there are such columns its memory, type and rack. Rows that are no node are counted, with the
/// line and the reason. `types` takes the names of types, at most 64.
inline node_table read_nodes(std::string_view text, name_list& types,
                             const node_columns& columns = {}) {
  enum : std::size_t { gpus, cores, memory, type, rack };
  node_table read;
  name_list racks;
  detail::named_rows<5> rows{
      text,
      {columns.gpus, columns.cores, columns.memory, columns.type, columns.rack},
      2,
      read.faults};
  while (rows.next()) {
    const auto count = rows.whole(gpus, gpu_node::most_gpus, detail::allowed_node_gpus);
    if (!count) continue;
    const auto thousandths = rows.whole(cores, detail::most_table_cores, detail::allowed_cores);
    if (!thousandths) continue;
    bytes host{1e300};
    if (rows.has(memory)) {
      const auto size = rows.whole(memory, detail::most_table_memory, detail::allowed_memory);
      if (!size) continue;
      host = *size * units::MiB;
    }
    const int kind = rows.has(type) ? types.number_of(rows.text(type), 64) : 0;
    if (kind < 0) {
      rows.refuse(type, trace_problem::not_understood, detail::allowed_types);
      continue;
    }
    const int where = rows.has(rack) ? racks.number_of(rows.text(rack), 100000) : 0;
    if (where < 0) {
      rows.refuse(rack, trace_problem::not_understood, "at most 100000 names of racks in all");
      continue;
    }
    read.nodes.push_back(
        empty_node(static_cast<int>(*count), static_cast<std::int64_t>(*thousandths), host, kind));
    read.rack_of.push_back(where);
  }
  return read;
}

/// Reads a table of tasks: a header, then a row for each with its GPUs, and where there are such
/// columns its share of each, cores, memory, types, times and user. A task without GPUs asks for
/// cores alone. Types are those of `types` or new ones; users are numbered in `users`.
///
/// Rows that are no task are counted, with the line and the reason.
inline task_table read_tasks(std::string_view text, name_list& types, name_list& users,
                             const task_columns& columns = {}) {
  enum : std::size_t { gpus, share, cores, memory, kinds, arrival, departure, user };
  task_table read;
  detail::named_rows<8> rows{text,
                             {columns.gpus, columns.share, columns.cores, columns.memory,
                              columns.types, columns.arrival, columns.departure, columns.user},
                             1,
                             read.faults};
  while (rows.next()) {
    arriving_task each;
    const auto count = rows.whole(gpus, gpu_node::most_gpus, detail::allowed_node_gpus);
    if (!count) continue;
    each.task.gpus = static_cast<int>(*count);
    if (rows.has(share) && each.task.gpus > 0) {
      const auto part = rows.whole(share, whole_gpu, "thousandths of a GPU, whole, 1 to 1000");
      if (!part) continue;
      if (*part < 1) {
        rows.refuse(share, trace_problem::empty, "thousandths of a GPU, whole, 1 to 1000");
        continue;
      }
      each.task.gpu_thousandths = static_cast<int>(*part);
    }
    if (rows.has(cores)) {
      const auto asked = rows.whole(cores, detail::most_table_cores, detail::allowed_cores);
      if (!asked) continue;
      each.task.core_thousandths = static_cast<std::int64_t>(*asked);
    }
    if (rows.has(memory)) {
      const auto size = rows.whole(memory, detail::most_table_memory, detail::allowed_memory);
      if (!size) continue;
      each.task.memory = *size * units::MiB;
    }
    bool good = true;
    for (std::string_view names = rows.has(kinds) ? rows.text(kinds) : std::string_view{};
         good && !names.empty();) {
      const std::size_t bar = names.find('|');
      const int kind = types.number_of(names.substr(0, bar), 64);
      names = bar == names.npos ? std::string_view{} : names.substr(bar + 1);
      good = kind >= 0;
      if (good) each.task.accepted_types |= std::uint64_t{1} << kind;
    }
    if (!good) {
      rows.refuse(kinds, trace_problem::not_understood, detail::allowed_types);
      continue;
    }
    const auto time = [&](std::size_t name, seconds& value) {
      if (!rows.has(name) || rows.text(name).empty()) return true;
      const detail::trace_number when = detail::instant_in(rows.text(name));
      if (when.problem) rows.refuse(name, *when.problem, "seconds, or YYYY-MM-DD HH:MM:SS");
      value = seconds{when.value};
      return !when.problem;
    };
    if (!time(arrival, each.arrival) || !time(departure, each.departure)) continue;
    if (each.departure < each.arrival) {
      rows.refuse(departure, trace_problem::ends_before_start, "a time at or after the arrival");
      continue;
    }
    each.user = rows.has(user) ? users.number_of(rows.text(user), 100000) : 0;
    if (each.user < 0) {
      rows.refuse(user, trace_problem::not_understood, "at most 100000 names of users in all");
      continue;
    }
    read.tasks.push_back(each);
  }
  return read;
}

}  // namespace gpuplan
