#pragma once
/// \file
/// The words of a command line, option by option, so that one can be changed and the whole printed
/// again.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/model/field.hpp>

namespace CLI {
class App;
}

namespace gpuplan::cli {

/// An option and its value.
struct typed_option {
  std::string name;
  std::string value;
};

/// A subcommand with a model, empty where a launch describes it, and options that ask for something;
/// those of the answer are left out.
struct command_words {
  std::string subcommand{}, model{};
  std::vector<typed_option> options{};

  [[nodiscard]] bool has(std::string_view name) const;
  /// Gives an option a value, whether it is there or not.
  void set(std::string_view name, std::string value);
  void erase(std::string_view name);
  /// The arguments of the subcommand.
  [[nodiscard]] std::vector<std::string> arguments() const;
  /// "gpuplan plan llama-3-8b --gpus 64", quoted for a shell.
  [[nodiscard]] std::string text() const;
};

/// The words that were typed for a subcommand, aliases by their first name.
command_words words_of(const CLI::App& command);
/// Reads words into the options of a subcommand.
/// \throws bad_usage
void read_words(CLI::App& command, const command_words& words);

/// "--offload all --recompute full": what words have that others have not.
std::string added_words(const command_words& words, const command_words& before);

/// A value of a field as an option takes it.
std::string option_text(field_kind kind, std::span<const named<int>> names, double value);

/// Sets the options of a table in which an owner differs from another.
template <class Rows, class Owner>
void set_changed(command_words& words, const Rows& rows, const Owner& before, const Owner& after) {
  for (const field<Owner>& row : rows)
    if (row.value.get != nullptr && row.value.get(before) != row.value.get(after))
      words.set(row.main_option(),
                option_text(row.value.kind, row.value.names, row.value.get(after)));
}

}  // namespace gpuplan::cli
