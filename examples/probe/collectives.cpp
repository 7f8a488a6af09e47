/// \file
/// Section collectives: NCCL among the devices of this machine, all of them in one process.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

#include "nccl.hpp"
#include "pair_of_works.hpp"
#include "part.hpp"
#include "product.hpp"
#include "reference.hpp"
#include "sweep.hpp"

namespace gpuplan::probe {
namespace {

constexpr std::array operations{collective::all_reduce, collective::all_gather,
                                collective::reduce_scatter, collective::all_to_all,
                                collective::send_receive};

/// Devices with a communicator and two buffers each.
class team {
 public:
  team(const nccl_library& nccl, std::vector<int> devices)
      : nccl_{nccl}, devices_{std::move(devices)}, communicators_(devices_.size(), nullptr) {
    for (const int device : devices_) {
      select(device);
      check(cudaFree(nullptr), "the context");
      streams_.push_back(std::make_unique<work_stream>());
    }
    take_buffers(first_use);
    const std::vector<std::size_t> before = free_of_each();
    must(nccl_.init_all(communicators_.data(), ranks(), devices_.data()), "ncclCommInitAll");
    use_first();
    const std::vector<std::size_t> left = free_of_each();
    for (std::size_t i = 0; i < devices_.size(); ++i)
      taken_.push_back(before[i] > left[i] ? before[i] - left[i] : 0);
    from_.clear();
    to_.clear();
    const std::vector<std::size_t> now = free_of_each();
    least_free_ = *std::min_element(now.begin(), now.end());
  }
  ~team() {
    for (const auto communicator : communicators_)
      if (communicator != nullptr) (void)nccl_.destroy(communicator);
  }
  team(const team&) = delete;
  team& operator=(const team&) = delete;

  [[nodiscard]] int ranks() const { return static_cast<int>(devices_.size()); }
  [[nodiscard]] const std::vector<int>& devices() const { return devices_; }
  /// Bytes that the communicator took of each device for its first collectives.
  [[nodiscard]] const std::vector<std::size_t>& taken() const { return taken_; }
  [[nodiscard]] std::size_t least_free() const { return least_free_; }

  /// Buffers of `size` to send from, filled with small whole floats, and to receive into.
  void take_buffers(std::size_t size) {
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      select(devices_[i]);
      from_.push_back(std::make_unique<device_memory>(size));
      to_.push_back(std::make_unique<device_memory>(size));
      check(launch_fill_floats(from_.back()->as<float>(), size / sizeof(float), streams_[i]->get()),
            "fill");
      check(cudaMemsetAsync(to_.back()->data(), 0, size, streams_[i]->get()), "cudaMemsetAsync");
    }
    wait();
  }

  void wait() const {
    for (const auto& stream : streams_) stream->wait();
  }

  void select_first() const { select(devices_.front()); }
  [[nodiscard]] const work_stream& first_stream() const { return *streams_.front(); }

  /// One collective of `count` floats: as many as the larger of what each rank gives and gets.
  void run(collective what, std::size_t count) const {
    const std::size_t part = count / devices_.size();
    must(nccl_.group_start(), "ncclGroupStart");
    int error = 0;
    for (std::size_t i = 0; i < devices_.size() && error == 0; ++i) {
      select(devices_[i]);
      error = call(what, i, count, part);
    }
    const int end = nccl_.group_end();
    must(error, "a collective");
    must(end, "ncclGroupEnd");
  }

  /// Whether the first and the last number of every rank are what they should be.
  [[nodiscard]] bool is_right(collective what, std::size_t count) const {
    run(what, count);
    wait();
    const std::size_t part = count / devices_.size();
    const std::size_t got = what == collective::reduce_scatter ? part : count;
    for (std::size_t i = 0; i < devices_.size(); ++i) {
      select(devices_[i]);
      for (const std::size_t at : {std::size_t{0}, got - 1}) {
        float found = 0;
        check(cudaMemcpy(&found, to_[i]->as<float>(at * sizeof(float)), sizeof found,
                         cudaMemcpyDeviceToHost),
              "cudaMemcpy");
        if (found != wanted(what, i, at, part)) return false;
      }
    }
    return true;
  }

 private:
  static constexpr std::size_t first_use = std::size_t{16} << 20;

  [[nodiscard]] std::vector<std::size_t> free_of_each() const {
    std::vector<std::size_t> free;
    for (const int device : devices_) {
      select(device);
      free.push_back(room_of_device().free);
    }
    return free;
  }

  /// Each operation, small and large: NCCL connects its ranks, and takes most of its memory, at the
  /// first use.  What fails fails again when it is measured, and is told then.
  void use_first() const {
    for (const collective what : operations) {
      for (const std::size_t bytes : {std::size_t{1} << 10, first_use}) {
        try {
          run(what, bytes / sizeof(float) / devices_.size() * devices_.size());
        } catch (const device_failure&) {
          break;
        }
      }
    }
    wait();
  }

  static void select(int device) { check(cudaSetDevice(device), "cudaSetDevice"); }

  void must(int result, const char* call) const {
    if (result != 0) throw device_failure{std::string{call} + ": " + nccl_.error_text(result)};
  }

  [[nodiscard]] int call(collective what, std::size_t rank, std::size_t count,
                         std::size_t part) const {
    constexpr int number = nccl_library::float32;
    const auto* from = from_[rank]->as<const float>();
    auto* to = to_[rank]->as<float>();
    const auto own = communicators_[rank];
    void* stream = streams_[rank]->get();
    switch (what) {
      case collective::all_reduce:
        return nccl_.all_reduce(from, to, count, number, nccl_library::sum, own, stream);
      case collective::all_gather: return nccl_.all_gather(from, to, part, number, own, stream);
      case collective::reduce_scatter:
        return nccl_.reduce_scatter(from, to, part, number, nccl_library::sum, own, stream);
      case collective::all_to_all: {
        int error = 0;
        for (std::size_t other = 0; other < devices_.size() && error == 0; ++other) {
          const int peer = static_cast<int>(other);
          error = nccl_.send(from + other * part, part, number, peer, own, stream);
          if (error == 0) error = nccl_.receive(to + other * part, part, number, peer, own, stream);
        }
        return error;
      }
      default: {  // a ring: to the next, from the one before
        const int next = static_cast<int>((rank + 1) % devices_.size());
        const int last = static_cast<int>((rank + devices_.size() - 1) % devices_.size());
        const int error = nccl_.send(from, count, number, next, own, stream);
        return error != 0 ? error : nccl_.receive(to, count, number, last, own, stream);
      }
    }
  }

  /// Every rank sends the same numbers, so that those it gets depend on where they lay alone.
  [[nodiscard]] float wanted(collective what, std::size_t rank, std::size_t at,
                             std::size_t part) const {
    const auto number = [](std::size_t i) { return float_at(static_cast<std::uint32_t>(i)); };
    const auto all = static_cast<float>(devices_.size());
    switch (what) {
      case collective::all_reduce: return all * number(at);
      case collective::all_gather: return number(at % part);
      case collective::reduce_scatter: return all * number(rank * part + at);
      case collective::all_to_all: return number(rank * part + at % part);
      default: return number(at);
    }
  }

  const nccl_library& nccl_;
  std::vector<int> devices_;
  std::vector<nccl_library::communicator> communicators_;
  std::vector<std::unique_ptr<work_stream>> streams_{};
  std::vector<std::unique_ptr<device_memory>> from_{};
  std::vector<std::unique_ptr<device_memory>> to_{};
  std::vector<std::size_t> taken_{};
  std::size_t least_free_ = 0;
};

/// All-reduces of 64 MiB beside products on the first device.
void measure_contention_of(const team& all, std::size_t most, part& p) {
  const std::size_t count = std::min(most, std::size_t{64} << 20) / sizeof(float);
  all.select_first();
  stopwatch watch{p.monitor, p.budget, p.how()};
  stopwatch team_watch{p.monitor, p.budget, p.how(), &all.first_stream()};
  const square_product product{p.capability(), 4096, watch.stream()};
  const timed_work multiply{"gemm", watch, [&](cudaStream_t to, std::size_t) { product.run(to); }};
  // On the streams of the team, the first of which is timed.
  const timed_work reduce{"all_reduce", team_watch, [&](cudaStream_t, std::size_t) {
                            all.run(collective::all_reduce, count);
                            all.select_first();
                          }};
  watch.warm_up(multiply.work, seconds{0.3}, seconds{0.6});
  measure_pair(p, multiply, reduce);
  all.wait();
}

/// What the user has set for NCCL.
std::map<std::string, std::string> environment_of_nccl() {
  std::map<std::string, std::string> set;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text{*entry};
    const std::size_t equals = text.find('=');
    if (text.rfind("NCCL_", 0) == 0 && equals != text.npos)
      set[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return set;
}

}  // namespace

void measure_collectives(part& p) {
  const nccl_library nccl;
  if (!nccl.is_there()) {
    p.report.warnings.emplace_back("no NCCL: no collectives");
    return;
  }
  if (p.request.ranks < 2) {
    p.report.warnings.emplace_back("one device: no collectives");
    return;
  }
  std::vector<int> devices{p.request.device};
  for (int device = 0; static_cast<int>(devices.size()) < p.request.ranks; ++device)
    if (device != p.request.device) devices.push_back(device);
  team all{nccl, devices};
  p.start_clock();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (i > 0) p.report.devices.push_back({.index = devices[i]});
    p.report.devices[i].memory.nccl = bytes{static_cast<double>(all.taken()[i])};
  }
  p.publish();

  const std::size_t most = largest_array(all.least_free(), 2, std::size_t{1} << 30);
  all.take_buffers(most);
  all.select_first();
  stopwatch watch{p.monitor, p.budget, p.how()};
  const auto environment = environment_of_nccl();
  int left = static_cast<int>(operations.size()) + 1;  // and what comes after them
  for (const collective what : operations) {
    const time_budget share{p.budget.left() / left--};
    probe_collective sweep{.what = what,
                           .ranks = p.request.ranks,
                           .software = "nccl " + nccl.version(),
                           .environment = environment};
    p.attempt(std::string{name_of(what)}, all.first_stream(), [&] {
      const std::size_t checked = (std::size_t{1} << 18) / devices.size() * devices.size();
      if (!all.is_right(what, checked)) {
        p.miss(std::string{name_of(what)} + " gives wrong numbers; see IOMMU and ACS settings");
        return;
      }
      for (std::size_t size = 8; size <= most; size *= p.request.quick ? 8 : 2) {
        std::size_t count = size / sizeof(float);
        const bool in_parts = what != collective::all_reduce && what != collective::send_receive;
        if (in_parts) count = count / devices.size() * devices.size();
        if (count == 0) continue;
        sampling how = p.how();
        how.samples = 9;
        how.most_works = 100;
        how.most_time = share.left();
        // Two before the first sample, and the least number of samples; a byte takes no longer than
        // it did in the message before.
        const auto has_time = [&] {
          if (sweep.rows.empty()) return true;
          const probe_collective_row& last = sweep.rows.back();
          const bytes message{static_cast<double>(count * sizeof(float))};
          return (2 + how.least_samples) * (message / last.message) * last.time.median <=
                 share.left();
        };
        const timing time = has_time() ? watch.measure_on_host([&] { all.run(what, count); },
                                                               [&] { all.wait(); }, how)
                                       : timing{};
        if (time.empty()) {
          p.miss("no time for " + std::string{name_of(what)} + " of " + std::to_string(size) +
                 " B and more");
          break;
        }
        sweep.rows.push_back(
            {.message = bytes{static_cast<double>(count * sizeof(float))}, .time = time.time()});
      }
    });
    if (!sweep.rows.empty()) p.report.collectives.push_back(sweep);
    p.publish();
  }
  int every = 0;
  check(cudaGetDeviceCount(&every), "cudaGetDeviceCount");
  if (p.request.ranks == every) measure_contention_of(all, most, p);
}

}  // namespace gpuplan::probe
