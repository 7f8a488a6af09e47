#include <gpuplan/launch/megatron_writer.hpp>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/launch/megatron_reader.hpp>
#include <gpuplan/model/catalog.hpp>

#include "support/catch.hpp"

namespace gpuplan {

TEST_CASE("layers and experts are drawn as Megatron-LM reads them", "[launch]") {
  const transformer& m = catalog::llama_3_8b;
  CHECK(detail::drawn_pipeline(m, {}, {.pipeline = 3}) == "Et*11|t*11|t*10L");
  const nlohmann::json args =
      write_megatron(m, {}, {.pipeline = 3}, workspace_of(catalog::h100_sxm5_80gb));
  CHECK(args["pipeline-model-parallel-layout"] == "Et*11|t*11|t*10L");
  const std::string line = megatron_command_line(args);
  CHECK(line.find("--pipeline-model-parallel-layout 'Et*11|t*11|t*10L' \\\n") != line.npos);
  CHECK(line.find("--sequence-parallel") == line.npos);
  const std::string overrides = bridge_overrides(args);
  CHECK(overrides.find("model.add_bias_linear=false \\\n") != overrides.npos);
  CHECK(overrides.starts_with("mixed_precision=bf16_mixed \\\n"));
}

}  // namespace gpuplan
