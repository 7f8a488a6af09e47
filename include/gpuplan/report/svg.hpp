#pragma once
/// \file
/// A picture as SVG: shapes and texts on a canvas that tracks the extent of its texts.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/report/svg_text.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

// Lengths of a picture are in its own unit, a pixel where it is shown in its natural size.

/// Height of the letters of every text in a picture.
inline constexpr double picture_text = 12;
/// Between the edge of a picture and a text that begins there: letters reach beyond their width.
inline constexpr double text_margin = 2;
/// From one line of text to the next.
inline constexpr double picture_line = 17;

/// A place on a picture.
struct picture_point {
  double x = 0;  ///< from the left
  double y = 0;  ///< from the top
};

/// A rectangle on a picture, its sides upright.
struct picture_box {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;

  [[nodiscard]] constexpr double right() const { return left + width; }
  [[nodiscard]] constexpr double bottom() const { return top + height; }
  [[nodiscard]] constexpr bool overlaps(const picture_box& other) const {
    return left < other.right() && other.left < right() && top < other.bottom() &&
           other.top < bottom();
  }
};

/// Which end of a text its point is.
enum class text_anchor { start, middle, end };

/// The shapes of points, so that no two series differ by their colour alone.
enum class mark_shape { circle, square, diamond, triangle, cross };
inline constexpr std::size_t mark_shapes = 5;

/// The box of a text, by text_width; its point lies on the line that the letters stand on.
constexpr picture_box box_of_text(picture_point at, text_anchor anchor, std::string_view text) {
  constexpr double above = 0.95;  // of the size: accents included
  constexpr double below = 0.25;
  const double width = text_width(text, picture_text);
  const double before = anchor == text_anchor::start ? 0 : anchor == text_anchor::end ? 1 : 0.5;
  return {at.x - before * width, at.y - above * picture_text, width,
          (above + below) * picture_text};
}

/// What is drawn so far.  Classes are those of picture_style.
class svg_canvas {
 public:
  /// \throws invalid_input if width <= 0
  explicit svg_canvas(double width) : width_{width} {
    require(width > 0 && std::isfinite(width), "svg_canvas: width must be > 0");
  }

  [[nodiscard]] double width() const { return width_; }
  [[nodiscard]] double height() const { return height_; }
  /// The boxes of all texts, as they are estimated.
  [[nodiscard]] const std::vector<picture_box>& texts() const { return texts_; }

  void rectangle(const picture_box& box, std::string_view style, std::string_view tip = {}) {
    add(fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", style,
                    number(box.left), number(box.top), number((std::max)(box.width, 0.0)),
                    number((std::max)(box.height, 0.0))),
        "rect", tip);
    grow(box.bottom());
  }
  /// Filled with a colour of its own, "#rrggbb", or with the pattern `url(#...)`.
  void tile(const picture_box& box, std::string_view fill, std::string_view tip = {},
            std::string_view style = "tile") {
    add(fmt::format("<rect class=\"{}\" fill=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
                    style, fill, number(box.left), number(box.top), number(box.width),
                    number(box.height)),
        "rect", tip);
    grow(box.bottom());
  }
  void line(picture_point from, picture_point to, std::string_view style) {
    body_ += fmt::format("<line class=\"{}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", style,
                         number(from.x), number(from.y), number(to.x), number(to.y));
    grow((std::max)(from.y, to.y));
  }
  void polyline(const std::vector<picture_point>& points, std::string_view style) {
    if (points.size() < 2) return;
    std::string list;
    for (const picture_point& p : points)
      list += fmt::format("{}{},{}", list.empty() ? "" : " ", number(p.x), number(p.y));
    body_ += fmt::format("<polyline class=\"{}\" points=\"{}\"/>\n", style, list);
  }
  void mark(picture_point at, mark_shape shape, std::string_view style, std::string_view tip = {}) {
    constexpr double r = 4;
    const auto path = [&] {
      const auto move = [](double x, double y) {
        return fmt::format("{} {}", number(x), number(y));
      };
      switch (shape) {
        case mark_shape::circle:
          return fmt::format("M{}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", move(at.x - r, at.y));
        case mark_shape::square: return fmt::format("M{}h7v7h-7z", move(at.x - 3.5, at.y - 3.5));
        case mark_shape::diamond: return fmt::format("M{}l5 5l-5 5l-5 -5z", move(at.x, at.y - 5));
        case mark_shape::triangle: return fmt::format("M{}l5 8h-10z", move(at.x, at.y - 5));
        case mark_shape::cross:
          return fmt::format("M{}h3v-3h3v3h3v3h-3v3h-3v-3h-3z", move(at.x - 4.5, at.y - 1.5));
      }
      return std::string{};
    };
    add(fmt::format("<path class=\"{}\" d=\"{}\"", style, path()), "path", tip);
    marks_.push_back({at.x - r, at.y - r, 2 * r, 2 * r});
  }

  /// Whether a text would be inside of the picture, over no other one and over no mark.
  [[nodiscard]] bool has_room(const picture_box& text) const {
    if (text.left < 0 || text.right() > width_ || text.top < 0) return false;
    const auto overlaps = [&](const picture_box& other) { return other.overlaps(text); };
    return std::none_of(texts_.begin(), texts_.end(), overlaps) &&
           std::none_of(marks_.begin(), marks_.end(), overlaps);
  }
  /// Draws a text, unless it has no room; says whether it was drawn.
  bool text(picture_point at, text_anchor anchor, std::string_view style, std::string_view text) {
    if (text.empty()) return true;
    const picture_box box = box_of_text(at, anchor, text);
    if (!has_room(box)) return false;
    constexpr std::string_view anchors[] = {"start", "middle", "end"};
    body_ += fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>\n",
                         style, number(at.x), number(at.y),
                         anchors[static_cast<std::size_t>(anchor)], escaped(text));
    texts_.push_back(box);
    grow(box.bottom());
    return true;
  }

  /// As high as this, at least.
  void grow(double bottom) { height_ = (std::max)(height_, bottom); }
  /// A definition that shapes refer to by its id, as a pattern.
  void define(std::string_view markup) { definitions_ += markup; }

  /// The whole picture.  Ids begin with `name`, which is given once on a page.
  [[nodiscard]] std::string markup(std::string_view name, std::string_view title,
                                   std::string_view description) const {
    const std::string id = escaped(name);
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture\" role=\"img\" "
        "aria-labelledby=\"{0}-title {0}-desc\" viewBox=\"0 0 {1} {2}\" width=\"{1}\" "
        "height=\"{2}\">\n<title id=\"{0}-title\">{3}</title>\n<desc id=\"{0}-desc\">{4}</desc>\n"
        "{5}{6}</svg>\n",
        id, number(width_), number(std::ceil(height_) + 2), escaped(title), escaped(description),
        definitions_.empty() ? "" : "<defs>" + definitions_ + "</defs>\n", body_);
  }

 private:
  static std::string number(double x) {
    require(std::isfinite(x), "svg_canvas: coordinates must be finite");
    std::string digits = fmt::format("{:.1f}", x);
    if (digits.ends_with(".0")) digits.resize(digits.size() - 2);
    return digits == "-0" ? "0" : digits;
  }
  void add(const std::string& begin, std::string_view element, std::string_view tip) {
    body_ += tip.empty() ? begin + "/>\n"
                         : fmt::format("{}><title>{}</title></{}>\n", begin, escaped(tip), element);
  }

  double width_;
  double height_ = 0;
  std::string definitions_;
  std::string body_;
  std::vector<picture_box> texts_;
  std::vector<picture_box> marks_;
};

}  // namespace gpuplan
