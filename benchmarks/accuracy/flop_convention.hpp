#pragma once
/// \file
/// How sources count the operations of a step, and what they print, turned into seconds and back.

#include <string>

#include <nlohmann/json.hpp>

#include <gpuplan/compute/training_flop.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/units/units.hpp>

#include "accuracy/fields.hpp"
#include "accuracy/job.hpp"

namespace gpuplan::accuracy {

/// Operations of a step as an entry's source counts them: as its flop_convention says; LLM Foundry
/// by the number of parameters that is printed, and all scores.
/// \throws unmapped naming the convention if it is unknown
inline flop counted_flop(const nlohmann::json& entry, const transformer& m, const recipe& how) {
  const nlohmann::json& run = field(entry, "run");
  // Where none is named, as A. Chowdhery et al., "PaLM" (2022), define MFU: all scores.
  const std::string convention = text_of(run, "flop_convention", "model_full");
  if (text_of(run, "framework") == "llm_foundry") {
    const double tokens_of_step = static_cast<double>(how.global_batch_size) * how.sequence_length;
    const double parameters = number_of(field(entry, "model"), "params");
    return weights_and_scores_flop(m, parameters, how.sequence_length) *
           (tokens_of_step * units::token);
  }
  if (convention == "model_full") return training_step_flop(m, how, masked_scores::counted);
  if (convention == "model_causal") return training_step_flop(m, how, masked_scores::skipped);
  if (convention == "hardware_full_recompute") {
    recipe again = how;
    again.recompute = recompute::full;
    return training_step_flop(m, how, masked_scores::counted) +
           recomputed_step_flop(m, again, masked_scores::counted);
  }
  throw unmapped{"flop_convention " + convention + " is unknown"};
}

/// The time of a step, as a quantity that was printed gives it.
/// \throws unmapped naming the quantity if it says nothing of time
inline seconds step_seconds(const std::string& quantity, double value, const recipe& how,
                            double gpus, flop counted) {
  using namespace units;
  const double sequences = how.global_batch_size;
  if (quantity == "iteration_s") return value * second;
  if (quantity == "tokens_per_s") return sequences * how.sequence_length / value * second;
  if (quantity == "tokens_per_s_per_gpu")
    return sequences * how.sequence_length / (value * gpus) * second;
  if (quantity == "samples_per_s") return sequences / value * second;
  if (quantity == "samples_per_s_per_gpu") return sequences / (value * gpus) * second;
  if (quantity == "tflops_per_gpu") return counted / (value * gpus * TFLOP / second);
  throw unmapped{"quantity " + quantity + " says nothing of time"};
}

}  // namespace gpuplan::accuracy
