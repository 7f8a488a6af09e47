#pragma once
/// \file
/// Measured operators, read from the vectors: products, cores of attention, layers of experts,
/// collectives, dispatchers.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <gpuplan/comm/collective.hpp>
#include <gpuplan/comm/expert_dispatch.hpp>
#include <gpuplan/comm/token_exchange.hpp>
#include <gpuplan/compute/attention_time.hpp>
#include <gpuplan/compute/gemm.hpp>
#include <gpuplan/compute/quantization_time.hpp>
#include <gpuplan/units/number_format.hpp>
#include <gpuplan/units/units.hpp>

#include "operators/expert_load.hpp"
#include "support/vectors.hpp"

namespace gpuplan::operators {

/// What the files call a GPU, and its entry in the catalogue.
struct known_gpu {
  std::string_view file_name;
  std::string_view catalog_name;
};

inline constexpr std::array known_gpus{known_gpu{"a100_sxm", "A100-SXM4-80GB"},
                                       known_gpu{"A100-PCIe-80GB", "A100-PCIe-80GB"},
                                       known_gpu{"l40s", "L40S"},
                                       known_gpu{"h100_sxm", "H100-SXM5-80GB"},
                                       known_gpu{"h200_sxm", "H200-SXM-141GB"},
                                       known_gpu{"b200_sxm", "B200-SXM"},
                                       known_gpu{"B200-SXM", "B200-SXM"},
                                       known_gpu{"b300_sxm", "B300-SXM"},
                                       known_gpu{"gb200", "GB200 (per GPU)"},
                                       known_gpu{"gb300", "GB300 (per GPU)"}};

/// What all rows have.
struct measured_row {
  std::string gpu;       ///< name in the catalogue
  std::string software;  ///< framework, or library of collectives, with its version
  std::string shape;     ///< rows of one shape are held back together
  std::string size;      ///< class of size, for the error table
  seconds time{};

  /// One of `parts` sets, the same for every row of a shape.
  ///
  /// FNV-1a: G. Fowler, L. Noll and K.-P. Vo, "FNV Hash" (1991), isthe.com/chongo/tech/comp/fnv.
  [[nodiscard]] std::uint32_t part(std::uint32_t parts) const {
    std::uint32_t hash = 2166136261U;
    for (const char letter : shape) hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619U;
    hash ^= hash >> 15U;
    return hash % parts;
  }
};

/// How long the device worked before and during a measurement.
enum class product_run {
  brief,  ///< a few replays: the clock has not come down
  long_   ///< 0.3 s and more, under the power limit
};

struct product_row : measured_row {
  matrix_product product{};
  number_format format{};
  std::optional<quantization> cast{};  ///< of the left operand, part of the time
  product_run run{};
  std::string stage{};        ///< forward, input_gradient, weight_gradient; grouped
  bytes accumulated{};        ///< moved for a value of the result that is added to; 0: written
  bool grouped = false;       ///< one product for each expert
  bool in_framework = false;  ///< timed by the host, in a training framework
};

struct attention_row : measured_row {
  attention_shape core{};
  bool backward = false;
  double rotated = 0;  ///< values read and written beside the core: rotation, the cache
};

struct expert_row : measured_row {
  matrix_product up{};  ///< of the experts of one rank: rows of one, both gates
  matrix_product down{};
  number_format format{};
  std::optional<quantization> cast{};
  bool unset_weights = false;  ///< whatever the memory held
};

struct collective_row : measured_row {
  collective what{};
  int ranks = 1;
  bytes message{};
};

/// DeepEP in a node or over several, or kernels for one NVLink domain.
enum class dispatcher_kind { deep_ep, domain };

struct dispatch_row : measured_row {
  token_exchange sent{};
  dispatcher_kind kind{};
  bool combine = false;
};

struct measured_operators {
  std::vector<product_row> products{};
  std::vector<attention_row> cores{};
  std::vector<expert_row> experts{};
  std::vector<collective_row> collectives{};
  std::vector<dispatch_row> dispatches{};
  std::map<std::string, std::size_t> left_out{};  ///< rows of what is not known, by its name
};

namespace detail {

using nlohmann::json;

inline std::optional<std::string> catalog_name(std::string_view file_name) {
  for (const known_gpu& gpu : known_gpus)
    if (gpu.file_name == file_name) return std::string(gpu.catalog_name);
  return std::nullopt;
}

inline seconds time_of(const json& row, const char* key = "latency_s") {
  return row.at(key).get<double>() * units::second;
}

/// What a name of a format in the files stands for.
struct format_name {
  std::string_view name;
  number_format format;
  std::optional<quantization> cast;
};

/// nullptr for a format that no law is for.
inline const format_name* format_of(const std::string& name) {
  static const std::array names{
      format_name{"bfloat16", number_format::bf16, std::nullopt},
      format_name{"bf16", number_format::bf16, std::nullopt},
      format_name{"float16", number_format::fp16, std::nullopt},
      format_name{"fp8", number_format::fp8_e4m3, quantization::tensorwise},
      format_name{"fp8_block", number_format::fp8_e4m3, quantization::blockwise},
      format_name{"mxfp8", number_format::fp8_e4m3, quantization::mxfp8},
      format_name{"nvfp4", number_format::fp4, quantization::nvfp4}};
  for (const format_name& known : names)
    if (known.name == name) return &known;
  return nullptr;
}

inline std::string decade_of(double x) {
  int decade = 0;
  for (; x >= 10; x /= 10) ++decade;
  return fmt::format("1e{}", decade);
}

inline void read_gemm(measured_operators& all) {
  const json file = testing::load_vectors("measured_gemm");
  for (const json& set : file.at("datasets")) {
    const auto gpu = catalog_name(set.at("gpu").get<std::string>());
    const std::string software = set.at("framework").get<std::string>();
    if (!gpu) {
      all.left_out["products of " + set.at("gpu").get<std::string>()] += set.at("rows").size();
      continue;
    }
    const format_name* format = format_of(set.at("dtype").get<std::string>());
    if (format == nullptr) {
      all.left_out["format " + set.at("dtype").get<std::string>()] += set.at("rows").size();
      continue;
    }
    for (const json& row : set.at("rows")) {
      const double m = row.at("m").get<double>();
      const double n = row.at("n").get<double>();
      const double k = row.at("k").get<double>();
      product_row one;
      one.gpu = *gpu;
      one.software = software;
      one.shape = fmt::format("{:.0f} {:.0f} {:.0f}", m, n, k);
      one.size = decade_of(2 * m * n * k);
      one.time = time_of(row);
      one.product = {m, n, k};
      one.format = format->format;
      if (set.value("includes_activation_cast", false)) one.cast = format->cast;
      one.run = row.contains("power_w") ? product_run::long_ : product_run::brief;
      one.stage = "forward";
      all.products.push_back(std::move(one));
    }
  }
}

inline void read_framework_core(measured_operators& all, const json& row, const std::string& gpu) {
  const double s = row.at("sequence_length").get<double>();
  const double heads =
      (std::max)(row.at("attention_heads").get<double>(), row.at("kv_heads").get<double>());
  attention_row one;
  one.gpu = gpu;
  one.software = "training framework";
  one.backward = row.at("operator").get<std::string>() == "sdp_bwd";
  one.time = time_of(row, "time_s");
  one.core = {.queries = row.at("batch").get<double>() * s,
              .keys = s / 2,
              .all_keys = s,
              .heads = heads,
              .query_head_dim = row.at("qk_head_dim").get<int>(),
              .value_head_dim = row.at("v_head_dim").get<int>()};
  one.shape =
      fmt::format("{:.0f} {:.0f} {:.0f} {}", one.core.queries, s, heads, one.core.query_head_dim);
  one.size = one.backward ? "backward" : "forward";
  all.cores.push_back(std::move(one));
}

inline void read_framework_operators(measured_operators& all) {
  const json file = testing::load_vectors("measured_products");
  for (const json& row : file.at("rows")) {
    const auto gpu = catalog_name(row.at("gpu").get<std::string>());
    if (!gpu) {
      ++all.left_out["operators of " + row.at("gpu").get<std::string>()];
      continue;
    }
    const std::string kind = row.at("operator").get<std::string>();
    if (kind == "sdp_fwd" || kind == "sdp_bwd") {
      read_framework_core(all, row, *gpu);
      continue;
    }
    product_row one;
    one.grouped = kind == "group_matmul";
    one.gpu = *gpu;
    one.software = "training framework";
    one.stage = row.at("stage").get<std::string>();
    one.product = {row.at("m").get<double>(), row.at("n").get<double>(), row.at("k").get<double>(),
                   row.at(one.grouped ? "groups" : "batch").get<double>()};
    if (one.grouped && one.stage == "input_gradient") one.product = one.product.left_gradient();
    if (one.grouped && one.stage == "weight_gradient") one.product = one.product.right_gradient();
    const double written = row.at("out_dtype").get<std::string>() == "fp32" ? 4 : 2;
    if (row.at("accumulate").get<bool>()) one.accumulated = 2 * written * units::byte;
    const format_name* format = format_of(row.at("dtype").get<std::string>());
    if (format == nullptr) {
      ++all.left_out["format " + row.at("dtype").get<std::string>()];
      continue;
    }
    one.format = format->format;
    one.run = product_run::long_;
    one.in_framework = true;
    one.shape = fmt::format("{:.0f} {:.0f} {:.0f} {:.0f}", one.product.count, one.product.rows,
                            one.product.columns, one.product.depth);
    one.size = decade_of(product_flop(one.product) / units::FLOP);
    one.time = time_of(row, "time_s");
    all.products.push_back(std::move(one));
  }
}

inline void read_attention(measured_operators& all) {
  const json file = testing::load_vectors("measured_attention");
  for (const json& set : file.at("datasets")) {
    const auto gpu = catalog_name(set.at("gpu").get<std::string>());
    if (!gpu) {
      all.left_out["attention of " + set.at("gpu").get<std::string>()] += set.at("rows").size();
      continue;
    }
    const std::string software = set.at("framework").get<std::string>();
    const bool latent = set.at("kind").get<std::string>().starts_with("latent");
    for (const json& row : set.at("rows")) {
      const double batch = row.at("batch_size").get<double>();
      const double s = row.at("isl").get<double>();
      const double heads = row.at("num_heads").get<double>();
      const double shared = row.at("num_key_value_heads").get<double>();
      attention_row one;
      one.gpu = *gpu;
      one.software = software + (latent ? ", latent" : "");
      one.time = time_of(row);
      one.core = {.queries = batch * s,
                  .keys = s / 2,
                  .all_keys = s,
                  .heads = heads,
                  .query_head_dim = row.at("query_head_dim").get<int>(),
                  .value_head_dim = row.at("value_head_dim").get<int>()};
      if (software == "trtllm" && !latent)
        one.rotated = batch * s * (heads + 2 * shared) * one.core.query_head_dim;
      one.shape = fmt::format("{:.0f} {:.0f} {:.0f} {:.0f} {}", batch, s, heads, shared,
                              one.core.query_head_dim);
      one.size = fmt::format("d {}", one.core.query_head_dim);
      all.cores.push_back(std::move(one));
    }
  }
}

inline void read_collectives(measured_operators& all) {
  struct collective_name {
    std::string_view name;
    collective what;
  };
  constexpr std::array names{collective_name{"all_reduce", collective::all_reduce},
                             collective_name{"all_gather", collective::all_gather},
                             collective_name{"reduce_scatter", collective::reduce_scatter},
                             collective_name{"alltoall", collective::all_to_all}};
  const json file = testing::load_vectors("measured_collectives_aic");
  for (const json& set : file.at("datasets")) {
    if (set.at("tool").get<std::string>() != "nccl-tests" || set.at("nodes").get<int>() != 1)
      continue;
    const auto gpu = catalog_name(set.at("gpu").get<std::string>());
    if (!gpu) {
      all.left_out["collectives of " + set.at("gpu").get<std::string>()] += set.at("rows").size();
      continue;
    }
    const std::string name = set.at("op").get<std::string>();
    const auto known = std::find_if(names.begin(), names.end(),
                                    [&](const collective_name& one) { return one.name == name; });
    if (known == names.end()) continue;
    for (const json& row : set.at("rows")) {
      collective_row one;
      one.gpu = *gpu;
      one.software = "NCCL " + set.at("nccl").get<std::string>();
      one.what = known->what;
      one.ranks = set.at("n").get<int>();
      const double size = row.at("message_bytes").get<double>();
      one.message = size * units::byte;
      one.shape = fmt::format("{} {} {:.0f}", name, one.ranks, size);
      one.size = name;
      one.time = time_of(row);
      all.collectives.push_back(std::move(one));
    }
  }
}

/// Multiprocessors that DeepEP is run with in training.
inline constexpr int usual_dispatch_multiprocessors = 24;
/// More nodes than these ran at half the rate on the one machine that was measured.
inline constexpr int most_nodes = 4;

inline dispatch_row dispatch_of(const json& set, const json& row, const std::string& gpu) {
  dispatch_row one;
  one.gpu = gpu;
  one.software = set.at("tool").get<std::string>();
  one.sent.tokens = row.at("num_tokens").get<double>();
  const int ranks = set.at("n").get<int>();
  const int nodes = set.at("nodes").get<int>();
  const int experts = row.at("num_experts").get<int>();
  const int chosen = row.at("topk").get<int>();
  const double all_ranks = other_nodes_of_token(experts, chosen, ranks);
  one.sent.nodes = nodes > 1 ? other_nodes_of_token(experts, chosen, nodes) : 0;
  one.sent.ranks = nodes > 1 ? all_ranks / nodes : all_ranks;
  one.shape = fmt::format("{:.0f} {} {} {} {} {}", one.sent.tokens, row.at("hidden_size").dump(),
                          chosen, experts, ranks, nodes);
  return one;
}

inline void read_dispatchers(measured_operators& all) {
  const json file = testing::load_vectors("measured_collectives_aic");
  for (const json& set : file.at("datasets")) {
    const auto gpu = catalog_name(set.at("gpu").get<std::string>());
    const std::string op = set.at("op").get<std::string>();
    const bool deep_ep = op == "expert_dispatch_and_combine";
    // HybridEP writes tokens straight into the memory of other ranks, as one-sided kernels do; with
    // two-sided ones the receiver copies them again.  DeepEP, Hybrid-EP_Implementation.md (2026).
    const bool domain = set.at("tool").get<std::string>().ends_with("NVLinkOneSided") &&
                        (op == "expert_alltoall_dispatch" || op == "expert_alltoall_combine");
    if (!gpu || (!deep_ep && !domain) || set.at("nodes").get<int>() > most_nodes) continue;
    for (const json& row : set.at("rows")) {
      const double hidden = row.at("hidden_size").get<double>();
      dispatch_row one = dispatch_of(set, row, *gpu);
      if (domain) {
        one.kind = dispatcher_kind::domain;
        one.combine = op == "expert_alltoall_combine";
        const format_name* format = format_of(set.at("dtype").get<std::string>());
        if (format == nullptr) continue;
        // Results come back in 16 bits, whatever format they were sent in.  Scales are taken to
        // travel with the values of a narrow format; the files do not say.
        one.sent.token = hidden * (one.combine || !format->cast
                                       ? bytes{2}
                                       : quantized_value_of(*format->cast).written);
        one.size = one.combine ? "domain, combine" : "domain, dispatch";
        one.time = time_of(row);
        all.dispatches.push_back(one);
        continue;
      }
      if (row.at("multiprocessors").get<int>() != usual_dispatch_multiprocessors) continue;
      one.sent.token = hidden * quantized_value_of(quantization::blockwise).written;
      one.time = time_of(row, "dispatch_s");
      one.size = one.sent.nodes > 0 ? "DeepEP over nodes, dispatch" : "DeepEP, dispatch";
      all.dispatches.push_back(one);
      one.combine = true;
      one.sent.token = hidden * bytes{2};
      one.time = time_of(row, "combine_s");
      one.size = one.sent.nodes > 0 ? "DeepEP over nodes, combine" : "DeepEP, combine";
      all.dispatches.push_back(one);
    }
  }
}

inline void read_experts(measured_operators& all) {
  const json file = testing::load_vectors("measured_moe");
  for (const json& set : file.at("datasets")) {
    const auto gpu = catalog_name(set.at("gpu").get<std::string>());
    if (!gpu) {
      all.left_out["experts of " + set.at("gpu").get<std::string>()] += set.at("rows").size();
      continue;
    }
    const format_name* format = format_of(set.at("dtype").get<std::string>());
    if (format == nullptr) {
      all.left_out["format " + set.at("dtype").get<std::string>()] += set.at("rows").size();
      continue;
    }
    for (const json& row : set.at("rows")) {
      const double tokens = row.at("num_tokens").get<double>();
      const double experts = row.at("num_experts").get<double>();
      const double chosen = row.at("topk").get<double>();
      const double ranks = row.at("moe_ep_size").get<double>();
      const double hidden = row.at("hidden_size").get<double>();
      const double width = row.at("inter_size").get<double>() / row.at("moe_tp_size").get<double>();
      const std::string load = row.at("distribution").get<std::string>();
      const expert_load drawn{
          .tokens = tokens, .experts = experts, .chosen = chosen, .ranks = ranks};
      const double rows = tokens * chosen / experts * fullest_rank(drawn, load);
      expert_row one;
      one.gpu = *gpu;
      one.software = set.at("framework").get<std::string>();
      one.up = {rows, 2 * width, hidden, experts / ranks};
      one.down = {rows, hidden, width, experts / ranks};
      one.format = format->format;
      one.cast = format->cast;
      one.unset_weights = set.value("operands", "") == "weights not set";
      one.time = time_of(row);
      one.shape = fmt::format("{:.0f} {:.0f} {:.0f} {:.0f} {:.0f} {:.0f} {}", tokens, hidden, width,
                              chosen, experts, ranks, load);
      one.size = load == "balanced" ? "balanced" : "power law";
      all.experts.push_back(std::move(one));
    }
  }
}

}  // namespace detail

/// Every row of the five files that a law is for.
///
/// \throws std::runtime_error naming a file that cannot be read
inline measured_operators read_measured_operators() {
  measured_operators all;
  detail::read_gemm(all);
  detail::read_framework_operators(all);
  detail::read_attention(all);
  detail::read_experts(all);
  detail::read_collectives(all);
  detail::read_dispatchers(all);
  return all;
}

}  // namespace gpuplan::operators
