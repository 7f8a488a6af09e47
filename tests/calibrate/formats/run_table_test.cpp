#include <gpuplan/calibrate/formats/run_table.hpp>

#include <string>
#include <utility>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

TEST_CASE("rows keep their lines, and fields stand as they were written", "[calibrate]") {
  const run_table table = read_run_table(
      "\xEF\xBB\xBF# own runs\n"
      "data, tensor ,seconds\r\n"
      "\n"
      "8,1,2.5\r\n"
      "# not this one,1,2\n"
      "4,\"a, \"\"b\"\"\",\n",
      "steps.csv");
  CHECK(table.columns == std::vector<std::string>{"data", "tensor", "seconds"});
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0].line == 4);
  CHECK(table.rows[0].fields == std::vector<std::string>{"8", "1", "2.5"});
  CHECK(table.rows[1].line == 6);
  CHECK(table.rows[1].fields == std::vector<std::string>{"4", "a, \"b\"", ""});
}

TEST_CASE("tables that cannot be read are refused by line", "[calibrate]") {
  for (const auto& [text, words] :
       {std::pair{"", "has no row"}, std::pair{"data,seconds\n", "has no row"},
        std::pair{"# only words\n", "has no row"},
        std::pair{"data,seconds\n8\n", "line 2: the row has fewer fields"},
        std::pair{"data,seconds\n8,1,2\n", "line 2: the row has more fields"},
        std::pair{"data,data\n8,1\n", "line 1: data is twice"},
        std::pair{"data,,seconds\n8,1,2\n", "line 1: a column's name is empty"},
        std::pair{"data,seconds\n\"8,1\n", "line 2: the row has a quote that is not closed"}}) {
    INFO(text);
    try {
      static_cast<void>(read_run_table(text, "steps.csv"));
      FAIL("was read");
    } catch (const invalid_input& fault) {
      CHECK_THAT(fault.what(),
                 Catch::Matchers::StartsWith("steps.csv: ") && Catch::Matchers::Contains(words));
    }
  }
}

TEST_CASE("no text breaks the reader of runs", "[calibrate]") {
  testing::check_property("a table, or one line that says why not", [] {
    std::string text;
    const int length = *rc::gen::inRange(0, 40);
    for (int i = 0; i < length; ++i) text += "a1,\"#\n\r\t ;"[*rc::gen::inRange(0, 10)];
    try {
      const run_table table = read_run_table(text, "t");
      for (const run_row& row : table.rows) RC_ASSERT(row.fields.size() == table.columns.size());
    } catch (const invalid_input& fault) {
      RC_ASSERT(std::string(fault.what()).find('\n') == std::string::npos);
    }
  });
}

}  // namespace
}  // namespace gpuplan
