#pragma once
/// \file
/// Reads nodes and tasks from tables, with the columns of the 2023 open traces or others.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/gpu_task.hpp>
#include <gpuplan/text/field_value.hpp>
#include <gpuplan/text/named_rows.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

namespace detail {

constexpr double most_table_cores = 1e9;    // thousandths
constexpr double most_table_memory = 1e12;  // MiB
constexpr std::string_view allowed_node_gpus = "a whole number from 0 to 16";
constexpr std::string_view allowed_cores = "thousandths of cores, whole, 0 to 1e9";
constexpr std::string_view allowed_memory = "MiB, whole, 0 to 1e12";
constexpr std::string_view allowed_types = "at most 64 names of types in all";

}  // namespace detail

/// Names of columns of a table of nodes.
struct node_columns {
  std::string_view gpus = "gpu";
  std::string_view cores = "cpu_milli";    ///< thousandths
  std::string_view memory = "memory_mib";  ///< may be missing: unlimited
  std::string_view type = "model";         ///< may be missing: all of one type without a name
  std::string_view rack = "rack";          ///< may be missing: all in one
};

/// What was read of a table of nodes.
struct node_table {
  std::vector<gpu_node> nodes{};
  std::vector<int> rack_of{};
  table_faults faults{};
};

/// Reads a table of nodes: a header, then a row for each node with its GPUs and cores, and where
/// there are such columns its memory, type and rack. Rows that are no node are counted, with the
/// line and the reason; a column that is named otherwise than usual must be there. `types` takes
/// the names of types, at most 64: the empty one too, so that a task that asks for a type by name
/// never gets nodes of which none is said.
inline node_table read_nodes(std::string_view text, name_list& types,
                             const node_columns& columns = {}) {
  enum : std::size_t { gpus, cores, memory, type, rack };
  node_table read;
  name_list racks;
  constexpr node_columns usual;
  named_rows<5> rows{text,
                     {columns.gpus, columns.cores, columns.memory, columns.type, columns.rack},
                     {usual.gpus, usual.cores, usual.memory, usual.type, usual.rack},
                     2,
                     read.faults};
  read.nodes.reserve(rows.most_rows());
  read.rack_of.reserve(rows.most_rows());
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
    const int kind = types.number_of(rows.text(type), 64);  // without the column the name is ""
    if (kind < 0) {
      rows.refuse(type, field_problem::not_understood, detail::allowed_types);
      continue;
    }
    const int where = rows.has(rack) ? racks.number_of(rows.text(rack), 100000) : 0;
    if (where < 0) {
      rows.refuse(rack, field_problem::not_understood, "at most 100000 names of racks in all");
      continue;
    }
    read.nodes.push_back(
        empty_node(static_cast<int>(*count), static_cast<std::int64_t>(*thousandths), host, kind));
    read.rack_of.push_back(where);
  }
  return read;
}

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
  std::string_view priority = "";  ///< whole, the larger first; empty: all alike
  std::string_view deadline = "";  ///< empty: none
};

/// A task that comes, and goes again.
struct arriving_task {
  gpu_task task{};
  seconds arrival{};
  seconds departure{std::numeric_limits<double>::infinity()};
  int user = 0;
  int priority = 0;
  seconds deadline{std::numeric_limits<double>::infinity()};
};

/// What was read of a table of tasks.
struct task_table {
  std::vector<arriving_task> tasks{};  ///< in the order of the table
  table_faults faults{};
};

namespace detail {

/// Columns of a table of tasks, in the order in which their names are given.
struct task_field {
  enum : std::size_t {
    gpus,
    share,
    cores,
    memory,
    types,
    arrival,
    departure,
    user,
    priority,
    deadline
  };
};

using task_rows = named_rows<10>;

/// What a task asks for, types apart. Like the readers below: false, and a fault counted, where
/// the row is no task.
inline bool read_request(task_rows& rows, gpu_task& task) {
  const auto count = rows.whole(task_field::gpus, gpu_node::most_gpus, allowed_node_gpus);
  if (!count) return false;
  task.gpus = static_cast<int>(*count);
  if (rows.has(task_field::share) && task.gpus > 0) {
    constexpr std::string_view allowed = "thousandths of a GPU, whole, 1 to 1000";
    const auto part = rows.whole(task_field::share, whole_gpu, allowed);
    if (!part) return false;
    if (*part < 1) {
      rows.refuse(task_field::share, field_problem::not_understood, allowed);
      return false;
    }
    task.gpu_thousandths = static_cast<int>(*part);
  }
  if (rows.has(task_field::cores)) {
    const auto asked = rows.whole(task_field::cores, most_table_cores, allowed_cores);
    if (!asked) return false;
    task.core_thousandths = static_cast<std::int64_t>(*asked);
  }
  if (rows.has(task_field::memory)) {
    const auto size = rows.whole(task_field::memory, most_table_memory, allowed_memory);
    if (!size) return false;
    task.memory = *size * units::MiB;
  }
  return true;
}

/// The types that a task accepts, with | between; new ones join the list of names.
inline bool read_types(task_rows& rows, name_list& types, gpu_task& task) {
  std::string_view names = rows.has(task_field::types) ? rows.text(task_field::types) : "";
  while (!names.empty()) {
    const std::size_t bar = names.find('|');
    const int kind = types.number_of(names.substr(0, bar), 64);
    if (kind < 0) {
      rows.refuse(task_field::types, field_problem::not_understood, allowed_types);
      return false;
    }
    names = bar == names.npos ? std::string_view{} : names.substr(bar + 1);
    task.accepted_types |= std::uint64_t{1} << kind;
  }
  return true;
}

/// When a task comes, goes, and is due.
inline bool read_times(task_rows& rows, arriving_task& each) {
  const auto time = [&](std::size_t name, seconds& value) {
    if (!rows.has(name) || rows.text(name).empty()) return true;
    const field_number when = instant_in(rows.text(name));
    if (when.problem) rows.refuse(name, *when.problem, "seconds, or YYYY-MM-DD HH:MM:SS");
    value = seconds{when.value};
    return !when.problem;
  };
  if (!time(task_field::arrival, each.arrival) || !time(task_field::departure, each.departure) ||
      !time(task_field::deadline, each.deadline))
    return false;
  if (!(each.departure < each.arrival)) return true;
  rows.refuse(task_field::departure, field_problem::ends_before_start,
              "a time at or after the arrival");
  return false;
}

/// Its priority, and the number of its user, new ones among them.
inline bool read_owner(task_rows& rows, name_list& users, arriving_task& each) {
  if (rows.has(task_field::priority)) {
    const auto rank = rows.whole(task_field::priority, 1e9, "a whole number from 0 to 1e9");
    if (!rank) return false;
    each.priority = static_cast<int>(*rank);
  }
  if (!rows.has(task_field::user)) return true;
  each.user = users.number_of(rows.text(task_field::user), 100000);
  if (each.user >= 0) return true;
  rows.refuse(task_field::user, field_problem::not_understood,
              "at most 100000 names of users in all");
  return false;
}

}  // namespace detail

/// Reads a table of tasks: a header, then a row for each with its GPUs, and where there are such
/// columns its share of each, cores, memory, types, times and user. A task without GPUs asks for
/// cores alone. Types are those of `types` or new ones; users are numbered in `users`.
///
/// Rows that are no task are counted, with the line and the reason; a column that is named
/// otherwise than usual must be there.
inline task_table read_tasks(std::string_view text, name_list& types, name_list& users,
                             const task_columns& columns = {}) {
  task_table read;
  const auto names_of = [](const task_columns& c) {
    return std::array{c.gpus,    c.share,     c.cores, c.memory,   c.types,
                      c.arrival, c.departure, c.user,  c.priority, c.deadline};
  };
  detail::task_rows rows{text, names_of(columns), names_of({}), 1, read.faults};
  read.tasks.reserve(rows.most_rows());
  while (rows.next()) {
    arriving_task each;
    if (detail::read_request(rows, each.task) && detail::read_types(rows, types, each.task) &&
        detail::read_times(rows, each) && detail::read_owner(rows, users, each))
      read.tasks.push_back(each);
  }
  return read;
}

}  // namespace gpuplan
