#include <gpuplan/placement/detail/mix_table.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include <gpuplan/placement/expected_fragmentation.hpp>
#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/gpu_task.hpp>
#include <gpuplan/placement/placer_policy.hpp>
#include <gpuplan/simulate/random_numbers.hpp>

#include "support/catch.hpp"

namespace gpuplan::detail {
namespace {

mix_table::free_pieces pieces_of(const gpu_node& host) {
  mix_table::free_pieces pieces{};
  for (std::size_t gpu = 0; gpu < pieces.size(); ++gpu)
    pieces[gpu] = static_cast<std::int16_t>(host.free_gpu[gpu]);
  std::sort(pieces.begin(), pieces.end(), std::greater<>());
  return pieces;
}

struct drawn_mix {
  random_numbers random;
  int most_cores = random.below(2) == 0 ? 12 : 12000;

  explicit drawn_mix(std::uint64_t seed) : random{seed} {}

  int between(int low, int high) {
    return low + static_cast<int>(random.below(static_cast<std::uint64_t>(high - low + 1)));
  }
  gpu_task task() {
    constexpr std::array counts{0, 1, 1, 1, 1, 2, 4};
    gpu_task made{.gpus = counts[random.below(counts.size())],
                  .core_thousandths = between(0, most_cores) * (12000 / most_cores)};
    if (made.gpus == 1) made.gpu_thousandths = between(1, 1000);
    if (made.gpus == 2 && between(0, 1) == 0) made.gpu_thousandths = 100 * between(1, 10);
    if (between(0, 3) == 0) made.accepted_types = random.below(8);
    return made;
  }
  gpu_node node() {
    gpu_node made = empty_node(between(0, 8), 16000, bytes{0}, between(0, 3));
    for (int gpu = 0; gpu < made.gpus; ++gpu)
      if (between(0, 2) > 0) made.free_gpu[static_cast<std::size_t>(gpu)] = between(0, whole_gpu);
    made.free_core_thousandths = between(0, 16000);
    return made;
  }
  task_mix mix() {
    std::vector<task_share> kinds;
    for (int kind = between(0, 3) == 0 ? 6000 : between(1, 40); kind > 0; --kind)
      kinds.push_back({task(), 1.0 * between(1, 9)});
    return task_mix{kinds};
  }
};

// What the mix can use of the node after the task, at its most over the GPUs that it may take.
double most_useful_after(const gpu_node& host, const gpu_task& task, const task_mix& mix,
                         int piece) {
  const auto useful = [&](gpu_set on) {
    const gpu_node left = with_task(host, task, on);
    return left.free_gpu_thousandths() - expected_fragmentation(left, mix);
  };
  if (task.gpus != 1 || task.gpu_thousandths == whole_gpu)
    return useful(choose_gpus(host, task, gpu_choice::least_free));
  double most = -1;
  for (int gpu = 0; gpu < host.gpus; ++gpu) {
    const int free = host.free_gpu[static_cast<std::size_t>(gpu)];
    if (free >= task.gpu_thousandths && (piece == mix_table::any_piece || free == piece))
      most = (std::max)(most, useful(static_cast<gpu_set>(1U << gpu)));
  }
  return most;
}

TEST_CASE("what the mix can use of a node, by hand", "[placement][reference]") {
  // Half of the tasks ask for 500 thousandths of a GPU and one core, half for two GPUs. GPUs with
  // 700, 500 and 100 free: the former can use 1200, the latter nothing.
  const task_mix mix{
      std::array{task_share{{.gpus = 1, .gpu_thousandths = 500, .core_thousandths = 1000}, 1},
                 task_share{{.gpus = 2}, 1}}};
  const mix_table table{mix};
  REQUIRE(table.exists());
  CHECK(table.amounts_in(999) == 1);  // 0, but not 1000
  CHECK(table.amounts_in(1000) == 2);
  CHECK(table.amounts_in(-1) == 0);
  CHECK(table.useful({700, 500, 100}, 0, 2) == 600);
  CHECK(table.useful({700, 500, 100}, 0, 1) == 0);
  CHECK(table.useful({1000, 1000}, 0, 2) == 2000);
  // A task of 200 on the GPU of 700 leaves 1000 to the former, on that of 500 only 700.
  const gpu_task task{.gpus = 1, .gpu_thousandths = 200};
  CHECK(table.useful_after({700, 500, 100}, 0, 2, task) == 500);
  CHECK(table.useful_after({700, 500, 100}, 0, 2, task, 500) == 350);
}

TEST_CASE("the table agrees with the expected fragmentation", "[placement][property][long]") {
  int tables = 0;
  int bounded = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    drawn_mix drawn{seed};
    const task_mix mix = drawn.mix();
    const mix_table table{mix};
    if (!table.exists()) continue;
    ++tables;
    for (int draw = 0; draw < 40; ++draw) {
      const gpu_node host = drawn.node();
      const gpu_task task = drawn.task();
      const auto pieces = pieces_of(host);
      const double useful =
          table.useful(pieces, host.type, table.amounts_in(host.free_core_thousandths));
      const double fragmented = expected_fragmentation(host, mix);
      REQUIRE(std::abs(host.free_gpu_thousandths() - fragmented - useful) <= table.margin() / 2);
      if (!can_host(host, task)) continue;

      const int piece = draw % 2 == 0 || task.gpus != 1
                            ? mix_table::any_piece
                            : pieces[static_cast<std::size_t>(
                                  drawn.between(0, host.gpus_with(task.gpu_thousandths) - 1))];
      const std::size_t amounts =
          table.amounts_in(host.free_core_thousandths - task.core_thousandths);
      const double after = table.useful_after(pieces, host.type, amounts, task, piece);
      const double expected = most_useful_after(host, task, mix, piece);
      REQUIRE(std::abs(after - expected) <= table.margin() / 2);
      const auto bounds = [&](bool asked) {
        return table.bounds_after(
            pieces, host.type, amounts, task, [&](double) { return asked; }, piece);
      };
      const auto [least, most] = bounds(true);
      REQUIRE(bounds(false) == std::pair{most, most});
      REQUIRE(least <= after + table.margin() / 2);
      REQUIRE(most >= after - table.margin() / 2);
      bounded += least < most ? 1 : 0;
    }
  }
  CHECK(tables > 100);
  CHECK(bounded > 100);  // some amounts of cores lie between two that are kept
}

TEST_CASE("with the least amounts a node is as useful, and with fewer it is not",
          "[placement][property][long]") {
  int fewer = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    drawn_mix drawn{seed};
    const task_mix mix = drawn.mix();
    const mix_table table{mix};
    if (!table.exists()) continue;
    for (int draw = 0; draw < 40; ++draw) {
      const gpu_node host = drawn.node();
      const std::size_t now = table.amounts_in(host.free_core_thousandths);
      const std::size_t least = table.least_amounts(pieces_of(host), host.type, now);
      const auto fragmented = [&](std::int64_t cores) {
        gpu_node with = host;
        with.free_core_thousandths = cores;
        return expected_fragmentation(with, mix);
      };
      const double as_it_is = fragmented(host.free_core_thousandths);
      REQUIRE(least <= now);
      if (least > 0) REQUIRE(table.amounts_in(table.cores_of(least)) == least);
      REQUIRE(fragmented(table.cores_of(least)) == as_it_is);
      if (least == 0 || host.free_gpu_thousandths() == 0) continue;
      REQUIRE(fragmented(table.cores_of(least) - 1) > as_it_is);
      fewer += least < now ? 1 : 0;
    }
  }
  CHECK(fewer > 300);
}

TEST_CASE("no fall is more than the most of the table", "[placement][property]") {
  int reached = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CAPTURE(seed);
    drawn_mix drawn{seed};
    const task_mix mix = drawn.mix();
    const mix_table table{mix};
    if (!table.exists()) continue;
    for (int draw = 0; draw < 40; ++draw) {
      const gpu_node host = drawn.node();
      const gpu_task task = drawn.task();
      if (!can_host(host, task)) continue;
      const double after = host.free_gpu_thousandths() - task.total_gpu_thousandths() -
                           most_useful_after(host, task, mix, mix_table::any_piece);
      const double fall = expected_fragmentation(host, mix) - after;
      const double most = table.most_fall(
          pieces_of(host), host.type, table.amounts_in(host.free_core_thousandths),
          table.amounts_in(host.free_core_thousandths - task.core_thousandths), task);
      REQUIRE(fall <= most + table.margin());
      reached += fall >= most - table.margin() ? 1 : 0;
    }
  }
  CHECK(reached > 500);  // and it is often no more than that
}

TEST_CASE("there is no table of too many different demands for several GPUs", "[placement]") {
  std::vector<task_share> kinds;
  for (int share = 1; share <= 100; ++share)
    kinds.push_back({{.gpus = 2, .gpu_thousandths = share}, 1});
  CHECK_FALSE(mix_table{task_mix{kinds}}.exists());
  CHECK_FALSE(mix_table{task_mix{}}.exists());
  CHECK(mix_table{task_mix{}}.amounts_in(1000) == 0);
}

// Where amounts differ by much, several lie in one of the equal parts of their range.
TEST_CASE("amounts of cores are counted as a look at each counts them", "[placement]") {
  for (const std::int64_t most : {std::int64_t{1}, std::int64_t{900}, std::int64_t{131071},
                                  std::int64_t{131072}, std::int64_t{5000000}}) {
    random_numbers random{static_cast<std::uint64_t>(most)};
    std::vector<task_share> kinds;
    std::set<std::int64_t> amounts;
    for (int kind = 0; kind < 300; ++kind) {
      const auto drawn =
          static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most) + 1));
      const std::int64_t cores = kind == 0 ? most : drawn;
      kinds.push_back({{.core_thousandths = cores}, 1});
      amounts.insert(cores);
    }
    const mix_table table{task_mix{kinds}};
    const auto counted = [&](std::int64_t cores) {
      return static_cast<std::size_t>(std::distance(amounts.begin(), amounts.upper_bound(cores)));
    };
    for (const std::int64_t amount : amounts)
      for (std::int64_t cores = amount - 1; cores <= amount + 1; ++cores)
        REQUIRE(table.amounts_in(cores) == counted(cores));
    REQUIRE(table.amounts_in(2 * most + 1) == amounts.size());
  }
}

}  // namespace
}  // namespace gpuplan::detail
