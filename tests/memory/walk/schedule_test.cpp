#include "memory/walk/schedule.hpp"

#include <map>
#include <set>
#include <tuple>

#include <gpuplan/memory/in_flight.hpp>

#include "support/catch.hpp"

namespace gpuplan::testing {
namespace {

walked_job job_of(pipeline_schedule schedule, int ranks, int micro_batches, int chunks = 1) {
  walked_job job{.parallelism = {.pipeline = ranks, .interleave = chunks}};
  job.recipe.schedule = schedule;
  job.recipe.global_batch_size = micro_batches;
  return job;
}

/// Of one direction through the model: of DualPipe there are two, each with its own micro-batches.
using step_of_model = std::tuple<pass_kind, int, int, int>;  ///< kind, way, piece, micro-batch

/// Runs all ranks beside each other, each pass as soon as those that it needs are done; says how
/// many passes ran.
std::size_t passes_that_run(const walked_job& job, std::size_t& all) {
  const int ranks = job.parallelism.pipeline;
  const int pieces = pieces_cut(job);
  std::vector<rank_order> orders;
  for (int rank = 0; rank < ranks; ++rank) {
    orders.push_back(order_of(job, rank));
    all += orders.back().passes.size();
  }
  std::set<step_of_model> done;
  const auto is_done = [&](pass_kind kind, int way, int piece, int i) {
    return done.contains({kind, way, piece, i}) ||
           (kind == pass_kind::backward_input &&
            done.contains({pass_kind::backward, way, piece, i}));
  };
  const auto may_run = [&](const pass& one, int way, int piece) {
    const int i = one.micro_batch;
    switch (one.kind) {
      case pass_kind::forward: return piece == 0 || is_done(pass_kind::forward, way, piece - 1, i);
      case pass_kind::backward:
      case pass_kind::backward_input:
        return is_done(pass_kind::forward, way, piece, i) &&
               (piece == pieces - 1 || is_done(pass_kind::backward_input, way, piece + 1, i));
      case pass_kind::backward_weight: return is_done(pass_kind::backward_input, way, piece, i);
    }
    return false;
  };
  std::vector<std::size_t> next(static_cast<std::size_t>(ranks), 0);
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t rank = 0; rank < orders.size(); ++rank)
      while (next[rank] < orders[rank].passes.size()) {
        const pass& one = orders[rank].passes[next[rank]];
        const int piece = orders[rank].pieces[static_cast<std::size_t>(one.chunk)];
        const bool there =
            job.recipe.schedule != pipeline_schedule::dualpipe || piece == static_cast<int>(rank);
        if (!may_run(one, there ? 0 : 1, piece)) break;
        if (!done.insert({one.kind, there ? 0 : 1, piece, one.micro_batch}).second) break;
        ++next[rank];
        moved = true;
      }
  }
  return done.size();
}

/// The most micro-batches of one rank between forward and backward pass, in all of its layers, and
/// those that then wait for weight gradients.  DualPipe's are counted in the layers of one stage.
micro_batches_in_flight most_in_flight(const walked_job& job, int rank) {
  const rank_order order = order_of(job, rank);
  const bool both_ways = job.recipe.schedule == pipeline_schedule::dualpipe;
  const double chunks = both_ways ? 1 : static_cast<double>(order.pieces.size());
  micro_batches_in_flight now;
  micro_batches_in_flight most;
  for (const pass& one : order.passes) {
    if (one.kind == pass_kind::forward) now.forward += 1 / chunks;
    if (now.forward > most.forward + 1e-9 ||
        (now.forward > most.forward - 1e-9 && now.weight_gradient > most.weight_gradient))
      most = now;
    if (one.kind == pass_kind::backward) now.forward -= 1 / chunks;
    if (one.kind == pass_kind::backward_input) {
      now.forward -= 1 / chunks;
      now.weight_gradient += 1 / chunks;
    }
    if (one.kind == pass_kind::backward_weight) now.weight_gradient -= 1 / chunks;
  }
  return most;
}

TEST_CASE("the orders of all ranks run to their end", "[memory][walk]") {
  const auto schedule =
      GENERATE(pipeline_schedule::gpipe, pipeline_schedule::one_forward_one_backward,
               pipeline_schedule::zero_bubble_h1, pipeline_schedule::zero_bubble_h2,
               pipeline_schedule::zero_bubble_v, pipeline_schedule::dualpipe);
  const int ranks = GENERATE(2, 4, 8);
  const int rounds = GENERATE(1, 2, 3, 5);
  const int chunks = GENERATE(1, 2, 3);
  const bool interleaves = schedule == pipeline_schedule::one_forward_one_backward;
  const bool both_ways = schedule == pipeline_schedule::dualpipe;
  if ((chunks > 1 && !interleaves) || (both_ways && rounds < 2)) return;
  const walked_job job = job_of(schedule, ranks, rounds * ranks, chunks);
  std::size_t all = 0;
  const std::size_t ran = passes_that_run(job, all);
  CHECK(ran == all);
  for (int rank = 0; rank < ranks; ++rank) {
    std::map<pass_kind, int> count;
    const rank_order order = order_of(job, rank);
    for (const pass& one : order.passes) ++count[one.kind];
    const int each = rounds * ranks * static_cast<int>(order.pieces.size()) / (both_ways ? 2 : 1);
    CHECK(count[pass_kind::forward] == each);
    CHECK(count[pass_kind::backward] + count[pass_kind::backward_input] == each);
    CHECK(count[pass_kind::backward_weight] == count[pass_kind::backward_input]);
  }
}

TEST_CASE("orders hold what in_flight says", "[memory][walk]") {
  const auto schedule =
      GENERATE(pipeline_schedule::gpipe, pipeline_schedule::one_forward_one_backward,
               pipeline_schedule::zero_bubble_h1, pipeline_schedule::zero_bubble_h2,
               pipeline_schedule::zero_bubble_v, pipeline_schedule::dualpipe);
  const int ranks = GENERATE(2, 4, 8);
  const int rounds = GENERATE(2, 3, 5);
  const int chunks = GENERATE(1, 2, 3);
  if (chunks > 1 && schedule != pipeline_schedule::one_forward_one_backward) return;
  const walked_job job = job_of(schedule, ranks, rounds * ranks, chunks);
  for (int rank = 0; rank < ranks; ++rank) {
    const micro_batches_in_flight most = most_in_flight(job, rank);
    const micro_batches_in_flight formula =
        in_flight(job.recipe, job.parallelism, rank, rounds * ranks);
    CAPTURE(schedule, ranks, rounds, chunks, rank);
    CHECK(most.forward == Approx(formula.forward));
    if (schedule == pipeline_schedule::zero_bubble_v || schedule == pipeline_schedule::dualpipe)
      continue;  // weight gradients follow at once but at the end
    CHECK(most.weight_gradient == Approx(formula.weight_gradient));
  }
}

}  // namespace
}  // namespace gpuplan::testing
