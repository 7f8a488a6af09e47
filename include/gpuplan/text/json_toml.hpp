#pragma once
/// \file
/// Reads the part of TOML that configurations of training are written in, as JSON.

#include <cstddef>
#include <set>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/require.hpp>
#include <gpuplan/text/json_scalar.hpp>
#include <gpuplan/text/json_shown.hpp>
#include <gpuplan/text/json_yaml.hpp>

namespace gpuplan {

namespace detail {

/// Reads the lines of a TOML text.
class toml_reader {
 public:
  toml_reader(std::string_view text, std::string_view name) : rest_{text}, name_{name} {
    if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
  }

  nlohmann::json whole() {
    nlohmann::json root = nlohmann::json::object();
    std::string section;
    while (!rest_.empty()) {
      const std::size_t number = line_ + 1;
      const std::string text = logical_line();
      if (text.empty()) continue;
      if (text.front() == '[') {
        section = section_of(text, number);
        static_cast<void>(table(root, section, number));
        if (!seen_.insert(section).second)
          refuse_line(name_, number, "[" + section + "] is given twice");
        continue;
      }
      const std::size_t equals = text.find('=');
      if (equals == text.npos) refuse_line(name_, number, "is neither [section] nor name = value");
      set(root, section, std::string(trimmed(std::string_view(text).substr(0, equals))),
          std::string(trimmed(std::string_view(text).substr(equals + 1))), number);
    }
    return root;
  }

 private:
  std::string_view next_line() {
    const std::size_t end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
    ++line_;
    return trimmed(line);
  }

  /// A line without its comment, with the lines that an open bracket takes.
  std::string logical_line() {
    const std::size_t number = line_ + 1;
    std::string text{next_line()};
    for (;;) {
      const std::size_t equals = text.starts_with('[') ? text.npos : text.find('=');
      const std::size_t from = equals == text.npos ? 0 : equals + 1;
      if (text.starts_with('#')) return {};
      const open_ends open = open_ends_of(std::string_view(text).substr(from));
      if (open.comment != std::string_view::npos) text.resize(from + open.comment);
      text = std::string(trimmed(text));
      if (open.quote != 0) refuse_line(name_, number, "a quoted string does not end");
      if (open.brackets == 0) return text;
      if (rest_.empty()) refuse_line(name_, number, "a bracket is not closed");
      text += " " + std::string(next_line());
      if (text.size() > longest_logical_line) refuse_line(name_, number, "has too long a value");
    }
  }

  std::string section_of(const std::string& text, std::size_t number) const {
    if (text.starts_with("[[")) refuse_line(name_, number, "arrays of tables are not read");
    if (!text.ends_with(']')) refuse_line(name_, number, "is no [section]");
    return std::string(trimmed(std::string_view(text).substr(1, text.size() - 2)));
  }

  /// The table of a path of names with dots between them.
  nlohmann::json& table(nlohmann::json& root, std::string_view path, std::size_t number) const {
    nlohmann::json* at = &root;
    int depth = 0;
    while (!path.empty()) {
      const std::size_t dot = path.find('.');
      const std::string part{name_in(trimmed(path.substr(0, dot)), number)};
      nlohmann::json& next = (*at)[part];
      if (next.is_null()) next = nlohmann::json::object();
      if (!next.is_object()) refuse_line(name_, number, shown_name(part) + " is no table");
      if (++depth > deepest_collection)
        refuse_line(name_, number,
                    "is nested more than " + std::to_string(deepest_collection) + " deep");
      at = &next;
      path = dot == path.npos ? std::string_view{} : path.substr(dot + 1);
    }
    return *at;
  }

  std::string_view name_in(std::string_view typed, std::size_t number) const {
    if (typed.size() >= 2 && (typed.front() == '"' || typed.front() == '\'') &&
        typed.back() == typed.front())
      return typed.substr(1, typed.size() - 2);
    if (typed.empty() || typed.find_first_of(" \t\"'") != typed.npos)
      refuse_line(name_, number, "has no plain name");
    return typed;
  }

  void set(nlohmann::json& root, const std::string& section, const std::string& key,
           const std::string& value, std::size_t number) {
    const bool is_quoted = key.starts_with('"') || key.starts_with('\'');
    const std::size_t dot = is_quoted ? key.npos : key.rfind('.');
    const std::string above = dot == key.npos ? std::string() : key.substr(0, dot);
    std::string path = section;
    if (!above.empty()) path += (path.empty() ? "" : ".") + above;
    nlohmann::json& owner = table(root, path, number);
    const std::string name{
        name_in(trimmed(dot == key.npos ? key : std::string_view(key).substr(dot + 1)), number)};
    if (owner.contains(name)) refuse_line(name_, number, shown_name(name) + " is given twice");
    if (value.empty()) refuse_line(name_, number, shown_name(name) + " has no value");
    if (value.starts_with("\"\"\"") || value.starts_with("'''"))
      refuse_line(name_, number, "strings of several lines are not read");
    owner[name] = flow_reader{value, name_, number, '='}.whole();
  }

  std::string_view rest_;
  std::string_view name_;
  std::size_t line_ = 0;
  std::set<std::string> seen_{};
};

}  // namespace detail

/// What a TOML text says: sections, dotted names, strings of one line, numbers, booleans, arrays,
/// inline tables and comments.  Arrays of tables and strings of several lines are not read; a date
/// is read as a string.
///
///     text  of at most largest_yaml_text bytes
///     name  of the file, for the error line
///
/// \throws invalid_input of one line, "<name>: line 3: ...", if the text is too long or no such
///         TOML, gives a name twice or nests deeper than 32
inline nlohmann::json parse_toml(std::string_view text, std::string_view name) {
  if (text.size() > largest_yaml_text)
    throw invalid_input{std::string(name) + ": is longer than " +
                        std::to_string(largest_yaml_text >> 20) + " MiB"};
  return detail::toml_reader{text, name}.whole();
}

}  // namespace gpuplan
