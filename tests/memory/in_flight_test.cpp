#include <gpuplan/memory/in_flight.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

constexpr recipe of(pipeline_schedule schedule) {
  return {.schedule = schedule};
}
constexpr recipe one_forward = of(pipeline_schedule::one_forward_one_backward);
constexpr parallelism four{.pipeline = 4};

static_assert(in_flight(one_forward, four, 0, 16).total() == 4);
static_assert(in_flight(one_forward, four, 3, 16).total() == 1);
static_assert(in_flight(one_forward, four, 0, 2).total() == 2, "no more than there are");
static_assert(in_flight(of(pipeline_schedule::gpipe), four, 3, 16).total() == 16);
static_assert(in_flight(of(pipeline_schedule::gpipe), {}, 0, 16).total() == 1,
              "one rank runs each backward pass before the next forward pass");
static_assert(in_flight(of(pipeline_schedule::zero_bubble_h1), four, 0, 16).forward == 4);
static_assert(in_flight(of(pipeline_schedule::zero_bubble_h1), four, 3, 16).forward == 1);
static_assert(in_flight(of(pipeline_schedule::zero_bubble_h1), four, 3, 16).weight_gradient == 3);
static_assert(in_flight(of(pipeline_schedule::zero_bubble_h2), four, 0, 16).total() == 7);
static_assert(in_flight(of(pipeline_schedule::zero_bubble_h2), four, 3, 16).total() == 7);
static_assert(in_flight(of(pipeline_schedule::zero_bubble_v), four, 3, 16).total() == 4);
static_assert(in_flight(of(pipeline_schedule::dualpipe), four, 2, 16).total() == 5);

constexpr parallelism chunks{.pipeline = 4, .interleave = 2};
static_assert(in_flight(one_forward, chunks, 0, 16).total() == 4 * (1 + 3.0 / 8),
              "Korthikanti et al. (2023): p (1 + (p - 1)/(p v))");
static_assert(interleaved_in_flight(one_forward, chunks, 0, 0, 16) == 7,
              "four, then three of the next group");
static_assert(interleaved_in_flight(one_forward, chunks, 0, 1, 16) == 4);
static_assert(interleaved_in_flight(one_forward, chunks, 3, 0, 16) == 4);
static_assert(interleaved_in_flight(one_forward, chunks, 3, 1, 16) == 1);

// Three groups of four, and of the fourth one micro-batch: K = 7 + 4 = 11 passes, of which the
// first round has 8; of the next, chunk 0 has the one that is left, chunk 1 too.
static_assert(interleaved_in_flight(one_forward, chunks, 0, 0, 5) == 5);
static_assert(interleaved_in_flight(one_forward, chunks, 0, 1, 5) == 5);
static_assert(interleaved_in_flight(one_forward, chunks, 1, 1, 5) == 4);

// The first chunk of rank 0 has 7 of 16 micro-batches at the rank's first backward pass, and one
// more when its own begins, after four of the other chunk.
static_assert(detail::most_on_first_chunk(one_forward, chunks, 0, 16) == 8);
static_assert(detail::most_on_first_chunk(one_forward, chunks, 0, 4) == 4, "of four all");

// A V of four ranks and 16 micro-batches: 7 passes there before one comes back on rank 0, and 4 of
// each chunk on rank 3; of 4 micro-batches rank 0 holds them all on the way there.
static_assert(detail::v_at_return(4, 0, 16).there == 7 && detail::v_at_return(4, 0, 16).back == 1);
static_assert(detail::v_at_end(4, 0, 16).there == 8 && detail::v_at_end(4, 0, 16).back == 0);
static_assert(detail::v_at_return(4, 3, 16).there == 4 && detail::v_at_return(4, 3, 16).back == 4);
static_assert(detail::v_at_return(4, 0, 4).there == 4 && detail::v_at_return(4, 0, 4).back == 1);
static_assert(detail::v_at_end(4, 0, 4).there == 4 && detail::v_at_end(4, 0, 4).back == 0);

// DualPipe: p + 1 on every rank, most of them of the near end's direction on the outer ones.
static_assert(detail::dualpipe_in_flight(4, 0, 16).there == 4);
static_assert(detail::dualpipe_in_flight(4, 3, 16).back == 1);
static_assert(detail::dualpipe_in_flight(4, 1, 16).there == 3);
static_assert(detail::dualpipe_in_flight(4, 2, 16).back == 2);

// With 4 micro-batches rank 3 of zero_bubble_h1 has one in its backward pass while 3 wait.
static_assert(detail::most_waiting(1, 3, 4).forward == 1);
static_assert(detail::most_waiting(1, 3, 4).weight_gradient == 3);
static_assert(detail::most_waiting(2, 6, 4).forward == 1, "all but one wait");

TEST_CASE("the chunks of a rank add up to the rank", "[memory][property]") {
  testing::check_property("sum over chunks = v in_flight", [] {
    const int p = *rc::gen::inRange(2, 17);
    const int v = *rc::gen::inRange(2, 9);
    const int m = *rc::gen::inRange(1, 100);
    const int rank = *rc::gen::inRange(0, p);
    const recipe how{.interleave_group = *rc::gen::element(0, p, 2 * p)};
    const parallelism cut{.pipeline = p, .interleave = v};
    double sum = 0;
    for (int chunk = 0; chunk < v; ++chunk) sum += interleaved_in_flight(how, cut, rank, chunk, m);
    RC_ASSERT(std::abs(sum - v * in_flight(how, cut, rank, m).total()) < 1e-9);
  });
}

TEST_CASE("an earlier rank never holds fewer micro-batches", "[memory][property]") {
  testing::check_property("1 <= in flight <= m, falling with the rank", [] {
    const parallelism cut{.pipeline = *rc::gen::inRange(2, 33)};
    const int m = *rc::gen::inRange(1, 100);
    const recipe how = of(static_cast<pipeline_schedule>(*rc::gen::inRange(0, 6)));
    double before = m;
    for (int rank = 0; rank < cut.pipeline; ++rank) {
      const double held = in_flight(how, cut, rank, m).total();
      RC_ASSERT(held >= 1 && held <= before);
      before = held;
    }
  });
}

TEST_CASE("in_flight refuses what its documentation refuses", "[memory][errors]") {
  CHECK_THROWS_AS(in_flight(one_forward, four, 4, 16), invalid_input);
  CHECK_THROWS_AS(in_flight(one_forward, four, -1, 16), invalid_input);
  CHECK_THROWS_AS(in_flight(one_forward, four, 0, 0), invalid_input);
  CHECK_THROWS_AS(in_flight(of(static_cast<pipeline_schedule>(99)), four, 0, 1), invalid_input);
  CHECK_THROWS_AS(interleaved_in_flight(one_forward, chunks, 0, 2, 16), invalid_input);
  CHECK_THROWS_AS(interleaved_in_flight(one_forward, chunks, 4, 0, 16), invalid_input);
  CHECK_THROWS_AS(interleaved_in_flight(one_forward, chunks, 0, 0, 0), invalid_input);
}

}  // namespace
}  // namespace gpuplan
