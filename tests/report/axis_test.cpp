#include <gpuplan/report/axis.hpp>

#include <limits>
#include <vector>

#include <gpuplan/report/axis_frame.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace {

using namespace gpuplan;
using namespace gpuplan::units;

std::vector<std::string> labels_of(const fitted_axis& shown) {
  std::vector<std::string> labels;
  for (const tick& one : shown.ticks) labels.push_back(one.label);
  return labels;
}

using labels = std::vector<std::string>;

TEST_CASE("a linear axis begins at zero and ends at a handy number", "[report]") {
  const fitted_axis memory = fit_axis({"Memory"}, {60 * GiB, 71 * GiB}, 5);
  CHECK(memory.shown.title == "Memory (GiB)");
  CHECK(labels_of(memory) == labels{"0", "20", "40", "60", "80"});
  CHECK(memory.share((40 * GiB).in_base_units()) == Approx(0.5));
  CHECK(labels_of(fit_axis({"Share", axis_scale::linear, value_reading::percent}, {0.97}, 5)) ==
        labels{"0", "20", "40", "60", "80", "100"});
  CHECK(fit_axis({"Share", axis_scale::linear, value_reading::percent}, {0.97}, 5).shown.title ==
        "Share (%)");
}

TEST_CASE("a logarithmic axis covers its values with handy numbers", "[report]") {
  CHECK(labels_of(fit_axis({"Rate", axis_scale::logarithmic},
                           {3e12 * FLOP / second, 9e14 * FLOP / second}, 5)) ==
        labels{"3", "10", "30", "100", "300", "1,000"});
  CHECK(labels_of(fit_axis({"GPUs", axis_scale::doubling}, {6, 100}, 10)) ==
        labels{"4", "8", "16", "32", "64", "128"});
  CHECK(labels_of(fit_axis({"Wait", axis_scale::logarithmic}, {30 * second, 5 * hour}, 5)) ==
        labels{"10 s", "1 min", "10 min", "1 h", "10 h"});
  CHECK(labels_of(fit_axis({"Run", axis_scale::logarithmic}, {27 * day, 110 * day}, 10)) ==
        labels{"20", "50", "100", "200"});
  CHECK(fit_axis({"Run", axis_scale::logarithmic}, {27 * day, 110 * day}, 10).shown.title ==
        "Run (d)");
}

TEST_CASE("an axis of nothing, of one value or of zeros is an axis", "[report]") {
  const double inf = std::numeric_limits<double>::infinity();
  for (const axis_scale scale : {axis_scale::linear, axis_scale::logarithmic, axis_scale::doubling})
    for (const std::vector<plotted_value>& values :
         {std::vector<plotted_value>{}, {0.0}, {5.0}, {inf}, {1e-300}, {1e300}, {-3.0}}) {
      const fitted_axis made = fit_axis({"x", scale}, values, 5);
      CHECK(made.ticks.size() >= 2);
      CHECK(made.least < made.most);
    }
  CHECK_FALSE(axis{"x"}.shows(inf));
  CHECK_FALSE((axis{"x", axis_scale::logarithmic}.shows(0.0)));
}

TEST_CASE("an axis does not mix dimensions", "[report]") {
  CHECK_THROWS_AS(fit_axis({"x"}, {1 * GB, 1 * second}, 5), invalid_input);
  CHECK_THROWS_AS(fit_axis({"x"}, {1}, 0), invalid_input);
}

TEST_CASE("ticks rise, cover every value and are not too many", "[report][property]") {
  testing::check_property("for any values", [] {
    const auto scale = static_cast<axis_scale>(*rc::gen::inRange(0, 3));
    const int intervals = *rc::gen::inRange(3, 12);
    std::vector<plotted_value> values;
    const int count = *rc::gen::inRange(1, 6);
    for (int i = 0; i < count; ++i)
      values.emplace_back(seconds{std::pow(10, *rc::gen::inRange(-60, 90) / 10.0)});
    const fitted_axis made = fit_axis({"t", scale}, values, intervals);
    for (const plotted_value& value : values) {
      RC_ASSERT(made.share(value.base) >= -1e-6);
      RC_ASSERT(made.share(value.base) <= 1 + 1e-6);
    }
    for (std::size_t i = 1; i < made.ticks.size(); ++i)
      RC_ASSERT(made.ticks[i].value > made.ticks[i - 1].value);
    if (scale == axis_scale::linear)
      RC_ASSERT(made.ticks.size() <= static_cast<std::size_t>(intervals) + 2);
  });
}

TEST_CASE("labels below an axis never overlap", "[report][property]") {
  testing::check_property("at any width", [] {
    svg_canvas canvas{static_cast<double>(*rc::gen::inRange(200, 900))};
    std::vector<plotted_value> values;
    for (int i = 0; i < 4; ++i)
      values.emplace_back(seconds{std::pow(10, *rc::gen::inRange(-60, 90) / 10.0)});
    const auto scale = static_cast<axis_scale>(*rc::gen::inRange(0, 3));
    draw_frame({"time", scale}, values, {"time", scale}, values, 0, 250, canvas);
    const auto& texts = canvas.texts();
    RC_ASSERT(texts.size() >= 6);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      RC_ASSERT(texts[i].left >= 0);
      RC_ASSERT(texts[i].right() <= canvas.width());
      const picture_box wider{texts[i].left - 2, texts[i].top, texts[i].width + 4, texts[i].height};
      for (std::size_t k = 0; k < i; ++k)
        if (texts[i].top == texts[k].top) RC_ASSERT_FALSE(wider.overlaps(texts[k]));
      for (std::size_t k = 0; k < i; ++k) RC_ASSERT_FALSE(texts[i].overlaps(texts[k]));
    }
  });
}

TEST_CASE("names of rows are cut to a share of the width", "[report]") {
  svg_canvas canvas{340};
  const bar_rows rows =
      lay_out_rows({"short", std::string(200, 'm')}, {"Time"}, {2 * second}, 40, 0, canvas);
  CHECK(rows.left < 340 * 0.4);
  CHECK(rows.x_of(0 * second) == Approx(rows.left));
  CHECK(rows.x_of(2 * second) <= rows.left + rows.width);
  CHECK(canvas.texts().size() >= 4);
}

TEST_CASE("values that are handy end a logarithmic axis, whatever was rounded", "[report]") {
  const std::vector<double> powers{1, 10, 100, 1000};
  for (const double off : {-1e-12, 0.0, 1e-12})
    CHECK(detail::power_ticks(1 * (1 + off), 1000 * (1 - off), 10, {1}) == powers);
}

}  // namespace
