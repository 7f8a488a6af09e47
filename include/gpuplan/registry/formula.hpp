#pragma once
/// \file
/// The form of a row of the registry: a formula as data.

#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>

#include <gpuplan/require.hpp>

namespace gpuplan::registry {

/// Up to N things in the order given; a row holds them itself, so that it can be a constant.
template <class T, std::size_t N>
class few {
 public:
  constexpr few() = default;
  /// \throws invalid_input if there are more than N
  constexpr few(std::initializer_list<T> items) {
    for (const T& item : items) add(item);
  }
  /// \throws invalid_input if there are N already
  constexpr void add(const T& item) {
    require(count_ < N, "few: items must be <= their limit");
    items_[count_++] = item;
  }
  [[nodiscard]] constexpr std::size_t size() const { return count_; }
  [[nodiscard]] constexpr bool empty() const { return count_ == 0; }
  [[nodiscard]] constexpr const T* begin() const { return items_.data(); }
  [[nodiscard]] constexpr const T* end() const { return items_.data() + count_; }
  [[nodiscard]] constexpr const T& operator[](std::size_t i) const { return items_[i]; }

 private:
  std::array<T, N> items_{};
  std::size_t count_ = 0;
};

/// A letter of a formula, and one input of its callable.
struct symbol {
  std::string_view letter;
  std::string_view meaning;
  std::string_view unit;       ///< base unit: "B", "s", "B/s"; "count" or "1" where it has none
  std::string_view range;      ///< what is valid, ">= 0"
  std::string_view choices{};  ///< "sgd adam": names of 0, 1, ..., where it is an enumeration's
};

/// Inputs of a callable: one for each symbol, in their order and in base units.
using inputs = std::span<const double>;

/// A case with a known answer.
struct worked_example {
  few<double, 12> inputs;
  double expected = 0;       ///< in the unit of the result
  double tolerance = 1e-12;  ///< relative; the precision that is printed where the value comes from
  std::string_view source;   ///< who vouches for the value
};

/// A further result of a function whose answer has several terms.
struct result_term {
  std::string_view name;
  std::string_view unit;
  double (*evaluate)(inputs) = nullptr;
};

/// What a row says of its formula that a person writes beside the function: which call it is, the
/// formula as it is typeset, and numbers.  All words come from comments: see row_words.
struct row {
  std::string_view call;      ///< "queue/erlang.hpp: erlang_c(c, a) in 1": letters, unit
  std::string_view latex;     ///< the formula, typeset
  std::string_view errata{};  ///< what textbooks and guides print instead, and why it is wrong
  std::string_view topics{};  ///< of the catalogue of formulas that guides print: "M3 M12"
  double (*evaluate)(inputs) = nullptr;
  few<worked_example, 3> examples{};
  few<result_term, 3> terms{};  ///< beside the result
};

/// What a row says that tools/make_formula_words.py reads in comments: that above the row, that of
/// its function, and that above the table, the first that says it.
struct row_words {
  std::size_t call_length;  ///< of the row: tells most other rows from it
  std::string_view name;
  std::string_view header;
  std::string_view meaning;
  std::string_view text;
  std::span<const symbol> symbols;
  std::string_view result;
  std::string_view validity;
  std::string_view source;
};

/// One formula: a public function, said in words, symbols, and numbers.
struct formula {
  std::string_view name;    ///< of the function
  std::string_view header;  ///< that declares it, below gpuplan/
  std::string_view meaning;
  std::string_view text;   ///< the formula in letters, a line each where there are several
  std::string_view latex;  ///< the same, typeset
  std::span<const symbol> symbols;
  std::string_view result;  ///< what comes out: its unit
  std::string_view validity;
  std::string_view source;  ///< author, title, place and year
  std::string_view errata;
  std::string_view topics;
  double (*evaluate)(inputs) = nullptr;
  std::span<const worked_example> examples;
  std::span<const result_term> terms{};
};

/// The formulas of a table, from its rows and their words, in one order.
/// \throws invalid_input, a compile error here, if the words are those of other rows
template <std::size_t N>
constexpr std::array<formula, N> with_words(const std::array<row, N>& rows,
                                            const row_words (&words)[N]) {
  std::array<formula, N> all{};
  for (std::size_t i = 0; i < N; ++i) {
    const row& one = rows[i];
    const row_words& said = words[i];
    require(one.call.size() == said.call_length, "registry: run tools/make_formula_words.py again");
    all[i] = {.name = said.name,
              .header = said.header,
              .meaning = said.meaning,
              .text = said.text,
              .latex = one.latex,
              .symbols = said.symbols,
              .result = said.result,
              .validity = said.validity,
              .source = said.source,
              .errata = one.errata,
              .topics = one.topics,
              .evaluate = one.evaluate,
              .examples = {one.examples.begin(), one.examples.size()},
              .terms = {one.terms.begin(), one.terms.size()}};
  }
  return all;
}

/// The rows of one table.
struct table {
  std::string_view room;
  std::span<const formula> rows;
};

/// An input that counts something: twice the largest is still an int.
/// \throws invalid_input if it is not whole, or beyond 1e9
constexpr int whole(double input) {
  require(input >= -1e9 && input <= 1e9, "a count must be <= 1e9");
  const int count = static_cast<int>(input);
  require(count == input, "a count must be whole");
  return count;
}

}  // namespace gpuplan::registry
