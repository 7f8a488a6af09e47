#include <gpuplan/placement/detail/score_board.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <gpuplan/placement/gpu_task.hpp>
#include <gpuplan/simulate/random_numbers.hpp>

#include "support/catch.hpp"

namespace gpuplan::detail {
namespace {

// Values of requests, told apart by their cores, of few kinds so that there are ties.
struct drawn_values {
  random_numbers random;
  std::vector<std::vector<std::uint8_t>> value;  // by request and node

  drawn_values(std::uint64_t seed, std::size_t requests, std::size_t nodes)
      : random{seed}, value(requests, std::vector<std::uint8_t>(nodes)) {
    for (std::size_t node = 0; node < nodes; ++node) draw(node);
  }
  void draw(std::size_t node) {
    const bool full = random.below(3) == 0;
    for (std::vector<std::uint8_t>& each : value)
      each[node] = static_cast<std::uint8_t>(full ? 0 : random.below(8) * 36);
  }
  [[nodiscard]] auto reader() const {
    return [this](std::size_t node, const gpu_task& task) {
      return value[static_cast<std::size_t>(task.core_thousandths)][node];
    };
  }
  [[nodiscard]] std::size_t best(std::size_t request) const {
    std::size_t found = score_board::nowhere;
    for (std::size_t node = 0; node < value[request].size(); ++node)
      if (value[request][node] > (found == score_board::nowhere ? 0 : value[request][found]))
        found = node;
    return found;
  }
};

gpu_task request_of(std::size_t number) {
  return {.core_thousandths = static_cast<std::int64_t>(number)};
}

TEST_CASE("the board finds the node that a look at each finds", "[placement]") {
  for (const std::size_t nodes : {1U, 2U, 16U, 17U, 256U, 257U, 700U}) {
    constexpr std::size_t requests = 150;  // more than there is room for at first, twice
    drawn_values drawn{nodes, requests, nodes};
    score_board board{nodes};
    for (std::size_t turn = 0; turn < 1500; ++turn) {
      const std::size_t request = drawn.random.below(turn < 500 ? requests / 10 : requests);
      if (const auto found = board.best(request_of(request), drawn.reader())) {
        REQUIRE(*found == drawn.best(request));
      } else {
        board.count_search(request_of(request), nodes);
        REQUIRE(board.best(request_of(request), drawn.reader()) == drawn.best(request));
      }
      const std::size_t node = drawn.random.below(nodes);
      drawn.draw(node);
      board.note_change(node, drawn.reader());
    }
    CHECK(board.kept() > requests / 10);
  }
}

TEST_CASE("a request has a column once searches have cost enough", "[placement]") {
  const drawn_values drawn{1, 1, 400};
  score_board board{400};
  board.count_search(request_of(0), 99);
  CHECK_FALSE(board.best(request_of(0), drawn.reader()));
  board.count_search(request_of(0), 1);
  CHECK(board.best(request_of(0), drawn.reader()) == drawn.best(0));
  CHECK(board.kept() == 1);
}

TEST_CASE("a request has no column while nodes change too often", "[placement]") {
  const drawn_values drawn{1, 1, 400};
  score_board board{400};
  board.count_search(request_of(0), 60);
  for (std::size_t change = 0; change < 400; ++change) board.note_change(change, drawn.reader());
  board.count_search(request_of(0), 40);  // as much as 400 values, and 400 nodes changed
  CHECK_FALSE(board.best(request_of(0), drawn.reader()));
  board.count_search(request_of(0), 100);
  CHECK(board.best(request_of(0), drawn.reader()) == drawn.best(0));
}

TEST_CASE("a request that does not come again loses its column", "[placement]") {
  drawn_values drawn{1, 2, 400};
  score_board board{400};
  for (const std::size_t request : {0U, 1U}) {
    board.count_search(request_of(request), 100);
    CHECK(board.best(request_of(request), drawn.reader()) == drawn.best(request));
  }
  for (std::size_t change = 0; change < 1100; ++change) {
    drawn.draw(change % 400);
    board.note_change(change % 400, drawn.reader());
    CHECK(board.best(request_of(1), drawn.reader()) == drawn.best(1));
  }
  CHECK(board.kept() == 1);
  CHECK_FALSE(board.best(request_of(0), drawn.reader()));
  board.count_search(request_of(0), 100);
  CHECK(board.best(request_of(0), drawn.reader()) == drawn.best(0));  // not what it was
}

TEST_CASE("no column is given for which there is no room", "[placement]") {
  const drawn_values drawn{1, 100, 8};
  score_board board{8, 8 * 64};
  for (std::size_t request = 0; request < 100; ++request) {
    board.count_search(request_of(request), 100);
    const auto found = board.best(request_of(request), drawn.reader());
    CHECK(found == (request < 64 ? std::optional{drawn.best(request)} : std::nullopt));
  }
  CHECK(board.kept() == 64);
}

}  // namespace
}  // namespace gpuplan::detail
