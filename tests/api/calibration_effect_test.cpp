#include <gpuplan/api/calibration_effect.hpp>

#include <optional>
#include <set>
#include <string>

#include <gpuplan/api/job_reader.hpp>

#include "support/catch.hpp"

namespace gpuplan::api {
namespace {

using namespace units;

job job_with(const cluster_profile& profile) {
  return parse_job(R"({"model": "llama-3-8b", "parallelism": {"data": 8}, "recipe": {"zero": 3}})",
                   {"profile.json", profile});
}

calibration_effect effect_with(const cluster_profile& profile) {
  const job asked = job_with(profile);
  return effect_of(asked, asked.recipe, asked.parallelism).value();
}

TEST_CASE("a job without a profile has no effect of one", "[api]") {
  const job asked = parse_job(R"({"model": "gpt2"})");
  CHECK_FALSE(effect_of(asked, asked.recipe, asked.parallelism));
  CHECK(json_of(effect_of(asked, asked.recipe, asked.parallelism)).is_null());
}

TEST_CASE("an empty profile moves nothing", "[api]") {
  const calibration_effect effect = effect_with({});
  CHECK(effect.profile == "profile.json");
  CHECK(effect.constants.empty());
  CHECK(effect.measured.time.total() == effect.datasheet.time.total());
  CHECK_FALSE(effect.band);
}

TEST_CASE("each number of a profile is a constant that it moved", "[api]") {
  cluster_profile profile;
  profile.scale_up = {.latency = 7 * us, .bandwidth = 200 * GB / second};
  profile.memory = 70 * GiB;
  const calibration_effect effect = effect_with(profile);
  std::set<std::string> names;
  for (const moved_constant& one : effect.constants) {
    names.insert(one.name);
    CHECK(one.measured != one.datasheet);
  }
  CHECK(names == std::set<std::string>{"scale_up_latency", "scale_up_bandwidth", "memory"});
  for (const moved_constant& one : effect.constants)
    if (one.name == "memory") CHECK(one.measured == (70 * GiB).in_base_units());
  CHECK(effect.measured.time.total() > effect.datasheet.time.total());
}

TEST_CASE("runs of a profile bound the step that it predicts", "[api]") {
  cluster_profile profile;
  profile.steps = usual_step_belief();
  profile.steps.runs = 2;
  const calibration_effect effect = effect_with(profile);
  REQUIRE(effect.band);
  CHECK(effect.band->low < effect.measured.time.total());
  CHECK(effect.band->high > effect.measured.time.total());
  const report_json written = json_of(std::optional{effect});
  CHECK(written["step_time_bounds_s"].size() == 2);
  CHECK(written["step_time_bounds_s"][0] == json_number(effect.band->low));
}

TEST_CASE("what was without a profile is the job without it", "[api]") {
  cluster_profile profile;
  profile.memory = 70 * GiB;
  profile.cuda_context = 1 * GB;
  const job listed = listed_of(job_with(profile));
  const job plain =
      parse_job(R"({"model": "llama-3-8b", "parallelism": {"data": 8}, "recipe": {"zero": 3}})");
  CHECK(listed.pool.gpu().memory == plain.pool.gpu().memory);
  CHECK(listed.workspace.cuda_context == plain.workspace.cuda_context);
  CHECK(job_with(profile).workspace.cuda_context == 1 * GB);
}

TEST_CASE("an effect is written with units, and what is unknown as null", "[api]") {
  calibration_effect effect = effect_with({});
  effect.constants = {
      {.name = "step_host", .kind = constant_kind::share, .measured = 2},
      {.name = "memory", .kind = constant_kind::size, .datasheet = 2, .measured = 3}};
  const report_json written = json_of(std::optional{effect});
  CHECK(written["profile"] == "profile.json");
  CHECK(written["constants"][0]["ratio"].is_null());
  CHECK(written["constants"][0]["unit"] == "1");
  CHECK(written["constants"][1]["ratio"] == 1.5);
  CHECK(written["constants"][1]["unit"] == "B");
  CHECK(written["step_time_bounds_s"].is_null());
  CHECK(written["measured"] == brief_json_of(effect.measured));
  CHECK(written["measured"]["step_time_s"] == json_number(effect.measured.time.total()));
}

TEST_CASE("a layout that breaks a rule is compared by what is known", "[api]") {
  job asked = job_with({});
  asked.parallelism.tensor = 7;
  asked.pool = gpuplan::cluster_of(asked.pool.node, 56);
  asked.asked.gpus = 56;
  const calibration_effect effect = effect_of(asked, asked.recipe, asked.parallelism).value();
  const report_json written = brief_json_of(effect.measured);
  CHECK(written["fits"] == false);
  for (const char* key : {"step_time_s", "mfu", "needed_bytes", "binding"})
    CHECK(written[key].is_null());
}

static_assert(unit_of(constant_kind::rate) == "B/s");
static_assert(unit_of(constant_kind::work_rate) == "FLOP/s");
static_assert(unit_of(constant_kind::time) == "s");

}  // namespace
}  // namespace gpuplan::api
