#pragma once
/// \file
/// A published run of a mixture of experts as a job, with what its recipe switched on.

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include <gpuplan/model/catalog.hpp>
#include <gpuplan/plan/layout_fault.hpp>
#include <gpuplan/plan/reject.hpp>

#include "accuracy/fields.hpp"
#include "accuracy/published_flags.hpp"
#include "accuracy/published_row.hpp"

namespace gpuplan::accuracy {

namespace detail {

/// What a name has behind the model's own: "(w/ MTP)", "(tokendrop)", a size.
inline std::string without_remark(const std::string& name) {
  return name.substr(0, name.find(" ("));
}

/// The shape that the catalogue has of a name, or that the entry prints.
/// \throws unmapped if neither says what an expert is
inline transformer expert_transformer(const nlohmann::json& model) {
  const std::string name = without_remark(text_of(model, "name"));
  const bool further = text_of(model, "name").find("(w/ MTP)") != std::string::npos;
  if (const transformer* known = catalog::find_model(name)) {
    transformer m = *known;
    m.multi_token_prediction_layers = further ? 1 : 0;
    return m;
  }
  transformer m = published_transformer(model);
  if (m.moe.experts == 0) throw unmapped{"model " + name + " is unknown"};
  // Every second layer, and an expert that all tokens visit: A. Meta, "Llama 4" (2025).
  if (name.find("Maverick") != std::string::npos) {
    m.moe.first_dense_layers = 1;
    m.moe.dense_layers = m.layers / 2;
    m.moe.shared_ffn_size = m.moe.ffn_size;
  }
  return m;
}

/// What the printed fields say; what they leave open is as Megatron Core's recipes have it.
inline job expert_job(const nlohmann::json& entry) {
  const nlohmann::json& model = field(entry, "model");
  const nlohmann::json& run = field(entry, "run");
  const int tensor = whole_of(entry, "tp");
  job asked{.model = expert_transformer(model),
            .recipe = {.global_batch_size = whole_of(entry, "global_batch"),
                       .sequence_length = whole_of(model, "seq"),
                       .precision = published_precision(text_of(run, "dtype")),
                       .zero = zero_stage::optimizer,
                       .sequence_parallel = tensor > 1},
            .parallelism = {.data = whole_of(entry, "dp"),
                            .tensor = tensor,
                            .pipeline = whole_of(entry, "pp"),
                            .context = whole(entry, "cp").value_or(1),
                            .expert = whole_of(entry, "ep"),
                            .interleave = whole_of(entry, "pp") > 1
                                              ? (std::max)(whole(entry, "vp").value_or(1), 1)
                                              : 1,
                            .micro_batch_size = whole_of(entry, "micro_batch"),
                            .expert_tensor = 1}};
  set_flags(run, asked);
  // Layouts that software pads with layers of nothing are taken as if they had no chunks.
  const reject no =
      layout_fault(asked.model, asked.parallelism.gpus(), asked.recipe, asked.parallelism);
  if (no.reason == reject_reason::layers) asked.parallelism.interleave = 1;
  return asked;
}

}  // namespace detail

}  // namespace gpuplan::accuracy
