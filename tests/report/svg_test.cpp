#include <gpuplan/report/svg.hpp>

#include <limits>
#include <string>

#include <gpuplan/report/svg_palette.hpp>

#include "support/catch.hpp"
#include "support/markup.hpp"
#include "support/property.hpp"

namespace {

using namespace gpuplan;
using testing::count_of;
using testing::markup_fault;

TEST_CASE("markup in a text is letters", "[report]") {
  CHECK(escaped("a < b && c > \"d\" 'e'") ==
        "a &lt; b &amp;&amp; c &gt; &quot;d&quot; &#39;e&#39;");
  CHECK(escaped("</text><script>alert(1)</script>").find('<') == std::string::npos);
  CHECK(escaped("tab\tline\nend\r") == "tab line end ");
}

TEST_CASE("what is no text, or hides or turns text, is replaced", "[report]") {
  const std::string replaced = "\xEF\xBF\xBD";
  CHECK(escaped(std::string_view{"a\0b", 3}) == "a" + replaced + "b");
  CHECK(escaped("\x1b[31m") == replaced + "[31m");
  CHECK(escaped("\xff\xfe") == replaced + replaced);
  CHECK(escaped("\xc0\xbc") == replaced + replaced);                 // '<' in two bytes
  CHECK(escaped("\xed\xa0\x80") == replaced + replaced + replaced);  // half of a pair
  CHECK(escaped("\xe2\x80\xae gpj") == replaced + " gpj");           // right to left from here
  CHECK(escaped("\xe2\x80\x8b") == replaced);                        // no width
  CHECK(escaped("\xf4\x90\x80\x80") == replaced + replaced + replaced + replaced);
  CHECK(escaped("\xe2\x82") == replaced + replaced);  // cut off
  CHECK(escaped("\xc3\xa9 \xe6\xbc\xa2 \xf0\x9f\x90\xa2") ==
        "\xc3\xa9 \xe6\xbc\xa2 \xf0\x9f\x90\xa2");  // letters of 2, 3 and 4 bytes are kept
}

static_assert(text_width("", 12) == 0);
static_assert(text_width("0", 1000) == 637, "as the font's table says");
static_assert(text_width("\xe6\xbc\xa2", 12) == 12, "a character of three bytes is one");

TEST_CASE("a text is cut to its width at whole characters", "[report]") {
  CHECK(shortened("short", 12, 100) == "short");
  const std::string cut = shortened("a long name of a model", 12, 60);
  CHECK(cut.ends_with("..."));
  CHECK(text_width(cut, 12) <= 60);
  CHECK(shortened("\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2", 10, 25) == "\xe6\xbc\xa2...");
  CHECK_THROWS_AS(text_width("a", -1), invalid_input);
}

TEST_CASE("a text is wrapped between words", "[report]") {
  CHECK(wrapped("one two three", 10, 60) == std::vector<std::string>{"one two", "three"});
  CHECK(wrapped("  one   two ", 10, 1000) == std::vector<std::string>{"one two"});
  CHECK(wrapped("", 10, 60).empty());
  testing::check_property("no line is wider than asked, and words keep their order", [] {
    const auto words = *rc::gen::container<std::vector<std::string>>(
        rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange('a', 'e'))));
    std::string text;
    for (const std::string& word : words) text += word + ' ';
    const double width = *rc::gen::inRange(30, 200);
    std::string joined;
    for (const std::string& line : wrapped(text, 12, width)) {
      RC_ASSERT(text_width(line, 12) <= width);
      joined += line + ' ';
    }
    if (joined.find("...") == joined.npos) RC_ASSERT(joined == text);
  });
}

TEST_CASE("a picture is well formed whatever its texts are", "[report]") {
  svg_canvas canvas{200};
  canvas.rectangle({10, 10, 50, 20}, "c0", "<tip> & \"more\"");
  canvas.tile({10, 40, 50, 20}, "#001122");
  canvas.line({0, 0}, {10, 90}, "grid");
  canvas.polyline({{0, 0}, {5, 5}, {10, 0}}, "l0");
  for (const mark_shape shape : {mark_shape::circle, mark_shape::square, mark_shape::diamond,
                                 mark_shape::triangle, mark_shape::cross})
    canvas.mark({50, 50}, shape, "c1", "a\x01");
  CHECK(canvas.text({10, 120}, text_anchor::start, "axis", "</svg>"));
  const std::string drawn = canvas.markup("one", "a & b", "<c>");
  CHECK(markup_fault(drawn).empty());
  CHECK(count_of("<path", drawn) == 5);
  CHECK(drawn.find("&lt;/svg&gt;") != std::string::npos);
  CHECK(drawn.find("role=\"img\" aria-labelledby=\"one-title one-desc\"") != std::string::npos);
  CHECK(drawn.find("<title id=\"one-title\">a &amp; b</title>") != std::string::npos);
  CHECK(canvas.height() > 120);
}

TEST_CASE("no text is drawn over another one or outside of the picture", "[report]") {
  svg_canvas canvas{200};
  CHECK(canvas.text({100, 50}, text_anchor::middle, "axis", "first"));
  CHECK_FALSE(canvas.text({100, 55}, text_anchor::middle, "axis", "second"));
  CHECK(canvas.text({100, 70}, text_anchor::middle, "axis", "third"));
  CHECK_FALSE(canvas.text({190, 100}, text_anchor::start, "axis", "outside"));
  CHECK_FALSE(canvas.text({5, 100}, text_anchor::end, "axis", "outside"));
  CHECK_FALSE(canvas.text({5, 5}, text_anchor::start, "axis", "above"));
  CHECK(canvas.texts().size() == 2);
  CHECK(count_of("<text", canvas.markup("a", "", "")) == 2);
}

TEST_CASE("a picture has no coordinate that is no number", "[report]") {
  svg_canvas canvas{100};
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(canvas.line({0, 0}, {nan, 0}, "grid"), invalid_input);
  CHECK_THROWS_AS(canvas.rectangle({0, 0, std::numeric_limits<double>::infinity(), 1}, "c0"),
                  invalid_input);
  CHECK_THROWS_AS(svg_canvas{0}, invalid_input);
  CHECK_THROWS_AS(svg_canvas{nan}, invalid_input);
}

TEST_CASE("colours of series are told apart by any kind of colour vision", "[report][reference]") {
  // Sight without one kind of cone, as a linear map of linear RGB: G. Machado, M. Oliveira and L.
  // Fernandes, "A Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE
  // Trans. Vis. Comput. Graph. 15 (2009) 1291-1298, severity 1.
  constexpr double sights[4][3][3] = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                                      {{0.152286, 1.052583, -0.204868},
                                       {0.114503, 0.786281, 0.099216},
                                       {-0.003882, -0.048116, 1.051998}},
                                      {{0.367322, 0.860646, -0.227968},
                                       {0.280085, 0.672501, 0.047413},
                                       {-0.011820, 0.042940, 0.968881}},
                                      {{1.255528, -0.076749, -0.178779},
                                       {-0.078411, 0.930809, 0.147602},
                                       {0.004733, 0.691367, 0.303900}}};
  const auto linear = [](int part) { return std::pow(part / 255.0, 2.2); };
  for (const auto& sight : sights)
    for (std::size_t a = 0; a < series_colours.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) {
        double distance = 0;
        for (const auto& row : sight) {
          const auto seen = [&](rgb_colour c) {
            const double x =
                row[0] * linear(c.red) + row[1] * linear(c.green) + row[2] * linear(c.blue);
            return std::pow(std::clamp(x, 0.0, 1.0), 1 / 2.2);
          };
          distance += std::pow(seen(series_colours[a]) - seen(series_colours[b]), 2);
        }
        INFO("colours " << a << " and " << b);
        CHECK(std::sqrt(distance) > 0.1);
      }
}

TEST_CASE("texts can be read on the page, and on every colour of the scale", "[report]") {
  for (const page_colours& page : {light_page, dark_page}) {
    CHECK(contrast_ratio(page.ink, page.paper) > 7);
    CHECK(contrast_ratio(page.quiet, page.paper) > 4.5);
    CHECK(contrast_ratio(page.ink, page.band) > 7);
  }
  for (int i = 0; i <= 100; ++i) {
    const rgb_colour fill = scale_colour(i / 100.0);
    CHECK((std::max)(contrast_ratio(fill, {0, 0, 0}), contrast_ratio(fill, {255, 255, 255})) > 4.5);
    if (i > 0) CHECK(relative_luminance(fill) > relative_luminance(scale_colour((i - 1) / 100.0)));
  }
  CHECK(contrast_ratio({0, 0, 0}, {255, 255, 255}) == Approx(21));
  CHECK(scale_colour(0) == cividis.front());
  CHECK(scale_colour(1) == cividis.back());
  CHECK(scale_colour(0.5) == cividis[2]);
  CHECK_THROWS_AS(scale_colour(1.01), invalid_input);
  CHECK_THROWS_AS(scale_colour(std::numeric_limits<double>::quiet_NaN()), invalid_input);
  CHECK(hexadecimal({0, 114, 178}) == "#0072b2");
}

TEST_CASE("series beyond the last colour share it", "[report]") {
  CHECK(class_of_series(0) == "c0");
  CHECK(class_of_series(100) == "c7");
  CHECK(picture_style().find(".picture .c7{") != std::string::npos);
}

}  // namespace
