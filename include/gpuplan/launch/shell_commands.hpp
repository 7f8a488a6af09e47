#pragma once
/// \file
/// Commands of a shell text, with its variables put in.

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gpuplan/launch/shell_branches.hpp>
#include <gpuplan/launch/shell_condition.hpp>
#include <gpuplan/launch/shell_truth.hpp>
#include <gpuplan/launch/shell_variables.hpp>
#include <gpuplan/launch/shell_word_kinds.hpp>
#include <gpuplan/launch/shell_words.hpp>
#include <gpuplan/launch/slurm.hpp>

namespace gpuplan {

/// A command, or what a variable is set to.
struct shell_command {
  std::vector<std::string> words{};
  std::string after{};       ///< the operator before it; empty for the first
  bool is_variable = false;  ///< the words of a variable that holds several
  std::size_t line = 0;      ///< of its first word, from 1; of what eval and sh -c run: theirs
  shell_lines rests_on{};    ///< lines of tests that are not decided, and that decide its words
};

namespace detail {

/// Goes through a shell text, keeps its variables, and takes the arms that run.
class shell_reader {
 public:
  explicit shell_reader(std::string_view name) : name_{name}, variables_{name} {}

  std::vector<shell_command> read(std::string_view text) {
    for (auto& [variable, value] : slurm_variables(slurm_directives(text)))
      variables_.set(variable, {value}, {});
    run(shell_words(text, name_), 0);
    return std::move(commands_);
  }

 private:
  using strings = std::vector<std::string>;
  using words = std::vector<shell_word>;

  void run(const words& all, int depth) {
    words command;
    std::string after;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const shell_word& word = all[i];
      if (branches_.awaits_pattern()) {
        after = ";";
        take_pattern(word);
      } else if (!word.is_operator || is_in_brackets(command, word)) {
        command.push_back(word);
        if (!begins_choice(command)) continue;
        end_command(std::exchange(command, {}), after, depth);
      } else if (word.text == "(" && !command.empty() && sets_variable(command.back().text)) {
        i = set_list(all, i, command, after);
      } else if (!command.empty() || !word.is("\n") || !joins(after)) {
        end_command(std::exchange(command, {}), after, depth);
        if (word.is("(")) branches_.open(shell_block::subshell, runs_after(after), 0);
        after = word.text;
        if (word.is(")")) branches_.close(shell_block::subshell);
        if (word.text.starts_with(";;") || word.is(";&")) branches_.end_arm();
      }
    }
    end_command(command, after, depth);
  }

  /// Whether the command behind an operator may stand on the next line.
  static bool joins(std::string_view sign) { return sign == "&&" || sign == "||" || sign == "|"; }

  /// Whether an operator is one of the words of [[ ... ]].
  static bool is_in_brackets(const words& command, const shell_word& sign) {
    if (sign.is("\n")) return false;
    std::size_t at = 0;
    while (at < command.size() && is_keyword(command[at])) ++at;
    return at < command.size() && is_bare(command[at], "[[") && !is_bare(command.back(), "]]");
  }

  /// Whether words end with: case WORD in.
  static bool begins_choice(const words& command) {
    const std::size_t size = command.size();
    if (size < 3 || !is_bare(command.back(), "in") || !is_bare(command[size - 3], "case"))
      return false;
    return std::all_of(command.begin(), command.end() - 3, is_keyword);
  }

  void take_pattern(const shell_word& word) {
    if (is_bare(word, "esac")) return branches_.close(shell_block::choice);
    if (word.is(")")) return branches_.begin_arm();
    if (word.is_operator) return;
    branches_.add_pattern(truth_of_pattern(branches_.word(), put_in(word)));
  }

  /// NAME=( ... ), which begins at `from`; where it ends.
  std::size_t set_list(const words& all, std::size_t from, words& command, std::string& after) {
    const std::string name = command.back().text;
    command.pop_back();
    command.erase(command.begin(), command.begin() + take_keywords(command, after));
    const shell_verdict runs = runs_after(after);
    variables_.take_lines();
    strings list;
    while (++from < all.size() && !all[from].is(")"))
      if (!all[from].is_operator && runs.is != shell_truth::no) variables_.expand(all[from], list);
    set_variable(name.substr(0, name.find('=')), list, runs);
    join(after, {});
    after.clear();
    return from;
  }

  /// Whether a command runs that stands behind an operator.
  [[nodiscard]] shell_verdict runs_after(std::string_view sign) const {
    if (sign == "&&") return both(branches_.runs(), status_);
    if (sign == "||") return both(branches_.runs(), negated(status_));
    return branches_.runs();
  }

  /// Whether the commands that an operator joins succeed.
  void join(std::string_view sign, shell_verdict own) {
    status_ = sign == "&&"   ? both(status_, own)
              : sign == "||" ? either(status_, own)
              : sign == "|"  ? shell_verdict{shell_truth::unknown, {}}
                             : std::move(own);
  }

  /// Goes through the keywords that a command begins with; how many words these are.  An operator
  /// before them no longer counts.
  std::ptrdiff_t take_keywords(const words& command, std::string& after) {
    std::size_t at = 0;
    inverted_ = false;
    for (; at < command.size() && is_keyword(command[at]); ++at) {
      const shell_word& word = command[at];
      const bool opens = word.text == "{" || word.text.ends_with("(){");
      if (word.text == "case") break;
      if (word.text == "!") {
        inverted_ = true;
        continue;
      }
      const shell_verdict runs = runs_after(after);
      if (word.text == "if") branches_.open(shell_block::condition, runs, word.line);
      if (word.text == "while" || word.text == "until" || word.text == "for" ||
          word.text == "select")
        branches_.open(shell_block::loop, runs, word.line);
      if (opens) branches_.open(shell_block::group, runs, word.line);
      if (word.text == "elif") branches_.begin_test(word.line);
      if (word.text == "then" && branches_.is_in(shell_block::condition)) branches_.decide(status_);
      if (word.text == "else") branches_.otherwise();
      if (const auto ended = block_ended_by(word.text)) {
        branches_.close(*ended);
        status_ = {shell_truth::unknown, {}};
      }
      after.clear();
      const bool names = word.text == "for" || word.text == "select";
      if (names && at + 1 < command.size()) {
        variables_.forget(command[at + 1].text);
        if (command[at + 1].text.starts_with("((")) variables_.forget_changed(command[at + 1].text);
      }
      if (names) return static_cast<std::ptrdiff_t>(command.size());
      if (word.text == "function") ++at;
    }
    return static_cast<std::ptrdiff_t>(std::min(at, command.size()));
  }

  static std::optional<shell_block> block_ended_by(std::string_view word) {
    if (word == "fi") return shell_block::condition;
    if (word == "done") return shell_block::loop;
    if (word == "}") return shell_block::group;
    if (word == "esac") return shell_block::choice;
    return std::nullopt;
  }

  void end_command(const words& command, std::string after, int depth) {
    if (ends_document(command)) return;
    begin_document(command);
    const std::string sign = after;
    auto at = static_cast<std::size_t>(take_keywords(command, after));
    if (at == command.size()) return;
    const std::size_t line = outer_line_ > 0 ? outer_line_ : command[at].line;
    const bool inverted = inverted_;
    const shell_verdict runs = runs_after(after);
    variables_.take_lines();
    variables_.take_defaulted();
    if (is_bare(command[at], "case")) {
      if (command.size() < at + 2) return;
      shell_word word = put_in(command[at + 1]);
      word.line = line;
      return branches_.open_choice(std::move(word), variables_.take_lines(), runs);
    }
    while (at < command.size() && precedes_variable(command[at].text)) ++at;
    const std::size_t begin = at;
    for (; at < command.size() && sets_variable(command[at].text) && !is_override(command[at].text);
         ++at)
      set_scalar(command[at], runs);
    const std::span<const shell_word> rest = std::span(command).subspan(at);
    if (rest.empty() && at > begin && runs.is != shell_truth::no) join(after, {});
    if (rest.empty() || runs.is == shell_truth::no) return;
    shell_verdict own = is_shell_sum(rest.front())    ? summed(rest.front(), runs, line)
                        : is_shell_test(rest.front()) ? tested(rest, runs, line)
                                                      : ran(rest, {sign, runs, line}, depth);
    join(after, inverted ? negated(std::move(own)) : std::move(own));
  }

  /// Whether a line ends the text that <<WORD began.  Keywords in it open nothing that goes on.
  bool ends_document(const words& command) {
    if (document_.empty() || command.size() != 1 || command[0].text != document_) return false;
    document_.clear();
    branches_ = around_document_;
    return true;
  }

  void begin_document(const words& command) {
    for (std::size_t i = 0; i < command.size() && document_.empty(); ++i) {
      std::string_view word = command[i].text;
      if (!word.starts_with("<<") || word.starts_with("<<<")) continue;
      word.remove_prefix(word.starts_with("<<-") ? 3 : 2);
      if (word.empty() && i + 1 < command.size()) word = command[i + 1].text;
      document_ = word;
      around_document_ = branches_;
    }
  }

  /// What a test says.
  shell_verdict tested(std::span<const shell_word> test, const shell_verdict& runs,
                       std::size_t line) {
    words all;
    const bool doubled = is_bare(test.front(), "[[");
    for (const shell_word& word : test) {
      strings parts;
      if (doubled || word.quoting != shell_quoting::none)
        all.push_back(put_in(word));
      else
        variables_.expand(word, parts);
      for (std::string& part : parts) all.push_back({std::move(part), false, word.quoting, line});
    }
    shell_verdict says{truth_of_test(all), variables_.take_lines()};
    shell_lines rests_on = runs.lines;
    rests_on.add(says.lines);
    doubt_defaulted(rests_on);
    if (says.is == shell_truth::unknown) says.lines.add(line);
    return says;
  }

  /// Whether ((...)) is not 0; where it sets a variable, it does so, and what it says is unknown.
  shell_verdict summed(const shell_word& word, const shell_verdict& runs, std::size_t line) {
    const std::string_view text = std::string_view(word.text).substr(2, word.text.size() - 4);
    if (const shell_assignment set = assignment_of(text); !set.name.empty()) {
      const auto value = variables_.number_of(set.sum);
      if (!value) variables_.forget_changed(text);
      if (value) set_variable(set.name, {std::to_string(*value)}, runs);
      return {shell_truth::unknown, {}};
    }
    const auto value = variables_.number_of(text);
    shell_verdict says{value ? truth_of(*value != 0) : shell_truth::unknown,
                       variables_.take_lines()};
    if (!value) says.lines.add(line);
    if (!value) variables_.forget_changed(text);
    return says;
  }

  /// How a command stands in its text.
  struct command_place {
    std::string after;
    shell_verdict runs;
    std::size_t line;
  };

  /// Keeps a command; whether it succeeds is not known.
  shell_verdict ran(std::span<const shell_word> command, command_place place, int depth) {
    strings expanded;
    for (const shell_word& word : command) variables_.expand(word, expanded);
    shell_lines rests_on = place.runs.lines;
    rests_on.add(variables_.take_lines());
    doubt_defaulted(rests_on);
    if (expanded.empty()) return {};
    if (expanded.front() == "read" || expanded.front() == "unset")
      for (const std::string& name : expanded) variables_.forget(name);
    if (expanded.front() == "let")
      for (const std::string& sum : expanded) variables_.forget_changed(sum);
    place.runs.lines = rests_on;
    if (depth < deepest_shell_text) run_texts(expanded, place, depth + 1);
    commands_.push_back(
        {std::move(expanded), std::move(place.after), false, place.line, std::move(rests_on)});
    return {shell_truth::unknown, {}};
  }

  /// What eval and sh -c run.
  void run_texts(const strings& command, const command_place& place, int depth) {
    std::string text;
    if (command.front() == "eval")
      for (std::size_t i = 1; i < command.size(); ++i) text += command[i] + " ";
    for (std::size_t i = 1; i + 1 < command.size(); ++i)
      if ((command[i] == "-c" || command[i] == "-lc") && command[i - 1].ends_with("sh"))
        text = command[i + 1];
    if (text.empty()) return;
    const std::size_t outer_line = std::exchange(outer_line_, place.line);
    shell_branches outer = std::exchange(branches_, shell_branches{place.runs});
    run(shell_words(text, name_), depth);
    branches_ = std::move(outer);
    outer_line_ = outer_line;
  }

  void set_scalar(const shell_word& word, const shell_verdict& runs) {
    const std::size_t equals = word.text.find('=');
    std::string value = word.text.substr(equals + 1);
    if (word.quoting != shell_quoting::literal && runs.is != shell_truth::no)
      value = variables_.in(value);
    set_variable(word.text.substr(0, equals), {value}, runs);
  }

  /// Says what those variables rest on that ${NAME:=otherwise} of a command set.
  void doubt_defaulted(const shell_lines& rests_on) {
    for (std::string& name : variables_.take_defaulted())
      variables_.doubt(std::move(name), rests_on);
  }

  void set_variable(const std::string& name, strings list, const shell_verdict& runs) {
    if (runs.is == shell_truth::no) return variables_.doubt(name, runs.lines);
    shell_lines rests_on = runs.lines;
    rests_on.add(variables_.take_lines());
    doubt_defaulted(rests_on);
    std::string all;
    for (const std::string& word : list) all += word + " ";
    if (all.find("--") != all.npos || list.size() > 1)
      commands_.push_back({split_at_blanks(all), "\n", true, 0, rests_on});
    variables_.set(name, std::move(list), rests_on);
  }

  /// A word with its variables put in, as one.
  shell_word put_in(shell_word word) {
    if (word.quoting != shell_quoting::literal) word.text = variables_.in(word.text);
    return word;
  }

  std::string_view name_;
  std::vector<shell_command> commands_{};
  shell_variables variables_;
  shell_branches branches_{};
  shell_verdict status_{};  // whether the commands succeed that operators joined last
  std::string document_{};  // what ends the text that <<WORD began; empty: there is none
  shell_branches around_document_{};
  bool inverted_ = false;       // a ! stands before the command
  std::size_t outer_line_ = 0;  // of the command whose text is gone through; 0: there is none
};

}  // namespace detail

/// The commands of a shell text in order, each with its words, and with the variables put in that
/// the text sets before, or that options of sbatch say.  Of branches those run whose tests hold;
/// where a test cannot be decided, each is gone through, and what rests on it says so.  What eval
/// and sh -c run stands before them.
///
/// \throws invalid_input of one line if a quote is not closed, variables grow too large, or a sum
///         cannot be computed
inline std::vector<shell_command> shell_commands(std::string_view text, std::string_view name) {
  return detail::shell_reader{name}.read(text);
}

}  // namespace gpuplan
