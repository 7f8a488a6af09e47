#pragma once
/// \file
/// A table as Markdown writes it, and the worst rows of a section.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/report/table.hpp>

#include "accuracy/speed_text.hpp"

namespace gpuplan::accuracy {

/// Columns of text first, then columns of numbers.
class markdown_table {
 public:
  markdown_table(const std::vector<std::string>& words, const std::vector<std::string>& numbers) {
    std::vector<std::string> titles = words;
    titles.insert(titles.end(), numbers.begin(), numbers.end());
    row(titles);
    text_ += "|";
    for (std::size_t i = 0; i < titles.size(); ++i) text_ += i < words.size() ? "---|" : "---:|";
    text_ += '\n';
  }

  void row(const std::vector<std::string>& cells) {
    text_ += "|";
    for (const std::string& cell : cells) {
      text_ += ' ';
      for (const char c : cell) text_ += c == '|' ? std::string("\\|") : std::string(1, c);
      text_ += " |";
    }
    text_ += '\n';
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// A paragraph in lines of at most 110 columns, if it has no longer word; those of an item of a
/// list stand under its text.
inline std::string wrapped(std::string_view words) {
  constexpr std::size_t most = 110;
  const std::string indent = words.starts_with("- ") ? "  " : "";
  std::string text;
  std::size_t used = 0;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, words.find(' '));
    words.remove_prefix((std::min)(word.size() + 1, words.size()));
    if (used > 0 && used + 1 + word.size() > most) {
      text += '\n' + indent;
      used = indent.size();
    } else if (used > 0) {
      text += ' ';
      ++used;
    }
    text += word;
    used += word.size();
  }
  return text.empty() ? text : text + '\n';
}

/// Count, median, 90th percentile and worst of a line.
inline std::vector<std::string> figures_of(const errors& of) {
  return {std::to_string(of.count()), percent(of.median()), percent(of.p90()), percent(of.worst())};
}

inline std::vector<std::string> joined(std::vector<std::string> first,
                                       const std::vector<std::string>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// One prediction beside what was measured, as a page prints them.
struct compared_row {
  std::string id;
  std::string measured;
  std::string predicted;
  double ratio = 1;  ///< predicted / measured
};

inline constexpr std::size_t worst_rows_shown = 5;

/// The rows that are furthest off, the worst first; of equals the first.
inline std::string worst_rows(std::vector<compared_row> rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const compared_row& a, const compared_row& b) {
    return std::abs(a.ratio - 1) > std::abs(b.ratio - 1);
  });
  rows.resize((std::min)(rows.size(), worst_rows_shown));
  markdown_table printed{{"the worst"}, {"measured", "predicted", "error"}};
  for (const compared_row& one : rows)
    printed.row({one.id, one.measured, one.predicted, signed_percent(one.ratio - 1)});
  return printed.text();
}

/// The first of some sources, and how many more there are.
inline std::string cited(const std::set<std::string>& sources) {
  if (sources.empty()) return "";
  std::string text = *sources.begin();
  if (sources.size() > 1) text += fmt::format(", and {} more", sources.size() - 1);
  return text;
}

}  // namespace gpuplan::accuracy
