#pragma once
/// \file
/// Reads nodes and tasks from tables, with the columns of the 2023 open traces or others.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/gpu_task.hpp>
#include <gpuplan/placement/pool_table_columns.hpp>
#include <gpuplan/text/field_value.hpp>
#include <gpuplan/text/named_rows.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Where a table has no column of it: more than all jobs ask for, and finite, so that shares of it
/// that are in use are 0.
inline constexpr bytes unstated_host_memory{1e300};

namespace detail {

constexpr double most_table_cores = 1e9;    // thousandths
constexpr double most_table_memory = 1e12;  // MiB
constexpr std::string_view allowed_node_gpus = "0 to 16, whole: the most GPUs of a node are 16";
constexpr std::string_view allowed_task_gpus =
    "0 to 16, whole: those of one node; a job on several nodes is a row for each";
constexpr std::string_view allowed_cores = "thousandths of cores, whole, 0 to 1e9";
constexpr std::string_view allowed_memory = "MiB, whole, 0 to 1e12";
constexpr double most_table_watts = 1e6;
constexpr double most_table_network = 1e9;  // Gbit/s
constexpr std::string_view allowed_watts = "W, 0 to 1e6";
constexpr std::string_view allowed_network = "Gbit/s, 0 to 1e9";
constexpr std::string_view allowed_types = "at most 64 names of types in all";

/// The number of a type of GPU, whose name a table may write in other letters: h100 is H100; -1
/// where there is no room for another.
inline int number_of_type(name_list& types, std::string_view name) {
  const auto small = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  const auto is_same = [&](char a, char b) { return small(a) == small(b); };
  const auto known = types.names();
  for (std::size_t i = 0; i < known.size(); ++i)
    if (std::equal(known[i].begin(), known[i].end(), name.begin(), name.end(), is_same))
      return static_cast<int>(i);
  return types.number_of(name, 64);
}

}  // namespace detail

/// What a table says of a node beside what placement looks at; empty where it says nothing.
struct node_facts {
  std::string name{};
  std::optional<watts> gpu_power{};           ///< of each GPU
  std::optional<bytes_per_second> network{};  ///< out of the node, one direction
  std::optional<bytes> gpu_memory{};          ///< of each GPU
};

/// What was read of a table of nodes.
struct node_table {
  std::vector<gpu_node> nodes{};
  std::vector<node_facts> facts{};  ///< of each node
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
  enum : std::size_t { gpus, cores, memory, type, rack, name, power, network, gpu_memory };
  node_table read;
  name_list racks;
  constexpr node_columns usual;
  const auto names_of = [](const node_columns& c) {
    return std::array{c.gpus, c.cores, c.memory,  c.type,      c.rack,
                      c.name, c.power, c.network, c.gpu_memory};
  };
  named_rows<9> rows{text, names_of(columns), names_of(usual), 2, read.faults};
  read.nodes.reserve(rows.most_rows());
  read.facts.reserve(rows.most_rows());
  read.rack_of.reserve(rows.most_rows());
  while (rows.next()) {
    const auto count = rows.whole(gpus, gpu_node::most_gpus, detail::allowed_node_gpus);
    if (!count) continue;
    const auto thousandths = rows.whole(cores, detail::most_table_cores, detail::allowed_cores);
    if (!thousandths) continue;
    bytes host = unstated_host_memory;
    if (rows.has(memory)) {
      const auto size = rows.whole(memory, detail::most_table_memory, detail::allowed_memory);
      if (!size) continue;
      host = *size * units::MiB;
    }
    // Without the column the name is "".
    const int kind = detail::number_of_type(types, rows.text(type));
    if (kind < 0) {
      rows.refuse(type, field_problem::not_understood, detail::allowed_types);
      continue;
    }
    const int where = rows.has(rack) ? racks.number_of(rows.text(rack), 100000) : 0;
    if (where < 0) {
      rows.refuse(rack, field_problem::not_understood, "at most 100000 names of racks in all");
      continue;
    }
    node_facts facts{.name = rows.has(name) ? std::string(rows.text(name)) : std::string{}};
    const auto power_of = rows.amount(power, detail::most_table_watts, detail::allowed_watts);
    const auto speed = rows.amount(network, detail::most_table_network, detail::allowed_network);
    const auto each = rows.amount(gpu_memory, detail::most_table_memory, detail::allowed_memory);
    if (!power_of || !speed || !each) continue;
    if (*power_of) facts.gpu_power = **power_of * units::watt;
    if (*speed) facts.network = **speed * 1e9 / 8 * units::byte / units::second;
    if (*each) facts.gpu_memory = **each * units::MiB;
    read.facts.push_back(std::move(facts));
    read.nodes.push_back(
        empty_node(static_cast<int>(*count), static_cast<std::int64_t>(*thousandths), host, kind));
    read.rack_of.push_back(where);
  }
  return read;
}

/// A task that comes, and goes again.
struct arriving_task {
  gpu_task task{};
  seconds arrival{};
  seconds departure{std::numeric_limits<double>::infinity()};
  int user = 0;
  int priority = 0;
  seconds deadline{std::numeric_limits<double>::infinity()};
  int job = -1;                               ///< that it is a part of, by number; -1: of no other
  int data = -1;                              ///< which list of nodes has its data; -1: none said
  int most_nodes = 0;                         ///< of its job, >= 1; 0: no limit
  std::optional<bytes_per_second> network{};  ///< out of the node; empty: not said
  std::optional<bytes> gpu_memory{};          ///< of each GPU; empty: not said
};

/// What was read of a table of tasks.
struct task_table {
  std::vector<arriving_task> tasks{};  ///< in the order of the table
  table_faults faults{};
  name_list jobs{};        ///< names of jobs of several parts
  name_list data_lists{};  ///< lists of names of nodes, as they are written
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
    deadline,
    job,
    data,
    max_nodes,
    network,
    gpu_memory
  };
};

using task_rows = named_rows<15>;

/// What a task asks for, types apart. Like the readers below: false, and a fault counted, where
/// the row is no task.
inline bool read_request(task_rows& rows, gpu_task& task) {
  const auto count = rows.whole(task_field::gpus, gpu_node::most_gpus, allowed_task_gpus);
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
    const int kind = number_of_type(types, names.substr(0, bar));
    if (kind < 0) {
      rows.refuse(task_field::types, field_problem::not_understood, allowed_types);
      return false;
    }
    names = bar == names.npos ? std::string_view{} : names.substr(bar + 1);
    task.accepted_types |= std::uint64_t{1} << kind;
  }
  return true;
}

/// When a task comes, goes, and is due, by the clock of the table.
inline bool read_times(task_rows& rows, field_clock& clock, arriving_task& each) {
  const auto time = [&](std::size_t name, seconds& value) {
    if (!rows.has(name) || rows.text(name).empty()) return true;
    const field_number when = clock.instant(rows.text(name));
    if (when.problem)
      rows.refuse(name, *when.problem,
                  field_clock::is_other_kind(*when.problem) ? field_clock::allowed
                                                            : "seconds, or YYYY-MM-DD HH:MM:SS");
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

/// What the rules of placement are checked by: its job, its data, its limits, and what the policies
/// do not look at.
inline bool read_rules(task_rows& rows, task_table& read, arriving_task& each) {
  const auto number = [&](std::size_t name, name_list& names, int& value) {
    if (!rows.has(name) || rows.text(name).empty()) return true;
    value = names.number_of(rows.text(name), 10000000);
    if (value < 0) rows.refuse(name, field_problem::not_understood, "at most 1e7 names in all");
    return value >= 0;
  };
  if (!number(task_field::job, read.jobs, each.job) ||
      !number(task_field::data, read.data_lists, each.data))
    return false;
  if (rows.has(task_field::max_nodes) && !rows.text(task_field::max_nodes).empty()) {
    constexpr std::string_view allowed = "nodes, a whole number from 1 to 1e6";
    const auto most = rows.whole(task_field::max_nodes, 1e6, allowed);
    if (!most) return false;
    if (*most < 1) {
      rows.refuse(task_field::max_nodes, field_problem::not_understood, allowed);
      return false;
    }
    each.most_nodes = static_cast<int>(*most);
  }
  const auto speed = rows.amount(task_field::network, most_table_network, allowed_network);
  const auto memory = rows.amount(task_field::gpu_memory, most_table_memory, allowed_memory);
  if (!speed || !memory) return false;
  if (*speed) each.network = **speed * 1e9 / 8 * units::byte / units::second;
  if (*memory) each.gpu_memory = **memory * units::MiB;
  return true;
}

}  // namespace detail

/// Reads a table of tasks: a header, then a row for each with its GPUs, and where there are such
/// columns its share of each, cores, memory, types, times, user and rules. A task without GPUs asks
/// for cores alone. Types are those of `types` or new ones; users are numbered in `users`.
///
/// Rows that are no task are counted, with the line and the reason; a column that is named
/// otherwise than usual must be there. Times are all dates or all seconds, as the first one is:
/// others are faults.
inline task_table read_tasks(std::string_view text, name_list& types, name_list& users,
                             const task_columns& columns = {}) {
  task_table read;
  const auto names_of = [](const task_columns& c) {
    return std::array{c.gpus,    c.share,     c.cores,     c.memory,   c.types,
                      c.arrival, c.departure, c.user,      c.priority, c.deadline,
                      c.job,     c.data,      c.max_nodes, c.network,  c.gpu_memory};
  };
  detail::task_rows rows{text, names_of(columns), names_of({}), 1, read.faults};
  read.tasks.reserve(rows.most_rows());
  field_clock clock;
  while (rows.next()) {
    arriving_task each;
    if (detail::read_request(rows, each.task) && detail::read_types(rows, types, each.task) &&
        detail::read_times(rows, clock, each) && detail::read_owner(rows, users, each) &&
        detail::read_rules(rows, read, each))
      read.tasks.push_back(each);
  }
  return read;
}

}  // namespace gpuplan
