#include <gpuplan/text/row_fault.hpp>

#include <string>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

TEST_CASE("a fault is one line: where, what stands there, what is wrong, what may", "[text]") {
  const row_fault fault{.line = 7,
                        .column = "gpus",
                        .field = "x",
                        .problem = field_problem::not_understood,
                        .allowed = "a whole number >= 0"};
  CHECK(description_of(fault) == "line 7: gpus 'x' " +
                                     std::string(problem_of(field_problem::not_understood)) +
                                     "; allowed: a whole number >= 0");
  const std::string row = description_of({.line = 2, .problem = field_problem::too_few_fields});
  CHECK(row == "line 2: the row " + std::string(problem_of(field_problem::too_few_fields)));
}

TEST_CASE("what stands in a field is shown as UTF-8, at most 60 bytes of it", "[text]") {
  CHECK(shown_field("8 GPUs") == "8 GPUs");
  CHECK(shown_field("a\n\x1b\xff") == "a\\n\\u001b\\xff");
  CHECK(shown_field("\u8bad\u7ec3 \u00e9") == "\u8bad\u7ec3 \u00e9");
  // Cut between characters.
  CHECK(shown_field(std::string(59, 'a') + "\u00e9") == std::string(59, 'a'));
  CHECK(shown_field(std::string(100, 'a')) == std::string(60, 'a'));
}

}  // namespace
}  // namespace gpuplan
