#include <gpuplan/api/job_writer.hpp>

#include <string>
#include <vector>

#include <gpuplan/api/job_reader.hpp>

#include "support/catch.hpp"

namespace gpuplan::api {
namespace {

TEST_CASE("a job is written part by part, names and defaults resolved", "[api]") {
  const report_json written =
      json_of(parse_job(R"({"model": "llama-3-8b", "cluster": {"gpu": "h100", "fabric": "ndr"},
                            "parallelism": {"tensor": 8}})"));
  std::vector<std::string> parts;
  for (const auto& [key, ignored] : written.items()) parts.push_back(key);
  CHECK(parts ==
        std::vector<std::string>{"model", "cluster", "recipe", "parallelism", "workspace"});
  CHECK(written["model"] == "llama-3-8b");
  CHECK(written["cluster"].dump() ==
        R"({"gpu":"H100-SXM5-80GB","gpus":8,"gpus_per_node":8,"fabric":"InfiniBand NDR 4x"})");
  CHECK(written["parallelism"]["tensor"] == 8);
  CHECK(written["recipe"]["precision"] == "mixed_bf16");
}

TEST_CASE("a pool of several kinds is written as a list", "[api]") {
  const report_json written = json_of(parse_job(R"({"model": "gpt2", "parallelism": {"data": 3},
                            "cluster": [{"gpus": 1}, {"gpu": "A100-40GB", "gpus": 2}]})"));
  REQUIRE(written["cluster"].size() == 2);
  CHECK(written["cluster"][0]["gpus"] == 1);
  CHECK(written["cluster"][1]["gpus"] == 2);
}

TEST_CASE("a model that was described is written as it was", "[api]") {
  const nlohmann::json model = gpuplan::json_of(catalog::gpt2);
  CHECK(json_of(read_job({{"model", model}}))["model"].dump() == model.dump());
}

}  // namespace
}  // namespace gpuplan::api
