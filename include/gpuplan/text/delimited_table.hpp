#pragma once
/// \file
/// A table of text, row by row: separated by commas with quotes as RFC 4180 has them, or by |.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <gpuplan/text/field_value.hpp>
#include <gpuplan/text/row_fault.hpp>

namespace gpuplan {

/// What stands between two separators, without its quotes.
struct table_field {
  std::string_view text{};
  bool doubled_quotes = false;  ///< "" inside stands for "

  friend bool operator==(const table_field& field, std::string_view wanted) {
    if (!field.doubled_quotes) return field.text == wanted;
    std::size_t at = 0;
    for (std::size_t i = 0; i < field.text.size(); ++i, ++at) {
      if (at == wanted.size() || field.text[i] != wanted[at]) return false;
      if (field.text[i] == '"') ++i;
    }
    return at == wanted.size();
  }
};

/// What stands in a field, two quotes made one.
inline std::string unescaped(const table_field& field) {
  std::string text{field.text};
  if (!field.doubled_quotes) return text;
  for (std::size_t at = text.find("\"\""); at != text.npos; at = text.find("\"\"", at + 1))
    text.erase(at, 1);
  return text;
}

/// What stands in a field, two quotes made one; copied into `own` only where there are such.
inline std::string_view text_of(const table_field& field, std::string& own) {
  if (!field.doubled_quotes) return field.text;
  own = unescaped(field);
  return own;
}

/// A row in quotes of more lines than this has a quote that is not closed: else rows whose quotes
/// swallow all that follows would be read again and again.
constexpr std::int64_t most_lines_of_row = 100;

/// A text without the mark that some programs put before UTF-8.
constexpr std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (text.starts_with(mark)) text.remove_prefix(mark.size());
  return text;
}

/// The rows of a text, each in one pass; nothing is copied.
class delimited_table {
 public:
  delimited_table(std::string_view text, char separator) : rest_{text}, separator_{separator} {}

  /// Goes to the next row that is not blank, if there is one.
  bool next() {
    for (; !rest_.empty(); take_line())
      if (!trimmed(line()).empty()) return true;
    return false;
  }

  /// Lines from here on that are not empty: there are no more rows.
  [[nodiscard]] std::size_t most_rows() const {
    std::size_t rows = 0;
    char before = '\n';
    for (const char c : rest_) {
      if (before == '\n' && c != '\n') ++rows;
      before = c;
    }
    return rows;
  }

  /// Bytes that were gone over in vain so far, and are read again: quotes that are wrong, rows of
  /// another number of fields.  All else is read once, so this bounds the work.
  [[nodiscard]] std::size_t read_again() const { return read_again_; }

  /// The number of the row's first line, from 1.
  [[nodiscard]] std::int64_t line_number() const { return line_number_; }

  /// Gives each field with its index to `use`, and goes past the row. Where its quotes are wrong,
  /// says so and goes no farther than the row's first line: what a stray quote swallowed is read
  /// again.
  template <class Use>
  std::optional<field_problem> row(Use use) {
    if (separator_ == '|' || line().find('"') == std::string_view::npos) {
      std::string_view fields = line();
      take_line();
      for (std::size_t index = 0;; ++index) {
        const std::size_t end = fields.find(separator_);
        use(index, table_field{trimmed(fields.substr(0, end))});
        if (end == std::string_view::npos) return {};
        fields.remove_prefix(end + 1);
      }
    }
    return quoted_row(use);
  }

  /// The same of a row that must have so many fields; where it has not, goes no farther than its
  /// first line either.
  template <class Use>
  std::optional<field_problem> row_of(std::size_t fields, Use use) {
    const delimited_table row_start = *this;
    std::size_t count = 0;
    const auto broken = row([&](std::size_t index, const table_field& field) {
      count = index + 1;
      use(index, field);
    });
    if (broken || count == fields) return broken;
    after_first_line(row_start);
    return count < fields ? field_problem::too_few_fields : field_problem::too_many_fields;
  }

 private:
  /// Goes back to the line after the first of the row that began at this line.
  void after_first_line(const delimited_table& row_start) {
    const std::size_t again = read_again_ + (row_start.rest_.size() - rest_.size());
    *this = row_start;
    read_again_ = again;
    take_line();
  }

  [[nodiscard]] std::string_view line() const {
    std::string_view line = rest_.substr(0, rest_.find('\n'));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

  void take_line() {
    const std::size_t end = rest_.find('\n');
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    ++line_number_;
  }

  template <class Use>
  std::optional<field_problem> quoted_row(Use use) {
    const delimited_table row_start = *this;
    const auto fail = [&](field_problem problem) {
      after_first_line(row_start);
      return problem;
    };
    for (std::size_t index = 0;; ++index) {
      skip_spaces();
      if (rest_.starts_with('"')) {
        const std::optional<table_field> field = quoted_field();
        if (!field || line_number_ - row_start.line_number_ >= most_lines_of_row)
          return fail(field_problem::unclosed_quote);
        skip_spaces();
        use(index, *field);
      } else {
        const std::size_t end = (std::min)(rest_.size(), rest_.find_first_of(ends()));
        use(index, table_field{trimmed(rest_.substr(0, end))});
        rest_.remove_prefix(end);
      }
      if (rest_.starts_with(separator_)) {
        rest_.remove_prefix(1);
        continue;
      }
      if (!line().empty()) return fail(field_problem::text_after_quote);
      take_line();
      return {};
    }
  }

  /// Goes past spaces, and past tabs where they separate nothing.
  void skip_spaces() {
    while (rest_.starts_with(' ') || (separator_ != '\t' && rest_.starts_with('\t')))
      rest_.remove_prefix(1);
  }

  /// What may end a field without quotes.
  [[nodiscard]] std::string_view ends() const { return separator_ == '\t' ? "\t\r\n" : ",\r\n"; }

  /// Takes a field in quotes, if they are closed.
  std::optional<table_field> quoted_field() {
    table_field field;
    std::size_t end = rest_.find('"', 1);
    while (end != std::string_view::npos && rest_.substr(end + 1).starts_with('"')) {
      field.doubled_quotes = true;
      end = rest_.find('"', end + 2);
    }
    if (end == std::string_view::npos) {
      read_again_ += rest_.size();
      return {};
    }
    field.text = rest_.substr(1, end - 1);
    line_number_ += std::count(field.text.begin(), field.text.end(), '\n');
    rest_.remove_prefix(end + 1);
    return field;
  }

  std::string_view rest_;
  char separator_;
  std::int64_t line_number_ = 1;
  std::size_t read_again_ = 0;
};

}  // namespace gpuplan
