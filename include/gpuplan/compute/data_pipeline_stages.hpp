#pragma once
/// \file
/// The stages that samples pass on their way through a GPU, and the time of each.

#include <array>
#include <cstddef>
#include <string_view>

#include <gpuplan/ceiling.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// The stages a sample passes, in their order.
enum class data_stage { storage, preprocessing, transfer, compute };

inline constexpr std::array data_stages{data_stage::storage, data_stage::preprocessing,
                                        data_stage::transfer, data_stage::compute};

/// "storage", ... as the values are called.
constexpr std::string_view name_of(data_stage stage) {
  constexpr std::array<std::string_view, data_stages.size()> names{"storage", "preprocessing",
                                                                   "transfer", "compute"};
  return names[static_cast<std::size_t>(stage)];
}

/// What each stage takes for one batch.
struct data_stage_times {
  seconds storage{};
  seconds preprocessing{};
  seconds transfer{};
  seconds compute{};

  [[nodiscard]] constexpr seconds operator[](data_stage stage) const {
    switch (stage) {
      case data_stage::storage: return storage;
      case data_stage::preprocessing: return preprocessing;
      case data_stage::transfer: return transfer;
      case data_stage::compute: return compute;
    }
    require(false, "data_stage_times: stage must be one of data_stages");
    return {};
  }

  /// What the GPU waits for if nothing is fetched ahead.
  [[nodiscard]] constexpr seconds load() const { return storage + preprocessing + transfer; }
  /// Time of an iteration in which one stage follows the other.
  [[nodiscard]] constexpr seconds sequential() const { return load() + compute; }
  /// Time of an iteration in which all stages work at once, each on another batch.
  [[nodiscard]] constexpr seconds overlapped() const { return (*this)[binding()]; }
  /// The slowest stage; of equals the last, so that compute binds where it is no faster.
  [[nodiscard]] constexpr data_stage binding() const {
    data_stage slowest = data_stage::storage;
    for (const data_stage stage : data_stages)
      if ((*this)[stage] >= (*this)[slowest]) slowest = stage;
    return slowest;
  }
  /// Share of the overlapped iteration in which the GPU computes.
  [[nodiscard]] constexpr double gpu_utilization() const { return compute / overlapped(); }
};

/// Batches to be under way so that loading hides behind computing, by Little's law.
///
///     d = ceil(t_load / t_iteration)
///
///     t_load       times.load(): one batch, from storage to the device   s
///     t_iteration  times.overlapped(): between two batches               s
///
/// It evens nothing out: where times vary, or one worker makes a whole batch, more are needed.
///
/// Source: J. D. C. Little, "A Proof for the Queuing Formula: L = lambda W", Operations Research 9
/// (1961) 383-387.
///
/// \throws invalid_input if times.compute <= 0 s or another time is < 0 s
constexpr double prefetch_depth(const data_stage_times& times) {
  require(times.compute > seconds{0}, "prefetch_depth: compute must be > 0 s");
  for (const data_stage stage : data_stages)
    require(times[stage] >= seconds{0}, "prefetch_depth: times must be >= 0 s");
  return detail::ceiling(times.load() / times.overlapped());
}

}  // namespace gpuplan
