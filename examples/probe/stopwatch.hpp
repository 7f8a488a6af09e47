#pragma once
/// \file
/// Takes the time of work on a stream: behind a gate, so that what the host needs to send the work
/// is not part of it.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "device.hpp"
#include "kernels.hpp"
#include "monitor.hpp"
#include "samples.hpp"
#include "statistics.hpp"
#include "time_budget.hpp"

namespace gpuplan::probe {

/// How many samples, and of what length.
struct sampling {
  int samples = 11;
  int least_samples = 3;  ///< where the time of a section runs out
  seconds length{1e-3};
  int most_works = 400;    ///< of a sample; the driver queues about 1000 launches behind a gate
  seconds most_time{1e9};  ///< of all samples, within the section's own
};

/// Sends one work to the stream; told how many went before, so that it may take turns of buffers.
using stream_work = std::function<void(cudaStream_t, std::size_t turn)>;

/// Samples of a work; none: there was no time for three.
struct timing {
  std::vector<timed_sample> samples{};
  per_second highest_clock{};

  [[nodiscard]] bool empty() const { return samples.empty(); }
  /// \throws invalid_input if there is no sample
  [[nodiscard]] measured_time time() const { return measured(samples, highest_clock); }
  [[nodiscard]] std::optional<per_second> clock() const {
    return median_clock(samples, highest_clock);
  }
};

class stopwatch {
 public:
  /// On a stream of its own, or of others.
  stopwatch(const gpu_monitor& monitor, const time_budget& budget, sampling how,
            const work_stream* stream = nullptr);

  /// Does the work again and again for `least`, and until the clock of the multiprocessors is
  /// steady; not longer than `most` or a quarter of what is left.
  void warm_up(const stream_work& work, seconds least = seconds{0.5}, seconds most = seconds{1.5});

  /// Times of the work on the device.  The first run is not timed: it loads code.
  [[nodiscard]] timing measure(const stream_work& work);
  [[nodiscard]] timing measure(const stream_work& work, const sampling& how);
  /// Times of the work while another runs on another stream from the first to the last of them:
  /// `others` for each work, which should take longer than it.
  [[nodiscard]] timing measure_beside(const stream_work& work, const stream_work& other,
                                      double others, const work_stream& other_stream,
                                      const sampling& how);
  /// Times as the host's clock has them: of works sent one after the other, and of `wait` once
  /// after the last of a sample.
  [[nodiscard]] timing measure_on_host(const std::function<void()>& work,
                                       const std::function<void()>& wait, const sampling& how);

  [[nodiscard]] const work_stream& stream() const { return *stream_; }
  [[nodiscard]] const time_budget& budget() const { return budget_; }
  [[nodiscard]] const sampling& how() const { return how_; }
  [[nodiscard]] per_second highest_clock() const { return highest_clock_; }

 private:
  /// What disturbs a work.
  struct disturbance {
    const stream_work& work;
    double for_each;
    const work_stream& stream;
  };

  /// Seconds of one of `works`; nullopt if the gate gave up before all of them were sent.
  std::optional<timed_sample> gated(const stream_work& work, int works, const disturbance* beside);
  /// As gated, but tries again where something held the host up.
  timed_sample gated_at_last(const stream_work& work, int works, const disturbance* beside);
  timing measure(const stream_work& work, const sampling& how, const disturbance* beside);
  void open();
  /// The clock of the multiprocessors now, or as it was a little ago where asking takes long.
  per_second clock();

  const gpu_monitor& monitor_;
  const time_budget& budget_;
  sampling how_;
  per_second highest_clock_{};
  per_second last_clock_{};
  std::chrono::steady_clock::time_point last_look_{};
  seconds look_takes_{};
  std::unique_ptr<work_stream> own_stream_;
  const work_stream* stream_;
  moment begin_{};
  moment end_{};
  pinned_memory words_{sizeof(gate_words)};
  gate_words* gate_on_device_ = nullptr;
  std::uint32_t ticket_ = 0;
  std::size_t turn_ = 0;
};

}  // namespace gpuplan::probe
