#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <gpuplan/compute/training_flop.hpp>
#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/model/pipeline_stage.hpp>
#include <gpuplan/plan/training_time.hpp>

#include "accuracy/published_row.hpp"
#include "support/catch.hpp"
#include "support/vectors.hpp"

namespace gpuplan::accuracy {
namespace {

using namespace units;
using testing::load_vectors;

/// A bar that was read off a plot is as wide as this, in points of its axis of 100: bars whose
/// value their formula gives without doubt are read 0.08 off.
constexpr double plot_reading = 0.11;

/// D. Narayanan et al. (2021), equation 4: 8 operations a parameter and token.
double days(const nlohmann::json& entry) {
  const double parameters = number_of(field(entry, "model"), "params");
  const tokens trained = number_of(field(entry, "derived"), "tokens") * token;
  const flop_per_second each =
      number_of(field(entry, "measured"), "tflops_per_gpu") * TFLOP / second;
  const flop work = 8.0 / 6 * coarse_training_flop(parameters, trained);
  return training_time(work, number_of(entry, "gpus"), each).in(day);
}

/// S. Rajbhandari et al. (2020), table 1.
double states_in_gigabytes(const nlohmann::json& entry, zero_stage stage) {
  return model_state_memory(number_of(field(entry, "model"), "params"), whole_of(entry, "dp"),
                            stage)
      .total()
      .in(GB);
}

/// V. Korthikanti et al. (2022) name what they keep: "none", "full", "selective",
/// "sequence_parallel", "selective+sequence_parallel".
recipe named_recipe(const nlohmann::json& entry, std::string_view name) {
  recipe how{.global_batch_size = whole_of(entry, "global_batch"),
             .sequence_length = whole_of(field(entry, "model"), "seq"),
             .precision = precision::mixed_fp16,
             .gradient = gradient_format::fp32,
             .attention = attention_kernel::unfused,
             .dropout = true};
  how.sequence_parallel = name.find("sequence_parallel") != name.npos;
  if (name.find("selective") != name.npos) how.recompute = recompute::selective;
  if (name == "full") how.recompute = recompute::full;
  return how;
}

parallelism layout_of(const nlohmann::json& entry) {
  return {.tensor = whole_of(entry, "tp"),
          .pipeline = whole_of(entry, "pp"),
          .interleave = whole(entry, "vp").value_or(1),
          .micro_batch_size = whole_of(entry, "micro_batch")};
}

footprint footprint_named(const nlohmann::json& entry, std::string_view name) {
  return memory_footprint(detail::published_transformer(field(entry, "model")),
                          named_recipe(entry, name), layout_of(entry));
}

bytes kept_by_layer(const footprint& job) {
  return kept_by(job.model, job.recipe, job.layers.dense.activations);
}

/// Layers alone, 18 B a parameter: what the first stage holds beside the embedding.
bytes states_of_layers(const footprint& job) {
  const double parameters = job.layers.dense.parameters.dense() *
                            layers_of_stage(job.model, job.recipe, job.parallelism, 0).total();
  return model_state_memory(parameters, 1, zero_stage::none, bytes_per_parameter(job.recipe))
      .total();
}

std::optional<double> computed(const nlohmann::json& entry, std::string_view quantity) {
  if (quantity == "days") return days(entry);
  if (quantity == "memory_gb_Pos") return states_in_gigabytes(entry, zero_stage::optimizer);
  if (quantity == "memory_gb_Pos_g") return states_in_gigabytes(entry, zero_stage::gradients);
  if (quantity == "memory_gb_Pos_g_p") return states_in_gigabytes(entry, zero_stage::parameters);
  const std::string name = text_of(entry, "recompute");
  if (quantity == "activation_memory_pct_of_tp_baseline")
    return 100 * (kept_by_layer(footprint_named(entry, name)) /
                  kept_by_layer(footprint_named(entry, "none")));
  if (quantity == "activations_gib")
    return footprint_named(entry, name).stage(0).activations.in(GiB);
  if (quantity == "params_and_optimizer_gib")
    return states_of_layers(footprint_named(entry, name)).in(GiB);
  return std::nullopt;
}

TEST_CASE("closed forms that sources print are met", "[vectors][reference]") {
  const nlohmann::json checks = load_vectors("published_checks");
  const nlohmann::json entries = load_vectors("published");
  std::map<std::string, const nlohmann::json*> entry_of;
  for (const nlohmann::json& entry : entries) entry_of[text_of(entry, "id")] = &entry;

  int seen = 0;
  for (const nlohmann::json& check : checks) {
    if (text_of(check, "cls") != "formula") continue;
    const std::string id = text_of(check, "id");
    const std::string quantity = text_of(check, "quantity");
    INFO(id << ", " << quantity);
    if (!entry_of.contains(id) && !testing::are_own_vectors()) continue;
    REQUIRE(entry_of.contains(id));
    const auto ours = computed(*entry_of.at(id), quantity);
    REQUIRE(ours.has_value());
    const double printed = number_of(check, "value");
    const double read_off = text_of(check, "unit") == "percent" ? plot_reading : 0;
    CHECK(std::abs(*ours - printed) <= (std::max)(number_of(check, "rel_tol") * printed, read_off));
    ++seen;
  }
  CHECK((seen > 0 || !testing::are_own_vectors()));
}

}  // namespace
}  // namespace gpuplan::accuracy
