#pragma once
/// \file
/// Fields that the Hugging Face configurations of all families share.

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/model/detail/huggingface_shape.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/text/json_fields.hpp>

namespace gpuplan::detail {

/// Whether the config names a class that ends so.
inline bool has_class(const json_fields& config, std::string_view end) {
  const nlohmann::json* names = config.array("architectures");
  if (names == nullptr) return false;
  for (const nlohmann::json& name : *names)
    if (name.is_string() && name.get_ref<const std::string&>().ends_with(end)) return true;
  return false;
}

/// The four sizes without which there is no model.
inline transformer essential_sizes(
    const json_fields& config, std::initializer_list<std::string_view> layers,
    std::initializer_list<std::string_view> hidden, std::initializer_list<std::string_view> heads,
    std::initializer_list<std::string_view> vocabulary = {"vocab_size"}) {
  static_cast<void>(config.integer_or("max_position_embeddings", 1));  // looked at for its range
  return {.layers = config.integer(layers),
          .hidden_size = config.integer(hidden),
          .attention_heads = config.integer(heads),
          .vocabulary_size = config.integer(vocabulary)};
}

/// The same under the names that most families give them.
inline transformer essential_sizes(const json_fields& config) {
  return essential_sizes(config, {"num_hidden_layers"}, {"hidden_size"}, {"num_attention_heads"});
}

/// Refuses heads that do not divide the hidden size, for a family whose heads are so made.
inline void need_dividing_heads(const json_fields& config, const transformer& m) {
  if (m.hidden_size % m.attention_heads != 0)
    config.refuse("num_attention_heads (" + std::to_string(m.attention_heads) +
                  ") must divide hidden_size (" + std::to_string(m.hidden_size) + ")");
}

/// Refuses key-value heads that do not divide the query heads.
inline void need_dividing_kv_heads(const json_fields& config, const transformer& m) {
  if (m.attention_heads % m.key_value_heads() != 0)
    config.refuse("num_key_value_heads (" + std::to_string(m.key_value_heads()) +
                  ") must divide num_attention_heads (" + std::to_string(m.attention_heads) + ")");
}

/// A product of two sizes that must stay one.
inline int size_of_product(const json_fields& config, std::string_view field, int a, int b) {
  if (std::int64_t{a} * b > json_fields::largest)
    config.refuse(field,
                  "is so large that its product is beyond " + std::to_string(json_fields::largest));
  return a * b;
}

/// The width of a feed-forward network that a config leaves out: four times the hidden size.
inline int usual_ffn_size(const json_fields& config, const transformer& m) {
  constexpr int widest = json_fields::largest / 4;
  if (m.hidden_size > widest)
    config.refuse("hidden_size must be <= " + std::to_string(widest) +
                  " where the feed-forward width is 4 times it");
  return 4 * m.hidden_size;
}

/// LayerNorm, two plain matrices, a bias on every map: GPT-2 and what follows it.
inline void be_classic(transformer& m) {
  m.norm = normalization::layer_norm;
  m.biases = {.query_key_value = true, .attention_output = true, .ffn = true};
}

/// RMSNorm and a gated network without biases: Llama and what follows it.
inline void be_llama_like(transformer& m, const json_fields& config) {
  m.gated_ffn = true;
  m.tied_embeddings = config.flag_or("tie_word_embeddings", false);
}

/// Puts the layers of full attention among windowed ones, in order.  Those that follow no rule of
/// transformer are taken to come first; their number is kept.
inline void put_full_layers(transformer& m, const std::vector<int>& full) {
  const int count = static_cast<int>(full.size());
  int first = 0;
  while (first < count && full[static_cast<std::size_t>(first)] == first) ++first;
  m.first_full_attention_layers = first;
  m.full_attention_interval = 0;
  if (first == count) return;

  const int interval = count - first >= 2 ? full[static_cast<std::size_t>(first + 1)] -
                                                full[static_cast<std::size_t>(first)]
                                          : full[static_cast<std::size_t>(first)] + 1;
  std::vector<int> expected;
  for (int i = 0; i < m.layers; ++i)
    if (i < first || (i + 1) % interval == 0) expected.push_back(i);
  if (expected == full)
    m.full_attention_interval = interval;
  else
    m.first_full_attention_layers = count;
}

/// Whether layers are windowed, as a list of layer types tells.
inline void read_layer_types(transformer& m, const json_fields& config,
                             const nlohmann::json& types) {
  require_type_of_each(m.layers, config, types);
  std::vector<int> full;
  int index = 0;
  for (const auto& type : types) {
    if (type == "full_attention")
      full.push_back(index);
    else if (type != "sliding_attention")
      config.refuse("layer_types",
                    "must hold full_attention or sliding_attention, not " + shown(type));
    ++index;
  }
  put_full_layers(m, full);
}

/// The window of families whose layer_types, or an interval, say which layers have one.
inline void read_window(transformer& m, const json_fields& config, int interval) {
  m.sliding_window = config.integer_or("sliding_window", 0);
  if (m.sliding_window == 0) return;
  m.full_attention_interval = interval;
  if (const auto* types = config.array("layer_types")) read_layer_types(m, config, *types);
}

/// The most layers of a model whose layers are looked at one by one: ten times the deepest.
inline constexpr int most_layers = 1'000;

/// The window of families with a rule of their own for layers of full attention, which layer_types
/// stands in place of.
template <class IsFull>
void read_window_by_rule(transformer& m, const json_fields& config, IsFull&& is_full) {
  read_window(m, config, 0);
  if (m.sliding_window == 0 || config.has("layer_types")) return;
  if (m.layers > most_layers)
    config.refuse("num_hidden_layers",
                  "must be <= " + std::to_string(most_layers) + " where layer_types is absent");
  std::vector<int> full;
  for (int i = 0; i < m.layers; ++i)
    if (is_full(i)) full.push_back(i);
  put_full_layers(m, full);
}

/// Whether all layers, or those from the k-th on, are windowed, behind a switch that is off
/// unless given: Qwen.
inline void read_switched_window(transformer& m, const json_fields& config) {
  const bool on = config.flag_or("use_sliding_window", false);
  const int from = config.integer_or("max_window_layers", 28, 0);
  if (!on) return;
  if (!config.names("sliding_window"))
    config.refuse("sliding_window", "is missing beside use_sliding_window");
  read_window(m, config, 0);
  if (m.sliding_window > 0 && !config.has("layer_types"))
    m.first_full_attention_layers = std::min(from, m.layers);
}

}  // namespace gpuplan::detail
