#pragma once
/// \file
/// Times work on a stream.  A gate kernel holds the stream until all work is queued, so that the
/// host's time to queue it is not measured.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "device.hpp"
#include "kernels.hpp"
#include "monitor.hpp"
#include "options.hpp"
#include "statistics.hpp"

namespace gpuplan::probe {

/// How many samples, and how long each.
struct sampling {
  int samples = 11;
  int least_samples = 3;  ///< when the time of the section runs out
  seconds length{1e-3};
  int most_runs = 400;     ///< of a sample; the driver queues about 1000 launches behind a gate
  seconds most_time{1e9};  ///< of all samples, within the time of the section
};

/// Queues one run of the work; `turn` counts the runs, so that buffers may rotate.
using stream_work = std::function<void(cudaStream_t, std::size_t turn)>;

/// What runs on another stream, twice for each run of the work, so that it lasts until the end.
struct disturbance {
  stream_work work;
  const work_stream& stream;
};

/// Every measurement is nullopt where the time does not allow the least number of samples.
class stopwatch {
 public:
  stopwatch(const gpu_monitor& monitor, const time_budget& budget);

  /// Repeats the work for `least`, and until the clock of the multiprocessors is steady; at most
  /// `most`, and a quarter of the time that is left.
  void warm_up(const stream_work& work, seconds least = seconds{0.5}, seconds most = seconds{1.5});

  /// Time of one run on the device, alone or beside other work.  One run before is not timed: it
  /// loads code.
  [[nodiscard]] std::optional<measured_time> measure(const stream_work& work, const sampling& how,
                                                     const disturbance* beside = nullptr);
  /// Time by the host's clock: of runs one after the other, with `wait` once after each sample.
  [[nodiscard]] std::optional<measured_time> measure_on_host(const std::function<void()>& work,
                                                             const std::function<void()>& wait,
                                                             const sampling& how);

  [[nodiscard]] const work_stream& stream() const { return stream_; }

 private:
  /// Time of one of `runs`; nullopt if the gate gave up before all of them were queued.
  std::optional<timed_sample> gated(const stream_work& work, int runs, const disturbance* beside);
  /// The same, but tries again with fewer runs where the host was held up.
  timed_sample gated_at_last(const stream_work& work, int runs, const disturbance* beside);
  /// Samples of `estimate` each from `take`, as many as there is time for.
  std::optional<measured_time> sampled(const std::function<timed_sample()>& take, seconds estimate,
                                       const time_budget& budget, const sampling& how) const;
  void open_gate();
  /// The clock of the multiprocessors; where asking takes long, as it was a little ago.
  per_second clock();

  const gpu_monitor& monitor_;
  const time_budget& budget_;
  per_second highest_clock_;
  per_second last_clock_{};
  std::chrono::steady_clock::time_point last_look_{};
  seconds look_takes_{};
  work_stream stream_{};
  timing_event begin_{};
  timing_event end_{};
  pinned_memory words_{sizeof(gate_words)};
  gate_words* gate_on_device_;
  std::uint32_t ticket_ = 1;
  std::size_t turn_ = 0;
};

}  // namespace gpuplan::probe
