#pragma once
/// \file
/// The arguments of a launch by name, and which of them a reader has looked at.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/launch/option_arguments.hpp>
#include <gpuplan/model/field.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_scalar.hpp>
#include <gpuplan/text/json_shown.hpp>
#include <gpuplan/text/lookup.hpp>

namespace gpuplan {

/// Names of arguments as a file has them.
using argument_names = std::map<std::string, std::string, std::less<>>;

/// Named values, as a command line, a YAML or a TOML file gives them.  Null and false count as
/// absent, and a number may be written as text.  Every refusal is an invalid_input of one line,
/// "<where>: <name> ...".
class launch_arguments {
 public:
  /// The largest count that an argument may hold.
  static constexpr int largest = largest_count;

  /// `values` is an object of names and values.  In error lines `prefix` is put before a name, as
  /// "--"; where there are `names` as the file has them, these are shown, and others with _ for -.
  launch_arguments(nlohmann::json values, std::string where, std::string prefix = {},
                   argument_names names = {})
      : values_(std::move(values)),
        where_{std::move(where)},
        prefix_{std::move(prefix)},
        names_{std::move(names)} {
    if (!values_.is_object()) throw invalid_input{where_ + ": holds no names with values"};
  }

  [[nodiscard]] const std::string& where() const { return where_; }
  [[nodiscard]] std::string shown_as(std::string_view name) const {
    if (const auto found = names_.find(name); found != names_.end()) return found->second;
    std::string shown = prefix_ + std::string(name);
    if (!names_.empty()) std::replace(shown.begin(), shown.end(), '-', '_');
    return shown;
  }

  /// \throws invalid_input "<where>: <name> <why>"
  [[noreturn]] void refuse(std::string_view name, const std::string& why) const {
    throw invalid_input{where_ + ": " + quoted(name) + " " + why};
  }

  /// What `read` returns; where it refuses, the line begins with the file and the argument.
  /// \throws invalid_input "<where>: <name>: <why>"
  template <class Read>
  auto in_argument(std::string_view name, const Read& read) const {
    return begun_with(where_ + ": " + quoted(name) + ": ", read);
  }
  /// What `read` returns; where it refuses, the line begins with the file.
  /// \throws invalid_input "<where>: <why>"
  template <class Read>
  auto in_file(const Read& read) const {
    return begun_with(where_ + ": ", read);
  }

  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }

  /// Whether a switch is on; off where it is absent.
  /// \throws invalid_input as flag_or
  [[nodiscard]] bool flag(std::string_view name) const { return flag_or(name, false); }

  /// A switch that is `otherwise` where it is absent.  Variables of a shell after a switch stand
  /// for more arguments, so that it is on.
  /// \throws invalid_input if it is neither true nor false, as switch_from has them
  [[nodiscard]] bool flag_or(std::string_view name, bool otherwise) const {
    asked_.emplace(name);
    const auto found = values_.find(name);
    if (found == values_.end() || found->is_null() || is_word(*found, "None")) return otherwise;
    if (prefix_ == "--" && are_variables(*found)) return true;
    if (const std::optional<bool> is_on = switch_from(*found)) return *is_on;
    refuse(name, "must be true or false, not " + shown(*found));
  }

  /// \throws invalid_input if it is no finite number
  [[nodiscard]] std::optional<double> number(std::string_view name) const {
    const nlohmann::json* value = find(name);
    if (value == nullptr || is_word(*value, "None")) return std::nullopt;
    nlohmann::json read = *value;
    if (read.is_string()) read = number_from(read.get_ref<const std::string&>());
    if (is_left_to_shell(*value)) refuse_unknown(name, *value);
    if (!read.is_number() || !std::isfinite(read.get<double>()))
      refuse(name, "must be a number, not " + shown(*value) + cure_for(name));
    return read.get<double>();
  }
  [[nodiscard]] double number_or(std::string_view name, double otherwise) const {
    return number(name).value_or(otherwise);
  }

  /// \throws invalid_input if it is no whole number from `least` to `largest`
  [[nodiscard]] std::optional<int> whole(std::string_view name, int least = 0) const {
    const std::optional<double> value = number(name);
    if (!value) return std::nullopt;
    if (!(*value >= least && *value <= largest) || *value != std::floor(*value))
      refuse(name, "must be a whole number from " + std::to_string(least) + " to " +
                       std::to_string(largest) + ", not " + shown(*find(name)));
    return static_cast<int>(*value);
  }
  [[nodiscard]] int whole_or(std::string_view name, int otherwise, int least = 0) const {
    return whole(name, least).value_or(otherwise);
  }
  /// \throws invalid_input if it is absent, or no whole number >= 1
  [[nodiscard]] int needed(std::string_view name) const {
    if (const auto value = whole(name, 1)) return *value;
    refuse(name, "is missing");
  }

  /// A word, or `otherwise` where it is absent; a number is no word.
  [[nodiscard]] std::string text(std::string_view name, std::string_view otherwise = {}) const {
    const nlohmann::json* value = find(name);
    return value != nullptr && value->is_string() ? value->get<std::string>()
                                                  : std::string(otherwise);
  }

  /// The words of a list: an array, or a text such as "[layernorm mlp]" or "a,b".
  [[nodiscard]] std::vector<std::string> words(std::string_view name) const {
    const nlohmann::json* value = find(name);
    std::vector<std::string> all;
    if (value == nullptr) return all;
    if (value->is_array())
      for (const nlohmann::json& one : *value)
        add_words(one.is_string() ? one.get<std::string>() : one.dump(), all);
    else
      add_words(value->is_string() ? value->get<std::string>() : value->dump(), all);
    return all;
  }

  /// The value that a table of names gives to a word, or to `otherwise` where it is absent.
  /// \throws invalid_input of a word that the table lacks
  template <class Table>
  [[nodiscard]] auto choice(std::string_view name, std::string_view otherwise,
                            const Table& table) const {
    const nlohmann::json* value = find(name);
    const std::string typed = value == nullptr ? std::string(otherwise) : text(name);
    for (const auto& row : table)
      if (row.name == typed) return row.value;
    std::string known;
    for (const auto& row : table) known += (known.empty() ? "" : ", ") + std::string(row.name);
    refuse(name, "must be one of " + known + ", not " +
                     (value == nullptr ? "the string " + typed : shown(*value)));
  }

  /// Whether a value has variables or commands that its file left to the shell.
  static bool is_left_to_shell(const nlohmann::json& value) {
    return value.is_string() &&
           value.get_ref<const std::string&>().find_first_of("$`") != std::string::npos;
  }

  /// The value as it is, or null; looked at from now on.
  [[nodiscard]] const nlohmann::json& value(std::string_view name) const {
    static const nlohmann::json null;
    const nlohmann::json* found = find(name);
    return found != nullptr ? *found : null;
  }

  /// Names that are given and that nobody has looked at, in order.
  [[nodiscard]] std::vector<std::string> unread() const {
    std::vector<std::string> left;
    for (const auto& [name, value] : values_.items())
      if (!asked_.contains(name) && !is_absent(value)) left.push_back(name);
    return left;
  }

 private:
  [[noreturn]] void refuse_unknown(std::string_view name, const nlohmann::json& value) const {
    const std::string_view option = option_for(name);
    refuse(name, "is " + shown(value) + ", which the file does not say; " +
                     (option.empty() ? "write a number" : "give " + std::string(option)));
  }

  /// What goes before launchers' counts, and spares them.
  static std::string cure_for(std::string_view name) {
    return option_for(name) == "--gpus" ? "; give --gpus" : "";
  }

  [[nodiscard]] std::string quoted(std::string_view name) const {
    return names_.empty() ? prefix_ + shown_name(name) : shown_name(shown_as(name));
  }

  template <class Read>
  static auto begun_with(const std::string& start, const Read& read) {
    try {
      return read();
    } catch (const invalid_input& refused) {
      throw invalid_input{start + refused.what()};
    }
  }

  static bool is_word(const nlohmann::json& value, std::string_view word) {
    return value.is_string() && value.get_ref<const std::string&>() == word;
  }
  static bool are_variables(const nlohmann::json& value) {
    const auto is_one = [](const nlohmann::json& word) {
      return word.is_string() && word.get_ref<const std::string&>().starts_with('$');
    };
    if (!value.is_array()) return is_one(value);
    return !value.empty() && std::all_of(value.begin(), value.end(), is_one);
  }
  static bool is_absent(const nlohmann::json& value) {
    return value.is_null() || (value.is_boolean() && !value.get<bool>());
  }

  [[nodiscard]] const nlohmann::json* find(std::string_view name) const {
    asked_.emplace(name);
    const auto found = values_.find(name);
    return found != values_.end() && !is_absent(*found) ? &*found : nullptr;
  }

  static void add_words(const std::string& text, std::vector<std::string>& all) {
    std::string word;
    for (const char c : text + " ") {
      const bool parts = is_blank(c) || c == ',' || c == '(' || c == ')' || c == '[' || c == ']' ||
                         c == '"' || c == '\'' || c == '\n';
      if (!parts) word += c;
      if (!parts || word.empty()) continue;
      all.push_back(word);
      word.clear();
    }
  }

  nlohmann::json values_;
  std::string where_;
  std::string prefix_;
  argument_names names_;
  mutable std::set<std::string, std::less<>> asked_{};
};

/// Replicas of a layout on so many GPUs.
///
/// \throws invalid_input if a replica has more ranks than launch_arguments::largest, or these do
///         not divide the GPUs
inline int replicas_on(int gpus, const parallelism& cut, const std::string& where) {
  std::int64_t ranks = 1;
  for (const int degree : {cut.tensor, cut.pipeline, cut.context}) {
    ranks *= degree;
    if (ranks > launch_arguments::largest)
      throw invalid_input{where + ": tensor x pipeline x context must be <= " +
                          std::to_string(launch_arguments::largest)};
  }
  if (gpus == 0) return 1;
  if (gpus % ranks != 0)
    throw invalid_input{where + ": " + std::to_string(ranks) +
                        " ranks of a replica do not divide the " + std::to_string(gpus) + " GPUs"};
  return static_cast<int>(gpus / ranks);
}

}  // namespace gpuplan
