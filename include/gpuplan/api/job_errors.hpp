#pragma once
/// \file
/// How far off the answer to a job can be: by the runs of its profile where it has such, else by
/// its classes.

#include <gpuplan/accuracy/run_class.hpp>
#include <gpuplan/api/cluster_request.hpp>
#include <gpuplan/api/job.hpp>
#include <gpuplan/calibrate/framework_memory_fit.hpp>
#include <gpuplan/calibrate/profile.hpp>
#include <gpuplan/calibrate/step_belief.hpp>
#include <gpuplan/calibrate/step_prediction.hpp>
#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/model/precision.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/plan/estimate_band.hpp>
#include <gpuplan/units/number_format.hpp>

namespace gpuplan::api {
namespace detail {

/// A job whose step a belief predicts: on the cluster without the factors of its runs.
inline step_job predicted_job(const job& asked, const recipe& how, const parallelism& cut) {
  cluster_request without = asked.asked;
  without.measured.profile.steps = {};
  return {.model = asked.model,
          .pool = cluster_of(without),
          .recipe = how,
          .parallelism = cut,
          .workspace = asked.workspace};
}

/// The GPU as its answers are judged: where a profile measured products, but none in the format of
/// the recipe, its other rates are those of the catalogue.
inline accelerator judged_gpu(const job& asked, const recipe& how) {
  accelerator gpu = asked.pool.gpu();
  const cluster_profile& known = asked.asked.measured.profile;
  const auto is_measured = [&](number_format format) {
    return measured_products(known, format) > flop_per_second{0};
  };
  if (is_measured(formats_of(how.precision).product)) return gpu;
  bool others = false;
  for (const number_format format : number_formats) others = others || is_measured(format);
  if (!others) return gpu;
  cluster_request without = asked.asked;
  without.measured = {};
  gpu.operators_from = cluster_of(without).gpu().operators_from;
  return gpu;
}

}  // namespace detail

/// The errors of an answer: of a step and of memory those that the runs of the job's profile leave,
/// where it has runs of that class, else those of the classes of the error table.
inline estimate_errors errors_of(const estimate& what, const job& asked) {
  estimate_errors errors = gpuplan::errors_of(what, detail::judged_gpu(asked, what.memory.recipe));
  if (!what.costed()) return errors;
  const cluster_profile& known = asked.asked.measured.profile;
  // Its runs say little of another kind of job.
  const run_class own = run_class_of(what.memory.model, what.memory.recipe, what.gpus);
  if (known.steps.runs > 0 && known.steps.classes.contains(own)) {
    const step_job one = detail::predicted_job(asked, what.memory.recipe, what.memory.parallelism);
    errors.step = gpuplan::errors_of(predicted_step(one, known.steps), known.steps);
  }
  if (known.beside_model.runs > 0 && known.beside_model.classes.contains(own)) {
    const stage_footprint worst = what.memory.worst_stage();
    errors.allocated = gpuplan::errors_of(worst.allocated(), known.beside_model);
    errors.reserved = gpuplan::errors_of(worst.reserved(), known.beside_model);
    errors.device = gpuplan::errors_of(worst.device_total(), known.beside_model);
  }
  return errors;
}

}  // namespace gpuplan::api
