#pragma once
/// \file
/// The parts of a model's parameters, as tables and JSON name them.

#include <array>
#include <string>
#include <string_view>

#include <gpuplan/model/layer_parameters.hpp>
#include <gpuplan/model/parameters.hpp>

namespace gpuplan::cli {

struct part {
  std::string_view name;
  double count;
};

inline auto layer_parts(const layer_parameters& l) {
  return std::array{part{"attention weights", l.attention_weights},
                    part{"attention biases", l.attention_biases},
                    part{"query and key norms", l.query_key_norms},
                    part{"attention sinks", l.attention_sinks},
                    part{"norms of latents", l.latent_norms},
                    part{"cross attention", l.cross_attention},
                    part{"feed-forward weights", l.ffn_weights},
                    part{"feed-forward biases", l.ffn_biases},
                    part{"router", l.router},
                    part{"routed experts", l.routed_experts},
                    part{"shared experts", l.shared_experts},
                    part{"norms", l.norms}};
}

inline auto model_parts(const transformer_parameters& p) {
  return std::array{part{"token embedding", p.token_embedding},
                    part{"position embedding", p.position_embedding},
                    part{"type embedding", p.type_embedding},
                    part{"embedding norm", p.embedding_norm},
                    part{"embedding projection", p.embedding_projection},
                    part{"final norms", p.final_norms},
                    part{"pooler", p.pooler},
                    part{"head transform", p.head_transform},
                    part{"head", p.head},
                    part{"head bias", p.head_bias}};
}

/// The key of a part in JSON: "query_and_key_norms".
inline std::string key_of(std::string_view name) {
  std::string key{name};
  for (char& c : key)
    if (c == ' ' || c == '-') c = '_';
  return key;
}

}  // namespace gpuplan::cli
