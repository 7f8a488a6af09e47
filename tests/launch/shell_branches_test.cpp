#include <gpuplan/launch/shell_branches.hpp>

#include <iterator>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using enum shell_truth;

TEST_CASE("one arm of a condition runs", "[launch]") {
  shell_branches all;
  all.open(shell_block::condition, {}, 3);
  all.decide({no, {}});
  CHECK(all.runs().is == no);
  all.begin_test(4);
  CHECK(all.runs().is == yes);
  all.decide({yes, {}});
  CHECK(all.runs().is == yes);
  all.otherwise();
  CHECK(all.runs().is == no);
  all.close(shell_block::loop);
  CHECK(all.is_in(shell_block::condition));
  all.close(shell_block::condition);
  CHECK(all.runs().surely(yes));
}

TEST_CASE("arms that are not decided name their line", "[launch]") {
  shell_branches all;
  all.open(shell_block::condition, {}, 3);
  all.decide({unknown, {}});
  CHECK(*all.runs().lines.begin() == 3);
  all.begin_test(5);
  all.decide({unknown, {}});
  CHECK(*std::next(all.runs().lines.begin()) == 5);
  all.otherwise();
  CHECK(all.runs().is == unknown);
}

TEST_CASE("an arm of a choice has patterns", "[launch]") {
  shell_branches all;
  all.open_choice({.text = "b"}, {}, {});
  CHECK(all.awaits_pattern());
  all.add_pattern(no);
  all.add_pattern(yes);
  all.begin_arm();
  CHECK_FALSE(all.awaits_pattern());
  CHECK(all.runs().is == yes);
  all.end_arm();
  all.add_pattern(yes);
  all.begin_arm();
  CHECK(all.runs().is == no);
}

TEST_CASE("what closes nothing, or decides nothing, is ignored", "[launch]") {
  shell_branches all{{no, {}}};
  all.close(shell_block::group);
  all.decide({yes, {}});
  all.begin_test(1);
  all.otherwise();
  all.end_arm();
  CHECK(all.runs().is == no);
}

}  // namespace
}  // namespace gpuplan
