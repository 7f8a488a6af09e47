#include <gpuplan/launch/shell_condition.hpp>

#include <string>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using enum shell_truth;

shell_truth test(const std::string& text) {
  return truth_of_test(shell_words(text, "f"));
}

TEST_CASE("texts and numbers are compared", "[launch]") {
  CHECK(test("[ 8B = 8B ]") == yes);
  CHECK(test("[[ \"8B\" == '70B' ]]") == no);
  CHECK(test("test a != b") == yes);
  CHECK(test("[ 08 -eq 8 ]") == yes);
  CHECK(test("[ 3 -lt 3 ]") == no);
  CHECK(test("[ 3 -le 3 ]") == yes);
  CHECK(test("[ -1 -gt -2 ]") == yes);
  CHECK(test("[ 2 -ge 3 ]") == no);
  CHECK(test("[ 2 -ne 3 ]") == yes);
  CHECK(test("[ a -eq 3 ]") == unknown);
  CHECK(test("[ -z '' ]") == yes);
  CHECK(test("[ -n '' ]") == no);
  CHECK(test("[ x ]") == yes);
  CHECK(test("[ '' ]") == no);
}

TEST_CASE("tests are joined and inverted", "[launch]") {
  CHECK(test("[ ! a = b ]") == yes);
  CHECK(test("[[ a == b || b == b && c == c ]]") == yes);
  CHECK(test("[[ a == a && b == c ]]") == no);
  CHECK(test("[ a = b -o b = b ]") == yes);
  CHECK(test("[ a = a -a b = c ]") == no);
  CHECK(test("[[ $A == b && b == c ]]") == no);
}

TEST_CASE("what the text does not say is unknown", "[launch]") {
  for (const char* text : {"[ $A = b ]", "[ -f x ]", "[ a = b", "[[ a =~ b ]]", "[[ (a == b) ]]",
                           "[ ]", "[ = a ]", "[[ a < b ]]", "[ `x` = a ]", "[[ ab == [a-c]* ]]"}) {
    INFO(text);
    CHECK(test(text) == unknown);
  }
  CHECK(test("[ '$A' = '$A' ]") == yes);
}

TEST_CASE("patterns stand for texts", "[launch]") {
  CHECK(test("[[ llama-70b == llama* ]]") == yes);
  CHECK(test("[[ llama-70b == *-7?b ]]") == yes);
  CHECK(test("[[ llama != g* ]]") == yes);
  CHECK(test("[ ab = a* ]") == no);
  CHECK(test("[[ ab == \"a\"* ]]") == unknown);
  CHECK(truth_of_pattern({.text = "$A"}, {.text = "*"}) == yes);
}

TEST_CASE("commands that test are known", "[launch]") {
  CHECK(test("true") == yes);
  CHECK(test("false") == no);
  CHECK(is_shell_test({.text = "[["}));
  CHECK_FALSE(is_shell_test({.text = "grep"}));
}

}  // namespace
}  // namespace gpuplan
