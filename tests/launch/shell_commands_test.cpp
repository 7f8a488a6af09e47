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

TEST_CASE("the null command sets a variable by default", "[launch]") {
  CHECK(last(": \"${EP:=8}\"\nrun --ep $EP") == "run|--ep|8|");
  CHECK(last(": ${EP:=8}\nrun --ep ${EP}") == "run|--ep|8|");
  CHECK(last("EP=4\n: ${EP:=8}\nrun --ep $EP") == "run|--ep|4|");
  CHECK(last("N=2\n: ${EP:=$N} ${TP:=$((N * 2))}\nrun $EP $TP") == "run|2|4|");
  CHECK(last(": \"${A:=--x 1}\"\nrun $A") == "run|--x|1|");
  CHECK(last("run ${EP:=8} $EP") == "run|8|8|");
  CHECK(last("run ${EP:-8} $EP") == "run|8|$EP|");
  CHECK(last("B=${EP:=8}\nrun $EP") == "run|8|");

  const auto undecided = shell_commands("if [ -f x ]; then\n: ${EP:=8}\nfi\nrun $EP\n", "f");
  CHECK(undecided.back().words == std::vector<std::string>{"run", "8"});
  CHECK_FALSE(undecided.back().rests_on.empty());
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
  CHECK(last("A=('' '')\nrun ${A[@]} \"${A[@]}\" end") == "run|||end|");
  CHECK(last(list + "B=(\"${A[@]}\" end)\nrun ${B[@]}") == "run|--x|y|--z|1|--w|end|");
}

TEST_CASE("a variable that is not set stays, or is what stands for it", "[launch]") {
  CHECK(last("run $A ${B:-3} ${C:=4} $((2 * 8)) $(date +%s) `date`") ==
        "run|$A|3|4|16|$(date +%s)|`date`|");
  CHECK(last("B=2\nexport C=\nrun ${B:-3} ${C:-$B}") == "run|2|2|");
  CHECK(last("N=2\nrun --n=$N --m=${N}k") == "run|--n=2|--m=2k|");
}

TEST_CASE("sums of known integers are computed", "[launch]") {
  CHECK(last("N=4\nM=$((8*N))\nrun $(( ($M + ${X:-2}) / 2 )) $((Y * 2)) $((1 < 2))") ==
        "run|17|$((Y * 2))|1|");
  CHECK_THROWS_WITH(last("run $((1/0))"), Catch::Matchers::Contains("divides by zero"));
}

/// Words of the last command, and the lines of tests that it rests on.
std::string branch(const std::string& text) {
  std::string all;
  const std::vector<shell_command> commands = shell_commands(text, "f");
  for (const std::string& word : commands.back().words) all += word + "|";
  for (const std::size_t line : commands.back().rests_on) all += std::to_string(line) + ";";
  return all;
}

TEST_CASE("sums are tests, and set variables", "[launch]") {
  const std::string arms = "; then P=4\nelse P=8\nfi\nrun $P";
  CHECK(branch("N=4\nif (( N <= 8 ))" + arms) == "run|4|");
  CHECK(branch("N=16\nif ((N<=8))" + arms) == "run|8|");
  CHECK(branch("N=4\nif ! (( $N > 8 && N / 0 ))" + arms) == "run|4|");
  CHECK(branch("N=4\n((N == 4)) && P=2\nrun $P") == "run|2|");
  CHECK(branch("if (( N <= 8 ))" + arms) == "run|8|1;");
  CHECK(branch("\nif [ $X ]; then N=1; else N=9; fi\nif (( N <= 8 ))" + arms) == "run|8|2;");
  CHECK(last("N=4\n(( N = N * 2 ))\n((N += 1)); ((++N)); ((N--))\nrun $N") == "run|9|");
  CHECK(last("N=4\n(( N = M ))\nrun $N") == "run|$N|");
  CHECK(last("for ((i = 0; i < 4; i++)); do run $i; done") == "run|$i|");
  CHECK(last("((a) && (run b))") == "run|b|");
}

TEST_CASE("a variable that a sum changes in another way is not known", "[launch]") {
  for (const char* sum : {"((N<<=1))", "((M=4, N=8))", "((N |= 8))", "((A = N = 8))",
                          ": $((N *= 2))", "M=$((++N))", "((M = N++))", "((M && N--))", "let N=8",
                          "let \"N += 1\"", "for ((N = 0; N < 8; N++)); do :; done"}) {
    INFO(sum);
    CHECK(last("N=4\nM=1\n" + std::string(sum) + "\nrun $N") == "run|$N|");
  }
  CHECK(last("N=4\n((N <<1))\n: $((N == 2)) $((N <= M))\nrun $N") == "run|4|");
  CHECK(last("N=4\nrun $((++N))") == "run|$((++N))|");
}

TEST_CASE("what a text runs rests on the tests that its words rest on", "[launch]") {
  const std::string test = "if [ $X ]; then P=8; else P=4; fi\nC=\"run $P\"\n";
  CHECK(branch(test + "$C") == "run|4|1;");
  for (const char* runs : {"srun bash -c \"$C\"", "eval $C", "eval \"$C\""}) {
    INFO(runs);
    const std::vector<shell_command> commands = shell_commands(test + runs, "f");
    REQUIRE(commands.size() >= 2);
    const shell_command& inner = commands[commands.size() - 2];
    CHECK(inner.words == std::vector<std::string>{"run", "4"});
    CHECK(std::vector<std::size_t>(inner.rests_on.begin(), inner.rests_on.end()) ==
          std::vector<std::size_t>{1});
  }
}

TEST_CASE("the arm runs whose test holds", "[launch]") {
  const std::string arms =
      "if [ $S = 8B ]; then\n L=32\nelif [[ $S == 70* ]]; then L=80\nelse\n L=1; fi\nrun $L";
  CHECK(branch("S=8B\n" + arms) == "run|32|");
  CHECK(branch("S=70B\n" + arms) == "run|80|");
  CHECK(branch("S=x\n" + arms) == "run|1|");
  CHECK(branch("if [ ${FP8:-0} = 1 ]; then A=--fp8; fi\nrun --x $A") == "run|--x|$A|");
  CHECK(branch("N=2\nif [ $N -gt 1 ] && ! [ -z \"$N\" ]; then A=1; else A=2; fi; run $A") ==
        "run|1|");
  CHECK(branch("S=b\ncase $S in\n a|b) L=1 ;;\n *) L=2 ;;\nesac\nrun $L") == "run|1|");
  CHECK(branch("S=c\ncase \"$S\" in (a) L=1;; b*) L=3;; *) L=2; esac\nrun $L") == "run|2|");
  CHECK(branch("A=1\n[ $A = 2 ] && A=3\n[[ $A == 2 ]] ||\n B=(4 5)\nrun $A ${B[@]}") ==
        "run|1|4|5|");
  CHECK(branch("A=1\n[ $A = 2 ] && { A=3; if [ $A = 3 ]; then A=4; fi; }\nrun $A") == "run|1|");
  CHECK(branch("A='a b'\nif [[ $A == a* ]]; then B=1; else B=2; fi\nrun $B") == "run|1|");
  CHECK(branch("A='a b'\nif [ \"$A\" = 'a b' ]; then B=1; else B=2; fi\nrun $B") == "run|1|");
  CHECK(branch("A=1\ntest $A = 1 || (A=2; B=(3))\nfor A in 1 2; do run $A; done") == "run|$A|");
}

TEST_CASE("what rests on a test that is not decided says so", "[launch]") {
  const std::string arms = "if [ $1 = a ]; then\n L=1\nelse\n L=2\nfi\n";
  CHECK(branch(arms + "run $L") == "run|2|1;");
  CHECK(branch(arms + "run $M") == "run|$M|");
  CHECK(branch(arms + "M=x$L\nN=$M\nrun $N") == "run|x2|1;");
  CHECK(branch(arms + "A=1\nif [ $L = 1 ]; then A=2; fi\nrun $A") == "run|1|1;");
  CHECK(branch("A=1\n\n[ -f x ] && A=2\nrun $A") == "run|2|3;");
  CHECK(branch("mkdir x && A=2\nrun $A") == "run|2|");
  CHECK(branch("case $1 in\n a) A=1;;\n b) A=2;;\nesac\nrun $A") == "run|2|1;");
  CHECK(branch("if nvidia-smi; then\n run 1\nfi\n") == "run|1|1;");
  CHECK(branch("A=1\nif [ x = y ] && [ $1 = a ]; then A=2; fi\nrun $A") == "run|1|");
  CHECK(branch("if [ $1 ]; then eval \"A=1\"; fi\nrun $A") == "run|1|1;");
}

TEST_CASE("a text in a script opens nothing", "[launch]") {
  CHECK(branch("if [ a = b ]; then\ncat <<EOF\nif you like\nEOF\nA=1\nelse A=2\nfi\nrun $A") ==
        "run|2|");
  CHECK(branch("fi\n}\ndone\nesac\nelse\nrun 1") == "run|1|");
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
