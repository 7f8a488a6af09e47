#pragma once
/// \file
/// The cost of a run on rented GPUs: on demand, reserved, or spot.

#include <cstdint>
#include <limits>

#include <gpuplan/ceiling.hpp>
#include <gpuplan/hardware/price.hpp>
#include <gpuplan/plan/checkpoint_interval.hpp>
#include <gpuplan/plan/failures.hpp>
#include <gpuplan/plan/run_with_failures.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// The terms on which GPUs are rented.
struct rental {
  price_kind kind = price_kind::on_demand;
  dollars_per_second rate{};  ///< of one GPU; >= 0
  seconds term{};             ///< reserved alone: whole terms are paid; > 0
  seconds until_reclaimed{};  ///< spot alone: mean time that an instance is left to us; > 0
};

/// A job to be run on instances of some GPUs each.
struct rented_job {
  std::int64_t gpus = 1;      ///< >= 1
  int gpus_per_instance = 8;  ///< >= 1
  seconds work{};             ///< time without failures and checkpoints; > 0
  seconds write{};            ///< of one checkpoint, as it stops training; > 0
  seconds restart{};          ///< from an interruption to training again; >= 0
  seconds instance_mtbf{std::numeric_limits<double>::infinity()};  ///< by failures alone; > 0
};

/// What the job takes on those terms.
struct rented_run {
  failing_run time{};
  seconds gpu_time{};  ///< that is paid, a reserved term to its end
  dollars cost{};
};

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const rental& terms) {
  require(terms.rate >= dollars_per_second{0}, "rental.rate must be >= 0 $/s");
  require(terms.kind != price_kind::reserved || terms.term > seconds{0},
          "rental.term must be > 0 s where GPUs are reserved");
  require(terms.kind != price_kind::spot || terms.until_reclaimed > seconds{0},
          "rental.until_reclaimed must be > 0 s on spot terms");
}

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const rented_job& job) {
  require(job.gpus >= 1, "rented_job.gpus must be >= 1");
  require(job.gpus_per_instance >= 1, "rented_job.gpus_per_instance must be >= 1");
  require(job.work > seconds{0}, "rented_job.work must be > 0 s");
  require(job.write > seconds{0}, "rented_job.write must be > 0 s");
  require(job.restart >= seconds{0}, "rented_job.restart must be >= 0 s");
  require(job.instance_mtbf > seconds{0}, "rented_job.instance_mtbf must be > 0 s");
}

/// Expected time and cost of a job on rented GPUs.
///
///     cost = c G,   G = n T,                   on demand and spot
///                   G = n t ceil(T / t),       reserved
///     1/M  = I (1/M_f + 1/M_r)
///
///     T         total of run_with_failures at daly_interval, or at all the work if that is less
///     n, I      job.gpus, instances: job.gpus / job.gpus_per_instance, rounded up   count
///     M         mean time between interruptions of the job                          s
///     M_f, M_r  job.instance_mtbf; terms.until_reclaimed, on spot terms             s
///     c, t      terms.rate, terms.term                                              $/s, s
///
/// On spot terms every instance is taken back on its own, and another is there at once, after
/// job.restart.  Whole fleets are reclaimed together in fact: the time may be longer.
///
/// Source: run_with_failures, failure_rate.
///
/// \throws invalid_input if terms or job are invalid
inline rented_run rental_run(const rental& terms, const rented_job& job) {
  require_valid(terms);
  require_valid(job);
  const auto gpus = static_cast<double>(job.gpus);
  const double instances = ceiling(gpus / job.gpus_per_instance);
  per_second interruptions = instances / job.instance_mtbf;
  if (terms.kind == price_kind::spot) interruptions += instances / terms.until_reclaimed;

  rented_run run{.time = {.work = job.work}};
  if (interruptions > per_second{0}) {
    const seconds mtbf = 1 / interruptions;
    run.time =
        run_with_failures(job.work, {.interval = smaller(daly_interval(job.write, mtbf), job.work),
                                     .write = job.write,
                                     .restart = job.restart,
                                     .mtbf = mtbf});
  }
  run.gpu_time = gpus * run.time.total();
  if (terms.kind == price_kind::reserved)
    run.gpu_time = gpus * rounded_up(run.time.total() / terms.term) * terms.term;
  run.cost = run.gpu_time * terms.rate;
  return run;
}

/// Share of its term that a reserved GPU must be used to cost no more than on demand.
///
///     c_r / c_d
///
///     c_r  reserved     dollar/s, >= 0
///     c_d  on demand    dollar/s, > 0
///
/// Holds: above 1 it never does.
///
/// Source: by definition.
///
/// \throws invalid_input if reserved < 0 $/s or on_demand <= 0 $/s
constexpr double reserved_break_even(dollars_per_second reserved, dollars_per_second on_demand) {
  require(reserved >= dollars_per_second{0}, "reserved_break_even: reserved must be >= 0 $/s");
  require(on_demand > dollars_per_second{0}, "reserved_break_even: on_demand must be > 0 $/s");
  return reserved / on_demand;
}

}  // namespace gpuplan
