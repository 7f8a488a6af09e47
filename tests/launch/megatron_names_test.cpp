#include <gpuplan/launch/megatron_names.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

TEST_CASE("one argument has one name, however it is written", "[launch]") {
  CHECK(megatron_arguments_of(nlohmann::json::parse(R"({"--num-layers": 2, "hidden_size": 3,
            "model": {"add_bias_linear": false, "num_moe_experts": 8},
            "ddp.grad_reduce_in_fp32": false, "model.num_query_groups": 4,
            "mixed_precision": "bf16_with_fp8_current_scaling_mixed"})"),
                              "f") ==
        nlohmann::json::parse(R"({"num-layers": 2, "hidden-size": 3, "disable-bias-linear": true,
            "num-experts": 8, "accumulate-allreduce-grads-in-fp32": false,
            "grad-reduce-in-bf16": true, "group-query-attention": true, "num-query-groups": 4,
            "bf16": true, "fp8-format": "hybrid", "fp8-recipe": "tensorwise"})"));
  CHECK(megatron_arguments_of(nlohmann::json::array(), "f").empty());
}

TEST_CASE("a field that says the opposite of an argument is a switch", "[launch]") {
  const auto read = [](const nlohmann::json& values) { return megatron_arguments_of(values, "f"); };
  CHECK(read({{"add_bias_linear", "False"}}) == nlohmann::json{{"disable-bias-linear", true}});
  CHECK(read({{"add_bias_linear", 1}}) == nlohmann::json{{"disable-bias-linear", false}});
  CHECK(read({{"ddp.grad_reduce_in_fp32", "no"}})["grad-reduce-in-bf16"] == true);
  CHECK_THROWS_WITH(read({{"model.add_bias_linear", "maybe"}}),
                    "f: add_bias_linear must be true or false, not the string \"maybe\"");
  CHECK_THROWS_WITH(read({{"grad_reduce_in_fp32", 7}}),
                    "f: grad_reduce_in_fp32 must be true or false, not 7");
}

TEST_CASE("a squared ReLU is told by its name or its path", "[launch]") {
  const nlohmann::json squared{{"squared-relu", true}};
  for (const char* name :
       {"squared_relu", "squaredrelu", "megatron.core.activations.squared_relu"}) {
    CHECK(megatron_arguments_of({{"model", {{"activation_func", name}}}}, "f") == squared);
    CHECK(megatron_arguments_of(
              {{"model", {{"activation_func", {{"_target_", name}, {"_call_", false}}}}}}, "f") ==
          squared);
  }
  CHECK(megatron_arguments_of({{"activation_func", "gelu"}}, "f") ==
        nlohmann::json{{"activation-func", "gelu"}});
}

}  // namespace
}  // namespace gpuplan
