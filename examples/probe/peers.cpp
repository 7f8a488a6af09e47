/// \file
/// Section peers: copies between two devices, each way alone and both at once.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "part.hpp"
#include "pattern.hpp"
#include "reference.hpp"
#include "streaming.hpp"

namespace gpuplan::probe {
namespace {

constexpr std::size_t size = std::size_t{64} << 20;
constexpr std::size_t small = 16;

/// One of the two: buffers to send from and to receive into.
struct peer {
  explicit peer(int index) : device{select(index)} {}

  static int select(int index) {
    check(cudaSetDevice(index), "cudaSetDevice");
    return index;
  }

  int device;
  work_stream stream{};
  device_memory outgoing{size};
  device_memory incoming{size};
  device_memory sums{sizeof(std::uint32_t)};
};

/// Lets `from` reach into the memory of `to` where it can.
bool opened(int from, int to) {
  int can = 0;
  check(cudaDeviceCanAccessPeer(&can, from, to), "cudaDeviceCanAccessPeer");
  if (can == 0) return false;
  check(cudaSetDevice(from), "cudaSetDevice");
  const cudaError_t error = cudaDeviceEnablePeerAccess(to, 0);
  if (error == cudaErrorPeerAccessAlreadyEnabled) {
    (void)cudaGetLastError();
    return true;
  }
  check(error, "cudaDeviceEnablePeerAccess");
  return true;
}

void send(const peer& from, const peer& to, std::size_t bytes, cudaStream_t stream) {
  check(cudaMemcpyPeerAsync(to.incoming.data(), to.device, from.outgoing.data(), from.device, bytes,
                            stream),
        "cudaMemcpyPeerAsync");
}

/// One direction of what joins two devices: links of their own, or those to their hosts; 0: not
/// known.
bytes_per_second datasheet_link(const accelerator* datasheet, const std::string& joined) {
  if (datasheet == nullptr || joined.empty()) return {};
  if (joined != "nvlink") return datasheet->host.advertised.per_direction();
  const scale_up_links& links = datasheet->scale_up;
  return (links.joined == wiring::direct ? links.one_peer : links.all_peers)
      .advertised.per_direction();
}

/// Whether every byte arrives.
bool arrives(const peer& from, const peer& to) {
  const std::size_t words = size / sizeof(std::uint32_t);
  check(cudaSetDevice(to.device), "cudaSetDevice");
  check(cudaMemsetAsync(to.incoming.data(), 0, size, to.stream.get()), "cudaMemsetAsync");
  to.stream.wait();
  check(cudaSetDevice(from.device), "cudaSetDevice");
  const std::uint32_t first = 11 + static_cast<std::uint32_t>(from.device);
  check(launch_fill(from.outgoing.as<std::uint32_t>(), words, first, from.stream.get()), "fill");
  send(from, to, size, from.stream.get());
  from.stream.wait();
  std::vector<std::uint32_t> found(words);
  check(cudaMemcpy(found.data(), to.incoming.data(), size, cudaMemcpyDeviceToHost), "cudaMemcpy");
  for (std::size_t i = 0; i < words; ++i)
    if (found[i] != word_at(first + static_cast<std::uint32_t>(i))) return false;
  return true;
}

}  // namespace

void measure_peers(part& p) {
  const int a = p.request.device;
  const int b = p.request.peer;
  const gpu_monitor there{p.management, bus_id_of(b)};
  const std::string joined = p.monitor.joined_to(there);
  const std::array<bool, 2> access{opened(a, b), opened(b, a)};
  const std::array<peer, 2> ends{peer{a}, peer{b}};
  p.start_clock();
  const std::array<const gpu_monitor*, 2> monitors{&p.monitor, &there};
  std::array<bytes_per_second, 2> beside{};
  bool has_both = true;
  for (std::size_t i = 0; i < 2; ++i) {
    const peer& from = ends[i];
    const peer& to = ends[1 - i];
    // In the report from here on: what was measured stays there if something fails.
    p.report.p2p.push_back(
        {.source = from.device, .destination = to.device, .access = access[i], .topology = joined});
    probe_peer_row& row = p.report.p2p.back();
    row.verified = arrives(from, to);
    if (!*row.verified) row.problem = "bytes do not arrive as they were sent";
    check(cudaSetDevice(from.device), "cudaSetDevice");
    stopwatch watch{*monitors[i], p.budget, p.how()};
    const auto forth = [&](cudaStream_t on, std::size_t) { send(from, to, size, on); };
    const auto back = [&](cudaStream_t on, std::size_t) { send(to, from, size, on); };
    watch.warm_up(forth, seconds{0.1}, seconds{0.2});
    const bytes whole{static_cast<double>(size)};
    sampling how = p.how();
    how.samples = 9;
    how.length = seconds{3e-3};
    how.most_works = 100;
    // Without access a copy goes through the host, which may wait for it: not behind a gate.
    const auto measure = [&](const stream_work& work) {
      if (access[i]) return watch.measure(work, how);
      return watch.measure_on_host([&] { work(from.stream.get(), 0); }, [&] { from.stream.wait(); },
                                   how);
    };
    const timing alone = measure(forth);
    if (!alone.empty()) row.one_way = whole / alone.time().median;
    if (const bytes_per_second link = datasheet_link(p.datasheet, joined);
        row.one_way && link > bytes_per_second{0})
      row.datasheet_share = *row.one_way / link;
    const timing with_back =
        access[0] && access[1] ? watch.measure_beside(forth, back, 2, to.stream, how) : timing{};
    if (with_back.empty())
      has_both = false;
    else
      beside[i] = whole / with_back.time().median;
    how.length = seconds{1e-3};
    const timing few = measure([&](cudaStream_t on, std::size_t) { send(from, to, small, on); });
    if (!few.empty()) row.latency = few.time().median;
    if (alone.empty() || few.empty())
      p.miss("no time for all copies to " + std::to_string(to.device));
    p.publish();
  }
  if (!has_both) return;
  for (probe_peer_row& row : p.report.p2p) row.both_ways = beside[0] + beside[1];
}

}  // namespace gpuplan::probe
