#include <gpuplan/api/evaluation.hpp>

#include <limits>
#include <string>

#include <gpuplan/api/job_reader.hpp>

#include "support/catch.hpp"

namespace gpuplan::api {
namespace {

using namespace units;

TEST_CASE("a job is evaluated as its parts are", "[api]") {
  const job asked = parse_job(R"({"model": "llama-3-8b", "parallelism": {"tensor": 8}})");
  const evaluation answer = evaluate(asked);
  const estimate alone =
      gpuplan::evaluate(asked.model, asked.pool, asked.recipe, asked.parallelism, asked.workspace);
  CHECK(answer.what.time.total() == alone.time.total());
  CHECK(answer.what.needed == alone.needed);
  CHECK_FALSE(answer.mixed);
  CHECK_FALSE(answer.calibration);
  CHECK(&answer.slowest() == &answer.asked.asked);
  CHECK(answer.gpu().memory == asked.pool.gpu().memory);
}

TEST_CASE("of several kinds of GPU the answer is that of the slowest", "[api]") {
  const evaluation answer = evaluate(parse_job(
      R"({"model": "llama-3-8b", "parallelism": {"data": 8}, "recipe": {"zero": 3},
          "cluster": [{"gpu": "H100", "gpus": 4}, {"gpu": "A100-80GB", "gpus": 4}]})"));
  REQUIRE(answer.mixed);
  CHECK(answer.mixed->part == 1);
  CHECK(answer.slowest().gpu == answer.asked.others[0].asked.gpu);
  CHECK(answer.gpu().peak.bf16 == answer.asked.others[0].pool.gpu().peak.bf16);
  const report_json written = json_of(answer);
  CHECK(written["mixed"]["gpu"] == answer.slowest().gpu);
  CHECK(written["mixed"]["part"] == 1);
  CHECK(written["mixed"]["mean_step_time_s"] == json_number(answer.mixed->step.mean));
  CHECK(written["mixed"]["idle_share"].get<double>() > 0);
}

TEST_CASE("of kinds of which one does not fit nothing waits", "[api]") {
  const evaluation answer = evaluate(parse_job(
      R"({"model": "llama-3-70b", "parallelism": {"data": 2},
          "cluster": [{"gpus": 1}, {"gpu": "A100-40GB", "gpus": 1}]})"));
  const report_json written = json_of(answer);
  CHECK(written["fits"] == false);
  for (const char* key : {"mean_step_time_s", "idle_share", "proportional_step_time_s"})
    CHECK(written["mixed"][key].is_null());
}

TEST_CASE("an answer is numbered, and its inputs are a request with the same answer", "[api]") {
  const evaluation answer = evaluate(parse_job(R"({"model": "gpt2", "parallelism": {"data": 2}})"));
  const report_json written = json_of(answer, 7);
  CHECK(written["line"] == 7);
  CHECK(written.begin().key() == "schema_version");
  CHECK(written["inputs"] == json_of(answer.asked));
  CHECK(json_of(evaluate(parse_job(written["inputs"].dump())), 7) == written);
  CHECK(json_of(answer)["line"] == 1);
}

TEST_CASE("a higher level has wider bands, and one that is none is refused", "[api]") {
  const evaluation answer = evaluate(parse_job(R"({"model": "gpt2"})"));
  const auto high = [&](double level) {
    return json_of(answer, 1, level)["step_time_high_s"].get<double>();
  };
  CHECK(high(0.5) < high(0.99));
  CHECK(high(usual_level) == json_of(answer)["step_time_high_s"].get<double>());
  CHECK_THROWS_AS(json_of(answer, 1, 1.5), invalid_input);
  CHECK_THROWS_AS(json_of(answer, 1, std::numeric_limits<double>::quiet_NaN()), invalid_input);
}

TEST_CASE("host memory is that of what is offloaded", "[api]") {
  const auto memory_of = [](const std::string& offload) {
    const report_json written = json_of(evaluate(parse_job(
        R"({"model": "gpt2", "parallelism": {"data": 8}, "recipe": {"zero": 1, "offload": ")" +
        offload + R"("}})")));
    return written["memory"]["host_memory_bytes"].get<double>();
  };
  CHECK(memory_of("none") == 0);
  CHECK(memory_of("optimizer") > 1e9);
}

TEST_CASE("a layout that breaks a rule is answered with the rule", "[api]") {
  const evaluation answer =
      evaluate(parse_job(R"({"model": "gpt2", "parallelism": {"tensor": 7}})"));
  REQUIRE_FALSE(answer.what.costed());
  CHECK(host_memory_of_node(answer.what.memory, answer.asked) == bytes{0});
  const report_json written = json_of(answer);
  CHECK(written["memory"]["host_memory_bytes"].is_null());
  CHECK(written["rejected"].is_object());
}

TEST_CASE("a profile tells what it moved", "[api]") {
  cluster_profile profile;
  profile.memory = 70 * GiB;
  const report_json written =
      json_of(evaluate(parse_job(R"({"model": "gpt2"})", {"profile.json", profile})));
  REQUIRE(written.contains("calibration"));
  CHECK(written["calibration"]["constants"][0]["name"] == "memory");
  CHECK_FALSE(json_of(evaluate(parse_job(R"({"model": "gpt2"})"))).contains("calibration"));
}

}  // namespace
}  // namespace gpuplan::api
