#include <gpuplan/api/job_errors.hpp>

#include <string_view>

#include <gpuplan/api/job_reader.hpp>

#include "support/catch.hpp"

namespace gpuplan::api {
namespace {

using namespace units;

constexpr std::string_view request =
    R"({"model": "llama-3-8b", "parallelism": {"data": 8}, "recipe": {"zero": 3}})";

estimate estimate_of(const job& asked) {
  return gpuplan::evaluate(asked.model, asked.pool, asked.recipe, asked.parallelism,
                           asked.workspace);
}

run_class class_of(const job& asked) {
  return run_class_of(asked.model, asked.recipe, asked.pool.gpus());
}

/// The job with a profile that has a belief of runs of its class.
job job_with_runs(const job& plain) {
  measured_cluster measured{"profile.json", {}};
  measured.profile.steps = usual_step_belief();
  measured.profile.steps.runs = 3;
  measured.profile.steps.classes.insert(class_of(plain));
  return parse_job(request, measured);
}

TEST_CASE("without a profile the errors are those of the classes", "[api]") {
  const job asked = parse_job(request);
  const estimate what = estimate_of(asked);
  const estimate_errors errors = errors_of(what, asked);
  const estimate_errors listed = gpuplan::errors_of(what, asked.pool.gpu());
  CHECK(errors.step == listed.step);
  CHECK(errors.allocated == listed.allocated);
  CHECK(errors.reserved == listed.reserved);
  CHECK(errors.device == listed.device);
}

TEST_CASE("runs of its class say how far off a step is", "[api]") {
  const job asked = job_with_runs(parse_job(request));
  const estimate what = estimate_of(asked);
  const estimate_errors errors = errors_of(what, asked);
  CHECK(errors.step.grade == error_grade::calibrated);
  CHECK(errors.step.runs == 3);
  CHECK(errors.device == gpuplan::errors_of(what, asked.pool.gpu()).device);
}

TEST_CASE("runs of its class say how far off memory is", "[api]") {
  measured_cluster measured{"profile.json", {}};
  measured.profile.beside_model = usual_framework_memory();
  measured.profile.beside_model.runs = 5;
  measured.profile.beside_model.classes.insert(class_of(parse_job(request)));
  const job asked = parse_job(request, measured);
  const estimate what = estimate_of(asked);
  const estimate_errors errors = errors_of(what, asked);
  for (const error_distribution& one : {errors.allocated, errors.reserved, errors.device}) {
    CHECK(one.grade == error_grade::calibrated);
    CHECK(one.runs == 5);
  }
  CHECK(errors.step == gpuplan::errors_of(what, asked.pool.gpu()).step);
  CHECK_FALSE(errors.allocated == errors.device);
}

TEST_CASE("runs of another class say nothing", "[api]") {
  job asked = job_with_runs(parse_job(request));
  asked.recipe.precision = precision::fp32;
  const estimate what = estimate_of(asked);
  CHECK(errors_of(what, asked).step == gpuplan::errors_of(what, asked.pool.gpu()).step);
  CHECK(errors_of(what, asked).step.grade != error_grade::calibrated);
}

TEST_CASE("a layout that breaks a rule has no errors of runs", "[api]") {
  job asked = job_with_runs(parse_job(request));
  asked.parallelism.tensor = 7;
  asked.pool = gpuplan::cluster_of(asked.pool.node, 56);
  const estimate what = estimate_of(asked);
  REQUIRE_FALSE(what.costed());
  CHECK(errors_of(what, asked).step.grade != error_grade::calibrated);
}

TEST_CASE("products measured in other formats do not make a device a measured one", "[api]") {
  const auto step_with = [](flop_per_second basic_peak<double>::*format) {
    measured_cluster measured{"profile.json", {}};
    measured.profile.products.*format = 30 * TFLOP / second;
    const job asked =
        parse_job(R"({"model": "gpt2", "cluster": {"gpu": "T4"}, "recipe": {"precision": "fp16"}})",
                  measured);
    CHECK(asked.pool.gpu().operators_from == operator_origin::measured);
    return detail::judged_gpu(asked, asked.recipe).operators_from;
  };
  CHECK(step_with(&basic_peak<double>::fp16) == operator_origin::measured);
  CHECK(step_with(&basic_peak<double>::int8) ==
        catalog::find_accelerator("T4")->gpu->operators_from);
  CHECK(catalog::find_accelerator("T4")->gpu->operators_from != operator_origin::measured);
}

}  // namespace
}  // namespace gpuplan::api
