#include <gpuplan/api/host_memory.hpp>

#include <gpuplan/api/job_reader.hpp>

#include "support/catch.hpp"

namespace gpuplan::api {
namespace {

job job_of_gpus(int tensor, const char* offload) {
  return read_job({{"model", "llama-3.2-1b"},
                   {"cluster", {{"gpus_per_node", 8}}},
                   {"parallelism", {{"data", 8 / tensor}, {"tensor", tensor}}},
                   {"recipe", {{"zero", 1}, {"offload", offload}}}});
}

estimate estimate_of(const job& asked) {
  return gpuplan::evaluate(asked.model, asked.pool, asked.recipe, asked.parallelism,
                           asked.workspace);
}

TEST_CASE("a node holds what its ranks offload", "[api]") {
  const job asked = job_of_gpus(1, "optimizer");
  const estimate what = estimate_of(asked);
  CHECK(host_memory_of_node(what.memory, asked) == host_memory_needed(what.memory, 8));
  CHECK(host_memory_of_node(what.memory, asked) > bytes{1e9});
  report_json answer;
  add_host_memory(answer, what, asked);
  CHECK(answer["memory"]["host_memory_bytes"] == json_number(host_memory_needed(what.memory, 8)));
}

TEST_CASE("a job that offloads nothing needs no host", "[api]") {
  const job asked = job_of_gpus(2, "none");
  const estimate what = estimate_of(asked);
  CHECK(host_memory_of_node(what.memory, asked) == bytes{0});
  report_json answer;
  add_host_memory(answer, what, asked);
  CHECK(answer["memory"]["host_memory_bytes"] == 0);
}

TEST_CASE("of a layout that breaks a rule no host memory is known", "[api]") {
  job asked = job_of_gpus(2, "optimizer");
  asked.parallelism.tensor = 7;
  asked.pool = gpuplan::cluster_of(asked.pool.node, 28);
  const estimate what = estimate_of(asked);
  REQUIRE_FALSE(what.costed());
  report_json answer;
  add_host_memory(answer, what, asked);
  CHECK(answer["memory"]["host_memory_bytes"].is_null());
  CHECK(host_memory_of_node({}, asked) == bytes{0});
}

}  // namespace
}  // namespace gpuplan::api
