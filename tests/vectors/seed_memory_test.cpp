// Worked numbers of memory and batch in the source documents (seed_cases.json): where a source is
// wrong the library gives the right value, and the row's note says what went wrong.  Which formula
// a row asks for is told by the names of its inputs, and by what it calls its result where several
// results have the same inputs.
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include <gpuplan/hardware/node.hpp>
#include <gpuplan/memory/accumulation.hpp>
#include <gpuplan/memory/activations.hpp>
#include <gpuplan/memory/breakdown.hpp>
#include <gpuplan/memory/checkpointing.hpp>
#include <gpuplan/memory/coarse.hpp>
#include <gpuplan/memory/input_buffer.hpp>
#include <gpuplan/memory/max_batch.hpp>
#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/memory/precision_saving.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/parameters.hpp>

#include "support/catch.hpp"
#include "support/seed_cases.hpp"
#include "support/vectors.hpp"

namespace gpuplan::testing {
namespace {

using namespace units;
using nlohmann::json;

/// A row's inputs, by name.
class inputs {
 public:
  explicit inputs(const json& row) : row_{row} {}

  [[nodiscard]] double number(const char* name) const { return row_.at("inputs").at(name); }
  [[nodiscard]] int whole(const char* name) const { return row_.at("inputs").at(name); }
  [[nodiscard]] bytes size(const char* name) const { return number(name) * byte; }
  /// Does the name of the result hold these words?
  [[nodiscard]] bool says(const char* words) const {
    return row_.at("what").get<std::string>().find(words) != std::string::npos;
  }
  [[nodiscard]] const json& list(const char* name) const { return row_.at("inputs").at(name); }

 private:
  const json& row_;
};

using formula = std::function<double(const inputs&)>;

double in_bytes(bytes size) {
  return size.in(byte);
}

/// Weights alone, kept in some bytes a parameter.
double weight_bytes(double parameters, bytes each) {
  const parameter_bytes per{
      .weight = each, .gradient = 0 * byte, .master = 0 * byte, .optimizer = 0 * byte};
  return in_bytes(model_state_memory(parameters, 1, zero_stage::none, per).total());
}

double states_of_adam(const inputs& row) {
  const double parameters = row.number("parameters");
  const auto states = [&](precision mix, optimizer rule) {
    return model_state_memory(parameters, 1, zero_stage::none, bytes_per_parameter(mix, rule));
  };
  if (row.says("mixed-precision Adam"))
    return in_bytes(states(precision::mixed_fp16, optimizer::adam).total());
  const model_states adam = states(precision::fp32, optimizer::adam);
  if (row.says("extra bytes")) return in_bytes(adam.optimizer);
  if (row.says("SGD")) return in_bytes(states(precision::fp32, optimizer::sgd).weights);
  if (row.says("parameters + m + v")) return in_bytes(adam.weights + adam.optimizer);
  return in_bytes(adam.total());
}

/// "3 x model" holds a gradient copy beside two states: with gradients counted once it is two.
double states_by_factor(const inputs& row) {
  const bytes each = row.size("bytes_per_parameter");
  const parameter_bytes per{.weight = each,
                            .gradient = each,
                            .master = 0 * byte,
                            .optimizer = (row.number("factor") - 1) * each};
  const model_states states =
      model_state_memory(row.number("parameters"), 1, zero_stage::none, per);
  return in_bytes(states.gradients + states.optimizer);
}

double layer_activation_bytes(const inputs& row) {
  const int hidden = row.whole("hidden");
  const transformer m{.layers = 1,
                      .hidden_size = hidden,
                      .attention_heads = row.whole("heads"),
                      .ffn_size = 4 * hidden,
                      .vocabulary_size = 1};
  const recipe how{.sequence_length = row.whole("sequence"),
                   .attention = attention_kernel::unfused,
                   .dropout = true};
  const parallelism cut{.micro_batch_size = row.whole("batch")};
  const micro_batch_tokens seen = tokens_on_rank(how.sequence_length, how, cut);
  const layer_activations layer = decoder_layer(m, layer_kind::dense, how, cut, {seen, seen});
  return in_bytes(row.says("without flash") ? layer.total() : layer.total() - layer.core());
}

/// A coarse rule's four tensors of b s h, or a single one.
double tensor_bytes(const inputs& row) {
  const coarse_transformer m{.hidden_size = row.whole("hidden"),
                             .sequence_length = row.whole("sequence"),
                             .batch = row.whole("batch")};
  const bytes eight = coarse_layer_activations(m, row.size("bytes"));
  return in_bytes(row.says("Q, K, V") ? eight / 2 : eight / 8);
}

double image_bytes(const inputs& row) {
  return in_bytes(image_batch_memory({.samples = row.whole("batch"),
                                      .height = row.whole("height"),
                                      .width = row.whole("width"),
                                      .channels = row.whole("channels")},
                                     row.size("bytes")));
}

double largest_batch_of(const inputs& row, bytes fixed) {
  return static_cast<double>(max_batch({row.size("capacity_byte"), row.size("reserved_byte")},
                                       {fixed, row.size("per_sample_byte")})
                                 .samples);
}

double gpt2_parameters(const inputs& row) {
  const int hidden = row.whole("hidden");
  return parameters_of({.layers = row.whole("layers"),
                        .hidden_size = hidden,
                        .attention_heads = 1,
                        .ffn_size = 4 * hidden,
                        .vocabulary_size = row.whole("vocab"),
                        .positions = position_encoding::learned,
                        .position_rows = row.whole("positions"),
                        .norm = normalization::layer_norm,
                        .biases = {true, true, true, false}})
      .total();
}

double gpus_of(const inputs& row) {
  return static_cast<double>(
      parallelism{.data = row.whole("dp"), .tensor = row.whole("tp"), .pipeline = row.whole("pp")}
          .gpus());
}

/// What the inputs are called, in the order of the alphabet, and what they ask for.
const std::map<std::string, formula>& formulas() {
  static const std::map<std::string, formula> all{
      {"bytes_per_parameter parameters",
       [](const inputs& row) {
         return weight_bytes(row.number("parameters"), row.size("bytes_per_parameter"));
       }},
      {"bytes parameters",
       [](const inputs& row) { return weight_bytes(row.number("parameters"), row.size("bytes")); }},
      {"batches bytes parameters",
       [](const inputs& row) {  // whatever the batch: no term of the states knows it
         return weight_bytes(row.number("parameters"), row.size("bytes"));
       }},
      {"bytes channels_in channels_out kernel",
       [](const inputs& row) {
         const double k = row.number("kernel");
         return weight_bytes(k * k * row.number("channels_in") * row.number("channels_out"),
                             row.size("bytes"));
       }},
      {"parameters", states_of_adam},
      {"bytes_per_parameter factor parameters", states_by_factor},
      {"capacity_byte per_sample_byte reserved_byte static_byte",
       [](const inputs& row) { return largest_batch_of(row, row.size("static_byte")); }},
      {"bytes_per_parameter capacity_byte parameters per_sample_byte reserved_byte",
       [](const inputs& row) {
         return largest_batch_of(row, row.number("parameters") * row.size("bytes_per_parameter"));
       }},
      {"batch bytes checkpoint_every hidden layers sequence",
       [](const inputs& row) {
         return in_bytes(coarse_checkpointed_activations({.layers = row.whole("layers"),
                                                          .hidden_size = row.whole("hidden"),
                                                          .sequence_length = row.whole("sequence"),
                                                          .batch = row.whole("batch")},
                                                         row.whole("checkpoint_every"),
                                                         row.size("bytes")));
       }},
      {"terms_byte",
       [](const inputs& row) {
         const json& terms = row.list("terms_byte");
         const auto term = [&](std::size_t i) {
           return bytes{i < terms.size() ? terms[i].get<double>() : 0};
         };
         return in_bytes(memory_breakdown{.model = term(0),
                                          .optimizer = term(2),
                                          .activation = term(3),
                                          .gradient = term(1),
                                          .workspace = term(4)}
                             .total());
       }},
      {"dp pp tp", gpus_of},
      {"pp total_byte tp",
       [](const inputs& row) {  // arithmetic alone: gradients and batch are not cut like this
         const parallelism cut{.tensor = row.whole("tp"), .pipeline = row.whole("pp")};
         return row.number("total_byte") / static_cast<double>(cut.gpus());
       }},
      {"batch bytes channels height width", image_bytes},
      {"from_bytes to_bytes",
       [](const inputs& row) { return row.size("from_bytes") / row.size("to_bytes"); }},
      {"each_byte gpus",
       [](const inputs& row) {
         const node box{.gpu = {.memory = row.size("each_byte")}, .gpus = row.whole("gpus")};
         return in_bytes(box.gpus * box.gpu.memory);
       }},
      {"capacity_byte need_byte",
       [](const inputs& row) { return row.size("need_byte") / row.size("capacity_byte"); }},
      {"batch bytes hidden sequence", tensor_bytes},
      {"batch bytes ffn sequence",
       [](const inputs& row) {
         return in_bytes(coarse_layer_activations({.hidden_size = row.whole("ffn") / 4,
                                                   .sequence_length = row.whole("sequence"),
                                                   .batch = row.whole("batch")},
                                                  row.size("bytes")) /
                         2);
       }},
      {"layers per_layer_byte",
       [](const inputs& row) {
         return in_bytes(checkpoint_nothing({.layers = row.whole("layers"),
                                             .input = 0 * byte,
                                             .layer = row.size("per_layer_byte")})
                             .total());
       }},
      {"batch heads hidden sequence", layer_activation_bytes},
      {"hidden layers positions vocab", gpt2_parameters},
      {"gpus micro_batch target_batch",
       [](const inputs& row) {
         return static_cast<double>(
             accumulate(row.whole("target_batch"), row.whole("micro_batch"), row.whole("gpus"))
                 .steps);
       }},
      {"micro_batch target_batch",
       [](const inputs& row) {
         return static_cast<double>(
             replicas_without_accumulation(row.whole("target_batch"), row.whole("micro_batch")));
       }},
      {"batch samples",
       [](const inputs& row) {
         return static_cast<double>(updates_per_epoch(row.whole("samples"), row.whole("batch")));
       }},
      {"accumulation communication_s compute_s updates",
       [](const inputs& row) {  // an epoch of that many updates, each with one synchronisation
         const accumulation how{row.whole("accumulation"), 1, 1};
         const int updates = row.whole("updates");
         const seconds work =
             epoch_time(updates * how.effective_batch(), how, row.number("compute_s") * second);
         return (work + updates * row.number("communication_s") * second).in(second);
       }},
      {"", [](const inputs& row) {
         if (!row.says("static bytes per parameter")) return std::nan("");
         const bytes single = bytes_per_parameter(precision::fp32, optimizer::adam).total();
         const bytes mixed = bytes_per_parameter(precision::mixed_fp16, optimizer::adam).total();
         return precision_saving({.static_single = single, .static_mixed = mixed});
       }}};
  return all;
}

std::string names_of_inputs(const json& row) {
  std::string names;
  for (const auto& [name, value] : row.at("inputs").items())  // in the order of the alphabet
    names += (names.empty() ? "" : " ") + name;
  return names;
}

/// The source's number in the unit of the right one; nothing where it is no number.
std::optional<double> source_value(const json& row) {
  const json& value = row.at("source_value");
  if (!value.is_number()) return std::nullopt;
  static const std::map<std::string, double> units{
      {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"h", 3600}, {"ms", 1e-3}};
  const auto unit = units.find(row.at("source_unit").get<std::string>());
  return value.get<double>() * (unit == units.end() ? 1 : unit->second);
}

/// What the library says of a row; nothing where the row is not of memory or batch.
std::optional<double> answer_to(const json& row) {
  const auto found = formulas().find(names_of_inputs(row));
  if (found == formulas().end() || !row.at("value").is_number()) return std::nullopt;
  const double ours = found->second(inputs{row});
  return std::isnan(ours) ? std::nullopt : std::optional{ours};
}

TEST_CASE("worked numbers of memory and batch", "[vectors][memory]") {
  int checked = 0;
  for (const json& row : load_vectors("seed_cases")) {
    const std::optional<double> answer = answer_to(row);
    if (!answer) continue;
    const double ours = *answer;
    INFO(row.at("id") << ": " << row.at("what") << "; " << row.at("note"));
    const double right = row.at("value");
    const double tolerance = row.at("rel_tol");
    ++checked;
    CHECK(std::abs(ours - right) <= tolerance * std::abs(right) + 1e-12);

    const auto printed = source_value(row);
    if (printed && row.at("verdict") == "source is wrong")
      CHECK(std::abs(ours - *printed) > tolerance * std::abs(*printed));
  }
  CHECK(checked > 0);
}

TEST_CASE("every worked number that is in bytes or samples is checked", "[vectors][memory]") {
  for (const json& row : load_vectors("seed_cases")) {
    const std::string unit = row.at("unit");
    if (unit != "byte" && unit != "sample") continue;
    INFO(row.at("id") << ": " << names_of_inputs(row));
    const bool moved = row.at("what").get<std::string>().find("each rank sends") !=
                       std::string::npos;  // communication's
    CHECK((moved || formulas().contains(names_of_inputs(row))));
  }
}

}  // namespace

bool is_checked_with_memory(const json& row) {
  return answer_to(row).has_value();
}

}  // namespace gpuplan::testing
