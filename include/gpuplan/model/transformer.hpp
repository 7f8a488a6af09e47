#pragma once
/// \file
/// The shape of a transformer: the numbers that decide its parameters, FLOPs and activations.

#include <limits>

#include <gpuplan/model/recurrent_mixer.hpp>
#include <gpuplan/model/sparse_index.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// How a token learns where it stands.
enum class position_encoding { none, learned, rotary, alibi };

/// LayerNorm has a scale and a shift, RMSNorm a scale.
enum class normalization { layer_norm, rms_norm };

/// Who may attend to whom.
enum class attention_mask { causal, full };

/// Normalisation of queries and keys: over each head alone, or over all heads at once.
enum class query_key_norm { none, per_head, all_heads };

/// Whether a layer's feed-forward network is one, or a choice of experts.
enum class layer_kind { dense, moe };

/// Which of the linear maps add a bias.
struct linear_biases {
  bool query_key_value = false;  ///< with latent attention, of the maps that compress
  bool attention_output = false;
  bool ffn = false;            ///< of dense networks and of shared experts
  bool head = false;           ///< one value for each word of the vocabulary
  bool head_transform = true;  ///< of the square map before the head, where there is one

  friend constexpr bool operator==(const linear_biases&, const linear_biases&) = default;
};

/// Experts in place of the feed-forward network of some layers; none when experts is 0.
struct mixture_of_experts {
  int experts = 0;             ///< routed experts of a layer; 0: every layer is dense
  int experts_per_token = 0;   ///< routed experts that each token visits
  int ffn_size = 0;            ///< width of one routed expert
  int shared_ffn_size = 0;     ///< width of all shared experts together; 0: none
  int first_dense_layers = 0;  ///< layers before the first with experts
  int dense_layers = 0;        ///< all dense layers, the first ones among them
  bool router_bias = false;
  bool expert_bias = false;
  bool shared_gate = false;      ///< a learned gate on the shared experts: hidden_size weights
  bool correction_bias = false;  ///< one balancing value an expert, not trained by gradients
  int latent_size = 0;           ///< width of the state that routed experts work on; 0: hidden_size
  bool latent_norm = false;      ///< a norm of that state

  friend constexpr bool operator==(const mixture_of_experts&, const mixture_of_experts&) = default;
};

/// Multi-head latent attention (DeepSeek); absent when kv_rank is 0.
struct latent_attention {
  int query_rank = 0;        ///< 0: queries are projected directly
  int kv_rank = 0;           ///< width of the compressed keys and values
  int rope_head_dim = 0;     ///< rotary part of a head, its keys shared by all heads
  int content_head_dim = 0;  ///< part of a head without rotation
  int value_head_dim = 0;

  friend constexpr bool operator==(const latent_attention&, const latent_attention&) = default;
};

/// Heads of windowed layers where they are not those of other layers; none when attention_heads is
/// 0.
struct windowed_heads {
  int attention_heads = 0;  ///< 0: as in the other layers
  int kv_heads = 0;         ///< >= 1
  int head_dim = 0;         ///< of queries and keys; >= 1
  int value_dim = 0;        ///< >= 1
  bool keys_as_values = false;
  bool attention_sinks = false;

  friend constexpr bool operator==(const windowed_heads&, const windowed_heads&) = default;
};

/// A transformer's shape, nothing else.  Zero in a field that says so means what it says; zero
/// elsewhere is refused by require_valid.
struct transformer {
  int layers = 0;                  ///< of the decoder, where there is an encoder too; >= 1
  int hidden_size = 0;             ///< >= 1
  int attention_heads = 0;         ///< query heads; >= 1
  int kv_heads = 0;                ///< key and value heads; 0: as many as attention_heads
  int head_dim = 0;                ///< 0: hidden_size / attention_heads
  int value_dim = 0;               ///< width of a value head; 0: that of a query head
  int ffn_size = 0;                ///< width of a dense feed-forward network; 0: no layer is dense
  int vocabulary_size = 0;         ///< rows of the embedding as trained, padding included; >= 1
  int embedding_size = 0;          ///< 0: hidden_size; otherwise maps between the two are added
  int encoder_layers = 0;          ///< 0: no encoder; otherwise decoder layers attend to it too
  bool gated_ffn = false;          ///< three matrices (SwiGLU, GeGLU), not two
  bool squared_relu = false;       ///< not gated: max(x, 0)^2; launches alone tell it from others
  int activation_values = 0;       ///< that a dense network's activation function learns (xIELU: 2)
  bool tied_embeddings = true;     ///< the head multiplies by the embedding again
  bool parallel_residual = false;  ///< attention and feed-forward read the same input
  position_encoding positions = position_encoding::rotary;
  int position_rows = 0;  ///< rows of a learned position table, offset included
  int token_types = 0;    ///< rows of a segment embedding
  normalization norm = normalization::rms_norm;
  int norms_per_layer = 2;  ///< of hidden_size each; 0 to 4
  bool final_norm = true;
  bool embedding_norm = false;
  bool norm_parameters = true;  ///< false: normalisation without scale and shift
  query_key_norm query_key = query_key_norm::none;
  linear_biases biases{};
  bool attention_gate = false;   ///< a gate on the output of attention, of its width
  bool attention_sinks = false;  ///< one learned value a query head
  bool keys_as_values = false;   ///< no map to values: keys are taken for them
  bool pooler = false;           ///< a square map with bias on the first token (BERT)
  bool head_transform = false;   ///< a square map with bias and a norm before the head (BERT)
  attention_mask mask = attention_mask::causal;
  int sliding_window = 0;               ///< tokens a windowed layer looks back on; 0: no window
  int first_full_attention_layers = 0;  ///< layers before the first that is windowed
  int full_attention_interval = 0;      ///< every k-th layer is not windowed; 0: all are
  int listed_windowed_layers = 0;       ///< so many are, whatever the two say; 0: as they say
  windowed_heads windowed{};
  int multi_token_prediction_layers = 0;  ///< extra layers that predict further tokens
  mixture_of_experts moe{};
  latent_attention latent{};
  recurrent_mixer recurrent{};  ///< in place of the attention of some layers
  sparse_index sparse{};        ///< chooses which tokens some layers attend to

  [[nodiscard]] constexpr int key_value_heads() const {
    return kv_heads > 0 ? kv_heads : attention_heads;
  }
  /// Width of one query head, its rotary part included.
  [[nodiscard]] constexpr int query_head_dim() const {
    if (latent.kv_rank > 0) return latent.content_head_dim + latent.rope_head_dim;
    if (head_dim > 0) return head_dim;
    return hidden_size / attention_heads;
  }
  /// Width of one value head.
  [[nodiscard]] constexpr int value_head_dim() const {
    if (latent.kv_rank > 0) return latent.value_head_dim;
    return value_dim > 0 ? value_dim : query_head_dim();
  }
  /// Width of all query heads, and of all key heads: half of what keys and values take.
  [[nodiscard]] constexpr double query_width() const {
    return static_cast<double>(attention_heads) * query_head_dim();
  }
  [[nodiscard]] constexpr double key_width() const {
    return static_cast<double>(key_value_heads()) * query_head_dim();
  }
  [[nodiscard]] constexpr int embedding_width() const {
    return embedding_size > 0 ? embedding_size : hidden_size;
  }
  /// Width of the state that routed experts read and write.
  [[nodiscard]] constexpr int expert_state_size() const {
    return moe.latent_size > 0 ? moe.latent_size : hidden_size;
  }
  /// The most tokens of one sequence that there are positions for; without end where none are
  /// learned.
  [[nodiscard]] constexpr int most_positions() const {
    return positions == position_encoding::learned ? position_rows
                                                   : (std::numeric_limits<int>::max)();
  }
  /// Layers whose feed-forward network is a set of experts.
  [[nodiscard]] constexpr int moe_layers() const {
    return moe.experts > 0 ? layers - moe.dense_layers : 0;
  }
  [[nodiscard]] constexpr int dense_layers() const { return layers - moe_layers(); }
  /// Attention blocks, and recurrent mixers, that a layer has on average.
  [[nodiscard]] constexpr double attention_share() const {
    return recurrent.layers == 0 ? 1 : static_cast<double>(recurrent.attention_layers) / layers;
  }
  [[nodiscard]] constexpr double recurrent_share() const {
    return static_cast<double>(recurrent.layers) / layers;
  }
  /// Norms before attention and mixers that a layer has on average: one where they share it.
  [[nodiscard]] constexpr double mixing_norms() const {
    const double attending = attention_share();
    const double mixing = recurrent_share();
    if (!recurrent.beside_attention) return attending + mixing;
    return attending > mixing ? attending : mixing;
  }
  /// Layers whose tokens look back on sliding_window tokens only.
  [[nodiscard]] constexpr int windowed_layers() const {
    if (sliding_window == 0) return 0;
    if (listed_windowed_layers > 0) return listed_windowed_layers;
    if (first_full_attention_layers >= layers) return 0;
    if (full_attention_interval == 0) return layers - first_full_attention_layers;
    const int full_later =
        layers / full_attention_interval - first_full_attention_layers / full_attention_interval;
    return layers - first_full_attention_layers - full_later;
  }

  friend constexpr bool operator==(const transformer&, const transformer&) = default;
};

/// The same transformer with its head_dim written out, so that no formula divides to know a width.
constexpr transformer with_head_dim(const transformer& given) {
  transformer m = given;
  if (m.latent.kv_rank == 0) m.head_dim = m.query_head_dim();
  return m;
}

/// The same transformer, each of whose layers attends.
constexpr transformer without_recurrence(const transformer& given) {
  transformer m = given;
  m.recurrent = {};
  return m;
}

/// The same transformer, each of whose layers is windowed, with the heads of windowed layers.
constexpr transformer all_windowed(const transformer& given) {
  transformer m = given;
  m.first_full_attention_layers = 0;
  m.full_attention_interval = 0;
  m.listed_windowed_layers = given.layers;
  m.windowed = {};
  if (given.windowed.attention_heads == 0) return m;
  m.attention_heads = given.windowed.attention_heads;
  m.kv_heads = given.windowed.kv_heads;
  m.head_dim = given.windowed.head_dim;
  m.value_dim = given.windowed.value_dim;
  m.keys_as_values = given.windowed.keys_as_values;
  m.attention_sinks = given.windowed.attention_sinks;
  return m;
}
/// The same transformer, each of whose layers attends to every token.
constexpr transformer none_windowed(const transformer& given) {
  transformer m = given;
  m.sliding_window = 0;
  m.windowed = {};
  return m;
}

/// Whether windowed layers have heads of their own.
constexpr bool has_two_head_sizes(const transformer& m) {
  return m.windowed.attention_heads > 0;
}

namespace detail {

constexpr void require_valid_windows(const transformer& m) {
  require(m.sliding_window >= 0, "transformer.sliding_window must be >= 0");
  require(m.full_attention_interval >= 0, "transformer.full_attention_interval must be >= 0");
  require(m.first_full_attention_layers >= 0,
          "transformer.first_full_attention_layers must be >= 0");
  require(m.listed_windowed_layers >= 0 && m.listed_windowed_layers <= m.layers,
          "transformer.listed_windowed_layers must be 0 to layers");
  const windowed_heads& heads = m.windowed;
  require(heads.attention_heads >= 0, "transformer.windowed.attention_heads must be >= 0");
  if (heads.attention_heads == 0) return;
  require(heads.kv_heads >= 1 && heads.attention_heads % heads.kv_heads == 0,
          "transformer.windowed.kv_heads must be >= 1 and divide attention_heads");
  require(heads.head_dim >= 1 && heads.value_dim >= 1,
          "transformer.windowed.head_dim and value_dim must be >= 1");
  require(m.latent.kv_rank == 0 && m.recurrent.layers == 0 && m.encoder_layers == 0,
          "transformer.windowed must be absent beside latent attention, recurrence or an encoder");
}

constexpr void require_valid_index(const transformer& m) {
  require_valid(m.sparse);
  if (m.sparse.heads == 0) return;
  require(m.sparse.attending_layers <= m.layers,
          "transformer.sparse.attending_layers must be <= layers");
  require(m.recurrent.layers == 0 && m.encoder_layers == 0 && m.windowed.attention_heads == 0 &&
              m.sliding_window == 0,
          "transformer.sparse must be absent beside recurrence, windows or an encoder");
}

}  // namespace detail

/// \throws invalid_input naming the first field that is out of its range
constexpr void require_valid(const transformer& m) {
  require(m.layers >= 1, "transformer.layers must be >= 1");
  require(m.hidden_size >= 1, "transformer.hidden_size must be >= 1");
  require(m.attention_heads >= 1, "transformer.attention_heads must be >= 1");
  require(m.vocabulary_size >= 1, "transformer.vocabulary_size must be >= 1");
  require(m.kv_heads >= 0, "transformer.kv_heads must be >= 0");
  require(m.head_dim >= 0, "transformer.head_dim must be >= 0");
  require(m.ffn_size >= 0, "transformer.ffn_size must be >= 0");
  require(m.embedding_size >= 0, "transformer.embedding_size must be >= 0");
  require(m.encoder_layers >= 0, "transformer.encoder_layers must be >= 0");
  require(m.position_rows >= 0, "transformer.position_rows must be >= 0");
  require(m.token_types >= 0, "transformer.token_types must be >= 0");
  require(m.positions != position_encoding::learned || m.position_rows >= 1,
          "transformer.position_rows must be >= 1 where positions are learned");
  require(m.norms_per_layer >= 0 && m.norms_per_layer <= 4,
          "transformer.norms_per_layer must be 0 to 4");
  require(m.value_dim >= 0, "transformer.value_dim must be >= 0");
  require(!(m.squared_relu && m.gated_ffn),
          "transformer.squared_relu must be false where gated_ffn is true");
  require(m.activation_values >= 0, "transformer.activation_values must be >= 0");
  detail::require_valid_windows(m);
  require(m.multi_token_prediction_layers >= 0,
          "transformer.multi_token_prediction_layers must be >= 0");
  require(m.attention_heads % m.key_value_heads() == 0,
          "transformer.kv_heads must divide attention_heads");
  require(m.latent.kv_rank > 0 || m.head_dim > 0 || m.hidden_size % m.attention_heads == 0,
          "transformer.attention_heads must divide hidden_size unless head_dim is given");

  const latent_attention& latent = m.latent;
  require(latent.kv_rank >= 0 && latent.query_rank >= 0,
          "transformer.latent.kv_rank and query_rank must be >= 0");
  require(latent.kv_rank == 0 || (latent.rope_head_dim >= 0 && latent.content_head_dim >= 1 &&
                                  latent.value_head_dim >= 1),
          "transformer.latent needs content_head_dim and value_head_dim >= 1, rope_head_dim >= 0");
  require(latent.kv_rank == 0 || m.encoder_layers == 0,
          "transformer.latent must be absent beside an encoder");

  require_valid(m.recurrent);
  require(m.recurrent.layers == 0 || m.encoder_layers == 0,
          "transformer.recurrent must be absent beside an encoder");
  detail::require_valid_index(m);

  const mixture_of_experts& moe = m.moe;
  require(moe.experts >= 0, "transformer.moe.experts must be >= 0");
  require(moe.experts == 0 || (moe.experts_per_token >= 1 && moe.experts_per_token <= moe.experts),
          "transformer.moe.experts_per_token must be 1 to experts");
  require(moe.experts == 0 || moe.ffn_size >= 1, "transformer.moe.ffn_size must be >= 1");
  require(moe.shared_ffn_size >= 0, "transformer.moe.shared_ffn_size must be >= 0");
  require(moe.latent_size >= 0, "transformer.moe.latent_size must be >= 0");
  require(moe.dense_layers >= 0 && moe.dense_layers <= m.layers,
          "transformer.moe.dense_layers must be 0 to layers");
  require(moe.first_dense_layers >= 0 && moe.first_dense_layers <= moe.dense_layers,
          "transformer.moe.first_dense_layers must be 0 to moe.dense_layers");
  require(m.dense_layers() + m.encoder_layers == 0 || m.ffn_size >= 1,
          "transformer.ffn_size must be >= 1 where a layer is dense");
}

}  // namespace gpuplan
