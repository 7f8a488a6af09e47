#pragma once
/// \file
/// The compound commands of a shell text that are open, and whether what stands in them runs.

#include <cstddef>
#include <utility>
#include <vector>

#include <gpuplan/launch/shell_truth.hpp>
#include <gpuplan/launch/shell_words.hpp>

namespace gpuplan {

/// A compound command: if, case, a loop, or commands in braces or parentheses.
enum class shell_block { condition, choice, loop, group, subshell };

/// Goes through the arms of if and case.  A command runs where all arms that it stands in do.
class shell_branches {
 public:
  /// `base` is whether commands run that stand in no compound command.
  explicit shell_branches(shell_verdict base = {}) : base_{std::move(base)} {}

  /// Whether a command runs here.
  [[nodiscard]] const shell_verdict& runs() const {
    return open_.empty() ? base_ : open_.back().arm;
  }
  [[nodiscard]] bool is_in(shell_block kind) const {
    return !open_.empty() && open_.back().kind == kind;
  }

  /// Opens a compound command that begins on a line; `runs` is whether it does as a whole.
  void open(shell_block kind, const shell_verdict& runs, std::size_t line) {
    open_.push_back({.kind = kind, .line = line, .left = runs, .arm = runs, .word = {}});
  }
  /// Opens case WORD in, of a word with its variables put in, and of the lines of undecided tests
  /// that it rests on.
  void open_choice(shell_word word, shell_lines rests_on, const shell_verdict& runs) {
    open(shell_block::choice, runs, word.line);
    open_.back().word = std::move(word);
    open_.back().rests_on = std::move(rests_on);
    open_.back().awaits_pattern = true;
  }
  /// Nothing where another one is open: texts may not be well formed.
  void close(shell_block kind) {
    if (is_in(kind)) open_.pop_back();
  }

  /// elif: its test runs where no arm before it does.
  void begin_test(std::size_t line) {
    if (!is_in(shell_block::condition)) return;
    open_.back().line = line;
    open_.back().arm = open_.back().left;
  }
  /// then: the arm runs where its test holds and no arm before it does.
  void decide(shell_verdict holds) {
    if (open_.empty()) return;
    branch& one = open_.back();
    if (holds.is == shell_truth::unknown && holds.lines.empty()) holds.lines.add(one.line);
    one.arm = both(one.left, holds);
    one.left = both(one.left, negated(std::move(holds)));
  }
  /// else
  void otherwise() {
    if (!is_in(shell_block::condition)) return;
    open_.back().arm = open_.back().left;
    open_.back().left = {.is = shell_truth::no, .lines = {}};
  }

  /// Whether patterns of case come next.
  [[nodiscard]] bool awaits_pattern() const {
    return is_in(shell_block::choice) && open_.back().awaits_pattern;
  }
  /// What case asks for.
  [[nodiscard]] const shell_word& word() const { return open_.back().word; }
  /// ;; ends an arm of case.
  void end_arm() {
    if (is_in(shell_block::choice)) open_.back().awaits_pattern = true;
  }
  /// A pattern of the next arm.
  void add_pattern(shell_truth matches) {
    open_.back().matches = either(open_.back().matches, matches);
  }
  /// ) begins the arm.
  void begin_arm() {
    branch& one = open_.back();
    one.awaits_pattern = false;
    shell_verdict holds{std::exchange(one.matches, shell_truth::no), one.rests_on};
    if (holds.is == shell_truth::unknown) holds.lines.add(one.line);
    decide(std::move(holds));
  }

 private:
  struct branch {
    shell_block kind{};
    std::size_t line = 0;
    shell_verdict left{};  ///< whether no arm so far has run, and the next may
    shell_verdict arm{};   ///< whether the arm runs that is gone through
    shell_word word{};     ///< of case
    shell_lines rests_on{};
    bool awaits_pattern = false;
    shell_truth matches = shell_truth::no;
  };

  shell_verdict base_;
  std::vector<branch> open_{};
};

}  // namespace gpuplan
