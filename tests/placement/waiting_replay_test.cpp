#include <gpuplan/placement/waiting_replay.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr std::array pool{empty_node(4, 32000, 64 * GiB)};

arriving_task job(int gpus, double from, double until) {
  return {.task = {.gpus = gpus}, .arrival = from * hour, .departure = until * hour};
}

TEST_CASE("jobs wait in turn, or whoever fits goes first, by hand", "[placement][reference]") {
  // 3 GPUs until 4 h; then 2 GPUs for 2 h ask at 1 h, 1 GPU for 1 h at 2 h, 8 GPUs never fit.
  const std::array tasks{job(3, 0, 4), job(2, 1, 3), job(1, 2, 3), job(8, 3, 4)};
  placer one{pool, placement_policy::first_fit};
  const waiting_result turn = replay_waiting(one, tasks, waiting_rule::in_turn);
  CHECK(turn.runs[0].start == 0 * hour);
  CHECK(turn.runs[1].start == 4 * hour);
  CHECK(turn.runs[1].end == 6 * hour);
  CHECK(turn.runs[2].start == 4 * hour);  // there was room, but the other was first
  CHECK_FALSE(turn.runs[3].where);
  CHECK(turn.replay.placed() == 3);
  CHECK(turn.replay.count[static_cast<std::size_t>(placement_refusal::never)] == 1);
  CHECK(turn.still_waiting == 0);
  // Until the last arrival, at 3 h: 3 GPUs all the time.
  CHECK(turn.replay.until == 3 * hour);
  CHECK_THAT(turn.replay.utilization(), WithinRel(0.75, 1e-12));
  CHECK(turn.nodes[0].whole_free_gpus() == 1);

  placer two{pool, placement_policy::first_fit};
  const waiting_result fits = replay_waiting(two, tasks, waiting_rule::whoever_fits);
  CHECK(fits.runs[2].start == 2 * hour);
  CHECK(fits.runs[1].start == 4 * hour);
  CHECK(fits.nodes[0].whole_free_gpus() == 1);  // the job of 2 h has left at 3 h
}

TEST_CASE("who never leaves keeps others waiting for ever", "[placement]") {
  arriving_task stays = job(3, 0, 0);
  stays.departure = arriving_task{}.departure;
  const std::array tasks{stays, job(2, 1, 3), job(1, 2, 3)};
  placer placed{pool, placement_policy::first_fit};
  const waiting_result found = replay_waiting(placed, tasks, waiting_rule::in_turn);
  CHECK(found.still_waiting == 2);
  CHECK(found.replay.placed() == 1);
  CHECK_FALSE(found.runs[1].where);
  CHECK(found.runs[0].end == arriving_task{}.departure);
  placer empty{pool, placement_policy::first_fit};
  CHECK(replay_waiting(empty, {}, waiting_rule::in_turn).runs.empty());
}

TEST_CASE("without a wait jobs are lost, with their times", "[placement]") {
  const std::array tasks{job(3, 0, 4), job(2, 1, 3), job(1, 2, 3)};
  placer placed{pool, placement_policy::first_fit};
  const waiting_result found = replay_leaving(placed, tasks, replay_mode::leave);
  CHECK_FALSE(found.runs[1].where);
  CHECK(found.runs[2].start == 2 * hour);
  CHECK(found.runs[2].end == 3 * hour);
  CHECK(found.replay.placed() == 2);
}

TEST_CASE("nobody starts early, in turn nobody overtakes, no GPU is held twice",
          "[placement][property]") {
  testing::check_property("random jobs", [] {
    std::vector<arriving_task> tasks(*rc::gen::inRange<std::size_t>(1, 40));
    for (arriving_task& each : tasks) {
      const int from = *rc::gen::inRange(0, 20);
      each = job(*rc::gen::inRange(0, 6), from, from + *rc::gen::inRange(0, 10));
    }
    const waiting_rule rule = *rc::gen::element(waiting_rule::in_turn, waiting_rule::whoever_fits);
    placer placed{pool, placement_policy::best_fit};
    const waiting_result found = replay_waiting(placed, tasks, rule);
    RC_ASSERT(found.still_waiting == 0);
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      const task_run& run = found.runs[t];
      RC_ASSERT(run.where.has_value() == (tasks[t].task.gpus <= 4));
      if (!run.where) continue;
      RC_ASSERT(run.start >= tasks[t].arrival);
      RC_ASSERT(run.end - run.start == tasks[t].departure - tasks[t].arrival);
      int in_use = 0;
      for (std::size_t o = 0; o < tasks.size(); ++o) {
        const task_run& other = found.runs[o];
        if (!other.where) continue;
        if (other.start <= run.start && other.end > run.start) in_use += tasks[o].task.gpus;
        if (rule == waiting_rule::in_turn && tasks[o].arrival < tasks[t].arrival)
          RC_ASSERT(other.start <= run.start);
      }
      RC_ASSERT(in_use <= 4);
    }
  });
}

/// When each starts where every task that waits is tried again after each departure, one by one.
std::vector<seconds> starts_by_trying_all(std::span<const gpu_node> nodes,
                                          const std::vector<arriving_task>& tasks) {
  placer placed{nodes, placement_policy::first_fit};
  std::vector<seconds> starts(tasks.size(), seconds{std::numeric_limits<double>::infinity()});
  std::vector<std::optional<task_placement>> where(tasks.size());
  std::vector<std::size_t> line;
  const auto end_of = [&](std::size_t t) {
    return starts[t] + (tasks[t].departure - tasks[t].arrival);
  };
  const auto try_all = [&](seconds now) {
    std::erase_if(line, [&](std::size_t t) {
      where[t] = placed.place(tasks[t].task);
      if (where[t]) starts[t] = now;
      return where[t].has_value();
    });
  };
  const auto pass_to = [&](seconds until) {
    for (;;) {
      std::optional<std::size_t> next;
      for (std::size_t t = 0; t < tasks.size(); ++t)
        if (where[t] && end_of(t) <= until && (!next || end_of(t) < end_of(*next))) next = t;
      if (!next) return;
      const seconds now = end_of(*next);
      for (std::size_t t = 0; t < tasks.size(); ++t)
        if (where[t] && end_of(t) == now) {
          placed.release(tasks[t].task, *where[t]);
          where[t].reset();
        }
      try_all(now);
    }
  };
  for (std::size_t t = 0; t < tasks.size(); ++t) {  // by arrival
    pass_to(tasks[t].arrival);
    line.push_back(t);
    try_all(tasks[t].arrival);
  }
  pass_to(seconds{1e9});
  return starts;
}

TEST_CASE("whoever fits starts when a look at all that wait would start it",
          "[placement][cross-check]") {
  testing::check_property("random jobs of shares, cores and memory on two kinds of nodes", [] {
    const std::array nodes{empty_node(4, 32000, 64 * GiB), empty_node(2, 64000, 16 * GiB, 1),
                           empty_node(8, 16000, 64 * GiB)};
    std::vector<arriving_task> tasks(*rc::gen::inRange<std::size_t>(1, 40));
    double from = 0;
    for (arriving_task& each : tasks) {
      from += *rc::gen::inRange(0, 3);
      each = job(*rc::gen::inRange(0, 5), from, from + *rc::gen::inRange(1, 10));
      each.task.gpu_thousandths = each.task.gpus == 1 ? *rc::gen::inRange(1, 1001) : whole_gpu;
      each.task.core_thousandths = *rc::gen::inRange(0, 16001);
      each.task.memory = *rc::gen::inRange(0, 17) * GiB;
      each.task.accepted_types = *rc::gen::element<std::uint64_t>(0, 1);
    }
    placer placed{nodes, placement_policy::first_fit};
    const waiting_result found = replay_waiting(placed, tasks, waiting_rule::whoever_fits);
    const std::vector<seconds> starts = starts_by_trying_all(nodes, tasks);
    for (std::size_t t = 0; t < tasks.size(); ++t) RC_ASSERT(found.runs[t].start == starts[t]);
  });
}

TEST_CASE("rules have names", "[placement]") {
  CHECK(std::string(name_of(waiting_rule::in_turn)) == "in-turn");
  CHECK(std::string(name_of(waiting_rule::whoever_fits)) == "whoever-fits");
}

}  // namespace
}  // namespace gpuplan
