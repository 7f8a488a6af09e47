#pragma once
/// \file
/// A loss scale that grows until gradients overflow and then backs off, and what that costs.

#include <cmath>

#include <gpuplan/require.hpp>
#include <gpuplan/units/number_format.hpp>

namespace gpuplan {

/// How a loss scale moves.  The defaults are those of PyTorch's GradScaler.
///
/// Source: PyTorch, "Automatic Mixed Precision package", torch.amp.GradScaler (2.x):
/// init_scale 65536, growth_factor 2, backoff_factor 0.5, growth_interval 2000.
struct loss_scale_schedule {
  double initial = 65536;  ///< > 0
  double growth = 2;       ///< factor after `interval` steps in a row without overflow; > 1
  double backoff = 0.5;    ///< factor after an overflow, whose step is skipped; > 0, < 1
  int interval = 2000;     ///< steps; >= 1
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const loss_scale_schedule& by) {
  constexpr double most = 1e300;
  require(by.initial > 0 && by.initial <= most,
          "loss_scale_schedule.initial must be > 0 and finite");
  require(by.growth > 1 && by.growth <= most, "loss_scale_schedule.growth must be > 1 and finite");
  require(by.backoff > 0 && by.backoff < 1, "loss_scale_schedule.backoff must be > 0 and < 1");
  require(by.interval >= 1, "loss_scale_schedule.interval must be >= 1");
}

/// Where a dynamic loss scale stands.
struct loss_scale_state {
  double scale{};  ///< > 0
  int good = 0;    ///< steps in a row without overflow since the scale changed; >= 0

  friend constexpr bool operator==(const loss_scale_state&, const loss_scale_state&) = default;
};

/// The state after one step, which is skipped where its gradients overflowed.
///
///     overflow              S b, and the count starts again
///     N-th step without     S g, and the count starts again; S where S g is not finite in FP32
///     else                  S
///
///     S  scale                             1, > 0; <= 3.4e38
///     c  steps without overflow before     count, >= 0
///     o  whether this one overflows        count, 0 or 1
///     g  growth                            1, > 1
///     b  backoff                           1, > 0; < 1
///     N  interval                          count, >= 1
///
/// Holds: one scale for the whole model.
///
/// Source: P. Micikevicius et al., "Mixed Precision Training", ICLR (2018), section 3.2,
/// arXiv:1710.03740; PyTorch, torch.amp.GradScaler, whose constants are the defaults.
///
/// \throws invalid_input if the schedule is invalid, scale <= 0 or above 3.4e38, or good < 0
constexpr loss_scale_state loss_scale_after(const loss_scale_schedule& by,
                                            const loss_scale_state& before, bool overflows) {
  require_valid(by);
  const double most = limits_of(number_format::fp32).largest_finite;
  require(before.scale > 0 && before.scale <= most,
          "loss_scale_state.scale must be > 0 and finite in FP32");
  require(before.good >= 0, "loss_scale_state.good must be >= 0");
  if (overflows) return {.scale = before.scale * by.backoff};
  if (before.good + 1 >= by.interval) {
    const double grown = before.scale * by.growth;
    return {.scale = grown <= most ? grown : before.scale};
  }
  return {.scale = before.scale, .good = before.good + 1};
}

/// Share of steps that a dynamic loss scale skips in the long run, where gradients stay as large as
/// they are: each overflow is paid for by the growths that lead to the next.
///
///     1 / (1 + N ln(1/b) / ln g)
///
///     g  growth      1, > 1
///     b  backoff     1, > 0; < 1
///     N  interval    count, >= 1
///
/// 1 in 2001 with PyTorch's defaults: half a per mille of the steps, which are run and thrown away.
///
/// Holds: the largest scale that does not overflow is constant, and many intervals are run.
///
/// Source: P. Micikevicius et al., "Mixed Precision Training", ICLR (2018), section 3.2,
/// arXiv:1710.03740, for the rule; growths and backoffs balance.
///
/// \throws invalid_input if the schedule is invalid
inline double skipped_share(const loss_scale_schedule& by) {
  require_valid(by);
  return 1 / (1 + by.interval * std::log(1 / by.backoff) / std::log(by.growth));
}

/// Steps that are skipped one after another at the start, until the scale no longer overflows.
///
///     ceil(ln(S_0 / S_m) / ln(1/b)),  0 where S_0 <= S_m
///
///     S_0  initial scale                          1, > 0
///     b    backoff                                1, > 0; < 1
///     S_m  largest scale that does not overflow   1, > 0
///
/// S_m is loss_scales(fp16, gradients).most.
///
/// Holds: gradients of the first steps are alike.
///
/// Source: as skipped_share.
///
/// \throws invalid_input if the schedule is invalid, or largest is <= 0 or infinite
inline double skipped_at_start(const loss_scale_schedule& by, double largest) {
  require_valid(by);
  require(largest > 0 && largest <= 1e300, "skipped_at_start: largest must be > 0 and finite");
  if (!(by.initial > largest)) return 0;
  const double steps = (std::log(by.initial) - std::log(largest)) / std::log(1 / by.backoff);
  const double below = std::floor(steps);  // rounding: is one fewer or this many enough?
  for (double n = below > 1 ? below - 1 : 1; n <= below; ++n)
    if (!(by.initial * std::pow(by.backoff, n) > largest)) return n;
  return below + 1;
}

/// A run's time with the steps that a dynamic loss scale skips over its time without them: skipped
/// steps are run again.
///
///     (n + k) / n,  k = k_0 + f n / (1 - f)
///
///     n    steps that update weights        count, >= 1
///     k_0  steps skipped at the start       count, >= 0
///     f    share of steps skipped           1, >= 0; < 1
///
/// Holds: a skipped step takes as long as another: it lacks the update alone.
///
/// Source: as skipped_share.
///
/// \throws invalid_input if steps < 1, at_start < 0, or share is no share below 1
constexpr double skipped_steps_cost(double steps, double at_start, double share) {
  require(steps >= 1, "skipped_steps_cost: steps must be >= 1");
  require(at_start >= 0, "skipped_steps_cost: at_start must be >= 0");
  require(share >= 0 && share < 1, "skipped_steps_cost: share must be >= 0 and < 1");
  return 1 + at_start / steps + share / (1 - share);
}

}  // namespace gpuplan
