#pragma once
/// \file
/// The area of a picture with two axes: grid, ticks and titles.

#include <algorithm>
#include <string>
#include <vector>

#include <gpuplan/report/axis.hpp>
#include <gpuplan/report/axis_rows.hpp>
#include <gpuplan/report/plotted_value.hpp>
#include <gpuplan/report/svg.hpp>
#include <gpuplan/report/svg_text_width.hpp>

namespace gpuplan {

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
