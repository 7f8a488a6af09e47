#include <gpuplan/comm/overlap.hpp>

#include <array>
#include <limits>
#include <vector>

#include <gpuplan/comm/all_reduce.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

static_assert(overlapped_uniform_buckets(4, 3 * ms, 2 * ms).exposed == 2 * ms, "the last one");
static_assert(overlapped_uniform_buckets(4, 1 * ms, 2 * ms).exposed == 5 * ms, "8 - 3");
static_assert(overlapped_uniform_buckets(4, 1 * ms, 2 * ms).communication == 8 * ms);
static_assert(overlapped_uniform_buckets(1, 9 * ms, 2 * ms).hidden() == seconds{0});

constexpr std::array<gradient_bucket, 3> buckets{
    {{1 * second, 4 * second}, {2 * second, 1 * second}, {9 * second, 2 * second}}};
static_assert(overlapped_buckets<double>(buckets, 10 * second).exposed == 1 * second);
static_assert(overlapped_buckets<double>(buckets, 20 * second).exposed == seconds{0});
static_assert(overlapped_buckets<double>({}, 1 * ms).communication == seconds{0});

constexpr interconnect link{.latency = 20 * us, .bandwidth = 50 * GB / second};
constexpr auto ring = [](bytes size) { return ring_all_reduce(link, 16, size).total(); };
static_assert(overlapped_gradients(100 * ms, bytes{0}, 25 * MiB, ring).exposed == seconds{0});
static_assert(overlapped_gradients(seconds{0}, 1 * GB, 2 * GB, ring).exposed == ring(1 * GB),
              "one bucket: all is exposed");

template <class... Args>
concept accepts = requires(Args... args) {
  overlapped_uniform_buckets(args...);
};
static_assert(accepts<int, seconds, seconds>);
static_assert(!accepts<int, bytes, seconds>, "computation is a time");

TEST_CASE("equal buckets, in closed form and one by one", "[comm][cross-check]") {
  testing::check_property("the same", [] {
    const int count = *rc::gen::inRange(1, 50);
    const seconds computation = *rc::gen::inRange(0, 100) * us;
    const seconds each = *rc::gen::inRange(0, 100) * us;
    std::vector<gradient_bucket> list;
    for (int i = 1; i <= count; ++i) list.push_back({1.0 * i * computation, each});
    const auto one_by_one = overlapped_buckets<double>(list, 1.0 * count * computation);
    const auto closed = overlapped_uniform_buckets(count, computation, each);
    RC_ASSERT(abs(one_by_one.exposed - closed.exposed) <= 1e-12 * second);
    RC_ASSERT(abs(one_by_one.communication - closed.communication) <= 1e-12 * second);
    RC_ASSERT(closed.exposed >= each * (1 - 1e-12));
    RC_ASSERT(closed.exposed <= closed.communication * (1 + 1e-12));
  });
}

TEST_CASE("gradients cut into buckets, in closed form and one by one", "[comm][cross-check]") {
  testing::check_property("the same", [] {
    const seconds backward = *rc::gen::inRange(0, 300) * ms;
    const bytes gradients = *rc::gen::inRange(1, 2000) * MB;
    const bytes bucket = *rc::gen::inRange(1, 300) * MB;
    std::vector<gradient_bucket> list;
    bytes before;
    while (before < gradients) {
      const bytes size = smaller(bucket, gradients - before);
      before += size;
      list.push_back({backward * (before / gradients), ring(size)});
    }
    const auto one_by_one = overlapped_buckets<double>(list, backward);
    const auto closed = overlapped_gradients(backward, gradients, bucket, ring);
    RC_ASSERT(abs(one_by_one.exposed - closed.exposed) <= 1e-10 * second);
    RC_ASSERT(abs(one_by_one.communication - closed.communication) <= 1e-10 * second);
  });
}

TEST_CASE("overlap refuses negative times and no buckets", "[comm][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(overlapped_uniform_buckets(0, 1 * ms, 1 * ms), invalid_input);
  CHECK_THROWS_AS(overlapped_uniform_buckets(1, -1 * ms, 1 * ms), invalid_input);
  CHECK_THROWS_AS(overlapped_uniform_buckets(1, 1 * ms, nan * ms), invalid_input);
  CHECK_THROWS_AS(overlapped_buckets<double>(buckets, nan * ms), invalid_input);
  const std::array<gradient_bucket, 1> early{{{-1 * ms, 1 * ms}}};
  const std::array<gradient_bucket, 1> backwards{{{1 * ms, -1 * ms}}};
  CHECK_THROWS_AS(overlapped_buckets<double>(early, 1 * ms), invalid_input);
  CHECK_THROWS_AS(overlapped_buckets<double>(backwards, 1 * ms), invalid_input);
  CHECK_THROWS_AS(overlapped_gradients(-1 * ms, 1 * GB, 1 * MB, ring), invalid_input);
  CHECK_THROWS_AS(overlapped_gradients(1 * ms, nan * GB, 1 * MB, ring), invalid_input);
  CHECK_THROWS_AS(overlapped_gradients(1 * ms, 1 * GB, bytes{0}, ring), invalid_input);
}

}  // namespace
}  // namespace gpuplan
