#pragma once
/// \file
/// Hugging Face configurations of encoders, alone or before a decoder.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/model/detail/huggingface_fields.hpp>
#include <gpuplan/model/detail/huggingface_known.hpp>
#include <gpuplan/model/detail/huggingface_layers.hpp>
#include <gpuplan/model/layered_model.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/text/json_fields.hpp>
#include <gpuplan/text/json_shown.hpp>

namespace gpuplan::detail {

/// Layers of ModernBERT that attend to local_attention tokens: all but every so many, from the
/// first on, unless layer_types tells.
inline int read_modernbert_windows(const json_fields& config, int layers) {
  if (config.has("layer_types")) {
    const std::vector<int> windowed = read_kinds<int>(
        config, "layer_types", layers, {{"sliding_attention", 1}, {"full_attention", 0}});
    return static_cast<int>(std::count(windowed.begin(), windowed.end(), 1));
  }
  const int every = config.integer_or("global_attn_every_n_layers", 3);
  return layers - (layers + every - 1) / every;
}

/// ModernBERT in mean layers.  The norm of the embedding takes the place of the first layer's.
inline transformer read_mean_modernbert(const json_fields& config, const transformer& given) {
  transformer m = given;
  m.embedding_norm = false;
  m.head_transform = true;
  m.biases.head_transform = config.flag_or("classifier_bias", false);
  m.listed_windowed_layers = read_modernbert_windows(config, m.layers);
  if (m.listed_windowed_layers > 0) m.sliding_window = config.integer_or("local_attention", 128);
  return m;
}

/// ModernBERT with its head for masked words; its first layer has one norm.
inline layered_model read_modernbert(const json_fields& config) {
  refuse_unknown_fields(
      config,
      "intermediate_size attention_bias mlp_bias norm_bias classifier_bias decoder_bias "
      "local_attention global_attn_every_n_layers classifier_activation classifier_pooling "
      "deterministic_flash_attn reference_compile repad_logits_with_grad sparse_prediction "
      "sparse_pred_ignore_index embedding_layer_norm position_embedding_type layer_types "
      "initializer_cutoff_factor");
  transformer m = essential_sizes(config);
  be_llama_like(m, config);
  need_dividing_heads(config, m);
  m.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  m.norm = config.flag_or("norm_bias", false) ? normalization::layer_norm : normalization::rms_norm;
  m.embedding_norm = true;
  m.mask = attention_mask::full;
  m.ffn_size = config.integer("intermediate_size");
  const bool bias = config.flag_or("attention_bias", false);
  m.biases = {.query_key_value = bias,
              .attention_output = bias,
              .head = config.flag_or("decoder_bias", true)};
  layered_model all = begin_layers(config, m);
  m.biases.ffn = config.flag_or("mlp_bias", false);
  const double h = m.hidden_size;
  layer_group layer = layer_of(m, "encoder", layer_kind::dense);
  layer.cached_values = 0;
  layer_group first = layer;
  first.kind = "encoder, first";
  first.common.norms -= norm_parameters_of(m, h);
  all.add(first);
  layer.layers = m.layers - 1;
  if (m.layers > 1) all.add(layer);
  all.further.push_back(
      {"head transform",
       h * h + (config.flag_or("classifier_bias", false) ? h : 0) + norm_parameters_of(m, h)});
  all.planned = read_mean_modernbert(config, m);
  return all;
}

/// T5: heads of a width of their own, and positions as biases of scores, learned in the first layer
/// of each half.
inline layered_model read_t5(const json_fields& config) {
  refuse_unknown_fields(
      config,
      "d_model d_ff d_kv num_heads num_layers num_decoder_layers relative_attention_num_buckets "
      "relative_attention_max_distance feed_forward_proj dense_act_fn is_gated_act "
      "is_encoder_decoder n_positions initializer_factor");
  transformer m = essential_sizes(config, {"num_layers", "num_hidden_layers"},
                                  {"d_model", "hidden_size"}, {"num_heads", "num_attention_heads"});
  const int encoders = m.layers;
  m.encoder_layers = encoders;
  m.layers = config.integer_or("num_decoder_layers", encoders);
  m.head_dim = config.integer("d_kv");
  m.ffn_size = config.integer("d_ff");
  const std::string_view network = config.text_or("feed_forward_proj", "relu");
  m.gated_ffn = network.starts_with("gated-");
  if (!is_listed(known_activations, network.substr(m.gated_ffn ? 6 : 0)))
    config.refuse("feed_forward_proj",
                  "names no known activation function: " + shown_name(network));
  if (config.text("model_type") == "mt5" && !config.has("tie_word_embeddings"))
    config.refuse("tie_word_embeddings is missing");
  m.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  layered_model all = begin_layers(config, m);
  layer_group decoder = layer_of(m, "decoder", layer_kind::dense);
  layer_group encoder;
  encoder.kind = "encoder";
  encoder.common = parameters_of_encoder_layer(m);
  encoder.layers = encoders;
  decoder.layers = m.layers;
  all.add(encoder);
  all.add(decoder);
  all.further.push_back(
      {"relative positions",
       2.0 * config.integer("relative_attention_num_buckets") * m.attention_heads});
  all.note = "keys and values of the source, which cross attention keeps, are not in the cache";
  return all;
}

/// One half of a model that translates: `biased` of its queries, keys and values have a bias.
inline layer_group half_of(transformer m, int heads, int ffn_size, int biased,
                           std::string_view kind) {
  m.encoder_layers = 0;
  m.attention_heads = heads;
  m.ffn_size = ffn_size;
  layer_group layer;
  layer.kind = kind;
  layer.common = parameters_of_layer(m, layer_kind::dense);
  layer.common.attention_biases += 1.0 * biased * m.hidden_size;
  return layer;
}

/// Adds the layers of an encoder and of the decoder that attends to it, as Whisper and BART name
/// their sizes.
inline void add_halves(layered_model& all, const json_fields& config, const transformer& m,
                       int biased) {
  const double h = m.hidden_size;
  const int heads = config.integer("encoder_attention_heads");
  if (m.hidden_size % heads != 0) config.refuse("encoder_attention_heads must divide d_model");
  layer_group encoder = half_of(m, heads, config.integer("encoder_ffn_dim"), biased, "encoder");
  encoder.layers = m.encoder_layers;
  layer_group decoder = half_of(m, m.attention_heads, m.ffn_size, biased, "decoder");
  decoder.common.cross_attention =
      decoder.common.attention_weights + decoder.common.attention_biases;
  decoder.common.norms += norm_parameters_of(m, h);
  decoder.cached_values = 2 * h;
  decoder.layers = m.layers;
  all.add(encoder);
  all.add(decoder);
}

/// What Whisper and BART say alike: sizes of both halves, LayerNorm, biases, learned positions.
inline transformer read_halves(const json_fields& config) {
  transformer m = essential_sizes(config, {"decoder_layers"}, {"d_model", "hidden_size"},
                                  {"decoder_attention_heads"});
  m.norm = normalization::layer_norm;
  m.biases = {.attention_output = true, .ffn = true};
  need_dividing_heads(config, m);
  m.positions = position_encoding::learned;
  m.tied_embeddings = config.flag_or("tie_word_embeddings", true);
  m.ffn_size = config.integer("decoder_ffn_dim");
  m.encoder_layers = config.integer("encoder_layers");
  return m;
}

/// Whisper: two convolutions over the spectrum, an encoder and a decoder.
inline layered_model read_whisper(const json_fields& config) {
  refuse_unknown_fields(
      config,
      "d_model encoder_layers decoder_layers encoder_attention_heads decoder_attention_heads "
      "encoder_ffn_dim decoder_ffn_dim num_mel_bins max_source_positions max_target_positions "
      "is_encoder_decoder activation_function encoder_layerdrop decoder_layerdrop dropout init_std "
      "scale_embedding apply_spec_augment mask_feature_length mask_feature_min_masks "
      "mask_feature_prob mask_time_length mask_time_min_masks mask_time_prob median_filter_width "
      "forced_decoder_ids alignment_heads");
  transformer m = read_halves(config);
  m.position_rows = config.integer("max_source_positions") + config.integer("max_target_positions");
  layered_model all = begin_layers(config, m);
  all.learned_positions = config.integer("max_target_positions");
  const double h = m.hidden_size;
  add_halves(all, config, m, 2);  // none of keys
  all.further.push_back({"convolutions", 3.0 * h * (config.integer("num_mel_bins") + h) + 2 * h});
  all.note = "keys and values of the sound, which cross attention keeps, are not in the cache";
  return all;
}

/// BART, whose layers end in norms, and mBART, whose halves do: a norm of the embedding in each
/// half, and two rows of positions more than there are positions.
inline layered_model read_bart(const json_fields& config) {
  refuse_unknown_fields(
      config,
      "d_model encoder_layers decoder_layers encoder_attention_heads decoder_attention_heads "
      "encoder_ffn_dim decoder_ffn_dim is_encoder_decoder encoder_layerdrop decoder_layerdrop "
      "scale_embedding normalize_before normalize_embedding add_bias_logits add_final_layer_norm "
      "static_position_embeddings extra_pos_embeddings force_bos_token_to_be_generated num_labels");
  transformer m = read_halves(config);
  m.embedding_norm = true;
  m.final_norm = config.text("model_type") == "mbart";
  const int positions = config.integer_or("max_position_embeddings", 1024);
  m.position_rows = size_of_product(config, "max_position_embeddings", 2, positions) + 4;
  layered_model all = begin_layers(config, m);
  all.beside.embedding_norm *= 2;
  all.learned_positions = positions;
  add_halves(all, config, m, 3);
  all.note = "keys and values of the source, which cross attention keeps, are not in the cache";
  return all;
}

/// Maps of DeBERTa's distances: of keys, of queries, or of both, in each layer.
inline int deberta_distance_maps(const json_fields& config) {
  if (!config.flag_or("relative_attention", false) || config.flag_or("share_att_key", false))
    return 0;
  const auto kinds = config.value().find("pos_att_type");
  if (kinds == config.value().end() || kinds->is_null()) return 0;
  if (!kinds->is_string() && !kinds->is_array())
    config.refuse("pos_att_type", "must be text or a list, not " + shown(*kinds));
  const std::string said = kinds->dump();
  return static_cast<int>(said.find("c2p") != said.npos) +
         static_cast<int>(said.find("p2c") != said.npos);
}

/// DeBERTa 2 and 3: distances of tokens have an embedding, which all layers share.
inline layered_model read_deberta(const json_fields& config) {
  refuse_unknown_fields(
      config,
      "intermediate_size relative_attention max_relative_positions position_buckets norm_rel_ebd "
      "share_att_key pos_att_type position_biased_input type_vocab_size conv_kernel_size "
      "conv_groups conv_act embedding_size legacy pooler_hidden_size pooler_hidden_act num_labels");
  transformer m = essential_sizes(config);
  be_classic(m);
  need_dividing_heads(config, m);
  m.tied_embeddings = true;
  m.mask = attention_mask::full;
  m.embedding_norm = true;
  m.final_norm = false;
  m.ffn_size = config.integer("intermediate_size");
  m.token_types = config.integer_or("type_vocab_size", 0, 0);
  if (config.integer_or("embedding_size", m.hidden_size) != m.hidden_size)
    config.refuse("embedding_size", "must be hidden_size");
  const int positions = config.integer_or("max_position_embeddings", 512);
  if (config.flag_or("position_biased_input", true)) {
    m.positions = position_encoding::learned;
    m.position_rows = positions;
  }
  m.head_transform = has_class(config, "ForMaskedLM");
  m.biases.head_transform = m.biases.head = m.head_transform;
  layered_model all = begin_layers(config, m);
  const double h = m.hidden_size;
  const double norm = norm_parameters_of(m, h);
  layer_group layer = layer_of(m, "encoder", layer_kind::dense);
  layer.cached_values = 0;
  if (const int maps = deberta_distance_maps(config); maps > 0)
    layer.further.push_back({"maps of distances", maps * (h * h + h)});
  layer.layers = m.layers;
  all.add(layer);
  if (config.flag_or("relative_attention", false)) {
    const int farthest = config.integer_or("max_relative_positions", -1, -1);
    const int buckets = config.integer_or("position_buckets", -1, -1);
    const double distances = 2.0 * (buckets > 0 ? buckets : farthest > 0 ? farthest : positions);
    const bool normed =
        config.text_or("norm_rel_ebd", "none").find("layer_norm") != std::string_view::npos;
    all.further.push_back({"relative positions", distances * h + (normed ? norm : 0)});
  }
  if (const double seen = config.integer_or("conv_kernel_size", 0, 0); seen > 0)
    all.further.push_back(
        {"convolution", seen * h * h / config.integer_or("conv_groups", 1) + h + norm});
  if (!m.head_transform) all.note = "no head is counted: architectures does not name ForMaskedLM";
  return all;
}

}  // namespace gpuplan::detail
