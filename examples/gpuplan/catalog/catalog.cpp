/// \file
/// gpuplan catalog: what is known by name, and where each number comes from.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <gpuplan/api/catalog_lists.hpp>
#include <gpuplan/api/catalog_question.hpp>
#include <gpuplan/model/transformer_json.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/report/table.hpp>
#include <gpuplan/units/format.hpp>

#include "catalog/lists.hpp"
#include "csv.hpp"
#include "inputs.hpp"
#include "program.hpp"
#include "question_words.hpp"

namespace gpuplan::cli {
namespace {

constexpr const char* after_catalog_options =
    "Without a name, prints the list; with one, every number of the entry, its source, and how\n"
    "far to trust it: verified in the source, derived from verified numbers, or recalled and\n"
    "not checked.\n"
    "\n"
    "Examples:\n"
    "  gpuplan catalog\n"
    "  gpuplan catalogue accelerators MI300X\n"
    "  gpuplan catalog fabrics NDR --json\n"
    "  gpuplan catalog models\n"
    "  gpuplan catalog families\n";

std::string value_of(const fact& one) {
  using api::fact_unit;
  switch (api::unit_of_fact(one.field)) {
    case fact_unit::bytes: return fmt::format("{:.4g}", binary{one.value * units::byte});
    case fact_unit::bytes_per_s:
      return fmt::format("{:.4g}", one.value * (units::byte / units::second));
    case fact_unit::flop_per_s:
      return fmt::format("{:.4g}", one.value * (units::FLOP / units::second));
    case fact_unit::s: return fmt::format("{:.3g}", one.value * units::second);
    case fact_unit::watts: return fmt::format("{:.4g}", one.value * units::watt);
    case fact_unit::count: break;
  }
  const bool whole = one.value == std::floor(one.value);
  return whole ? fmt::format("{:.0f}", one.value) : fmt::format("{:.3g}", one.value);
}

/// Sources once each, numbered as the rows name them.
class source_list {
 public:
  std::string number_of(std::string_view source) {
    auto found = std::find(sources_.begin(), sources_.end(), source);
    if (found == sources_.end()) found = sources_.insert(sources_.end(), source);
    return fmt::format("[{}]", found - sources_.begin() + 1);
  }
  [[nodiscard]] std::string text() const {
    std::string all;
    for (std::size_t i = 0; i < sources_.size(); ++i)
      all += fmt::format("[{}] {}\n", i + 1, sources_[i]);
    return all;
  }

 private:
  std::vector<std::string_view> sources_;
};

void print_for_people(const api::catalog_entry& entry) {
  const text_style style = style_of_output();
  print(bold(entry.facts->name, style) + "\n");
  const std::size_t width = width_of_output();
  if (!entry.facts->note.empty()) print_lines(std::string(entry.facts->note) + "\n");
  source_list sources;
  table rows{{{"Field"}, {"Value", column_side::right}, {"Status"}, {"Source"}, {"Note"}}};
  for (const fact& one : entry.facts->facts)
    rows.row({std::string(one.field), value_of(one), std::string(name_of(one.status)),
              sources.number_of(one.source), std::string(one.note)});
  print("\n" + rows.text_within(width, style));
  table measured{
      {{"Of the printed rate", column_side::right}, {"Status"}, {"Source"}, {"Measured"}}};
  for (const measurement* one : entry.measured)
    measured.row({fmt::format("{:.1f} %", 100 * one->share), std::string(name_of(one->status)),
                  sources.number_of(one->source), std::string(one->what)});
  if (!measured.empty()) print("\n" + measured.text_within(width, style));
  table prices{{{"An hour", column_side::right}, {"Status"}, {"Source"}, {"Price, date and note"}}};
  for (const price* one : entry.prices)
    prices.row({fmt::format("${:.2f}", one->rate * units::hour / units::dollar),
                std::string(name_of(one->status)), sources.number_of(one->source),
                fmt::format("{}, {}{}{}", one->provider, one->date, one->note.empty() ? "" : "; ",
                            one->note)});
  if (!prices.empty()) print("\n" + prices.text_within(width, style));
  print_lines("\n" + sources.text());
}

/// Every field of a model, those of objects within as mla.query_rank.
void print_for_people(const named_transformer& found) {
  table rows{{{"Field"}, {"Value", column_side::right}}};
  const std::function<void(const nlohmann::json&, const std::string&)> add =
      [&](const nlohmann::json& object, const std::string& prefix) {
        for (const auto& [field, value] : object.items())
          if (value.is_object())
            add(value, prefix + field + ".");
          else
            rows.row({prefix + field, value.is_string() ? value.get<std::string>() : value.dump()});
      };
  add(gpuplan::json_of(found.model), "");
  const text_style style = style_of_output();
  print(bold(found.name, style) + "\n\n" + rows.text_within(width_of_output(), style));
  print_lines("\nEach field is from the model's published config.json; gpuplan model " +
              found.name + " counts.\n");
}

void print_lists(const api::catalog_answer& answer) {
  std::string all;
  for (const api::catalog_list& one : api::catalog_lists)
    if (answer.wants(one.name))
      for (const table& rows : tables_of(one.name))
        all += (all.empty() ? "" : "\n") + rows.text_within(width_of_output(), style_of_output());
  print(all);
}

/// The rows of a table for spreadsheets.
report_json rows_of(const api::catalog_answer& answer) {
  report_json rows = report_json::array();
  if (answer.entry) {
    const report_json entry = api::json_of(*answer.entry);
    for (report_json fact : entry["facts"]) {
      report_json note = fact.value("note", report_json(nullptr));
      fact.erase("note");
      fact["note"] = std::move(note);  // the last, and where there is none empty
      rows.push_back(std::move(fact));
    }
    return rows;
  }
  if (answer.model) {
    const report_json model = api::json_of(answer);
    rows.push_back({{"name", model["name"]},
                    {"parameters", model["parameters"]},
                    {"transformer", model["transformer"]}});
    return rows;
  }
  for (const api::catalog_list& one : api::catalog_lists)
    if (answer.wants(one.name))
      for (report_json& entry : one.json())
        rows.push_back(
            json_object{entry.size() + 1}.add("kind", one.name).add(std::move(entry)).take());
  return rows;
}

}  // namespace

command catalog_command(CLI::App& program) {
  CLI::App* options = program.add_subcommand(
      "catalog", "Known GPUs, fabrics and models, and the source of each number");
  options->alias("catalogue");
  options->footer(after_catalog_options);
  struct typed_options : api::catalog_request {
    bool as_json = false, as_csv = false;
  };
  const auto typed = std::make_shared<typed_options>();
  add_question_options(*options, api::catalog_options, *typed);
  options->add_flag("--json", typed->as_json, "As JSON, for programs");
  options->add_flag("--csv", typed->as_csv,
                    "A line for each entry, or for each number of one, for spreadsheets");

  return {options, [typed] {
            refuse_two_formats(typed->as_csv, typed->as_json);
            const api::catalog_answer answer = api::answer_of(*typed, program_files());
            if (answer.model) say_notes(*answer.model);
            if (typed->as_csv)
              print(csv_of(rows_of(answer)));
            else if (typed->as_json)
              print_json(api::json_of(answer));
            else if (answer.entry)
              print_for_people(*answer.entry);
            else if (answer.model)
              print_for_people(*answer.model);
            else
              print_lists(answer);
            return exit_done;
          }};
}

}  // namespace gpuplan::cli
