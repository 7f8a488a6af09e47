#pragma once
/// \file
/// The pieces that a launch of Megatron-LM cuts a model into.

#include <cstddef>
#include <vector>

#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/pipeline_stage.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// Takes over a pipeline of which the layers of each piece are given: chunks of a rank, and the
/// layers of each stage; no split where the pieces are those of a pipeline that nothing splits.
///
///     layers  of piece k p + i: chunk k of stage i
///
/// \throws invalid_input if the pieces are no multiple of the stages, or a stage has too many
///         layers for a split
inline void cut_into_pieces(const std::vector<int>& layers, const transformer& m, recipe& how,
                            parallelism& cut) {
  const auto stages = static_cast<std::size_t>(cut.pipeline);
  require(!layers.empty() && layers.size() % stages == 0,
          "cut_into_pieces: pieces must be a multiple of the stages");
  cut.interleave = static_cast<int>(layers.size() / stages);
  how.split = {};
  std::vector<int> split(stages, 0);
  bool is_usual = true;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    split[i % stages] += layers[i];
    const auto stage = static_cast<int>(i % stages);
    const auto chunk = static_cast<int>(i / stages);
    is_usual = is_usual && layers_of_chunk(m, how, cut, stage, chunk).total() == layers[i];
  }
  if (!is_usual) how.split = layer_split{split};
}

}  // namespace gpuplan
