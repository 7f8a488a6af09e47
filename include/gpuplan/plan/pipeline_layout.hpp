#pragma once
/// \file
/// The stages of a pipeline as Megatron-LM spells them.

#include <string>

#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/pipeline_stage.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>

namespace gpuplan {

/// The value of `--pipeline-model-parallel-layout`: "Et*7|t*8|t*8|t*7mL".
///
/// E is the embedding, t a layer, m a layer that predicts a further token, L the loss; | ends a
/// stage.  Stages of several chunks follow in the order of the model: all first chunks, then all
/// second ones.
///
/// Source: NVIDIA, "Megatron-LM", megatron/core/transformer/pipeline_parallel_layer_layout.py, and
/// the help of --pipeline-model-parallel-layout (2025).
///
/// \throws invalid_input as layers_of_chunk does
inline std::string pipeline_layout_of(const transformer& m, const recipe& how,
                                      const parallelism& cut) {
  std::string text;
  for (int chunk = 0; chunk < cut.interleave; ++chunk)
    for (int stage = 0; stage < cut.pipeline; ++stage) {
      if (!text.empty()) text += '|';
      const stage_layers held = layers_of_chunk(m, how, cut, stage, chunk);
      if (held.has_embedding) text += 'E';
      if (held.total() > 0) text += 't';
      if (held.total() > 1) text += '*' + std::to_string(held.total());
      if (!held.has_head) continue;
      text.append(static_cast<std::size_t>(m.multi_token_prediction_layers), 'm');
      text += 'L';
    }
  return text;
}

}  // namespace gpuplan
