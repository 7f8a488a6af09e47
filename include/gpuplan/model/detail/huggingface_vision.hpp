#pragma once
/// \file
/// Hugging Face configurations of encoders of images: patches in place of words.

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/model/detail/huggingface_fields.hpp>
#include <gpuplan/model/detail/huggingface_known.hpp>
#include <gpuplan/model/detail/huggingface_layers.hpp>
#include <gpuplan/model/layered_model.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/text/json_fields.hpp>

namespace gpuplan::detail {

/// What readers of encoders of images look at, beside sizes that all models have.
inline constexpr std::string_view image_fields =
    "image_size patch_size num_channels intermediate_size layerscale_value drop_path_rate "
    "initializer_factor reshape_hidden_states apply_layernorm out_features out_indices stage_names "
    "pooler_act num_labels ";

/// The shape of the layers: LayerNorm, a bias on every map, full attention.
inline transformer image_layers(const json_fields& config) {
  transformer m{.layers = config.integer("num_hidden_layers"),
                .hidden_size = config.integer("hidden_size"),
                .attention_heads = config.integer("num_attention_heads"),
                .vocabulary_size = 1};
  be_classic(m);
  need_dividing_heads(config, m);
  need_few_layers(config, m);
  m.biases.query_key_value = config.flag_or("qkv_bias", true);
  m.mask = attention_mask::full;
  return m;
}

/// Patches of an image: a square of whole patches.
inline double read_patches(const json_fields& config, int image, int patch) {
  const int size = config.integer_or("image_size", image);
  const int side = size / config.integer_or("patch_size", patch);
  if (side < 1) config.refuse("patch_size", "must be <= image_size, " + std::to_string(size));
  return 1.0 * side * side;
}

/// The map of a patch's values to a token.
inline double patch_map(const json_fields& config, int patch, bool bias) {
  const double side = config.integer_or("patch_size", patch);
  const double values = side * side * config.integer_or("num_channels", 3);
  const double h = config.integer("hidden_size");
  return values * h + (bias ? h : 0);
}

/// A model of patches with its norm at the end: `tokens` learned tokens stand before them.
inline layered_model begin_images(const json_fields& config, const transformer& m, double tokens,
                                  double positions, double patch_parameters) {
  refuse_as_config(config, [&] { require_valid(m); });
  layered_model all;
  all.family = config.text("model_type");
  all.hidden_size = m.hidden_size;
  all.beside.position_embedding = positions * m.hidden_size;
  all.beside.final_norms = norm_parameters_of(m, m.hidden_size);
  all.further.push_back({"patch embedding", patch_parameters});
  if (tokens > 0) all.further.push_back({"learned tokens", tokens * m.hidden_size});
  return all;
}

/// Adds the layers: nothing is kept of a token, and `scales` values a layer weigh what it adds.
inline void add_image_layers(layered_model& all, const transformer& m, double scales,
                             double key_biases = 0) {
  layer_group layer = layer_of(m, "encoder", layer_kind::dense);
  layer.cached_values = 0;
  layer.common.attention_biases += key_biases;
  if (scales > 0) layer.further.push_back({"layer scales", scales});
  layer.layers = m.layers;
  all.add(layer);
}

/// Classes of a head: as many as have names, or as `num_labels` says; two, where neither does.
inline double read_labels(const json_fields& config) {
  const auto named = config.value().find("id2label");
  if (named != config.value().end() && named->is_object())
    return static_cast<double>(named->size());
  return config.integer_or("num_labels", 2);
}

/// Adds the head of a class for images: a map of `width` values to labels, or a pooler.
inline void add_image_head(layered_model& all, const json_fields& config, double width,
                           bool has_pooler) {
  const double h = all.hidden_size;
  if (has_class(config, "ForImageClassification")) {
    const double labels = read_labels(config);
    all.further.push_back({"classifier", width * labels + labels});
  } else if (has_pooler && has_class(config, "Model")) {
    all.beside.pooler = h * h + h;
  } else if (!config.has("architectures")) {
    all.note = has_pooler ? "architectures is missing: a pooler or a classifier is not counted"
                          : "architectures is missing: a classifier is not counted";
  }
}

/// ViT, and DeiT, which has a second learned token.
inline layered_model read_vit(const json_fields& config) {
  refuse_unknown_fields(config,
                        std::string(image_fields) + "qkv_bias encoder_stride pooler_output_size");
  transformer m = image_layers(config);
  m.ffn_size = config.integer("intermediate_size");
  if (config.integer_or("pooler_output_size", m.hidden_size) != m.hidden_size)
    config.refuse("pooler_output_size", "must be hidden_size");
  const double tokens = config.text("model_type") == "deit" ? 2 : 1;
  layered_model all = begin_images(config, m, tokens, read_patches(config, 224, 16) + tokens,
                                   patch_map(config, 16, true));
  add_image_layers(all, m, 0);
  add_image_head(all, config, m.hidden_size, true);
  return all;
}

/// The width of a gated network of DINOv2: two thirds, rounded up to a multiple of 8.
inline int dinov2_gated_width(int width) {
  const std::int64_t narrow = std::int64_t{2} * width / 3;
  return static_cast<int>((narrow + 7) / 8 * 8);
}

/// DINOv2, with registers or without: a mask token, and scales of what layers add.
inline layered_model read_dinov2(const json_fields& config) {
  refuse_unknown_fields(config, std::string(image_fields) +
                                    "qkv_bias mlp_ratio use_swiglu_ffn use_mask_token "
                                    "num_register_tokens interpolate_antialias interpolate_offset");
  transformer m = image_layers(config);
  m.ffn_size =
      size_of_product(config, "mlp_ratio", m.hidden_size, config.integer_or("mlp_ratio", 4));
  m.gated_ffn = config.flag_or("use_swiglu_ffn", false);
  if (m.gated_ffn) m.ffn_size = dinov2_gated_width(m.ffn_size);
  const bool has_registers = config.text("model_type") == "dinov2_with_registers";
  const int registers = has_registers ? config.integer_or("num_register_tokens", 4, 0) : 0;
  const bool masks = config.flag_or("use_mask_token", true);
  layered_model all = begin_images(config, m, 1.0 + registers + (masks ? 1 : 0),
                                   read_patches(config, 224, 14) + 1, patch_map(config, 14, true));
  add_image_layers(all, m, 2.0 * m.hidden_size);
  add_image_head(all, config, 2.0 * m.hidden_size, false);
  return all;
}

/// DINOv3: rotary positions, registers, and a flag for each bias.
inline layered_model read_dinov3(const json_fields& config) {
  refuse_unknown_fields(config, std::string(image_fields) +
                                    "query_bias key_bias value_bias proj_bias mlp_bias "
                                    "use_gated_mlp num_register_tokens pos_embed_jitter "
                                    "pos_embed_rescale pos_embed_shift");
  transformer m = image_layers(config);
  m.ffn_size = config.integer("intermediate_size");
  m.gated_ffn = config.flag_or("use_gated_mlp", false);
  m.biases = {.attention_output = config.flag_or("proj_bias", true),
              .ffn = config.flag_or("mlp_bias", true)};
  const int biased = static_cast<int>(config.flag_or("query_bias", true)) +
                     static_cast<int>(config.flag_or("key_bias", false)) +
                     static_cast<int>(config.flag_or("value_bias", true));
  layered_model all = begin_images(config, m, 2.0 + config.integer_or("num_register_tokens", 0, 0),
                                   0, patch_map(config, 16, true));
  add_image_layers(all, m, 2.0 * m.hidden_size, 1.0 * biased * m.hidden_size);
  return all;
}

/// The encoder of images of CLIP: a norm before the layers, none of biases on its patches.
inline layered_model read_clip_vision(const json_fields& config) {
  refuse_unknown_fields(config, std::string(image_fields) + "projection_dim");
  transformer m = image_layers(config);
  m.ffn_size = config.integer("intermediate_size");
  layered_model all =
      begin_images(config, m, 1, read_patches(config, 224, 32) + 1, patch_map(config, 32, false));
  all.beside.embedding_norm = norm_parameters_of(m, m.hidden_size);
  add_image_layers(all, m, 0);
  return all;
}

/// The encoder of images of SigLIP: a query that is learned pools what its layers make of patches.
inline layered_model read_siglip_vision(const json_fields& config) {
  refuse_unknown_fields(config, std::string(image_fields) + "vision_use_head projection_dim");
  transformer m = image_layers(config);
  m.ffn_size = config.integer("intermediate_size");
  layered_model all =
      begin_images(config, m, 0, read_patches(config, 224, 16), patch_map(config, 16, true));
  add_image_layers(all, m, 0);
  if (!config.flag_or("vision_use_head", true)) return all;
  const layer_parameters layer = parameters_of_layer(m, layer_kind::dense);
  all.beside.pooler =
      layer.total() - norm_parameters_of(m, m.hidden_size) + m.hidden_size;  // one norm, one query
  return all;
}

}  // namespace gpuplan::detail
