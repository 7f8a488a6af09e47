#include <gpuplan/launch/shell_truth.hpp>

#include <vector>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using enum shell_truth;

TEST_CASE("what is unknown is so where it decides", "[launch]") {
  CHECK(both(yes, yes) == yes);
  CHECK(both(yes, unknown) == unknown);
  CHECK(both(unknown, no) == no);
  CHECK(either(unknown, yes) == yes);
  CHECK(either(no, unknown) == unknown);
  CHECK(negated(unknown) == unknown);
  CHECK(negated(yes) == no);
}

TEST_CASE("a verdict keeps the lines that it rests on", "[launch]") {
  shell_verdict doubted{unknown, {}};
  doubted.lines.add(4);
  CHECK(both(doubted, {no, {}}).surely(no));
  CHECK(either(doubted, {yes, {}}).surely(yes));
  CHECK(both(doubted, {yes, {}}).lines == doubted.lines);
  CHECK_FALSE(negated(doubted).surely(unknown));
}

TEST_CASE("lines are few, in order, each once", "[launch]") {
  shell_lines lines;
  CHECK(lines.empty());
  for (std::size_t line = 20; line > 0; --line) lines.add(line), lines.add(line);
  CHECK(std::vector<std::size_t>(lines.begin(), lines.end()) ==
        std::vector<std::size_t>{13, 14, 15, 16, 17, 18, 19, 20});
}

}  // namespace
}  // namespace gpuplan
