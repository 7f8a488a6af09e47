#pragma once
/// \file
/// Integers that a shell text computes: $(( ... )), and (( ... )).

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <gpuplan/launch/shell_words.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/field_value.hpp>
#include <gpuplan/text/json_scalar.hpp>
#include <gpuplan/text/json_shown.hpp>

namespace gpuplan {

namespace detail {

/// Comparisons, sums, products and parentheses of an expression, whose names another one knows.
template <class ValueOfName>
class arithmetic_reader {
 public:
  arithmetic_reader(std::string_view text, const ValueOfName& value_of_name, std::string_view file)
      : all_{text}, text_{text}, value_of_name_{value_of_name}, file_{file} {}

  std::optional<std::int64_t> read() {
    const auto value = any(0);
    skip_blanks();
    return text_.empty() ? value : std::nullopt;
  }

 private:
  using number = std::optional<std::int64_t>;

  static constexpr std::int64_t largest = std::int64_t{1} << 53;
  static constexpr int deepest = 64;  // parentheses

  number any(int depth) {
    number left = all(depth);
    while (left && takes("||")) {
      const number right = unless(*left != 0, [&] { return all(depth); });
      if (!right) return right;
      left = *left != 0 || *right != 0 ? 1 : 0;
    }
    return left;
  }

  number all(int depth) {
    number left = equality(depth);
    while (left && takes("&&")) {
      const number right = unless(*left == 0, [&] { return equality(depth); });
      if (!right) return right;
      left = *left != 0 && *right != 0 ? 1 : 0;
    }
    return left;
  }

  /// What a part is; where it is decided without it, it refuses nothing.
  template <class Read>
  number unless(bool decided, const Read& read) {
    unused_ += decided ? 1 : 0;
    const number value = read();
    unused_ -= decided ? 1 : 0;
    return value;
  }

  number equality(int depth) {
    number left = order(depth);
    while (left) {
      const bool equal = takes("==");
      if (!equal && !takes("!=")) break;
      const number right = order(depth);
      if (!right) return right;
      left = (*left == *right) == equal ? 1 : 0;
    }
    return left;
  }

  number order(int depth) {
    number left = sum(depth);
    while (left) {
      const bool at_most = takes("<="), at_least = !at_most && takes(">=");
      const char sign = at_most || at_least ? '=' : next("<>");
      if (sign == 0) break;
      const number right = sum(depth);
      if (!right) return right;
      const bool holds = at_most       ? *left <= *right
                         : at_least    ? *left >= *right
                         : sign == '<' ? *left < *right
                                       : *left > *right;
      left = holds ? 1 : 0;
    }
    return left;
  }

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
      if (sign != '*' && *right == 0)
        left = refused("divides by zero");
      else
        left = sign == '*'   ? product_of(*left, *right)
               : sign == '/' ? *left / *right
                             : *left % *right;
    }
    return left;
  }

  number term(int depth) {
    if (depth > deepest) return std::nullopt;
    if (const char sign = next("+-(!"); sign == '(') {
      const number value = any(depth + 1);
      return next(")") != 0 ? value : std::nullopt;
    } else if (sign != 0) {
      const number value = term(depth + 1);
      if (value && sign == '!') return *value == 0 ? 1 : 0;
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
    if (failed == std::errc::result_out_of_range) return refused("is beyond 2^53");
    return at == word.data() + word.size() ? number{checked(value)} : std::nullopt;
  }

  [[nodiscard]] std::int64_t checked(std::int64_t value) const {
    return value > largest || value < -largest ? refused("is beyond 2^53") : value;
  }
  [[nodiscard]] std::int64_t product_of(std::int64_t one, std::int64_t other) const {
    const bool beyond = std::abs(double(one) * double(other)) > double(largest);
    return beyond ? refused("is beyond 2^53") : checked(one * other);
  }

  /// 0 where the value is not used.
  std::int64_t refused(const char* why) const {
    if (unused_ > 0) return 0;
    throw invalid_input{std::string(file_) + ": " + shown_name("$((" + std::string(all_) + "))") +
                        " " + why};
  }

  /// Whether a sign comes next, which is then gone through.
  bool takes(std::string_view sign) {
    skip_blanks();
    const bool found = text_.starts_with(sign);
    if (found) text_.remove_prefix(sign.size());
    return found;
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
  int unused_ = 0;  // parts around what is read that are decided without it
};

/// Whether a text begins with an assignment: = and not ==, or an operator before =.
inline bool begins_assignment(std::string_view text) {
  for (const char* sign : {"<<=", ">>=", "+=", "-=", "*=", "/=", "%=", "&=", "^=", "|="})
    if (text.starts_with(sign)) return true;
  return text.starts_with('=') && !text.starts_with("==");
}

/// Whether a text begins with ++ or --.
inline bool begins_step(std::string_view text) {
  return text.starts_with("++") || text.starts_with("--");
}

}  // namespace detail

/// The names that an expression may change: those before an assignment, and beside ++ and --.
inline std::vector<std::string_view> names_changed_in(std::string_view text) {
  text = trimmed(text);
  std::vector<std::string_view> all;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && detail::is_name_character(text[end])) ++end;
    if (end == at) {
      ++at;
      continue;
    }
    const std::string_view name = text.substr(at, end - at);
    const std::string_view before = trimmed(text.substr(0, at));
    std::string_view rest = trimmed(text.substr(end));
    if (rest.starts_with('['))  // of an array
      rest = trimmed(rest.substr(std::min(rest.size(), rest.find(']') + 1)));
    const bool changes = detail::begins_assignment(rest) || detail::begins_step(rest) ||
                         before.ends_with("++") || before.ends_with("--");
    if (changes && !(name[0] >= '0' && name[0] <= '9')) all.push_back(name);
    at = end;
  }
  return all;
}

/// The integer that a shell computes: of integers and names, with + - * / % and parentheses;
/// comparisons, ! && and || are 1 or 0.  None where a name is not known, where the expression
/// changes one, or where another sign stands in it.
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
  if (!names_changed_in(text).empty()) return std::nullopt;
  return detail::arithmetic_reader<ValueOfName>{text, value_of_name, file}.read();
}

/// A variable that ((...)) sets, and the sum that it is then; without a name: none.
struct shell_assignment {
  std::string name{};
  std::string sum{};
};

/// What ((NAME = sum)), ((NAME += sum)) and the like, ((NAME++)) and ((++NAME)) set.
inline shell_assignment assignment_of(std::string_view text) {
  using detail::begins_step, detail::is_name_character;
  text = trimmed(text);
  const std::string_view before = begins_step(text) ? text.substr(0, 2) : std::string_view{};
  text = trimmed(text.substr(before.size()));
  std::size_t end = 0;
  while (end < text.size() && is_name_character(text[end])) ++end;
  std::string name(text.substr(0, end));
  const std::string_view rest = trimmed(text.substr(end));
  if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return {};
  const std::string_view step = before.empty() && begins_step(rest) ? rest.substr(0, 2) : before;
  if (!step.empty() && rest.size() == step.size() - before.size())
    return {name, name + step[0] + "1"};
  if (rest.starts_with('=') && !rest.starts_with("==")) return {name, std::string(rest.substr(1))};
  const bool changes =
      rest.size() > 2 && rest[1] == '=' && std::string_view("+-*/%").find(rest[0]) != rest.npos;
  if (!changes) return {};
  return {name, name + rest[0] + "(" + std::string(rest.substr(2)) + ")"};
}

}  // namespace gpuplan
