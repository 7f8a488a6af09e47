#include <gpuplan/report/svg_palette.hpp>

#include <string>

#include <fmt/format.h>

#include "support/catch.hpp"

namespace {

using namespace gpuplan;

TEST_CASE("a colour that is lost on white has an edge", "[report]") {
  // WCAG 2.1, 1.4.11: parts of a picture need a contrast of 3; less than 1.5 is as good as none.
  const std::string css = picture_style();
  for (std::size_t i = 0; i < series_colours.size(); ++i) {
    INFO(i);
    const bool lost = contrast_ratio(series_colours[i], light_page.paper) < 1.5;
    const std::string edge = fmt::format(".picture .c{}{{stroke:var(--quiet)}}", i);
    CHECK((css.find(edge) != std::string::npos) == lost);
  }
  CHECK(contrast_ratio(light_page.quiet, light_page.paper) >= 4.5);
}

TEST_CASE("a page is dark where its reader's system is", "[report][reference]") {
  const std::string css = picture_style();
  const auto light = css.find(
      ":root{--paper:#ffffff;--ink:#1b1f24;--quiet:#525a64;--grid:#dee2e6;--band:#f5f6f8}");
  const auto dark = css.find(
      "(prefers-color-scheme:dark){:root{--paper:#14171c;--ink:#e8ebee;--quiet:#a8b0ba;"
      "--grid:#343a42;--band:#1e2229}}");
  CHECK(light == 0);
  CHECK(dark != std::string::npos);
}

TEST_CASE("contrasts of the standard", "[report][reference]") {
  // WCAG 2.1: of black and white 21, of a colour and itself 1; #777 on white 4.48, as its
  // techniques (G18) give.
  CHECK_THAT(contrast_ratio({0, 0, 0}, {255, 255, 255}), WithinRel(21.0, 1e-12));
  CHECK(contrast_ratio({9, 8, 7}, {9, 8, 7}) == 1);
  CHECK_THAT(contrast_ratio({0x77, 0x77, 0x77}, {255, 255, 255}), WithinRel(4.48, 0.001));
}

TEST_CASE("a picture is as wide as its place, and each line has a style", "[report]") {
  const std::string css = picture_style();
  CHECK(css.find("\n.picture{display:block;width:100%") != std::string::npos);
  for (const char* kind : {"grid", "frame", "limit", "guide", "whisker", "tile", "hatch"}) {
    INFO(kind);
    CHECK(css.find(fmt::format("\n.picture .{}{{stroke:", kind)) != std::string::npos);
  }
}

}  // namespace
