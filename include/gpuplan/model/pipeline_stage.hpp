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
  int first_layer = 0;         ///< of the first chunk, where layers are not all alike

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

/// The layers of a piece of a model, from the begin-th to before the end-th.
constexpr stage_layers layers_between(const transformer& m, int begin, int end) {
  const int moe = m.moe.experts == 0 ? 0 : moe_layers_before(m, end) - moe_layers_before(m, begin);
  return {.dense = end - begin - moe, .moe = moe, .first_layer = begin};
}

/// Layers before chunk `chunk` of `chunks` when they are as equal as they can be: the first
/// layers % chunks chunks hold one more.
constexpr int layers_before(int layers, int chunk, int chunks) {
  const int extra = layers % chunks;
  return chunk * (layers / chunks) + (chunk < extra ? chunk : extra);
}

/// A whole model in pieces, as equal as they can be, where no split cuts it.
///
/// The attributes of this file and of parallelism.hpp save evaluate 1.4 % of its instructions, and
/// search 0.9 %.
class model_pieces {
 public:
  constexpr model_pieces(const transformer& m, int stages, int chunks)
      : layers_{m.layers},
        stages_{stages},
        chunks_{chunks},
        each_{m.layers / (stages * chunks)},
        extra_{m.layers % (stages * chunks)},
        tail_{1 + m.multi_token_prediction_layers} {
    if (extra_ == 0) [[likely]]
      return;
    // Embedding, head and further predictions count as a layer each where only that makes all
    // pieces equal.
    const int units = layers_ + 1 + tail_;
    const int pieces = stages * chunks;
    ends_count_ = units % pieces == 0 && units / pieces >= tail_;
    if (ends_count_) each_ = units / pieces;
  }
  /// Whether all pieces are equal, both ends counted or not.
  [[nodiscard]] constexpr bool equal() const { return extra_ == 0 || ends_count_; }

  [[nodiscard]] constexpr int layers_before(int piece) const {
    if (!ends_count_) return piece * each_ + (piece < extra_ ? piece : extra_);
    if (piece == 0) return 0;
    return piece == stages_ * chunks_ ? layers_ : piece * each_ - 1;
  }

  [[nodiscard]] constexpr int layers_of_piece(int piece) const {
    if (!ends_count_) return each_ + (piece < extra_ ? 1 : 0);
    return each_ - (piece == 0 ? 1 : 0) - (piece == stages_ * chunks_ - 1 ? tail_ : 0);
  }

  /// Layers of every stages-th piece, from piece `stage` on.
  [[nodiscard]] constexpr int layers_of(int stage) const {
    const int all = chunks_ * each_;
    if (extra_ == 0) [[likely]]
      return all;
    if (ends_count_) return all - (stage == 0 ? 1 : 0) - (stage == stages_ - 1 ? tail_ : 0);
    return all + (extra_ > stage ? (extra_ - stage - 1) / stages_ + 1 : 0);
  }

 private:
  int layers_;
  int stages_;
  int chunks_;
  int each_;
  int extra_;
  int tail_;  ///< the head, and each further prediction
  bool ends_count_ = false;
};

}  // namespace detail

/// Whether a pipeline of `stages`, each of `chunks` pieces, cuts a model into equal pieces, the two
/// ends counted as a layer each or not.
constexpr bool has_equal_pieces(const transformer& m, int stages, int chunks) {
  return detail::model_pieces{m, stages, chunks}.equal();
}

/// The layers of every stage of one pipeline, for those who ask for many: layers_of_stage and
/// layers_of_chunk without their checks.  Refers to what it was made from.
class pipeline_layers {
 public:
  constexpr pipeline_layers(const transformer& m, const recipe& how, const parallelism& cut)
      : model_{m},
        split_{how.split},
        cut_{cut},
        pieces_{m, cut.pipeline, cut.interleave},
        plain_{how.split.stages() == 0 && m.moe.experts == 0} {
    if (split_.stages() == 0) [[likely]]
      return;
    require(split_.stages() == cut.pipeline, "recipe.split must name every pipeline stage");
    require(split_.total() == m.layers, "recipe.split must add up to transformer.layers");
  }

  [[nodiscard, gnu::always_inline]] constexpr stage_layers of_stage(int stage) const {
    const bool first = stage == 0;
    const bool last = stage == cut_.pipeline - 1;
    if (plain_) [[likely]]
      return {pieces_.layers_of(stage), 0, first, last};
    stage_layers held{.has_embedding = first, .has_head = last};
    for (int chunk = 0; chunk < cut_.interleave; ++chunk) {
      const stage_layers more = of_chunk(stage, chunk);
      if (chunk == 0) held.first_layer = more.first_layer;
      held.dense += more.dense;
      held.moe += more.moe;
    }
    return held;
  }

  /// Calls visit(stage, of_stage(stage)) for each stage that may be like no other, in order. Stages
  /// of equal layers are alike: without experts or a split, no stage between the second and the
  /// last has more layers than the second.
  template <class Visit>
  [[gnu::always_inline]] constexpr void for_each_distinct_stage(Visit&& visit) const {
    const bool alike = model_.moe_layers() == 0 && split_.stages() == 0;
    for (int stage = 0; stage < cut_.pipeline; ++stage) {
      if (alike && stage == 2) stage = cut_.pipeline - 1;
      visit(stage, of_stage(stage));
    }
  }

  [[nodiscard, gnu::always_inline]] constexpr stage_layers of_chunk(int stage, int chunk) const {
    const int piece = chunk * cut_.pipeline + stage;
    const bool first = piece == 0;
    const bool last = stage == cut_.pipeline - 1 && chunk == cut_.interleave - 1;
    if (plain_) [[likely]]
      return {pieces_.layers_of_piece(piece), 0, first, last};
    int begin = 0;
    int end = 0;
    if (split_.stages() == 0) {
      begin = pieces_.layers_before(piece);
      end = pieces_.layers_before(piece + 1);
    } else {
      for (int i = 0; i < cut_.pipeline; ++i) begin += before(i, chunk + (i < stage ? 1 : 0));
      end = begin + before(stage, chunk + 1) - before(stage, chunk);
    }
    stage_layers held = detail::layers_between(model_, begin, end);
    held.has_embedding = first;
    held.has_head = last;
    return held;
  }

 private:
  /// Layers of a stage of the split before its chunk `chunk`.  Of the first stage the first chunks
  /// hold fewer, as the embedding takes the place of a layer; of others the last.
  [[nodiscard]] constexpr int before(int stage, int chunk) const {
    const int layers = split_.layers(stage);
    const int chunks = cut_.interleave;
    if (stage == 0) return layers - detail::layers_before(layers, chunks - chunk, chunks);
    return detail::layers_before(layers, chunk, chunks);
  }

  const transformer& model_;
  const layer_split& split_;
  const parallelism& cut_;
  detail::model_pieces pieces_;
  bool plain_;  ///< equal pieces of dense layers
};

/// Whether a rank with these ends of the model has a copy of the embedding: further predictions,
/// which lie with the head, embed tokens; a head that is tied to the embedding is such a copy.
///
/// Source: NVIDIA, "Megatron-LM", megatron/core/models/gpt/gpt_model.py (2025), mtp_process.
constexpr bool copies_embedding(const transformer& m, bool has_embedding, bool has_head) {
  return m.multi_token_prediction_layers > 0 && has_head && !has_embedding && !m.tied_embeddings;
}

/// Whether each rank of a pipeline runs two pieces of the model: the i-th from either end.  A
/// V-shaped schedule cuts the model into 2 p pieces, and each micro-batch passes both of a rank;
/// DualPipe into p, each on two ranks, and each micro-batch passes one of them.
///
/// Source: P. Qi et al., "Pipeline Parallelism with Controllable Memory", NeurIPS (2024),
/// arXiv:2405.15362; DeepSeek-AI, "DeepSeek-V3 Technical Report" (2024), section 3.2.1,
/// arXiv:2412.19437.
constexpr bool folds_model(const recipe& how, const parallelism& cut) {
  return cut.pipeline > 1 && (how.schedule == pipeline_schedule::zero_bubble_v ||
                              how.schedule == pipeline_schedule::dualpipe);
}

/// Whether each stage is on two ranks, for micro-batches from either end.
///
/// Source: DeepSeek-AI (2024) as above.
constexpr bool runs_both_ways(const recipe& how, const parallelism& cut) {
  return cut.pipeline > 1 && how.schedule == pipeline_schedule::dualpipe;
}

/// Both pieces of a rank of a pipeline that folds the model.
struct folded_layers {
  stage_layers there{};  ///< nearer to the first layer
  stage_layers back{};

  [[nodiscard]] constexpr stage_layers both() const {
    return {.dense = there.dense + back.dense,
            .moe = there.moe + back.moe,
            .has_embedding = there.has_embedding || back.has_embedding,
            .has_head = there.has_head || back.has_head,
            .first_layer = there.first_layer};
  }
};

namespace detail {

/// Pieces of a V-shaped schedule whose split gives the layers of both of a rank: half of them each,
/// and one more on the way there.
constexpr folded_layers halves_of_split(const transformer& m, const layer_split& split, int rank) {
  const auto on_return = [&](int i) { return split.layers(i) / 2; };
  int begin = 0;
  int end = m.layers;
  for (int i = 0; i < rank; ++i) {
    begin += split.layers(i) - on_return(i);
    end -= on_return(i);
  }
  folded_layers pieces{layers_between(m, begin, begin + split.layers(rank) - on_return(rank)),
                       layers_between(m, end - on_return(rank), end)};
  pieces.there.has_embedding = pieces.back.has_head = rank == 0;
  return pieces;
}

}  // namespace detail

/// The pieces of rank `rank` of a pipeline that folds the model.
///
/// Source: as folds_model.
///
/// \throws invalid_input if rank is not 0 to pipeline - 1, the model is not folded, or as
///         layers_of_stage does
constexpr folded_layers folded_layers_of(const transformer& m, const recipe& how,
                                         const parallelism& cut, int rank) {
  require(rank >= 0 && rank < cut.pipeline, "folded_layers_of: rank must be 0 to pipeline - 1");
  require(folds_model(how, cut), "folded_layers_of: schedule must be dualpipe or zero_bubble_v");
  const pipeline_layers stages{m, how, cut};
  if (runs_both_ways(how, cut)) {
    const int mirror = cut.pipeline - 1 - rank;
    return {stages.of_stage(rank < mirror ? rank : mirror),
            stages.of_stage(rank < mirror ? mirror : rank)};
  }
  if (how.split.stages() > 0) return detail::halves_of_split(m, how.split, rank);
  parallelism pieces = cut;
  pieces.pipeline *= 2;
  const pipeline_layers all{m, how, pieces};
  return {all.of_stage(rank), all.of_stage(pieces.pipeline - 1 - rank)};
}

/// The layers of stage `stage` of a pipeline.  With v chunks a rank, chunk k of stage i is the
/// (k p + i)-th of the p v pieces that the model is cut into.  Pieces are equal; where only
/// layers + 2 divide, embedding and head count as a layer each, so that the first and the last
/// piece hold one layer less; where neither does, the first pieces hold one more.  Layers that
/// predict further tokens lie on the last stage and count with the head: the 61 layers of
/// DeepSeek-V3 and its one prediction are 64.  A recipe's split gives the layers of a stage; its
/// chunks share them equally, and where they cannot the first chunks of the first stage hold one
/// less, of other stages the last.
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
  return pipeline_layers{m, how, cut}.of_stage(stage);
}

/// The layers of one chunk of a stage, 0 to interleave - 1 in the order of the model.
///
/// Source: D. Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters
/// Using Megatron-LM", SC21 (2021), arXiv:2104.04473.
///
/// \throws invalid_input as layers_of_stage does, or if chunk is not 0 to interleave - 1
constexpr stage_layers layers_of_chunk(const transformer& m, const recipe& how,
                                       const parallelism& cut, int stage, int chunk) {
  require(stage >= 0 && stage < cut.pipeline, "layers_of_chunk: stage must be 0 to pipeline - 1");
  require(chunk >= 0 && chunk < cut.interleave,
          "layers_of_chunk: chunk must be 0 to interleave - 1");
  return pipeline_layers{m, how, cut}.of_chunk(stage, chunk);
}

}  // namespace gpuplan
