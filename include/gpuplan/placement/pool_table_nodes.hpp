#pragma once
/// \file
/// Nodes read from a table, in the columns of the open traces of 2023 or in others.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <gpuplan/placement/gpu_node.hpp>
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

}  // namespace gpuplan
