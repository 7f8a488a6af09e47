#pragma once
/// \file
/// Whether commands of a shell text run, as far as the text tells.

#include <algorithm>
#include <cstddef>
#include <vector>

namespace gpuplan {

/// Whether a test holds, or a command runs.
enum class shell_truth { no, yes, unknown };

/// Lines of a text, in order, each once; at most those that a message names.
class shell_lines {
 public:
  static constexpr std::size_t most = 8;

  /// Adds a line, where there is room.
  void add(std::size_t line) {
    const auto at = std::lower_bound(lines_.begin(), lines_.end(), line);
    if (lines_.size() < most && (at == lines_.end() || *at != line)) lines_.insert(at, line);
  }
  /// Adds those of others, likewise.
  void add(const shell_lines& others) {
    for (const std::size_t line : others.lines_) add(line);
  }

  [[nodiscard]] bool empty() const { return lines_.empty(); }
  [[nodiscard]] auto begin() const { return lines_.begin(); }
  [[nodiscard]] auto end() const { return lines_.end(); }
  bool operator==(const shell_lines&) const = default;

 private:
  std::vector<std::size_t> lines_{};
};

/// A truth, and the lines of the undecided tests that it rests on.
struct shell_verdict {
  shell_truth is = shell_truth::yes;
  shell_lines lines{};

  /// Whether it is so whatever undecided tests say.
  [[nodiscard]] bool surely(shell_truth what) const { return is == what && lines.empty(); }
};

/// Whether one does not hold; unknown where it is.
inline shell_truth negated(shell_truth one) {
  if (one == shell_truth::unknown) return one;
  return one == shell_truth::yes ? shell_truth::no : shell_truth::yes;
}
/// Whether both hold; unknown where that decides.
inline shell_truth both(shell_truth one, shell_truth other) {
  if (one == shell_truth::no || other == shell_truth::no) return shell_truth::no;
  return one == shell_truth::yes ? other : one;
}
/// Whether one of both holds; unknown where that decides.
inline shell_truth either(shell_truth one, shell_truth other) {
  return negated(both(negated(one), negated(other)));
}

/// The same of a verdict, which rests on the same lines.
inline shell_verdict negated(shell_verdict one) {
  one.is = negated(one.is);
  return one;
}
/// The same of two verdicts: on the lines of one that decides alone, else on those of both.
inline shell_verdict both(const shell_verdict& one, const shell_verdict& other) {
  if (one.surely(shell_truth::no)) return one;
  if (other.surely(shell_truth::no)) return other;
  shell_verdict all{both(one.is, other.is), one.lines};
  all.lines.add(other.lines);
  return all;
}
/// Likewise.
inline shell_verdict either(const shell_verdict& one, const shell_verdict& other) {
  return negated(both(negated(one), negated(other)));
}

}  // namespace gpuplan
