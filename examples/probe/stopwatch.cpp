#include "stopwatch.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>

namespace gpuplan::probe {
namespace {

/// How long a gate waits for the host to open it.
constexpr std::uint64_t gate_limit_ns = 500'000'000;

}  // namespace

stopwatch::stopwatch(const gpu_monitor& monitor, const time_budget& budget, sampling how,
                     const work_stream* stream)
    : monitor_{monitor},
      budget_{budget},
      how_{how},
      highest_clock_{monitor.highest_clock().value_or(per_second{0})},
      own_stream_{stream == nullptr ? std::make_unique<work_stream>() : nullptr},
      stream_{stream == nullptr ? own_stream_.get() : stream} {
  std::memset(words_.data(), 0, sizeof(gate_words));
  gate_on_device_ = static_cast<gate_words*>(words_.on_device());
  ticket_ = 1;
  open();
  check(launch_gate(gate_on_device_, ticket_, gate_limit_ns, stream_->get()), "gate");
  begin_.record(stream_->get());
  end_.record(stream_->get());
  stream_->wait();
}

void stopwatch::open() {
  std::atomic_ref{static_cast<gate_words*>(words_.data())->opened}.store(ticket_);
}

per_second stopwatch::clock() {
  using host_clock = std::chrono::steady_clock;
  const double most_part = 0.1;  // of the time, for looking
  if (look_takes_ > most_part * since(last_look_)) return last_clock_;
  const auto begin = host_clock::now();
  last_clock_ = monitor_.clock().value_or(per_second{0});
  last_look_ = host_clock::now();
  look_takes_ = since(begin);
  return last_clock_;
}

std::optional<timed_sample> stopwatch::gated(const stream_work& work, int works,
                                             const disturbance* beside) {
  ++ticket_;
  check(launch_gate(gate_on_device_, ticket_, gate_limit_ns, stream_->get()), "gate");
  try {
    begin_.record(stream_->get());
    double due = 0;
    std::size_t other_turn = 0;
    if (beside != nullptr)
      check(cudaStreamWaitEvent(beside->stream.get(), begin_.get(), 0), "cudaStreamWaitEvent");
    for (int i = 0; i < works; ++i) {
      work(stream_->get(), turn_++);
      if (beside == nullptr) continue;
      for (due += beside->for_each; due > 0; due -= 1)
        beside->work(beside->stream.get(), other_turn++);
    }
    end_.record(stream_->get());
  } catch (...) {
    open();
    throw;
  }
  open();
  const per_second now = clock();  // while the work runs
  stream_->wait();
  if (beside != nullptr) beside->stream.wait();
  const auto* words = static_cast<gate_words*>(words_.data());
  if (std::atomic_ref{const_cast<std::uint32_t&>(words->timed_out)}.load() == ticket_)
    return std::nullopt;
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin_.get(), end_.get()), "cudaEventElapsedTime");
  // Events tell half a microsecond apart: less than that is as much as can be said.
  const double whole = std::max(static_cast<double>(milliseconds) * 1e-3, 0.5e-6);
  return timed_sample{.time = seconds{whole / works}, .clock = now};
}

timed_sample stopwatch::gated_at_last(const stream_work& work, int works,
                                      const disturbance* beside) {
  constexpr int most_tries = 4;
  for (int i = 0; i < most_tries; ++i) {
    if (const auto sample = gated(work, works, beside)) return *sample;
    works = std::max(1, works / 2);
  }
  throw device_failure{"work takes longer to send than a gate waits"};
}

void stopwatch::warm_up(const stream_work& work, seconds least, seconds most) {
  using host_clock = std::chrono::steady_clock;
  const auto begin = host_clock::now();
  most = std::min(most, budget_.left() / 4);
  least = std::min(least, most);
  work(stream_->get(), turn_++);
  stream_->wait();
  std::vector<per_second> clocks;
  const seconds look_every{0.02};
  while (since(begin) < least || (!is_steady(clocks) && since(begin) < most)) {
    const auto round = host_clock::now();
    do {
      for (int i = 0; i < 8; ++i) work(stream_->get(), turn_++);
      stream_->wait();
    } while (since(round) < look_every);
    work(stream_->get(), turn_++);
    clocks.push_back(monitor_.clock().value_or(per_second{0}));
    stream_->wait();
  }
}

timing stopwatch::measure(const stream_work& work) {
  return measure(work, how_, nullptr);
}

timing stopwatch::measure(const stream_work& work, const sampling& how) {
  return measure(work, how, nullptr);
}

timing stopwatch::measure_beside(const stream_work& work, const stream_work& other, double others,
                                 const work_stream& other_stream, const sampling& how) {
  other(other_stream.get(), 0);
  other_stream.wait();
  const disturbance beside{.work = other, .for_each = others, .stream = other_stream};
  return measure(work, how, &beside);
}

timing stopwatch::measure(const stream_work& work, const sampling& how, const disturbance* beside) {
  timing all{.highest_clock = highest_clock_};
  const time_budget budget{std::min(how.most_time, budget_.left())};
  if (budget.left() <= seconds{0}) return all;
  work(stream_->get(), turn_++);
  stream_->wait();
  // With what disturbs it, no more than the driver queues.
  constexpr double most_queued = 900;
  const double sent_each = beside == nullptr ? 1 : 2 + beside->for_each;
  const int most_works = std::min(how.most_works, static_cast<int>(most_queued / sent_each));
  const int few = std::min(8, most_works);
  timed_sample first = gated_at_last(work, 1, beside);
  if (first.time < how.length / few) first = gated_at_last(work, few, beside);
  const int works = works_of_sample(first.time, how.length, most_works);
  for (int i = 0; i < how.samples; ++i) {
    // What is left must do for the least number of samples, or there is no use in one.
    const int needed = std::max(1, how.least_samples - i);
    if (!budget.has(needed * works * first.time)) break;
    all.samples.push_back(gated_at_last(work, works, beside));
  }
  if (static_cast<int>(all.samples.size()) < std::min(how.least_samples, how.samples))
    all.samples.clear();
  return all;
}

timing stopwatch::measure_on_host(const std::function<void()>& work,
                                  const std::function<void()>& wait, const sampling& how) {
  using host_clock = std::chrono::steady_clock;
  timing all{.highest_clock = highest_clock_};
  const time_budget budget{std::min(how.most_time, budget_.left())};
  if (budget.left() <= seconds{0}) return all;
  work();
  wait();
  auto begin = host_clock::now();
  work();
  wait();
  const seconds one = std::max(since(begin), seconds{1e-9});
  const int works = works_of_sample(one, how.length, how.most_works);
  for (int i = 0; i < how.samples; ++i) {
    const int needed = std::max(1, how.least_samples - i);
    if (!budget.has(needed * works * one)) break;
    begin = host_clock::now();
    for (int j = 0; j < works; ++j) work();
    wait();
    all.samples.push_back({.time = std::max(since(begin), seconds{1e-9}) / works});
  }
  if (static_cast<int>(all.samples.size()) < std::min(how.least_samples, how.samples))
    all.samples.clear();
  return all;
}

}  // namespace gpuplan::probe
