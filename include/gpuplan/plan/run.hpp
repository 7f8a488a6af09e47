#pragma once
/// \file
/// A whole training run: steps, time, money and energy.

#include <cstdint>

#include <gpuplan/ceiling.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What a run is charged for.
struct run_prices {
  dollars_per_second gpu{};              ///< of one GPU, written dollar / hour; >= 0
  dollars_per_joule electricity{};       ///< written dollar / kWh; >= 0; 0: in the price of the GPU
  double power_usage_effectiveness = 1;  ///< power of the site over power of its GPUs; >= 1
};

/// One training job as the run needs to know it.
struct run_job {
  std::int64_t gpus = 1;     ///< >= 1
  tokens tokens_per_step{};  ///< global batch size x sequence length; > 0
  seconds step{};            ///< time of one step; > 0
  watts gpu_power{};         ///< drawn by one GPU; >= 0
};

/// A run without interruptions.
struct run_estimate {
  double steps = 0;
  seconds time{};
  seconds gpu_time{};  ///< time x GPUs
  dollars gpu_cost{};
  joules energy{};  ///< of the site
  dollars energy_cost{};

  [[nodiscard]] constexpr dollars cost() const { return gpu_cost + energy_cost; }
};

/// A run over `trained` tokens.
///
///     steps = ceil(D / d)      T = steps t      G = n T
///     cost  = G c + E e        E = u n P T
///
///     D, d  tokens of the run, tokens of a step          token, > 0
///     t     job.step                                     s, > 0
///     n     job.gpus                                     count, >= 1
///     c, e  prices.gpu, prices.electricity               $/s, $/J, >= 0
///     P, u  job.gpu_power, prices.power_usage_effectiveness   W, >= 0; 1, >= 1
///
/// Without failures, restarts, evaluation and checkpoints: a lower bound on time and cost.  With
/// the thermal design power, or a limit below it, for P the energy is an upper bound on that of the
/// GPUs.
///
/// Source: definitions; power usage effectiveness is ISO/IEC 30134-2:2016.
///
/// \throws invalid_input if an argument is out of its range
constexpr run_estimate training_run(const run_job& job, tokens trained,
                                    const run_prices& prices = {}) {
  require(job.gpus >= 1, "training_run: gpus must be >= 1");
  require(job.tokens_per_step > tokens{0}, "training_run: tokens_per_step must be > 0 tokens");
  require(job.step > seconds{0}, "training_run: step must be > 0 s");
  require(job.gpu_power >= watts{0}, "training_run: gpu_power must be >= 0 W");
  require(trained > tokens{0}, "training_run: trained must be > 0 tokens");
  require(prices.gpu >= dollars_per_second{0}, "training_run: prices.gpu must be >= 0 $/s");
  require(prices.electricity >= dollars_per_joule{0},
          "training_run: prices.electricity must be >= 0 $/J");
  require(prices.power_usage_effectiveness >= 1,
          "training_run: prices.power_usage_effectiveness must be >= 1");

  run_estimate run;
  run.steps = ceiling(trained / job.tokens_per_step);
  run.time = run.steps * job.step;
  run.gpu_time = static_cast<double>(job.gpus) * run.time;
  run.gpu_cost = run.gpu_time * prices.gpu;
  run.energy = prices.power_usage_effectiveness * (run.gpu_time * job.gpu_power);
  run.energy_cost = run.energy * prices.electricity;
  return run;
}

/// The same for an estimate, at its gpu_power.
///
/// \throws invalid_input if the estimate was refused by a rule and has no time
constexpr run_estimate training_run(const estimate& what, tokens trained,
                                    const run_prices& prices = {}) {
  require(what.costed(), "training_run: the estimate must have a step time");
  return training_run({.gpus = what.gpus,
                       .tokens_per_step = what.tokens_per_step,
                       .step = what.time.total(),
                       .gpu_power = what.gpu_power},
                      trained, prices);
}

}  // namespace gpuplan
