#pragma once
/// \file
/// What a word of a shell text is: an argument, an override, a program, or one that a command
/// begins with.

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
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

/// Whether a word names an argument: --name, or --name=value.
inline bool is_argument(std::string_view word) {
  return word.size() > 2 && word.starts_with("--");
}

/// The name of an argument or of an override without its value, with - for _.
inline std::string argument_name(std::string_view word) {
  std::string name(word.substr(0, word.find('=')));
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

/// The file of a path.
inline std::string_view file_of(std::string_view word) {
  return word.substr(word.rfind('/') + 1);  // npos + 1 is 0
}

/// Whether a file is PyTorch's launcher.
inline bool is_torch_launcher(std::string_view file) {
  return file == "torchrun" || file.starts_with("torch.distributed");
}

/// Whether a file is a launcher; asked of words before the script alone.
inline bool is_launcher(std::string_view file) {
  return is_torch_launcher(file) || file == "deepspeed" || file == "accelerate";
}

/// Whether a word is a script of Python.
inline bool is_script(std::string_view word) {
  return word.ends_with(".py");
}

/// Whether a word starts a program whose arguments are its own.
inline bool starts_program(std::string_view word) {
  const std::string_view file = file_of(word);
  return file == "bash" || file == "sh" || is_launcher(file) || file.starts_with("python") ||
         is_script(file);
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
