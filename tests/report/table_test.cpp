#include <gpuplan/report/table.hpp>

#include <string>

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

TEST_CASE("a row may not have more cells than there are columns", "[report]") {
  table rows{{{"a"}}};
  CHECK_THROWS_AS(rows.row({"x", "y"}), invalid_input);
}

}  // namespace
