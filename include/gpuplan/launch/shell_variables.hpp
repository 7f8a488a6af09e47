#pragma once
/// \file
/// Variables of a shell text, and words with these put in.

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <gpuplan/launch/shell_arithmetic.hpp>
#include <gpuplan/launch/shell_truth.hpp>
#include <gpuplan/launch/shell_words.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_scalar.hpp>

namespace gpuplan {

namespace detail {

/// The most bytes that variables may stand for, so that those which hold each other end.
inline constexpr std::size_t largest_expansion = std::size_t{4} << 20;

/// The most texts that run texts, and variables in variables.
inline constexpr int deepest_shell_text = 4;

/// Whether a word sets a variable of the shell: NAME=value, or NAME+=value.
inline bool sets_variable(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == word.npos || equals == 0 || (word[0] >= '0' && word[0] <= '9')) return false;
  std::string_view name = word.substr(0, equals);
  if (name.size() > 1 && name.ends_with('+')) name.remove_suffix(1);
  return std::all_of(name.begin(), name.end(), is_name_character);
}

/// The words of a text that blanks part; a backslash alone goes on with the next line.
inline std::vector<std::string> split_at_blanks(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : std::string(text) + " ") {
    const bool parts = is_blank(c) || c == '\n';
    if (!parts) word += c;
    if (parts && !word.empty() && word != "\\") words.push_back(word);
    if (parts) word.clear();
  }
  return words;
}

}  // namespace detail

/// The variables that a shell text sets.  Each holds the words of a list, or one.
class shell_variables {
 public:
  using strings = std::vector<std::string>;

  /// `file` is its name, for error lines.
  explicit shell_variables(std::string_view file) : file_{file} {}

  /// Sets a variable, or adds to it where its name ends with +.  It rests on the lines of
  /// undecided tests.
  void set(std::string name, strings list, const shell_lines& rests_on) {
    if (!name.ends_with('+')) {
      rests_on_[name] = rests_on;
      held_[name] = std::move(list);
      return;
    }
    name.pop_back();
    rests_on_[name].add(rests_on);
    strings& held = held_[name];
    if (held.size() == 1 && list.size() == 1)
      held.front() += list.front();
    else
      held.insert(held.end(), list.begin(), list.end());
  }
  /// Says that an undecided test decides whether a variable is set.
  void doubt(std::string name, const shell_lines& rests_on) {
    if (name.ends_with('+')) name.pop_back();
    rests_on_[name].add(rests_on);
  }
  /// What a variable holds is not known from now on.
  void forget(std::string_view name) {
    if (const auto found = held_.find(name); found != held_.end()) held_.erase(found);
  }

  /// What the variables hold that an expression changes is not known from now on.
  void forget_changed(std::string_view expression) {
    for (const std::string_view name : names_changed_in(expression)) forget(name);
  }

  /// Lines of the undecided tests that words rest on which were put in since the last call.
  shell_lines take_lines() { return std::exchange(used_, {}); }

  /// Variables that ${NAME:=otherwise} set since the last call.
  strings take_defaulted() { return std::exchange(defaulted_, {}); }

  /// Adds a word with its variables put in: as many words as the shell makes of it.
  /// \throws invalid_input if variables grow too large
  void expand(const shell_word& word, strings& all) {
    if (word.quoting == shell_quoting::literal || word.text.find('$') == word.text.npos) {
      all.push_back(word.text);
      return;
    }
    const bool splits = word.quoting == shell_quoting::none;
    if (const strings* held = list_of(word.text); held != nullptr && held->size() != 1) {
      for (const std::string& one : *held) {
        spend(one.size() + 1);
        const strings words = splits ? detail::split_at_blanks(one) : strings{one};
        all.insert(all.end(), words.begin(), words.end());
      }
      return;
    }
    const std::string text = with_variables(word.text, 0);
    if (!splits || text == word.text) {
      all.push_back(text);
      return;
    }
    const strings words = detail::split_at_blanks(text);
    all.insert(all.end(), words.begin(), words.end());
  }

  /// A text with its variables put in; those that are not set stay as they are written.
  /// \throws invalid_input if variables grow too large
  std::string in(std::string_view text) { return with_variables(text, 0); }

  /// What a sum of variables is, as shell_arithmetic has it.
  /// \throws invalid_input as it does, or if variables grow too large
  std::optional<std::int64_t> number_of(std::string_view sum) { return number_of(sum, 0); }

 private:
  /// What the variable holds that a word names as a whole: $NAME, ${NAME}, ${NAME[@]}.
  [[nodiscard]] const strings* list_of(std::string_view word) {
    if (!word.starts_with('$')) return nullptr;
    word.remove_prefix(1);
    if (word.starts_with('{') && word.ends_with('}')) word = word.substr(1, word.size() - 2);
    if (word.ends_with("[@]") || word.ends_with("[*]")) word.remove_suffix(3);
    if (const auto open = rests_on_.find(word); open != rests_on_.end()) used_.add(open->second);
    const auto found = held_.find(word);
    return found == held_.end() ? nullptr : &found->second;
  }

  std::string with_variables(std::string_view text, int depth) {
    std::string all;
    while (!text.empty()) {
      const std::size_t dollar = std::min(text.find('$'), text.size());
      all += text.substr(0, dollar);
      text.remove_prefix(dollar);
      if (text.empty()) break;
      std::size_t end = detail::end_of_substitution(text, 0);
      if (end == 0) {
        end = 1;
        while (end < text.size() && detail::is_name_character(text[end])) ++end;
      }
      all += value_of(text.substr(0, end), depth);
      text.remove_prefix(end);
    }
    spend(all.size());
    return all;
  }

  /// $NAME, ${NAME}, ${NAME:-otherwise}, ${NAME:=otherwise}, which sets it, or $((sum)).
  std::string value_of(std::string_view named, int depth) {
    if (named.starts_with("$((") && named.ends_with("))") && depth < detail::deepest_shell_text)
      return computed(named, depth);
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
    if (!std::all_of(name.begin(), name.end(), detail::is_name_character))
      return std::string(named);
    if (const strings* held = list_of("$" + name); held != nullptr && *held != strings{""})
      return value_of("${" + name + "}", depth);
    const std::string_view other = named.substr(colon + 2, named.size() - colon - 3);
    std::string value =
        depth < detail::deepest_shell_text ? with_variables(other, depth + 1) : std::string(other);
    if (named[colon + 1] == '=') {
      set(name, {value}, {});
      defaulted_.push_back(name);
    }
    return value;
  }

  /// $((sum)) as a number, or as it is written where it is not known.
  std::string computed(std::string_view named, int depth) {
    const std::string_view sum = named.substr(3, named.size() - 5);
    const auto value = number_of(sum, depth);
    if (!value) forget_changed(sum);
    return value ? std::to_string(*value) : std::string(named);
  }

  std::optional<std::int64_t> number_of(std::string_view text, int depth) {
    const std::string sum = with_variables(text, depth + 1);
    const auto value_of_name = [&](std::string_view name) -> std::optional<std::int64_t> {
      const strings* held = list_of("$" + std::string(name));
      if (held == nullptr || held->size() != 1) return std::nullopt;
      const std::string& number = held->front();
      std::int64_t value = 0;
      const auto [at, failed] =
          std::from_chars(number.data(), number.data() + number.size(), value);
      const bool is_number = failed == std::errc{} && at == number.data() + number.size();
      return is_number ? std::optional{value} : std::nullopt;
    };
    return shell_arithmetic(sum, value_of_name, file_);
  }

  void spend(std::size_t size) {
    spent_ += size;
    if (spent_ > detail::largest_expansion)
      throw invalid_input{std::string(file_) + ": its variables stand for more than 4 MiB"};
  }

  std::string_view file_;
  std::map<std::string, strings, std::less<>> held_{};
  std::map<std::string, shell_lines, std::less<>> rests_on_{};
  shell_lines used_{};
  strings defaulted_{};
  std::size_t spent_ = 0;
};

}  // namespace gpuplan
