#include <gpuplan/registry/registry.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/registry/evaluation.hpp>
#include <gpuplan/registry/search.hpp>
#include <gpuplan/registry/symbol_name.hpp>
#include <gpuplan/registry/symbol_range.hpp>
#include <gpuplan/registry/symbol_unit.hpp>

#include "support/catch.hpp"
#include "support/data.hpp"

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

TEST_CASE("every input of a row can be named by its letter and by its words", "[registry]") {
  for (const formula* row : all_rows())
    for (std::size_t i = 0; i < row->symbols.size(); ++i) {
      const symbol& of = row->symbols[i];
      INFO(title(*row) << ": " << of.letter << ", " << name_of(of));
      for (const std::string& name : {std::string(of.letter), name_of(of)}) {
        const meant_symbols meant = symbols_called(*row, name);
        REQUIRE(meant.size() == 1);
        CHECK(meant[0] == i);
      }
    }
}

TEST_CASE("units and ranges of every row can be read, and examples keep them", "[registry]") {
  for (const formula* row : all_rows()) {
    INFO(title(*row));
    CHECK(meaning_of_unit(row->result).known);
    for (const result_term& term : row->terms) CHECK(meaning_of_unit(term.unit).known);
    for (const symbol& of : row->symbols) CHECK(meaning_of_unit(of.unit).known);
    for (const worked_example& example : row->examples) {
      const inputs given{example.inputs.begin(), example.inputs.size()};
      for (std::size_t i = 0; i < given.size(); ++i) {
        INFO(row->symbols[i].letter << " = " << given[i] << ": " << row->symbols[i].range);
        CHECK(fit_of(*row, i, given) == range_fit::within);
        if (row->symbols[i].unit == "count") CHECK(given[i] == std::trunc(given[i]));
      }
    }
  }
}

TEST_CASE("choices have the names of their values, in their order", "[registry]") {
  const auto names = [](const symbol& of, const auto& values, auto name) {
    INFO(of.meaning);
    for (std::size_t i = 0; i < values.size(); ++i)
      CHECK(same_name(choice_of(of, i), name(values[i])));
    CHECK(choice_of(of, values.size()).empty());
  };
  const auto first_of = [](std::string_view name) { return find_formula(name)->symbols[0]; };
  names(first_of("state_values"), optimizers,
        [](optimizer o) { return spelled(optimizer_names, o); });
  names(first_of("bytes_per_parameter"), precisions,
        [](precision p) { return spelled(precision_names, p); });
  names(first_of("limits_of"), number_formats,
        [](number_format f) { return spelled(number_format_names, f); });
  names(first_of("bus_factor"), collectives, [](collective c) { return name_of(c); });
  const formula* loss = find_formula("bytes_per_logit");
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(choice_of(loss->symbols[0], i) == spelled(loss_names, static_cast<loss_kernel>(i)));
}

TEST_CASE("a row alone is found by its title", "[registry]") {
  for (const formula* row : all_rows()) {
    const auto found = rows_called(tables, title_of(tables, *row));
    REQUIRE(found.size() == 1);
    CHECK(found[0] == row);
  }
}

/// An input of any size that a symbol may have: whole if it counts, large or small else.
double any_input(const symbol& of, std::mt19937_64& random) {
  constexpr std::array odd{0.0, 1.0, 2.0, 0.5, 1e-12, 1e9, 2147483648.0, 1e18};
  const auto draw = random();
  const double share = static_cast<double>(draw >> 11) * 0x1p-53;
  double value = odd[draw % odd.size()];
  if (draw % 3 == 0) value = std::pow(10, 8 * share - 3);
  if (of.unit == "count") value = std::floor(std::min(value, largest_count));
  return value;
}

TEST_CASE("whatever is asked of a row, it answers with a number or refuses in one line",
          "[registry]") {
  std::mt19937_64 random{20240917};
  for (const formula* row : all_rows()) {
    INFO(title(*row));
    for (int i = 0; i < 40; ++i) {
      std::array<double, 12> values{};
      for (std::size_t k = 0; k < row->symbols.size(); ++k) {
        const worked_example& example = row->examples[0];
        values[k] = random() % 2 == 0 ? example.inputs[k] : any_input(row->symbols[k], random);
      }
      double value = 0;
      try {
        value = evaluate(*row, inputs{values.data(), row->symbols.size()}).value;
      } catch (const invalid_input& refusal) {
        CHECK(std::string_view(refusal.what()).find('\n') == std::string_view::npos);
      }
      CHECK(!std::isnan(value));
    }
  }
}

TEST_CASE("every formula that guides print is reached", "[registry]") {
  std::set<std::string> reached;
  for (const formula* row : all_rows()) {
    std::istringstream topics{std::string(row->topics)};
    for (std::string topic; topics >> topic;) reached.insert(topic);
  }
  std::ifstream listed{testing::data_folder() / "formula_topics.txt"};
  std::set<std::string> known;
  for (std::string line; std::getline(listed, line);) {
    std::istringstream words{line};
    std::string topic;
    words >> topic;
    if (topic.empty() || topic.front() == '#') continue;
    INFO(line);
    CHECK(known.insert(topic).second);
    CHECK(reached.contains(topic));
  }
  CHECK(known.size() == 84);
  for (const std::string& topic : reached) {
    INFO(topic);
    CHECK(known.contains(topic));
  }
}

}  // namespace
}  // namespace gpuplan::registry
