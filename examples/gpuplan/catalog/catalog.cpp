/// \file
/// gpuplan catalog: what is known by name, and where each number comes from.

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_fabric_facts.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/hardware/catalog_facts.hpp>
#include <gpuplan/hardware/catalog_others.hpp>
#include <gpuplan/hardware/catalog_prices.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/model/transformer_json.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/report/table.hpp>
#include <gpuplan/units/format.hpp>

#include "catalog/lists.hpp"
#include "csv.hpp"
#include "inputs.hpp"
#include "program.hpp"

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
    "  gpuplan catalog models\n";

/// What is to be shown: of a kind, or of all where it is empty.
struct catalog_request {
  std::string kind;
  std::string name;
  bool as_json = false;
  bool as_csv = false;
};

struct kind_name {
  std::string_view name;
};
constexpr std::array kinds{kind_name{"accelerators"}, kind_name{"fabrics"}, kind_name{"models"},
                           kind_name{"multiprocessors"}};

std::string_view kind_called(std::string_view typed) {
  if (same_name(typed, "gpus") || same_name(typed, "gpu")) return "accelerators";
  for (const kind_name& kind : kinds)
    if (same_name(kind.name, typed) || same_name(kind.name, std::string(typed) + "s"))
      return kind.name;
  return {};
}

template <class Table>
const entry_facts* facts_of(const Table& table, std::string_view name) {
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const entry_facts& entry) { return entry.name == name; });
  return found == table.end() ? nullptr : &*found;
}

/// What the value of a field is measured in.
enum class fact_unit { count, bytes, bytes_per_s, flop_per_s, s, watts };

struct unit_name {
  std::string_view name;
  fact_unit value;
};
constexpr std::array unit_names{unit_name{"", fact_unit::count},
                                unit_name{"bytes", fact_unit::bytes},
                                unit_name{"bytes_per_s", fact_unit::bytes_per_s},
                                unit_name{"flop_per_s", fact_unit::flop_per_s},
                                unit_name{"s", fact_unit::s},
                                unit_name{"watts", fact_unit::watts}};

fact_unit unit_of(std::string_view field) {
  const auto ends = [&](std::string_view suffix) { return field.ends_with(suffix); };
  if (field == "memory" || field == "label_memory" || field == "l2") return fact_unit::bytes;
  if (field.starts_with("peak") || field.starts_with("achieved.") ||
      field.starts_with("sustained."))
    return fact_unit::flop_per_s;
  if (ends("bandwidth") || ends(".signalling") || ends(".advertised") || ends(".achievable"))
    return fact_unit::bytes_per_s;
  if (ends("latency") || ends("_hop")) return fact_unit::s;
  return field == "thermal_design_power" ? fact_unit::watts : fact_unit::count;
}

std::string value_of(const fact& one) {
  switch (unit_of(one.field)) {
    case fact_unit::bytes: return fmt::format("{:.4g}", binary{one.value * units::byte});
    case fact_unit::bytes_per_s:
      return fmt::format("{:.4g}", one.value * (units::byte / units::second));
    case fact_unit::flop_per_s:
      return fmt::format("{:.4g}", one.value * (units::FLOP / units::second));
    case fact_unit::s: return fmt::format("{:.3g}", one.value * units::second);
    case fact_unit::watts: return fmt::format("{:.4g}", one.value * units::watt);
    case fact_unit::count: break;
  }
  return fmt::format("{:.0f}", one.value);
}

report_json json_with_unit(const fact& one) {
  report_json object = gpuplan::json_of(one);
  object["unit"] = spelled(unit_names, unit_of(one.field));
  return object;
}

/// One entry of a table of facts, with what was measured of it and what it costs.
struct entry_shown {
  std::string_view kind;
  const entry_facts* facts = nullptr;
  std::vector<const measurement*> measured{};
  std::vector<const price*> prices{};
};

template <class Measurements>
entry_shown shown_of(std::string_view kind, const entry_facts* facts,
                     const Measurements& measurements) {
  entry_shown entry{.kind = kind, .facts = facts};
  for (const measurement& one : measurements)
    if (one.of == facts->name) entry.measured.push_back(&one);
  for (const price& one : catalog::prices)
    if (one.accelerator == facts->name) entry.prices.push_back(&one);
  return entry;
}

report_json json_of_entry(const entry_shown& entry) {
  report_json object{{"kind", entry.kind}, {"name", entry.facts->name}};
  if (!entry.facts->note.empty()) object["note"] = entry.facts->note;
  report_json& facts = object["facts"] = report_json::array();
  for (const fact& one : entry.facts->facts) facts.push_back(json_with_unit(one));
  report_json& measured = object["measurements"] = report_json::array();
  for (const measurement* one : entry.measured)
    measured.push_back({{"what", one->what},
                        {"share", json_number(one->share)},
                        {"status", name_of(one->status)},
                        {"source", one->source}});
  report_json& prices = object["prices"] = report_json::array();
  for (const price* one : entry.prices)
    prices.push_back({{"provider", one->provider},
                      {"dollars_per_s", json_number(one->rate)},
                      {"dollars_per_hour", json_number(one->rate * units::hour / units::dollar)},
                      {"date", one->date},
                      {"status", name_of(one->status)},
                      {"source", one->source},
                      {"note", one->note}});
  return object;
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

void print_for_people(const entry_shown& entry) {
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

/// The answer as JSON, with what was asked for.
void print_answer(report_json fields, const catalog_request& asked) {
  print_json(json_object{fields.size() + 2}
                 .add("schema_version", report_schema_version)
                 .add(std::move(fields))
                 .add("inputs", {{"kind", asked.kind}, {"name", asked.name}})
                 .take());
}

void show(const entry_shown& entry, const catalog_request& asked) {
  if (asked.as_csv)
    print(csv_of(json_of_entry(entry)["facts"]));
  else if (asked.as_json)
    print_answer(json_of_entry(entry), asked);
  else
    print_for_people(entry);
}

void show_model(const catalog_request& asked) {
  const named_transformer found = find_model_or_file(asked.name);
  require_planned(found);
  say_notes(found);
  const nlohmann::json fields = gpuplan::json_of(found.model);
  if (asked.as_csv) {
    report_json row{{"name", found.name},
                    {"parameters", json_number(parameters_of(found.model).total())}};
    row["transformer"] = fields;
    print(csv_of(report_json::array({std::move(row)})));
    return;
  }
  if (asked.as_json) {
    print_answer({{"kind", "models"},
                  {"name", found.name},
                  {"parameters", json_number(parameters_of(found.model).total())},
                  {"transformer", fields}},
                 asked);
    return;
  }
  table rows{{{"Field"}, {"Value", column_side::right}}};
  const std::function<void(const nlohmann::json&, const std::string&)> add =
      [&](const nlohmann::json& object, const std::string& prefix) {
        for (const auto& [field, value] : object.items())
          if (value.is_object())
            add(value, prefix + field + ".");
          else
            rows.row({prefix + field, value.is_string() ? value.get<std::string>() : value.dump()});
      };
  add(fields, "");
  print(bold(found.name, style_of_output()) + "\n\n" + rows.text(style_of_output()) +
        "\nEach field is from the model's published config.json; gpuplan model " + found.name +
        " counts.\n");
}

/// The entry of any kind that is called so; false if there is none.
bool show_named(const catalog_request& asked) {
  const auto wants = [&](std::string_view kind) {
    return asked.kind.empty() || asked.kind == kind;
  };
  if (wants("accelerators"))
    if (const auto* found = catalog::find_accelerator(asked.name)) {
      show(shown_of("accelerators", facts_of(catalog::accelerator_facts, found->name),
                    catalog::accelerator_measurements),
           asked);
      return true;
    }
  if (wants("accelerators"))
    if (const auto* found = catalog::find_other(asked.name)) {
      show(shown_of("others", facts_of(catalog::other_facts, found->name),
                    catalog::accelerator_measurements),
           asked);
      return true;
    }
  if (wants("fabrics"))
    if (const auto* found = catalog::find_fabric(asked.name)) {
      show(shown_of("fabrics", facts_of(catalog::fabric_facts, found->name),
                    catalog::fabric_measurements),
           asked);
      return true;
    }
  if (wants("models") && catalog::find_model(asked.name) != nullptr) {
    show_model(asked);
    return true;
  }
  return false;
}

[[noreturn]] void refuse_name(const catalog_request& asked) {
  const bool any = asked.kind.empty();
  std::string hint = any ? did_you_mean(bounded_name(asked.name), kinds) : "";
  if (hint.empty() && (any || asked.kind == "accelerators")) hint = hint_of_gpu(asked.name);
  if (hint.empty() && (any || asked.kind == "fabrics")) hint = hint_of_fabric(asked.name);
  if (hint.empty() && (any || asked.kind == "models")) hint = hint_of_model(asked.name);
  throw bad_usage{"catalog: NAME must be one of the " +
                  (any ? "accelerators, fabrics, models or multiprocessors" : asked.kind) +
                  ", not " + shown(nlohmann::json(asked.name)) +
                  (hint.empty() ? "; gpuplan catalog lists them" : hint)};
}

void show_lists(const catalog_request& asked) {
  const auto wants = [&](std::string_view kind) {
    return asked.kind.empty() || asked.kind == kind;
  };
  if (asked.as_csv) {
    report_json rows = report_json::array();
    for (const catalog_list& one : catalog_lists())
      if (wants(one.kind))
        for (report_json& entry : one.json())
          rows.push_back(
              json_object{entry.size() + 1}.add("kind", one.kind).add(std::move(entry)).take());
    print(csv_of(rows));
    return;
  }
  if (!asked.as_json) {
    const text_style style = style_of_output();
    std::string all;
    const auto add = [&](const std::vector<table>& tables) {
      for (const table& rows : tables)
        all += (all.empty() ? "" : "\n") + rows.text_within(width_of_output(), style);
    };
    for (const catalog_list& one : catalog_lists())
      if (wants(one.kind)) add(one.text());
    print(all);
    return;
  }
  report_json answer = report_json::object();
  for (const catalog_list& one : catalog_lists())
    if (wants(one.kind)) answer[std::string(one.kind)] = one.json();
  print_answer(std::move(answer), asked);
}

}  // namespace

command catalog_command(CLI::App& program) {
  CLI::App* options = program.add_subcommand(
      "catalog", "Known GPUs, fabrics and models, and the source of each number");
  options->alias("catalogue");
  options->footer(after_catalog_options);
  struct typed_options {
    std::string kind, name;
    bool as_json = false, as_csv = false;
  };
  const auto typed = std::make_shared<typed_options>();
  options->add_option("KIND", typed->kind,
                      "accelerators, fabrics, models or multiprocessors [all]");
  options->add_option("NAME", typed->name, "One entry, such as H100-SXM5-80GB");
  options->add_flag("--json", typed->as_json, "As JSON, for programs");
  options->add_flag("--csv", typed->as_csv,
                    "A line for each entry, or for each number of one, for spreadsheets");

  return {options, [typed] {
            refuse_two_formats(typed->as_csv, typed->as_json);
            catalog_request asked{std::string(kind_called(typed->kind)), typed->name,
                                  typed->as_json, typed->as_csv};
            if (asked.kind.empty() && !typed->kind.empty()) {
              if (!typed->name.empty())
                throw bad_usage{
                    "catalog: KIND must be accelerators, fabrics, models or multiprocessors, not " +
                    shown(nlohmann::json(typed->kind)) + did_you_mean(typed->kind, kinds)};
              asked.name = typed->kind;
            }
            if (asked.name.empty())
              show_lists(asked);
            else if (!show_named(asked))
              refuse_name(asked);
            return exit_done;
          }};
}

}  // namespace gpuplan::cli
