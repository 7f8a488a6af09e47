#include <gpuplan/report/xy_chart.hpp>

#include <limits>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/report/xy_chart_pareto.hpp>
#include <gpuplan/report/xy_chart_parity.hpp>
#include <gpuplan/report/xy_chart_roofline.hpp>

#include "support/catch.hpp"
#include "support/markup.hpp"
#include "support/pictures.hpp"
#include "support/property.hpp"

namespace {

using namespace gpuplan;
using namespace gpuplan::units;
using testing::count_of;

const double inf = std::numeric_limits<double>::infinity();

std::string drawn(const xy_chart& chart, double width = 760) {
  svg_canvas canvas{width};
  draw_chart(chart, canvas, "id");
  std::string markup = canvas.markup("id", chart.words.title, chart.words.description);
  CHECK(testing::markup_fault(markup).empty());
  CHECK_FALSE(testing::has_no_number(markup));
  const auto& texts = canvas.texts();
  for (std::size_t i = 0; i < texts.size(); ++i)
    for (std::size_t k = 0; k < i; ++k) CHECK_FALSE(texts[i].overlaps(texts[k]));
  return markup;
}

TEST_CASE("a line is broken where a value is not finite", "[report]") {
  const auto at = [](double load, double wait) { return xy_point{load, seconds{wait}, "", ""}; };
  const xy_chart chart{
      {"Wait", "against load"},
      {"Load"},
      {"Wait"},
      {{"fcfs", series_kind::line, {at(1, 1), at(2, 2), at(3, inf), at(4, 4), at(5, 5)}}},
      {}};
  const std::string markup = drawn(chart);
  CHECK(count_of("<polyline", markup) == 2);
  CHECK(count_of("<path", markup) == 1 + 4);
  xy_chart beyond = chart;
  beyond.series[0].points.push_back(at(100, inf));
  CHECK(drawn(beyond) == markup);  // no axis reaches to what is not drawn
  const figure_table rows = table_of(chart);
  REQUIRE(rows.rows.size() == 5);
  CHECK(rows.rows[2][2].text == "unbounded");
  CHECK_FALSE(rows.rows[2][2].value);
}

TEST_CASE("a guide has a line, but neither marks nor rows", "[report]") {
  const xy_chart chart{{},
                       {"x"},
                       {"y"},
                       {{"real", series_kind::line, {{1, 1, "", ""}, {2, 2, "", ""}}},
                        {"ideal", series_kind::guide, {{1, 1, "", ""}, {2, 3, "", ""}}},
                        {"", series_kind::guide, {{1, 2, "", ""}, {2, 4, "", ""}}}},
                       {}};
  const std::string markup = drawn(chart);
  CHECK(count_of("<path", markup) == 1 + 2);
  CHECK(count_of("<polyline", markup) == 3);
  CHECK(count_of("class=\"key\"", markup) == 2);
  CHECK(table_of(chart).rows.size() == 2);
}

TEST_CASE("a whisker is a line with two ends, inside the axes", "[report]") {
  const auto chart_with = [](double low, double high) {
    return xy_chart{{},
                    {"x"},
                    {"y"},
                    {{"s",
                      series_kind::points,
                      {{.x = 1, .y = 5, .low = low, .high = high}, {.x = 2, .y = 6}}}},
                    {}};
  };
  const std::string plain = drawn(chart_with(inf, inf));
  const std::string whiskers = drawn(chart_with(3, 9));
  const auto lines_of = [](const std::string& markup, const char* style) {
    return count_of(std::string("class=\"") + style + "\"", markup);
  };
  const std::string style = detail::looks_of(chart_with(3, 9).series)[0].line;
  CHECK(lines_of(whiskers, style.c_str()) == lines_of(plain, style.c_str()) + 3);
  // The axis reaches to the end of a whisker, else it would not be drawn.
  CHECK(lines_of(drawn(chart_with(3, 900)), style.c_str()) == lines_of(plain, style.c_str()) + 3);
}

TEST_CASE("series differ by shape, too", "[report]") {
  xy_chart chart{{}, {"x"}, {"y"}, {}, {}};
  for (int i = 0; i < 5; ++i)
    chart.series.push_back({"s" + std::to_string(i), series_kind::points, {{i, i, "", ""}}});
  const auto looks = detail::looks_of(chart.series);
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t k = 0; k < i; ++k) {
      CHECK(looks[i].shape != looks[k].shape);
      CHECK(looks[i].mark != looks[k].mark);
    }
  drawn(chart);
}

TEST_CASE("a chart without points says so", "[report]") {
  CHECK(drawn({{}, {"x"}, {"y"}, {}, {}}).find("No data") != std::string::npos);
  const xy_chart guides{{}, {"x"}, {"y"}, {{"g", series_kind::guide, {{1, 1, "", ""}}}}, {}};
  CHECK(drawn(guides).find("No data") != std::string::npos);
  const xy_chart nothing{{}, {"x"}, {"y"}, {{"s", series_kind::line, {{inf, inf, "a", ""}}}}, {}};
  CHECK(count_of("<path", drawn(nothing)) == 1);
}

TEST_CASE("points in a heap have labels that do not overlap", "[report][property]") {
  testing::check_property("for any points", [] {
    xy_chart chart{{}, {"x"}, {"y"}, {{"s", series_kind::points, {}}}, {}};
    for (int i = 0; i < 40; ++i)
      chart.series[0].points.push_back(
          {*rc::gen::inRange(0, 10), *rc::gen::inRange(0, 10), "point " + std::to_string(i), ""});
    svg_canvas canvas{static_cast<double>(*rc::gen::inRange(300, 900))};
    draw_chart(chart, canvas, "id");
    const auto& texts = canvas.texts();
    for (std::size_t i = 0; i < texts.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) RC_ASSERT_FALSE(texts[i].overlaps(texts[k]));
  });
}

TEST_CASE("the front holds what nothing beats in both", "[report]") {
  const auto at = [](double x, double y) { return pareto_choice{"n", "", seconds{x}, dollars{y}}; };
  const std::vector<pareto_choice> choices{at(3, 1), at(1, 4), at(2, 2),   at(2, 3),
                                           at(3, 2), at(2, 2), at(inf, 0), at(1, 5)};
  CHECK(pareto_places(choices) == std::vector<std::size_t>{1, 2, 0});
  const xy_chart chart = pareto_chart({}, {"Time"}, {"Cost"}, choices);
  REQUIRE(chart.series.size() == 2);
  CHECK(chart.series[0].points.size() == 3);
  CHECK(chart.series[1].points.size() == 5);
  CHECK(table_of(chart).rows.size() == choices.size());
  drawn(chart);
  std::vector<pareto_choice> grouped = choices;
  for (std::size_t i = 0; i < grouped.size(); ++i) grouped[i].group = i % 2 == 0 ? "even" : "odd";
  const xy_chart coloured = pareto_chart({}, {"Time"}, {"Cost"}, grouped);
  REQUIRE(coloured.series.size() == 3);
  CHECK(coloured.series[1].name == "even");
  CHECK(coloured.series[2].name == "odd");
  CHECK(coloured.series[1].points.size() + coloured.series[2].points.size() == choices.size());
  CHECK(pareto_places({}).empty());
  CHECK(drawn(pareto_chart({}, {"Time"}, {"Cost"}, {})).find("No data") != std::string::npos);
}

TEST_CASE("parity shows each run, its error and the line of equals", "[report]") {
  const std::vector<parity_row> rows{{"a", "run 1", 10 * second, 11 * second},
                                     {"b", "<run 2>", 100 * second, 90 * second},
                                     {"a", "run 3", 1 * second, 1 * second}};
  const xy_chart chart = parity_chart({"Parity", ""}, "Step", rows, 0.1);
  const std::string markup = drawn(chart);
  CHECK(markup.find("10 % more or less") != std::string::npos);
  CHECK(markup.find("&lt;run 2&gt;: 100 s measured, 90 s predicted") != std::string::npos);
  CHECK(count_of("<polyline", markup) == 3);
  const figure_table table = table_of(chart);
  REQUIRE(table.rows.size() == 3);
  CHECK(*table.rows[0][4].value == Approx(0.1));
  CHECK(*table.rows[1][4].value == Approx(-0.1));
  CHECK(drawn(parity_chart({}, "Step", {}, 0.1)).find("No data") != std::string::npos);
  CHECK_THROWS_AS(parity_chart({}, "Step", rows, 0), invalid_input);
  CHECK_THROWS_AS(parity_chart({}, "Step", {{"a", "b", 0 * second, 1 * second}}, 0.1),
                  invalid_input);
}

TEST_CASE("kernels of any model of the catalogue lie under the roof", "[report]") {
  const accelerator& gpu = catalog::h100_sxm5_80gb;
  const recipe how{.global_batch_size = 8, .sequence_length = 2048};
  for (const auto& entry : catalog::models) {
    const transformer& m = entry.model;
    for (const layer_kind kind : {layer_kind::dense, layer_kind::moe}) {
      if ((kind == layer_kind::dense ? m.dense_layers() : m.moe_layers()) == 0) continue;
      INFO(entry.name);
      const auto kernels = roofline_kernels(m, kind, gpu, how, {});
      CHECK(kernels.back().name == "head");
      const flop_per_second peak = gpu.peak[formats_of(how.precision).product];
      for (const roofline_kernel& one : kernels)
        CHECK(one.rate() <= 1.0000001 * roofline(peak, gpu.memory_bandwidth, one.intensity()));
    }
  }
}

TEST_CASE("capacity that is filled up is work of a roofline as imbalance is", "[report]") {
  const auto drawn_with = [](const recipe& how) {
    return roofline_kernels(catalog::mixtral_8x7b_v0_1, layer_kind::moe, catalog::h100_sxm5_80gb,
                            how, {.expert = 8});
  };
  const auto uneven = drawn_with({.sequence_length = 2048, .expert_imbalance = 1.5});
  const auto filled = drawn_with({.sequence_length = 2048, .expert_capacity_factor = 1.5});
  const auto even = drawn_with({.sequence_length = 2048});
  REQUIRE(filled.size() == uneven.size());
  bool more = false;
  for (std::size_t i = 0; i < filled.size(); ++i) {
    INFO(filled[i].name);
    CHECK(filled[i].shape == uneven[i].shape);
    more = more || filled[i].work > even[i].work;
  }
  CHECK(more);
}

TEST_CASE("a roofline has two roofs and a point for each kernel", "[report]") {
  const accelerator& gpu = catalog::h100_sxm5_80gb;
  const recipe how{.global_batch_size = 8, .sequence_length = 2048};
  const auto kernels =
      roofline_kernels(catalog::gpt3_175b, layer_kind::dense, gpu, how, {.tensor = 8});
  REQUIRE(kernels.size() == 6);
  CHECK(kernels[4].name == "attention core");
  CHECK(kernels[4].rate() < gpu.operators.attention.forward_128);
  CHECK(kernels[4].rate() > 0.3 * gpu.operators.attention.forward_128);
  CHECK(kernels[0].name == "query, key, value");
  CHECK(kernels[0].shape == "2048 x 4608 x 12288");
  CHECK(kernels[2].shape == "2048 x 6144 x 12288");
  const xy_chart chart = roofline_chart(kernels, gpu, how);
  const std::string markup = drawn(chart);
  CHECK(count_of("<polyline", markup) == 2);
  CHECK(count_of("<path", markup) == 1 + 6);
  CHECK(markup.find("TFLOP/s") != std::string::npos);
  CHECK(table_of(chart).rows.size() == 6);
  drawn(chart, 340);
  CHECK_THROWS_AS(roofline_chart({{"x", "", flop{0}, bytes{1}, seconds{1}}}, gpu, how),
                  invalid_input);
}

TEST_CASE("charts are drawn as they are kept", "[report][pictures]") {
  const accelerator& gpu = catalog::h100_sxm5_80gb;
  const recipe how{.global_batch_size = 8, .sequence_length = 2048};
  const auto kernels =
      roofline_kernels(catalog::gpt3_175b, layer_kind::dense, gpu, how, {.tensor = 8});
  CHECK(testing::picture_changes("roofline", roofline_chart(kernels, gpu, how)) == "");

  std::vector<parity_row> rows;
  for (int i = 1; i <= 12; ++i)
    rows.push_back({i % 3 == 0   ? "a"
                    : i % 3 == 1 ? "b"
                                 : "c",
                    "run " + std::to_string(i), i * i * second,
                    i * (i + 0.1 * (i % 5 - 2)) * second});
  CHECK(testing::picture_changes("parity", parity_chart({"Parity", ""}, "Step", rows, 0.1)) == "");
}

}  // namespace
