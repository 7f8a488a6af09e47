#include <gpuplan/api/formula_values.hpp>

#include <array>

#include <gpuplan/api/formula_rows.hpp>
#include <gpuplan/registry/registry.hpp>
#include <gpuplan/registry/search.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace gpuplan::api {
namespace {

TEST_CASE("a value is typed as it reads back", "[api]") {
  CHECK(typed_value(5, "count") == "5");
  CHECK(typed_value(0.1, "1") == "0.1");
  CHECK(typed_value(1e-5, "1") == "1e-05");
  CHECK(typed_value(3e11, "B/s") == "300GB/s");
  CHECK(typed_value(1500, "B") == "1.5kB");
  CHECK(typed_value(1501, "B") == "1501B");
  CHECK(typed_value(5e-9, "s") == "5ns");
  CHECK(typed_value(2, "s") == "2s");
  CHECK(typed_value(0, "s") == "0s");
  CHECK(typed_value(-2e9, "B") == "-2000000000B");
  CHECK(typed_value(0.5, "1/s") == "0.5/s");
  CHECK(typed_value(2000, "dollar") == "2000USD");
  CHECK(typed_value(1e6, "token") == "1000000");
}

TEST_CASE("inputs of every example read back", "[api]") {
  for (const registry::formula* row : registry::rows_of(registry::tables))
    for (const registry::worked_example& one : row->examples)
      for (std::size_t i = 0; i < row->symbols.size(); ++i) {
        const std::string text = typed_input(row->symbols[i], one.inputs[i]);
        CAPTURE(row->name, text);
        const registry::input_text read = registry::read_input(row->symbols[i], text);
        CHECK(read.fault.empty());
        CHECK(read.value == one.inputs[i]);
      }
}

TEST_CASE("the input for which a row is refused is named", "[api]") {
  using registry::assignment;
  const registry::formula& row = find_row("erlang_c");
  const std::array range{assignment{"servers", "5"}, assignment{"a", "-4"}};
  CHECK(refused_input(row, range) == "a");
  const std::array unknown{assignment{"servers", "5"}, assignment{"zz", "4"}};
  CHECK(refused_input(row, unknown) == "zz");
  const std::array twice{assignment{"servers", "5"}, assignment{"c", "4"}};
  CHECK(refused_input(row, twice) == "c");
  const std::array missing{assignment{"servers", "5"}};
  CHECK(refused_input(row, missing) == "offered_load");
  const std::array good{assignment{"servers", "5"}, assignment{"a", "4"}};
  CHECK(refused_input(row, good).empty());
}

TEST_CASE("an input of an enumeration has a name", "[api]") {
  const registry::symbol of{
      .letter = "o", .meaning = "rule", .unit = "1", .range = "", .choices = "sgd adam"};
  const registry::symbol number{.letter = "n", .meaning = "GPUs", .unit = "count", .range = ""};
  CHECK(choice_of_input(of, 1) == "adam");
  CHECK(choice_of_input(of, 2).empty());
  CHECK(choice_of_input(of, -1).empty());
  CHECK(typed_input(of, 0) == "sgd");
  CHECK(typed_input(number, 2) == "2");
}

TEST_CASE("an input is a name and a value", "[api]") {
  CHECK(assignment_of("m=5GB/s").name == "m");
  CHECK(assignment_of("m=5GB/s").value == "5GB/s");
  for (const char* word : {"m", "=5"})
    CHECK(testing::refusal_by([&] { assignment_of(word); }) ==
          std::string("formula: an input is NAME=VALUE, such as message=1GB, not '") + word + "'");
}

TEST_CASE("what refuses inputs begins with the name of the row", "[api]") {
  const registry::formula& row = *registry::rows_called(registry::tables, "erlang_c").front();
  const std::array<registry::assignment, 2> given{{{"servers", "5"}, {"offered", "4"}}};
  CHECK(evaluated(row, given).value > 0);
  CHECK(testing::refusal_by([&] { evaluated(row, {}); }).starts_with("erlang_c: needs "));
}

}  // namespace
}  // namespace gpuplan::api
