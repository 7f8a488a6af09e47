#pragma once
/// \file
/// Tables that leave out what has no room.

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/report/table.hpp>

namespace gpuplan::cli {

/// Where the last column of a table may stand that is too wide.
enum class last_column { beside, beside_or_below };

/// Columns and their cells, row by row.
class fitted_table {
 public:
  explicit fitted_table(std::vector<column> heads, last_column last = last_column::beside)
      : heads_{std::move(heads)}, last_{last} {}

  void row(std::vector<std::string> cells) {
    cells.resize(heads_.size());
    rows_.push_back(std::move(cells));
  }

  /// In so many columns: the last column wrapped, those of `spare` left out in their order until
  /// the others fit, and a line that names them.
  [[nodiscard]] std::string text(std::span<const std::string_view> spare, std::size_t width,
                                 text_style style) const {
    fitted_table shown = *this;
    std::string left_out;
    for (const std::string_view title : spare) {
      if (shown.width() <= width) break;
      shown.erase(title);
      left_out += (left_out.empty() ? "" : ", ") + std::string(title);
    }
    table rows{shown.heads_};
    for (const auto& cells : shown.rows_) rows.row(cells);
    std::string all = rows.text_within(width, style);
    if (!left_out.empty())
      all += wrapped(fmt::format("Left out for {} columns, which COLUMNS changes: {}.", width,
                                 left_out),
                     width) +
             "\n";
    return all;
  }

 private:
  /// Of all columns, the last no wider than what it needs beside the others, wrapped.
  [[nodiscard]] std::size_t width() const {
    const std::size_t least = last_ == last_column::beside ? 20 : 0;
    std::size_t all = 0;
    for (std::size_t i = 0; i < heads_.size(); ++i) {
      std::size_t width = width_of(heads_[i].title);
      for (const auto& cells : rows_) width = (std::max)(width, width_of(cells[i]));
      const bool is_last = i + 1 == heads_.size();
      all += (is_last ? (std::min)(width, least) : width + 2);
    }
    return all;
  }

  void erase(std::string_view title) {
    for (std::size_t i = 0; i < heads_.size(); ++i) {
      if (heads_[i].title != title) continue;
      const auto at = static_cast<std::ptrdiff_t>(i);
      heads_.erase(heads_.begin() + at);
      for (auto& cells : rows_) cells.erase(cells.begin() + at);
      return;
    }
  }

  std::vector<column> heads_;
  last_column last_;
  std::vector<std::vector<std::string>> rows_{};
};

}  // namespace gpuplan::cli
