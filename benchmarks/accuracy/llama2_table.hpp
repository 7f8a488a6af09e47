#pragma once
/// \file
/// measured_llama2.json: peaks of one model under some layouts.  The model stands there as a
/// sentence; its numbers are taken from it.

#include <regex>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/units/units.hpp>

#include "accuracy/fields.hpp"
#include "accuracy/job.hpp"
#include "accuracy/statistics.hpp"

namespace gpuplan::accuracy {

/// One layout: what was measured, what the source itself estimates, what we do.
struct llama2_run {
  parallelism layout{};
  bytes measured{};
  bytes estimated{};  ///< by the source
  bytes predicted{};

  [[nodiscard]] double error() const { return relative_error(predicted / measured, 1); }
};

namespace detail {

/// The number that `pattern` captures in a text.
/// \throws unmapped naming the pattern if the text has none
inline int number_in(const std::string& text, const std::string& pattern) {
  std::smatch found;
  if (!std::regex_search(text, found, std::regex{pattern}))
    throw unmapped{"no " + pattern + " in: " + text};
  return std::stoi(found[1]);
}

inline transformer told_transformer(const std::string& text, int tensor) {
  const bool norms = text.find("LayerNorm") != std::string::npos;
  const bool biases = text.find("biases") != std::string::npos;
  return {.layers = number_in(text, "([0-9]+) layers"),
          .hidden_size = number_in(text, "h ([0-9]+)"),
          .attention_heads = number_in(text, "([0-9]+) heads"),
          .ffn_size = number_in(text, "ffn ([0-9]+)"),
          .vocabulary_size = padded(number_in(text, "vocab padded ([0-9]+)"), 128 * tensor),
          .gated_ffn = text.find("SwiGLU") != std::string::npos,
          .tied_embeddings = false,  // as Llama 2
          .positions = position_encoding::learned,
          .position_rows = number_in(text, "positions ([0-9]+)"),
          .norm = norms ? normalization::layer_norm : normalization::rms_norm,
          .biases = {.query_key_value = biases, .attention_output = biases, .ffn = biases}};
}

/// Megatron-LM of 2023: layers of its own, FlashAttention-2, SwiGLU in separate steps.
inline workspace workspace_of_2023() {
  workspace beside = hopper_workspace;
  beside.transformer_engine = bytes{0};
  beside.kernels.flash_output_copied = true;
  beside.kernels.activation_fused = false;
  beside.kernels.mask_in_batch = true;
  return beside;
}

}  // namespace detail

/// \throws unmapped if the sentence or a row says too little
inline std::vector<llama2_run> read_llama2_runs(const nlohmann::json& file) {
  const std::string text = text_of(file, "model");
  const int sequence = detail::number_in(text_of(file, "seq_length"), "([0-9]+)");
  std::vector<llama2_run> runs;
  for (const nlohmann::json& row : file.at("rows")) {
    const parallelism layout{.data = whole_of(row, "dp"),
                             .tensor = whole_of(row, "tp"),
                             .pipeline = whole_of(row, "pp"),
                             .micro_batch_size = whole_of(row, "mbs")};
    const job asked{.model = detail::told_transformer(text, layout.tensor),
                    .recipe = {.global_batch_size = whole_of(row, "gbs"),
                               .sequence_length = sequence,
                               .zero = zero_stage::optimizer,
                               .dropout = true},
                    .parallelism = layout,
                    .workspace = detail::workspace_of_2023()};
    const footprint memory = asked.memory();
    bytes peak{};
    for (int i = 0; i < memory.stages(); ++i)
      peak = (std::max)(peak, memory.stage(i).allocator_peak());
    runs.push_back({.layout = layout,
                    .measured = number_of(row, "actual") * units::GiB,
                    .estimated = number_of(row, "estimated") * units::GiB,
                    .predicted = peak});
  }
  return runs;
}

}  // namespace gpuplan::accuracy
