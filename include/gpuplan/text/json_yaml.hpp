#pragma once
/// \file
/// Reads the part of YAML that configurations of training are written in, as JSON.

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/require.hpp>
#include <gpuplan/text/detail/json_yaml_block.hpp>
#include <gpuplan/text/json_scalar.hpp>
#include <gpuplan/text/json_shown.hpp>

namespace gpuplan {

/// The longest YAML or TOML text that is read, in bytes.
inline constexpr std::size_t largest_yaml_text = std::size_t{1} << 20;
/// The most values of a YAML text, those of merged maps counted again.
inline constexpr int most_yaml_values = 100'000;

namespace detail {

/// Reads blocks of a YAML text, line by line.
class yaml_reader {
 public:
  yaml_reader(std::string_view text, std::string_view name) : name_{name} {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    std::size_t number = 0;
    while (!text.empty()) {
      const std::size_t end = text.find('\n');
      std::string_view line = text.substr(0, end);
      if (line.ends_with('\r')) line.remove_suffix(1);
      raw_.push_back({line, ++number});
      text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
  }

  nlohmann::json whole() {
    skip_empty();
    if (done()) return nullptr;
    nlohmann::json value = block(indent_of(line()), 0);
    skip_empty();
    if (!done()) refuse("is indented less than the lines above it");
    return value;
  }

 private:
  struct raw_line {
    std::string_view text;
    std::size_t number;
  };

  [[noreturn]] void refuse(const std::string& why) const {
    const std::size_t last = raw_.empty() ? 1 : raw_.back().number;
    refuse_line(name_, done() ? last : raw_[at_].number, why);
  }
  [[nodiscard]] bool done() const { return at_ >= raw_.size(); }
  [[nodiscard]] std::string_view line() const { return raw_[at_].text; }

  std::size_t indent_of(std::string_view text) const {
    const std::size_t blanks = text.find_first_not_of(' ');
    if (blanks != text.npos && text[blanks] == '\t') refuse("is indented with a tab; use spaces");
    return blanks == text.npos ? text.size() : blanks;
  }

  static bool is_empty(std::string_view text) {
    const std::string_view rest = trimmed(text);
    return rest.empty() || rest.front() == '#' || rest == "---";
  }

  void skip_empty() {
    while (!done() && is_empty(line())) ++at_;
  }

  void count_values(int more) {
    values_ += more;
    if (values_ > most_yaml_values)
      refuse("has more than " + std::to_string(most_yaml_values) + " values");
  }

  static bool is_item(std::string_view rest) { return rest == "-" || rest.starts_with("- "); }

  nlohmann::json block(std::size_t indent, int depth) {
    if (depth > deepest_collection)
      refuse("is nested more than " + std::to_string(deepest_collection) + " deep");
    const std::string_view rest = trimmed(line());
    if (is_item(rest)) return list(indent, depth);
    if (key_end(rest) != rest.npos) return map(indent, depth);
    return value_of(rest, indent);
  }

  /// Whether another entry of a block follows at its indentation.
  bool more(std::size_t indent) {
    skip_empty();
    if (done()) return false;
    const std::size_t here = indent_of(line());
    if (here > indent) refuse("is indented more than the lines above it");
    return here == indent;
  }

  nlohmann::json list(std::size_t indent, int depth) {
    nlohmann::json values = nlohmann::json::array();
    while (more(indent)) {
      std::string_view rest = trimmed(line());
      if (!is_item(rest)) break;
      count_values(1);
      rest = trimmed(rest.substr(1));
      if (rest.empty() || rest.front() == '#') {
        ++at_;
        values.push_back(nested(indent + 1, depth));
      } else if (key_end(rest) != rest.npos && rest.front() != '{' && rest.front() != '[') {
        // A map that begins beside the dash: its indentation is that of its first name.
        const std::size_t inner = static_cast<std::size_t>(rest.data() - line().data());
        values.push_back(map(inner, depth + 1));
      } else if (begins_text(rest)) {
        values.push_back(text_block(rest, indent));
      } else {
        values.push_back(value_of(rest, indent));
      }
    }
    return values;
  }

  /// The block under a name or a dash, or null where nothing is indented as far as `least`.
  nlohmann::json nested(std::size_t least, int depth) {
    skip_empty();
    if (done() || indent_of(line()) < least) return nullptr;
    return block(indent_of(line()), depth + 1);
  }

  /// Where the colon stands that ends the name a line begins with.
  static std::size_t key_end(std::string_view rest) {
    if (rest.empty() || rest.front() == '#') return rest.npos;
    const char quote = rest.front() == '"' || rest.front() == '\'' ? rest.front() : '\0';
    std::size_t from = 0;
    if (quote != '\0') {
      from = rest.find(quote, 1);
      if (from == rest.npos) return rest.npos;
    }
    for (std::size_t i = from; i < rest.size(); ++i) {
      if (rest[i] == '#' && i > 0 && is_blank(rest[i - 1])) break;
      if (rest[i] == ':' && (i + 1 == rest.size() || is_blank(rest[i + 1]))) return i;
    }
    return rest.npos;
  }

  nlohmann::json map(std::size_t indent, int depth) {
    if (depth > deepest_collection)
      refuse("is nested more than " + std::to_string(deepest_collection) + " deep");
    nlohmann::json values = nlohmann::json::object();
    std::set<std::string> named;  // by the map itself, not by one that is merged
    bool begins = true;           // beside a dash, the first name is looked at where it stands
    while (begins || more(indent)) {
      const std::string_view all = line();
      std::string_view rest = trimmed(begins ? all.substr(indent) : all);
      begins = false;
      if (is_item(rest)) refuse("is an item of a list among names");
      const std::size_t colon = key_end(rest);
      if (colon == rest.npos) refuse("is no name with a colon after it");
      const std::string key = key_of(trimmed(rest.substr(0, colon)));
      rest = trimmed(rest.substr(colon + 1));
      count_values(1);
      if (key == "<<") {
        merge(values, rest);
        continue;
      }
      const std::size_t number = raw_[at_].number;
      const std::string anchor = take_anchor(rest);
      nlohmann::json value = value_under(rest, indent, depth);
      if (!named.insert(key).second && values[key] != value)
        refuse_line(name_, number, shown_name(key) + " is given twice, with another value");
      if (!anchor.empty()) anchors_[anchor] = {value, values_in(value)};
      values[key] = std::move(value);
    }
    return values;
  }

  std::string key_of(std::string_view typed) const {
    if (typed.empty()) refuse("has no name before its colon");
    if (typed.front() != '"' && typed.front() != '\'') return std::string(typed);
    return flow_reader{typed, name_, raw_[at_].number, ':'}.quoted();
  }

  /// The name of "&name", taken off the beginning of a value.
  static std::string take_anchor(std::string_view& rest) {
    if (!rest.starts_with('&')) return {};
    const std::size_t end = rest.find(' ');
    const std::string name{rest.substr(1, end == rest.npos ? rest.npos : end - 1)};
    rest = end == rest.npos ? std::string_view{} : trimmed(rest.substr(end));
    return name;
  }

  /// Adds the values of a marked map; names of the map itself go before them.
  void merge(nlohmann::json& into, std::string_view rest) {
    const std::size_t end = rest.find_first_of(" \t#");
    const auto found = anchors_.find(
        std::string(rest.starts_with('*') ? rest.substr(1, end - 1) : std::string_view{}));
    if (found == anchors_.end() || !found->second.first.is_object())
      refuse("<<: must name a map that an anchor above it marks, as <<: *name");
    count_values(found->second.second);
    for (const auto& [key, value] : found->second.first.items()) into.emplace(key, value);
    ++at_;
  }

  static int values_in(const nlohmann::json& value) {
    int count = 1;
    if (value.is_structured())
      for (const auto& part : value) count += values_in(part);
    return count;
  }

  nlohmann::json value_under(std::string_view rest, std::size_t indent, int depth) {
    if (rest.empty() || rest.front() == '#') {
      ++at_;
      skip_empty();
      // The items of a list may stand at the indentation of its name.
      const bool items = !done() && indent_of(line()) == indent && is_item(trimmed(line()));
      return nested(items ? indent : indent + 1, depth);
    }
    return begins_text(rest) ? text_block(rest, indent) : value_of(rest, indent);
  }

  static bool begins_text(std::string_view rest) {
    return rest.starts_with('|') || rest.starts_with('>');
  }

  /// The lines under | or >, which are indented more than its name or dash.
  nlohmann::json text_block(std::string_view rest, std::size_t indent) {
    const auto how = yaml_block_header_of(rest);
    if (!how) refuse("| and > may only have -, + or a number of columns after them");
    std::size_t column = indent + how->indent;
    std::vector<std::string_view> lines;
    for (++at_; !done(); ++at_) {
      const std::size_t here = yaml_indent(line());
      const bool is_blank_line = here == line().size() && (here <= column || column == indent);
      if (!is_blank_line && column == indent) column = std::max(here, indent + 1);
      if (!is_blank_line && here < column) break;
      lines.push_back(is_blank_line ? std::string_view{} : line().substr(column));
    }
    return yaml_block_text(lines, *how);
  }

  /// A value that begins on this line, with the lines that continue it.
  nlohmann::json value_of(std::string_view rest, std::size_t indent) {
    const std::size_t number = raw_[at_].number;
    open_ends open = open_ends_of(rest);
    std::string text{trimmed(rest.substr(0, open.comment))};
    ++at_;
    const bool plain = !text.starts_with('"') && !text.starts_with('\'') &&
                       !text.starts_with('[') && !text.starts_with('{');
    for (; !done(); ++at_) {
      if (!open.any() && (!plain || is_empty(line()) || indent_of(line()) <= indent)) break;
      const std::string_view next = trimmed(line());
      if (plain && key_end(next) != next.npos) refuse("is indented more than the lines above it");
      if (open.any() && is_empty(line())) continue;
      text += " " + std::string(next);
      if (text.size() > longest_logical_line) refuse_line(name_, number, "has too long a value");
      open = open_ends_of(text);
      text = std::string(trimmed(std::string_view(text).substr(0, open.comment)));
    }
    if (open.any()) refuse_line(name_, number, "a quote or a bracket is not closed");
    return flow_reader{text, name_, number, ':'}.whole();
  }

  std::string_view name_;
  std::vector<raw_line> raw_{};
  std::size_t at_ = 0;
  int values_ = 0;
  std::map<std::string, std::pair<nlohmann::json, int>> anchors_{};
};

}  // namespace detail

/// What a YAML text says: maps, lists, flow collections, plain and quoted scalars, blocks of text,
/// comments, and maps merged by <<: *name.  Other anchors, tags and several documents are not read.
/// A name may be given twice with the same value: configurations of Megatron-LM do.
///
///     text  of at most largest_yaml_text bytes
///     name  of the file, for the error line
///
/// \throws invalid_input of one line, "<name>: line 3: ...", if the text is too long or no such
///         YAML, gives a name two values, nests deeper than 32 or has more than most_yaml_values
///         values
inline nlohmann::json parse_yaml(std::string_view text, std::string_view name) {
  if (text.size() > largest_yaml_text)
    throw invalid_input{std::string(name) + ": is longer than " +
                        std::to_string(largest_yaml_text >> 20) + " MiB"};
  return detail::yaml_reader{text, name}.whole();
}

}  // namespace gpuplan
