#include <gpuplan/plan/layer_groups.hpp>

#include <cmath>
#include <vector>

#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr interconnect link{.latency = 5 * us, .bandwidth = 300 * GB / second};

static_assert(resharded_bytes(8, 2, 8 * GB) == 3 * GB);
static_assert(resharded_bytes(2, 8, 8 * GB) == 3 * GB, "the way back");
static_assert(resharded_bytes(4, 4, 8 * GB) == bytes{0});
static_assert(resharding_time(link, 4, 4, 8 * GB) == seconds{0});
static_assert(group_memory({.gpus = 8, .sustained = 1 * TFLOP / second, .link = link},
                           {.states = 16 * GB, .kept = 8 * GB}, 2) == 10 * GB);

/// Bytes that a rank lacks, counted: parts of the batch that it needs and does not have.
bytes counted(int before, int after, bytes activations) {
  const int parts = before > after ? before : after;
  const int fewer = before > after ? after : before;
  // A rank of the finer cut has one part, of the coarser one parts / fewer of them: forward or
  // back, once a step, it must get the others.
  int lacking = 0;
  for (int part = 0; part < parts / fewer; ++part) lacking += part == 0 ? 0 : 1;
  return activations * lacking / parts;
}

TEST_CASE("resharding moves the parts that a rank lacks", "[plan][property]") {
  testing::check_property("by counting", [] {
    const int before = 1 << *rc::gen::inRange(0, 7);
    const int after = 1 << *rc::gen::inRange(0, 7);
    const bytes all{static_cast<double>(*rc::gen::inRange(1, 1000000)) * 64};
    RC_ASSERT(std::abs(resharded_bytes(before, after, all) / counted(before, after, all) - 1) <
                  1e-12 ||
              before == after);
    const seconds time = resharding_time(link, before, after, all);
    RC_ASSERT(time >= resharded_bytes(before, after, all) / link.bandwidth * (1 - 1e-12));
  });
}

group_pool drawn_pool() {
  return {.gpus = 1 << *rc::gen::inRange(0, 4),
          .sustained = 100 * TFLOP / second,
          .link = link,
          .memory = static_cast<double>(*rc::gen::inRange(1, 200)) * GB};
}

group_work drawn_group() {
  const bytes weights = static_cast<double>(*rc::gen::inRange(0, 20000)) * MB;
  return {.layers = *rc::gen::inRange(1, 20),
          .work = static_cast<double>(*rc::gen::inRange(0, 1000)) * TFLOP,
          .weights = weights,
          .states = weights * 8,
          .kept = static_cast<double>(*rc::gen::inRange(0, 100)) * GB};
}

/// Time of given layouts, or less than zero where they do not fit.
seconds time_of(const group_pool& pool, const std::vector<group_work>& groups,
                const std::vector<int>& tensor, bytes activations) {
  seconds time{};
  bytes memory{};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    time += group_time(pool, groups[i], tensor[i], activations);
    memory += group_memory(pool, groups[i], tensor[i]);
    if (i > 0)
      time +=
          resharding_time(pool.link, pool.gpus / tensor[i - 1], pool.gpus / tensor[i], activations);
  }
  return memory <= pool.memory ? time : seconds{-1};
}

TEST_CASE("the best layouts of groups are those of trying all", "[plan][property]") {
  testing::check_property("with the memory shared", [] {
    const group_pool pool = drawn_pool();
    std::vector<group_work> groups;
    for (int i = *rc::gen::inRange(1, 5); i > 0; --i) groups.push_back(drawn_group());
    const bytes activations = static_cast<double>(*rc::gen::inRange(0, 10000)) * MB;
    seconds best{-1};
    std::vector<int> tensor(groups.size(), 1);
    for (bool more = true; more;) {
      const seconds time = time_of(pool, groups, tensor, activations);
      if (time >= seconds{0} && (best < seconds{0} || time < best)) best = time;
      std::size_t i = 0;
      while (i < tensor.size() && (tensor[i] *= 2) > pool.gpus) tensor[i++] = 1;
      more = i < tensor.size();
    }
    const auto found = best_group_layouts(pool, groups, activations);
    RC_ASSERT(found.has_value() == (best >= seconds{0}));
    if (!found) return;
    RC_ASSERT(found->time <= best * (1 + 1e-12) && found->time >= best * (1 - 1e-12));
    RC_ASSERT(time_of(pool, groups, found->tensor, activations) >= seconds{0});
  });
}

TEST_CASE("groups that differ get layouts that differ", "[plan][reference]") {
  // States too large for one GPU first, then small ones: tensor ranks, then data ranks.
  const group_pool pool{.gpus = 2,
                        .sustained = 1 * TFLOP / second,
                        .link = {.bandwidth = 1 * GB / second},
                        .memory = 100 * GB};
  const std::vector<group_work> groups{
      {.work = 2 * TFLOP, .weights = 20 * GB, .states = 160 * GB, .kept = 1 * GB},
      {.work = 2 * TFLOP, .weights = 0.2 * GB, .states = 1.6 * GB, .kept = 1 * GB}};
  const auto best = best_group_layouts(pool, groups, 0.5 * GB);
  REQUIRE(best.has_value());
  CHECK(best->tensor == std::vector<int>{2, 1});
  CHECK(best->time.in(second) == Approx(4.45).epsilon(1e-12));
  CHECK(best->memory.in(GB) == Approx(83.1).epsilon(1e-12));
  CHECK_FALSE(best_group_layouts(
      {.gpus = 2, .sustained = pool.sustained, .link = pool.link, .memory = 1 * GB}, groups,
      0.5 * GB));
}

TEST_CASE("groups refuse what their documentation refuses", "[plan][errors]") {
  const group_pool pool{
      .gpus = 4, .sustained = 1 * TFLOP / second, .link = link, .memory = 80 * GB};
  const std::vector<group_work> none;
  const std::vector<group_work> nine(9);
  CHECK_THROWS_AS(resharded_bytes(0, 1, 1 * GB), invalid_input);
  CHECK_THROWS_AS(resharded_bytes(3, 2, 1 * GB), invalid_input);
  CHECK_THROWS_AS(resharded_bytes(1, 1, bytes{-1}), invalid_input);
  CHECK_THROWS_AS(resharding_time(link, 2, 3, 1 * GB), invalid_input);
  CHECK_THROWS_AS(resharding_time({}, 2, 1, 1 * GB), invalid_input);
  CHECK_THROWS_AS(group_time(pool, {.layers = 0}, 1, 1 * GB), invalid_input);
  CHECK_THROWS_AS(group_time(pool, {}, 3, 1 * GB), invalid_input);
  CHECK_THROWS_AS(group_time(pool, {}, 8, 1 * GB), invalid_input);
  CHECK_THROWS_AS(group_memory(pool, {.kept = bytes{-1}}, 1), invalid_input);
  CHECK_THROWS_AS(best_group_layouts(pool, none, 1 * GB), invalid_input);
  CHECK_THROWS_AS(best_group_layouts(pool, nine, 1 * GB), invalid_input);
  group_pool odd = pool;
  odd.gpus = 6;
  CHECK_THROWS_AS(group_memory(odd, {}, 1), invalid_input);
  odd.gpus = 128;
  CHECK_THROWS_AS(group_memory(odd, {}, 1), invalid_input);
}

}  // namespace
}  // namespace gpuplan
