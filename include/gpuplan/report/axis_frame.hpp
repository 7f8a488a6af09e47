#pragma once
/// \file
/// The area of a picture with two axes: grid, ticks and titles.

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <gpuplan/report/axis.hpp>
#include <gpuplan/report/plotted_value.hpp>
#include <gpuplan/report/svg.hpp>
#include <gpuplan/report/svg_text.hpp>

namespace gpuplan {

/// Says that there is nothing to draw.
inline void draw_nothing(svg_canvas& canvas) {
  canvas.text({canvas.width() / 2, 3 * picture_line}, text_anchor::middle, "axis", "No data");
  canvas.grow(5 * picture_line);
}

/// Draws the ticks' labels that have room below an axis, and its title under them; `plot` is the
/// area above.
inline void draw_axis_below(const fitted_axis& shown, const picture_box& plot, svg_canvas& canvas) {
  const double base = plot.bottom() + 20;  // below the lowest label of an axis at the left
  // The ends first, so that what the axis covers is always said.
  std::vector<const tick*> order{&shown.ticks.front(), &shown.ticks.back()};
  for (const tick& one : shown.ticks) order.push_back(&one);
  std::vector<const tick*> drawn;
  for (const tick* one : order) {
    if (std::find(drawn.begin(), drawn.end(), one) != drawn.end()) continue;
    const double x = plot.left + shown.share(one->value) * plot.width;
    picture_box with_gap = box_of_text({x, base}, text_anchor::middle, one->label);
    with_gap = {with_gap.left - 3, with_gap.top, with_gap.width + 6, with_gap.height};
    const double before = (std::max)(-with_gap.left, 0.0);
    const double after = (std::max)(with_gap.right() - canvas.width(), 0.0);
    with_gap.left += before - after;
    if (!canvas.has_room(with_gap)) continue;
    canvas.text({x + before - after, base}, text_anchor::middle, "axis", one->label);
    drawn.push_back(one);
  }
  for (const tick& one : shown.ticks) {
    const double x = plot.left + shown.share(one.value) * plot.width;
    canvas.line({x, plot.top}, {x, plot.bottom()}, "grid");
  }
  double next = base + picture_line;
  for (const std::string& line : wrapped(shown.shown.title, picture_text, canvas.width())) {
    const double half = text_width(line, picture_text) / 2;
    const double middle = std::clamp(plot.left + plot.width / 2, half, canvas.width() - half);
    canvas.text({middle, next}, text_anchor::middle, "axis", line);
    next += picture_line;
  }
}

/// Rows of bars on an area.
struct bar_rows {
  static constexpr double pitch = 26;  ///< from row to row
  static constexpr double thickness = 18;

  fitted_axis axis{};
  double left = 0;
  double width = 0;
  double top = 0;
  std::size_t count = 0;

  [[nodiscard]] double bottom() const { return top + pitch * static_cast<double>(count); }
  [[nodiscard]] double x_of(const plotted_value& value) const {
    return left + axis.share(value.base) * width;
  }
  [[nodiscard]] double top_of(std::size_t row) const {
    return top + pitch * static_cast<double>(row) + (pitch - thickness) / 2;
  }
  /// The line that the letters of a row's texts stand on.
  [[nodiscard]] double base_of(std::size_t row) const { return top_of(row) + 13.5; }
  [[nodiscard]] picture_box bar(std::size_t row, const plotted_value& from,
                                const plotted_value& to) const {
    const double start = (std::min)(x_of(from), x_of(to));
    return {start, top_of(row), (std::max)(x_of(from), x_of(to)) - start, thickness};
  }
};

/// Draws names and axis of rows whose bars reach from zero up to `values`, and leaves `right` free
/// at the right for texts.
///
/// \throws invalid_input as fit_axis does
inline bar_rows lay_out_rows(const std::vector<std::string>& names, const axis& shown,
                             const std::vector<plotted_value>& values, double right, double top,
                             svg_canvas& canvas) {
  const double most = canvas.width() * (canvas.width() < 500 ? 0.34 : 0.25);
  double longest = 0;
  for (const std::string& name : names)
    longest = (std::max)(longest, text_width(name, picture_text));
  const double left = (std::min)(longest, most) + 8;
  bar_rows rows{.left = left,
                .width = canvas.width() - left - (std::max)(right, 20.0),
                .top = top,
                .count = names.size()};
  rows.axis = fit_axis(shown, values, rows.width < 300 ? 4 : 8);
  draw_axis_below(rows.axis, {rows.left, rows.top, rows.width, rows.bottom() - rows.top}, canvas);
  for (std::size_t i = 0; i < names.size(); ++i)
    canvas.text({left - 8, rows.base_of(i)}, text_anchor::end, "name",
                shortened(names[i], picture_text, left - 8));
  canvas.line({left, top}, {left, rows.bottom()}, "frame");
  return rows;
}

/// Two fitted axes and the area between them.
struct xy_frame {
  fitted_axis x{};
  fitted_axis y{};
  picture_box plot{};

  [[nodiscard]] bool shows(const plotted_value& at_x, const plotted_value& at_y) const {
    return x.shown.shows(at_x) && y.shown.shows(at_y);
  }
  [[nodiscard]] picture_point point(const plotted_value& at_x, const plotted_value& at_y) const {
    return {plot.left + x.share(at_x.base) * plot.width,
            plot.bottom() - y.share(at_y.base) * plot.height};
  }
};

/// Draws the frame around the values of both axes, `height` high; the title of y stands above it,
/// where it reads without turning the head.
///
/// \throws invalid_input as fit_axis does
inline xy_frame draw_frame(const axis& x, const std::vector<plotted_value>& x_values, const axis& y,
                           const std::vector<plotted_value>& y_values, double top, double height,
                           svg_canvas& canvas) {
  const bool is_narrow = canvas.width() < 500;
  xy_frame frame{.x = fit_axis(x, x_values, is_narrow ? 5 : 10),
                 .y = fit_axis(y, y_values, height < 300 ? 5 : 7)};
  for (const std::string& line :
       wrapped(frame.y.shown.title, picture_text, canvas.width() - text_margin)) {
    canvas.text({text_margin, top + 14}, text_anchor::start, "axis", line);
    top += picture_line;
  }
  double widest = 0;
  for (const tick& one : frame.y.ticks)
    widest = (std::max)(widest, text_width(one.label, picture_text));
  const double left = widest + 8;
  const double right = text_width(frame.x.ticks.back().label, picture_text) / 2 + 6;
  frame.plot = {left, top + 14, canvas.width() - left - (std::max)(right, 12.0), height};

  for (const tick& one : frame.y.ticks) {
    const double at = frame.plot.bottom() - frame.y.share(one.value) * height;
    canvas.line({left, at}, {frame.plot.right(), at}, "grid");
    canvas.text({left - 8, at + 4}, text_anchor::end, "axis", one.label);
  }
  draw_axis_below(frame.x, frame.plot, canvas);
  canvas.line({left, frame.plot.top}, {left, frame.plot.bottom()}, "frame");
  canvas.line({left, frame.plot.bottom()}, {frame.plot.right(), frame.plot.bottom()}, "frame");
  return frame;
}

}  // namespace gpuplan
