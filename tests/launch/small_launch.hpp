#pragma once
/// \file
/// Arguments of a small model, for the tests of launches.

#include <utility>

#include <nlohmann/json.hpp>

#include <gpuplan/launch/arguments.hpp>

namespace gpuplan::testing {

/// 12 layers of 512 on one rank, and `more`.
inline launch_arguments small_launch(const nlohmann::json& more = nlohmann::json::object()) {
  nlohmann::json values{{"num-layers", 12},      {"hidden-size", 512},
                        {"micro-batch-size", 4}, {"num-attention-heads", 8},
                        {"seq-length", 1024},    {"max-position-embeddings", 1024},
                        {"vocab-size", 50304},   {"bf16", true}};
  values.update(more);
  return {std::move(values), "f", "--"};
}

}  // namespace gpuplan::testing
