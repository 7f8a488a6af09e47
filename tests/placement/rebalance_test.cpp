#include <gpuplan/placement/rebalance.hpp>

#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

struct pool_at_work {
  std::vector<gpu_node> nodes;
  std::vector<running_task> tasks;

  void run(const gpu_task& task, std::size_t on, gpu_set gpus) {
    nodes[on] = with_task(nodes[on], task, gpus);
    tasks.push_back({task, {.node = on, .gpus = gpus}});
  }
};

TEST_CASE("one move makes room for a gang, by hand", "[placement][reference]") {
  pool_at_work pool{std::vector<gpu_node>(3, empty_node(8, 96000, 512 * GiB)), {}};
  pool.run({.gpus = 6}, 0, 0b111111);
  pool.run({.gpus = 1}, 1, 0b1);
  pool.run({.gpus = 1}, 2, 0b1);
  pool.run({.gpus = 2}, 2, 0b110);
  const rebalancing plan = defragment(pool.nodes, pool.tasks, 8, 1);
  REQUIRE(plan.moves.size() == 1);
  CHECK(plan.moves[0].task == 1);
  CHECK(plan.moves[0].to.node == 0);  // the fullest that has room
  CHECK(plan.moves[0].to.gpus == 0b1000000);
  CHECK(plan.before == 0);
  CHECK(plan.after == 1);
  CHECK(defragment(pool.nodes, pool.tasks, 8, 0).moves.empty());
}

TEST_CASE("the fullest node gives to the emptiest, by hand", "[placement][reference]") {
  pool_at_work pool{std::vector<gpu_node>(2, empty_node(8, 96000, 512 * GiB)), {}};
  pool.run({.gpus = 4}, 0, 0b1111);
  pool.run({.gpus = 2}, 0, 0b110000);
  const rebalancing plan = spread_load(pool.nodes, pool.tasks, 5);
  REQUIRE(plan.moves.size() == 1);  // 2 GPUs: 4 and 2; 4 GPUs would be 2 and 4, no better
  CHECK(plan.before == 0.75);
  CHECK(plan.after == 0.25);
}

// Carries out the moves in their order, each finding its room, and returns the pool.
std::vector<gpu_node> carried_out(const pool_at_work& pool, const rebalancing& plan) {
  std::vector<gpu_node> nodes = pool.nodes;
  std::vector<task_placement> where;
  for (const running_task& task : pool.tasks) where.push_back(task.where);
  for (const migration& move : plan.moves) {
    const gpu_task& task = pool.tasks[move.task].task;
    RC_ASSERT(move.from.node == where[move.task].node && move.from.gpus == where[move.task].gpus);
    RC_ASSERT(move.from.node != move.to.node);
    nodes[move.to.node] = with_task(nodes[move.to.node], task, move.to.gpus);
    nodes[move.from.node] = without_task(nodes[move.from.node], task, move.from.gpus);
    where[move.task] = move.to;
  }
  return nodes;
}

TEST_CASE("moves can be carried out, are few enough, and make nothing worse",
          "[placement][property]") {
  testing::check_property("random pools", [] {
    pool_at_work pool{std::vector<gpu_node>(*rc::gen::inRange<std::size_t>(1, 8),
                                            empty_node(8, 64000, 512 * GiB)),
                      {}};
    const int count = *rc::gen::inRange(0, 20);
    for (int t = 0; t < count; ++t) {
      const gpu_task task{.gpus = *rc::gen::inRange(0, 4),
                          .gpu_thousandths = *rc::gen::element(500, 1000),
                          .core_thousandths = *rc::gen::inRange(0, 9000)};
      const auto on = *rc::gen::inRange<std::size_t>(0, pool.nodes.size());
      if (can_host(pool.nodes[on], task))
        pool.run(task, on, choose_gpus(pool.nodes[on], task, gpu_choice::least_free));
    }
    const int moves = *rc::gen::inRange(0, 10);
    const int gang = *rc::gen::inRange(1, 9);
    const rebalancing closer = defragment(pool.nodes, pool.tasks, gang, moves);
    RC_ASSERT(static_cast<int>(closer.moves.size()) <= moves);
    RC_ASSERT(closer.before == static_cast<double>(free_gpus_of(pool.nodes, gang).gangs));
    RC_ASSERT(closer.after >= closer.before + (closer.moves.empty() ? 0 : 1));
    RC_ASSERT(static_cast<double>(free_gpus_of(carried_out(pool, closer), gang).gangs) ==
              closer.after);
    const rebalancing even = spread_load(pool.nodes, pool.tasks, moves);
    RC_ASSERT(static_cast<int>(even.moves.size()) <= moves);
    RC_ASSERT(even.after <= even.before + 1e-12);
    carried_out(pool, even);
  });
}

TEST_CASE("tasks that are not where they are said to be are refused", "[placement][errors]") {
  pool_at_work pool{{empty_node(8, 96000, 512 * GiB)}, {}};
  pool.run({}, 0, 1);
  CHECK_THROWS_AS(defragment(pool.nodes, pool.tasks, 8, -1), invalid_input);
  CHECK_THROWS_AS(defragment(pool.nodes, pool.tasks, 0, 1), invalid_input);
  CHECK_THROWS_AS(spread_load(pool.nodes, pool.tasks, -1), invalid_input);
  pool.tasks[0].where.node = 1;
  CHECK_THROWS_AS(defragment(pool.nodes, pool.tasks, 8, 1), invalid_input);
  CHECK_THROWS_AS(spread_load(pool.nodes, pool.tasks, 1), invalid_input);
}

}  // namespace
}  // namespace gpuplan
