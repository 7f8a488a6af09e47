#pragma once
/// \file
/// What the colours and lines of a picture mean, above it.

#include <string>
#include <vector>

#include <gpuplan/report/svg.hpp>

namespace gpuplan {

/// How an entry is drawn.
enum class legend_mark { area, line, line_with_mark, mark };

/// A colour, line or mark, and what it means.
struct legend_entry {
  std::string text;
  std::string style;         ///< class of an area or a mark
  std::string line_style{};  ///< class of a line
  legend_mark kind = legend_mark::area;
  mark_shape shape = mark_shape::circle;
};

/// Draws entries side by side, in as many rows as they need; returns where what follows may begin.
inline double draw_legend(const std::vector<legend_entry>& entries, svg_canvas& canvas,
                          double top = 0) {
  constexpr double swatch = 18;
  constexpr double gap = 6;
  constexpr double between = 16;
  double left = 0;
  double base = top + 14;
  for (const legend_entry& entry : entries) {
    const std::string text = shortened(entry.text, picture_text, canvas.width() - swatch - gap);
    const double width = swatch + gap + text_width(text, picture_text);
    if (left > 0 && left + width > canvas.width()) {
      left = 0;
      base += picture_line;
    }
    const picture_point middle{left + swatch / 2, base - 4};
    if (entry.kind == legend_mark::area)
      canvas.rectangle({left + 3, base - 10, 12, 12}, entry.style);
    if (entry.kind == legend_mark::line || entry.kind == legend_mark::line_with_mark)
      canvas.line({left, middle.y}, {left + swatch, middle.y}, entry.line_style);
    if (entry.kind == legend_mark::mark || entry.kind == legend_mark::line_with_mark)
      canvas.mark(middle, entry.shape, entry.style);
    canvas.text({left + swatch + gap, base}, text_anchor::start, "key", text);
    left += width + between;
  }
  return entries.empty() ? top : base + 10;
}

}  // namespace gpuplan
