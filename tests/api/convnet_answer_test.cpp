#include <gpuplan/api/convnet_answer.hpp>

#include "support/catch.hpp"

namespace gpuplan::api {
namespace {

static_assert(find_network("ResNet 50") == &named_networks[0]);
static_assert(find_network("resnet-51") == nullptr);

TEST_CASE("a convolutional network has its counts", "[api]") {
  for (const named_network& one : named_networks) {
    const nlohmann::json answer = json_of(one);
    CHECK(answer["inputs"]["model"] == one.name);
    CHECK(answer["inputs"]["image"]["channels"] == 3);
    CHECK(answer["inputs"]["image"]["height"] == one.net->input.height);
    CHECK(answer["parameters"] == parameters_of(*one.net));
    CHECK(answer["layers"] == one.net->layers.size());
    CHECK(answer["training_flop_of_image"] > answer["forward_flop_of_image"]);
    CHECK(answer["activation_bytes_of_image"]["fp32"] >
          answer["activation_bytes_of_image"]["bf16"]);
  }
}

}  // namespace
}  // namespace gpuplan::api
