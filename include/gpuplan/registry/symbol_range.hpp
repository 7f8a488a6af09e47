#pragma once
/// \file
/// Ranges of symbols in the registry, as rules that inputs must keep.

#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>

#include <gpuplan/registry/formula.hpp>
#include <gpuplan/text/decimal_number.hpp>

namespace gpuplan::registry {

/// Whether an input keeps the range of its symbol.
enum class range_fit {
  within,
  outside,
  unknown  ///< the text of the range cannot be read
};

namespace detail {

/// Reads what stands between two commas of a range.
class range_clause {
 public:
  range_clause(const formula& row, inputs values, std::string_view text)
      : row_{row}, values_{values}, rest_{text} {
    advance();
  }

  /// x of ">= 1, < n", or a choice of "0 or 1"; nothing where the text cannot be read.
  std::optional<bool> holds(double x, bool& is_choice) {
    std::optional<double> left = x;
    if (word_ == "multiple") {
      advance();
      if (word_ != "of") return std::nullopt;
      advance();
      const auto part = sum();
      return part && word_.empty() ? std::optional{std::fmod(x, *part) == 0} : std::nullopt;
    }
    if (!is_relation(word_)) {
      left = sum();
      if (!left) return std::nullopt;
      if (word_.empty()) {
        is_choice = true;
        return x == *left;
      }
      if (word_ == "to") {
        advance();
        const auto right = sum();
        if (!right || !word_.empty()) return std::nullopt;
        return *left <= x && x <= *right;
      }
    }
    bool all = true;
    while (is_relation(word_)) {
      const std::string_view relation = word_;
      advance();
      const auto right = sum();
      if (!right) return std::nullopt;
      all = all && compare(*left, relation, *right);
      left = right;
    }
    return word_.empty() ? std::optional{all} : std::nullopt;
  }

 private:
  static bool is_relation(std::string_view word) {
    return word == ">=" || word == ">" || word == "<=" || word == "<";
  }
  static bool is_end(std::string_view word) {
    return word.empty() || word == "+" || word == "-" || word == "to" || is_relation(word);
  }
  static bool compare(double a, std::string_view relation, double b) {
    if (relation == ">=") return a >= b;
    if (relation == ">") return a > b;
    return relation == "<=" ? a <= b : a < b;
  }

  void advance() {
    while (rest_.starts_with(' ')) rest_.remove_prefix(1);
    word_ = rest_.substr(0, rest_.find(' '));
    rest_.remove_prefix(word_.size());
  }

  /// "2 w + 1": products of numbers and letters, summed.
  std::optional<double> sum() {
    double all = 0;
    for (double sign = 1;;) {
      if (is_end(word_)) return std::nullopt;
      double product = sign;
      for (; !is_end(word_); advance()) {
        const auto factor = value_of(word_);
        if (!factor) return std::nullopt;
        product *= *factor;
      }
      all += product;
      if (word_ != "+" && word_ != "-") return all;
      sign = word_ == "-" ? -1 : 1;
      advance();
    }
  }

  [[nodiscard]] std::optional<double> value_of(std::string_view word) const {
    for (std::size_t i = 0; i < row_.symbols.size(); ++i)
      if (row_.symbols[i].letter == word) return values_[i];
    double number = 0;
    const auto [end, error] = decimal_from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
    return number;
  }

  const formula& row_;
  inputs values_;
  std::string_view rest_;
  std::string_view word_{};
};

}  // namespace detail

/// Whether the input of one symbol keeps its range; `values` are the inputs of all, in base units.
///
///     any                      every number
///     >= 1, < n                comparisons, with numbers, letters, their products and sums
///     0 to p - 1               both ends included
///     multiple of 64           of a number, or of another input
///     0 or 1                   a choice
inline range_fit fit_of(const formula& row, std::size_t which, inputs values) {
  std::string_view rest = row.symbols[which].range;
  const double x = values[which];
  if (rest == "any") return x == x ? range_fit::within : range_fit::outside;
  bool keeps = true;
  bool choices = false;
  bool chosen = false;
  while (!rest.empty()) {
    constexpr std::string_view alternative = " or ";
    const auto comma = rest.find(',');
    const auto other = rest.find(alternative);
    const auto end = comma < other ? comma : other;
    bool is_choice = false;
    const auto holds = detail::range_clause{row, values, rest.substr(0, end)}.holds(x, is_choice);
    if (!holds) return range_fit::unknown;
    if (is_choice) {
      choices = true;
      chosen = chosen || *holds;
    } else {
      keeps = keeps && *holds;
    }
    if (end == rest.npos) break;
    rest.remove_prefix(end + (end == comma ? 1 : alternative.size()));
  }
  return keeps && (chosen || !choices) ? range_fit::within : range_fit::outside;
}

}  // namespace gpuplan::registry
