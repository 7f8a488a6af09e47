#pragma once
/// \file
/// The chunks of a rank of an interleaved schedule, at the moment when the rank is fullest.
///
/// A footprint is what these functions ask of it; they are templates because its type is complete
/// only after them.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include <gpuplan/memory/detail/chunk_memory.hpp>
#include <gpuplan/memory/in_flight.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/pipeline_stage.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// A moment of an interleaved schedule on one rank: `done` backward passes of chunks have ended.
struct round_moment {
  begun_rounds forward{};
  begun_rounds backward{};
  int last_chunk = 0;
  passes_by_place forward_passes{forward};
  passes_by_place backward_passes{backward};

  [[nodiscard]] constexpr double alive(int chunk) const {
    return forward_passes.at(chunk) - backward_passes.at(last_chunk - chunk);
  }
  [[nodiscard]] constexpr std::int64_t at_work() const {
    return last_chunk - backward.chunk_at_work();
  }
};

/// What each chunk of one rank adds to the moments of its schedule, so that thousands of these can
/// be compared.  Above most_chunks chunks a running sum is kept: moments are asked for in the order
/// of the schedule, so that each chunk is looked at a few times in all.
template <class Footprint>
class rank_moments {
 public:
  constexpr rank_moments(const Footprint& job, const pipeline_layers& layers, int index)
      : job_{job}, layers_{layers}, index_{index} {
    const bool at_hand = job.parallelism.interleave <= most_chunks;
    for_each_chunk(job, layers, index,
                   [&](int chunk, const stage_layers& here, const chunk_memory& memory) {
                     if (at_hand) {
                       kept_[static_cast<std::size_t>(chunk)] = memory.kept;
                       work_[static_cast<std::size_t>(chunk)] = memory.work.total();
                     }
                     all_kept_ += memory.kept;
                     has_embedding_ = has_embedding_ || here.has_embedding;
                     has_head_ = here.has_head;
                   });
  }

  [[nodiscard]] constexpr rank_sum sum(const round_moment& at) const {
    return sum_of_passes(job_, layers_, index_, at.at_work(),
                         [&](int chunk) { return at.alive(chunk); });
  }

  /// held_in_layers of sum(at): the same terms, and up to most_chunks in the same order.
  [[nodiscard]] constexpr bytes held(const round_moment& at) {
    const parallelism& cut = job_.parallelism;
    if (cut.pipeline == 1) return held_in_layers(job_, sum(at));
    rank_sum rank;
    if (cut.interleave > most_chunks)
      rank.activations =
          begun(at.forward, forward_, 0) - begun(at.backward, backward_, at.last_chunk);
    else
      rank.activations = kept_alive(at);
    if (has_embedding_) rank.embedding += at.alive(0) * job_.ends.embedding;
    const std::int64_t at_work = at.at_work();
    if (has_head_) {
      const double passes = at.alive(at.last_chunk);
      rank.heads = heads_alive(job_.recipe.schedule, cut.pipeline, {passes, 0});
      if (at_work != at.last_chunk) rank.heads.waiting = passes;
    }
    const bool works = at_work >= 0 && at_work <= at.last_chunk;
    return held_beside(job_, rank, works ? work_of(static_cast<int>(at_work)) : bytes{0});
  }

 private:
  static constexpr int most_chunks = 32;  // more than schedules in use have

  /// What the first `chunks` in the order of passes keep of a micro-batch.
  struct kept_before {
    std::int64_t chunks = 0;
    bytes sum{};
  };

  [[nodiscard]] constexpr bytes kept_alive(const round_moment& at) const {
    bytes sum{};
    for (int chunk = 0; chunk <= at.last_chunk; ++chunk)
      sum += at.alive(chunk) * kept_[static_cast<std::size_t>(chunk)];
    return sum;
  }

  [[nodiscard]] constexpr chunk_memory memory_of(int chunk) const {
    return memory_of_chunk(job_, layers_.of_chunk(index_, chunk));
  }
  [[nodiscard]] constexpr bytes work_of(int chunk) const {
    if (job_.parallelism.interleave > most_chunks) return memory_of(chunk).work.total();
    return work_[static_cast<std::size_t>(chunk)];
  }

  /// What the passes begun keep, of which the first are on chunk `first`, the first of all or the
  /// last.
  constexpr bytes begun(const begun_rounds& passes, kept_before& before, int first) const {
    const auto kept_by = [&](std::int64_t place) {
      const auto chunk = static_cast<int>(place);
      return memory_of(first == 0 ? chunk : first - chunk).kept;
    };
    const std::int64_t full = passes.chunk_at_work();  // chunks whose passes of a round are begun
    if (full < before.chunks) before = {};
    for (; before.chunks < full; ++before.chunks) before.sum += kept_by(before.chunks);
    const auto in_part = static_cast<double>(passes.rest - full * passes.last_group);
    bytes kept = static_cast<double>(passes.whole * passes.group) * all_kept_ +
                 static_cast<double>(passes.last_group) * before.sum;
    if (in_part > 0) kept += in_part * kept_by(full);
    return kept;
  }

  const Footprint& job_;
  const pipeline_layers& layers_;
  int index_ = 0;
  std::array<bytes, most_chunks> kept_{};
  std::array<bytes, most_chunks> work_{};
  bytes all_kept_{};
  kept_before forward_{};
  kept_before backward_{};
  bool has_embedding_ = false;
  bool has_head_ = false;
};

/// The fullest moment of the first and of the last round of an interleaved schedule, `first` or one
/// at either side of which the rank goes on to another chunk, forward or backward.
template <class Footprint>
[[gnu::noinline]] constexpr rank_sum fullest_of_rounds(const Footprint& job,
                                                       const pipeline_layers& layers, int index,
                                                       const rank_sum& first) {
  const recipe& how = job.recipe;
  const parallelism& cut = job.parallelism;
  const std::int64_t all = std::int64_t{job.micro_batches} * cut.interleave;
  const std::int64_t begun = passes_begun(how, cut, index, job.micro_batches);
  const begun_rounds step = rounds_of(how, cut, all, job.micro_batches);
  const std::int64_t round = step.group * cut.interleave;
  const std::int64_t last_round = step.whole * round - round;
  rank_moments moments{job, layers, index};
  const auto moment_of = [&](std::int64_t done) {
    return round_moment{rounds_of(how, cut, (std::min)(begun + done, all), job.micro_batches),
                        rounds_of(how, cut, done, job.micro_batches), cut.interleave - 1};
  };
  bytes most = held_in_layers(job, first);
  std::int64_t fullest_at = -1;
  const auto look_at = [&](std::int64_t done) {
    const bytes held = moments.held(moment_of(done));
    if (!(most < held)) return;
    most = held;
    fullest_at = done;
  };
  for (std::int64_t done = 0; done < all;) {
    if (done > 0) look_at(done - 1);
    look_at(done);
    done += (std::min)(rounds_of(how, cut, begun + done, job.micro_batches).left_of_chunk(),
                       rounds_of(how, cut, done, job.micro_batches).left_of_chunk());
    if (done > round && begun + done < last_round) done = last_round - begun;
  }
  if (fullest_at < 0) return first;
  rank_sum fullest = moments.sum(moment_of(fullest_at));
  fullest.passes = first.passes;
  return fullest;
}

/// The chunks of a rank of an interleaved schedule, when its first backward pass begins: all are
/// then as full together as they will be, and the first, which has the embedding's masks, when its
/// own first backward pass begins.  Where chunks are unlike, or a group of micro-batches is cut
/// short, at the fullest moment of the first or the last round.
template <class Footprint>
constexpr rank_sum sum_over_interleaved(const Footprint& job, const pipeline_layers& layers,
                                        int index) {
  const parallelism& cut = job.parallelism;
  const begun_rounds begun = rounds_begun(job.recipe, cut, index, job.micro_batches);
  const passes_by_place passes{begun};
  rank_sum rank = sum_of_passes(job, layers, index, cut.interleave - 1,
                                [&](int chunk) { return passes.at(chunk); });
  const bool steady = rank.chunks_alike && job.micro_batches % begun.group == 0;
  if (!steady) [[unlikely]]
    rank = fullest_of_rounds(job, layers, index, rank);
  else if (rank.embedding > bytes{0})
    rank.embedding =
        most_on_first_chunk(job.recipe, cut, index, job.micro_batches) * job.ends.embedding;
  return rank;
}

}  // namespace gpuplan::detail
