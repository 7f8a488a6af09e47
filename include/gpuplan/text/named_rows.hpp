#pragma once
/// \file
/// Rows of a table by the names of its columns, and the faults of rows that cannot be read.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <gpuplan/text/delimited_table.hpp>
#include <gpuplan/text/field_value.hpp>
#include <gpuplan/text/row_fault.hpp>

namespace gpuplan {

/// Names in the order in which they were first met.
class name_list {
 public:
  /// The number of a name, a new one where it is not known and there is room; else -1.
  int number_of(std::string_view name, std::size_t most) {
    if (const auto found = number_.find(name); found != number_.end()) return found->second;
    if (names_.size() >= most) return -1;
    const auto number = static_cast<int>(names_.size());
    names_.emplace_back(name);
    number_.emplace(name, number);
    return number;
  }
  [[nodiscard]] std::span<const std::string> names() const { return names_; }

 private:
  struct text_hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };
  std::vector<std::string> names_{};
  std::unordered_map<std::string, int, text_hash, std::equal_to<>> number_{};
};

/// Rows of a table that are none of what was looked for.
struct table_faults {
  std::vector<row_fault> first{};  ///< up to 100 of them
  std::int64_t count = 0;
  /// The first whose time is a date where times before it are seconds, or the other way round: none
  /// of the times can then be trusted, those of other rows neither.
  std::optional<row_fault> other_clock{};
};

/// A table whose rows are read by the names of their columns. The first `needed` columns must be in
/// the header, and so must one that is named otherwise than usual; none may be there twice.
template <std::size_t N>
class named_rows {
 public:
  static constexpr std::size_t absent = static_cast<std::size_t>(-1);

  named_rows(const named_rows&) = delete;  // fields may refer to its own texts
  named_rows& operator=(const named_rows&) = delete;

  named_rows(std::string_view text, const std::array<std::string_view, N>& names,
             const std::array<std::string_view, N>& usual, std::size_t needed, table_faults& faults)
      : names_{names}, table_{without_byte_order_mark(text), separator_of(text)}, faults_{&faults} {
    places_.fill(absent);
    if (!table_.next()) {
      refuse("the header", {}, field_problem::empty, "names of columns");
      return;
    }
    line_ = table_.line_number();
    std::optional<std::size_t> twice;
    const auto broken = table_.row([&](std::size_t index, const table_field& field) {
      columns_ = index + 1;
      for (std::size_t name = 0; name < N; ++name) {
        if (names_[name].empty() || !(field == names_[name])) continue;
        if (places_[name] != absent) twice = name;
        places_[name] = index;
      }
    });
    if (broken) {
      refuse("the header", {}, *broken, {});
      return;
    }
    if (twice) {
      refuse(names_[*twice], {}, field_problem::repeated_column, {});
      return;
    }
    std::vector<std::string_view> missing;
    for (std::size_t name = 0; name < N; ++name)
      if (places_[name] == absent && (name < needed || names_[name] != usual[name]) &&
          std::find(missing.begin(), missing.end(), names_[name]) == missing.end())
        missing.push_back(names_[name]);
    readable_ = missing.empty();
    if (!readable_) refuse(listed_columns(missing), {}, problem_of_missing(missing.size()), {});
  }

  /// Goes to the next row with as many fields as the header; faulty ones are counted.
  bool next() {
    while (readable_ && table_.next()) {
      line_ = table_.line_number();
      fields_ = {};
      const auto broken = table_.row_of(columns_, [&](std::size_t index, const table_field& field) {
        for (std::size_t name = 0; name < N; ++name)
          if (places_[name] == index) fields_[name] = text_of(field, unescaped_[name]);
      });
      if (!broken) return true;
      refuse({}, {}, *broken, "as many fields as the header has");
    }
    return false;
  }

  /// No more rows than this follow: each is a line with something in it.
  [[nodiscard]] std::size_t most_rows() const { return readable_ ? table_.most_rows() : 0; }

  [[nodiscard]] bool has(std::size_t name) const { return places_[name] != absent; }
  [[nodiscard]] std::string_view text(std::size_t name) const { return fields_[name]; }

  /// A whole number of a column; empty, and a fault, where it is none.
  std::optional<double> whole(std::size_t name, double most, std::string_view allowed) {
    const field_number read = whole_in(fields_[name], 0, most);
    if (!read.problem) return read.value;
    refuse(names_[name], fields_[name], *read.problem, allowed);
    return {};
  }

  /// A number of a column that may be missing or empty: then an empty one inside. Empty outside,
  /// and a fault, where it is no number from 0 to `most`.
  std::optional<std::optional<double>> amount(std::size_t name, double most,
                                              std::string_view allowed) {
    if (!has(name) || fields_[name].empty()) return std::optional<double>{};
    const field_number read = number_in(fields_[name], 0, most);
    if (!read.problem) return std::optional<double>{read.value};
    refuse(names_[name], fields_[name], *read.problem, allowed);
    return {};
  }

  void refuse(std::string_view column, std::string_view field, field_problem problem,
              std::string_view allowed) {
    ++faults_->count;
    const bool is_other_clock = field_clock::is_other_kind(problem) && !faults_->other_clock;
    if (faults_->first.size() >= 100 && !is_other_clock) return;
    const row_fault fault{line_, std::string(column), shown_field(field), problem, allowed};
    if (is_other_clock) faults_->other_clock = fault;
    if (faults_->first.size() < 100) faults_->first.push_back(fault);
  }
  void refuse(std::size_t name, field_problem problem, std::string_view allowed) {
    refuse(names_[name], fields_[name], problem, allowed);
  }

 private:
  static char separator_of(std::string_view text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    return line.find(',') == line.npos && line.find('\t') != line.npos ? '\t' : ',';
  }

  std::array<std::string_view, N> names_;
  delimited_table table_;
  table_faults* faults_;
  std::array<std::size_t, N> places_{};
  std::array<std::string_view, N> fields_{};  ///< of the text, or of `unescaped_`
  std::array<std::string, N> unescaped_{};    ///< fields with doubled quotes
  std::size_t columns_ = 0;
  std::int64_t line_ = 1;
  bool readable_ = false;
};

}  // namespace gpuplan
