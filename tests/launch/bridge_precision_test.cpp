#include <gpuplan/launch/bridge_precision.hpp>

#include <string>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

nlohmann::json read(const nlohmann::json& value) {
  nlohmann::json args = nlohmann::json::object();
  read_bridge_precision(value, "f", args);
  return args;
}

TEST_CASE("mixed precisions of Megatron Bridge are read by their names", "[launch]") {
  CHECK(read("bf16_mixed") == nlohmann::json{{"bf16", true}});
  CHECK(read("fp16-mixed") == nlohmann::json{{"fp16", true}});
  CHECK(read("bf16_with_mxfp8_mixed") ==
        nlohmann::json{{"bf16", true}, {"fp8-format", "e4m3"}, {"fp8-recipe", "mxfp8"}});
  CHECK(read("nanov2_bf16_with_fp8_current_scaling_mixed")["fp8-recipe"] == "blockwise");
  CHECK(read("bf16_with_nvfp4_mixed") == nlohmann::json{{"bf16", true}, {"fp4-format", "e2m1"}});
  CHECK(read("bf16_with_fp8_current_scaling_bf16_params_bf16_grad_reduce") ==
        nlohmann::json{{"bf16", true},
                       {"fp8-format", "hybrid"},
                       {"fp8-recipe", "tensorwise"},
                       {"grad-reduce-in-bf16", true}});
}

TEST_CASE("what a mixed precision says has its name again", "[launch]") {
  for (const bridge_precision& row : bridge_precisions) {
    const nlohmann::json args = read(row.name);
    const std::string name = bridge_precision_name(args);
    CHECK(read(name) == args);
    CHECK(name.size() <= row.name.size());
  }
  CHECK(bridge_precision_name(nlohmann::json::object()).empty());
  CHECK(
      bridge_precision_name({{"bf16", true}, {"fp8-format", "hybrid"}, {"fp8-recipe", "mxfp8"}}) ==
      "bf16_with_mxfp8_mixed");
}

TEST_CASE("a mixed precision that is not known is refused", "[launch]") {
  CHECK_THROWS_WITH(
      read("nonsense"),
      ContainsSubstring("f: mixed_precision must be one of bf16_mixed, fp16_mixed, ") &&
          ContainsSubstring("not the string \"nonsense\""));
  CHECK_THROWS_WITH(read(16), ContainsSubstring("not 16"));
  CHECK_THROWS_WITH(read(""), ContainsSubstring("not the string"));
}

}  // namespace
}  // namespace gpuplan
