#pragma once
/// \file
/// Arguments from a shell line, from a file of arguments, or from overrides such as model.x=1.

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/launch/command_likelihood.hpp>
#include <gpuplan/launch/other_launch.hpp>
#include <gpuplan/launch/shell_commands.hpp>
#include <gpuplan/launch/shell_truth.hpp>
#include <gpuplan/launch/slurm.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_scalar.hpp>

namespace gpuplan {

/// The longest shell line or file of arguments that is read, in bytes.
inline constexpr std::size_t largest_command_line = std::size_t{256} << 10;

namespace detail {

/// Whether a word sends what a command prints elsewhere: >log, 2>&1.
inline bool redirects(std::string_view word) {
  if (word.starts_with('1') || word.starts_with('2') || word.starts_with('&'))
    word.remove_prefix(1);
  return word.starts_with('>');
}

/// Gathers names and values from the words of a command line.
class word_reader {
 public:
  nlohmann::json read(std::span<const std::string> words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      add(words[i]);
      if (redirects(words[i]) && words[i].ends_with('>')) ++i;
    }
    end_argument();
    return std::move(values_);
  }

 private:
  void add(const std::string& word) {
    const std::size_t equals = word.find('=');
    if (redirects(word)) {
      end_argument();
    } else if (is_argument(word)) {
      end_argument();
      name_ = word.substr(2, equals == word.npos ? word.npos : equals - 2);
      if (equals != word.npos) parts_.push_back(word.substr(equals + 1));
    } else if (word.ends_with(".py")) {
      end_argument();
      values_["script"] = word.substr(word.rfind('/') + 1);
    } else if (is_override(word)) {
      end_argument();
      const std::string_view set = without_plus(word);
      values_[std::string(set.substr(0, set.find('=')))] = plain_scalar(word.substr(equals + 1));
    } else if (!name_.empty()) {
      parts_.push_back(word);
    }
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
  std::string name_{};
  std::vector<std::string> parts_{};
};

/// Commands, where lines that begin with an argument go on with the line before: a file of
/// arguments has one a line.
inline std::vector<shell_command> joined_lines(const std::vector<shell_command>& commands) {
  std::vector<shell_command> all;
  for (const shell_command& command : commands) {
    const bool goes_on = !all.empty() && command.after == "\n" && !command.is_variable &&
                         !all.back().is_variable && is_argument(command.words.front());
    if (!goes_on) {
      all.push_back(command);
      continue;
    }
    all.back().words.insert(all.back().words.end(), command.words.begin(), command.words.end());
    all.back().rests_on.add(command.rests_on);
  }
  return all;
}

/// The words of arguments without a command that starts a script: of all lines, and of variables
/// that hold arguments, but not what follows ; & or a bar.
inline std::vector<std::string> words_of_arguments(const std::vector<shell_command>& commands) {
  std::vector<std::string> words;
  for (const shell_command& command : commands) {
    const std::string& first = command.words.front();
    const bool counts = command.after.empty() || command.after == "\n" || command.after == "(" ||
                        is_argument(first) || is_override(first);
    if (counts) words.insert(words.end(), command.words.begin(), command.words.end());
  }
  return words;
}

/// A command that launches.
struct found_launch {
  nlohmann::json arguments{};
  std::size_t line = 0;
  shell_lines rests_on{};
  std::size_t at = 0;         ///< which command it is; their number: none alone
  bool has_launcher = false;  ///< which starts its processes
  std::string other{};        ///< as other_launch
};

/// The words of a command without those of srun before what it starts.
inline std::span<const std::string> started_words(const shell_command& command) {
  const std::span<const std::string> words = command.words;
  return words.subspan(end_of_srun(words));
}

inline found_launch with_words(found_launch found, std::span<const std::string> words) {
  found.other = other_launch(words);
  found.has_launcher = !launcher_of(words).empty();
  return found;
}

/// \throws invalid_input of one line that says on which lines the launches begin
[[noreturn]] inline void refuse_launches(const std::vector<found_launch>& found,
                                         std::string_view name) {
  constexpr std::size_t most = 8;  // that are named
  std::vector<std::size_t> on;
  for (const found_launch& one : found)
    if (on.empty() || on.back() != one.line) on.push_back(one.line);
  std::string lines = on.size() > 1 ? "lines " : "line ";
  const std::size_t shown = std::min(on.size(), most);
  for (std::size_t i = 0; i < shown; ++i) {
    const bool is_last = i > 0 && i + 1 == on.size();
    lines += (i == 0 ? "" : is_last ? " and " : ", ") + std::to_string(on[i]);
  }
  if (shown < on.size()) lines += ", ...";
  throw invalid_input{std::string(name) + ": holds " +
                      (found.size() == 2 ? "two" : std::to_string(found.size())) +
                      " launches, on " + lines + "; keep the one that is meant"};
}

/// The one command that launches.
///
/// \throws invalid_input if two that do so differ
inline found_launch one_launch(const std::vector<shell_command>& commands, std::string_view name) {
  auto best = launch_likelihood::none;
  std::vector<found_launch> found;
  for (const shell_command& command : commands) {
    if (command.is_variable) continue;
    const launch_likelihood likely = likelihood_of(command.words);
    const bool is_first_script = likely == best && likely < launch_likelihood::launcher;
    if (likely == launch_likelihood::none || likely < best || is_first_script) continue;
    if (likely > best) found.clear();
    best = likely;
    nlohmann::json read = word_reader{}.read(started_words(command));
    if (found.empty() || read != found.back().arguments)
      found.push_back({.arguments = std::move(read),
                       .line = command.line,
                       .rests_on = command.rests_on,
                       .at = static_cast<std::size_t>(&command - commands.data())});
    else
      found.back().rests_on.add(command.rests_on);
  }
  if (found.size() > 1) refuse_launches(found, name);
  if (!found.empty()) {
    const std::size_t at = found.front().at;
    return with_words(std::move(found.front()), started_words(commands[at]));
  }
  const std::vector<std::string> words = words_of_arguments(commands);
  found_launch all{.arguments = word_reader{}.read(words), .at = commands.size()};
  for (const shell_command& command : commands) all.rests_on.add(command.rests_on);
  return with_words(std::move(all), words);
}

/// "line 12: which branch is taken is not known; ..."; nothing where no test is undecided.
inline std::vector<std::string> undecided_in_words(const shell_lines& lines) {
  std::string all;
  std::size_t count = 0;
  for (const std::size_t line : lines) {
    all += (count == 0 ? "" : ", ") + std::to_string(line);
    ++count;
  }
  if (count == 0) return {};
  return {(count > 1 ? "lines " : "line ") + all +
          ": which branch is taken is not known; the last one that sets an option counts"};
}

/// Adds the processes that srun starts to a launch that starts none itself.  A count that cannot
/// be read stays the word that it is, so that who asks for it refuses it.
inline void add_slurm_ranks(const std::vector<shell_command>& commands, std::string_view text,
                            found_launch& found) {
  if (found.has_launcher) return;
  slurm_options said = slurm_directives(text);
  bool runs = false;
  for (std::size_t i = found.at; i < commands.size() && !runs; ++i) {
    // srun bash -c "..." stands behind the commands that it runs, with their line.
    if (commands[i].line != found.line) break;
    const std::span<const std::string> words = commands[i].words;
    const std::size_t end = end_of_srun(words);
    runs = end > 0;
    if (runs) read_slurm_options(words.first(end), said);
  }
  for (const char* given : {"nproc-per-node", "nproc_per_node"})
    if (found.arguments.contains(given)) return;
  const slurm_processes started = slurm_processes_of(said);
  if (!runs || !started.said()) return;
  const auto word = [](const slurm_count& count) {
    return count.unread.empty() ? nlohmann::json(count.number) : nlohmann::json(count.unread);
  };
  found.arguments["nnodes"] = word(started.nodes);
  found.arguments["nproc-per-node"] = word(started.per_node);
}

}  // namespace detail

/// The arguments of a command line.
struct command_line {
  nlohmann::json arguments{};          ///< by their names without dashes; without a value: true
  std::vector<std::string> assumed{};  ///< which branches of a script were taken, in words
  std::string other{};  ///< what it launches where that is no script of Megatron's: other_launch
};

/// Reads a command line.  Of an argument that is given twice the last value counts, as argparse
/// reads it.  "script" is the file that is started; overrides, as model.num_layers=32, keep their
/// dots and lose a + or ++ of Hydra.  Of several commands the one that launches counts.  Processes
/// that srun starts are said as torchrun would.
///
///     text  a shell line, a shell script that holds one, or arguments alone
///     name  of the file, for the error line
///
/// \throws invalid_input of one line if the text is too long, a quote is not closed, or two
///         commands launch
inline command_line read_command_line(std::string_view text, std::string_view name) {
  if (text.size() > largest_command_line)
    throw invalid_input{std::string(name) + ": is longer than " +
                        std::to_string(largest_command_line >> 10) + " KiB"};
  const std::vector<shell_command> commands = detail::joined_lines(shell_commands(text, name));
  detail::found_launch found = detail::one_launch(commands, name);
  detail::add_slurm_ranks(commands, text, found);
  return {std::move(found.arguments), detail::undecided_in_words(found.rests_on),
          std::move(found.other)};
}

/// The arguments that read_command_line reads.
///
/// \throws invalid_input as it does
inline nlohmann::json arguments_of_command_line(std::string_view text, std::string_view name) {
  return read_command_line(text, name).arguments;
}

}  // namespace gpuplan
