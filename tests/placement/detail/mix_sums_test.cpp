#include <gpuplan/placement/detail/mix_sums.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gpuplan/placement/detail/core_amounts.hpp>
#include <gpuplan/placement/expected_fragmentation.hpp>
#include <gpuplan/placement/gpu_task.hpp>
#include <gpuplan/simulate/random_numbers.hpp>

#include "support/catch.hpp"

namespace gpuplan::detail {
namespace {

core_amounts amounts_of(const std::vector<task_share>& kinds) {
  std::vector<std::int64_t> all;
  for (const task_share& each : kinds) all.push_back(each.task.core_thousandths);
  return core_amounts{all};
}

std::vector<task_share> drawn_kinds(random_numbers& random, int count, std::uint64_t cores) {
  constexpr std::array counts{0, 1, 1, 1, 2, 4};
  std::vector<task_share> kinds;
  for (int i = 0; i < count; ++i) {
    task_share one{.popularity = 1.0 + static_cast<double>(random.below(8))};
    one.task.gpus = counts[random.below(counts.size())];
    one.task.gpu_thousandths = whole_gpu;
    if (one.task.gpus == 1) one.task.gpu_thousandths = 1 + static_cast<int>(random.below(1000));
    if (one.task.gpus == 2)
      one.task.gpu_thousandths = 250 * (1 + static_cast<int>(random.below(4)));
    one.task.core_thousandths = static_cast<std::int64_t>(random.below(cores));
    if (random.below(3) == 0) one.task.accepted_types = 1 + random.below(7);
    kinds.push_back(one);
  }
  return kinds;
}

/// The share of the mix that passes a test.
template <class Test>
double share_of(const std::vector<task_share>& kinds, const Test& test) {
  double all = 0;
  double some = 0;
  for (const task_share& each : kinds) {
    all += each.popularity;
    if (test(each.task)) some += each.popularity;
  }
  return some / all;
}

bool accepts(const gpu_task& task, int type) {
  return task.accepted_types == 0 || ((task.accepted_types >> type) & 1U) != 0;
}

TEST_CASE("mix_sums: shares are those of a look at each kind", "[mix_sums]") {
  random_numbers random{11};
  for (const int count : {1, 30, 3000}) {
    const std::vector<task_share> kinds = drawn_kinds(random, count, 16'000);
    const core_amounts amounts = amounts_of(kinds);
    const mix_sums sums{task_mix{kinds}, amounts};
    if (sums.levels() == 0) continue;  // no kind has a GPU
    for (int i = 0; i < 30; ++i) {
      const auto cores = static_cast<std::int64_t>(random.below(17'000));
      const int most = static_cast<int>(random.below(1001));
      const int type = static_cast<int>(random.below(4));
      const auto row = sums.at(amounts.within(cores), type);
      const auto fits = [&](const gpu_task& task) {
        return task.core_thousandths <= cores && accepts(task, type);
      };
      CHECK(row.one(most) == Approx(share_of(kinds, [&](const gpu_task& task) {
                               return task.gpus == 1 && task.gpu_thousandths <= most && fits(task);
                             })).margin(1e-12));
      for (std::size_t g = 0; g < sums.groups().size(); ++g) {
        const mix_sums::group& group = sums.groups()[g];
        CHECK(row.many(g) == Approx(share_of(kinds, [&](const gpu_task& task) {
                               return task.gpus == group.gpus &&
                                      task.gpu_thousandths == group.thousandths && fits(task);
                             })).margin(1e-12));
      }
    }
  }
}

TEST_CASE("mix_sums: what a level keeps is no more than what is there, and no less above",
          "[mix_sums]") {
  random_numbers random{13};
  const std::vector<task_share> kinds = drawn_kinds(random, 5000, 1'000'000);
  const core_amounts amounts = amounts_of(kinds);
  const mix_sums sums{task_mix{kinds}, amounts};
  REQUIRE(sums.levels() > 2);
  REQUIRE(sums.levels() < amounts.size());
  int levels = 0;
  for (std::size_t at = 0; at <= amounts.size(); at += 37) {
    const std::size_t level = sums.level_of(at);
    CHECK(sums.kinds_of_level(level) <= sums.kinds_within(at));
    const auto exact = sums.at(at, 0);
    const auto below = sums.at_level(level, 0);
    for (const int most : {0, 1, 250, 999, 1000}) {
      CHECK(below.one(most) <= exact.one(most) + 1e-12);
      if (sums.is_level(at)) {
        ++levels;
        CHECK(below.one(most) == exact.one(most));
      } else {
        CHECK(sums.at_level(level + 1, 0).one(most) >= exact.one(most) - 1e-12);
      }
    }
  }
  CHECK(levels > 0);
}

TEST_CASE("mix_sums: none where too many kinds differ in what they ask of several GPUs",
          "[mix_sums]") {
  std::vector<task_share> kinds;
  for (int share = 1; share <= 24; ++share)
    kinds.push_back({.task = {.gpus = 2, .gpu_thousandths = share}, .popularity = 1});
  CHECK(mix_sums{task_mix{kinds}, amounts_of(kinds)}.levels() > 0);
  kinds.push_back({.task = {.gpus = 2, .gpu_thousandths = 25}, .popularity = 1});
  CHECK(mix_sums{task_mix{kinds}, amounts_of(kinds)}.levels() == 0);
}

}  // namespace
}  // namespace gpuplan::detail
