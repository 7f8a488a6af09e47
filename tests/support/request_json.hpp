#pragma once
/// \file
/// Random requests as JSON.

#include <nlohmann/json.hpp>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/model/transformer_json.hpp>
#include <gpuplan/report/json.hpp>

#include "support/random_request.hpp"

namespace gpuplan::testing {

/// The request of a model by its own fields, on a GPU of the catalogue.
inline nlohmann::json request_json(const random_request& r, draws& any) {
  const cluster& pool = r.pool;
  nlohmann::json request;
  request["model"] = json_of(r.model);
  request["cluster"] = {{"gpu", any.one_of(catalog::accelerators).name},
                        {"gpus", pool.nodes * pool.node.gpus},
                        {"gpus_per_node", pool.node.gpus},
                        {"fabric",
                         {{"latency_s", pool.node.fabric.latency.in_base_units()},
                          {"bandwidth_bytes_per_s", pool.node.fabric.bandwidth.in_base_units()}}}};
  request["recipe"] = nlohmann::json::parse(json_of(r.recipe).dump());
  request["parallelism"] = nlohmann::json::parse(json_of(r.parallelism).dump());
  return request;
}

}  // namespace gpuplan::testing
