/// \file
/// Section power: what the GPU draws while it rests, moves memory, or multiplies.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "energy.hpp"
#include "part.hpp"
#include "product.hpp"
#include "streaming.hpp"
#include "sweep.hpp"
#include "throttle.hpp"

namespace gpuplan::probe {
namespace {

constexpr std::chrono::milliseconds look_every{25};
constexpr std::chrono::milliseconds read_meter_every{5};

double mean_of(const std::vector<watts>& power) {
  double sum = 0;
  for (const watts one : power) sum += one.in_base_units();
  return sum / static_cast<double>(power.size());
}

/// Batches of work that follow each other without a gap.
class batches {
 public:
  explicit batches(const work_stream& stream) : stream_{stream} {}

  /// Sends one more, and waits for the one before it.
  void send(const std::function<void(cudaStream_t)>& work) {
    for (int i = 0; i < 8; ++i) work(stream_.get());
    ends_[sent_++ % 2].record(stream_.get());
    if (sent_ > 1) check(cudaEventSynchronize(ends_[sent_ % 2].get()), "cudaEventSynchronize");
  }

 private:
  const work_stream& stream_;
  std::array<moment, 2> ends_{};
  std::size_t sent_ = 0;
};

/// Looks at the device every 25 ms, and at its meter of energy every 5, while `work` is done for
/// `duration`: on a thread of its own, since a look may take milliseconds, in which the device must
/// not wait for work.  The reading of some devices is the mean of the last second, so what comes
/// before `duration` is not looked at.
probe_power_block block_of(const std::string& name, const gpu_monitor& monitor, seconds before,
                           seconds duration, const std::function<void()>& work) {
  using host_clock = std::chrono::steady_clock;
  auto begin = host_clock::now();
  while (since(begin) < before) work();

  monitored seen;
  std::atomic<bool> is_over{false};
  begin = host_clock::now();
  energy_readings energy;
  std::optional<joules> energy_before;
  std::optional<joules> energy_after;
  seconds took;
  std::thread looker{[&] {
    energy_before = monitor.energy();
    for (int turn = 0; !is_over.load(); ++turn) {
      if (turn % (look_every / read_meter_every) == 0) look(monitor, seen);
      energy.add(since(begin), monitor.energy());
      std::this_thread::sleep_for(read_meter_every);
    }
    energy_after = monitor.energy();
    took = since(begin);
  }};
  try {
    while (since(begin) < duration) work();
  } catch (...) {
    is_over.store(true);
    looker.join();
    throw;
  }
  is_over.store(true);
  looker.join();

  probe_power_block block{.work = name, .duration = took};
  if (energy_before && energy_after && *energy_after > *energy_before)
    block.energy = *energy_after - *energy_before;
  if (const auto mean = energy.power()) {
    block.mean = mean;
  } else if (block.energy) {
    block.mean = *block.energy / took;
  } else if (!seen.power.empty()) {
    block.mean = watts{mean_of(seen.power)};
  }
  if (!seen.clocks.empty()) {
    std::vector<double> clocks;
    for (const per_second clock : seen.clocks) clocks.push_back(clock.in_base_units());
    block.clock = per_second{quantile_of(clocks, 0.5)};
    block.throttle = throttle_reasons(seen.throttle);
  }
  return block;
}

}  // namespace

void measure_power(part& p) {
  if (!p.monitor.power()) {
    p.miss("the device does not say what it draws");
    return;
  }
  probe_device& device = p.device();
  const double part_of_full = p.request.quick ? 0.5 : 1;
  const seconds before = part_of_full * seconds{0.5};
  const seconds duration = part_of_full * seconds{1.2};
  const work_stream stream;
  const auto add = [&](const std::string& name, std::optional<watts>& mean,
                       const std::function<void()>& work) {
    const probe_power_block block = block_of(name, p.monitor, before, duration, work);
    mean = block.mean;
    for (const std::string& reason : block.throttle)
      if (std::find(device.power.throttle.begin(), device.power.throttle.end(), reason) ==
          device.power.throttle.end())
        device.power.throttle.push_back(reason);
    device.power.blocks.push_back(block);
  };

  add("idle", device.power.idle,
      [] { std::this_thread::sleep_for(std::chrono::milliseconds{50}); });
  {
    const std::size_t size = largest_array(room_of_device().free, 3, std::size_t{1} << 30);
    const streaming_arrays arrays{size, device.multiprocessors};
    arrays.fill_words(stream.get());
    batches copies{stream};
    add("hbm", device.power.hbm, [&] {
      copies.send([&](cudaStream_t to) { arrays.run(memory_operation::copy, size, 0, 256, to); });
    });
    stream.wait();
  }
  const square_product product{p.capability(), 8192, stream};
  batches products{stream};
  add("gemm", device.power.gemm, [&] { products.send([&](cudaStream_t to) { product.run(to); }); });
  stream.wait();
}

}  // namespace gpuplan::probe
