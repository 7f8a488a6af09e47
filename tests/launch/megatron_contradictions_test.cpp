#include <gpuplan/launch/megatron_contradictions.hpp>

#include <string>
#include <vector>

#include <gpuplan/launch/megatron_reader.hpp>

#include "launch/small_launch.hpp"
#include "support/catch.hpp"

namespace gpuplan {
namespace {

launch_job job_of(nlohmann::json more) {
  more.emplace("num-layers", nullptr);
  return read_megatron(testing::small_launch(more), {});
}

TEST_CASE("what agrees with a pattern is read", "[launch]") {
  for (const char* name : {"hybrid-layer-pattern", "hybrid-override-pattern"}) {
    CHECK(job_of({{name, "M-|M*-"}, {"num-layers", 5}, {"pipeline-model-parallel-size", 2}})
              .model->layers == 2);
    CHECK(job_of({{name, "MEM*E/*E"}, {"num-layers", 5}, {"num-experts", 4}}).model->layers == 2);
  }
  CHECK(job_of({{"hybrid-layer-pattern", "M-"}, {"hybrid-override-pattern", "M-"}}).model);
}

TEST_CASE("what contradicts a pattern is refused by name", "[launch][reference]") {
  // Megatron Bridge, HybridModelProvider.finalize (2026): one pattern.
  for (const std::string name : {"hybrid-layer-pattern", "hybrid-override-pattern"}) {
    const auto refused = [&](const char* pattern, const nlohmann::json& more,
                             const std::string& words) {
      nlohmann::json args = more;
      args[name] = pattern;
      INFO(words);
      CHECK_THROWS_WITH(job_of(args), "f: " + words);
    };
    refused("M-M*-", {{"num-experts", 4}}, "--num-experts is 4, but --" + name + " has no layer E");
    refused("MEM*E", {{"num-layers", 5}}, "--num-experts is missing beside layers E of --" + name);
    refused("M-M*-/*E", {{"num-layers", 5}},
            "--num-experts is missing beside layers E of --" + name);
  }
  CHECK_THROWS_WITH(
      job_of({{"hybrid-layer-pattern", "M-M*-"}, {"hybrid-override-pattern", "M-M-"}}),
      "f: --hybrid-override-pattern is another pattern than --hybrid-layer-pattern, its newer "
      "name");
}

TEST_CASE("of layers and further predictions the pattern counts", "[launch]") {
  // A configuration of Megatron-LM's own tests has 13 letters beside --num-layers 12.
  const launch_job other =
      job_of({{"hybrid-layer-pattern", "MEM*EMEM*EME*"}, {"num-layers", 12}, {"num-experts", 4}});
  CHECK(other.assumed.back() == "--num-layers 12 is ignored: --hybrid-layer-pattern has 13");
  const launch_job job = job_of({{"hybrid-layer-pattern", "M-M*-/*-/*-"}, {"mtp-num-layers", 1}});
  CHECK(job.model->multi_token_prediction_layers == 2);
  CHECK(job.assumed.back() == "--mtp-num-layers 1 is ignored: --hybrid-layer-pattern has 2");
  CHECK(job_of({{"hybrid-layer-pattern", "M-M*-/*-"}, {"mtp-num-layers", 1}}).assumed.empty());
}

}  // namespace
}  // namespace gpuplan
