#include <gpuplan/report/table.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace {

using namespace gpuplan;

static_assert(width_of("GiB") == 3);
static_assert(width_of("\xc3\xa9t\xc3\xa9") == 3, "a letter of two bytes takes one column");

TEST_CASE("columns are as wide as their widest cell", "[report]") {
  table rows{{{"Term"}, {"Bytes", column_side::right}}};
  rows.row({"weights", "7"});
  rows.row({"optimizer states", "123456"});
  rows.line();
  rows.row({"total", "123463"});
  CHECK(rows.text() ==
        "Term               Bytes\n"
        "weights                7\n"
        "optimizer states  123456\n"
        "------------------------\n"
        "total             123463\n");
}

TEST_CASE("cells that are left out are empty, and lines end in no blanks", "[report]") {
  table rows{{{"a"}, {"b"}}};
  rows.row({"x"});
  rows.row({});
  CHECK(rows.rows() == 2);
  CHECK(rows.text() == "a  b\nx\n\n");
}

TEST_CASE("without titles there is no line of them", "[report]") {
  table rows{{{""}, {""}}};
  CHECK(rows.empty());
  rows.row({"x", "y"});
  CHECK(rows.text(text_style::plain, "  ") == "  x  y\n");
}

TEST_CASE("escape sequences are for terminals alone", "[report]") {
  table rows{{{"title"}}};
  rows.row({"cell"});
  CHECK(rows.text().find('\033') == std::string::npos);
  CHECK(rows.text(text_style::terminal) == "\033[1mtitle\033[0m\ncell\n");
  CHECK(bold("x", text_style::plain) == "x");
}

TEST_CASE("lines are no wider than asked, but for a long word", "[report]") {
  CHECK(wrapped_lines("a bb ccc dddddddd", 6) ==
        std::vector<std::string>{"a bb", "ccc", "dddddddd"});
  CHECK(wrapped_lines("a bb ccc", 8) == std::vector<std::string>{"a bb ccc"});
  CHECK(wrapped_lines("", 8) == std::vector<std::string>{""});
  CHECK(wrapped("a bb ccc", 5, " ") == "a bb\n ccc");
}

TEST_CASE("the last column is wrapped where a table is too wide", "[report]") {
  table rows{{{"Term", column_side::right}, {"Words"}}};
  rows.row({"first", "one two three four five six seven eight"});
  rows.line();
  rows.row({"second", "nine"});
  CHECK(rows.text_within(60) == rows.text());
  CHECK(rows.text_within(30) ==
        "  Term  Words\n"
        " first  one two three four\n"
        "        five six seven eight\n"
        "----------------------------\n"
        "second  nine\n");
}

TEST_CASE("another column of texts is wrapped where the last one has little to wrap", "[report]") {
  table rows{{{"Term"}, {"Size", column_side::right}}};
  rows.row({"one two three four five six", "1"});
  rows.line();
  rows.row({"seven", "22"});
  CHECK(rows.text_within(28) ==
        "Term                Size\n"
        "one two three four     1\n"
        "five six\n"
        "------------------------\n"
        "seven                 22\n");
  table both{{{"Term"}, {"Words"}}};
  both.row({"one two three four five six", "one two three four five six"});
  CHECK(both.text_within(46) ==
        "Term                     Words\n"
        "one two three four five  one two three four\n"
        "six                      five six\n");
}

TEST_CASE("the last column stands below each row where there is no room beside", "[report]") {
  table rows{{{"Number", column_side::right}, {"Name"}, {"Words that explain"}}};
  rows.row({"1", "first", "one two three four five six seven"});
  rows.row({"2", "second", ""});
  CHECK(rows.text_within(20) ==
        "Number  Name\n"
        "    Words that\n"
        "    explain\n"
        "     1  first\n"
        "    one two three\n"
        "    four five six\n"
        "    seven\n"
        "     2  second\n");
}

TEST_CASE("texts beside a last column that stands below are wrapped, too", "[report]") {
  table rows{{{"Name"}, {"Number", column_side::right}, {"Words that explain"}}};
  rows.row({"alpha beta gamma delta", "12", "one two three four five six seven"});
  CHECK(rows.text_within(20) ==
        "Name          Number\n"
        "    Words that\n"
        "    explain\n"
        "alpha beta        12\n"
        "gamma delta\n"
        "    one two three\n"
        "    four five six\n"
        "    seven\n");
}

TEST_CASE("a row may not have more cells than there are columns", "[report]") {
  table rows{{{"a"}}};
  CHECK_THROWS_AS(rows.row({"x", "y"}), invalid_input);
}

}  // namespace
