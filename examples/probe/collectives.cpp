/// \file
/// Section collectives: NCCL among the devices of this machine, all in one process.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <unistd.h>

#include "libraries.hpp"
#include "part.hpp"
#include "sizes.hpp"

namespace gpuplan::probe {
namespace {

constexpr std::array operations{collective::all_reduce, collective::all_gather,
                                collective::reduce_scatter, collective::all_to_all,
                                collective::send_receive};

void select(int device) {
  check(cudaSetDevice(device), "cudaSetDevice");
}

/// A rank: its device, communicator, stream, and a buffer to send from and one to receive into.
struct rank {
  int device;
  nccl_library::communicator communicator = nullptr;
  std::unique_ptr<work_stream> stream{};
  std::unique_ptr<device_memory> from{};
  std::unique_ptr<device_memory> to{};
  std::size_t taken = 0;  ///< bytes that NCCL took for its first collectives
};

/// Devices 0, 1, ... and a communicator among them.
class team {
 public:
  team(const nccl_library& nccl, int count) : nccl_{nccl} {
    std::vector<int> devices;
    std::vector<std::size_t> free;
    for (int device = 0; device < count; ++device) {
      select(device);
      check(cudaFree(nullptr), "cudaFree");
      ranks_.push_back({.device = device, .stream = std::make_unique<work_stream>()});
      devices.push_back(device);
    }
    take_buffers(first_use);
    for (const rank& one : ranks_) free.push_back(free_of(one));
    std::vector<nccl_library::communicator> made(devices.size(), nullptr);
    must(nccl_.init_all(made.data(), count, devices.data()), "ncclCommInitAll");
    for (std::size_t i = 0; i < made.size(); ++i) ranks_[i].communicator = made[i];
    use_first();
    for (std::size_t i = 0; i < made.size(); ++i) {
      const std::size_t left = free_of(ranks_[i]);
      ranks_[i].taken = free[i] > left ? free[i] - left : 0;
    }
  }
  ~team() {
    for (const rank& one : ranks_)
      if (one.communicator != nullptr) (void)nccl_.destroy(one.communicator);
  }
  team(const team&) = delete;
  team& operator=(const team&) = delete;

  [[nodiscard]] const std::vector<rank>& ranks() const { return ranks_; }

  /// Gives every rank the largest buffers that all have room for, up to `limit`; returns their size.
  std::size_t take_large_buffers(std::size_t limit) {
    std::size_t free = ~std::size_t{0};
    for (rank& one : ranks_) {
      one.from.reset();
      one.to.reset();
      free = std::min(free, free_of(one));
    }
    const std::size_t size = largest_array(free, 2, limit);
    take_buffers(size);
    return size;
  }

  void wait() const {
    for (const rank& one : ranks_) one.stream->wait();
  }

  /// The number of floats for a message of `size` bytes: a multiple of the ranks where each has a
  /// part of it.
  [[nodiscard]] std::size_t count_of(collective what, std::size_t size) const {
    const std::size_t count = size / sizeof(float);
    const bool in_parts = what != collective::all_reduce && what != collective::send_receive;
    return in_parts ? count / ranks_.size() * ranks_.size() : count;
  }

  /// One collective of `count` floats: as many as the larger of what each rank gives and gets.
  void run(collective what, std::size_t count) const {
    must(nccl_.group_start(), "ncclGroupStart");
    int error = 0;
    for (std::size_t i = 0; i < ranks_.size() && error == 0; ++i) {
      select(ranks_[i].device);
      error = call(what, i, count);
    }
    const int end = nccl_.group_end();
    must(error, "a collective");
    must(end, "ncclGroupEnd");
  }

  /// Whether the first and the last number of every rank are what they should be.
  [[nodiscard]] bool is_right(collective what, std::size_t count) const {
    run(what, count);
    wait();
    const std::size_t part = count / ranks_.size();
    const std::size_t got = what == collective::reduce_scatter ? part : count;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      select(ranks_[i].device);
      for (const std::size_t at : {std::size_t{0}, got - 1}) {
        float found = 0;
        check(cudaMemcpy(&found, ranks_[i].to->data(at * sizeof(float)), sizeof found,
                         cudaMemcpyDeviceToHost),
              "cudaMemcpy");
        if (found != wanted(what, i, at, part)) return false;
      }
    }
    return true;
  }

 private:
  static constexpr std::size_t first_use = std::size_t{16} << 20;

  static std::size_t free_of(const rank& one) {
    select(one.device);
    return free_memory();
  }

  void take_buffers(std::size_t size) {
    for (rank& one : ranks_) {
      select(one.device);
      one.from = std::make_unique<device_memory>(size);
      one.to = std::make_unique<device_memory>(size);
      check(
          launch_fill(one.from->data(), size / sizeof(float), 0, layout_summed, one.stream->get()),
          "fill");
      check(cudaMemsetAsync(one.to->data(), 0, size, one.stream->get()), "cudaMemsetAsync");
    }
    wait();
  }

  /// Each operation, small and large: NCCL connects its ranks, and takes most of its memory, at the
  /// first use.  What fails here fails again when it is measured, and is reported then.
  void use_first() const {
    for (const collective what : operations) {
      try {
        for (const std::size_t size : {std::size_t{1} << 10, first_use})
          run(what, count_of(what, size));
      } catch (const device_failure&) {
        continue;
      }
    }
    wait();
  }

  void must(int result, const char* call) const {
    if (result != 0) throw device_failure{std::string{call} + ": " + nccl_.error_text(result)};
  }

  [[nodiscard]] int call(collective what, std::size_t index, std::size_t count) const {
    constexpr int number = nccl_library::float32;
    const rank& own = ranks_[index];
    const std::size_t part = count / ranks_.size();
    const std::size_t part_size = part * sizeof(float);
    const void* from = own.from->data();
    void* to = own.to->data();
    const nccl_library::communicator of = own.communicator;
    const nccl_library::stream stream = own.stream->get();
    // Sends to one rank and receives from another.
    const auto exchange = [&](std::size_t next, const void* out, std::size_t last, void* in,
                              std::size_t numbers) {
      const int error = nccl_.send(out, numbers, number, static_cast<int>(next), of, stream);
      return error != 0 ? error
                        : nccl_.receive(in, numbers, number, static_cast<int>(last), of, stream);
    };
    switch (what) {
      case collective::all_reduce:
        return nccl_.all_reduce(from, to, count, number, nccl_library::sum, of, stream);
      case collective::all_gather: return nccl_.all_gather(from, to, part, number, of, stream);
      case collective::reduce_scatter:
        return nccl_.reduce_scatter(from, to, part, number, nccl_library::sum, of, stream);
      case collective::all_to_all: {
        int error = 0;
        for (std::size_t peer = 0; peer < ranks_.size() && error == 0; ++peer)
          error = exchange(peer, own.from->data(peer * part_size), peer,
                           own.to->data(peer * part_size), part);
        return error;
      }
      default:  // a ring
        return exchange((index + 1) % ranks_.size(), from,
                        (index + ranks_.size() - 1) % ranks_.size(), to, count);
    }
  }

  /// Every rank sends the same numbers, so that those it gets depend only on where they lay.
  [[nodiscard]] float wanted(collective what, std::size_t index, std::size_t at,
                             std::size_t part) const {
    const auto number = [](std::size_t i) { return float_at(static_cast<std::uint32_t>(i)); };
    const auto all = static_cast<float>(ranks_.size());
    switch (what) {
      case collective::all_reduce: return all * number(at);
      case collective::all_gather: return number(at % part);
      case collective::reduce_scatter: return all * number(index * part + at);
      case collective::all_to_all: return number(index * part + at % part);
      default: return number(at);
    }
  }

  const nccl_library& nccl_;
  std::vector<rank> ranks_{};
};

/// What the user has set for NCCL.
std::map<std::string, std::string> environment_of_nccl() {
  std::map<std::string, std::string> set;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text{*entry};
    const std::size_t equals = text.find('=');
    if (text.starts_with("NCCL_") && equals != text.npos)
      set[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return set;
}

/// Adds the times of one collective by message; those that it has stay there if it throws.
void add_sweep(collective what, const team& all, std::size_t most, stopwatch& watch, part& p,
               const time_budget& budget, std::vector<probe_collective_row>& rows) {
  const std::string name{name_of(what)};
  if (!all.is_right(what, all.count_of(what, std::size_t{1} << 20)))
    return p.miss(name + " gives wrong numbers; see IOMMU and ACS settings");
  for (const std::size_t size : sizes_up_to(most, 8, 2)) {
    const std::size_t count = all.count_of(what, size);
    if (count == 0) continue;
    const bytes message{static_cast<double>(count * sizeof(float))};
    const sampling how{.samples = 9, .most_runs = 100, .most_time = budget.left()};
    // Two runs before the first sample, and the least number of samples; a byte takes no longer
    // than it did in the message before.
    const bool has_time =
        rows.empty() || budget.has((2 + how.least_samples) * (message / rows.back().message) *
                                   rows.back().time.median);
    const auto time =
        has_time ? watch.measure_on_host([&] { all.run(what, count); }, [&] { all.wait(); }, how)
                 : std::nullopt;
    if (!time) return p.miss("no time for " + name + " of " + std::to_string(size) + " B and more");
    rows.push_back({.message = message, .time = *time});
  }
}

}  // namespace

void measure_collectives(part& p) {
  const nccl_library nccl;
  if (!nccl.is_there()) {
    p.report.warnings.emplace_back("no NCCL: no collectives");
    return;
  }
  team all{nccl, p.request.ranks};
  p.start_clock();
  p.report.devices.clear();
  for (const rank& one : all.ranks())
    p.report.devices.push_back(
        {.index = one.device, .memory = {.nccl = bytes{static_cast<double>(one.taken)}}});
  p.publish();

  const std::size_t most = all.take_large_buffers(std::size_t{1} << 30);
  select(p.request.device);
  stopwatch watch{p.monitor, p.budget};
  int left = static_cast<int>(operations.size());
  for (const collective what : operations) {
    const time_budget share{p.budget.left() / left--};
    probe_collective sweep{.what = what,
                           .ranks = p.request.ranks,
                           .software = "nccl " + nccl.version(),
                           .environment = environment_of_nccl()};
    p.attempt(std::string{name_of(what)}, *all.ranks().front().stream,
              [&] { add_sweep(what, all, most, watch, p, share, sweep.rows); });
    if (!sweep.rows.empty()) p.report.collectives.push_back(sweep);
    p.publish();
  }
}

}  // namespace gpuplan::probe
