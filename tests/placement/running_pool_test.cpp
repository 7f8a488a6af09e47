#include <gpuplan/placement/running_pool.hpp>

#include <array>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr gpu_task whole_node{.gpus = 4};

std::vector<gpu_node> nodes_of_four(std::size_t count) {
  return std::vector<gpu_node>(count, empty_node(4, 32000, 128 * GiB));
}

TEST_CASE("one job moves to make room, by hand", "[placement][reference]") {
  placer pool{nodes_of_four(2), placement_policy::worst_fit};
  running_pool running{pool, 3};
  CHECK(running.start(0, {.gpus = 1})->node == 0);
  CHECK(running.start(1, {.gpus = 1})->node == 1);
  CHECK_FALSE(running.start(2, whole_node));
  CHECK_FALSE(running.start_with_moves(2, whole_node, 0));
  const auto moves = running.start_with_moves(2, whole_node, 1);
  REQUIRE(moves);
  REQUIRE(moves->size() == 1);
  CHECK((*moves)[0].task == 0);  // node 0 is as good as node 1, and first
  CHECK((*moves)[0].from.node == 0);
  CHECK((*moves)[0].to.node == 1);
  CHECK(running.job(2).where.node == 0);
  CHECK(running.job(0).where.gpus == 0b10);
  CHECK(running.nodes()[0].free_gpu_thousandths() == 0);
}

TEST_CASE("the GPUs that the fewest jobs hold are emptied", "[placement][reference]") {
  // GPU 0 of node 0 has two jobs of 300, GPU 1 one of 700: that one moves.
  placer pool{std::array{empty_node(2, 32000, 128 * GiB), empty_node(1, 32000, 128 * GiB)},
              placement_policy::first_fit};
  running_pool running{pool, 5};
  running.start(0, {.gpus = 1, .gpu_thousandths = 300});
  running.start(1, {.gpus = 1, .gpu_thousandths = 300});
  CHECK(running.start(2, {.gpus = 1, .gpu_thousandths = 700})->gpus == 0b10);
  running.start(3, {.gpus = 1, .gpu_thousandths = 100});  // on GPU 1, where least is free
  running.start(4, {.gpus = 1, .gpu_thousandths = 200});
  CHECK(running.job(3).where.gpus == 0b10);
  CHECK(running.job(4).where.gpus == 0b10);
  running.stop(3);
  running.stop(4);
  const auto moves = running.start_with_moves(3, {.gpus = 1, .gpu_thousandths = 900}, 4);
  REQUIRE(moves);
  REQUIRE(moves->size() == 1);
  CHECK((*moves)[0].task == 2);
}

TEST_CASE("cores and memory are made free, too", "[placement][reference]") {
  for (const gpu_task& large :
       {gpu_task{.gpus = 1, .core_thousandths = 31000}, gpu_task{.gpus = 1, .memory = 120 * GiB}}) {
    placer pool{nodes_of_four(2), placement_policy::first_fit};
    running_pool running{pool, 3};
    running.start(0, {.gpus = 1, .core_thousandths = 2000, .memory = 9 * GiB});
    running.start(1, {.gpus = 3, .core_thousandths = 1000});
    pool.take({.gpus = 1}, {.node = 1, .gpus = 0b1});  // of another, who never moves
    pool.take({.core_thousandths = 20000, .memory = 100 * GiB}, {.node = 1, .gpus = 0b10});
    const auto moves = running.start_with_moves(2, large, 4);
    REQUIRE(moves);
    REQUIRE(moves->size() == 1);
    CHECK((*moves)[0].task == 0);
    CHECK(running.job(2).where.node == 0);
  }
}

TEST_CASE("a job may go to another GPU of its node, with the cores that it had",
          "[placement][reference]") {
  placer pool{std::array{empty_node(2, 2000, 128 * GiB)}, placement_policy::first_fit};
  running_pool running{pool, 4};
  running.start(0, {.gpus = 1, .gpu_thousandths = 800, .core_thousandths = 1000});
  running.start(3, {.gpus = 1, .gpu_thousandths = 200});  // beside it
  running.start(1, {.gpus = 1, .gpu_thousandths = 200, .core_thousandths = 1000});
  running.stop(3);
  REQUIRE(running.job(1).where.gpus == 0b10);
  gpu_task task{.gpus = 1, .gpu_thousandths = 900, .core_thousandths = 1};
  CHECK_FALSE(running.start_with_moves(2, task, 1));  // job 1 would lack a core
  task.core_thousandths = 0;
  const auto moves = running.start_with_moves(2, task, 1);
  REQUIRE(moves);
  REQUIRE(moves->size() == 1);
  CHECK((*moves)[0].task == 1);
  CHECK((*moves)[0].to.gpus == 0b01);
}

TEST_CASE("what no move can help is left as it was", "[placement]") {
  placer pool{nodes_of_four(2), placement_policy::worst_fit};
  running_pool running{pool, 4};
  running.start(0, {.gpus = 3});
  running.start(1, {.gpus = 3});
  const std::vector<gpu_node> before(running.nodes().begin(), running.nodes().end());
  CHECK_FALSE(running.start_with_moves(2, {.gpus = 2}, 9));   // a job of 3 finds no other node
  CHECK_FALSE(running.start_with_moves(2, {.gpus = 16}, 9));  // no node is large enough
  CHECK(std::vector<gpu_node>(running.nodes().begin(), running.nodes().end()) == before);
  CHECK(running.runs(0));
  CHECK_FALSE(running.runs(2));
  CHECK_FALSE(running.runs(99));
}

TEST_CASE("jobs that start, stop and move: nothing is lost, nothing beyond capacity",
          "[placement][property]") {
  testing::check_property("any steps", [] {
    placer pool{nodes_of_four(3), *rc::gen::elementOf(std::vector{placement_policy::best_fit,
                                                                  placement_policy::worst_fit})};
    running_pool running{pool, 40};
    std::vector<gpu_task> task(40);
    for (std::size_t job = 0; job < 40; ++job) {
      task[job] = {.gpus = *rc::gen::inRange(0, 4),
                   .gpu_thousandths = *rc::gen::element(250, 500, 1000),
                   .core_thousandths = 1000 * *rc::gen::inRange(0, 9)};
      const std::vector<gpu_node> before(running.nodes().begin(), running.nodes().end());
      std::vector<running_task> were;
      for (std::size_t j = 0; j < job; ++j) were.push_back(running.job(j));
      const int most = *rc::gen::inRange(0, 4);
      if (!running.start(job, task[job])) {
        const auto moves = running.start_with_moves(job, task[job], most);
        RC_ASSERT(moves.has_value() == running.runs(job));
        if (moves) {
          RC_ASSERT(!moves->empty() && static_cast<int>(moves->size()) <= most);
          for (const migration& move : *moves) {
            RC_ASSERT(move.from.node == were[move.task].where.node);
            RC_ASSERT(move.to.node == running.job(move.task).where.node);
            RC_ASSERT(move.to.gpus == running.job(move.task).where.gpus);
          }
        } else {
          RC_ASSERT(std::vector<gpu_node>(running.nodes().begin(), running.nodes().end()) ==
                    before);
        }
      }
      if (*rc::gen::inRange(0, 4) == 0 && running.runs(job / 2)) running.stop(job / 2);
      // The nodes are those of an empty pool with every job where it is said to run.
      std::vector<gpu_node> anew = nodes_of_four(3);
      for (std::size_t j = 0; j <= job; ++j)
        if (running.runs(j))
          anew[running.job(j).where.node] = with_task(
              anew[running.job(j).where.node], running.job(j).task, running.job(j).where.gpus);
      RC_ASSERT(std::vector<gpu_node>(running.nodes().begin(), running.nodes().end()) == anew);
    }
  });
}

TEST_CASE("a job moves where it is told to", "[placement]") {
  placer pool{nodes_of_four(2), placement_policy::first_fit};
  running_pool running{pool, 1};
  running.start(0, {.gpus = 2});
  running.move(0, {.node = 1, .gpus = 0b1100});
  CHECK(running.nodes()[0].whole_free_gpus() == 4);
  CHECK(running.nodes()[1].free_gpu[0] == whole_gpu);
  CHECK(running.nodes()[1].free_gpu[3] == 0);
  CHECK_THROWS_AS(running.move(0, {.node = 1, .gpus = 0b1100}), invalid_input);
}

TEST_CASE("a pool at work refuses what it cannot do", "[placement][errors]") {
  placer pool{nodes_of_four(1), placement_policy::first_fit};
  running_pool running{pool, 2};
  running.start(0, {.gpus = 1});
  CHECK_THROWS_AS(running.start(0, {}), invalid_input);
  CHECK_THROWS_AS(running.start(2, {}), invalid_input);
  CHECK_THROWS_AS(running.start(1, {.gpus = -1}), invalid_input);
  CHECK_THROWS_AS(running.stop(1), invalid_input);
  CHECK_THROWS_AS(running.move(1, {}), invalid_input);
  CHECK_THROWS_AS(running.start_with_moves(0, {}, 1), invalid_input);
  CHECK_THROWS_AS(running.start_with_moves(1, {}, -1), invalid_input);
  CHECK_THROWS_AS(running.start_with_moves(1, {.gpu_thousandths = 0}, 1), invalid_input);
}

}  // namespace
}  // namespace gpuplan
