/// \file
/// Section host_copy: copies between host and device, by the copy engines.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>

#include "numa.hpp"
#include "part.hpp"
#include "sizes.hpp"

namespace gpuplan::probe {
namespace {

/// Copies both ways are measured from this size on: a plan uses the rate of long copies.
constexpr std::size_t least_both_ways = std::size_t{16} << 20;

/// Pinned host memory and device memory of the same size, for copies one way.
class host_link {
 public:
  host_link(host_direction direction, std::size_t size, const work_stream& stream)
      : direction_{direction}, host_{size}, device_{size} {
    std::memset(host_.data(), 1, size);
    check(cudaMemsetAsync(device_.data(), 1, size, stream.get()), "cudaMemsetAsync");
    stream.wait();
  }

  void copy(host_direction direction, std::size_t size, cudaStream_t stream) const {
    const bool up = direction == host_direction::to_device;
    check(cudaMemcpyAsync(up ? device_.data() : host_.data(), up ? host_.data() : device_.data(),
                          size, up ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost, stream),
          "cudaMemcpyAsync");
  }
  [[nodiscard]] stream_work work(std::size_t size) const {
    return [this, size](cudaStream_t to, std::size_t) { copy(direction_, size, to); };
  }
  [[nodiscard]] void* host() const { return host_.data(); }

  /// Copies a pattern to the device and back.
  /// \throws device_failure if it comes back changed
  void verify(const work_stream& stream) const {
    constexpr std::size_t words = (std::size_t{1} << 20) / sizeof(std::uint32_t);
    constexpr std::size_t size = words * sizeof(std::uint32_t);
    auto* host = static_cast<std::uint32_t*>(host_.data());
    for (std::size_t i = 0; i < words; ++i) host[i] = word_at(static_cast<std::uint32_t>(i));
    copy(host_direction::to_device, size, stream.get());
    stream.wait();
    std::memset(host, 0, size);
    copy(host_direction::to_host, size, stream.get());
    stream.wait();
    for (std::size_t i = 0; i < words; ++i)
      if (host[i] != word_at(static_cast<std::uint32_t>(i)))
        throw device_failure{"a copy to the device and back changes a word"};
  }

 private:
  host_direction direction_;
  pinned_memory host_;
  device_memory device_;
};

/// Warns where host memory lies in another NUMA node than the one next to the device: copies are
/// slower then.
void warn_of_far_memory(part& p, const void* host) {
  const std::optional<int> node = numa_node_of_memory(host);
  const std::optional<int> near = numa_node_of_device(bus_id_of(p.request.device));
  if (node && near && *node != *near)
    p.warn("host memory is in NUMA node " + std::to_string(*node) + ", the device next to node " +
           std::to_string(*near) + "; see numactl --cpunodebind");
}

}  // namespace

void measure_host_copy(part& p) {
  const std::size_t limit = std::size_t{256} << 20;
  const std::size_t most = std::min(limit, largest_array(free_memory(), 2, limit));
  stopwatch watch{p.monitor, p.budget};
  const work_stream other;
  constexpr std::array directions{host_direction::to_device, host_direction::to_host};
  const std::array<host_link, 2> links{host_link{directions[0], most, other},
                                       host_link{directions[1], most, other}};
  for (const host_link& link : links) link.verify(other);
  warn_of_far_memory(p, links[0].host());
  const auto keep = [&](std::size_t i, bool duplex, std::size_t size,
                        const std::optional<measured_time>& time) {
    if (!time)
      p.unmeasured.add("no time", std::to_string(size) + " B " +
                                      (directions[i] == host_direction::to_device ? "to the device"
                                                                                  : "to the host"));
    else
      p.device().host_copy.push_back({.direction = directions[i],
                                      .duplex = duplex,
                                      .size = bytes{static_cast<double>(size)},
                                      .time = *time});
  };

  for (std::size_t i = 0; i < 2; ++i) {
    watch.warm_up(links[i].work(most), seconds{0.3}, seconds{0.6});
    for (const std::size_t size : sizes_up_to(most, 4, 4))
      keep(i, false, size, watch.measure(links[i].work(size), sampling{}));
  }
  for (std::size_t i = 0; i < 2; ++i) {
    for (const std::size_t size : sizes_up_to(most, least_both_ways, 4)) {
      const disturbance back{.work = links[1 - i].work(size), .stream = other};
      keep(i, true, size, watch.measure(links[i].work(size), {.most_runs = 100}, &back));
    }
  }
}

}  // namespace gpuplan::probe
