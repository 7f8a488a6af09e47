#pragma once
/// \file
/// Places and boxes on a picture, and those that texts take.

#include <cstddef>
#include <string_view>

#include <gpuplan/report/svg_text_width.hpp>

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

}  // namespace gpuplan
