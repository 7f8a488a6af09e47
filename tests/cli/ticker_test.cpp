#include <chrono>
#include <future>
#include <vector>

#include <gpuplan/ticker.hpp>

#include "support/catch.hpp"

namespace {

using gpuplan::cli::ticker;
using std::chrono::milliseconds;

TEST_CASE("intervals are counted until the end, and the last is told", "[cli]") {
  std::vector<int> shown;
  std::vector<int> ended;
  {
    std::promise<void> third;
    const ticker counts{milliseconds{1},
                        [&](int count) {
                          shown.push_back(count);
                          if (count == 3) third.set_value();
                        },
                        [&](int count) { ended.push_back(count); }};
    third.get_future().wait();
  }
  REQUIRE(shown.size() >= 3);
  for (std::size_t i = 0; i < shown.size(); ++i) CHECK(shown[i] == static_cast<int>(i) + 1);
  CHECK(ended == std::vector<int>{shown.back()});
}

TEST_CASE("work of less than an interval shows nothing, and does not wait for it", "[cli]") {
  int calls = 0;
  {
    const auto call = [&](int) { ++calls; };
    const ticker counts{std::chrono::hours{1}, call, call};
  }
  CHECK(calls == 0);
}

}  // namespace
