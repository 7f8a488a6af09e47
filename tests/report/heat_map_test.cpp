#include <gpuplan/report/heat_map.hpp>

#include <limits>

#include "support/catch.hpp"
#include "support/markup.hpp"
#include "support/pictures.hpp"

namespace {

using namespace gpuplan;
using namespace gpuplan::units;
using testing::count_of;

heat_map small_map() {
  return {.words = {"Layouts", "by step"},
          .row_title = "Tensor",
          .column_title = "Pipeline",
          .value_title = "Step",
          .rows = {"1", "2"},
          .columns = {"1", "4"},
          .cells = {{{}, "memory: needs > 80 GiB", ""},
                    {2 * second, "", "data 4"},
                    {1 * second, "", "data 8"},
                    {{}, "layers", ""}}};
}

TEST_CASE("cells have colours, and those that cannot be a hatch and a reason", "[report]") {
  svg_canvas canvas{760};
  draw_chart(small_map(), canvas, "map-wide");
  const std::string drawn = canvas.markup("map-wide", "", "");
  CHECK(testing::markup_fault(drawn).empty());
  CHECK(count_of("url(#map-wide-hatch)", drawn) == 2);
  CHECK(count_of("id=\"map-wide-hatch\"", drawn) == 1);
  CHECK(drawn.find(">A: memory: needs &gt; 80 GiB<") != std::string::npos);
  CHECK(drawn.find(">B: layers<") != std::string::npos);
  CHECK(count_of(">A<", drawn) == 1);
  // The best is brightest, the worst darkest.
  CHECK(count_of(hexadecimal(cividis.back()), drawn) == 1);
  CHECK(count_of(hexadecimal(cividis.front()), drawn) == 1);
  CHECK(drawn.find(hexadecimal(cividis.back())) > drawn.find(hexadecimal(cividis.front())));
  CHECK(drawn.find(">1 (best)<") != std::string::npos);
}

TEST_CASE("where more is better the colours turn around", "[report]") {
  heat_map chart = small_map();
  chart.order = heat_order::high_is_good;
  svg_canvas canvas{760};
  draw_chart(chart, canvas, "m");
  const std::string drawn = canvas.markup("m", "", "");
  CHECK(drawn.find(hexadecimal(cividis.back())) < drawn.find(hexadecimal(cividis.front())));
  CHECK(drawn.find(">2 (best)<") != std::string::npos);
}

TEST_CASE("each cell is a row of the table", "[report]") {
  const figure_table rows = table_of(small_map());
  REQUIRE(rows.rows.size() == 4);
  CHECK(rows.rows[0][2].text == "none");
  CHECK(rows.rows[0][3].text == "memory: needs > 80 GiB");
  CHECK(rows.rows[1][2].value == 2.0);
  CHECK(rows.rows[1][1].text == "4");
}

TEST_CASE("maps of any size have texts that do not overlap", "[report]") {
  for (const std::size_t columns : {1u, 3u, 12u, 40u})
    for (const double width : {340.0, 760.0}) {
      heat_map chart = small_map();
      chart.columns.clear();
      chart.cells.clear();
      for (std::size_t i = 0; i < columns; ++i)
        chart.columns.push_back(std::to_string(1u << (i % 20)));
      for (std::size_t i = 0; i < 2 * columns; ++i)
        chart.cells.push_back(i % 3 == 0 ? heat_cell{{}, "reason " + std::to_string(i), ""}
                                         : heat_cell{static_cast<double>(i) * second, "", ""});
      svg_canvas canvas{width};
      draw_chart(chart, canvas, "m");
      const auto& texts = canvas.texts();
      for (std::size_t i = 0; i < texts.size(); ++i)
        for (std::size_t k = 0; k < i; ++k) CHECK_FALSE(texts[i].overlaps(texts[k]));
      CHECK_FALSE(testing::has_no_number(canvas.markup("m", "", "")));
    }
}

TEST_CASE("a map without values, or without cells, is a map", "[report]") {
  heat_map chart = small_map();
  for (heat_cell& cell : chart.cells) cell = {{}, "no", ""};
  svg_canvas canvas{340};
  draw_chart(chart, canvas, "m");
  CHECK(count_of("url(#m-hatch)", canvas.markup("m", "", "")) == 4);
  for (heat_cell& cell : chart.cells) cell = {5 * second, "", ""};
  draw_chart(chart, canvas, "m");
  chart.rows.clear();
  CHECK_THROWS_AS(draw_chart(chart, canvas, "m"), invalid_input);
  chart.cells.clear();
  svg_canvas empty{340};
  draw_chart(chart, empty, "m");
  CHECK(empty.markup("m", "", "").find("No data") != std::string::npos);
  chart = small_map();
  chart.cells[1].value = seconds{std::numeric_limits<double>::infinity()};
  CHECK_THROWS_AS(draw_chart(chart, canvas, "m"), invalid_input);
}

TEST_CASE("a map is drawn as it is kept", "[report][pictures]") {
  CHECK(testing::picture_changes("heat-map", small_map()) == "");
  heat_map large = small_map();
  large.rows = {"1", "2", "4", "8", "a name that is far too long for its row"};
  large.columns = {"1", "2", "4", "8", "16", "32", "64", "128"};
  large.cells.clear();
  for (int i = 0; i < 40; ++i) {
    if (i % 7 == 3)
      large.cells.push_back({{}, i % 2 == 0 ? "memory" : "layers: no divisor", ""});
    else
      large.cells.push_back({(1.0 + i * i % 23) * second, "", "data 4"});
  }
  CHECK(testing::picture_changes("heat-map-large", large) == "");
}

}  // namespace
