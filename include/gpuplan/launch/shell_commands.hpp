#pragma once
/// \file
/// Commands of a shell text, with its variables put in.

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gpuplan/launch/shell_words.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_scalar.hpp>

namespace gpuplan {

/// A command, or what a variable is set to.
struct shell_command {
  std::vector<std::string> words{};
  std::string after{};       ///< the operator before it; empty for the first
  bool is_variable = false;  ///< the words of a variable that holds several
  std::size_t line = 0;      ///< of its first word, from 1; of what eval and sh -c run: theirs
};

namespace detail {

/// The most bytes that variables may stand for, so that those which hold each other end.
inline constexpr std::size_t largest_expansion = std::size_t{4} << 20;

inline bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Whether a word sets a variable of the shell: NAME=value, or NAME+=value.
inline bool sets_variable(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == word.npos || equals == 0 || (word[0] >= '0' && word[0] <= '9')) return false;
  std::string_view name = word.substr(0, equals);
  if (name.size() > 1 && name.ends_with('+')) name.remove_suffix(1);
  return std::all_of(name.begin(), name.end(), is_name_character);
}

inline bool is_override(std::string_view word) {
  const std::size_t equals = word.find('=');
  const std::size_t dot = word.substr(0, equals).find('.');
  return equals != word.npos && (dot != word.npos || word.starts_with("mixed_precision=")) &&
         word.find('/') > equals;
}

/// Words that stand before a variable that is set.
inline bool precedes_variable(std::string_view word) {
  constexpr auto words = std::to_array<std::string_view>(
      {"export", "local", "declare", "readonly", "typeset", "then", "else", "do", "{"});
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Goes through a shell text and keeps its variables.
class shell_reader {
 public:
  explicit shell_reader(std::string_view name) : name_{name} {}

  std::vector<shell_command> read(std::string_view text) {
    run(shell_words(text, name_), 0);
    return std::move(commands_);
  }

 private:
  using strings = std::vector<std::string>;

  static constexpr int deepest = 4;  ///< texts that run texts, variables in variables

  void run(const std::vector<shell_word>& words, int depth) {
    std::vector<shell_word> command;
    std::string after;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const shell_word& word = words[i];
      if (!word.is_operator) {
        command.push_back(word);
      } else if (word.text == "(" && !command.empty() && sets_variable(command.back().text)) {
        const std::string name = std::exchange(command.back().text, {});
        command.pop_back();
        strings list;
        while (++i < words.size() && !words[i].is(")"))
          if (!words[i].is_operator) add_expanded(words[i], list);
        set_variable(name.substr(0, name.find('=')), list);
      } else {
        end_command(command, after, depth);
        command.clear();
        after = word.text;
      }
    }
    end_command(command, after, depth);
  }

  void end_command(const std::vector<shell_word>& words, const std::string& after, int depth) {
    std::size_t at = 0;
    while (at < words.size() && precedes_variable(words[at].text)) ++at;
    const std::size_t begin = at;
    for (; at < words.size() && sets_variable(words[at].text) && !is_override(words[at].text); ++at)
      set_scalar(words[at]);
    if (at == words.size() && at > begin) return;
    strings expanded;
    for (; at < words.size(); ++at) add_expanded(words[at], expanded);
    if (expanded.empty()) return;
    const std::size_t line = outer_line_ > 0 ? outer_line_ : words[begin].line;
    if (depth < deepest) {
      const std::size_t outer = std::exchange(outer_line_, line);
      run_texts(expanded, depth + 1);
      outer_line_ = outer;
    }
    commands_.push_back({std::move(expanded), after, false, line});
  }

  /// What eval and sh -c run.
  void run_texts(const strings& words, int depth) {
    std::string text;
    if (words.front() == "eval")
      for (std::size_t i = 1; i < words.size(); ++i) text += words[i] + " ";
    for (std::size_t i = 1; i + 1 < words.size(); ++i)
      if ((words[i] == "-c" || words[i] == "-lc") && words[i - 1].ends_with("sh"))
        text = words[i + 1];
    if (!text.empty()) run(shell_words(text, name_), depth);
  }

  void set_scalar(const shell_word& word) {
    const std::size_t equals = word.text.find('=');
    std::string value = word.text.substr(equals + 1);
    if (word.quoting != shell_quoting::literal) value = with_variables(value, 0);
    set_variable(word.text.substr(0, equals), {value});
  }

  /// Sets a variable, or adds to it where the name ends with +.
  void set_variable(std::string name, strings list) {
    std::string all;
    for (const std::string& word : list) all += word + " ";
    if (all.find("--") != all.npos || list.size() > 1)
      commands_.push_back({split(all), "\n", true});
    if (!name.ends_with('+')) {
      variables_[name] = std::move(list);
      return;
    }
    name.pop_back();
    strings& held = variables_[name];
    if (held.size() == 1 && list.size() == 1)
      held.front() += list.front();
    else
      held.insert(held.end(), list.begin(), list.end());
  }

  static strings split(std::string_view text) {
    strings words;
    std::string word;
    for (const char c : std::string(text) + " ") {
      const bool parts = is_blank(c) || c == '\n';
      if (!parts) word += c;
      if (parts && !word.empty() && word != "\\") words.push_back(word);
      if (parts) word.clear();
    }
    return words;
  }

  void add_expanded(const shell_word& word, strings& all) {
    if (word.quoting == shell_quoting::literal || word.text.find('$') == word.text.npos) {
      all.push_back(word.text);
      return;
    }
    if (const strings* held = list_of(word.text); held != nullptr && held->size() != 1) {
      for (const std::string& one : *held) {
        spend(one.size() + 1);
        const strings words = word.quoting == shell_quoting::none ? split(one) : strings{one};
        all.insert(all.end(), words.begin(), words.end());
      }
      return;
    }
    const std::string text = with_variables(word.text, 0);
    if (word.quoting == shell_quoting::split || text == word.text) {
      all.push_back(text);
      return;
    }
    const strings words = split(text);
    all.insert(all.end(), words.begin(), words.end());
  }

  /// What the variable holds that a word names as a whole: $NAME, ${NAME}, ${NAME[@]}.
  [[nodiscard]] const strings* list_of(std::string_view word) const {
    if (!word.starts_with('$')) return nullptr;
    word.remove_prefix(1);
    if (word.starts_with('{') && word.ends_with('}')) word = word.substr(1, word.size() - 2);
    if (word.ends_with("[@]") || word.ends_with("[*]")) word.remove_suffix(3);
    const auto found = variables_.find(word);
    return found == variables_.end() ? nullptr : &found->second;
  }

  /// A text with its variables put in; those that are not set stay as they are written.
  std::string with_variables(std::string_view text, int depth) {
    std::string all;
    while (!text.empty()) {
      const std::size_t dollar = std::min(text.find('$'), text.size());
      all += text.substr(0, dollar);
      text.remove_prefix(dollar);
      if (text.empty()) break;
      std::size_t end = end_of_substitution(text, 0);
      if (end == 0) {
        end = 1;
        while (end < text.size() && is_name_character(text[end])) ++end;
      }
      all += value_of(text.substr(0, end), depth);
      text.remove_prefix(end);
    }
    spend(all.size());
    return all;
  }

  /// $NAME, ${NAME}, or ${NAME:-otherwise}.
  std::string value_of(std::string_view named, int depth) {
    if (const strings* held = list_of(named)) {
      std::string all;
      for (const std::string& word : *held) {
        spend(word.size() + 1);
        all += (all.empty() ? "" : " ") + word;
      }
      return all;
    }
    const std::size_t colon = named.find(':');
    const bool has_other = named.starts_with("${") && colon != named.npos &&
                           colon + 1 < named.size() &&
                           (named[colon + 1] == '-' || named[colon + 1] == '=');
    if (!has_other) return std::string(named);
    const std::string name(named.substr(2, colon - 2));
    if (!std::all_of(name.begin(), name.end(), is_name_character)) return std::string(named);
    if (const auto found = variables_.find(name);
        found != variables_.end() && found->second != strings{""})
      return value_of("${" + name + "}", depth);
    const std::string_view other = named.substr(colon + 2, named.size() - colon - 3);
    return depth < deepest ? with_variables(other, depth + 1) : std::string(other);
  }

  void spend(std::size_t size) {
    spent_ += size;
    if (spent_ > largest_expansion)
      throw invalid_input{std::string(name_) + ": its variables stand for more than 4 MiB"};
  }

  std::string_view name_;
  std::vector<shell_command> commands_{};
  std::map<std::string, strings, std::less<>> variables_{};
  std::size_t spent_ = 0;
  std::size_t outer_line_ = 0;  // of the command whose text is gone through; 0: there is none
};

}  // namespace detail

/// The commands of a shell text in order, each with its words, and with the variables put in that
/// the text sets before.  Branches are not chosen: each is gone through.  What eval and sh -c run
/// stands before them.
///
/// \throws invalid_input of one line if a quote is not closed, or variables grow too large
inline std::vector<shell_command> shell_commands(std::string_view text, std::string_view name) {
  return detail::shell_reader{name}.read(text);
}

}  // namespace gpuplan
