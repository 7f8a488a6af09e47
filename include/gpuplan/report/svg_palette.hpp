#pragma once
/// \file
/// Colours that colour-blind readers can tell apart, in light and dark mode and on paper.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <gpuplan/require.hpp>

namespace gpuplan {

/// A colour of a screen.
struct rgb_colour {
  int red = 0;  ///< 0 to 255, each
  int green = 0;
  int blue = 0;

  friend constexpr bool operator==(const rgb_colour&, const rgb_colour&) = default;
};

/// "#0072b2".
inline std::string hexadecimal(rgb_colour c) {
  return fmt::format("#{:02x}{:02x}{:02x}", c.red, c.green, c.blue);
}

/// The colours of series, in the order in which they are given out; the black of the source is left
/// to texts, and a grey stands at the end for what is small.
///
/// Source: M. Okabe and K. Ito, "Color Universal Design (CUD): How to make figures and
/// presentations that are friendly to colorblind people" (2008), jfly.uni-koeln.de/color,
/// figure 16.
inline constexpr std::array series_colours{rgb_colour{0, 114, 178},  rgb_colour{230, 159, 0},
                                           rgb_colour{0, 158, 115},  rgb_colour{204, 121, 167},
                                           rgb_colour{86, 180, 233}, rgb_colour{213, 94, 0},
                                           rgb_colour{240, 228, 66}, rgb_colour{100, 100, 100}};

/// The class of a series, for marks and areas: "c0" and on, the last for all that come after.
inline std::string class_of_series(std::size_t index) {
  return fmt::format("c{}", (std::min)(index, series_colours.size() - 1));
}

/// From dark to bright, at equal steps: a scale that is read alike with any kind of colour vision.
///
/// Source: J. Nunez, C. Anderton and R. Renslow, "Optimizing colormaps with consideration for color
/// vision deficiency to enable accurate interpretation of scientific data", PLoS ONE 13 (2018)
/// e0199239: cividis, at its quarters.
inline constexpr std::array cividis{rgb_colour{0, 32, 77}, rgb_colour{65, 77, 107},
                                    rgb_colour{124, 123, 120}, rgb_colour{188, 175, 111},
                                    rgb_colour{255, 234, 70}};

/// The colour of a share of the scale, straight between the two nearest of cividis.
///
/// \throws invalid_input if share is not 0 to 1
inline rgb_colour scale_colour(double share) {
  require(share >= 0 && share <= 1, "scale_colour: share must be 0 to 1");
  const double place = share * static_cast<double>(cividis.size() - 1);
  const auto below = (std::min)(static_cast<std::size_t>(place), cividis.size() - 2);
  const double rest = place - static_cast<double>(below);
  const auto mixed = [&](int rgb_colour::*part) {
    const double low = cividis[below].*part;
    return static_cast<int>(std::lround(low + rest * (cividis[below + 1].*part - low)));
  };
  return {mixed(&rgb_colour::red), mixed(&rgb_colour::green), mixed(&rgb_colour::blue)};
}

/// How bright a colour is seen, 0 to 1.
///
/// Source: W3C, "Web Content Accessibility Guidelines (WCAG) 2.1" (2018), relative luminance.
inline double relative_luminance(rgb_colour c) {
  const auto linear = [](int part) {
    const double x = part / 255.0;
    return x <= 0.03928 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(c.red) + 0.7152 * linear(c.green) + 0.0722 * linear(c.blue);
}

/// Contrast of two colours, 1 to 21; small texts ask for 4.5.
///
/// Source: W3C, "Web Content Accessibility Guidelines (WCAG) 2.1" (2018), contrast ratio.
inline double contrast_ratio(rgb_colour a, rgb_colour b) {
  const double first = relative_luminance(a);
  const double second = relative_luminance(b);
  return ((std::max)(first, second) + 0.05) / ((std::min)(first, second) + 0.05);
}

/// Colours of the page around the pictures.
struct page_colours {
  rgb_colour paper{};
  rgb_colour ink{};
  rgb_colour quiet{};  ///< texts of axes
  rgb_colour grid{};
  rgb_colour band{};  ///< behind every second row of a table
};

inline constexpr page_colours light_page{
    {255, 255, 255}, {27, 31, 36}, {82, 90, 100}, {222, 226, 230}, {245, 246, 248}};
inline constexpr page_colours dark_page{
    {20, 23, 28}, {232, 235, 238}, {168, 176, 186}, {52, 58, 66}, {30, 34, 41}};

/// Style of pictures: light unless the reader's system asks for dark, and light on paper.
inline std::string picture_style() {
  const auto variables = [](const page_colours& of) {
    return fmt::format("--paper:{};--ink:{};--quiet:{};--grid:{};--band:{}", hexadecimal(of.paper),
                       hexadecimal(of.ink), hexadecimal(of.quiet), hexadecimal(of.grid),
                       hexadecimal(of.band));
  };
  std::string css =
      fmt::format(":root{{{}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{}}}}}\n",
                  variables(light_page), variables(dark_page));
  css +=
      ".picture{display:block;width:100%;height:auto;font:12px sans-serif;"
      "-webkit-print-color-adjust:exact;print-color-adjust:exact}\n"
      ".picture text{fill:var(--ink);stroke:var(--paper);stroke-width:3;paint-order:stroke;"
      "stroke-linejoin:round}\n"
      ".picture text.axis{fill:var(--quiet)}\n"
      ".picture text.dark{fill:#000;stroke:none}\n.picture text.bright{fill:#fff;stroke:none}\n"
      ".picture .grid{stroke:var(--grid);fill:none}\n"
      ".picture .frame{stroke:var(--quiet);fill:none}\n"
      ".picture .limit{stroke:var(--ink);stroke-width:2;stroke-dasharray:6 4;fill:none}\n"
      ".picture .guide{stroke:var(--quiet);stroke-width:1.5;stroke-dasharray:7 4;fill:none}\n"
      ".picture .whisker{stroke:var(--ink);stroke-width:1.5;fill:none}\n"
      ".picture .dotted{stroke-dasharray:2 3}\n"
      ".picture .tile{stroke:var(--paper);stroke-width:1}\n"
      ".picture .hatch{stroke:var(--quiet);stroke-width:1.5}\n"
      ".picture .hatched{fill:var(--band)}\n"
      ".picture .total{fill:var(--ink)}\n";
  for (std::size_t i = 0; i < series_colours.size(); ++i)
    css += fmt::format(
        ".picture .c{0}{{fill:{1};stroke:var(--paper);stroke-width:1}}\n"
        ".picture .l{0}{{fill:none;stroke:{1};stroke-width:2;stroke-linejoin:round}}\n",
        i, hexadecimal(series_colours[i]));
  css += ".picture .c6{stroke:var(--quiet)}\n";  // yellow is lost on white
  return css;
}

}  // namespace gpuplan
