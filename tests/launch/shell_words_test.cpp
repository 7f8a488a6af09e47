#include <gpuplan/launch/shell_words.hpp>

#include <string>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

/// Words and, in angle brackets, operators.
std::string parts(const std::string& text) {
  std::string all;
  for (const shell_word& word : shell_words(text, "f"))
    all += (all.empty() ? "" : " ") + (word.is_operator ? "<" + word.text + ">" : word.text);
  return all;
}

TEST_CASE("blanks, quotes and comments part words", "[launch]") {
  CHECK(parts("a  'b c' \"d\"e # f\ng") == "a b c de <\n> g");
  CHECK(parts("a \\\n b\\\r\n c\\ d") == "a b c d");
  CHECK(parts("a#b") == "a#b");
  CHECK(shell_words("$A", "f")[0].quoting == shell_quoting::none);
  CHECK(shell_words("\"$A\"", "f")[0].quoting == shell_quoting::split);
  CHECK(shell_words("'$A'", "f")[0].quoting == shell_quoting::literal);
  CHECK_THROWS_WITH(shell_words("a \"b", "f"), "f: a quote is not closed");
}

TEST_CASE("operators need no blank beside them", "[launch]") {
  CHECK(parts("(a --b)") == "<(> a --b <)>");
  CHECK(parts("a|b||c;d&e&&f|&g") == "a <|> b <||> c <;> d <&> e <&&> f <|&> g");
  CHECK(parts("a 2>&1|b") == "a 2>&1 <|> b");
  CHECK(parts("a>b &>c") == "a >b &>c");
  CHECK(parts("A=(b 8)c") == "A= <(> b 8 <)> c");
  CHECK(parts("'a|b' \"c;d\" e\\|f") == "a|b c;d e|f");
}

TEST_CASE("a long word is read once", "[launch]") {
  std::string word;
  for (int i = 0; i < 1 << 17; ++i) word += "2>";
  CHECK(shell_words(word, "f").size() == 65'536);
  CHECK(parts("2>2>2>2") == "2>2>2 >2");
}

TEST_CASE("brackets within a word and substitutions are parts of it", "[launch]") {
  CHECK(parts("a --x ([0]*3+[1]*12) <b>") == "a --x ([0]*3+[1]*12) <b>");
  CHECK(parts("a $(b | c) ${d:-e f} $((1 + (2))) `g h` \"$(i \"j\")\"") ==
        "a $(b | c) ${d:-e f} $((1 + (2))) `g h` $(i \"j\")");
  CHECK(parts("a $(b") == "a $(b");
}

TEST_CASE("a sum in brackets is a word where a command may begin", "[launch]") {
  CHECK(parts("if (( A <= (8) )); then") == "if (( A <= (8) )) <;> then");
  CHECK(parts("for ((i=0;i<4;i++))") == "for ((i=0;i<4;i++))");
  CHECK(parts("((a) && (b))") == "<(> <(> a <)> <&&> <(> b <)> <)>");
  CHECK(parts("((a)") == "<(> <(> a <)>");
}

}  // namespace
}  // namespace gpuplan
