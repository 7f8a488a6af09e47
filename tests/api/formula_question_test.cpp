#include <gpuplan/api/formula_question.hpp>

#include <string>

#include "support/catch.hpp"

namespace gpuplan::api {
namespace {

using nlohmann::json;

json asked(const json& options) {
  return json::parse(answer_formula({{"question", "formula"}, {"options", options}}));
}

TEST_CASE("a formula with inputs has a value", "[api]") {
  const json answer = asked({{"words", {"erlang_c", "servers=5", "offered=4"}}});
  CHECK(answer["schema_version"] == report_schema_version);
  CHECK(answer["formula"] == "erlang_c");
  CHECK(answer["value"].get<double>() == Approx(0.5541).epsilon(1e-3));
  CHECK(answer["inputs"].size() == 2);
  CHECK_FALSE(answer.contains("reason"));
}

TEST_CASE("a value that is infinite has a reason", "[api]") {
  bool found = false;
  for (const registry::formula* row : registry::rows_of(formula_tables())) {
    if (row->symbols.empty() || row->examples.empty()) continue;
    const json value = json_of(registry::evaluation{.row = row, .value = 1 / 0.0});
    found = value["value"].is_null() &&
            value["reason"] == "infinite here; holds: " + std::string(row->validity);
    break;
  }
  CHECK(found);
}

TEST_CASE("a formula alone has its words and examples", "[api]") {
  const json answer = asked({{"words", {"erlang_c"}}});
  CHECK(answer["name"] == "erlang_c");
  CHECK(answer["room"] == "queue");
  CHECK(answer["header"] == "gpuplan/queue/erlang.hpp");
  CHECK(answer["symbols"].size() == 2);
  const registry::formula& row = find_row("erlang_c");
  REQUIRE(answer["examples"].size() == row.examples.size());
  CHECK(answer["examples"][0]["call"].get<std::string>().starts_with("erlang_c "));
}

TEST_CASE("terms, choices and errata are in the answer of a row that has them", "[api]") {
  bool terms = false, choices = false, errata = false;
  for (const registry::formula* row : registry::rows_of(formula_tables())) {
    const json object = json_of(*row);
    for (const json& symbol : object["symbols"]) choices = choices || symbol.contains("choices");
    errata = errata || !object["printed_elsewhere"].empty();
    if (row->terms.empty() || row->examples.empty()) continue;
    const auto& first = row->examples[0].inputs;
    const json value =
        json_of(registry::evaluate(*row, registry::inputs{first.begin(), first.size()}));
    terms = terms || value["terms"].size() == row->terms.size();
  }
  CHECK(terms);
  CHECK(choices);
  CHECK(errata);
}

TEST_CASE("words search, and no words list all", "[api]") {
  CHECK(asked(nullptr)["formulas"].size() == registry::rows_of(formula_tables()).size());
  CHECK(asked({{"words", {"checkpoint", "interval"}}})["formulas"].size() > 0);
  CHECK(asked({{"search", "checkpoint interval"}}) ==
        asked({{"search", "checkpoint"}, {"words", {"interval"}}}));
  CHECK(asked({{"words", {"cost_of"}}})["formulas"].size() == rows_called("cost_of").size());
}

TEST_CASE("what no formula is asked for is refused", "[api]") {
  const auto what = [](const json& options) { return asked(options)["error"]["what"]; };
  CHECK(what({{"words", {"no", "such", "formula"}}}) ==
        "formula: no formula has all of these words");
  CHECK(what({{"search", "erlang_cc"}}) ==
        "formula: there is no formula called erlang_cc; did you mean erlang_c or erlang_b?");
  CHECK(asked({{"search", "erlang_cc"}})["error"]["did_you_mean"] == json{"erlang_c", "erlang_b"});
  CHECK(asked({{"search", "erlang_cc"}})["error"]["where"] == "options.search");
  CHECK(what({{"words", {"erlang_c", "servers=5"}}})
            .get<std::string>()
            .starts_with("erlang_c: needs "));
  CHECK(what({{"words", {"erlang_c", "servers=5", "offered"}}}) ==
        "formula: an input is NAME=VALUE, such as message=1GB, not 'offered'");
}

}  // namespace
}  // namespace gpuplan::api
