#pragma once
/// \file
/// Asynchronous updates: their throughput, and the staleness of gradients.

#include <span>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What limits asynchronous training.
enum class asynchronous_bound {
  workers,  ///< the server waits for gradients
  server    ///< gradients wait for the server
};

/// Updates of workers that do not wait for one another.
struct asynchronous_rate {
  per_second workers{};  ///< gradients that they make
  per_second server{};   ///< updates that the server can take

  [[nodiscard]] constexpr per_second updates() const { return smaller(workers, server); }
  [[nodiscard]] constexpr asynchronous_bound binding() const {
    return server < workers ? asynchronous_bound::server : asynchronous_bound::workers;
  }
};

/// Updates per second of asynchronous workers.
///
///     R = min(sum_k 1 / t_k, 1 / t_s)
///
///     t_k  steps: from reading weights to sending a gradient, of worker k   s, > 0
///     t_s  update: the server's time for one                                s, > 0
///
/// Throughput alone.  An update is made with old weights and is worth less than one of synchronous
/// training, how much less no formula here says; so this is no time to accuracy.
///
/// Source: J. Dean et al., "Large Scale Distributed Deep Networks", NIPS (2012), section 4.1.
///
/// \throws invalid_input if there is no worker, or a time is <= 0 s
constexpr asynchronous_rate asynchronous_throughput(std::span<const seconds> steps,
                                                    seconds update) {
  require(!steps.empty(), "asynchronous_throughput: steps must have >= 1 worker");
  require(update > seconds{0}, "asynchronous_throughput: update must be > 0 s");
  per_second sum;
  for (const seconds step : steps) {
    require(step > seconds{0}, "asynchronous_throughput: steps must be > 0 s");
    sum += 1 / step;
  }
  return {.workers = sum, .server = 1 / update};
}

/// Mean staleness: updates by others between a worker's reading and its own update, n - 1 for n
/// workers, whatever their speeds.
///
///     n - 1
///
///     n  devices    count, >= 1
///
/// In the long run worker k makes the share r_k / R of all updates and sees (R - r_k) / r_k others
/// in each of its turns; weighed by its share the mean is n - 1.
///
/// Holds: whatever their speeds, weighed by their updates.
///
/// Source: W. Zhang et al., "Staleness-aware Async-SGD for Distributed Deep Learning", IJCAI
/// (2016), section 3, arXiv:1511.05950.
///
/// \throws invalid_input if workers < 1
constexpr double mean_staleness(int workers) {
  require(workers >= 1, "mean_staleness: workers must be >= 1");
  return workers - 1.0;
}

}  // namespace gpuplan
