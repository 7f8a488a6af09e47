/// \file
/// A request as the words of a command line.

#include "request_words.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <CLI/CLI.hpp>

#include <gpuplan/api/cluster_fields.hpp>
#include <gpuplan/api/error_answer.hpp>
#include <gpuplan/api/option_words.hpp>
#include <gpuplan/api/request_place.hpp>
#include <gpuplan/memory/workspace_fields.hpp>
#include <gpuplan/model/recipe_fields.hpp>
#include <gpuplan/text/json_shown.hpp>

namespace gpuplan::bindings {
namespace {

using api::bad_request;
using api::is_of_the_command_line;
using api::joined;
using api::refuse_unknown;
using api::word_of;
using api::words_of;
using nlohmann::json;

std::string_view symbol_of(field_unit unit) {
  switch (unit) {
    case field_unit::byte: return "B";
    case field_unit::byte_per_second: return "B/s";
    case field_unit::second: return "s";
    case field_unit::watt: return "W";
    case field_unit::none: break;
  }
  return "";
}

/// A value of a field as its option takes it.
template <class Owner>
json as_typed(const field<Owner>& row, const json& value) {
  const field_kind kind = row.value.kind;
  if (value.is_number() && kind == field_kind::quantity)
    return value.dump() + std::string(symbol_of(row.value.unit));
  if (value.is_number() && kind == field_kind::flag_or_probability && value >= 0 && value <= 1)
    return value > 0 ? "on" : "off";
  if (value.is_boolean() && kind == field_kind::choice) return value.get<bool>() ? "true" : "false";
  if (value.is_array() && value.empty() && kind == field_kind::set_of_choices) return "none";
  return value;
}

bool is_flag(const CLI::Option& option) {
  return option.get_items_expected_max() == 0;
}

/// The name of an option in a request.
std::string key_of(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// The name of a positional in a request.
std::string key_of_positional(const CLI::Option& option) {
  std::string name = option.get_name(true);
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name;
}

}  // namespace

request_words::request_words(std::string question, const CLI::App& options)
    : question_{std::move(question)}, options_{options} {}

void request_words::add_part(std::string_view part, const json& object) {
  const std::string name{part};
  if (!object.is_object())
    throw bad_request{name + " must be a JSON object, not " + shown(object), name};
  if (part == "cluster")
    add_rows(name, object, api::cluster_fields);
  else if (part == "recipe")
    add_rows(name, object, recipe_fields);
  else if (part == "parallelism")
    add_rows(name, object, parallelism_fields);
  else if (part == "workspace")
    add_rows(name, object, workspace_fields);
  else
    add_options(object);
}

void request_words::add_model(const std::string& name) {
  if (const CLI::Option* option = named("model"))
    return give(*option, "model", {word_of(name, "model")});
  for (const CLI::Option* option : options_.get_options())
    if (option->get_positional() && option->get_name(true) == "MODEL")
      return give(*option, "model", {word_of(name, "model")});
  throw bad_request{"model has no effect on " + question_, "model"};
}

template <class Rows>
void request_words::add_rows(const std::string& part, const json& object, const Rows& rows) {
  const auto add_one = [&](const std::string& key, const json& value) {
    const std::string place = part + "." + key;
    if (value.is_null()) return;
    if (part == "cluster" && key == "fabric" && value.is_object()) return add_fabric(value);
    for (const auto& row : rows) {
      if (row.key != key) continue;
      if (row.value.kind == field_kind::layers_of_stages && value == json::array()) return;
      std::string_view name = row.main_option();
      name.remove_prefix(2);
      return add(required(name, place), place, as_typed(row, value));
    }
    std::vector<std::string> known;
    for (const auto& row : rows) known.emplace_back(row.key);
    refuse_unknown(part, key, known);
  };
  for (const auto& [key, value] : object.items()) {
    const bool holds_rows =
        value.is_object() &&
        std::any_of(rows.begin(), rows.end(),
                    [&, &name = key](const auto& row) { return row.key.starts_with(name + "."); });
    if (!holds_rows) {
      add_one(key, value);
      continue;
    }
    for (const auto& [inner, inner_value] : value.items()) add_one(key + "." + inner, inner_value);
  }
}

void request_words::add_fabric(const json& link) {
  const std::string place = "cluster.fabric";
  const std::vector<std::string> keys{"latency_s", "bandwidth_bytes_per_s"};
  for (const auto& [key, value] : link.items())
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) refuse_unknown(place, key, keys);
  for (const std::string& key : keys)
    if (!link.contains(key) || !link[key].is_number())
      throw bad_request{place + ": " + key + " must be a number", place + "." + key};
  add(required("fabric", place), place + ".bandwidth_bytes_per_s",
      link["bandwidth_bytes_per_s"].dump() + "B/s");
  add(required("latency", place), place + ".latency_s", link["latency_s"].dump() + "s");
}

void request_words::add_options(const json& object) {
  for (const auto& [key, value] : object.items()) {
    if (value.is_null()) continue;
    std::string name = key;
    std::replace(name.begin(), name.end(), '_', '-');
    const std::string place = "options." + shown_name(key);
    if (is_of_the_command_line(name))
      throw bad_request{place + " is of the command line: an answer is JSON, and is returned",
                        place};
    const CLI::Option* option = named(name);
    std::vector<std::string> known;
    for (const CLI::Option* one : options_.get_options()) {
      if (one->get_positional() && one->get_name(true) != "MODEL") {
        known.push_back(key_of_positional(*one));
        if (option == nullptr && known.back() == name) option = one;
      } else if (!one->get_lnames().empty() && !is_of_the_command_line(one->get_lnames()[0]))
        known.push_back(key_of(one->get_lnames()[0]));
    }
    if (option == nullptr) refuse_unknown("options", key, known);
    add(*option, place, value);
  }
}

void request_words::add(const CLI::Option& option, const std::string& place, const json& value) {
  if (value.is_number() || value.is_boolean())
    scalars_.emplace(word_of(value, place), value.dump());
  if (is_flag(option)) {
    if (!value.is_boolean())
      throw bad_request{
          place + " must be true or false, not " + shown(value), place, {"true", "false"}};
    return give(option, place, std::vector<std::string>(value.get<bool>() ? 1 : 0));
  }
  give(option, place, words_of(value, place));
}

void request_words::give(const CLI::Option& option, const std::string& place,
                         std::vector<std::string> values) {
  const std::string name =
      option.get_positional() ? option.get_name(true) : "--" + option.get_lnames().front();
  if (const auto [before, is_new] = places_.emplace(name, place); !is_new)
    throw bad_request{place + " and " + before->second + " are one option; give one of them",
                      place};
  if (values.empty()) return;
  if (option.get_positional() && option.get_lnames().empty()) {
    for (const std::string& value : values) values_.emplace(value, place);
    positionals_[&option] = std::move(values);
    return;
  }
  const std::string option_word = "--" + option.get_lnames().front();
  if (is_flag(option)) {
    words_.push_back(option_word);
    return;
  }
  if (option.get_items_expected_max() == 1 &&
      option.get_multi_option_policy() != CLI::MultiOptionPolicy::TakeAll)
    values = {joined(values)};
  for (const std::string& value : values) values_.emplace(value, place);
  for (const std::string& one : values) words_.push_back(option_word + "=" + one);
}

std::vector<std::string> request_words::words() const {
  std::vector<std::string> all{question_};
  all.insert(all.end(), words_.begin(), words_.end());
  if (named("json") != nullptr && !prints_launch()) all.emplace_back("--json");
  std::string lacks;
  for (const CLI::Option* one : options_.get_options()) {
    if (!one->get_positional() || !one->get_lnames().empty()) continue;
    const auto given = positionals_.find(one);
    const std::string key = key_of_positional(*one);
    if (given == positionals_.end()) {
      if (lacks.empty()) lacks = key;
      continue;
    }
    if (!lacks.empty())
      throw bad_request{"options." + lacks + " is missing: options." + key + " follows it",
                        "options." + lacks};
    if (all.back() != "--" && std::find(all.begin(), all.end(), "--") == all.end())
      all.emplace_back("--");
    all.insert(all.end(), given->second.begin(), given->second.end());
  }
  return all;
}

bool request_words::prints_launch() const {
  return places_.contains("--emit");
}

std::string request_words::as_given(std::string line) const {
  for (const auto& [word, value] : scalars_) {
    const std::string quoted = ", not the string \"" + word + '"';
    if (const std::size_t at = line.find(quoted); at != line.npos)
      line.replace(at, quoted.size(), ", not " + value);
  }
  return line;
}

std::string request_words::place_of(std::string_view name) const {
  if (const auto found = places_.find(name); found != places_.end()) return found->second;
  if (name == question_) {
    if (positionals_.size() == 1) return place_of(positionals_.begin()->first->get_name(true));
    return places_.size() == 1 ? places_.begin()->second : std::string{};
  }
  if (const auto found = values_.find(name); found != values_.end()) return found->second;
  if (!name.starts_with("--") || named(name.substr(2)) == nullptr) return {};
  constexpr std::array<std::string_view, 4> of_jobs{"plan", "fit", "model", "scale"};
  if (std::find(of_jobs.begin(), of_jobs.end(), question_) != of_jobs.end())
    if (std::string field = api::place_of_option(name); !field.empty()) return field;
  return api::place_in_options(name);
}

const CLI::Option* request_words::named(std::string_view name) const {
  for (const CLI::Option* one : options_.get_options())
    for (const std::string& known : one->get_lnames())
      if (known == name) return one;
  return nullptr;
}

const CLI::Option& request_words::required(std::string_view name, const std::string& place) const {
  if (const CLI::Option* option = named(name)) return *option;
  throw bad_request{place + " has no effect on " + question_, place};
}

}  // namespace gpuplan::bindings
