#pragma once
/// \file
/// Arguments from a shell line, from a file of arguments, or from overrides such as model.x=1.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/require.hpp>
#include <gpuplan/text/json_scalar.hpp>

namespace gpuplan {

/// The longest shell line or file of arguments that is read, in bytes.
inline constexpr std::size_t largest_command_line = std::size_t{256} << 10;

namespace detail {

/// Words of a shell text: blanks part them, quotes keep them whole, # begins a comment, and a
/// backslash goes on with the next line.  The brackets of NAME=( ... ), the end of a line and ; are
/// words of their own.
///
/// \throws invalid_input of one line if a quote is not closed
inline std::vector<std::string> shell_words(std::string_view text, std::string_view name) {
  std::vector<std::string> words;
  std::string word;
  bool begun = false;
  char quote = 0;
  const auto end_word = [&] {
    if (begun) words.push_back(std::exchange(word, {}));
    begun = false;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      begun = true;
    } else if (c == '\\' && i + 1 < text.size()) {
      const char next = text[++i];
      if (next == '\r' && i + 1 < text.size()) ++i;
      if (next != '\n' && next != '\r') word += next;
      if (next != '\n' && next != '\r') begun = true;
    } else if (c == '#' && !begun) {
      while (i + 1 < text.size() && text[i + 1] != '\n') ++i;
    } else if (c == '\n' || c == ';') {
      end_word();
      words.emplace_back(1, c);
    } else if (is_blank(c)) {
      end_word();
    } else if ((c == '(' && word.ends_with('=')) || (c == ')' && !begun)) {
      end_word();
      words.emplace_back(1, c);
    } else {
      word += c;
      begun = true;
    }
  }
  if (quote != 0) throw invalid_input{std::string(name) + ": a quote is not closed"};
  end_word();
  return words;
}

/// Whether a word sets a variable of the shell: NAME=value.
inline bool sets_variable(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == word.npos || equals == 0 || (word[0] >= '0' && word[0] <= '9')) return false;
  for (const char c : word.substr(0, equals))
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'))
      return false;
  return true;
}

/// A word with the value of the variable that it names as a whole: $NAME, ${NAME}, ${NAME:-value}.
inline std::string with_variable(const std::string& word,
                                 const std::map<std::string, std::string>& variables) {
  if (!word.starts_with('$')) return word;
  std::string name = word.substr(1);
  if (name.starts_with('{') && name.ends_with('}')) name = name.substr(1, name.size() - 2);
  const std::size_t otherwise = name.find(":-");
  const auto found = variables.find(name.substr(0, otherwise));
  if (found != variables.end()) return found->second;
  return otherwise == name.npos ? word : name.substr(otherwise + 2);
}

inline bool is_override(std::string_view word) {
  const std::size_t equals = word.find('=');
  const std::size_t dot = word.substr(0, equals).find('.');
  return equals != word.npos && (dot != word.npos || word.starts_with("mixed_precision=")) &&
         word.find('/') > equals;
}

/// Whether a word ends a command, or sends what it prints elsewhere: |, &&, 2>&1, >log.
inline bool ends_command(std::string_view word) {
  if (word == "|" || word == "||" || word == "|&" || word == "&" || word == "&&" || word == ";")
    return true;
  if (word.starts_with('1') || word.starts_with('2') || word.starts_with('&'))
    word.remove_prefix(1);
  return word.starts_with('>');
}

/// Gathers names and values from the words of a command line.
class word_reader {
 public:
  nlohmann::json read(const std::vector<std::string>& words) {
    for (const std::string& word : words) add(word);
    end_argument();
    return std::move(values_);
  }

 private:
  void add(const std::string& word) {
    if (word == "\n") {
      end_line();
    } else if (ends_command(word)) {
      end_argument();
    } else if (word.starts_with("--") && word.size() > 2) {
      end_argument();
      const std::size_t equals = word.find('=');
      name_ = word.substr(2, equals == word.npos ? word.npos : equals - 2);
      if (equals != word.npos) parts_.push_back(word.substr(equals + 1));
    } else if (word == "(" || word == ")") {
      end_argument();
      in_list_ = word == "(";
    } else if (word.ends_with(".py")) {
      end_argument();
      values_["script"] = word.substr(word.rfind('/') + 1);
    } else if (is_override(word)) {
      end_argument();
      const std::size_t equals = word.find('=');
      values_[word.substr(0, equals)] = plain_scalar(std::string_view(word).substr(equals + 1));
    } else if (name_.empty()) {
      if (sets_variable(word))
        variables_[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
    } else {
      parts_.push_back(with_variable(word, variables_));
    }
  }

  /// A command ends with its line.  Of arguments without one a value may stand on the next.
  void end_line() {
    if (!in_list_ && values_.contains("script")) end_argument();
  }

  void end_argument() {
    if (!name_.empty()) {
      nlohmann::json value = true;
      if (parts_.size() == 1) value = plain_scalar(parts_.front());
      if (parts_.size() > 1) {
        value = nlohmann::json::array();
        for (const std::string& part : parts_) value.push_back(plain_scalar(part));
      }
      values_[name_] = std::move(value);
    }
    name_.clear();
    parts_.clear();
  }

  nlohmann::json values_ = nlohmann::json::object();
  std::map<std::string, std::string> variables_{};
  std::string name_{};
  std::vector<std::string> parts_{};
  bool in_list_ = false;  ///< between the brackets of NAME=( ... )
};

}  // namespace detail

/// The arguments of a command line, by their names without dashes; those without a value are true.
/// Of an argument that is given twice the last value counts, as argparse reads it.  "script" is
/// the file that is started; overrides, as model.num_layers=32, keep their dots.
///
///     text  a shell line, a shell script that holds one, or arguments alone
///     name  of the file, for the error line
///
/// \throws invalid_input of one line if the text is too long or a quote is not closed
inline nlohmann::json arguments_of_command_line(std::string_view text, std::string_view name) {
  if (text.size() > largest_command_line)
    throw invalid_input{std::string(name) + ": is longer than " +
                        std::to_string(largest_command_line >> 10) + " KiB"};
  return detail::word_reader{}.read(detail::shell_words(text, name));
}

}  // namespace gpuplan
