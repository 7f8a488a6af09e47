#include <gpuplan/placement/detail/request_index.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <gpuplan/placement/gpu_task.hpp>
#include <gpuplan/simulate/random_numbers.hpp>

#include "support/catch.hpp"

namespace gpuplan::detail {
namespace {

constexpr double impossible = request_index::impossible;

TEST_CASE("a request is kept once searches have cost enough", "[placement]") {
  std::vector<double> scores{1, 3, 2, 3};
  request_index index{scores.size()};
  const auto score = [&](std::size_t node) { return scores[node]; };
  const gpu_task task{.gpus = 2};
  CHECK_FALSE(index.best(task, score, score));
  index.count_search(task, 7);
  CHECK(index.best(task, score, score) == std::size_t{1});  // of equal ones the first
  CHECK_FALSE(index.best({.gpus = 3}, score, score));
  scores[1] = 0;
  index.note_change(1);
  CHECK(index.best(task, score, score) == std::size_t{3});
  scores[0] = 3;
  index.note_change(0);
  CHECK(index.best(task, score, score) == std::size_t{0});
  for (std::size_t node = 0; node < 4; ++node) {
    scores[node] = impossible;
    index.note_change(node);
  }
  CHECK(index.best(task, score, score) == request_index::nowhere);
}

TEST_CASE("a request is not kept where nodes change too often", "[placement]") {
  const std::vector<double> scores(400, 1.0);
  request_index index{scores.size()};
  const auto score = [&](std::size_t node) { return scores[node]; };
  const gpu_task task{};
  index.count_search(task, 60);
  for (std::size_t change = 0; change < 400; ++change) index.note_change(change);
  index.count_search(task, 40);  // as much as a look at 400 nodes, and 400 changed
  CHECK_FALSE(index.best(task, score, score));
  index.count_search(task, 100);
  CHECK(index.best(task, score, score) == std::size_t{0});
  for (std::size_t change = 0; change < 300; ++change) index.note_change(change);
  CHECK_FALSE(index.best(task, score, score));  // to look at all anew would cost as much
  index.count_search(task, 100);
  CHECK(index.best(task, score, score) == std::size_t{0});
}

// Scores of few values, so that there are ties; bounds are more by some.
struct drawn_scores {
  random_numbers random;
  std::size_t nodes;
  std::vector<std::vector<double>> score;
  std::vector<std::vector<double>> bound;

  drawn_scores(std::uint64_t seed, std::size_t requests)
      : random{seed},
        nodes{1 + random.below(300)},
        score(requests, std::vector<double>(nodes)),
        bound{score} {
    for (std::size_t node = 0; node < nodes; ++node) draw(node);
  }
  void draw(std::size_t node) {
    const bool full = random.below(3) == 0;
    for (std::size_t request = 0; request < score.size(); ++request) {
      const auto points = static_cast<double>(random.below(20));
      score[request][node] = full ? impossible : points;
      bound[request][node] = full ? impossible : points + static_cast<double>(random.below(3));
    }
  }
  [[nodiscard]] std::size_t best(std::size_t request) const {
    std::size_t found = request_index::nowhere;
    double most = impossible;
    for (std::size_t node = 0; node < nodes; ++node)
      if (score[request][node] > most) most = score[request][found = node];
    return found;
  }
};

TEST_CASE("the best node is that of a look at each", "[placement][property]") {
  int kept = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    constexpr std::size_t requests = 5;
    drawn_scores drawn{seed, requests};
    request_index index{drawn.nodes};
    for (int step = 0; step < 2000; ++step) {
      const std::size_t request = drawn.random.below(requests);
      const gpu_task task{.core_thousandths = static_cast<std::int64_t>(request)};
      const auto found = index.best(
          task, [&](std::size_t node) { return drawn.bound[request][node]; },
          [&](std::size_t node) { return drawn.score[request][node]; });
      if (found) {
        REQUIRE(*found == drawn.best(request));
        ++kept;
      } else {
        index.count_search(task, 1 + drawn.random.below(20));
      }
      // Now and then so many change that what is kept is dropped.
      for (std::uint64_t n = drawn.random.below(step % 300 == 299 ? 500 : 8); n > 0; --n) {
        const std::size_t node = drawn.random.below(drawn.nodes);
        drawn.draw(node);
        index.note_change(node);
      }
    }
  }
  CHECK(kept > 60000);
}

TEST_CASE("requests that never come again are forgotten", "[placement]") {
  request_index index{1};
  const auto score = [](std::size_t) { return 1.0; };
  const gpu_task usual{.gpus = 1};
  index.count_search(usual, 9);
  CHECK(index.best(usual, score, score) == std::size_t{0});
  for (int cores = 1; cores <= 5000; ++cores) index.count_search({.core_thousandths = cores}, 1);
  CHECK_FALSE(index.best(usual, score, score));
  index.count_search(usual, 9);
  CHECK(index.best(usual, score, score) == std::size_t{0});
}

}  // namespace
}  // namespace gpuplan::detail
