#pragma once
/// \file
/// How many parameters a transformer has, part by part, to the integer.

#include <gpuplan/model/layer_parameters.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// Parameters of a transformer.  A tied head is counted once, as the embedding.
struct transformer_parameters {
  double token_embedding{};
  double position_embedding{};
  double type_embedding{};
  double embedding_norm{};
  double embedding_projection{};  ///< between embedding_size and hidden_size, both ways
  layer_parameters layers{};      ///< all of them, an encoder's among them
  double final_norms{};           ///< after the last layer, of an encoder too
  double pooler{};
  double head_transform{};
  double head{};  ///< its weights, unless tied
  double head_bias{};
  double multi_token_prediction{};  ///< further layers that training adds; not in total()
  double correction_biases{};       ///< balance experts, not trained by gradients; not in total()

  /// Of the model that predicts the next token: what its checkpoint is known by.
  [[nodiscard]] constexpr double total() const {
    return token_embedding + position_embedding + type_embedding + embedding_norm +
           embedding_projection + layers.total() + final_norms + pooler + head_transform + head +
           head_bias;
  }
  /// All that receive gradients: total() and the layers that predict further tokens.
  [[nodiscard]] constexpr double trained() const { return total() + multi_token_prediction; }
  /// total() without the tables of tokens, positions and types, and without the head: the N of
  /// J. Kaplan et al., "Scaling Laws for Neural Language Models" (2020), arXiv:2001.08361.
  [[nodiscard]] constexpr double non_embedding() const {
    return total() - token_embedding - position_embedding - type_embedding - head - head_bias;
  }
};

/// The parameters of a model beside its layers: embeddings, final norms, head.  Checks nothing.
constexpr transformer_parameters parameters_beside_layers(const transformer& m) {
  const double h = m.hidden_size;
  const double table = static_cast<double>(m.vocabulary_size) * m.embedding_width();
  const double square = h * h + h;
  const double norm = detail::norm_parameters_of(m, h);

  transformer_parameters count;
  count.token_embedding = table;
  if (m.positions == position_encoding::learned) count.position_embedding = m.position_rows * h;
  count.type_embedding = m.token_types * h;
  if (m.embedding_norm) count.embedding_norm = norm;
  if (m.embedding_size > 0 && m.embedding_size != m.hidden_size)
    count.embedding_projection = 2 * h * m.embedding_size;
  if (m.final_norm) count.final_norms = m.encoder_layers > 0 ? 2 * norm : norm;

  if (m.pooler) count.pooler = square;
  if (m.head_transform) count.head_transform = (m.biases.head_transform ? square : h * h) + norm;
  if (!m.tied_embeddings) count.head = table;
  if (m.biases.head) count.head_bias = m.vocabulary_size;
  return count;
}

/// Parameters of a transformer, part by part.
///
///     token_embedding  V e         position_embedding  P h        type_embedding  T h
///     head             V e, unless tied                embedding_projection  2 h e, if e != h
///     pooler           h^2 + h     head_transform      h^2 + h, or h^2, and a norm
///
///     V  vocabulary_size; e embedding_width(); P position_rows; T token_types; h hidden_size
///
/// Source: A. Radford et al., "Language Models are Unsupervised Multitask Learners" (2019), and the
/// released weights.
///
/// \throws invalid_input as require_valid(m) does
constexpr transformer_parameters parameters_of(const transformer& m) {
  require_valid(m);
  transformer_parameters count = parameters_beside_layers(m);
  if (m.dense_layers() > 0)
    count.layers = m.dense_layers() * parameters_of_layer(m, layer_kind::dense);
  if (m.moe_layers() > 0) {
    count.layers = count.layers + m.moe_layers() * parameters_of_layer(m, layer_kind::moe);
    if (m.moe.correction_bias)
      count.correction_biases = static_cast<double>(m.moe_layers()) * m.moe.experts;
  }
  if (m.encoder_layers > 0)
    count.layers = count.layers + m.encoder_layers * parameters_of_encoder_layer(m);
  if (m.multi_token_prediction_layers > 0)
    count.multi_token_prediction =
        m.multi_token_prediction_layers * parameters_of_prediction_layer(m).total();
  return count;
}

/// Parameters that one token meets: total() without the routed experts that it does not visit.
/// The whole embedding and head count, as in most published figures; OpenAI's for gpt-oss leave
/// the input embedding out.
///
/// Source: A. Jiang et al., "Mixtral of Experts" (2024), arXiv:2401.04088.
///
/// \throws invalid_input as require_valid(m) does
constexpr double active_parameters(const transformer& m) {
  const transformer_parameters count = parameters_of(m);
  if (m.moe.experts == 0) return count.total();
  const double one_of_each_layer = count.layers.routed_experts / m.moe.experts;
  return count.total() - (m.moe.experts - m.moe.experts_per_token) * one_of_each_layer;
}

}  // namespace gpuplan
