/// \file
/// gpuplan model: what a model consists of and what a token of it costs.

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <gpuplan/compute/training_flop.hpp>
#include <gpuplan/memory/kv_cache.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/model/recipe_fields.hpp>
#include <gpuplan/model/transformer_json.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/report/table.hpp>
#include <gpuplan/units/format.hpp>

#include "csv.hpp"
#include "inputs.hpp"
#include "model/convnet.hpp"
#include "model/layered.hpp"
#include "model/parts.hpp"
#include "options.hpp"
#include "program.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

constexpr const char* after_model_options =
    "FLOPs count a multiply-add as two.  Tools differ on the attention scores that a causal mask\n"
    "discards: Megatron-LM does not count them, PaLM's MFU and nanotron do.\n"
    "\n"
    "Examples:\n"
    "  gpuplan model llama-3-8b --sequence 8192\n"
    "  gpuplan model ./config.json --json\n"
    "  gpuplan model resnet-50\n";

/// Operations a token in training, by convention.
struct token_flop {
  flop_per_token masked_skipped{};
  flop_per_token masked_counted{};
  flop_per_token six_parameters{};
  flop_per_token six_non_embedding{};
};

struct question {
  transformer model;
  recipe how;  ///< one sequence
};

token_flop flop_of_token(const question& q) {
  const tokens all = static_cast<double>(q.how.sequence_length) * units::token;
  const auto six = [](double parameters) {
    return coarse_training_flop(parameters, units::token) / units::token;
  };
  return {training_step_flop(q.model, q.how, masked_scores::skipped) / all,
          training_step_flop(q.model, q.how, masked_scores::counted) / all,
          six(active_parameters(q.model)), six(parameters_of(q.model).non_embedding())};
}

layer_flop forward_of_layer(const question& q, layer_kind kind) {
  const double s = q.how.sequence_length;
  const double e = q.how.encoder_sequence_length > 0 ? q.how.encoder_sequence_length : s;
  return mean_forward_flop(q.model, kind, s, e, masked_scores::skipped);
}

report_json json_of_layer(const question& q, layer_kind kind) {
  const layer_parameters held = parameters_of_layer(q.model, kind);
  const layer_flop work = forward_of_layer(q, kind);
  report_json parameters = report_json::object();
  for (const part& p : layer_parts(held)) parameters[key_of(p.name)] = json_number(p.count);
  parameters["total"] = json_number(held.total());
  return {{"layers", kind == layer_kind::moe ? q.model.moe_layers() : q.model.dense_layers()},
          {"parameters", parameters},
          {"forward_flop_per_token",
           {{"attention_projections", json_number(work.attention_projections)},
            {"attention_core", json_number(work.attention_core)},
            {"ffn", json_number(work.ffn)},
            {"router", json_number(work.router)},
            {"total", json_number(work.total())}}},
          {"backward_flop_per_token", json_number(backward_over_forward * work.total())}};
}

report_json answer_of(const question& q, const std::string& name, const std::string& stored) {
  const transformer_parameters all = parameters_of(q.model);
  report_json components = report_json::object();
  for (const part& p : model_parts(all)) components[key_of(p.name)] = json_number(p.count);
  for (const part& p : layer_parts(all.layers))
    components["layers_" + key_of(p.name)] = json_number(p.count);
  const token_flop flop = flop_of_token(q);
  const tokens length = static_cast<double>(q.how.sequence_length) * units::token;

  report_json answer{{"schema_version", report_schema_version},
                     {"parameters", json_number(all.total())},
                     {"active_parameters", json_number(active_parameters(q.model))},
                     {"non_embedding_parameters", json_number(all.non_embedding())},
                     {"trained_parameters", json_number(all.trained())},
                     {"multi_token_prediction_parameters", json_number(all.multi_token_prediction)},
                     {"components", components},
                     {"training_flop_per_token",
                      {{"causal_skipped", json_number(flop.masked_skipped)},
                       {"causal_counted", json_number(flop.masked_counted)},
                       {"six_active_parameters", json_number(flop.six_parameters)},
                       {"six_non_embedding_parameters", json_number(flop.six_non_embedding)}}},
                     {"head_forward_flop_per_token", json_number(head_forward_flop(q.model))},
                     {"layer", report_json::object()},
                     {"kv_cache_bytes_per_token", json_number(kv_cache_per_token(q.model))},
                     {"kv_cache_bytes_per_sequence", json_number(kv_cache(q.model, length))}};
  if (q.model.dense_layers() > 0) answer["layer"]["dense"] = json_of_layer(q, layer_kind::dense);
  if (q.model.moe_layers() > 0) answer["layer"]["moe"] = json_of_layer(q, layer_kind::moe);
  answer["inputs"] = {{"model", name},
                      {"sequence_length", q.how.sequence_length},
                      {"encoder_sequence_length", q.how.encoder_sequence_length},
                      {"transformer", gpuplan::json_of(q.model)}};
  if (!stored.empty()) answer["stored_weights"] = stored;
  return answer;
}

/// A row for each component of an answer: its parameters, and its share of all.
report_json rows_of_components(const report_json& answer) {
  report_json rows = report_json::array();
  const double all = answer["parameters"].get<double>();
  for (const auto& [name, count] : answer["components"].items())
    rows.push_back({{"component", name},
                    {"parameters", count},
                    {"share", json_number(count.get<double>() / all)}});
  rows.push_back({{"component", "total"}, {"parameters", answer["parameters"]}, {"share", 1}});
  return rows;
}

std::string per_token(flop_per_token f) {
  return fmt::format("{:.4g}", f);
}

void print_for_people(const question& q, const std::string& name) {
  const text_style style = style_of_output();
  const transformer_parameters all = parameters_of(q.model);
  print(fmt::format("{}: {} parameters", bold(name, style), grouped(all.total())));
  if (q.model.moe_layers() > 0)
    print(fmt::format(", {} of them active for a token", grouped(active_parameters(q.model))));
  print("\n\n");

  table parts{{{"Component"}, {"Parameters", column_side::right}, {"Share", column_side::right}}};
  const auto add = [&](std::string_view what, double count) {
    if (count != 0)
      parts.row(
          {std::string(what), grouped(count), fmt::format("{:.2f} %", 100 * count / all.total())});
  };
  const auto of_model = model_parts(all);
  for (std::size_t i = 0; i < 5; ++i) add(of_model[i].name, of_model[i].count);
  for (const part& p : layer_parts(all.layers)) add(fmt::format("layers: {}", p.name), p.count);
  for (std::size_t i = 5; i < of_model.size(); ++i) add(of_model[i].name, of_model[i].count);
  parts.line();
  add("total", all.total());
  print(parts.text(style));
  if (all.multi_token_prediction > 0)
    print(fmt::format("Training adds {} parameters that predict further tokens.\n",
                      grouped(all.multi_token_prediction)));

  table layers{{{"One layer"},
                {"Layers", column_side::right},
                {"Parameters", column_side::right},
                {"Forward", column_side::right},
                {"Attention core", column_side::right},
                {"Backward", column_side::right}}};
  const auto layer_row = [&](const char* what, layer_kind kind, int count) {
    if (count == 0) return;
    const layer_flop work = forward_of_layer(q, kind);
    layers.row({what, std::to_string(count), grouped(parameters_of_layer(q.model, kind).total()),
                per_token(work.total()), per_token(work.attention_core),
                per_token(backward_over_forward * work.total())});
  };
  layer_row("dense", layer_kind::dense, q.model.dense_layers());
  layer_row("with experts", layer_kind::moe, q.model.moe_layers());
  print("\n" + layers.text(style));

  const token_flop flop = flop_of_token(q);
  table work{{{fmt::format("FLOPs of one token, sequence of {}", q.how.sequence_length)},
              {"", column_side::right},
              {""}}};
  work.row({"without masked scores", per_token(flop.masked_skipped), "as Megatron-LM counts"});
  work.row({"with masked scores", per_token(flop.masked_counted), "as PaLM's MFU counts"});
  work.row({"6 x active parameters", per_token(flop.six_parameters), "rough: no attention core"});
  work.row({"6 x non-embedding parameters", per_token(flop.six_non_embedding),
            q.model.moe_layers() > 0 ? "Kaplan et al. 2020, of dense models: counts every expert"
                                     : "Kaplan et al. 2020"});
  print("\n" + work.text(style));

  const tokens length = static_cast<double>(q.how.sequence_length) * units::token;
  print(fmt::format("\nKV cache in BF16: {:.4g} for each token, {:.4g} for a sequence of {}.\n",
                    kv_cache_per_token(q.model) * units::token, kv_cache(q.model, length),
                    q.how.sequence_length));
}

/// \throws bad_usage of an option that a convolutional network has no use for
exit_code show_network(const named_network& net, job_options& typed, const answer_options& how) {
  for (const char* key : {"sequence_length", "encoder_sequence_length"})
    if (!typed.recipe[key].empty())
      throw bad_usage{fmt::format("{} has no effect on a convolutional network",
                                  recipe_fields[place_of_field(recipe_fields, key)].main_option())};
  const report_json answer = network_answer(net);
  if (how.as_json)
    print_json(answer);
  else
    print_network(net);
  return how.check(answer);
}

/// \throws bad_usage of an option that layers of several kinds have no use for
exit_code show_layered_model(const named_transformer& found, job_options& typed,
                             const answer_options& how, bool as_csv) {
  if (!typed.recipe["encoder_sequence_length"].empty())
    throw bad_usage{"--encoder-sequence has no effect on a model that is only counted"};
  recipe asked{.sequence_length = default_sequence({})};
  typed.recipe.read(asked);
  const report_json answer = layered_answer(found, asked.sequence_length);
  say_notes(found);
  if (as_csv)
    print(csv_of(rows_of_components(answer)));
  else if (how.as_json)
    print_json(answer);
  else
    print_layered(found, asked.sequence_length);
  return how.check(answer);
}

}  // namespace

command model_command(CLI::App& program) {
  CLI::App* options =
      program.add_subcommand("model", "Parameters by component, FLOPs and KV cache for each token");
  options->footer(after_model_options);
  struct typed_options {
    job_options job;
    answer_options answer;
    bool as_csv = false;
  };
  const auto typed = std::make_shared<typed_options>();
  typed->job.add_model(*options);
  for (const char* key : {"sequence_length", "encoder_sequence_length"})
    typed->job.recipe.add(*options, key, "");
  typed->answer.add(*options);
  options->add_flag("--csv", typed->as_csv, "A line for each component, for spreadsheets")
      ->group("Answer");

  return {options, [typed] {
            refuse_two_formats(typed->as_csv, typed->answer.as_json);
            const named_network* net = find_network(typed->job.model);
            if (net != nullptr && typed->as_csv)
              throw bad_usage{"--csv has no effect on a convolutional network, which has one row"};
            if (net != nullptr) return show_network(*net, typed->job, typed->answer);
            named_transformer found = find_model_or_file(typed->job.model);
            if (found.layered)
              return show_layered_model(found, typed->job, typed->answer, typed->as_csv);
            const std::string stored = found.stored;
            const job asked = typed->job.resolved(std::move(found));
            const question q{asked.model, asked.recipe};
            const std::string& name = asked.model_name;
            const report_json answer = answer_of(q, name, stored);
            if (typed->answer.as_json)
              print_json(answer);
            else if (typed->as_csv)
              print(csv_of(rows_of_components(answer)));
            else
              print_for_people(q, name_of_model(asked));
            return typed->answer.check(answer);
          }};
}

}  // namespace gpuplan::cli
