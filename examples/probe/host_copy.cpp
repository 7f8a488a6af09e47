/// \file
/// Section host_copy: copies between host and device by the copy engines.
#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "numa.hpp"
#include "part.hpp"
#include "pattern.hpp"
#include "sweep.hpp"

namespace gpuplan::probe {
namespace {

constexpr std::size_t largest = std::size_t{256} << 20;
/// Copies both ways at once are compared from here: less is over before the other has begun.
constexpr std::size_t least_duplex = std::size_t{64} << 10;

cudaMemcpyKind kind_of(host_direction direction) {
  return direction == host_direction::to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
}

/// Host memory of one kind and device memory of the same size.
struct copy_ends {
  void* host;
  void* device;

  void copy(host_direction direction, std::size_t size, cudaStream_t stream) const {
    const bool up = direction == host_direction::to_device;
    check(cudaMemcpyAsync(up ? device : host, up ? host : device, size, kind_of(direction), stream),
          "cudaMemcpyAsync");
  }
};

/// What goes up must come down.
void verify(const copy_ends& ends, const work_stream& stream) {
  const std::size_t words = (std::size_t{1} << 20) / sizeof(std::uint32_t);
  auto* host = static_cast<std::uint32_t*>(ends.host);
  for (std::size_t i = 0; i < words; ++i) host[i] = word_at(static_cast<std::uint32_t>(i));
  ends.copy(host_direction::to_device, words * sizeof(std::uint32_t), stream.get());
  stream.wait();
  std::memset(ends.host, 0, words * sizeof(std::uint32_t));
  ends.copy(host_direction::to_host, words * sizeof(std::uint32_t), stream.get());
  stream.wait();
  for (std::size_t i = 0; i < words; ++i)
    if (host[i] != word_at(static_cast<std::uint32_t>(i)))
      throw device_failure{"a copy to the device and back changes a word"};
}

}  // namespace

void measure_host_copy(part& p) {
  probe_device& device = p.device();
  const std::size_t most = std::min(largest, largest_array(room_of_device().free, 2, largest));
  stopwatch watch{p.monitor, p.budget, p.how()};
  const work_stream other;
  const pinned_memory pinned_up{most};
  const pinned_memory pinned_down{most};
  const device_memory device_up{most};
  const device_memory device_down{most};
  std::vector<char> pageable(most, '\1');
  std::memset(pinned_up.data(), 1, most);
  std::memset(pinned_down.data(), 1, most);
  check(cudaMemsetAsync(device_up.data(), 1, most, other.get()), "cudaMemsetAsync");
  check(cudaMemsetAsync(device_down.data(), 1, most, other.get()), "cudaMemsetAsync");
  other.wait();
  const copy_ends up{pinned_up.data(), device_up.data()};
  const copy_ends down{pinned_down.data(), device_down.data()};
  const copy_ends paged{pageable.data(), device_up.data()};
  verify(up, other);
  verify(paged, other);

  const std::optional<int> node = numa_node_of_memory(pinned_up.data());
  const std::optional<int> near = numa_node_of_device(bus_id_of(p.request.device));
  if (node && near && *node != *near)
    p.report.warnings.push_back("device " + std::to_string(p.request.device) +
                                ": host memory of NUMA node " + std::to_string(*node) +
                                ", the device is next to " + std::to_string(*near) +
                                "; see numactl --cpunodebind");
  const bytes_per_second link =
      p.datasheet != nullptr ? p.datasheet->host.advertised.per_direction() : bytes_per_second{0};
  const auto keep = [&](probe_host_copy row, const timing& time) {
    if (time.empty()) {
      p.leave_out("no time", std::to_string(static_cast<long long>(row.size.in_base_units())) +
                                 " B " +
                                 (row.direction == host_direction::to_device ? "up" : "down"));
      return;
    }
    row.time = time.time();
    row.numa_node = node;
    if (link > bytes_per_second{0}) row.datasheet_share = row.size / row.time.median / link;
    device.host_copy.push_back(row);
  };
  const auto as_row = [](host_direction direction, std::size_t size) {
    return probe_host_copy{.direction = direction, .size = bytes{static_cast<double>(size)}};
  };

  const std::vector<std::size_t> sizes = host_copy_sizes(most, p.request.quick);
  constexpr std::array directions{host_direction::to_device, host_direction::to_host};

  for (const host_direction direction : directions) {
    const copy_ends& ends = direction == host_direction::to_device ? up : down;
    watch.warm_up([&](cudaStream_t to, std::size_t) { ends.copy(direction, most, to); },
                  seconds{0.3}, seconds{0.6});
    if (direction == host_direction::to_device) {
      // The link sleeps at a lower rate when nothing goes over it: asked while it works.
      ends.copy(direction, most, other.get());
      device.pcie = {.generation = p.monitor.pcie_generation(), .width = p.monitor.pcie_width()};
      other.wait();
    }
    for (const std::size_t size : sizes)
      keep(as_row(direction, size),
           watch.measure([&](cudaStream_t to, std::size_t) { ends.copy(direction, size, to); }));
  }

  // Both ways: the copies that disturb are twice as many as those that are timed, so that there are
  // some until the end.
  for (const host_direction direction : directions) {
    const bool is_up = direction == host_direction::to_device;
    const copy_ends& ends = is_up ? up : down;
    const copy_ends& against = is_up ? down : up;
    const host_direction back = is_up ? host_direction::to_host : host_direction::to_device;
    for (const std::size_t size : sizes) {
      if (size < least_duplex) continue;
      probe_host_copy row = as_row(direction, size);
      row.duplex = true;
      sampling how = p.how();
      how.most_works = 100;
      const timing time = watch.measure_beside(
          [&](cudaStream_t to, std::size_t) { ends.copy(direction, size, to); },
          [&](cudaStream_t to, std::size_t) { against.copy(back, size, to); }, 2, other, how);
      keep(row, time);
    }
  }
  p.publish();

  // Pageable copies wait for the host, so its clock takes their time, not a gated stream.
  for (const host_direction direction : directions) {
    for (const std::size_t size : sizes) {
      probe_host_copy row = as_row(direction, size);
      row.pinned = false;
      keep(row, watch.measure_on_host(
                    [&] {
                      paged.copy(direction, size, other.get());
                      other.wait();
                    },
                    [] {}, p.how()));
    }
  }
}

}  // namespace gpuplan::probe
