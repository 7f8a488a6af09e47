#include <gpuplan/api/job_reader.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gpuplan/api/job_writer.hpp>
#include <gpuplan/plan/estimate.hpp>

#include "support/property.hpp"
#include "support/refusal.hpp"
#include "support/request_json.hpp"

namespace gpuplan::api {
namespace {

using nlohmann::json;
using testing::refusal_by;

std::string refusal_of_request(const json& request) {
  return refusal_by([&] { return read_job(request); });
}

TEST_CASE("all but the model may be absent", "[api]") {
  const job asked = parse_job(R"({"model": "llama-3-8b"})");
  CHECK(asked.model_echo == "llama-3-8b");
  CHECK(asked.model.layers == 32);
  CHECK(asked.asked.gpu == default_gpu);
  CHECK(asked.pool.gpus() == 1);
  CHECK(asked.recipe.global_batch_size == 1);
  CHECK(asked.recipe.precision == default_precision(asked.pool.gpu()));
  CHECK(asked.recipe.sequence_length == default_sequence(asked.model));
  CHECK(json_of(parse_job(R"({"model": "llama-3-8b", "cluster": null, "recipe": null})")) ==
        json_of(asked));
}

TEST_CASE("the layout says how many GPUs and how large a batch, unless the request does", "[api]") {
  const job asked = parse_job(
      R"({"model": "llama-3-8b", "parallelism": {"data": 4, "tensor": 2, "pipeline": 2}})");
  CHECK(asked.pool.gpus() == 16);
  CHECK(asked.recipe.global_batch_size == 8);
  const job told = parse_job(
      R"({"model": "llama-3-8b", "parallelism": {"data": 4}, "cluster": {"gpus": 64},
          "recipe": {"global_batch_size": 512}})");
  CHECK(told.pool.gpus() == 64);
  CHECK(told.recipe.global_batch_size == 512);
}

TEST_CASE("a list of clusters is a pool of several kinds", "[api]") {
  const job asked = parse_job(
      R"({"model": "llama-3-8b", "parallelism": {"data": 8},
          "cluster": [{"gpu": "H100", "gpus": 4}, {"gpu": "V100-32GB", "gpus": 4}]})");
  CHECK(asked.pool.gpus() == 4);
  REQUIRE(asked.others.size() == 1);
  CHECK(asked.others[0].pool.gpus() == 4);
  CHECK(asked.recipe.precision == default_precision(asked.others[0].pool.gpu()));
  const std::string list = "request: cluster must be a cluster, or a list of 1 to 16 of them";
  CHECK(refusal_of_request({{"model", "gpt2"}, {"cluster", json::array()}}) == list);
  json many = json::array();
  for (std::size_t i = 0; i <= most_kinds; ++i) many.push_back({{"gpus", 1}});
  CHECK(refusal_of_request({{"model", "gpt2"}, {"cluster", many}}) == list);
  CHECK(refusal_of_request({{"model", "gpt2"}, {"cluster", {{{"gpus", 1}}, {{"gpu", "H100"}}}}}) ==
        "cluster[1]: gpus is missing, as of each of a list");
  const auto of_unknown = [](std::size_t place) {
    json pool{{{"gpu", "H100"}, {"gpus", 1}}, {{"gpu", "H100"}, {"gpus", 1}}};
    pool[place]["gpu"] = "H1000";
    return refusal_of_request({{"model", "gpt2"}, {"cluster", pool}});
  };
  CHECK(of_unknown(0).starts_with("cluster[0]: gpu must be a name of the catalogue"));
  CHECK(of_unknown(1).starts_with("cluster[1]: gpu must be a name of the catalogue"));
  CHECK(refusal_of_request({{"model", "gpt2"}, {"cluster", {{"gpu", "H1000"}}}})
            .starts_with("cluster: gpu must be a name of the catalogue"));
}

TEST_CASE("what was measured takes the place of datasheets", "[api]") {
  const measured_cluster measured{"profile.json", {.memory = 70 * units::GiB}};
  const json request{{"model", "gpt2"}};
  CHECK(read_job(request, measured).pool.gpu().memory == 70 * units::GiB);
  CHECK(refusal_by([&] {
          return read_job({{"model", "gpt2"}, {"cluster", {{{"gpus", 1}}}}}, measured);
        }) == "request: cluster must be one cluster beside --profile, which is of one");
}

TEST_CASE("a request that cannot be answered says where, and what is allowed", "[api]") {
  try {
    parse_job(R"({"model": "gpt2", "recipe": {"optimizer": "adammw"}})");
    FAIL("an unknown optimizer must be refused");
  } catch (const invalid_request& refused) {
    CHECK(refused.why().what == refused.what());
    CHECK(refused.why().where == "recipe: optimizer");
    CHECK(refused.why().allowed.size() > 3);
    CHECK(refused.why().did_you_mean == std::vector<std::string>{"adamw", "adam"});
  }
  CHECK(refusal_of_request(json::object()) == "request: model is missing");
  CHECK(refusal_of_request(json::array()) == "request: must be a JSON object, not an array");
  CHECK(refusal_of_request({{"model", "gpt2"}, {"recipes", 1}}) ==
        "request: recipes is not a known field; did you mean recipe?");
  CHECK(refusal_of_request({{"model", "gpt2"}, {"recipe", 1}}) ==
        "recipe: must be a JSON object, not 1");
  CHECK(refusal_of_request({{"model", "gpt-2x"}}) ==
        "model must be a name of the catalogue, a config.json object or the library's own fields, "
        "not the string \"gpt-2x\"; did you mean gpt2-xl or gpt2?");
  CHECK(refusal_of_request({{"model", "gpt2"}, {"workspace", {{"fragmentation", std::nan("")}}}})
            .starts_with("workspace: fragmentation must be "));
  CHECK(refusal_of_request({{"model", "gpt2"}, {"recipe", {{"schedule", "interleaved"}}}}) ==
        "recipe: schedule 'interleaved' needs a parallelism.interleave of 2 or more");
  CHECK(refusal_of_request({{"model", "gpt2"}, {"recipe", {{"expert_imbalance", 2}}}})
            .starts_with("recipe: expert_imbalance has no effect: "));
  CHECK(refusal_by([] { return parse_job("{\"model\": "); }).starts_with("request: "));
  CHECK(refusal_by([] {
          return parse_job(R"({"model": "gpt2", "model": "gpt2"})");
        }).starts_with("request: "));
}

TEST_CASE("the inputs of a plan are a request", "[api]") {
  json planned = json::parse(json_of(parse_job(R"({"model": "gpt2"})")).dump());
  planned["searched"] = json::object();
  planned["run"] = {{"tokens", 1e12}};
  planned["by"] = "cost";
  CHECK(json_of(read_job(planned)) == json_of(parse_job(R"({"model": "gpt2"})")));
  planned.erase("searched");
  CHECK(refusal_of_request(planned).ends_with("is not a known field"));
}

TEST_CASE("a job that is written reads to the same job, with the same answer", "[api][property]") {
  int read_at_all = 0;
  testing::check_property("read after written is what was", [&] {
    const auto number = *rc::gen::inRange<std::uint64_t>(0, 1'000'000);
    testing::draws any{number};
    const json request = testing::request_json(testing::random_request_of(number), any);
    if (refusal_of_request(request) != "nothing") return;
    ++read_at_all;
    const job asked = read_job(request);
    const report_json written = json_of(asked);
    const job back = parse_job(written.dump());
    RC_ASSERT(json_of(back) == written);
    const auto answer = [](const job& of) {
      return gpuplan::json_of(evaluate(of.model, of.pool, of.recipe, of.parallelism, of.workspace));
    };
    RC_ASSERT(answer(back) == answer(asked));
  });
  CHECK(read_at_all > 20);
}

}  // namespace
}  // namespace gpuplan::api
