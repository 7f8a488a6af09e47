#include <gpuplan/report/axis_frame.hpp>

#include "support/catch.hpp"

namespace {

using namespace gpuplan;

TEST_CASE("a frame and the labels beside it fill their canvas", "[report]") {
  for (const double width : {320.0, 760.0}) {
    svg_canvas canvas{width};
    const xy_frame frame = draw_frame({"GPUs"}, {1.0, 4.0}, {"Rate"}, {2.0, 30.0}, 10, 200, canvas);
    const double most_right = text_width(frame.x.ticks.back().label, picture_text) / 2;
    CHECK(frame.plot.right() + most_right <= width);
    CHECK(frame.plot.right() >= width - 12 - most_right);
    CHECK(frame.plot.left > text_width(frame.y.ticks.back().label, picture_text));
    CHECK(frame.plot.top >= 10 + 14);
    CHECK(frame.plot.height == 200);
    const picture_point corner =
        frame.point(frame.x.ticks.front().value, frame.y.ticks.back().value);
    CHECK(corner.x == frame.plot.left);
    CHECK(corner.y == frame.plot.top);
  }
}

}  // namespace
