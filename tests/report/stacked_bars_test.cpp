#include <gpuplan/report/stacked_bars.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "support/catch.hpp"
#include "support/markup.hpp"
#include "support/pictures.hpp"
#include "support/property.hpp"
#include "support/random_job.hpp"

namespace {

using namespace gpuplan;
using namespace gpuplan::units;
using testing::count_of;
using testing::markup_fault;

stacked_bars two_bars() {
  return {.words = {"Memory", "of stages"},
          .of = "Stage",
          .value_title = "Memory",
          .parts = {"weights", "rest"},
          .bars = {{"0", {10 * GiB, 20 * GiB}}, {"1", {10 * GiB, 0 * GiB}}},
          .limit = bar_limit{"GPU memory", 80 * GiB}};
}

TEST_CASE("a part is a rectangle, and a part of nothing none", "[report]") {
  svg_canvas canvas{760};
  draw_chart(two_bars(), canvas, "id");
  const std::string drawn = canvas.markup("id", "", "");
  CHECK(markup_fault(drawn).empty());
  CHECK(count_of("<rect", drawn) == 2 + 3);  // the legend's and the bars'
  CHECK(count_of("class=\"limit\"", drawn) == 2);
  CHECK(drawn.find(">30 GiB<") != std::string::npos);
  CHECK(drawn.find("Memory (GiB)") != std::string::npos);
  CHECK(drawn.find("GPU memory: 80 GiB") != std::string::npos);
  CHECK(drawn.rfind("class=\"limit\"") > drawn.rfind("<rect"));  // seen over a bar that crosses it
}

TEST_CASE("the table holds parts, sum and limit", "[report]") {
  const figure_table rows = table_of(two_bars());
  REQUIRE(rows.rows.size() == 2);
  CHECK(rows.rows[0][0].text == "0");
  CHECK(rows.rows[0][1].value == 10.0 * 0x1p30);
  CHECK(rows.rows[0][3].value == 30.0 * 0x1p30);
  CHECK(rows.rows[0][4].value == 80.0 * 0x1p30);
}

TEST_CASE("a whisker reaches from low to high, and the sum stands behind it", "[report]") {
  stacked_bars chart = two_bars();
  chart.limit.reset();
  chart.bars[0].low = 24 * GiB;
  chart.bars[0].high = 45 * GiB;
  svg_canvas canvas{760};
  draw_chart(chart, canvas, "id");
  const std::string drawn = canvas.markup("id", "", "");
  CHECK(markup_fault(drawn).empty());
  CHECK(count_of("class=\"whisker\"", drawn) == 3);  // a line and its ends, of one bar
  svg_canvas without{760};
  draw_chart(two_bars(), without, "id");
  CHECK(count_of("class=\"whisker\"", without.markup("id", "", "")) == 0);
  const std::string line = drawn.substr(drawn.find("class=\"whisker\""));
  const double high = std::stod(line.substr(line.find("x2=\"") + 4));
  CHECK(canvas.texts()[canvas.texts().size() - 2].left > high);
  const figure_table rows = table_of(chart);
  CHECK(rows.rows[0][4].value == 24.0 * 0x1p30);
  CHECK(rows.rows[0][5].value == 45.0 * 0x1p30);
  CHECK(rows.rows[1][4].text.empty());
  for (const auto& [low, high_end] : {std::pair{5, 4}, std::pair{-1, 4}}) {
    chart.bars[0].low = low * GiB;
    chart.bars[0].high = high_end * GiB;
    CHECK_THROWS_AS(table_of(chart), invalid_input);
  }
  chart.bars[0].high.reset();
  CHECK_THROWS_AS(table_of(chart), invalid_input);
}

TEST_CASE("bars that cannot be are refused, and none say so", "[report]") {
  svg_canvas canvas{760};
  stacked_bars bad = two_bars();
  bad.bars[0].parts[0] = -1 * GiB;
  CHECK_THROWS_AS(draw_chart(bad, canvas, "id"), invalid_input);
  bad.bars[0].parts[0] = bytes{std::numeric_limits<double>::quiet_NaN()};
  CHECK_THROWS_AS(draw_chart(bad, canvas, "id"), invalid_input);
  bad.bars[0].parts.pop_back();
  CHECK_THROWS_AS(table_of(bad), invalid_input);
  stacked_bars none = two_bars();
  none.bars.clear();
  draw_chart(none, canvas, "id");
  CHECK(canvas.markup("id", "", "").find("No data") != std::string::npos);
}

TEST_CASE("a sum stands beside the limit, not across it", "[report]") {
  for (double full = 0; full < 1.3; full += 0.01) {
    stacked_bars chart = two_bars();
    chart.bars[0].parts[0] = 0 * GiB;
    chart.bars[0].parts[1] = full * 80 * GiB;
    svg_canvas canvas{340};
    draw_chart(chart, canvas, "id");
    const std::string drawn = canvas.markup("id", "", "");
    const auto limit = drawn.rfind("class=\"limit\" x1=\"");
    const double line = std::stod(drawn.substr(limit + 18));
    INFO(full);
    CHECK(count_of(">" + text_of(full * 80 * GiB) + "<", drawn) == 1);
    REQUIRE(canvas.texts().size() > 2);
    for (auto text = canvas.texts().end() - 2; text != canvas.texts().end(); ++text)  // sums
      CHECK((text->right() < line || text->left > line));
  }
}

TEST_CASE("memory of a stage is the sum of its parts in the chart", "[report][property]") {
  testing::check_property("for any job", [] {
    const testing::random_job job = testing::random_job_any();
    const footprint memory = memory_footprint(job.model, job.recipe, job.parallelism);
    const stacked_bars chart = memory_chart(memory, job.pool.gpu().memory);
    RC_ASSERT(chart.bars.size() <= static_cast<std::size_t>(most_memory_bars));
    const std::string worst = std::to_string(memory.worst_stage().stage + 1);
    RC_ASSERT(std::any_of(chart.bars.begin(), chart.bars.end(),
                          [&](const auto& bar) { return bar.name == worst; }));
    for (const stacked_bar& bar : chart.bars) {
      const double total = memory.stage(std::stoi(bar.name) - 1).total().in_base_units();
      RC_ASSERT(std::abs(bar.total().base - total) <= 1e-9 * total);
    }
  });
}

TEST_CASE("memory that was not computed has no chart", "[report]") {
  CHECK_THROWS_AS(memory_chart({}, 80 * GB), invalid_input);
}

TEST_CASE("bars are drawn as they are kept", "[report][pictures]") {
  CHECK(testing::picture_changes("stacked-bars", two_bars()) == "");
  stacked_bars crossing = two_bars();
  crossing.bars.push_back({"a stage with a long name", {70 * GiB, 30 * GiB}});
  crossing.bars.push_back({"none", {0 * GiB, 0 * GiB}});
  CHECK(testing::picture_changes("stacked-bars-crossing", crossing) == "");
}

}  // namespace
