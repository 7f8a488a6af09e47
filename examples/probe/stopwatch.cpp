#include "stopwatch.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace gpuplan::probe {
namespace {

using host_clock = std::chrono::steady_clock;

/// How long a gate waits for the host to open it.
constexpr std::uint64_t gate_limit_ns = 500'000'000;
/// Events resolve half a microsecond, the host's clock less than that.
constexpr seconds event_resolution{0.5e-6};
constexpr seconds host_resolution{1e-9};

}  // namespace

stopwatch::stopwatch(const gpu_monitor& monitor, const time_budget& budget)
    : monitor_{monitor},
      budget_{budget},
      highest_clock_{monitor.highest_clock().value_or(per_second{0})},
      gate_on_device_{static_cast<gate_words*>(words_.on_device())} {
  std::memset(words_.data(), 0, sizeof(gate_words));
  // The first launch of the gate loads its code.
  open_gate();
  check(launch_gate(gate_on_device_, ticket_, gate_limit_ns, stream_.get()), "gate");
  begin_.record(stream_);
  end_.record(stream_);
  stream_.wait();
}

void stopwatch::open_gate() {
  std::atomic_ref{static_cast<gate_words*>(words_.data())->opened}.store(ticket_);
}

per_second stopwatch::clock() {
  constexpr double most_share = 0.1;  // of the time, for asking
  if (look_takes_ > most_share * since(last_look_)) return last_clock_;
  const auto begin = host_clock::now();
  last_clock_ = monitor_.clock().value_or(per_second{0});
  last_look_ = host_clock::now();
  look_takes_ = since(begin);
  return last_clock_;
}

std::optional<timed_sample> stopwatch::gated(const stream_work& work, int runs,
                                             const disturbance* beside) {
  ++ticket_;
  check(launch_gate(gate_on_device_, ticket_, gate_limit_ns, stream_.get()), "gate");
  try {
    begin_.record(stream_);
    if (beside != nullptr)
      check(cudaStreamWaitEvent(beside->stream.get(), begin_.get(), 0), "cudaStreamWaitEvent");
    for (std::size_t i = 0; i < static_cast<std::size_t>(runs); ++i) {
      work(stream_.get(), turn_++);
      if (beside == nullptr) continue;
      beside->work(beside->stream.get(), 2 * i);
      beside->work(beside->stream.get(), 2 * i + 1);
    }
    end_.record(stream_);
  } catch (...) {
    open_gate();
    throw;
  }
  open_gate();
  const per_second now = clock();  // while the work runs
  stream_.wait();
  if (beside != nullptr) beside->stream.wait();
  if (std::atomic_ref{static_cast<gate_words*>(words_.data())->timed_out}.load() == ticket_)
    return std::nullopt;
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin_.get(), end_.get()), "cudaEventElapsedTime");
  const seconds whole =
      std::max(seconds{static_cast<double>(milliseconds) * 1e-3}, event_resolution);
  return timed_sample{.time = whole / runs, .clock = now};
}

timed_sample stopwatch::gated_at_last(const stream_work& work, int runs,
                                      const disturbance* beside) {
  constexpr int most_tries = 4;
  for (int i = 0; i < most_tries; ++i) {
    if (const auto sample = gated(work, runs, beside)) return *sample;
    runs = std::max(1, runs / 2);
  }
  throw device_failure{"queuing the work takes longer than a gate waits"};
}

void stopwatch::warm_up(const stream_work& work, seconds least, seconds most) {
  const auto begin = host_clock::now();
  most = std::min(most, budget_.left() / 4);
  least = std::min(least, most);
  work(stream_.get(), turn_++);
  stream_.wait();
  std::vector<per_second> clocks;
  const seconds look_every{0.02};
  while (since(begin) < least || (!is_steady(clocks) && since(begin) < most)) {
    const auto round = host_clock::now();
    do {
      for (int i = 0; i < 8; ++i) work(stream_.get(), turn_++);
      stream_.wait();
    } while (since(round) < look_every);
    work(stream_.get(), turn_++);
    clocks.push_back(monitor_.clock().value_or(per_second{0}));
    stream_.wait();
  }
}

std::optional<measured_time> stopwatch::measure(const stream_work& work, const sampling& how,
                                                const disturbance* beside) {
  const time_budget budget{std::min(how.most_time, budget_.left())};
  if (budget.left() <= seconds{0}) return std::nullopt;
  work(stream_.get(), turn_++);
  stream_.wait();
  if (beside != nullptr) {
    beside->work(beside->stream.get(), 0);
    beside->stream.wait();
  }
  // All that is queued behind a gate, the disturbance included, must fit the driver's queue.
  constexpr int most_queued = 900;
  const int most_runs = std::min(how.most_runs, most_queued / (beside == nullptr ? 1 : 3));
  const int few = std::min(8, most_runs);
  timed_sample first = gated_at_last(work, 1, beside);
  if (first.time < how.length / few) first = gated_at_last(work, few, beside);
  const int runs = runs_of_sample(first.time, how.length, most_runs);
  return sampled([&] { return gated_at_last(work, runs, beside); }, runs * first.time, budget, how);
}

std::optional<measured_time> stopwatch::measure_on_host(const std::function<void()>& work,
                                                        const std::function<void()>& wait,
                                                        const sampling& how) {
  const time_budget budget{std::min(how.most_time, budget_.left())};
  if (budget.left() <= seconds{0}) return std::nullopt;
  const auto timed = [&](int runs) {
    const auto begin = host_clock::now();
    for (int i = 0; i < runs; ++i) work();
    wait();
    return timed_sample{.time = std::max(since(begin), host_resolution) / runs};
  };
  timed(1);
  const seconds one = timed(1).time;
  const int runs = runs_of_sample(one, how.length, how.most_runs);
  return sampled([&] { return timed(runs); }, runs * one, budget, how);
}

std::optional<measured_time> stopwatch::sampled(const std::function<timed_sample()>& take,
                                                seconds estimate, const time_budget& budget,
                                                const sampling& how) const {
  std::vector<timed_sample> samples;
  for (int i = 0; i < how.samples; ++i) {
    // Without time for the least number of samples, a first one is of no use.
    if (!budget.has(std::max(1, how.least_samples - i) * estimate)) break;
    samples.push_back(take());
  }
  if (static_cast<int>(samples.size()) < std::min(how.least_samples, how.samples))
    return std::nullopt;
  return measured(samples, highest_clock_);
}

}  // namespace gpuplan::probe
