#include <gpuplan/launch/shell_variables.hpp>

#include <string>
#include <vector>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

TEST_CASE("a default that is assigned is held", "[launch]") {
  shell_variables held{"f"};
  CHECK(held.in("${A:=1} $A") == "1 1");
  CHECK(held.take_defaulted() == std::vector<std::string>{"A"});
  CHECK(held.in("${A:=2} ${B:-3} $B") == "1 3 $B");
  CHECK(held.take_defaulted().empty());
}

TEST_CASE("variables are put in, added to and forgotten", "[launch]") {
  shell_variables held{"f"};
  held.set("A", {"1"}, {});
  held.set("A+", {"2"}, {});
  CHECK(held.in("x$A ${A}y ${B:-3} $B") == "x12 12y 3 $B");
  held.forget("A");
  CHECK(held.in("$A") == "$A");
  held.set("A", {"1"}, {});
  held.set("B", {"1"}, {});
  held.forget_changed("A <<= B == 1");
  CHECK(held.in("$A $B $((B = 2)) $B") == "$A 1 $((B = 2)) $B");
}

TEST_CASE("a list is put in as its words", "[launch]") {
  shell_variables held{"f"};
  held.set("A", {"a b", "c"}, {});
  shell_variables::strings quoted, bare;
  held.expand({.text = "${A[@]}", .quoting = shell_quoting::split}, quoted);
  held.expand({.text = "${A[@]}"}, bare);
  CHECK(quoted == std::vector<std::string>{"a b", "c"});
  CHECK(bare == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("what is put in tells the lines that it rests on", "[launch]") {
  shell_lines line;
  line.add(7);
  shell_variables held{"f"};
  held.set("A", {"1"}, line);
  held.doubt("B", line);
  CHECK(held.in("$C") == "$C");
  CHECK(held.take_lines().empty());
  CHECK(held.in("$A") == "1");
  CHECK(held.take_lines() == line);
  CHECK(held.in("$((2 * A))") == "2");
  CHECK(held.take_lines() == line);
  held.set("A", {"2"}, {});
  CHECK(held.in("$A") == "2");
  CHECK(held.take_lines().empty());
}

TEST_CASE("what stands for an unknown variable is expanded four deep", "[launch]") {
  shell_variables held{"f"};
  std::string text = "6";
  for (const char name : {'F', 'E', 'D', 'C', 'B', 'A'})
    text = std::string("${") + name + ":-" + text + "}";
  CHECK(held.in(text) == "${F:-6}");
  CHECK(held.in("${C:-${D:-${E:-${F:-6}}}}") == "6");
}

TEST_CASE("variables stand for 4 MiB and no more", "[launch][limits]") {
  const std::string most(detail::largest_expansion, 'x');
  CHECK(shell_variables{"f"}.in(most) == most);
  CHECK_THROWS_WITH(shell_variables{"f"}.in(most + 'x'),
                    "f: its variables stand for more than 4 MiB");
}

}  // namespace
}  // namespace gpuplan
