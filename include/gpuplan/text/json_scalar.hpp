#pragma once
/// \file
/// Scalars and flow collections as YAML and TOML write them, made into JSON values.

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <nlohmann/json.hpp>

#include <gpuplan/require.hpp>
#include <gpuplan/text/decimal_number.hpp>
#include <gpuplan/text/field_value.hpp>
#include <gpuplan/text/lookup.hpp>

namespace gpuplan {

/// How deep the collections of a YAML or a TOML text may lie in one another.
inline constexpr int deepest_collection = 32;
/// The longest line that is looked at whole, with the lines that continue it, in bytes.
inline constexpr std::size_t longest_logical_line = std::size_t{16} << 10;

/// Whether a character is white space within a line.
constexpr bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

/// "file.yaml: line 3: what is wrong".
[[noreturn]] inline void refuse_line(std::string_view name, std::size_t line,
                                     const std::string& why) {
  throw invalid_input{std::string(name) + ": line " + std::to_string(line) + ": " + why};
}

/// A number where the text is one as a whole, else null; digits may be parted by underscores.
inline nlohmann::json number_from(std::string_view typed) {
  std::string text;
  for (const char c : typed)
    if (c != '_') text += c;
  if (text.starts_with('+')) text.erase(0, 1);
  if (text.empty() || text.size() > 40) return nullptr;
  const char* const end = text.data() + text.size();
  const bool may_begin = (text[0] >= '0' && text[0] <= '9') || text[0] == '-' || text[0] == '.';
  if (!may_begin || text.find_first_of("iInN") != text.npos) return nullptr;
  std::int64_t whole = 0;
  if (const auto read = std::from_chars(text.data(), end, whole);
      read.ec == std::errc{} && read.ptr == end)
    return whole;
  double number = 0;
  if (const auto read = decimal_from_chars(text.data(), end, number);
      read.ec == std::errc{} && read.ptr == end)
    return number;
  return nullptr;
}

/// A word without quotes: true, false, null, a number, or itself.
inline nlohmann::json plain_scalar(std::string_view word) {
  if (word.empty() || word == "~" || word == "null" || word == "Null" || word == "NULL")
    return nullptr;
  if (word == "true" || word == "True" || word == "TRUE") return true;
  if (word == "false" || word == "False" || word == "FALSE") return false;
  nlohmann::json number = number_from(word);
  return number.is_null() ? nlohmann::json(std::string(word)) : number;
}

/// What words say of a switch, in YAML 1.1, in TOML, in JSON and in Python.
inline constexpr auto switch_words = std::to_array<named<bool>>({{"true", true},
                                                                 {"false", false},
                                                                 {"yes", true},
                                                                 {"no", false},
                                                                 {"on", true},
                                                                 {"off", false},
                                                                 {"1", true},
                                                                 {"0", false}});

/// Whether a value says that a switch is on: true or false, a word for either, 1 or 0; of any other
/// none.
inline std::optional<bool> switch_from(const nlohmann::json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number() && (value == 0 || value == 1)) return value == 1;
  if (!value.is_string()) return std::nullopt;
  const auto* word = find_spelling(value.get_ref<const std::string&>(), switch_words);
  return word != nullptr ? std::optional{word->value} : std::nullopt;
}

/// Reads one value from a logical line: a quoted string, a flow list or map, a plain word.
class flow_reader {
 public:
  /// What parts the key of a flow map from its value: ':' in YAML, '=' in TOML.
  flow_reader(std::string_view text, std::string_view name, std::size_t line, char binder)
      : text_{text}, name_{name}, line_{line}, binder_{binder} {}

  /// The value that the whole text is.
  /// \throws invalid_input of one line
  nlohmann::json whole() {
    nlohmann::json value = value_at(0);
    skip_blanks();
    if (at_ < text_.size()) refuse("something follows a value that has ended");
    return value;
  }

  /// The text between quotes at the place that is looked at.
  std::string quoted() {
    const char quote = text_[at_++];
    std::string read;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == quote && quote == '\'' && binder_ == ':' && next_is('\'')) {
        read += text_[at_++];  // two quotes are one
      } else if (c == quote) {
        ++at_;
        return read;
      } else if (c == '\\' && quote == '"') {
        read += escaped();
      } else {
        read += c;
      }
    }
    refuse("a quoted string does not end");
  }

  [[nodiscard]] std::size_t place() const { return at_; }

 private:
  [[noreturn]] void refuse(const std::string& why) const { refuse_line(name_, line_, why); }
  [[nodiscard]] bool next_is(char c) const { return at_ + 1 < text_.size() && text_[at_ + 1] == c; }

  void skip_blanks() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }

  char escaped() {
    if (++at_ >= text_.size()) refuse("a quoted string does not end");
    switch (text_[at_]) {
      case 'n': return '\n';
      case 't': return '\t';
      case '"':
      case '\\':
      case '/': return text_[at_];
      default: refuse("only \\n, \\t, \\\", \\/ and \\\\ are read in a quoted string");
    }
  }

  nlohmann::json value_at(int depth) {
    if (depth > deepest_collection)
      refuse("is nested more than " + std::to_string(deepest_collection) + " deep");
    skip_blanks();
    if (at_ >= text_.size()) return nullptr;
    const char c = text_[at_];
    if (c == '"' || c == '\'') return quoted();
    if (c == '[') return list(depth);
    if (c == '{') return map(depth);
    if (binder_ == ':' && (c == '&' || c == '*' || c == '!'))
      refuse("anchors, aliases and tags are not read, but for a merged map, <<: *name");
    return plain_scalar(word(depth));
  }

  std::string_view word(int depth) {
    const std::size_t begin = at_;
    if (depth == 0) {
      at_ = text_.size();
    } else {
      while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != ']' && text_[at_] != '}' &&
             text_[at_] != binder_)
        ++at_;
    }
    return trimmed(text_.substr(begin, at_ - begin));
  }

  /// Whether a collection goes on; it ends with `end`.
  bool goes_on(char end) {
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == ',') {
      ++at_;
      skip_blanks();
    } else if (at_ >= text_.size() || text_[at_] != end) {
      refuse(std::string("expected , or ") + end);
    }
    if (at_ >= text_.size() || text_[at_] != end) return true;
    ++at_;
    return false;
  }

  bool is_empty(char end) {
    ++at_;
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != end) return false;
    ++at_;
    return true;
  }

  nlohmann::json list(int depth) {
    nlohmann::json values = nlohmann::json::array();
    if (is_empty(']')) return values;
    do {
      values.push_back(value_at(depth + 1));
    } while (goes_on(']'));
    return values;
  }

  nlohmann::json map(int depth) {
    nlohmann::json values = nlohmann::json::object();
    if (is_empty('}')) return values;
    do {
      skip_blanks();
      const bool has_quotes = at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\'');
      const std::string key = has_quotes ? quoted() : std::string(word(depth + 1));
      skip_blanks();
      if (key.empty() || at_ >= text_.size() || text_[at_] != binder_)
        refuse(std::string("expected a name and ") + binder_);
      ++at_;
      if (values.contains(key)) refuse("a name is given twice");
      values[key] = value_at(depth + 1);
    } while (goes_on('}'));
    return values;
  }

  std::string_view text_;
  std::string_view name_;
  std::size_t line_;
  char binder_;
  std::size_t at_ = 0;
};

/// What is open at the end of a logical line: brackets of flow collections, or a quote.
struct open_ends {
  int brackets = 0;
  char quote = 0;
  std::size_t comment = std::string_view::npos;  ///< where a comment begins

  [[nodiscard]] bool any() const { return brackets > 0 || quote != 0; }
};

/// Follows quotes and brackets of a value, up to a comment.  Quotes count where a value may begin.
inline open_ends open_ends_of(std::string_view text) {
  open_ends open;
  char before = ' ';
  bool starts = true;  // whether a value may begin here
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (open.quote != 0) {
      if (c == '\\' && open.quote == '"') ++i;
      if (c == open.quote) open.quote = 0;
      before = c;
      continue;
    }
    if (c == '#' && is_blank(before)) {
      open.comment = i;
      return open;
    }
    if (starts && (c == '"' || c == '\'')) open.quote = c;
    if ((c == '[' || c == '{') && (starts || open.brackets > 0)) ++open.brackets;
    if ((c == ']' || c == '}') && open.brackets > 0) --open.brackets;
    const bool parts = open.brackets > 0 && (c == ',' || c == ':' || c == '=');
    starts = (starts && is_blank(c)) || parts || (open.brackets > 0 && (c == '[' || c == '{')) ||
             (open.brackets > 0 && is_blank(c));
    before = c;
  }
  return open;
}

}  // namespace gpuplan
