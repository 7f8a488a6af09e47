#include <gpuplan/comm/ulysses.hpp>

#include <limits>

#include <gpuplan/comm/all_to_all.hpp>
#include <gpuplan/comm/traffic.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr transformer model{
    .layers = 1, .hidden_size = 1024, .attention_heads = 16, .kv_heads = 4, .head_dim = 64};
constexpr interconnect fast{2 * us, 400 * GB / second};
constexpr interconnect slow{10 * us, 50 * GB / second};

static_assert(ulysses_messages_of(model, {.context = 4}, 100, bytes{2}).queries ==
              100 * 1024 * bytes{2});
static_assert(ulysses_messages_of(model, {.context = 4}, 100, bytes{2}).keys ==
                  100 * 256 * bytes{2},
              "four key heads of 64");
static_assert(ulysses_messages_of(model, {.tensor = 4, .context = 4}, 100, bytes{2}).total() ==
              100 * (2 * 256 + 2 * 64) * bytes{2});

constexpr transformer latent{.layers = 1,
                             .hidden_size = 7168,
                             .attention_heads = 128,
                             .latent = {.query_rank = 1536,
                                        .kv_rank = 512,
                                        .rope_head_dim = 64,
                                        .content_head_dim = 128,
                                        .value_head_dim = 128}};
static_assert(ulysses_messages_of(latent, {.context = 8}, 1, bytes{1}).keys == 128 * 192 * bytes{1},
              "expanded: as many key heads as heads");

static_assert(ulysses_time(fast, slow, {1, 1}, {.queries = 1 * GB}).total() == seconds{0},
              "one rank has no one to talk to");

TEST_CASE("what ranks send is what changes hands, counted value by value", "[comm][reference]") {
  // Before attention rank r has the tokens of its part of the sequence, all heads; then it has all
  // tokens, of its part of the heads.
  const int ranks = GENERATE(1, 2, 4);
  const int sequence = 16;
  const auto values_that_leave = [&](int rank, int heads, int width) {
    int count = 0;
    for (int token = 0; token < sequence; ++token)
      for (int head = 0; head < heads; ++head) {
        const bool mine = token * ranks / sequence == rank;
        const bool stays = head * ranks / heads == rank;
        if (mine && !stays) count += width;
      }
    return count;
  };
  const double rows = static_cast<double>(sequence) / ranks;
  const ulysses_messages sent = ulysses_messages_of(model, {.context = ranks}, rows, bytes{2});
  for (int rank = 0; rank < ranks; ++rank) {
    const int counted = 2 * values_that_leave(rank, 16, 64) + 2 * values_that_leave(rank, 4, 64);
    CHECK(sent_by_each(collective::all_to_all, ranks, sent.total()) == counted * bytes{2});
  }
  const bytes whole = sequence * 1024 * bytes{2};
  CHECK(ulysses_traffic(ranks, whole, 0.25) ==
        sent_by_each(collective::all_to_all, ranks, sent.total()));
}

TEST_CASE("within a node it is four all-to-alls of its links", "[comm][cross-check]") {
  const ulysses_messages sent = ulysses_messages_of(model, {.context = 4}, 4096, bytes{2});
  seconds sum;
  for (const bytes message : {sent.queries, sent.keys, sent.values, sent.output})
    sum += all_to_all(all_to_all_algorithm::direct, fast, 4, message).total();
  CHECK_THAT(ulysses_time(fast, slow, {4, 4}, sent).total().in(second),
             WithinRel(sum.in(second), 1e-14));
  CHECK(ulysses_time(fast, slow, {4, 2}, sent).total() > sum);
  CHECK(ulysses_time(fast, slow, {4, 1}, sent).total() ==
        ulysses_time(slow, slow, {4, 4}, sent).total());
}

TEST_CASE("ulysses refuses what its documentation refuses", "[comm][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(ulysses_messages_of(model, {}, nan, bytes{2}), invalid_input);
  CHECK_THROWS_AS(ulysses_messages_of(model, {}, 1, bytes{-1}), invalid_input);
  CHECK_THROWS_AS(ulysses_time(fast, slow, {0, 1}, {}), invalid_input);
  CHECK_THROWS_AS(ulysses_time(fast, slow, {4, 5}, {}), invalid_input);
  CHECK_THROWS_AS(ulysses_time(fast, slow, {4, 0}, {}), invalid_input);
  CHECK_THROWS_AS(ulysses_time(interconnect{}, slow, {4, 4}, {}), invalid_input);
}

}  // namespace
}  // namespace gpuplan
