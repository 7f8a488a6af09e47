/// \file
/// gpuplan completion: what a shell needs to complete a command line, made from the options
/// themselves.

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <gpuplan/api/cluster_fields.hpp>
#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/launch/launch_framework.hpp>
#include <gpuplan/memory/workspace_fields.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/model/recipe_fields.hpp>

#include "inputs.hpp"
#include "program.hpp"

namespace gpuplan::cli {
namespace {

constexpr const char* after_completion_options =
    "Load it with one of:\n"
    "  source <(gpuplan completion bash)                  in ~/.bashrc\n"
    "  source <(gpuplan completion zsh)                   in ~/.zshrc, after compinit\n"
    "  gpuplan completion fish | source                   in config.fish\n";

enum class shell { bash, zsh, fish };
constexpr std::array shell_names{named<shell>{"bash", shell::bash}, named<shell>{"zsh", shell::zsh},
                                 named<shell>{"fish", shell::fish}};

using word_list = std::vector<std::string>;

/// Words that may follow an option, by any of its names.
struct option_values {
  word_list options;
  word_list values;
};

/// A name without blanks, which names are found by, too.
std::string as_word(std::string_view name) {
  std::string word{name};
  std::replace(word.begin(), word.end(), ' ', '-');
  return word;
}

template <class Rows>
word_list names_in(const Rows& rows) {
  word_list names;
  for (const auto& row : rows) names.push_back(as_word(row.name));
  return names;
}

/// "--micro-batch,--mbs" as its parts.
word_list parts_of_option(std::string_view names) {
  word_list parts;
  for (;;) {
    const auto comma = names.find(',');
    parts.emplace_back(names.substr(0, comma));
    if (comma == names.npos) return parts;
    names.remove_prefix(comma + 1);
  }
}

template <class Rows>
void add_choices(std::vector<option_values>& known, const Rows& fields) {
  for (const auto& row : fields) {
    const bool is_flag =
        row.value.kind == field_kind::flag || row.value.kind == field_kind::flag_or_probability;
    word_list values = is_flag ? word_list{"on", "off"} : names_in(row.value.names);
    if (!values.empty()) known.push_back({parts_of_option(row.option), std::move(values)});
  }
}

/// Every option whose values are names.
std::vector<option_values> values_of_options() {
  std::vector<option_values> known{{{"--gpu"}, names_in(catalog::accelerators)},
                                   {{"--fabric"}, names_in(catalog::fabrics)},
                                   {{"--emit"}, names_in(launch_framework_names)}};
  add_choices(known, recipe_fields);
  add_choices(known, parallelism_fields);
  add_choices(known, workspace_fields);
  add_choices(known, api::cluster_fields);
  return known;
}

word_list names_of_options(const CLI::App& command) {
  word_list names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

bool takes_model(const CLI::App& command) {
  const auto options = command.get_options();
  return std::any_of(options.begin(), options.end(), [](const CLI::Option* option) {
    return option->get_positional() && option->get_name() == "MODEL";
  });
}

std::string joined(const word_list& words, std::string_view between) {
  return fmt::format("{}", fmt::join(words, between));
}

/// The first sentence of a description, in single quotes of a shell.
std::string quoted_words(std::string_view text) {
  std::string words = "'";
  for (const char c : text.substr(0, text.find('\n')))
    words += c == '\'' ? "'\\''" : std::string(1, c);
  return words + "'";
}

/// What bash and zsh share: the words of a case for each option with names, and each subcommand.
struct shell_cases {
  std::string values, commands;
};

shell_cases cases_of(const CLI::App& program, std::string_view reply) {
  shell_cases made;
  for (const option_values& one : values_of_options())
    made.values += fmt::format("    {}) {} ;;\n", joined(one.options, "|"),
                               fmt::format(fmt::runtime(reply), joined(one.values, " ")));
  const auto common = names_of_options(program);
  word_list names;
  for (const CLI::App* command : program.get_subcommands({})) {
    names.push_back(command->get_name());
    word_list words = names_of_options(*command);
    if (takes_model(*command))
      for (std::string& name : names_in(catalog::models)) words.push_back(std::move(name));
    made.commands += fmt::format("    {}) list='{}' ;;\n", command->get_name(), joined(words, " "));
  }
  made.commands += fmt::format("    *) list='{} {}' ;;\n", joined(names, " "), joined(common, " "));
  return made;
}

std::string names_of_commands(const CLI::App& program) {
  word_list names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  return joined(names, "|");
}

std::string bash_completion(const CLI::App& program) {
  const shell_cases cases = cases_of(program, "list='{}'");
  return fmt::format(R"(# Completion of gpuplan for bash: source <(gpuplan completion bash)
_gpuplan() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command= list= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${{COMP_WORDS[i]}} in
    {}) command=${{COMP_WORDS[i]}}; break ;;
    esac
  done
  case $before in
{}  esac
  if [[ -z $list ]]; then
    case $command in
{}    esac
  fi
  COMPREPLY=($(compgen -W "$list" -- "$word"))
}}
complete -o default -F _gpuplan gpuplan
)",
                     names_of_commands(program), cases.values, cases.commands);
}

std::string zsh_completion(const CLI::App& program) {
  const shell_cases cases = cases_of(program, "list='{}'");
  return fmt::format(R"(#compdef gpuplan
# Completion of gpuplan for zsh: source <(gpuplan completion zsh), after compinit
_gpuplan() {{
  local before=${{words[CURRENT-1]}} command= list= word
  for word in ${{words[2,CURRENT-1]}}; do
    case $word in
    {}) command=$word; break ;;
    esac
  done
  case $before in
{}  esac
  if [[ -z $list ]]; then
    case $command in
{}    esac
  fi
  compadd -- ${{=list}}
  if [[ -n $command ]]; then _files; fi
}}
compdef _gpuplan gpuplan
)",
                     names_of_commands(program), cases.values, cases.commands);
}

/// Words of a list that fish expands: brackets would start a command.
std::string fish_words(const word_list& words) {
  std::string text;
  for (const char c : joined(words, " ")) {
    if (c == '(' || c == ')') text += '\\';
    text += c;
  }
  return text;
}

std::string fish_completion(const CLI::App& program) {
  const std::vector<option_values> known = values_of_options();
  std::string text = "# Completion of gpuplan for fish: gpuplan completion fish | source\n";
  for (const CLI::App* command : program.get_subcommands({})) {
    text += fmt::format("complete -c gpuplan -n __fish_use_subcommand -a {} -d {}\n",
                        command->get_name(), quoted_words(command->get_description()));
    const std::string seen =
        fmt::format("complete -c gpuplan -n '__fish_seen_subcommand_from {}'", command->get_name());
    if (takes_model(*command))
      text += fmt::format("{} -a '{}'\n", seen, fish_words(names_in(catalog::models)));
    for (const CLI::Option* option : command->get_options()) {
      if (option->get_lnames().empty()) continue;
      std::string names;
      for (const std::string& name : option->get_lnames()) names += " -l " + name;
      const std::string main = "--" + option->get_lnames().front();
      const auto values = std::find_if(known.begin(), known.end(), [&](const option_values& one) {
        return one.options.front() == main;
      });
      std::string argument = option->get_items_expected_max() > 0 ? " -r" : "";
      if (!argument.empty() && values != known.end())
        argument = fmt::format(" -x -a '{}'", fish_words(values->values));
      text += fmt::format("{}{}{} -d {}\n", seen, names, argument,
                          quoted_words(option->get_description()));
    }
  }
  return text;
}

}  // namespace

command completion_command(CLI::App& program) {
  CLI::App* options = program.add_subcommand(
      "completion", "What makes bash, zsh or fish complete command lines of gpuplan");
  options->footer(after_completion_options);
  const auto typed = std::make_shared<std::string>();
  options->add_option("SHELL", *typed, "bash, zsh or fish")->required();

  return {options, [typed, &program] {
            switch (choice(*typed, shell_names, "SHELL")) {
              case shell::bash: print(bash_completion(program)); break;
              case shell::zsh: print(zsh_completion(program)); break;
              case shell::fish: print(fish_completion(program)); break;
            }
            return exit_done;
          }};
}

}  // namespace gpuplan::cli
