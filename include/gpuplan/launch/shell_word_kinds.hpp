#pragma once
/// \file
/// What a word of a shell text is: an override, or one that a command begins with.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include <gpuplan/launch/shell_condition.hpp>
#include <gpuplan/launch/shell_words.hpp>

namespace gpuplan {

namespace detail {

/// An override of Hydra without the sign that adds a field, + or ++.
///
/// Source: Meta, Hydra, "Basic Override syntax" (1.3, 2023).
inline std::string_view without_plus(std::string_view word) {
  const std::size_t plus = word.starts_with("++") ? 2 : word.starts_with('+') ? 1 : 0;
  return word.substr(plus);
}

/// Whether a word sets a field of a configuration: model.num_layers=32.
inline bool is_override(std::string_view word) {
  word = without_plus(word);
  const std::size_t equals = word.find('=');
  const std::size_t dot = word.substr(0, equals).find('.');
  const bool whole = word.starts_with("mixed_precision=") || word.starts_with("peft=");
  return equals != word.npos && (dot != word.npos || whole) && word.find('/') > equals;
}

/// Words that stand before a variable that is set.
inline bool precedes_variable(std::string_view word) {
  constexpr auto words =
      std::to_array<std::string_view>({"export", "local", "declare", "readonly", "typeset"});
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// Words after which a command begins, and those that begin or end a compound one.
inline bool is_keyword(const shell_word& word) {
  for (const char* name : {"if", "elif", "then", "else", "fi", "while", "until", "do", "done", "{",
                           "}", "!", "for", "select", "case", "esac", "function"})
    if (is_bare(word, name)) return true;
  return word.quoting == shell_quoting::none && !word.is_operator &&
         (word.text.ends_with("()") || word.text.ends_with("(){"));
}

}  // namespace detail

}  // namespace gpuplan
