#include <gpuplan/plan/pareto.hpp>

#include <algorithm>
#include <limits>
#include <vector>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/plan/search.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr plan_measures of(double step, double memory, double gpu_time) {
  return {seconds{step}, bytes{memory}, seconds{gpu_time}};
}
static_assert(dominates(of(1, 1, 1), of(1, 1, 2)));
static_assert(dominates(of(1, 1, 1), of(2, 2, 2)));
static_assert(!dominates(of(1, 1, 1), of(1, 1, 1)), "equals do not beat each other");
static_assert(!dominates(of(1, 2, 1), of(2, 1, 1)) && !dominates(of(2, 1, 1), of(1, 2, 1)));
static_assert(!dominates(of(std::numeric_limits<double>::quiet_NaN(), 1, 1), of(2, 2, 2)));

template <class... Args>
concept compares = requires(Args... args) {
  dominates(args...);
};
static_assert(compares<plan_measures, plan_measures>);
static_assert(!compares<seconds, seconds>, "in one thing alone, less is less");

constexpr cluster pool =
    cluster_of(node_of(catalog::a100_sxm4_80gb, 8, interconnect{14 * us, 23.5 * GB / second}), 16);
constexpr recipe how{.global_batch_size = 32, .sequence_length = 1024};

std::vector<plan> all_plans() {
  space everything;
  everything.keep = 1'000'000;
  return search(catalog::gpt2_xl, pool, how, everything).plans;
}

TEST_CASE("a front is what a comparison of all with all leaves", "[plan][cross-check]") {
  const std::vector<plan> plans = all_plans();
  REQUIRE(plans.size() > 500);
  const std::vector<plan> front = pareto_front(plans).plans();
  std::vector<plan_measures> measured;
  for (const plan& p : plans) measured.push_back(measures_of(p));
  const auto unbeaten = [&](const plan_measures& mine) {
    return std::none_of(measured.begin(), measured.end(),
                        [&](const plan_measures& other) { return dominates(other, mine); });
  };
  for (const plan& p : front) CHECK(unbeaten(measures_of(p)));
  for (const plan_measures& mine : measured)
    if (unbeaten(mine))
      CHECK(std::any_of(front.begin(), front.end(),
                        [&](const plan& p) { return measures_of(p) == mine; }));
  CHECK(front.size() > 2);
  CHECK(front.size() < plans.size() / 2);
}

TEST_CASE("the ends of a front are the best by each measure", "[plan][facts]") {
  const std::vector<plan> plans = all_plans();
  const std::vector<plan> front = pareto_front(plans).plans();
  REQUIRE(!front.empty());
  const auto least = [&](auto measure) {
    const auto by = [&](const plan& a, const plan& b) {
      return measure(measures_of(a)) < measure(measures_of(b));
    };
    return measure(measures_of(*std::min_element(front.begin(), front.end(), by))) ==
           measure(measures_of(*std::min_element(plans.begin(), plans.end(), by)));
  };
  CHECK(least([](const plan_measures& m) { return m.step; }));
  CHECK(least([](const plan_measures& m) { return m.memory; }));
  CHECK(least([](const plan_measures& m) { return m.gpu_time; }));
  CHECK(measures_of(front.front()).step == measures_of(plans.front()).step);
  for (std::size_t i = 1; i < front.size(); ++i)
    CHECK(measures_of(front[i - 1]).step <= measures_of(front[i]).step);
}

/// A plan that measures what one likes: its memory is that of the search's first plan.
plan timed(double step, int gpus, int data) {
  static const plan some = search(catalog::gpt2, pool, how).plans.front();
  plan p = some;
  p.what.time = {.data = seconds{step}};
  p.what.gpus = gpus;
  p.what.memory.parallelism.data = data;
  return p;
}

TEST_CASE("the order in which plans are offered does not matter", "[plan][property]") {
  testing::check_property("any order", [] {
    std::vector<plan> plans;
    const int count = *rc::gen::inRange(0, 20);
    for (int i = 0; i < count; ++i)
      plans.push_back(timed(*rc::gen::inRange(1, 6), *rc::gen::inRange(1, 6), i + 1));
    const auto layouts = [](const std::vector<plan>& from) {
      std::vector<int> found;
      for (const plan& p : pareto_front(from).plans()) found.push_back(p.parallelism().data);
      return found;
    };
    const std::vector<int> once = layouts(plans);
    std::reverse(plans.begin(), plans.end());
    RC_ASSERT(layouts(plans) == once);
    RC_ASSERT(once.empty() == plans.empty());
  });
}

TEST_CASE("of plans that measure the same the first stays", "[plan][limits]") {
  pareto_front front;
  CHECK(front.size() == 0);
  CHECK(front.offer(timed(1, 1, 2)));
  CHECK(front.offer(timed(1, 1, 1)));
  CHECK(!front.offer(timed(1, 1, 3)));
  CHECK(front.size() == 1);
  CHECK(front.plans().front().parallelism().data == 1);
  CHECK(front.offer(timed(0.5, 1, 9)));
  CHECK(front.size() == 1);
}

}  // namespace
}  // namespace gpuplan
