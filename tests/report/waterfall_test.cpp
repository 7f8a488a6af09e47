#include <gpuplan/report/waterfall.hpp>

#include <limits>

#include "support/catch.hpp"
#include "support/markup.hpp"
#include "support/pictures.hpp"

namespace {

using namespace gpuplan;
using namespace gpuplan::units;
using testing::count_of;

step_time some_step() {
  step_time step;
  step.busy.products = 2 * second;
  step.busy.tensor = 500 * ms;
  step.bubble = 250 * ms;
  step.optimizer = 250 * ms;
  return step;
}

TEST_CASE("terms begin where those before end, and the last bar is their sum", "[report]") {
  svg_canvas canvas{760};
  draw_chart(step_time_chart(some_step()), canvas, "id");
  const std::string drawn = canvas.markup("id", "", "");
  CHECK(testing::markup_fault(drawn).empty());
  CHECK(count_of("<rect", drawn) == 3 + 5);  // three kinds; four terms and the sum
  CHECK(drawn.find(">3 s<") != std::string::npos);
  std::vector<std::pair<double, double>> bars;
  for (auto at = drawn.find("<title>GEMM"); at != drawn.npos; at = drawn.npos) {
    for (auto rect = drawn.rfind("<rect", at); rect != drawn.npos;
         rect = drawn.find("<rect", rect + 1)) {
      const double left = std::stod(drawn.substr(drawn.find(" x=\"", rect) + 4));
      const double width = std::stod(drawn.substr(drawn.find("width=\"", rect) + 7));
      bars.emplace_back(left, left + width);
    }
  }
  REQUIRE(bars.size() == 5);
  for (std::size_t i = 1; i < 4; ++i)
    CHECK(bars[i].first == Approx(bars[i - 1].second).margin(0.2));
  CHECK(bars[4].first == bars[0].first);
  CHECK(bars[4].second == Approx(bars[3].second).margin(0.2));
}

TEST_CASE("every term of a step is in the table, and shares add up to one", "[report]") {
  const step_time step = some_step();
  const figure_table rows = table_of(step_time_chart(step));
  REQUIRE(rows.rows.size() == step_terms.size() + 1);
  double shares = 0;
  for (std::size_t i = 0; i < step_terms.size(); ++i) {
    CHECK(rows.rows[i][0].text == title_of(step_terms[i]));
    CHECK(rows.rows[i][2].value == step[step_terms[i]].in_base_units());
    shares += *rows.rows[i][3].value;
  }
  CHECK(shares == Approx(1));
  CHECK(rows.rows.back()[2].value == step.total().in_base_units());
}

TEST_CASE("a step of no time says so, and terms that cannot be are refused", "[report]") {
  svg_canvas canvas{340};
  draw_chart(step_time_chart({}), canvas, "id");
  CHECK(canvas.markup("id", "", "").find("No data") != std::string::npos);
  CHECK_FALSE(testing::has_no_number(canvas.markup("id", "", "")));
  CHECK(table_of(step_time_chart({})).rows.back()[3].value == 0.0);

  waterfall bad = step_time_chart(some_step());
  bad.terms[0].value = -1 * second;
  CHECK_THROWS_AS(draw_chart(bad, canvas, "id"), invalid_input);
  bad.terms[0].value = seconds{std::numeric_limits<double>::quiet_NaN()};
  CHECK_THROWS_AS(table_of(bad), invalid_input);
  bad.terms[0] = {"x", 1 * second, 99};
  CHECK_THROWS_AS(draw_chart(bad, canvas, "id"), invalid_input);
  bad.terms[0] = {"x", 1 * GB, 0};
  CHECK_THROWS_AS(draw_chart(bad, canvas, "id"), invalid_input);
}

TEST_CASE("a step is drawn as it is kept", "[report][pictures]") {
  CHECK(testing::picture_changes("waterfall", step_time_chart(some_step())) == "");
}

}  // namespace
