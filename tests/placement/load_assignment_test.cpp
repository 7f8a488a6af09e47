#include <gpuplan/placement/load_assignment.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr std::array loads{0.2, 0.9, 0.5};
constexpr std::array priorities{1.0, 4.0, 2.0};
static_assert(load_priority(loads, priorities, std::array<std::size_t, 3>{0, 1, 2}) ==
              0.2 * 1 + 0.9 * 4 + 0.5 * 2);

template <class... Args>
concept energy_accepts = requires(Args... args) {
  least_energy(args...);
};
using choices = std::vector<std::vector<power_choice>>;
static_assert(energy_accepts<choices, power_limits>);
static_assert(!energy_accepts<choices, joules>, "a cap on power is no energy");

TEST_CASE("the largest priority goes to the largest load: best of all orders",
          "[placement][property]") {
  CHECK(best_load_priority(loads, priorities) == std::vector<std::size_t>{0, 1, 2});
  testing::check_property("each order tried", [] {
    const auto count = *rc::gen::inRange<std::size_t>(1, 7);
    std::vector<double> nodes(count);
    std::vector<double> jobs(count);
    for (double& part : nodes) part = *rc::gen::inRange(0, 101) / 100.0;
    for (double& priority : jobs) priority = *rc::gen::inRange(0, 10);
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    double most = 0;
    do {
      most = std::max(most, load_priority(nodes, jobs, order));
    } while (std::next_permutation(order.begin(), order.end()));
    const double found = load_priority(nodes, jobs, best_load_priority(nodes, jobs));
    RC_ASSERT(std::abs(found - most) <= 1e-12);
  });
  const std::vector<std::size_t> more = best_load_priority(std::array{0.5}, priorities);
  CHECK(more[1] == 0);
  CHECK(more[0] == std::numeric_limits<std::size_t>::max());
}

TEST_CASE("the least energy under caps, by hand", "[placement][reference]") {
  // At 400 W an hour, at 300 W 1.2 h: 0.4 or 0.36 kWh; the other job 0.35 or 0.4 kWh.
  const choices jobs{{{400 * watt, 1 * hour}, {300 * watt, 1.2 * hour}},
                     {{350 * watt, 1 * hour}, {200 * watt, 2 * hour}}};
  const power_plan free = least_energy(jobs, {.time = 3 * hour, .all = 1 * kW});
  CHECK(free.choice_of == std::vector<std::size_t>{1, 0});
  CHECK_THAT(free.energy / kWh, WithinRel(0.71, 1e-12));
  const power_plan soon = least_energy(jobs, {.time = 1.1 * hour, .all = 1 * kW});
  CHECK(soon.choice_of == std::vector<std::size_t>{0, 0});
  const power_plan low = least_energy(jobs, {.time = 3 * hour, .all = 600 * watt});
  CHECK(low.choice_of == std::vector<std::size_t>{1, 1});
  CHECK(low.power == 500 * watt);
  CHECK_FALSE(least_energy(jobs, {.time = 3 * hour, .all = 450 * watt}).feasible());
  CHECK_FALSE(least_energy(jobs, {.time = 0.5 * hour}).feasible());
  CHECK(least_energy(choices{}, {}).feasible());
}

TEST_CASE("the limit of power is for each job, the cap for all", "[placement][reference]") {
  const choices jobs{{{400 * watt, 1 * hour}, {300 * watt, 1.5 * hour}},
                     {{350 * watt, 1 * hour}, {200 * watt, 2 * hour}}};
  CHECK(least_energy(jobs, {}).choice_of == std::vector<std::size_t>{0, 0});
  // 400 W is above the limit of one; 300 + 350 W together are not limited.
  const power_plan each = least_energy(jobs, {.each = 350 * watt});
  CHECK(each.choice_of == std::vector<std::size_t>{1, 0});
  CHECK(each.power == 650 * watt);
  CHECK_FALSE(least_energy(jobs, {.each = 250 * watt}).feasible());
}

TEST_CASE("it is the least of all choices", "[placement][property]") {
  testing::check_property("each tried", [] {
    choices jobs(*rc::gen::inRange<std::size_t>(1, 6));
    for (auto& job : jobs) {
      job.resize(*rc::gen::inRange<std::size_t>(1, 4));
      for (power_choice& choice : job)
        choice = {*rc::gen::inRange(1, 10) * watt, *rc::gen::inRange(1, 10) * second};
    }
    const watts cap = *rc::gen::inRange(5, 40) * watt;
    const watts each = *rc::gen::inRange(3, 11) * watt;
    const seconds soon = *rc::gen::inRange(3, 11) * second;
    joules least{std::numeric_limits<double>::infinity()};
    std::vector<std::size_t> at(jobs.size(), 0);
    for (bool more = true; more;) {
      watts power{};
      joules energy{};
      bool within = true;
      for (std::size_t j = 0; j < jobs.size(); ++j) {
        power += jobs[j][at[j]].power;
        energy += jobs[j][at[j]].power * jobs[j][at[j]].time;
        within = within && jobs[j][at[j]].time <= soon && jobs[j][at[j]].power <= each;
      }
      if (within && power <= cap) least = std::min(least, energy);
      more = false;
      for (std::size_t j = 0; j < jobs.size() && !more; ++j) {
        more = ++at[j] < jobs[j].size();
        if (!more) at[j] = 0;
      }
    }
    RC_ASSERT(least_energy(jobs, {.each = each, .time = soon, .all = cap}).energy == least);
  });
}

TEST_CASE("assignments out of range are refused", "[placement][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::array<std::size_t, 1> beyond{3};
  const std::array<std::size_t, 1> none{0};
  CHECK_THROWS_AS(load_priority(loads, std::array{1.0}, beyond), invalid_input);
  CHECK_THROWS_AS(load_priority(loads, priorities, none), invalid_input);
  CHECK_THROWS_AS(load_priority(std::array{1.5}, std::array{1.0}, none), invalid_input);
  CHECK_THROWS_AS(load_priority(std::array{0.5}, std::array{-1.0}, none), invalid_input);
  CHECK_THROWS_AS(best_load_priority(std::array{nan}, priorities), invalid_input);
  CHECK_THROWS_AS(least_energy(choices{{}}, {}), invalid_input);
  CHECK_THROWS_AS(least_energy(choices{{{watts{nan}, 1 * hour}}}, {}), invalid_input);
  CHECK_THROWS_AS(least_energy(choices{{{1 * watt, seconds{-1}}}}, {}), invalid_input);
  CHECK_THROWS_AS(least_energy(choices{}, {.all = watts{nan}}), invalid_input);
  CHECK_THROWS_AS(least_energy(choices{}, {.each = watts{-1}}), invalid_input);
  CHECK_THROWS_AS(least_energy(choices{}, {.time = seconds{nan}}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
