#include <gpuplan/comm/prefetch.hpp>

#include <deque>
#include <limits>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr sharded_layer hidden{.gather = 1 * second,
                               .forward = 2 * second,
                               .backward = 4 * second,
                               .reduce_scatter = 1 * second};
static_assert(prefetched_forward(hidden, 10) == 21 * second, "one gather shows");
static_assert(prefetched_backward(hidden, 10) == 42 * second, "and one reduce-scatter");
static_assert(blocking_forward(hidden, 10) == 30 * second);
static_assert(blocking_backward(hidden, 10) == 60 * second);
static_assert(prefetched_forward(hidden, 1) == blocking_forward(hidden, 1));
static_assert(prefetched_backward(hidden, 1) == blocking_backward(hidden, 1));
static_assert(prefetch_bound(20 * second, 10 * second) == 20 * second);

template <class... Args>
concept accepts = requires(Args... args) {
  prefetched_forward(args...);
};
static_assert(accepts<sharded_layer, int>);
static_assert(!accepts<int, sharded_layer>);

/// Two streams.  A layer's computation waits for its gather; when it begins, the next gather is
/// asked for; when it ends, its reduce-scatter is.
seconds simulated(const sharded_layer& layer, int layers, seconds computation, seconds scatter) {
  const int none = layers;
  struct order {
    seconds asked;
    seconds duration;
    int gathers;
  };
  std::deque<order> network{{seconds{0}, layer.gather, 0}};
  seconds network_free;
  seconds computed;
  for (int i = 0; i < layers; ++i) {
    // The network takes its orders in turn, until this layer is there.
    seconds there;
    for (bool arrived = false; !arrived;) {
      const order next = network.front();
      network.pop_front();
      network_free = larger(network_free, next.asked) + next.duration;
      arrived = next.gathers == i;
      there = network_free;
    }
    const seconds begin = larger(computed, there);
    computed = begin + computation;
    if (i + 1 < layers) {
      // Asked for at `begin`, and so after what was asked for before.
      network.push_back({begin, layer.gather, i + 1});
    }
    network.push_back({computed, scatter, none});
  }
  while (!network.empty()) {
    network_free = larger(network_free, network.front().asked) + network.front().duration;
    network.pop_front();
  }
  return scatter > seconds{0} ? larger(network_free, computed) : computed;
}

TEST_CASE("both passes, event by event", "[comm][simulation]") {
  testing::check_property("the same", [] {
    const sharded_layer layer{.gather = *rc::gen::inRange(0, 9) * ms,
                              .forward = *rc::gen::inRange(0, 9) * ms,
                              .backward = *rc::gen::inRange(0, 9) * ms,
                              .reduce_scatter = *rc::gen::inRange(1, 9) * ms};
    const int layers = *rc::gen::inRange(1, 9);
    const seconds forward = simulated(layer, layers, layer.forward, seconds{0});
    const seconds backward = simulated(layer, layers, layer.backward, layer.reduce_scatter);
    RC_ASSERT(abs(prefetched_forward(layer, layers) - forward) < 1e-12 * second);
    RC_ASSERT(abs(prefetched_backward(layer, layers) - backward) < 1e-12 * second);
  });
}

TEST_CASE("a layer ahead is never slower than none, nor quicker than all", "[comm][property]") {
  testing::check_property("between the bound and blocking", [] {
    const sharded_layer layer{.gather = *rc::gen::inRange(0, 99) * us,
                              .forward = *rc::gen::inRange(0, 99) * us,
                              .backward = *rc::gen::inRange(0, 99) * us,
                              .reduce_scatter = *rc::gen::inRange(0, 99) * us};
    const int layers = *rc::gen::inRange(1, 200);
    const double n = layers;
    const double slack = 1 + 1e-12;
    RC_ASSERT(prefetched_forward(layer, layers) <= slack * blocking_forward(layer, layers));
    RC_ASSERT(prefetched_backward(layer, layers) <= slack * blocking_backward(layer, layers));
    RC_ASSERT(slack * prefetched_forward(layer, layers) >=
              prefetch_bound(n * layer.forward, n * layer.gather));
    RC_ASSERT(slack * prefetched_backward(layer, layers) >=
              prefetch_bound(n * layer.backward, n * (layer.gather + layer.reduce_scatter)));
    const seconds steady = larger(layer.backward, layer.gather + layer.reduce_scatter);
    RC_ASSERT(prefetched_backward(layer, layers) <=
              slack * (layer.gather + (n - 1) * steady + layer.backward + layer.reduce_scatter));
  });
}

TEST_CASE("prefetch refuses negative times and no layers", "[comm][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(prefetched_forward(hidden, 0), invalid_input);
  CHECK_THROWS_AS(prefetched_backward(hidden, 0), invalid_input);
  CHECK_THROWS_AS(blocking_forward(hidden, 0), invalid_input);
  CHECK_THROWS_AS(blocking_backward(hidden, 0), invalid_input);
  CHECK_THROWS_AS(prefetched_forward(sharded_layer{.gather = nan * ms}, 1), invalid_input);
  CHECK_THROWS_AS(prefetched_forward(sharded_layer{.forward = -1 * ms}, 1), invalid_input);
  CHECK_THROWS_AS(prefetched_backward(sharded_layer{.backward = -1 * ms}, 1), invalid_input);
  CHECK_THROWS_AS(blocking_backward(sharded_layer{.reduce_scatter = nan * ms}, 1), invalid_input);
  CHECK_THROWS_AS(prefetch_bound(nan * ms, 1 * ms), invalid_input);
  CHECK_THROWS_AS(prefetch_bound(1 * ms, -1 * ms), invalid_input);
}

}  // namespace
}  // namespace gpuplan
