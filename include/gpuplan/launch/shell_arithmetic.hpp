#pragma once
/// \file
/// Integers that a shell text computes: $(( ... )).

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <gpuplan/launch/shell_words.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_scalar.hpp>
#include <gpuplan/text/json_shown.hpp>

namespace gpuplan {

namespace detail {

/// Sums, products and parentheses of an expression, whose names another one knows.
template <class ValueOfName>
class arithmetic_reader {
 public:
  arithmetic_reader(std::string_view text, const ValueOfName& value_of_name, std::string_view file)
      : all_{text}, text_{text}, value_of_name_{value_of_name}, file_{file} {}

  std::optional<std::int64_t> read() {
    const auto value = sum(0);
    skip_blanks();
    return text_.empty() ? value : std::nullopt;
  }

 private:
  using number = std::optional<std::int64_t>;

  static constexpr std::int64_t largest = std::int64_t{1} << 53;
  static constexpr int deepest = 64;  // parentheses

  number sum(int depth) {
    number left = product(depth);
    for (char sign = next("+-"); left && sign != 0; sign = next("+-")) {
      const number right = product(depth);
      if (!right) return right;
      left = checked(sign == '+' ? *left + *right : *left - *right);
    }
    return left;
  }

  number product(int depth) {
    number left = term(depth);
    for (char sign = next("*/%"); left && sign != 0; sign = next("*/%")) {
      const number right = term(depth);
      if (!right) return right;
      if (sign != '*' && *right == 0) refuse("divides by zero");
      left = sign == '*'   ? product_of(*left, *right)
             : sign == '/' ? *left / *right
                           : *left % *right;
    }
    return left;
  }

  number term(int depth) {
    if (depth > deepest) return std::nullopt;
    if (const char sign = next("+-("); sign == '(') {
      const number value = sum(depth + 1);
      return next(")") != 0 ? value : std::nullopt;
    } else if (sign != 0) {
      const number value = term(depth + 1);
      return value && sign == '-' ? -*value : value;
    }
    std::size_t end = 0;
    while (end < text_.size() && is_name_character(text_[end])) ++end;
    const std::string_view word = text_.substr(0, end);
    text_.remove_prefix(end);
    if (word.empty() || (word.size() > 1 && word[0] == '0')) return std::nullopt;  // octal
    if (word[0] < '0' || word[0] > '9') {
      const number value = value_of_name_(word);
      return value ? number{checked(*value)} : value;
    }
    std::int64_t value = 0;
    const auto [at, failed] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (failed == std::errc::result_out_of_range) refuse("is beyond 2^53");
    return at == word.data() + word.size() ? number{checked(value)} : std::nullopt;
  }

  [[nodiscard]] std::int64_t checked(std::int64_t value) const {
    if (value > largest || value < -largest) refuse("is beyond 2^53");
    return value;
  }
  [[nodiscard]] std::int64_t product_of(std::int64_t one, std::int64_t other) const {
    if (std::abs(double(one) * double(other)) > double(largest)) refuse("is beyond 2^53");
    return checked(one * other);
  }

  [[noreturn]] void refuse(const char* why) const {
    throw invalid_input{std::string(file_) + ": " + shown_name("$((" + std::string(all_) + "))") +
                        " " + why};
  }

  /// The next character where it is one of these, else 0.
  char next(std::string_view of) {
    skip_blanks();
    if (text_.empty() || of.find(text_.front()) == of.npos) return 0;
    const char found = text_.front();
    text_.remove_prefix(1);
    return found;
  }

  void skip_blanks() {
    while (!text_.empty() && (is_blank(text_.front()) || text_.front() == '\n'))
      text_.remove_prefix(1);
  }

  std::string_view all_;
  std::string_view text_;
  const ValueOfName& value_of_name_;
  std::string_view file_;
};

}  // namespace detail

/// The integer that a shell computes: of integers and names, with + - * / % and parentheses.  None
/// where a name is not known, or another sign stands in it.
///
///     text           between $(( and ))
///     value_of_name  an std::optional of std::int64_t, of an std::string_view
///     file           its name, for the error line
///
/// \throws invalid_input of one line if a number is beyond 2^53, or is divided by zero
template <class ValueOfName>
std::optional<std::int64_t> shell_arithmetic(std::string_view text,
                                             const ValueOfName& value_of_name,
                                             std::string_view file) {
  return detail::arithmetic_reader<ValueOfName>{text, value_of_name, file}.read();
}

}  // namespace gpuplan
