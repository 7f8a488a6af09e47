#pragma once
/// \file
/// Which layers a pipeline stage holds.

#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// The layers of one pipeline stage, over all its chunks.
struct stage_layers {
  int dense = 0;
  int moe = 0;
  bool has_embedding = false;  ///< the first stage
  bool has_head = false;       ///< the last stage: final norm, head and loss

  [[nodiscard]] constexpr int total() const { return dense + moe; }
};

namespace detail {

/// Layers with experts among the first `count` layers: dense ones come first, as
/// moe.first_dense_layers says; the remaining dense layers alternate evenly with the others.
constexpr int moe_layers_before(const transformer& m, int count) {
  if (m.moe.experts == 0 || count <= m.moe.first_dense_layers) return 0;
  const int rest = m.layers - m.moe.first_dense_layers;
  const int seen = count - m.moe.first_dense_layers;
  return static_cast<int>(static_cast<std::int64_t>(seen) * m.moe_layers() / rest);
}

/// Layers before chunk `chunk` of `chunks` when they are as equal as they can be: the first
/// layers % chunks chunks hold one more.
constexpr int layers_before(int layers, int chunk, int chunks) {
  const int extra = layers % chunks;
  return chunk * (layers / chunks) + (chunk < extra ? chunk : extra);
}

/// A whole model in pieces, as equal as they can be, where no split cuts it.
class model_pieces {
 public:
  constexpr model_pieces(const transformer& m, int pieces)
      : layers_{m.layers},
        pieces_{pieces},
        each_{m.layers / pieces},
        extra_{m.layers % pieces},
        tail_{1 + m.multi_token_prediction_layers} {
    // Embedding, head and further predictions count as a layer each where only that makes all
    // pieces equal.
    const int units = layers_ + 1 + tail_;
    ends_count_ = extra_ != 0 && units % pieces == 0 && units / pieces >= tail_;
    if (ends_count_) each_ = units / pieces;
  }
  /// Whether all pieces are equal, both ends counted or not.
  [[nodiscard]] constexpr bool equal() const { return extra_ == 0 || ends_count_; }

  [[nodiscard]] constexpr int layers_before(int piece) const {
    if (!ends_count_) return piece * each_ + (piece < extra_ ? piece : extra_);
    if (piece == 0) return 0;
    return piece == pieces_ ? layers_ : piece * each_ - 1;
  }

  /// Layers of every stages-th piece, from piece `stage` on.
  [[nodiscard]] constexpr int layers_of(int stage, int stages) const {
    const int all = pieces_ / stages * each_;
    if (extra_ == 0) return all;
    if (ends_count_) return all - (stage == 0 ? 1 : 0) - (stage == stages - 1 ? tail_ : 0);
    return all + (extra_ > stage ? (extra_ - stage - 1) / stages + 1 : 0);
  }

 private:
  int layers_;
  int pieces_;
  int each_;
  int extra_;
  int tail_;  ///< the head, and each further prediction
  bool ends_count_ = false;
};

}  // namespace detail

/// The layers of stage `stage` of a pipeline.  With v chunks a rank, chunk k of stage i is the
/// (k p + i)-th of the p v pieces that the model is cut into.  Pieces are equal; where only
/// layers + 2 divide, embedding and head count as a layer each, so that the first and the last
/// piece hold one layer less; where neither does, the first pieces hold one more.  Layers that
/// predict further tokens lie on the last stage and count with the head: the 61 layers of
/// DeepSeek-V3 and its one prediction are 64.  A recipe's split gives the layers of a stage; its
/// chunks share them equally.
///
/// Source: A. Dubey et al., "The Llama 3 Herd of Models" (2024), section 3.3.2, arXiv:2407.21783,
/// and P. Qi et al., "Zero Bubble Pipeline Parallelism", ICLR (2024), section 4, arXiv:2401.10241:
/// both give the ends one layer less; NVIDIA, "Megatron Bridge", recipes/deepseek/deepseek_v3.py
/// (2026), the layout of DeepSeek-V3 with its prediction, as recalled.
///
/// \throws invalid_input if stage is not 0 to pipeline - 1, or the split names other stages or
///         another number of layers
constexpr stage_layers layers_of_stage(const transformer& m, const recipe& how,
                                       const parallelism& cut, int stage) {
  require(stage >= 0 && stage < cut.pipeline, "layers_of_stage: stage must be 0 to pipeline - 1");
  const bool first = stage == 0;
  const bool last = stage == cut.pipeline - 1;
  const layer_split& split = how.split;
  if (split.stages() == 0 && m.moe.experts == 0) {
    const detail::model_pieces pieces{m, cut.pipeline * cut.interleave};
    return {pieces.layers_of(stage, cut.pipeline), 0, first, last};
  }

  stage_layers held{.has_embedding = first, .has_head = last};
  const auto add = [&](int begin, int end) {
    const int moe = detail::moe_layers_before(m, end) - detail::moe_layers_before(m, begin);
    held.moe += moe;
    held.dense += end - begin - moe;
  };
  if (split.stages() == 0) {
    const int count = cut.pipeline * cut.interleave;
    const detail::model_pieces pieces{m, count};
    for (int piece = stage; piece < count; piece += cut.pipeline)
      add(pieces.layers_before(piece), pieces.layers_before(piece + 1));
    return held;
  }

  require(split.stages() == cut.pipeline, "recipe.split must name every pipeline stage");
  require(split.total() == m.layers, "recipe.split must add up to transformer.layers");
  int begin = 0;
  for (int chunk = 0; chunk < cut.interleave; ++chunk)
    for (int i = 0; i < cut.pipeline; ++i) {
      const int count = detail::layers_before(split.layers(i), chunk + 1, cut.interleave) -
                        detail::layers_before(split.layers(i), chunk, cut.interleave);
      if (i == stage) add(begin, begin + count);
      begin += count;
    }
  return held;
}

/// The layers of one chunk of a stage, 0 to interleave - 1 in the order of the model.
///
/// \throws invalid_input as layers_of_stage does, or if chunk is not 0 to interleave - 1
constexpr stage_layers layers_of_chunk(const transformer& m, const recipe& how,
                                       const parallelism& cut, int stage, int chunk) {
  require(stage >= 0 && stage < cut.pipeline, "layers_of_chunk: stage must be 0 to pipeline - 1");
  require(chunk >= 0 && chunk < cut.interleave,
          "layers_of_chunk: chunk must be 0 to interleave - 1");
  const layer_split& split = how.split;
  int begin = 0;
  int end = 0;
  if (split.stages() == 0) {
    const detail::model_pieces pieces{m, cut.pipeline * cut.interleave};
    const int piece = chunk * cut.pipeline + stage;
    begin = pieces.layers_before(piece);
    end = pieces.layers_before(piece + 1);
  } else {
    require(split.stages() == cut.pipeline, "recipe.split must name every pipeline stage");
    require(split.total() == m.layers, "recipe.split must add up to transformer.layers");
    for (int i = 0; i < cut.pipeline; ++i)
      begin += detail::layers_before(split.layers(i), chunk + (i < stage ? 1 : 0), cut.interleave);
    end = begin + detail::layers_before(split.layers(stage), chunk + 1, cut.interleave) -
          detail::layers_before(split.layers(stage), chunk, cut.interleave);
  }
  const int moe = detail::moe_layers_before(m, end) - detail::moe_layers_before(m, begin);
  return {.dense = end - begin - moe,
          .moe = moe,
          .has_embedding = stage == 0 && chunk == 0,
          .has_head = stage == cut.pipeline - 1 && chunk == cut.interleave - 1};
}

}  // namespace gpuplan
