#pragma once
/// \file
/// What a request gives the options of a question, as the words of a command line.

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/api/cluster_fields.hpp>
#include <gpuplan/api/detail/option_value.hpp>
#include <gpuplan/api/error_answer.hpp>
#include <gpuplan/api/option_words.hpp>
#include <gpuplan/api/request_place.hpp>
#include <gpuplan/memory/workspace_fields.hpp>
#include <gpuplan/model/recipe_fields.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_shown.hpp>

namespace gpuplan::api {

/// How many values an option takes.
enum class option_values {
  none,  ///< a flag
  one,   ///< several words are joined by commas
  several
};

/// An option as requests give it values.
struct option_form {
  std::vector<std::string> names{};  ///< without hyphens, the first one counts: "gpu"
  std::string positional{};          ///< of a word that may stand alone: "MODEL"; empty: none
  option_values takes = option_values::one;
  bool compares = false;  ///< of one: several values are compared, as GPUs of plan

  friend bool operator==(const option_form&, const option_form&) = default;
};

/// An option of a request, and its values; a flag that is given has none.
struct given_option {
  const option_form* form = nullptr;
  std::vector<std::string> values{};
};

/// What the page is called that a request asks for by "html": true.
inline constexpr std::string_view file_of_page = "page.html";

/// Collects what a request gives the options of a question.
class request_words {
 public:
  /// The options, in the order of their help, are those of the question by its name.
  request_words(std::string question, std::vector<option_form> options)
      : question_{std::move(question)}, options_{std::move(options)} {}
  request_words(const request_words&) = delete;
  request_words& operator=(const request_words&) = delete;

  /// A member of a request: a part of a job ("cluster", "recipe", "parallelism", "workspace") or
  /// "options".
  /// \throws bad_request of a key that the question does not know, or a value that no option takes;
  ///         invalid_input of a value of another type than its field has
  void add_part(std::string_view part, const nlohmann::json& object);
  /// The name or the path of a model.
  /// \throws bad_request
  void add_model(const std::string& name);

  /// The options that were given and have a name.
  [[nodiscard]] std::span<const given_option> given() const { return given_; }
  /// The options, with their hyphens, that were given as fields of a part of the job.  One without
  /// effect stays there, as in a request of `evaluate`; among `options` it is refused.
  [[nodiscard]] const std::set<std::string, std::less<>>& fields() const { return fields_; }
  /// The words that stand alone, in their order.
  /// \throws bad_request of a word that lacks the one before it
  [[nodiscard]] std::vector<std::string> positionals() const;
  /// All words: the question, options, --json where the question has it, words that stand alone.
  /// \throws bad_request of a word that lacks the one before it
  [[nodiscard]] std::vector<std::string> words() const;
  /// Whether the answer is the text of a launch, which is no JSON.
  [[nodiscard]] bool prints_launch() const { return places_.contains("--emit"); }
  /// Whether the answer is a page of pictures, which is no JSON.
  [[nodiscard]] bool makes_page() const;
  /// The place in the request that gave an option, "--gpu", or a positional, "MODEL", or that has
  /// this value, as the name of a file; of the question, what alone was given; of an option that
  /// was not given, where it would stand; empty if none.
  [[nodiscard]] std::string place_of(std::string_view name) const;
  /// A line that refuses words, with numbers, flags and arrays as the request has them, not as the
  /// words that they became.
  [[nodiscard]] std::string as_given(std::string line) const;

 private:
  template <class Rows>
  void add_row(const std::string& part, const std::string& key, const nlohmann::json& value,
               const Rows& rows);
  template <class Rows>
  void add_rows(const std::string& part, const nlohmann::json& object, const Rows& rows);
  void add_fabric(const nlohmann::json& link);
  void add_option(const std::string& key, const nlohmann::json& value);
  void add_page(const option_form& option, const std::string& place, const nlohmann::json& value);
  void add(const option_form& option, const std::string& place, const nlohmann::json& value);
  void give(const option_form& option, const std::string& place, std::vector<std::string> values);
  /// The option of that long name, without the hyphens; nullptr if there is none.
  [[nodiscard]] const option_form* named(std::string_view name) const;
  [[nodiscard]] const option_form& required(std::string_view name, const std::string& place) const;

  std::string question_;
  std::vector<option_form> options_;
  std::vector<given_option> given_{};
  std::map<const option_form*, std::vector<std::string>> positionals_{};
  std::map<std::string, std::string, std::less<>> places_{};
  std::map<std::string, std::string, std::less<>> values_{};
  std::map<std::string, nlohmann::json> untyped_{};  // values that are no text, by their words
  std::set<std::string, std::less<>> fields_{};
};

inline void request_words::add_part(std::string_view part, const nlohmann::json& object) {
  const std::string name{part};
  if (!object.is_object())
    throw bad_request{name + " must be a JSON object, not " + shown(object), name};
  if (part == "cluster")
    add_rows(name, object, cluster_fields);
  else if (part == "recipe")
    add_rows(name, object, recipe_fields);
  else if (part == "parallelism")
    add_rows(name, object, parallelism_fields);
  else if (part == "workspace")
    add_rows(name, object, workspace_fields);
  else
    for (const auto& [key, value] : object.items())
      if (!value.is_null()) add_option(key, value);
}

inline void request_words::add_model(const std::string& name) {
  if (const option_form* option = named("model"))
    return give(*option, "model", {word_of(name, "model")});
  for (const option_form& option : options_)
    if (option.positional == "MODEL") return give(option, "model", {word_of(name, "model")});
  throw bad_request{"model has no effect on " + question_, "model"};
}

namespace detail {

/// A value in an error line, cut where it is long.
inline std::string abridged(std::string text) {
  constexpr std::size_t longest = 48;
  if (text.size() > longest) text = text.substr(0, longest) + "...";
  return text;
}

/// What an object may hold by its rows: of "overlap.data" the object that holds it.
template <class Rows>
std::vector<std::string> keys_of(const Rows& rows) {
  std::vector<std::string> keys;
  for (const auto& row : rows) {
    const std::string_view key = row.key.substr(0, row.key.find('.'));
    if (keys.empty() || keys.back() != key) keys.emplace_back(key);
  }
  return keys;
}

}  // namespace detail

template <class Rows>
void request_words::add_row(const std::string& part, const std::string& key,
                            const nlohmann::json& value, const Rows& rows) {
  const std::string place = part + "." + key;
  if (value.is_null()) return;
  if (part == "cluster" && key == "fabric" && value.is_object()) return add_fabric(value);
  std::vector<std::string> known;
  for (const auto& row : rows) {
    known.emplace_back(row.key);
    if (row.key != key) continue;
    if (row.value.kind == field_kind::layers_of_stages && value == nlohmann::json::array()) return;
    std::string_view name = row.main_option();
    name.remove_prefix(2);
    const option_form& option = required(name, place);
    detail::require_type(row, value, option.compares, place);
    fields_.emplace(row.main_option());
    return add(option, place, detail::as_typed(row, value));
  }
  refuse_unknown(part, key, known);
}

template <class Rows>
void request_words::add_rows(const std::string& part, const nlohmann::json& object,
                             const Rows& rows) {
  for (const auto& [key, value] : object.items()) {
    const bool holds_rows =
        std::any_of(rows.begin(), rows.end(),
                    [&, &name = key](const auto& row) { return row.key.starts_with(name + "."); });
    if (!holds_rows) {
      if (key.find('.') != key.npos) refuse_unknown(part, key, detail::keys_of(rows));
      add_row(part, key, value, rows);
      continue;
    }
    if (value.is_null()) continue;
    if (!value.is_object()) {
      throw invalid_input{part + "." + key + " must be a JSON object, not " + shown(value)};
    }
    for (const auto& [inner, inner_value] : value.items())
      add_row(part, key + "." + inner, inner_value, rows);
  }
}

inline void request_words::add_fabric(const nlohmann::json& link) {
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

inline void request_words::add_option(const std::string& key, const nlohmann::json& value) {
  std::string name = key;
  std::replace(name.begin(), name.end(), '_', '-');
  const std::string place = "options." + shown_name(key);
  const option_form* option = named(name);
  if (name == "html" && option != nullptr) return add_page(*option, place, value);
  if (is_of_the_command_line(name))
    throw bad_request{place + " is of the command line: an answer is JSON, and is returned", place};
  std::vector<std::string> known;
  for (const option_form& one : options_) {
    if (!one.positional.empty() && one.positional != "MODEL") {
      known.push_back(detail::key_of_positional(one.positional));
      if (option == nullptr && known.back() == name) option = &one;
    } else if (!one.names.empty() &&
               (one.names[0] == "html" || !is_of_the_command_line(one.names[0])))
      known.push_back(detail::key_of_option(one.names[0]));
  }
  if (option == nullptr) refuse_unknown("options", key, known);
  add(*option, place, value);
}

/// A request has no file to write, so that the page is asked for by a flag.
inline void request_words::add_page(const option_form& option, const std::string& place,
                                    const nlohmann::json& value) {
  if (!value.is_boolean())
    throw bad_request{
        place + " must be true or false, not " + shown(value), place, {"true", "false"}};
  if (value.get<bool>()) give(option, place, {std::string(file_of_page)});
}

inline bool request_words::makes_page() const {
  return std::any_of(given_.begin(), given_.end(),
                     [](const given_option& one) { return one.form->names.front() == "html"; });
}

inline void request_words::add(const option_form& option, const std::string& place,
                               const nlohmann::json& value) {
  if (option.takes == option_values::none) {
    if (!value.is_boolean())
      throw bad_request{
          place + " must be true or false, not " + shown(value), place, {"true", "false"}};
    return give(option, place, std::vector<std::string>(value.get<bool>() ? 1 : 0));
  }
  const std::vector<std::string> values = words_of(value, place);
  if (!value.is_string() && !values.empty()) untyped_.emplace(joined(values), value);
  if (values.empty() && option.takes == option_values::one && !option.names.empty())
    throw bad_request{place + " must not be empty", place};
  give(option, place, values);
}

inline void request_words::give(const option_form& option, const std::string& place,
                                std::vector<std::string> values) {
  const std::string name =
      option.positional.empty() ? "--" + option.names.front() : option.positional;
  if (const auto [before, is_new] = places_.emplace(name, place); !is_new)
    throw bad_request{place + " and " + before->second + " are one option; give one of them",
                      place};
  if (values.empty()) return;
  if (option.names.empty()) {
    for (const std::string& value : values) values_.emplace(value, place);
    positionals_[&option] = std::move(values);
    return;
  }
  if (option.takes == option_values::none) {
    given_.push_back({.form = &option});
    return;
  }
  if (option.takes == option_values::one) values = {joined(values)};
  for (const std::string& value : values) values_.emplace(value, place);
  given_.push_back({&option, std::move(values)});
}

inline std::vector<std::string> request_words::positionals() const {
  std::vector<std::string> all;
  std::string lacks;
  for (const option_form& one : options_) {
    if (one.positional.empty() || !one.names.empty()) continue;
    const auto given = positionals_.find(&one);
    const std::string key = detail::key_of_positional(one.positional);
    if (given == positionals_.end()) {
      if (lacks.empty()) lacks = key;
      continue;
    }
    if (!lacks.empty())
      throw bad_request{"options." + lacks + " is missing: options." + key + " follows it",
                        "options." + lacks};
    all.insert(all.end(), given->second.begin(), given->second.end());
  }
  return all;
}

inline std::vector<std::string> request_words::words() const {
  std::vector<std::string> all{question_};
  for (const given_option& one : given_) {
    const std::string word = "--" + one.form->names.front();
    if (one.form->takes == option_values::none) all.push_back(word);
    for (const std::string& value : one.values) all.push_back(word + "=" + value);
  }
  if (named("json") != nullptr && !prints_launch()) all.emplace_back("--json");
  const std::vector<std::string> alone = positionals();
  if (!alone.empty()) all.emplace_back("--");
  all.insert(all.end(), alone.begin(), alone.end());
  return all;
}

inline std::string request_words::as_given(std::string line) const {
  for (const auto& [word, value] : untyped_) {
    const std::string given =
        value.is_array() ? "the array " + detail::abridged(value.dump()) : value.dump();
    const std::string as_text = ", not " + shown(nlohmann::json(word));
    if (const std::size_t at = line.find(as_text); at != line.npos)
      line.replace(at, as_text.size(), ", not " + given);
    const std::string quoted = ": '" + word + "' ";
    const std::size_t at = line.find(quoted);
    if (at == line.npos) continue;
    if (value.is_number())
      line.replace(at + 2, quoted.size() - 3, given);
    else
      line.replace(at, line.npos, " must be a text or a number, not " + given);
  }
  return line;
}

inline std::string request_words::place_of(std::string_view name) const {
  if (const auto found = places_.find(name); found != places_.end()) return found->second;
  if (name == question_) {
    if (positionals_.size() == 1) return place_of(positionals_.begin()->first->positional);
    return places_.size() == 1 ? places_.begin()->second : std::string{};
  }
  if (const auto found = values_.find(name); found != values_.end()) return found->second;
  if (!name.starts_with("--") || named(name.substr(2)) == nullptr) return {};
  constexpr std::array<std::string_view, 4> of_jobs{"plan", "fit", "model", "scale"};
  if (std::find(of_jobs.begin(), of_jobs.end(), question_) != of_jobs.end())
    if (std::string field = place_of_option(name); !field.empty()) return field;
  return place_in_options(name);
}

inline const option_form* request_words::named(std::string_view name) const {
  for (const option_form& one : options_)
    if (std::find(one.names.begin(), one.names.end(), name) != one.names.end()) return &one;
  return nullptr;
}

inline const option_form& request_words::required(std::string_view name,
                                                  const std::string& place) const {
  if (const option_form* option = named(name)) return *option;
  throw bad_request{place + " has no effect on " + question_, place};
}

}  // namespace gpuplan::api
