/// \file
/// The program from its words to its exit code.

#include "run.hpp"

#include <algorithm>
#include <cctype>
#include <exception>
#include <new>
#include <sstream>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <gpuplan/require.hpp>
#include <gpuplan/text/json_shown.hpp>

#include "help_text.hpp"
#include "inputs.hpp"
#include "program.hpp"

namespace gpuplan::cli {
namespace {

constexpr const char* after_options =
    "Exit codes: 0 done, 1 internal error or output lost, 2 usage or bad input,\n"
    "3 an --assert failed, 4 nothing fits.  Ctrl-C ends at once, which shells report as 130.\n"
    "\n"
    "Examples:\n"
    "  gpuplan plan llama-3-8b --gpu H100 --gpus 64 --tokens 15T\n"
    "  gpuplan fit config.json --gpu A100-40GB --sequence 4096\n"
    "  gpuplan model deepseek-v3\n"
    "  gpuplan queue --arrivals 4/h --service 10h --gpus 64\n"
    "  gpuplan place --nodes nodes.csv --jobs jobs.csv --policy all\n"
    "  gpuplan catalog accelerators H200\n"
    "  gpuplan formula erlang_c servers=5 offered=4\n"
    "  gpuplan explain before.json after.json\n"
    "  gpuplan collective all-reduce --bytes 1GB --gpu H100 --gpus 64\n"
    "  source <(gpuplan completion bash)\n";

/// One line on standard error, whatever is in the text.
exit_code refuse(std::string_view why, exit_code code) {
  while (why.ends_with('\n')) why.remove_suffix(1);
  say(why);
  return code;
}

/// An option without a value is seldom meant: a shell variable that nobody set, more often.
void refuse_empty_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options())
    for (const std::string& value : option->results())
      if (value.empty())
        throw bad_usage{(option->get_positional() ? option->get_name(true) : option->get_name()) +
                        " must not be empty"};
}

/// What the options cannot mean; the library's words for an option given twice say too little.
std::string in_words(const CLI::ParseError& error, const std::string& hint) {
  std::string text = error.what();
  constexpr std::string_view twice = ": At Most 1 required but received ";
  if (const std::size_t at = text.find(twice); at != text.npos)
    text = text.substr(0, at) + " is given " + text.substr(at + twice.size()) +
           " times; once is allowed";
  return text + (hint.empty() ? "; see gpuplan --help" : hint);
}

/// A name that can be typed, as tables of names have them.
struct known_word {
  std::string name;
};

/// What other programs call an option, in lower case with dashes.
struct foreign_option {
  std::string_view name;
  std::string_view ours;
};
constexpr foreign_option foreign_options[] = {{"accelerator", "--gpu"},
                                              {"bf16", "--precision"},
                                              {"dp-size", "--data"},
                                              {"dtype", "--precision"},
                                              {"ep-size", "--expert"},
                                              {"expert-model-parallel-size", "--expert"},
                                              {"fp16", "--precision"},
                                              {"gas", "--batch"},
                                              {"gpu-count", "--gpus"},
                                              {"gpu-type", "--gpu"},
                                              {"gradient-accumulation-steps", "--batch"},
                                              {"mixed-precision", "--precision"},
                                              {"nnodes", "--gpus"},
                                              {"nodes", "--gpus"},
                                              {"num-gpus", "--gpus"},
                                              {"num-nodes", "--gpus"},
                                              {"per-device-train-batch-size", "--micro-batch"},
                                              {"pipeline-model-parallel-size", "--pipeline"},
                                              {"pp-size", "--pipeline"},
                                              {"tensor-model-parallel-size", "--tensor"},
                                              {"torch-dtype", "--precision"},
                                              {"tp-size", "--tensor"},
                                              {"world-size", "--gpus"},
                                              {"zero-stage", "--zero"}};

/// "; did you mean --gpus?" of an option as others call it, where the subcommand has ours.
std::string hint_of_foreign(std::string_view typed, const CLI::App& command) {
  std::string name{typed.substr(std::min(typed.find_first_not_of('-'), typed.size()))};
  for (char& c : name)
    c = c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const foreign_option& one : foreign_options)
    if (one.name == name && command.get_option_no_throw(std::string(one.ours)) != nullptr)
      return fmt::format("; did you mean {}?", one.ours);
  return {};
}

/// "; did you mean --tensor?": of the first word that nothing expects, the options of the
/// subcommand that was meant, else the subcommands.
std::string hint_of_unexpected(const CLI::App& program) {
  std::vector<known_word> known;
  const CLI::App* meant = &program;
  for (const CLI::App* command : program.get_subcommands()) meant = command;
  const std::vector<std::string> left = program.remaining(true);
  if (left.empty()) return {};
  const std::string& typed = left.front();
  if (!typed.starts_with('-')) {
    for (const CLI::App* command : program.get_subcommands({}))
      if (meant == &program) known.push_back({command->get_name()});
  } else {
    if (std::string hint = hint_of_foreign(typed.substr(0, typed.find('=')), *meant); !hint.empty())
      return hint;
    for (const CLI::App* command : {meant, &program})
      for (const CLI::Option* option : command->get_options())
        for (const std::string& name : option->get_lnames()) known.push_back({"--" + name});
  }
  return did_you_mean(bounded_name(typed.substr(0, typed.find('='))), known);
}

/// Refuses a word in the place of a subcommand, with the nearest one: "plna is no subcommand; did
/// you mean plan?".
/// \throws bad_usage
void refuse_other_subcommand(const CLI::App& program) {
  const std::vector<std::string> left = program.remaining(true);
  if (!program.get_subcommands().empty() || left.empty() || left.front().starts_with('-')) return;
  std::string hint = hint_of_unexpected(program);
  if (hint.empty()) {
    const folded_name wanted{bounded_name(left.front())};
    std::size_t nearest =
        wanted.text().size() / 2;  // two letters that changed places are two edits
    for (const subcommand& one : subcommands()) {
      const std::size_t edits = edit_distance(wanted, folded_name{one.name});
      if (edits > nearest || (edits == nearest && !hint.empty())) continue;
      nearest = edits;
      hint = fmt::format("; did you mean {}?", one.name);
    }
  }
  throw bad_usage{shown_name(left.front()) + " is no subcommand" +
                  (hint.empty() ? "; gpuplan --help lists them" : hint)};
}

exit_code run_parsed(const assembled_program& program) {
  for (const command& one : program.commands)
    if (one.options->parsed()) {
      refuse_empty_values(*one.options);
      const exit_code code = one.run();
      finish_output();
      return code;
    }
  return refuse("no subcommand was run", exit_internal);
}

exit_code parse_and_run(const assembled_program& program, std::span<const std::string> words) {
  std::vector<std::string> last_first(words.begin(), words.end());
  std::reverse(last_first.begin(), last_first.end());
  try {
    program.options->parse(std::move(last_first));
  } catch (const CLI::ParseError& error) {
    const int code = error.get_exit_code();
    if (code != static_cast<int>(CLI::ExitCodes::Success))
      refuse_other_subcommand(*program.options);
    const bool unexpected = code == static_cast<int>(CLI::ExitCodes::ExtrasError) ||
                            program.options->get_subcommands().empty();
    if (code != static_cast<int>(CLI::ExitCodes::Success))
      return refuse(
          in_words(error, unexpected ? hint_of_unexpected(*program.options) : std::string{}),
          exit_usage);
    std::ostringstream help;
    program.options->exit(error, help, help);
    print(within_width(help.str(), width_of_output()));
    finish_output();
    return exit_done;
  }
  return run_parsed(program);
}

}  // namespace

assembled_program assembled(std::span<const subcommand> of) {
  assembled_program made;
  made.options =
      std::make_shared<CLI::App>("Plans the training of neural networks on GPUs.", "gpuplan");
  CLI::App& program = *made.options;
  program.footer(after_options);
  program.require_subcommand(1);
  program.set_help_all_flag("--help-all", "Help of every subcommand");
  program.add_flag_callback("--no-color,--no-colour", forbid_colour, "No bold text on a terminal");
  program.set_version_flag("--version", "gpuplan " GPUPLAN_VERSION, "The version, and no more");
  program.fallthrough();
  for (const subcommand& one : of) made.commands.push_back(one.add(program));
  return made;
}

exit_code run(const assembled_program& program, std::span<const std::string> words) {
  try {
    return parse_and_run(program, words);
  } catch (const bad_usage& error) {
    return refuse(error.what(), exit_usage);
  } catch (const invalid_input& error) {
    return refuse(error.what(), exit_usage);
  } catch (const reader_gone&) {
    return exit_internal;
  } catch (const output_lost& error) {
    return refuse(error.what(), exit_internal);
  } catch (const std::bad_alloc&) {
    return refuse("out of memory", exit_internal);
  } catch (const std::exception& error) {
    return refuse(std::string("internal error: ") + error.what(), exit_internal);
  }
}

}  // namespace gpuplan::cli
