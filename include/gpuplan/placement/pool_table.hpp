#pragma once
/// \file
/// Nodes and tasks read from tables, in the columns of the open traces of 2023 or in others.

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

/// Reads a table of tasks: a header, then a row for each with its GPUs, and where there are such
/// columns its share of each, cores, memory, types, times and user. A task without GPUs asks for
/// cores alone. Types are those of `types` or new ones; users are numbered in `users`.
///
/// Rows that are no task are counted, with the line and the reason; a column that is named
/// otherwise than usual must be there.
inline task_table read_tasks(std::string_view text, name_list& types, name_list& users,
                             const task_columns& columns = {}) {
  enum : std::size_t {
    gpus,
    share,
    cores,
    memory,
    kinds,
    arrival,
    departure,
    user,
    priority,
    deadline
  };
  task_table read;
  const auto names_of = [](const task_columns& c) {
    return std::array{c.gpus,    c.share,     c.cores, c.memory,   c.types,
                      c.arrival, c.departure, c.user,  c.priority, c.deadline};
  };
  named_rows<10> rows{text, names_of(columns), names_of({}), 1, read.faults};
  read.tasks.reserve(rows.most_rows());
  while (rows.next()) {
    arriving_task each;
    const auto count = rows.whole(gpus, gpu_node::most_gpus, detail::allowed_node_gpus);
    if (!count) continue;
    each.task.gpus = static_cast<int>(*count);
    if (rows.has(share) && each.task.gpus > 0) {
      const auto part = rows.whole(share, whole_gpu, "thousandths of a GPU, whole, 1 to 1000");
      if (!part) continue;
      if (*part < 1) {
        rows.refuse(share, field_problem::not_understood, "thousandths of a GPU, whole, 1 to 1000");
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
      rows.refuse(kinds, field_problem::not_understood, detail::allowed_types);
      continue;
    }
    const auto time = [&](std::size_t name, seconds& value) {
      if (!rows.has(name) || rows.text(name).empty()) return true;
      const field_number when = instant_in(rows.text(name));
      if (when.problem) rows.refuse(name, *when.problem, "seconds, or YYYY-MM-DD HH:MM:SS");
      value = seconds{when.value};
      return !when.problem;
    };
    if (!time(arrival, each.arrival) || !time(departure, each.departure) ||
        !time(deadline, each.deadline))
      continue;
    if (each.departure < each.arrival) {
      rows.refuse(departure, field_problem::ends_before_start, "a time at or after the arrival");
      continue;
    }
    if (rows.has(priority)) {
      const auto rank = rows.whole(priority, 1e9, "a whole number from 0 to 1e9");
      if (!rank) continue;
      each.priority = static_cast<int>(*rank);
    }
    each.user = rows.has(user) ? users.number_of(rows.text(user), 100000) : 0;
    if (each.user < 0) {
      rows.refuse(user, field_problem::not_understood, "at most 100000 names of users in all");
      continue;
    }
    read.tasks.push_back(each);
  }
  return read;
}

}  // namespace gpuplan
