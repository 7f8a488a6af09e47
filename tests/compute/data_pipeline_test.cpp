#include <gpuplan/compute/data_pipeline.hpp>

#include <cmath>
#include <limits>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

// The AI Training chapter: disk 3.5 GB/s, network 12.5 GB/s, random access a tenth.
static_assert(storage_bandwidth(3.5 * GB / second, 12.5 * GB / second, 0.1) == 0.35 * GB / second);
static_assert(memory_path_bandwidth(3.5 * GB / second, 100 * GB / second, 2 * TB / second) ==
              3.5 * GB / second);
static_assert(fed_utilization(200 / second, 1000 / second) == 0.2);
static_assert(fed_utilization(2000 / second, 1000 / second) == 1,
              "a GPU cannot be busier than busy");

// 32 x 1024 tokens at 500 000 a second and core: 65.5 ms with one worker, 8.2 ms with eight.  The
// sample is one token.
constexpr data_pipeline tokenise{.stored_sample = 4 * byte,
                                 .device_sample = 8 * byte,
                                 .storage = 1 * GB / second,
                                 .workers = 8,
                                 .preprocessing_per_sample = 2 * us,
                                 .transfer = 15.75 * GB / second,
                                 .compute = 1e6 / second};
constexpr data_stage_times times = data_stage_times_of(tokenise, 32768);
static_assert(times.compute == 32.768 * ms);
static_assert(times.binding() == data_stage::compute);
static_assert(times.overlapped() == times.compute && times.gpu_utilization() == 1);
static_assert(times.sequential() == times.load() + times.compute);
static_assert(workers_needed(tokenise) == 2);
static_assert(name_of(data_stage::preprocessing) == "preprocessing");

// 0.1 s + 0.2 s of 0.3 s are one batch, and 0.07 s of 100 samples a second seven workers, though
// doubles make a little more of them.
static_assert(prefetch_depth({.storage = 0.1 * second,
                              .preprocessing = 0.2 * second,
                              .transfer = {},
                              .compute = 0.3 * second}) == 1);
static_assert(workers_needed({.stored_sample = {},
                              .device_sample = {},
                              .storage = 1 * GB / second,
                              .workers = 1,
                              .preprocessing_per_sample = 0.07 * second,
                              .transfer = 1 * GB / second,
                              .compute = 100 / second}) == 7);

// The rates of the source cannot be compared before they are in one unit.
template <class A, class B>
concept rates_compare = requires(A a, B b) {
  smaller(a, b);
};
static_assert(rates_compare<per_second, per_second>);
static_assert(!rates_compare<per_second, bytes_per_second>, "samples are not bytes");
template <class Disk>
concept stores_at = requires(Disk disk, bytes_per_second network) {
  storage_bandwidth(disk, network);
};
static_assert(stores_at<bytes_per_second> && !stores_at<double> && !stores_at<per_second>);

TEST_CASE("stages of the source's tokeniser take what it says", "[compute][reference]") {
  CHECK_THAT(times.preprocessing.in(ms), WithinRel(8.192, 1e-12));
  data_pipeline alone = tokenise;
  alone.workers = 1;
  CHECK_THAT(data_stage_times_of(alone, 32768).preprocessing.in(ms), WithinRel(65.536, 1e-12));
  CHECK(data_stage_times_of(alone, 32768).binding() == data_stage::preprocessing);
  // An int64 batch of 32 x 1024 over PCIe 3.0 x16.
  CHECK_THAT(times.transfer.in(us), WithinRel(16.644, 1e-4));
}

TEST_CASE("batches under way are those of Little's law", "[compute][reference]") {
  data_stage_times some{
      .storage = 30 * ms, .preprocessing = 40 * ms, .transfer = 10 * ms, .compute = 50 * ms};
  CHECK(prefetch_depth(some) == 2);  // 80 ms of loading, one batch every 50 ms
  some.compute = 80 * ms;
  CHECK(prefetch_depth(some) == 1);
  some.compute = 10 * ms;  // preprocessing binds: 80 / 40
  CHECK(prefetch_depth(some) == 2);
}

data_pipeline random_pipeline() {
  const auto rate = [] { return *rc::gen::inRange(1, 20000) * (1 * MB / second); };
  return {.stored_sample = *rc::gen::inRange(0, 1 << 20) * byte,
          .device_sample = *rc::gen::inRange(0, 1 << 22) * byte,
          .storage = rate(),
          .workers = double(*rc::gen::inRange(1, 129)),
          .preprocessing_per_sample = *rc::gen::inRange(0, 100000) * us,
          .transfer = rate(),
          .compute = *rc::gen::inRange(1, 100000) / second};
}

TEST_CASE("a pipeline is as fast as its slowest stage", "[compute][property]") {
  testing::check_property("bounds", [] {
    const data_pipeline feed = random_pipeline();
    const double batch = *rc::gen::inRange(1, 4096);
    const data_stage_times t = data_stage_times_of(feed, batch);
    for (const data_stage stage : data_stages) RC_ASSERT(t.overlapped() >= t[stage]);
    RC_ASSERT(t.overlapped() <= t.sequential());
    RC_ASSERT(t.sequential() <= 4.0000001 * t.overlapped());
    RC_ASSERT(t.gpu_utilization() > 0 && t.gpu_utilization() <= 1);
    const double through = pipeline_rate(feed) * t.overlapped();
    RC_ASSERT(std::abs(through / batch - 1) < 1e-12);
    RC_ASSERT(std::abs(t.gpu_utilization() / fed_utilization(pipeline_rate(feed), feed.compute) -
                       1) < 1e-12);
  });
}

TEST_CASE("the workers needed are enough, and one less is not", "[compute][property]") {
  testing::check_property("workers", [] {
    data_pipeline feed = random_pipeline();
    const double needed = workers_needed(feed);
    feed.workers = needed;
    const auto enough = data_stage_times_of(feed, 1);
    RC_ASSERT(enough.preprocessing <= 1.000001 * enough.overlapped());
    if (enough.binding() == data_stage::preprocessing)
      RC_ASSERT(enough.preprocessing <=
                1.000001 * larger(larger(enough.storage, enough.transfer), enough.compute));
    if (needed > 1) {
      feed.workers = needed - 1;
      RC_ASSERT(data_stage_times_of(feed, 1).binding() == data_stage::preprocessing);
    }
  });
}

TEST_CASE("the data pipeline refuses what its documentation refuses", "[compute][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto refused = [](auto change) {
    data_pipeline feed = tokenise;
    change(feed);
    CHECK_THROWS_AS(data_stage_times_of(feed, 1), invalid_input);
    CHECK_THROWS_AS(workers_needed(feed), invalid_input);
  };
  refused([](data_pipeline& f) { f.storage = bytes_per_second{0}; });
  refused([](data_pipeline& f) { f.transfer = bytes_per_second{-1}; });
  refused([](data_pipeline& f) { f.compute = per_second{0}; });
  refused([](data_pipeline& f) { f.workers = 0; });
  refused([](data_pipeline& f) { f.preprocessing_per_sample = seconds{-1}; });
  refused([&](data_pipeline& f) { f.preprocessing_per_sample = seconds{nan}; });
  refused([&](data_pipeline& f) { f.stored_sample = bytes{nan}; });
  refused([](data_pipeline& f) { f.device_sample = bytes{-1}; });
  CHECK_THROWS_AS(data_stage_times_of(tokenise, 0), invalid_input);
  CHECK_THROWS_AS(storage_bandwidth(GB / second, GB / second, 0), invalid_input);
  CHECK_THROWS_AS(storage_bandwidth(GB / second, GB / second, 1.1), invalid_input);
  CHECK_THROWS_AS(storage_bandwidth(GB / second, bytes_per_second{nan}), invalid_input);
  CHECK_THROWS_AS(memory_path_bandwidth(GB / second, bytes_per_second{0}, GB / second),
                  invalid_input);
  CHECK_THROWS_AS(fed_utilization(per_second{-1}, per_second{1}), invalid_input);
  CHECK_THROWS_AS(fed_utilization(per_second{1}, per_second{0}), invalid_input);
  CHECK_THROWS_AS(prefetch_depth({.compute = seconds{0}}), invalid_input);
  CHECK_THROWS_AS(prefetch_depth({.storage = seconds{nan}, .compute = 1 * second}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
