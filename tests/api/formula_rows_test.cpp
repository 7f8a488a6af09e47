#include <gpuplan/api/formula_rows.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace gpuplan::api {
namespace {

TEST_CASE("every row is found by its title", "[api]") {
  for (const registry::formula* row : registry::rows_of(formula_tables())) {
    CAPTURE(row_title(*row));
    CHECK(&find_row(row_title(*row)) == row);
  }
}

TEST_CASE("a row is found whatever the case of its name", "[api]") {
  CHECK(find_row("Erlang-C").name == "erlang_c");
  CHECK(find_row("queue:erlang_c").name == "erlang_c");
  CHECK(room_of(find_row("erlang_c")) == "queue");
  CHECK(rows_called("cost_of").size() > 1);
  CHECK(rows_called("no such formula").empty());
}

TEST_CASE("a name that is of no row, or of several, is refused", "[api]") {
  const auto refusal = [](const char* name) {
    return testing::refusal_by([&] { find_row(name); });
  };
  CHECK(refusal("erlang_cc") ==
        "formula: there is no formula called erlang_cc; did you mean erlang_c or erlang_b?");
  CHECK(refusal("qqqq") == "formula: there is no formula called qqqq; gpuplan formula lists them");
  CHECK(refusal("cost_of").find("headers; choose one: ") != std::string::npos);
}

}  // namespace
}  // namespace gpuplan::api
