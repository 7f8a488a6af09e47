#include <gpuplan/comm/node_collective.hpp>

#include <gpuplan/hardware/catalog.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr collective_rates rates{.gather = 300 * GB / second,
                                 .all_reduce = 400 * GB / second,
                                 .all_to_all = 250 * GB / second,
                                 .small_share = 0.4,
                                 .base = 5 * us,
                                 .hop = 1 * us,
                                 .simple_base = 20 * us,
                                 .simple_hop = 0.5 * us,
                                 .exchange_small_share = 0.1,
                                 .exchange_base = 7 * us,
                                 .exchange_simple_base = 15 * us,
                                 .own_copy = 1 * TB / second};

static_assert(node_collective_time(rates, collective::all_gather, 1, 1 * GB).total() == seconds{0},
              "one rank has no one to talk to");

template <class... Args>
concept accepts = requires(Args... args) {
  node_collective_time(args...);
};
static_assert(accepts<collective_rates, collective, int, bytes>);
static_assert(!accepts<collective_rates, collective, int, double>, "a message needs a unit");
static_assert(!accepts<collective_rates, collective, int, bytes, bool>);

TEST_CASE("small messages take the short way, large ones the wide one", "[comm][facts]") {
  // By hand: 8 ranks; 1 KiB: 5 + 7 us and 7/8 of it at 0.4 x 300 GB/s; 1 GB: 20 + 7 x 0.5 us and
  // 7/8 of it at 300 GB/s; an all-reduce twice as many steps and bytes, at 400 GB/s.
  const auto gather = [](bytes m) {
    return node_collective_time(rates, collective::all_gather, 8, m).total().in(us);
  };
  CHECK_THAT(gather(1024 * byte), WithinRel(12 + 0.875 * 1024 / 0.12e6, 1e-12));
  CHECK_THAT(gather(1 * GB), WithinRel(23.5 + 0.875e9 / 0.3e6, 1e-12));
  CHECK_THAT(node_collective_time(rates, collective::all_reduce, 8, 1 * GB).total().in(us),
             WithinRel(27 + 1.75e9 / 0.4e6, 1e-12));
  CHECK_THAT(node_collective_time(rates, collective::all_to_all, 8, 1 * GB).total().in(us),
             WithinRel(15 + 0.875e9 / 0.25e6, 1e-12));
}

TEST_CASE("a piece that is copied costs the copy", "[comm][facts]") {
  const auto time = [](collective what, own_piece own) {
    return node_collective_time(rates, what, 4, 1 * GB, own).total();
  };
  // By hand: a quarter of 1 GB at 1 TB/s.
  for (const collective what :
       {collective::all_gather, collective::reduce_scatter, collective::all_to_all})
    CHECK_THAT((time(what, own_piece::copied) - time(what, own_piece::in_place)).in(us),
               Catch::Matchers::WithinAbs(250, 1e-6));
  CHECK(time(collective::all_reduce, own_piece::copied) ==
        time(collective::all_reduce, own_piece::in_place));
}

TEST_CASE("a larger message takes longer, at most at the measured rate", "[comm][property]") {
  testing::check_property("bus bandwidth of a node", [] {
    const int ranks = *rc::gen::inRange(2, 9);
    const bytes message = *rc::gen::inRange(1, 1'000'000'000) * byte;
    for (const catalog::accelerator_entry& entry : catalog::accelerators) {
      const collective_rates& known = entry.gpu->operators.collectives;
      if (!(known.gather > bytes_per_second{0})) continue;
      const auto time = node_collective_time(known, collective::all_gather, ranks, message);
      RC_ASSERT(time.total() <
                node_collective_time(known, collective::all_gather, ranks, 2 * message).total());
      RC_ASSERT((ranks - 1.0) / ranks * message / time.total() <= known.gather);
    }
  });
}

TEST_CASE("node_collective_time refuses what its documentation refuses", "[comm][errors]") {
  const bytes one = 1 * byte;
  CHECK_THROWS_AS(node_collective_time(rates, collective::all_gather, 0, one), invalid_input);
  CHECK_THROWS_AS(node_collective_time(rates, collective::all_gather, 2, -1 * byte), invalid_input);
  CHECK_THROWS_AS(node_collective_time(rates, collective::broadcast, 2, one), invalid_input);
  CHECK_THROWS_AS(node_collective_time(collective_rates{}, collective::all_gather, 2, one),
                  invalid_input);
  collective_rates uncopied = rates;
  uncopied.own_copy = bytes_per_second{0};
  CHECK_THROWS_AS(node_collective_time(uncopied, collective::all_gather, 2, one, own_piece::copied),
                  invalid_input);
}

}  // namespace
}  // namespace gpuplan
