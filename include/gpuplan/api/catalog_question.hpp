#pragma once
/// \file
/// The question "catalog": what is known by name, and where each number comes from.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/api/catalog_lists.hpp>
#include <gpuplan/api/catalog_name.hpp>
#include <gpuplan/api/named_model.hpp>
#include <gpuplan/api/question_options.hpp>
#include <gpuplan/api/question_reader.hpp>
#include <gpuplan/api/typed_name.hpp>
#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_fabric_facts.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/hardware/catalog_facts.hpp>
#include <gpuplan/hardware/catalog_others.hpp>
#include <gpuplan/hardware/catalog_prices.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/model/transformer_json.hpp>
#include <gpuplan/report/json.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_fields.hpp>
#include <gpuplan/text/json_shown.hpp>
#include <gpuplan/text/lookup.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::api {

/// What is asked of the catalogues.
struct catalog_request {
  std::string kind{};  ///< "accelerators"; empty: all
  std::string name{};  ///< of an entry; empty: the lists
};

inline constexpr std::array catalog_options{
    question_option<catalog_request>{
        .names = "KIND",
        .help = "accelerators, fabrics, models, families (of config.json) or multiprocessors [all]",
        .text = &catalog_request::kind},
    question_option<catalog_request>{.names = "NAME",
                                     .help = "One entry, such as H100-SXM5-80GB",
                                     .text = &catalog_request::name}};

/// One entry of a table of facts, with what was measured of it and what it costs.
struct catalog_entry {
  std::string_view kind;
  const entry_facts* facts = nullptr;
  std::vector<const measurement*> measured{};
  std::vector<const price*> prices{};
};

/// The answer: an entry, or a model, or the lists of a kind or of all.
struct catalog_answer {
  catalog_request asked{};  ///< with the kind as the catalogue calls it
  std::optional<catalog_entry> entry{};
  std::optional<named_transformer> model{};

  /// Whether a kind was asked for.
  [[nodiscard]] bool wants(std::string_view kind) const {
    return asked.kind.empty() || asked.kind == kind;
  }
};

/// What the value of a fact is measured in.
enum class fact_unit { count, bytes, bytes_per_s, flop_per_s, s, watts };

/// Units as they stand in JSON.
inline constexpr std::array fact_unit_names{named<fact_unit>{"", fact_unit::count},
                                            named<fact_unit>{"bytes", fact_unit::bytes},
                                            named<fact_unit>{"bytes_per_s", fact_unit::bytes_per_s},
                                            named<fact_unit>{"flop_per_s", fact_unit::flop_per_s},
                                            named<fact_unit>{"s", fact_unit::s},
                                            named<fact_unit>{"watts", fact_unit::watts}};

/// The unit of a fact by the name of its field.
constexpr fact_unit unit_of_fact(std::string_view field) {
  const auto ends = [&](std::string_view suffix) { return field.ends_with(suffix); };
  if (field == "memory" || field == "label_memory" || field == "l2") return fact_unit::bytes;
  if (field.starts_with("peak") || field.starts_with("achieved.") ||
      field.starts_with("sustained.") || field.starts_with("operators.attention.forward") ||
      field.starts_with("operators.attention.backward"))
    return fact_unit::flop_per_s;
  if (ends("latency") || ends("hop") || ends("base") || ends("start") || ends("_token"))
    return fact_unit::s;
  if (ends("bandwidth") || ends(".signalling") || ends(".advertised") || ends(".achievable") ||
      ends(".all_reduce") || ends(".gather") || ends(".all_to_all") || ends(".own_copy") ||
      ends("_combine") || ends("_dispatch"))
    return fact_unit::bytes_per_s;
  return field == "thermal_design_power" ? fact_unit::watts : fact_unit::count;
}

namespace detail {

/// The kinds, as a refusal names them.
inline constexpr std::string_view catalog_kinds =
    "accelerators, fabrics, models, families or multiprocessors";

/// A kind as somebody typed it; empty if there is none of that name.
inline std::string_view kind_called(std::string_view typed) {
  if (same_name(typed, "gpus") || same_name(typed, "gpu")) return "accelerators";
  for (const catalog_list& kind : catalog_lists)
    if (same_name(kind.name, typed) || same_name(kind.name, std::string(typed) + "s"))
      return kind.name;
  return {};
}

template <class Facts, class Measurements>
catalog_entry entry_of(std::string_view kind, std::string_view name, const Facts& facts,
                       const Measurements& measurements) {
  const auto found = std::find_if(facts.begin(), facts.end(),
                                  [&](const entry_facts& one) { return one.name == name; });
  catalog_entry entry{.kind = kind, .facts = found == facts.end() ? nullptr : &*found};
  for (const measurement& one : measurements)
    if (one.of == name) entry.measured.push_back(&one);
  for (const price& one : catalog::prices)
    if (one.accelerator == name) entry.prices.push_back(&one);
  return entry;
}

/// The entry of any kind but models that is called so.
inline std::optional<catalog_entry> entry_called(const catalog_answer& of) {
  const std::string& name = of.asked.name;
  if (of.wants("accelerators")) {
    if (const auto* found = catalog::find_accelerator(name))
      return entry_of("accelerators", found->name, catalog::accelerator_facts,
                      catalog::accelerator_measurements);
    if (const auto* found = catalog::find_other(name))
      return entry_of("others", found->name, catalog::other_facts,
                      catalog::accelerator_measurements);
  }
  if (of.wants("fabrics"))
    if (const auto* found = catalog::find_fabric(name))
      return entry_of("fabrics", found->name, catalog::fabric_facts, catalog::fabric_measurements);
  return std::nullopt;
}

/// Refuses a name that no entry has, which stands in `typed` in the place of a kind or behind it.
[[noreturn]] inline void refuse_entry(const catalog_request& asked, const catalog_request& typed) {
  const bool any = asked.kind.empty();
  std::string hint = any ? did_you_mean(bounded_name(asked.name), catalog_lists) : "";
  if (hint.empty() && (any || asked.kind == "accelerators")) hint = hint_of_gpu(asked.name);
  if (hint.empty() && (any || asked.kind == "fabrics")) hint = hint_of_fabric(asked.name);
  if (hint.empty() && (any || asked.kind == "models")) hint = hint_of_model(asked.name);
  const std::string kinds{catalog_kinds};
  throw invalid_input{"catalog: " +
                      (!any                 ? "NAME must be one of the " + asked.kind
                       : typed.kind.empty() ? "NAME must be one of the " + kinds
                                            : "KIND must be " + kinds + ", or one of their names") +
                      ", not " + shown(nlohmann::json(asked.name)) +
                      (hint.empty() ? "; gpuplan catalog lists them" : hint)};
}

/// Refuses the name of an entry of a kind that has none beside its list.
inline void refuse_name_without_entry(const catalog_request& asked) {
  for (const catalog_list& one : catalog_lists)
    if (one.name == asked.kind && !one.has_entries)
      throw invalid_input{"catalog: NAME must be left out: all that is known of " + asked.kind +
                          " stands in their list"};
}

/// What was asked, with the kind as the catalogue calls it; a kind of no such name is that of an
/// entry.
/// \throws invalid_input
inline catalog_request resolved(const catalog_request& typed) {
  catalog_request asked{std::string(kind_called(typed.kind)), typed.name};
  if (!asked.kind.empty() || typed.kind.empty()) return asked;
  if (!typed.name.empty())
    throw invalid_input{"catalog: KIND must be " + std::string(catalog_kinds) + ", not " +
                        shown(nlohmann::json(typed.kind)) +
                        did_you_mean(typed.kind, catalog_lists)};
  asked.name = typed.kind;
  return asked;
}

}  // namespace detail

/// Looks an entry up, or lists.
///
///     files  where a model is read from that is named as a path
///
/// \throws invalid_input of a name that no catalogue has
inline catalog_answer answer_of(const catalog_request& typed, const file_source& files) {
  catalog_answer answer{.asked = detail::resolved(typed)};
  if (answer.asked.name.empty()) return answer;
  detail::refuse_name_without_entry(answer.asked);
  answer.entry = detail::entry_called(answer);
  if (answer.entry) return answer;
  if (!answer.wants("models") || catalog::find_model(answer.asked.name) == nullptr)
    detail::refuse_entry(answer.asked, typed);
  answer.model = find_model_or_file(answer.asked.name, files);
  require_planned(*answer.model);
  return answer;
}

/// kind, name, facts with their units and sources, measurements, prices.
inline report_json json_of(const catalog_entry& entry) {
  report_json object{{"kind", entry.kind}, {"name", entry.facts->name}};
  if (!entry.facts->note.empty()) object["note"] = entry.facts->note;
  report_json& facts = object["facts"] = report_json::array();
  for (const fact& one : entry.facts->facts) {
    facts.push_back(gpuplan::json_of(one));
    facts.back()["unit"] = spelled(fact_unit_names, unit_of_fact(one.field));
  }
  report_json& measured = object["measurements"] = report_json::array();
  for (const measurement* one : entry.measured)
    measured.push_back({{"what", one->what},
                        {"share", json_number(one->share)},
                        {"status", gpuplan::name_of(one->status)},
                        {"source", one->source}});
  report_json& prices = object["prices"] = report_json::array();
  for (const price* one : entry.prices)
    prices.push_back({{"provider", one->provider},
                      {"dollars_per_s", json_number(one->rate)},
                      {"dollars_per_hour", json_number(one->rate * units::hour / units::dollar)},
                      {"date", one->date},
                      {"status", gpuplan::name_of(one->status)},
                      {"source", one->source},
                      {"note", one->note}});
  return object;
}

/// The answer as `gpuplan catalog --json` prints it.
inline report_json json_of(const catalog_answer& answer) {
  json_object all{20};
  all.add("schema_version", report_schema_version);
  if (answer.entry) {
    all.add(json_of(*answer.entry));
  } else if (answer.model) {
    all.add("kind", "models")
        .add("name", answer.model->name)
        .add("parameters", json_number(parameters_of(answer.model->model).total()))
        .add("transformer", gpuplan::json_of(answer.model->model));
  } else {
    for (const catalog_list& one : catalog_lists)
      if (answer.wants(one.name)) all.add(one.name, one.json());
  }
  return all.add("inputs", {{"kind", answer.asked.kind}, {"name", answer.asked.name}}).take();
}

/// Answers {"question": "catalog", "options": {"kind": "accelerators", "name": "H100"}}.
/// \throws bad_request of a member that is unknown or of another type
inline std::string answer_catalog(const nlohmann::json& request) {
  return answer_by_options<catalog_request>(
      request, "catalog", catalog_options,
      [](const catalog_request& typed, const request_files& files, question_result& result) {
        const catalog_answer found = answer_of(typed, source_of(files));
        if (found.model) result.said = found.model->notes;
        result.json = json_of(found);
      });
}

}  // namespace gpuplan::api
