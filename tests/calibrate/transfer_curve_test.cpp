#include <gpuplan/calibrate/transfer_curve.hpp>

#include <cmath>
#include <span>
#include <vector>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

TEST_CASE("a curve passes through its points, and goes on as they end", "[calibrate]") {
  const std::vector<transfer_sample> samples{
      {100 * byte, 10 * us}, {10000 * byte, 40 * us}, {100 * byte, 12 * us}, {100 * byte, 11 * us}};
  const transfer_curve curve{samples};
  CHECK(curve.points().size() == 2);
  CHECK(curve.time(100 * byte) == 11 * us);  // the median of its three
  CHECK_THAT(curve.time(10000 * byte) / us, WithinRel(40.0, 1e-12));
  CHECK_THAT(curve.time(1000 * byte) / us, WithinRel(std::sqrt(11.0 * 40), 1e-12));
  CHECK(curve.time(0 * byte) == 11 * us);
  CHECK_THAT(curve.time(1e6 * byte) / us, WithinRel(4000.0, 1e-12));
}

TEST_CASE("wrong rows of a log are left out of a curve, their neighbours are not", "[calibrate]") {
  std::vector<transfer_sample> samples;
  for (int power = 3; power <= 30; ++power)
    samples.push_back({bytes{std::ldexp(1.0, power)}, 10 * us + std::ldexp(1e-11, power) * second});
  samples[10].time = 6 * ms;
  samples[20].time = samples[20].time / 50;
  const transfer_curve curve{samples};
  CHECK(curve.left_out() == 2);
  CHECK(curve.points().size() == samples.size() - 2);
  CHECK_THAT(curve.time(samples[10].message) / us, WithinRel(10.0, 0.05));
  CHECK(transfer_curve{samples, 1e9}.left_out() == 0);
}

TEST_CASE("a row is left out where it is off its neighbours' line by more than the tolerance",
          "[calibrate][reference]") {
  const auto flat_but = [](seconds middle) {
    return std::vector<transfer_sample>{
        {1 * byte, 10 * us}, {10 * byte, middle}, {100 * byte, 10 * us}};
  };
  CHECK(transfer_curve{flat_but(39.9 * us)}.left_out() == 0);
  CHECK(transfer_curve{flat_but(40.1 * us)}.left_out() == 1);
  CHECK(transfer_curve{flat_but(2.51 * us)}.left_out() == 0);
  CHECK(transfer_curve{flat_but(2.49 * us)}.left_out() == 1);
  CHECK(transfer_curve{flat_but(20.1 * us), 2}.left_out() == 1);

  // The fourth is 100 times too long; the third and the fifth are then off their lines by 10, and
  // no more once it is gone.
  std::vector<transfer_sample> samples;
  for (int power = 0; power < 7; ++power)
    samples.push_back({bytes{std::pow(10.0, power)}, 10 * us});
  samples[3].time = 1 * ms;
  const transfer_curve curve{samples};
  CHECK(curve.left_out() == 1);
  CHECK_THAT(curve.time(1 * kB) / us, WithinRel(10.0, 1e-12));

  // Of the ends, which have one neighbour each, nobody can tell.
  samples[3].time = 10 * us;
  samples[0].time = 1 * ms;
  CHECK(transfer_curve{samples}.points().front().time == 1 * ms);
}

TEST_CASE("a curve says how far off it would be, and where it was measured", "[calibrate]") {
  // Times 10, 20, 80 at 1, 10, 100 B: the middle one would be sqrt(800) = 28.28.
  const std::vector<transfer_sample> three{
      {1 * byte, 10 * us}, {10 * byte, 20 * us}, {100 * byte, 80 * us}};
  const transfer_curve curve{three};
  CHECK(curve.quality().samples == 1);
  CHECK_THAT(curve.quality().worst, WithinRel(std::sqrt(800.0) / 20 - 1, 1e-12));
  CHECK(curve.least() == 1 * byte);
  CHECK(curve.most() == 100 * byte);
  CHECK_THROWS_AS(transfer_curve{std::span{three}.first(2)}.quality(), invalid_input);
}

TEST_CASE("a curve without samples, or asked for less than nothing, is refused",
          "[calibrate][errors]") {
  const std::vector<transfer_sample> good{{1 * kB, 10 * us}, {1 * MB, 20 * us}};
  CHECK_THROWS_AS(transfer_curve({}), invalid_input);
  CHECK_THROWS_AS((transfer_curve{good, 1}), invalid_input);
  CHECK_THROWS_AS(transfer_curve{good}.time(-1 * byte), invalid_input);
}

}  // namespace
}  // namespace gpuplan
