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
  std::string_view unit;   ///< base unit: "B", "s", "FLOP", "B/s"; "count" or "1" where it has none
  std::string_view range;  ///< what is valid, ">= 0"
  std::string_view
      choices{};  ///< "sgd adam": names of 0, 1, ..., where it is one of an enumeration
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

/// One row: a public function, said in words, symbols, and numbers.
struct formula {
  std::string_view name;    ///< of the function
  std::string_view header;  ///< that declares it, below gpuplan/
  std::string_view meaning;
  std::string_view text;   ///< the formula, in letters
  std::string_view latex;  ///< the same, typeset
  few<symbol, 12> symbols;
  std::string_view result;  ///< what comes out: its unit
  std::string_view validity;
  std::string_view source;  ///< author, title, place and year
  std::string_view errata;  ///< what textbooks and guides print instead, and why it is wrong
  std::string_view topics;  ///< of the catalogue of formulas that guides print: "M3 M12"
  double (*evaluate)(inputs) = nullptr;
  few<worked_example, 3> examples;
  few<result_term, 3> terms{};  ///< beside the result
};

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
