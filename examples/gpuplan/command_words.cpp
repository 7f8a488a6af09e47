/// \file
/// The words of a command line.

#include "command_words.hpp"

#include <algorithm>
#include <utility>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "program.hpp"

namespace gpuplan::cli {
namespace {

constexpr const char* answer_group = "Answer";

auto place_of(const command_words& words, std::string_view name) {
  return std::find_if(words.options.begin(), words.options.end(),
                      [&](const typed_option& one) { return one.name == name; });
}

/// In single quotes, where a shell would read more than a word.
std::string quoted(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view{"_./:=,+-@%"}.find(c) != std::string_view::npos;
  });
  if (plain) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? "'\\''" : std::string(1, c);
  return text + "'";
}

std::string joined(const std::vector<std::string>& values) {
  std::string all;
  for (const std::string& one : values) all += (all.empty() ? "" : ",") + one;
  return all;
}

}  // namespace

bool command_words::has(std::string_view name) const {
  return place_of(*this, name) != options.end();
}

void command_words::set(std::string_view name, std::string value) {
  const auto found = place_of(*this, name);
  if (found == options.end())
    options.push_back({std::string(name), std::move(value)});
  else
    options[static_cast<std::size_t>(found - options.begin())].value = std::move(value);
}

void command_words::erase(std::string_view name) {
  std::erase_if(options, [&](const typed_option& one) { return one.name == name; });
}

std::vector<std::string> command_words::arguments() const {
  std::vector<std::string> all;
  if (!model.empty()) all.push_back(model);
  for (const typed_option& one : options) {
    all.push_back(one.name);
    all.push_back(one.value);
  }
  return all;
}

std::string command_words::text() const {
  std::string all = "gpuplan " + subcommand;
  for (const std::string& word : arguments()) all += " " + quoted(word);
  return all;
}

command_words words_of(const CLI::App& command) {
  command_words words;
  words.subcommand = command.get_name();
  for (const CLI::Option* one : command.get_options()) {
    if (one->count() == 0 || one->get_group() == answer_group) continue;
    const std::string value = joined(one->results());
    if (one->get_positional())
      words.model = value;
    else if (!one->get_lnames().empty())
      words.options.push_back({"--" + one->get_lnames().front(), value});
  }
  return words;
}

void read_words(CLI::App& command, const command_words& words) {
  std::vector<std::string> last_first = words.arguments();
  std::reverse(last_first.begin(), last_first.end());
  try {
    command.parse(last_first);
  } catch (const CLI::ParseError& error) {
    throw bad_usage{error.what()};
  }
}

std::string added_words(const command_words& words, const command_words& before) {
  std::string all;
  for (const typed_option& one : words.options) {
    const auto found = place_of(before, one.name);
    if (found != before.options.end() && found->value == one.value) continue;
    all += (all.empty() ? "" : " ") + one.name + " " + quoted(one.value);
  }
  for (const typed_option& one : before.options)
    if (!words.has(one.name)) all += (all.empty() ? "without " : ", without ") + one.name;
  return all;
}

std::string option_text(field_kind kind, std::span<const named<int>> names, double value) {
  switch (kind) {
    case field_kind::flag:
    case field_kind::flag_or_probability: return value != 0 ? "on" : "off";
    case field_kind::choice:
    case field_kind::level: return std::string(spelled(names, static_cast<int>(value)));
    case field_kind::set_of_choices: {
      std::string some;
      int left = static_cast<int>(value);
      for (const named<int>& row : names) {
        if ((left & row.value) == 0) continue;
        left &= ~row.value;
        some += (some.empty() ? "" : ",") + std::string(row.name);
      }
      return some.empty() ? "none" : some;
    }
    case field_kind::count: return std::to_string(static_cast<std::int64_t>(value));
    default: return nlohmann::json(value).dump();
  }
}

}  // namespace gpuplan::cli
