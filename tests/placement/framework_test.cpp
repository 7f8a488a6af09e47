#include <gpuplan/placement/framework.hpp>

#include <array>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr seconds never{std::numeric_limits<double>::infinity()};

std::vector<gpu_node> nodes_of(int gpus, std::size_t count) {
  return std::vector<gpu_node>(count, empty_node(gpus, 96000, 512 * GiB));
}

arriving_task job_of(int gpus, double arrival = 0, double departure = 1e9) {
  return {.task = {.gpus = gpus}, .arrival = seconds{arrival}, .departure = seconds{departure}};
}

framework_result run_on(std::span<const gpu_node> nodes, std::span<const arriving_task> jobs,
                        replay_mode mode, const framework_options& options = {},
                        placement_policy policy = placement_policy::best_fit) {
  placer pool{nodes, policy};
  return run_framework(pool, jobs, mode, options);
}

TEST_CASE("a batch goes by priority, then slack, then size", "[placement][reference]") {
  std::array jobs{job_of(2), job_of(2), job_of(2), job_of(4)};
  jobs[1].priority = 1;
  jobs[2].deadline = seconds{2e9};
  const auto placed = [&](int gpus) {
    std::vector<int> yes;
    const framework_result result = run_on(nodes_of(gpus, 1), jobs, replay_mode::stay);
    for (std::size_t t = 0; t < jobs.size(); ++t)
      if (result.where[t]) yes.push_back(static_cast<int>(t));
    return yes;
  };
  CHECK(placed(2) == std::vector{1});
  CHECK(placed(4) == std::vector{1, 2});
  CHECK(placed(8) == std::vector{1, 2, 3});
  const framework_result other =
      run_on(nodes_of(4, 1), jobs, replay_mode::stay, {.order = job_ranking::arrival});
  CHECK(other.where[0]);
  CHECK_FALSE(other.where[3]);
}

TEST_CASE("a job without a node gets the place of others that move", "[placement][reference]") {
  // Worst fit puts one job of 3 GPUs on each node of 6 GPUs, then none is left for 4.
  std::array jobs{job_of(3), job_of(3), job_of(4)};
  const framework_options by_arrival{.order = job_ranking::arrival};
  const framework_result moved =
      run_on(nodes_of(6, 2), jobs, replay_mode::stay, by_arrival, placement_policy::worst_fit);
  CHECK(moved.replay.placed() == 3);
  CHECK(moved.moved == 1);
  CHECK(moved.given_room == 1);
  CHECK(moved.where[0]->node == 1);  // it was on node 0
  CHECK(moved.where[2]->node == 0);
  REQUIRE(moved.left.size() == 1);
  CHECK(moved.left[0].job == 0);
  CHECK(moved.left[0].where.node == 0);
  CHECK(moved.left[0].at == seconds{0});
  CHECK(moved.replay.placed_thousandths == 10 * whole_gpu);
  const framework_result still =
      run_on(nodes_of(6, 2), jobs, replay_mode::stay, {.order = job_ranking::arrival, .moves = 0},
             placement_policy::worst_fit);
  CHECK(still.replay.placed() == 2);
  CHECK(still.why[2] == placement_refusal::gpus);
  CHECK(still.moved == 0);
  CHECK(still.left.empty());
}

TEST_CASE("what moves leave free is for others, too", "[placement][reference]") {
  // First fit puts a job of 5 on the only node that the others accept. Moved away, it leaves 6 GPUs
  // for a job of 4, and then 2 for one that had found none.
  const std::array nodes{empty_node(6, 96000, 512 * GiB), empty_node(5, 96000, 512 * GiB, 1)};
  std::array jobs{job_of(5), job_of(4), job_of(2)};
  jobs[1].task.accepted_types = jobs[2].task.accepted_types = 0b1;
  const framework_options by_arrival{.order = job_ranking::arrival};
  const framework_result result =
      run_on(nodes, jobs, replay_mode::stay, by_arrival, placement_policy::first_fit);
  CHECK(result.replay.placed() == 3);
  CHECK(result.moved == 1);
  CHECK(result.given_room == 1);
}

TEST_CASE("the load is evened out where no gang loses its place", "[placement][reference]") {
  // Best fit puts both jobs on one node of 4; with one on each no gang of 4 would find a node.
  const std::array jobs{job_of(2), job_of(2)};
  const framework_result whole = run_on(nodes_of(4, 2), jobs, replay_mode::stay);
  CHECK(whole.levelled == 0);
  CHECK(whole.where[0]->node == whole.where[1]->node);
  // Others hold parts of both GPUs, so no gang is there to lose: both jobs leave the fuller one.
  std::vector<gpu_node> pool = nodes_of(1, 2);
  pool[0] = with_task(pool[0], {.gpus = 1, .gpu_thousandths = 100}, 1);
  pool[1] = with_task(pool[1], {.gpus = 1, .gpu_thousandths = 500}, 1);
  std::array quarters{job_of(1), job_of(1)};
  for (arriving_task& each : quarters) each.task.gpu_thousandths = 250;
  const framework_result level = run_on(pool, quarters, replay_mode::stay);
  CHECK(level.levelled == 2);
  CHECK(level.where[0]->node == 0);
  CHECK(level.where[1]->node == 0);
  CHECK(run_on(pool, quarters, replay_mode::stay, {.moves = 1}).levelled == 1);
  CHECK(run_on(pool, quarters, replay_mode::stay, {.moves = 0}).levelled == 0);
}

TEST_CASE("jobs wait, as long as they have patience", "[placement][reference]") {
  const std::array jobs{job_of(4, 0, 100), job_of(4, 10, 60), job_of(4, 20, 30), job_of(1, 200)};
  const std::vector<gpu_node> one = nodes_of(4, 1);
  const framework_result lost = run_on(one, jobs, replay_mode::leave);
  CHECK(lost.replay.placed() == 2);
  CHECK(lost.why[1] == placement_refusal::gpus);
  const framework_result some = run_on(one, jobs, replay_mode::leave, {.patience = seconds{90}});
  CHECK(some.replay.placed() == 3);
  CHECK(some.wait[1] == seconds{90});  // just in time: 100 less 10, then until 150
  CHECK(some.why[2] == placement_refusal::gpus);
  const framework_result all = run_on(one, jobs, replay_mode::leave, {.patience = seconds{200}});
  CHECK(all.replay.placed() == 4);
  CHECK(all.wait[2] == seconds{130});  // after 100 and the 50 s of the second
  CHECK(all.replay.until == seconds{200});
  // 4 GPUs for 100, 50 and 10 s.
  CHECK(all.replay.busy == seconds{4.0 * 160});
  CHECK(lost.replay.busy == seconds{400});
}

TEST_CASE("the line is in order of urgency, and ageing lifts those that wait", "[placement]") {
  std::array jobs{job_of(4, 0, 100), job_of(4, 10, 30), job_of(4, 90, 110)};
  jobs[2].priority = 1;
  const std::vector<gpu_node> one = nodes_of(4, 1);
  const framework_result still = run_on(one, jobs, replay_mode::leave, {.patience = 1 * hour});
  CHECK(still.wait[2] == seconds{10});
  CHECK(still.wait[1] == seconds{110});
  const framework_result ages =
      run_on(one, jobs, replay_mode::leave, {.patience = 1 * hour, .ageing = seconds{40}});
  CHECK(ages.wait[1] == seconds{90});  // two classes in 90 s, the other none in 10 s
  CHECK(ages.wait[2] == seconds{30});
  CHECK(ages.replay.until == seconds{120});
}

TEST_CASE("a job that waits for nobody is refused at the end", "[placement]") {
  std::array jobs{job_of(4), job_of(4), job_of(5)};
  for (arriving_task& each : jobs) each.departure = never;
  const framework_result result =
      run_on(nodes_of(4, 1), jobs, replay_mode::leave, {.patience = never});
  CHECK(result.replay.placed() == 1);
  CHECK(result.why[1] == placement_refusal::gpus);
  CHECK(result.why[2] == placement_refusal::never);
  CHECK(run_on({}, jobs, replay_mode::leave).why[0] == placement_refusal::never);
  CHECK(run_on(nodes_of(4, 1), {}, replay_mode::stay).replay.tasks == 0);
}

std::vector<arriving_task> drawn_jobs() {
  std::vector<arriving_task> jobs;
  for (int count = *rc::gen::inRange(1, 60); count > 0; --count) {
    const double arrival = *rc::gen::inRange(0, 40);
    jobs.push_back({.task = {.gpus = *rc::gen::inRange(0, 7),
                             .gpu_thousandths = *rc::gen::element(250, 500, 1000),
                             .core_thousandths = 1000 * *rc::gen::inRange(0, 20),
                             .memory = 16.0 * *rc::gen::inRange(0, 9) * GiB},
                    .arrival = seconds{arrival},
                    .departure = seconds{arrival + *rc::gen::inRange(0, 30)},
                    .user = *rc::gen::inRange(0, 3),
                    .priority = *rc::gen::inRange(0, 3)});
  }
  return jobs;
}

constexpr std::array kinds{task_share{{.gpus = 1, .gpu_thousandths = 500}, 2},
                           task_share{{.gpus = 6}, 1}};

TEST_CASE("a batch: every job has a place or a reason, and moves lose none",
          "[placement][property]") {
  testing::check_property("any jobs and policy", [] {
    const std::vector<arriving_task> jobs = drawn_jobs();
    const placement_policy policy = *rc::gen::elementOf(placement_policies);
    const std::vector<gpu_node> nodes = nodes_of(6, 3);
    std::array<framework_result, 3> results;
    for (std::size_t run = 0; run < 3; ++run) {
      placer pool{nodes, policy, task_mix{kinds}};
      results[run] = run_framework(pool, jobs, replay_mode::stay, {.moves = run == 0 ? 0 : 3});
      std::vector<gpu_node> anew = nodes;  // throws where something is beyond capacity
      for (std::size_t t = 0; t < jobs.size(); ++t) {
        const auto& where = results[run].where[t];
        RC_ASSERT(where.has_value() == (results[run].why[t] == placement_refusal::none));
        if (where) anew[where->node] = with_task(anew[where->node], jobs[t].task, where->gpus);
      }
      RC_ASSERT(std::vector<gpu_node>(pool.nodes().begin(), pool.nodes().end()) == anew);
      std::int64_t counted = 0;
      for (const std::int64_t count : results[run].replay.count) counted += count;
      RC_ASSERT(counted == static_cast<std::int64_t>(jobs.size()));
    }
    RC_ASSERT(results[1].replay.placed() >= results[0].replay.placed());
    for (std::size_t t = 0; t < jobs.size(); ++t)  // and the same ones
      RC_ASSERT(results[1].where[t] || !results[0].where[t]);
    RC_ASSERT(results[1].why == results[2].why);  // it repeats
    RC_ASSERT(results[1].moved == results[2].moved);
  });
}

TEST_CASE("jobs that come and go: one at a time on each GPU", "[placement][property]") {
  testing::check_property("any jobs", [] {
    const std::vector<arriving_task> jobs = drawn_jobs();
    const seconds patience{1.0 * *rc::gen::inRange(0, 30)};
    placer pool{nodes_of(6, 2), placement_policy::framework, task_mix{kinds}};
    const framework_result result =
        run_framework(pool, jobs, replay_mode::leave,
                      {.moves = *rc::gen::inRange(0, 4),
                       .patience = patience,
                       .ageing = seconds{1.0 * *rc::gen::inRange(1, 9)}});
    std::vector<gpu_node> anew = nodes_of(6, 2);
    std::int64_t placed = 0;
    for (std::size_t t = 0; t < jobs.size(); ++t) {
      const auto& where = result.where[t];
      RC_ASSERT(where.has_value() == (result.why[t] == placement_refusal::none));
      RC_ASSERT(result.wait[t] >= seconds{0} && result.wait[t] <= patience);
      if (!where) continue;
      ++placed;
      // Those that run at the end: the nodes hold them and nothing else.
      if (jobs[t].departure + result.wait[t] > result.replay.until)
        anew[where->node] = with_task(anew[where->node], jobs[t].task, where->gpus);
    }
    RC_ASSERT(placed == result.replay.placed());
    RC_ASSERT(std::vector<gpu_node>(pool.nodes().begin(), pool.nodes().end()) == anew);
    RC_ASSERT(result.replay.most_in_use <= result.replay.pool_thousandths);
    RC_ASSERT(result.replay.utilization() >= 0 && result.replay.utilization() <= 1);
  });
}

TEST_CASE("without patience and moves it is the plain replay", "[placement][property]") {
  testing::check_property("any jobs that come one by one", [] {
    std::vector<arriving_task> jobs = drawn_jobs();
    for (std::size_t t = 0; t < jobs.size(); ++t) {
      const seconds runs = jobs[t].departure - jobs[t].arrival;
      jobs[t].arrival = seconds{1.5 * static_cast<double>(t)};
      jobs[t].departure = jobs[t].arrival + runs;
    }
    placer one{nodes_of(6, 2), placement_policy::best_fit};
    placer other{nodes_of(6, 2), placement_policy::best_fit};
    std::vector<std::optional<task_placement>> where(jobs.size());
    const replay_result plain = replay(one, jobs, replay_mode::leave, where);
    const framework_result result = run_framework(other, jobs, replay_mode::leave, {.moves = 0});
    RC_ASSERT(result.replay.count == plain.count);
    RC_ASSERT(result.replay.busy == plain.busy);
    RC_ASSERT(result.replay.most_in_use == plain.most_in_use);
    RC_ASSERT(result.replay.by_user == plain.by_user);
    for (std::size_t t = 0; t < jobs.size(); ++t)
      RC_ASSERT(where[t].has_value() == result.where[t].has_value() &&
                (!where[t] || where[t]->node == result.where[t]->node));
  });
}

TEST_CASE("the framework refuses what it cannot do", "[placement][errors]") {
  placer pool{nodes_of(2, 1), placement_policy::best_fit};
  CHECK_THROWS_AS(run_framework(pool, {}, replay_mode::stay, {.moves = -1}), invalid_input);
  const std::array bad{job_of(17)};
  CHECK_THROWS_AS(run_framework(pool, bad, replay_mode::stay), invalid_input);
  CHECK_THROWS_AS(run_framework(pool, bad, replay_mode::leave), invalid_input);
}

}  // namespace
}  // namespace gpuplan
