/// \file
/// gpuplan model: what a model consists of and what a token of it costs.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <gpuplan/api/convnet_answer.hpp>
#include <gpuplan/api/model_parts.hpp>
#include <gpuplan/api/model_question.hpp>
#include <gpuplan/compute/training_flop.hpp>
#include <gpuplan/memory/kv_cache.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/report/table.hpp>
#include <gpuplan/text/visible.hpp>
#include <gpuplan/units/format.hpp>

#include "csv.hpp"
#include "inputs.hpp"
#include "model/convnet.hpp"
#include "model/layered.hpp"
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

/// The same where the table says of what.
std::string of_a_token(flop_per_token f) {
  return fmt::format("{:.4g}", f * units::token);
}

/// Operations of a token, by convention.
table table_of_operations(const api::model_answer& of) {
  const api::token_flop flop = api::flop_of_token(of.found.model, of.how);
  table work{{{fmt::format("FLOPs of one token, sequence of {}", of.how.sequence_length)},
              {"", column_side::right},
              {""}}};
  work.row({"without masked scores", per_token(flop.masked_skipped), "as Megatron-LM counts"});
  work.row({"with masked scores", per_token(flop.masked_counted), "as PaLM's MFU counts"});
  work.row({"6 x active parameters", per_token(flop.six_parameters), "rough: no attention core"});
  work.row({"6 x non-embedding parameters", per_token(flop.six_non_embedding),
            of.found.model.moe_layers() > 0
                ? "Kaplan et al. 2020, of dense models: counts every expert"
                : "Kaplan et al. 2020"});
  return work;
}

void print_for_people(const api::model_answer& of) {
  const text_style style = style_of_output();
  const transformer& m = of.found.model;
  const recipe& how = of.how;
  const transformer_parameters all = parameters_of(m);
  std::string title =
      fmt::format("{}: {} parameters", bold(visible(of.found.name), style), grouped(all.total()));
  if (m.moe_layers() > 0)
    title += fmt::format(", {} of them active for a token", grouped(active_parameters(m)));
  print_lines(title + "\n\n");

  table parts{{{"Component"}, {"Parameters", column_side::right}, {"Share", column_side::right}}};
  const auto add = [&](std::string_view what, double count) {
    if (count != 0)
      parts.row(
          {std::string(what), grouped(count), fmt::format("{:.2f} %", 100 * count / all.total())});
  };
  const auto of_model = api::model_parts(all);
  for (std::size_t i = 0; i < 5; ++i) add(of_model[i].name, of_model[i].count);
  for (const api::model_part& p : api::layer_parts(all.layers))
    add(fmt::format("layers: {}", p.name), p.count);
  for (std::size_t i = 5; i < of_model.size(); ++i) add(of_model[i].name, of_model[i].count);
  parts.line();
  add("total", all.total());
  print(parts.text_within(width_of_output(), style));
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
    const layer_flop work = api::forward_of_layer(m, how, kind);
    layers.row({what, std::to_string(count), grouped(parameters_of_layer(m, kind).total()),
                of_a_token(work.total()), of_a_token(work.attention_core),
                of_a_token(backward_over_forward * work.total())});
  };
  layer_row("dense", layer_kind::dense, m.dense_layers());
  layer_row("with experts", layer_kind::moe, m.moe_layers());
  print("\n" + layers.text_within(width_of_output(), style) +
        "Operations are those of one token.\n");

  print("\n" + table_of_operations(of).text_within(width_of_output(), style));

  const tokens length = static_cast<double>(how.sequence_length) * units::token;
  print(fmt::format("\nKV cache in BF16: {:.4g} for each token, {:.4g} for a sequence of {}.\n",
                    kv_cache_per_token(m) * units::token, kv_cache(m, length),
                    how.sequence_length));
}

void print_for_people_of_any(const api::model_answer& answer) {
  if (answer.network != nullptr) return print_network(*answer.network);
  if (answer.found.layered) return print_layered(answer.found, answer.how.sequence_length);
  print_for_people(answer);
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
  typed->answer.add(*options, "'parameters < 10G' or 'components.head < 1G'");
  options->add_flag("--csv", typed->as_csv, "A line for each component, for spreadsheets")
      ->group("Answer");

  return {options, [typed] {
            refuse_two_formats(typed->as_csv, typed->answer.as_json);
            const api::model_request asked{
                .model = typed->job.model,
                .sequence_length = typed->job.recipe["sequence_length"],
                .encoder_sequence_length = typed->job.recipe["encoder_sequence_length"]};
            if (typed->as_csv && api::find_network(asked.model) != nullptr)
              throw bad_usage{"--csv has no effect on a convolutional network, which has one row"};
            const api::model_answer found = api::answer_of(asked, program_files());
            say_notes(found.found);
            const report_json answer = api::json_of(found);
            const auto checked = typed->answer.check(answer);
            if (typed->answer.as_json)
              print_json(answer);
            else if (typed->as_csv)
              print(csv_of(rows_of_components(answer)));
            else
              print_for_people_of_any(found);
            return checked;
          }};
}

}  // namespace gpuplan::cli
