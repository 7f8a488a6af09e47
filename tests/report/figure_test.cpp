#include <gpuplan/report/figure.hpp>

#include <limits>

#include "support/catch.hpp"

namespace {

using namespace gpuplan;
using namespace gpuplan::units;

struct dot_chart {
  chart_words words{"Dot", "One dot"};
};
void draw_chart(const dot_chart&, svg_canvas& canvas, const std::string&) {
  canvas.mark({canvas.width() / 2, 10}, mark_shape::circle, "c0");
}
figure_table table_of(const dot_chart&) {
  return {{{"n"}}, {{1}}};
}

TEST_CASE("a chart is drawn for narrow and for wide screens, with its table", "[report]") {
  const figure drawn = figure_of("dot", dot_chart{});
  CHECK(drawn.narrow.find("viewBox=\"0 0 340 ") != std::string::npos);
  CHECK(drawn.wide.find("viewBox=\"0 0 760 ") != std::string::npos);
  CHECK(drawn.narrow.find("dot-narrow-title") != std::string::npos);
  CHECK(drawn.wide.find("dot-wide-title") != std::string::npos);
  CHECK(drawn.table.rows.size() == 1);
  CHECK_THROWS_AS(figure_of("a b", dot_chart{}), invalid_input);
  CHECK_THROWS_AS(figure_of("\"><script>", dot_chart{}), invalid_input);
  CHECK_THROWS_AS(figure_of("", dot_chart{}), invalid_input);
}

TEST_CASE("a cell keeps the number behind its text, where there is one", "[report]") {
  CHECK(figure_cell{80 * GiB}.text == "80 GiB");
  CHECK(figure_cell{80 * GiB}.value == 80.0 * 0x1p30);
  CHECK(figure_cell{0}.value == 0.0);
  CHECK_FALSE(figure_cell{"words"}.value);
  CHECK(share_cell(0.5).text == "50 %");
  CHECK(share_cell(0.5).value == 0.5);
  const figure_cell endless{seconds{std::numeric_limits<double>::infinity()}};
  CHECK(endless.text == "unbounded");
  CHECK_FALSE(endless.value);
  figure_table rows{{{"a"}, {"b"}}};
  CHECK_THROWS_AS(rows.row({"one"}), invalid_input);
}

TEST_CASE("a legend takes as many rows as it needs, and no entry is lost", "[report]") {
  svg_canvas canvas{200};
  std::vector<legend_entry> entries;
  for (int i = 0; i < 7; ++i)
    entries.push_back({.text = "series number " + std::to_string(i), .style = "c0"});
  entries.push_back({.text = std::string(100, 'w'), .style = "c1"});
  const double bottom = draw_legend(entries, canvas);
  CHECK(canvas.texts().size() == 8);
  for (const picture_box& text : canvas.texts()) CHECK(text.bottom() < bottom);
  CHECK(draw_legend({}, canvas, 30) == 30);
}

}  // namespace
