#include <gpuplan/placement/placer_replay.hpp>

#include <array>
#include <optional>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr std::array pool{empty_node(4, 32000, 64 * GiB)};

arriving_task job(int gpus, double from, double until, int user = 0) {
  return {.task = {.gpus = gpus}, .arrival = from * hour, .departure = until * hour, .user = user};
}

TEST_CASE("a batch fills the pool, by hand", "[placement][reference]") {
  placer placed{pool, placement_policy::best_fit};
  const std::array tasks{job(3, 0, 1),
                         job(2, 0, 1),
                         job(1, 0, 1, 2),
                         job(8, 0, 1),
                         arriving_task{.task = {.gpus = 0, .core_thousandths = 32001}},
                         arriving_task{.task = {.gpus = 0, .memory = 65 * GiB}}};
  std::array<std::optional<task_placement>, 6> where{};
  const replay_result found = replay(placed, tasks, replay_mode::stay, where);
  CHECK(found.tasks == 6);
  CHECK(found.placed() == 2);
  CHECK(found.count[static_cast<std::size_t>(placement_refusal::gpus)] == 1);
  CHECK(found.count[static_cast<std::size_t>(placement_refusal::never)] == 3);
  CHECK(found.asked_thousandths == 14000);
  CHECK(found.allocation() == 1);
  CHECK(found.by_user == std::vector<double>{3000, 0, 1000});
  CHECK((where[0] && !where[1] && where[2] && !where[3]));
}

TEST_CASE("tasks that go make room, by hand", "[placement][reference]") {
  placer placed{pool, placement_policy::first_fit};
  const std::array tasks{job(2, 6, 7), job(4, 0, 2), job(1, 1, 3), job(4, 2, 5)};
  const replay_result found = replay(placed, tasks, replay_mode::leave);
  CHECK(found.placed() == 3);  // that of hour 1 finds no GPU; that of hour 2 does, as one has gone
  CHECK(found.most_in_use == 4000);
  CHECK(found.from == 0 * hour);
  CHECK(found.until == 6 * hour);
  CHECK_THAT(found.utilization(), WithinRel(5.0 / 6, 1e-12));
}

TEST_CASE("use over time is what each placed task held, and all is given back at the end",
          "[placement][property]") {
  testing::check_property("random arrivals", [] {
    std::vector<arriving_task> tasks(*rc::gen::inRange<std::size_t>(1, 40));
    for (arriving_task& each : tasks) {
      each = job(*rc::gen::inRange(0, 5), *rc::gen::inRange(0, 50), 0);
      each.departure = each.arrival + *rc::gen::inRange(0, 20) * hour;
    }
    placer placed{pool, placement_policy::best_fit};
    std::vector<std::optional<task_placement>> where(tasks.size());
    const replay_result found = replay(placed, tasks, replay_mode::leave, where);
    seconds busy{};
    std::int64_t refused = 0;
    for (std::size_t t = 0; t < tasks.size(); ++t) {
      if (!where[t]) {
        ++refused;
        continue;
      }
      const seconds inside = std::min(tasks[t].departure, found.until) - tasks[t].arrival;
      busy += tasks[t].task.gpus * inside;
    }
    RC_ASSERT(std::abs((found.busy - busy) / hour) <= 1e-9);
    RC_ASSERT(found.placed() + refused == found.tasks);
    RC_ASSERT(found.most_in_use <= 4000);
    RC_ASSERT(found.utilization() >= 0 && found.utilization() <= 1 + 1e-12);
  });
}

TEST_CASE("a replay refuses a list of places of another length", "[placement][errors]") {
  placer placed{pool, placement_policy::first_fit};
  const std::array tasks{job(1, 0, 1)};
  std::array<std::optional<task_placement>, 2> where{};
  CHECK_THROWS_AS(replay(placed, tasks, replay_mode::stay, where), invalid_input);
  CHECK(replay(placed, {}, replay_mode::leave).tasks == 0);
}

}  // namespace
}  // namespace gpuplan
