#pragma once
/// \file
/// The model, and the cluster, that a row of measured_runs.json describes.

#include <algorithm>
#include <array>
#include <cmath>
#include <regex>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/compute/training_flop.hpp>
#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/units/units.hpp>

#include "accuracy/fields.hpp"
#include "accuracy/job.hpp"
#include "accuracy/speed_row.hpp"

namespace gpuplan::accuracy {

namespace detail {

inline bool matches(const std::string& text, const char* pattern) {
  return std::regex_search(text, std::regex{pattern, std::regex::icase});
}

/// DeepSeek's latent attention, whose sizes rows do not print.
inline latent_attention latent_of(const std::string& name) {
  return {.query_rank = matches(name, "lite|moonlight") ? 0 : 1536,
          .kv_rank = 512,
          .rope_head_dim = 64,
          .content_head_dim = 128,
          .value_head_dim = 128};
}

inline mixture_of_experts mixture_of(const nlohmann::json& model) {
  const int width = whole_of(model, "moe_ffn");
  const int dense = whole(model, "first_dense_layers").value_or(0);
  mixture_of_experts moe{.experts = whole_of(model, "n_experts"),
                         .experts_per_token = whole_of(model, "topk"),
                         .ffn_size = width,
                         .shared_ffn_size = whole(model, "shared_experts").value_or(0) * width,
                         .first_dense_layers = dense,
                         .dense_layers = dense};
  if (const int every = whole(model, "moe_every").value_or(0); every > 0) {
    const int layers = whole_of(model, "layers");
    moe.first_dense_layers = every - 1;
    moe.dense_layers = layers - layers / every;
  }
  return moe;
}

/// Layers that predict further tokens: as printed; of DeepSeek-V3, which has one, as few as the
/// row's own time and rate say, one where they say nothing.
inline int further_predictions(const nlohmann::json& row, const transformer& m) {
  const nlohmann::json& model = field(row, "model");
  if (field(model, "mtp").is_number_integer()) return whole_of(model, "mtp");
  if (!text_of(model, "name").starts_with("DeepSeek-V3")) return 0;
  const auto printed = number(field(row, "measured"), "step_time_s");
  const auto time = printed ? printed : number(field(row, "derived"), "step_time_s");
  const auto rate = number(field(row, "measured"), "tflops_per_gpu");
  if (!time || !rate) return 1;
  const double counted = *time * *rate * 1e12 * number_of(row, "gpus");
  const auto off = [&](int layers) {
    transformer with = m;
    with.multi_token_prediction_layers = layers;
    const recipe how{.global_batch_size = whole_of(row, "global_batch_size"),
                     .sequence_length = whole_of(row, "sequence_length")};
    const flop all = training_step_flop(with, how, masked_scores::skipped);
    return std::abs(std::log(all.in(units::FLOP) / counted));
  };
  return off(0) < off(1) ? 0 : 1;
}

inline transformer run_transformer(const nlohmann::json& row) {
  const nlohmann::json& model = field(row, "model");
  const std::string name = text_of(model, "name");
  if (name == "GPT-OSS-120B") return catalog::gpt_oss_120b;  // sinks and windows stand in no row
  const bool gated = !has(model, "glu") || flag(model, "glu");
  transformer m{.layers = whole_of(model, "layers"),
                .hidden_size = whole_of(model, "hidden"),
                .attention_heads = whole_of(model, "heads"),
                .kv_heads = whole(model, "kv_heads").value_or(0),
                .head_dim = whole(model, "head_dim").value_or(0),
                .vocabulary_size = whole_of(model, "vocab"),
                .gated_ffn = gated,
                .tied_embeddings = flag(model, "tied"),
                .norm = gated ? normalization::rms_norm : normalization::layer_norm};
  if (matches(name, "^(Qwen-|Qwen2|InternLM)"))
    m.biases = {.query_key_value = true, .attention_output = name.starts_with("InternLM")};
  if (name.starts_with("Qwen3")) m.query_key = query_key_norm::per_head;
  if (whole(model, "n_experts").value_or(0) > 0) {
    m.moe = mixture_of(model);
    if (m.moe.dense_layers > 0) m.ffn_size = whole_of(model, "dense_ffn");
    m.moe.correction_bias = matches(name, "^(DeepSeek-V3|Kimi)");
  } else {
    m.ffn_size = whole_of(model, "ffn");
  }
  if (text_of(model, "attention") == "MLA") {
    m.latent = latent_of(name);
    m.kv_heads = 0;
  }
  m.multi_token_prediction_layers = further_predictions(row, m);
  return m;
}

struct gpu_words {
  std::string_view part;
  std::string_view name;
};

/// The first part that a row's words have names the device of the catalogue.
inline constexpr std::array run_gpus{
    gpu_words{"GB300", "GB300 (per GPU)"}, gpu_words{"GB200", "GB200 (per GPU)"},
    gpu_words{"B300", "B300-SXM"},         gpu_words{"B200", "B200-SXM"},
    gpu_words{"H200", "H200-SXM-141GB"},   gpu_words{"H800", "H800-SXM5-80GB"},
    gpu_words{"H100", "H100-SXM5-80GB"},   gpu_words{"A800", "A100-SXM4-80GB"},
    gpu_words{"A100", "A100-SXM4-80GB"},   gpu_words{"L40S", "L40S"},
    gpu_words{"MI355X", "MI355X"},         gpu_words{"MI300X", "MI300X"}};

inline const catalog::accelerator_entry& run_gpu(const std::string& words) {
  for (const gpu_words& one : run_gpus)
    if (says(words, one.part)) return *catalog::find_accelerator(one.name);
  throw unmapped{"GPU " + words + " is not in the catalogue"};
}

struct network_words {
  std::string_view start;
  double gigabytes_per_second;  ///< line rate, a GPU
};

inline constexpr std::array run_networks{network_words{"16 EFA x 400", 100},
                                         network_words{"32 EFA x 100", 50},
                                         network_words{"4 x 100 Gb RoCE", 6.25}};

inline interconnect run_fabric(const nlohmann::json& row, const accelerator& gpu) {
  const std::string network = text_of(row, "network");
  for (const network_words& one : run_networks)
    if (network.starts_with(one.start))
      return {.latency = catalog::infiniband_hdr.port.latency,
              .bandwidth = port_payload * one.gigabytes_per_second * units::GB / units::second};
  const bool fp8 = gpu.peak.fp8_e4m3 > flop_per_second{0};
  return interconnect_of(fp8 ? catalog::infiniband_ndr : catalog::infiniband_hdr);
}

/// A node is what NVLink joins.
inline cluster run_cluster(const nlohmann::json& row) {
  const std::string words = text_of(row, "gpu");
  const catalog::accelerator_entry& gpu = run_gpu(words);
  const int gpus = whole_of(row, "gpus");
  const bool rack = says(words, "GB200") || says(words, "GB300");
  int joined = whole(row, "nvlink_domain").value_or(0);
  if (joined == 0) joined = rack ? 72 : whole(row, "gpus_per_node").value_or(8);
  joined = joined_by_nvlink(joined, gpus);
  return cluster_of(node_of(*gpu.gpu, joined, run_fabric(row, *gpu.gpu)), gpus);
}

}  // namespace detail

}  // namespace gpuplan::accuracy
