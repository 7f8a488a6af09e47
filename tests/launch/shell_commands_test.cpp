#include <gpuplan/launch/shell_commands.hpp>

#include <string>
#include <vector>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

/// Words of the last command, with a bar after each.
std::string last(const std::string& text) {
  std::string all;
  const std::vector<shell_command> commands = shell_commands(text, "f");
  for (const std::string& word : commands.back().words) all += word + "|";
  return all;
}

TEST_CASE("a variable is split where it stands without quotes", "[launch]") {
  CHECK(last("A=\"\n --x 1 \\\n --y\n\"\nrun $A --z") == "run|--x|1|--y|--z|");
  CHECK(last("E=\"--swiglu\"\nrun --heads 8 $E") == "run|--heads|8|--swiglu|");
  CHECK(last("E=\nrun --heads 8 $E") == "run|--heads|8|");
  CHECK(last("A='a b'\nrun \"$A\" $A '$A' x/$A") == "run|a b|a|b|$A|x/a|b|");
}

TEST_CASE("lists keep their words", "[launch]") {
  CHECK(last("A=(--x 'a b' --heads 8)\nrun \"${A[@]}\" end") == "run|--x|a b|--heads|8|end|");
  CHECK(last("A=(--x)\nA+=(--y 1) # more\nB=(\"${A[@]}\" --z)\nrun ${B[*]}") ==
        "run|--x|--y|1|--z|");
  CHECK(last("A=--x\nA+=' --y'\nrun $A") == "run|--x|--y|");
}

TEST_CASE("words of a list are split where it stands without quotes", "[launch]") {
  const std::string list = "A=(\"--x y\" '--z 1' --w)\n";
  CHECK(last(list + "run ${A[@]} end") == "run|--x|y|--z|1|--w|end|");
  CHECK(last(list + "run \"${A[@]}\" end") == "run|--x y|--z 1|--w|end|");
  CHECK(last(list + "B=(\"${A[@]}\" end)\nrun ${B[@]}") == "run|--x|y|--z|1|--w|end|");
}

TEST_CASE("a variable that is not set stays, or is what stands for it", "[launch]") {
  CHECK(last("run $A ${B:-3} ${C:=4} $((2 * 8)) $(date +%s) `date`") ==
        "run|$A|3|4|$((2 * 8))|$(date +%s)|`date`|");
  CHECK(last("B=2\nexport C=\nrun ${B:-3} ${C:-$B}") == "run|2|2|");
  CHECK(last("N=2\nrun --n=$N --m=${N}k") == "run|--n=2|--m=2k|");
}

TEST_CASE("what eval and sh run is run", "[launch]") {
  const std::vector<shell_command> all = shell_commands("A=1\nbash -c 'x $A; y'", "f");
  CHECK(all[0].words == std::vector<std::string>{"x", "1"});
  CHECK(all[1].words == std::vector<std::string>{"y"});
  CHECK(all[1].after == ";");
}

TEST_CASE("variables that hold each other end", "[launch]") {
  std::string text = "A=xxxxxxxxxxxxxxxx\n";
  for (int i = 0; i < 40; ++i) text += "A=\"$A$A\"\n";
  CHECK_THROWS_WITH(shell_commands(text, "f"), "f: its variables stand for more than 4 MiB");
}

}  // namespace
}  // namespace gpuplan
