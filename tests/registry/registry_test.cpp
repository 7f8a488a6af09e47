#include <gpuplan/registry/registry.hpp>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

namespace gpuplan::registry {
namespace {

static_assert(find_formula("max_batch") != nullptr);
static_assert(find_formula("Max Batch") == find_formula("max_batch"), "as people type it");
static_assert(find_formula("parameters_of", "model/convnet.hpp") !=
                  find_formula("parameters_of", "model/parameters.hpp"),
              "one name, two headers");
static_assert(find_formula("max_bacth") == nullptr);
static_assert(find_formula("max_batch", "memory/kv_cache.hpp") == nullptr);
static_assert(formula_count() >= units_formulas.size() + memory_state_formulas.size());

static_assert(few<int, 2>{}.empty() && few<int, 2>{1, 2}[1] == 2);

std::vector<const formula*> all_rows() {
  std::vector<const formula*> rows;
  for (const table& of : tables)
    for (const formula& row : of.rows) rows.push_back(&row);
  return rows;
}

std::string title(const formula& row) {
  return std::string(row.name) + " of " + std::string(row.header);
}

TEST_CASE("a row says everything that a reader wants to know", "[registry]") {
  for (const formula* row : all_rows()) {
    INFO(title(*row));
    for (const std::string_view said : {row->name, row->header, row->meaning, row->text, row->latex,
                                        row->result, row->validity, row->source})
      CHECK(!said.empty());
    CHECK(row->evaluate != nullptr);
    CHECK(!row->symbols.empty());
    CHECK(!row->examples.empty());
    for (const symbol& letter : row->symbols)
      for (const std::string_view said : {letter.letter, letter.meaning, letter.unit, letter.range})
        CHECK(!said.empty());
    for (const worked_example& example : row->examples) {
      CHECK(example.inputs.size() == row->symbols.size());
      CHECK(!example.source.empty());
      CHECK(example.tolerance <= 0.03);
    }
  }
}

TEST_CASE("a row stands in the table of the room of its header", "[registry]") {
  for (const table& of : tables)
    for (const formula& row : of.rows) {
      INFO(title(row));
      CHECK(row.header.substr(0, row.header.find('/')) == of.room);
    }
}

TEST_CASE("no function has two rows", "[registry]") {
  std::set<std::string> titles;
  for (const formula* row : all_rows()) CHECK(titles.insert(title(*row)).second);
  CHECK(titles.size() == formula_count());
}

TEST_CASE("worked examples come out as their sources say", "[registry][reference]") {
  for (const formula* row : all_rows())
    for (const worked_example& example : row->examples) {
      INFO(title(*row) << ": " << row->text << ", by " << example.source);
      const double value = row->evaluate({example.inputs.begin(), example.inputs.size()});
      CHECK(std::abs(value - example.expected) <= example.tolerance * std::abs(example.expected));
    }
}

/// Whether every brace of a formula closes, in order.
bool closes(std::string_view latex) {
  int open = 0;
  for (std::size_t i = 0; i < latex.size(); ++i) {
    if (latex[i] == '\\') {
      ++i;
      continue;
    }
    if (latex[i] == '{') ++open;
    if (latex[i] == '}' && --open < 0) return false;
  }
  return open == 0;
}

TEST_CASE("typeset formulas are well formed", "[registry]") {
  CHECK(closes(R"(\{ a_{b} \})"));
  CHECK(!closes("a_{b"));
  CHECK(!closes("}{"));
  for (const formula* row : all_rows()) {
    INFO(title(*row) << ": " << row->latex);
    CHECK(closes(row->latex));
    const auto count = [&](std::string_view word) {
      int found = 0;
      for (auto at = row->latex.find(word); at != std::string_view::npos;
           at = row->latex.find(word, at + 1))
        ++found;
      return found;
    };
    CHECK(count("\\left") - count("\\leftarrow") == count("\\right") - count("\\rightarrow"));
  }
}

TEST_CASE("every formula that guides print of memory and batch is reached", "[registry]") {
  std::set<std::string> reached;
  for (const formula* row : all_rows()) {
    std::istringstream topics{std::string(row->topics)};
    for (std::string topic; topics >> topic;) reached.insert(topic);
  }
  for (int i = 1; i <= 20; ++i) CHECK(reached.contains("M" + std::to_string(i)));
  for (int i = 1; i <= 3; ++i) CHECK(reached.contains("B" + std::to_string(i)));
}

}  // namespace
}  // namespace gpuplan::registry
