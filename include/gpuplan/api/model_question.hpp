#pragma once
/// \file
/// The question "model": what a model consists of and what a token of it costs.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/api/assertion.hpp>
#include <gpuplan/api/cluster_request.hpp>
#include <gpuplan/api/convnet_answer.hpp>
#include <gpuplan/api/idle_choice.hpp>
#include <gpuplan/api/job.hpp>
#include <gpuplan/api/model_parts.hpp>
#include <gpuplan/api/named_model.hpp>
#include <gpuplan/api/question_options.hpp>
#include <gpuplan/api/question_reader.hpp>
#include <gpuplan/api/typed_field.hpp>
#include <gpuplan/compute/training_flop.hpp>
#include <gpuplan/memory/kv_cache.hpp>
#include <gpuplan/memory/layered_cache.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/model/recipe_fields.hpp>
#include <gpuplan/model/transformer_json.hpp>
#include <gpuplan/plan/job_defaults.hpp>
#include <gpuplan/plan/layout_fault.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::api {

/// What is asked of a model, as typed; empty: not given.
struct model_request {
  std::string model{};  ///< a name of the catalogue, or a path
  std::string sequence_length{};
  std::string encoder_sequence_length{};
  std::vector<std::string> assertions{};
};

namespace detail {

/// The row of a recipe's field.
constexpr const field<recipe>& recipe_field(std::string_view key) {
  return recipe_fields[place_of_field(recipe_fields, key)];
}

}  // namespace detail

inline constexpr std::array model_options{
    question_option<model_request>{.names = "MODEL",
                                   .help = "Name of the catalogue, or path of a config.json",
                                   .text = &model_request::model},
    question_option<model_request>{.names = detail::recipe_field("sequence_length").option,
                                   .help = detail::recipe_field("sequence_length").help,
                                   .text = &model_request::sequence_length},
    question_option<model_request>{.names = detail::recipe_field("encoder_sequence_length").option,
                                   .help = detail::recipe_field("encoder_sequence_length").help,
                                   .text = &model_request::encoder_sequence_length},
    question_option<model_request>{.names = "--assert",
                                   .help = "A comparison that must hold of the answer",
                                   .texts = &model_request::assertions}};

/// The answer: a convolutional network, or a model and one sequence of it.
struct model_answer {
  const named_network* network = nullptr;
  named_transformer found{};  ///< where it is none
  recipe how{};               ///< its lengths
};

/// Operations a token in training, by convention.
struct token_flop {
  flop_per_token masked_skipped{};
  flop_per_token masked_counted{};
  flop_per_token six_parameters{};
  flop_per_token six_non_embedding{};
};

/// Operations of a token of a sequence as long as the recipe has it.
inline token_flop flop_of_token(const transformer& m, const recipe& how) {
  const tokens all = static_cast<double>(how.sequence_length) * units::token;
  const auto six = [](double parameters) {
    return coarse_training_flop(parameters, units::token) / units::token;
  };
  return {training_step_flop(m, how, masked_scores::skipped) / all,
          training_step_flop(m, how, masked_scores::counted) / all, six(active_parameters(m)),
          six(parameters_of(m).non_embedding())};
}

/// Operations of a token in the forward pass of a layer.
inline layer_flop forward_of_layer(const transformer& m, const recipe& how, layer_kind kind) {
  const double s = how.sequence_length;
  const double e = how.encoder_sequence_length > 0 ? how.encoder_sequence_length : s;
  return mean_forward_flop(m, kind, s, e, masked_scores::skipped);
}

namespace detail {

/// The lengths of a model that is planned with, of one sequence.
/// \throws invalid_input
inline recipe lengths_of(const model_request& asked, const transformer& m) {
  recipe how;
  how.global_batch_size = filling_batch({});
  how.sequence_length = default_sequence(m);
  for (const field<recipe>& row : recipe_fields) {
    if (row.key == "sequence_length" && !asked.sequence_length.empty())
      read_typed(row, asked.sequence_length, how);
    if (row.key == "encoder_sequence_length" && !asked.encoder_sequence_length.empty())
      read_typed(row, asked.encoder_sequence_length, how);
  }
  if (position_fault(m, how)) {
    const bool decoded = how.sequence_length > m.most_positions();
    const std::string_view key = decoded ? "sequence_length" : "encoder_sequence_length";
    const int asked_for = decoded ? how.sequence_length : how.encoder_sequence_length;
    throw invalid_input{std::string(recipe_field(key).main_option()) + " must be at most " +
                        std::to_string(m.most_positions()) +
                        ", the positions that the model has learned, not " +
                        std::to_string(asked_for)};
  }
  return how;
}

/// \throws invalid_input of a length that a convolutional network has no use for
inline void require_no_lengths(const model_request& asked) {
  for (const auto& [key, typed] :
       {std::pair{"sequence_length", &asked.sequence_length},
        std::pair{"encoder_sequence_length", &asked.encoder_sequence_length}})
    if (!typed->empty())
      throw invalid_input{std::string(recipe_field(key).main_option()) +
                          " has no effect on a convolutional network"};
}

inline report_json json_of_layer(const model_answer& of, layer_kind kind) {
  const transformer& m = of.found.model;
  const layer_parameters held = parameters_of_layer(m, kind);
  const layer_flop work = forward_of_layer(m, of.how, kind);
  report_json parameters = report_json::object();
  add_parts(parameters, layer_parts(held));
  parameters["total"] = json_number(held.total());
  return {{"layers", kind == layer_kind::moe ? m.moe_layers() : m.dense_layers()},
          {"parameters", parameters},
          {"forward_flop_per_token",
           {{"attention_projections", json_number(work.attention_projections)},
            {"attention_core", json_number(work.attention_core)},
            {"ffn", json_number(work.ffn)},
            {"router", json_number(work.router)},
            {"total", json_number(work.total())}}},
          {"backward_flop_per_token", json_number(backward_over_forward * work.total())}};
}

inline report_json json_of_transformer(const model_answer& of) {
  const transformer& m = of.found.model;
  const transformer_parameters all = parameters_of(m);
  const token_flop flop = flop_of_token(m, of.how);
  const tokens length = static_cast<double>(of.how.sequence_length) * units::token;
  report_json answer{{"schema_version", report_schema_version},
                     {"parameters", json_number(all.total())},
                     {"active_parameters", json_number(active_parameters(m))},
                     {"non_embedding_parameters", json_number(all.non_embedding())},
                     {"trained_parameters", json_number(all.trained())},
                     {"multi_token_prediction_parameters", json_number(all.multi_token_prediction)},
                     {"components", components_of(all)},
                     {"training_flop_per_token",
                      {{"causal_skipped", json_number(flop.masked_skipped)},
                       {"causal_counted", json_number(flop.masked_counted)},
                       {"six_active_parameters", json_number(flop.six_parameters)},
                       {"six_non_embedding_parameters", json_number(flop.six_non_embedding)}}},
                     {"head_forward_flop_per_token", json_number(head_forward_flop(m))},
                     {"layer", report_json::object()},
                     {"kv_cache_bytes_per_token", json_number(kv_cache_per_token(m))},
                     {"kv_cache_bytes_per_sequence", json_number(kv_cache(m, length))}};
  if (m.dense_layers() > 0) answer["layer"]["dense"] = json_of_layer(of, layer_kind::dense);
  if (m.moe_layers() > 0) answer["layer"]["moe"] = json_of_layer(of, layer_kind::moe);
  answer["inputs"] = {{"model", of.found.name},
                      {"sequence_length", of.how.sequence_length},
                      {"encoder_sequence_length", of.how.encoder_sequence_length},
                      {"transformer", gpuplan::json_of(m)}};
  return answer;
}

inline report_json json_of_layered(const model_answer& of) {
  const layered_model& m = *of.found.layered;
  const sequence_cache kept = layered_cache(m, of.how.sequence_length * units::token);
  report_json groups = report_json::array();
  for (const layer_group& group : m.groups) groups.push_back(json_of(group));
  return {{"schema_version", report_schema_version},
          {"parameters", json_number(m.total())},
          {"active_parameters", json_number(m.active())},
          {"non_embedding_parameters", json_number(m.non_embedding())},
          {"trained_parameters", json_number(m.total() + m.multi_token_prediction)},
          {"multi_token_prediction_parameters", json_number(m.multi_token_prediction)},
          {"components", components_of(m)},
          {"layer_kinds", groups},
          {"kv_cache_bytes_per_token", json_number(layered_cache_per_token(m))},
          {"kv_cache_bytes_per_sequence", json_number(kept.full + kept.windowed)},
          {"state_bytes_per_sequence", json_number(kept.state)},
          {"note", m.note},
          {"inputs",
           {{"model", of.found.name},
            {"model_type", m.family},
            {"sequence_length", of.how.sequence_length}}}};
}

}  // namespace detail

/// What a model consists of.
///
///     files  where it is read from that is named as a path
///
/// \throws invalid_input of a model that there is not, or lengths that it has no use for
inline model_answer answer_of(const model_request& asked, const file_source& files) {
  model_answer answer{.network = find_network(asked.model)};
  if (answer.network != nullptr) {
    detail::require_no_lengths(asked);
    return answer;
  }
  answer.found = find_model_or_file(asked.model, files);
  if (answer.found.layered) {
    if (!asked.encoder_sequence_length.empty())
      throw invalid_input{"--encoder-sequence has no effect on a model that is only counted"};
    transformer counted;
    if (const int rows = answer.found.layered->learned_positions; rows > 0) {
      counted.positions = position_encoding::learned;
      counted.position_rows = rows;
    }
    answer.how = detail::lengths_of(asked, counted);
    return answer;
  }
  require_countable({}, answer.found.model);
  job described;
  described.model = answer.found.model;
  described.asked.gpus = 1;
  described.pool = cluster_of(described.asked);
  described.recipe = detail::lengths_of(asked, answer.found.model);
  described.recipe.precision = default_precision(described.pool.gpu());
  require_effects(described, recompute_choice::fixed, choice_name::option);
  answer.how = described.recipe;
  return answer;
}

/// The answer as `gpuplan model --json` prints it.
inline report_json json_of(const model_answer& answer) {
  if (answer.network != nullptr) return json_of(*answer.network);
  report_json object =
      answer.found.layered ? detail::json_of_layered(answer) : detail::json_of_transformer(answer);
  if (!answer.found.stored.empty()) object["stored_weights"] = answer.found.stored;
  return object;
}

/// Answers {"question": "model", "model": "llama-3-8b", "recipe": {"sequence_length": 8192}}.
/// \throws bad_request of a member that is unknown or of another type
inline std::string answer_model(const nlohmann::json& request) {
  return answer_by_options<model_request>(
      request, "model", model_options,
      [](const model_request& asked, const request_files& files, question_result& result) {
        for (const std::string& text : asked.assertions) require_assertion(text);
        if (asked.model.empty()) throw invalid_input{"MODEL is required"};
        const model_answer answer = answer_of(asked, source_of(files));
        result.said = answer.found.notes;
        result.json = json_of(answer);
        const auto say = [&](const std::string& line) { result.said.push_back(line); };
        if (!all_hold(asked.assertions, result.json, say)) result.exit_code = assertion_code;
      });
}

}  // namespace gpuplan::api
