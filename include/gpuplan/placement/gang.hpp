#pragma once
/// \file
/// Places a gang that may need several nodes, as close together as there is room.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <gpuplan/placement/constraint.hpp>
#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/gpu_task.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// What a gang asks for: whole GPUs, each with its cores and memory of the host.
struct gang_request {
  int gpus = 8;                                         ///< >= 1
  std::int64_t core_thousandths_per_gpu{};              ///< >= 0
  bytes memory_per_gpu{};                               ///< >= 0
  std::uint64_t accepted_types = 0;                     ///< as of a task
  topology_span widest = topology_span::whole_cluster;  ///< that it allows

  /// Its part on a node where it gets so many GPUs.
  [[nodiscard]] constexpr gpu_task part(int on_node) const {
    return {.gpus = on_node,
            .gpu_thousandths = whole_gpu,
            .core_thousandths = on_node * core_thousandths_per_gpu,
            .memory = on_node * memory_per_gpu,
            .accepted_types = accepted_types};
  }
};

/// \throws invalid_input if a field is out of range
constexpr void require_valid(const gang_request& gang) {
  require(gang.gpus >= 1, "gang_request: gpus must be >= 1");
  require(
      gang.core_thousandths_per_gpu >= 0 && gang.core_thousandths_per_gpu <= std::int64_t{1} << 50,
      "gang_request: core_thousandths_per_gpu must be >= 0 and <= 2^50");
  require(gang.memory_per_gpu >= bytes{0}, "gang_request: memory_per_gpu must be >= 0 B");
}

/// Where nodes are.
struct pool_topology {
  std::span<const int> rack_of{};  ///< of each node, >= 0; empty: all in one rack
  int gpus_per_domain = 0;         ///< of an NVLink domain inside a node; 0: the node is one
};

/// A gang's part on one node.
struct gang_part {
  std::size_t node = 0;
  gpu_task task{};
  gpu_set gpus = 0;
};

/// Where the gang goes.
struct gang_location {
  std::vector<gang_part> parts{};
  topology_span span = topology_span::gpu;  ///< the narrowest level that holds all of its GPUs
};

/// GPUs that a node could give the gang now.
constexpr int gang_room(const gpu_node& host, const gang_request& gang) {
  if (gang.accepted_types != 0 && ((gang.accepted_types >> host.type) & 1U) == 0) return 0;
  int room = std::min(host.whole_free_gpus(), gang.gpus);
  while (room > 0 && !can_host(host, gang.part(room))) --room;
  return room;
}

namespace detail {

/// GPUs of one NVLink domain where one has enough whole ones free, that with the fewest; else none.
constexpr gpu_set domain_with(const gpu_node& host, int gpus, int gpus_per_domain) {
  const int size = gpus_per_domain == 0 ? host.gpus : gpus_per_domain;
  gpu_set best = 0;
  int fewest = gpu_node::most_gpus + 1;
  for (int first = 0; first < host.gpus; first += size) {
    gpu_set chosen = 0;
    int free = 0;
    for (int gpu = first; gpu < std::min(first + size, host.gpus); ++gpu) {
      if (host.free_gpu[static_cast<std::size_t>(gpu)] < whole_gpu) continue;
      if (free++ < gpus) chosen = static_cast<gpu_set>(chosen | (1U << gpu));
    }
    if (free < gpus || free >= fewest) continue;
    fewest = free;
    best = chosen;
  }
  return best;
}

/// Fills nodes with the gang, the roomiest first, so that it lies on as few as there can be; the
/// last node is the one with the least room that is enough.
inline gang_location spread_gang(std::span<const gpu_node> nodes, std::vector<std::size_t> among,
                                 std::span<const int> room, const gang_request& gang) {
  std::stable_sort(among.begin(), among.end(),
                   [&](std::size_t a, std::size_t b) { return room[a] > room[b]; });
  gang_location where;
  int left = gang.gpus;
  for (std::size_t at = 0; at < among.size() && left > 0; ++at) {
    std::size_t n = among[at];
    if (room[n] >= left)
      for (std::size_t later = at; later < among.size() && room[among[later]] >= left; ++later)
        n = among[later];
    const gpu_task task = gang.part(std::min(left, room[n]));
    where.parts.push_back({n, task, choose_gpus(nodes[n], task, gpu_choice::least_free)});
    left -= task.gpus;
  }
  return where;
}

/// A gang that looks for a place: what it asks for, the nodes, and what each could give it.
struct gang_search {
  std::span<const gpu_node> nodes{};
  const gang_request& gang;
  const pool_topology& topology;
  std::vector<int> room{};  ///< of each node, GPUs

  using rack_nodes = std::vector<std::size_t>;

  [[nodiscard]] std::int64_t room_of(const rack_nodes& rack) const {
    return std::accumulate(rack.begin(), rack.end(), std::int64_t{0},
                           [&](std::int64_t sum, std::size_t n) { return sum + room[n]; });
  }

  /// The nodes with room, by rack.
  [[nodiscard]] std::map<int, rack_nodes> racks() const {
    std::map<int, rack_nodes> racks;
    for (std::size_t n = 0; n < nodes.size(); ++n)
      if (room[n] > 0) racks[topology.rack_of.empty() ? 0 : topology.rack_of[n]].push_back(n);
    return racks;
  }

  /// On the narrowest level inside one node, where the least is left over.
  [[nodiscard]] std::optional<gang_location> on_one_node() const {
    std::optional<gang_location> best;
    int least_left = gpu_node::most_gpus + 1;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      if (room[n] < gang.gpus) continue;
      const gpu_set domain = domain_with(nodes[n], gang.gpus, topology.gpus_per_domain);
      const topology_span span = gang.gpus == 1 ? topology_span::gpu
                                 : domain != 0  ? topology_span::nvlink_domain
                                                : topology_span::one_node;
      const int left = nodes[n].whole_free_gpus() - gang.gpus;
      if (span > gang.widest ||
          (best && (span > best->span || (span == best->span && left >= least_left))))
        continue;
      const gpu_task task = gang.part(gang.gpus);
      const gpu_set on = domain != 0 ? domain : choose_gpus(nodes[n], task, gpu_choice::least_free);
      best = gang_location{.parts = {{n, task, on}}, .span = span};
      least_left = left;
    }
    return best;
  }

  /// In the rack where it needs the fewest nodes, and of such the one with the least room.
  [[nodiscard]] std::optional<gang_location> in_one_rack(
      const std::map<int, rack_nodes>& racks) const {
    std::optional<gang_location> best;
    std::int64_t least_room = 0;
    for (const auto& [number, rack] : racks) {
      const std::int64_t all = room_of(rack);
      if (all < gang.gpus) continue;
      gang_location where = spread_gang(nodes, rack, room, gang);
      where.span = topology_span::rack;
      if (best && (where.parts.size() > best->parts.size() ||
                   (where.parts.size() == best->parts.size() && all >= least_room)))
        continue;
      best = std::move(where);
      least_room = all;
    }
    return best;
  }

  /// Over racks, the roomiest first.
  [[nodiscard]] std::optional<gang_location> over_racks(std::map<int, rack_nodes> racks) const {
    std::vector<rack_nodes> by_room;
    for (auto& [number, rack] : racks) by_room.push_back(std::move(rack));
    std::stable_sort(by_room.begin(), by_room.end(),
                     [&](const auto& a, const auto& b) { return room_of(a) > room_of(b); });
    gang_location where{.parts = {}, .span = topology_span::whole_cluster};
    gang_request rest = gang;
    for (const rack_nodes& rack : by_room) {
      if (rest.gpus == 0) break;
      for (gang_part& part : spread_gang(nodes, rack, room, rest).parts) {
        rest.gpus -= part.task.gpus;
        where.parts.push_back(part);
      }
    }
    if (rest.gpus > 0) return std::nullopt;
    return where;
  }
};

}  // namespace detail

/// Places a gang as close together as there is room: on one NVLink domain, else one node, else one
/// rack on the fewest nodes, else over racks, the roomiest first; within a level where the least is
/// left over. Empty where it finds no place within the widest level that it allows.
///
/// \throws invalid_input if the request is out of range, or racks are not given for each node
inline std::optional<gang_location> locate_gang(std::span<const gpu_node> nodes,
                                                const gang_request& gang,
                                                const pool_topology& topology = {}) {
  require_valid(gang);
  require(topology.rack_of.empty() || topology.rack_of.size() == nodes.size(),
          "pool_topology: rack_of must be empty or have each node");
  require(topology.gpus_per_domain >= 0, "pool_topology: gpus_per_domain must be >= 0");

  detail::gang_search search{.nodes = nodes, .gang = gang, .topology = topology};
  search.room.reserve(nodes.size());
  for (const gpu_node& host : nodes) search.room.push_back(gang_room(host, gang));
  if (auto where = search.on_one_node(); where || gang.widest < topology_span::rack) return where;
  auto racks = search.racks();
  if (auto where = search.in_one_rack(racks); where || gang.widest < topology_span::whole_cluster)
    return where;
  return search.over_racks(std::move(racks));
}

}  // namespace gpuplan
