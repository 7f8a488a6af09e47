#pragma once
/// \file
/// The order of passes on each rank of a pipeline.

#include <algorithm>
#include <vector>

#include <gpuplan/model/recipe.hpp>

#include "memory/walk/job.hpp"

namespace gpuplan::testing {

/// What a pass does: a backward pass makes both gradients; split in two, first those of
/// activations and later those of weights.
enum class pass_kind { forward, backward, backward_input, backward_weight };

/// One pass of one micro-batch through one chunk of a rank.
struct pass {
  pass_kind kind{};
  int chunk = 0;  ///< of those that the rank holds
  int micro_batch = 0;

  friend bool operator==(const pass&, const pass&) = default;
};

/// The passes of one rank, and the piece of the model that each of its chunks is.
struct rank_order {
  std::vector<int> pieces;
  std::vector<pass> passes;
};

namespace detail {

/// One forward, one backward after `warm_up` forward passes; with delay >= 0 the weight gradients
/// of a micro-batch follow when more than so many wait.
inline std::vector<pass> alternating(int micro_batches, int in_flight, int delay) {
  std::vector<pass> order;
  int forward = 0;
  int backward = 0;
  int weight = 0;
  const pass_kind kind = delay < 0 ? pass_kind::backward : pass_kind::backward_input;
  while (backward < micro_batches) {
    while (forward < micro_batches && forward - backward < in_flight)
      order.push_back({pass_kind::forward, 0, forward++});
    order.push_back({kind, 0, backward++});
    if (delay >= 0 && backward - weight > delay)
      order.push_back({pass_kind::backward_weight, 0, weight++});
  }
  for (; delay >= 0 && weight < micro_batches; ++weight)
    order.push_back({pass_kind::backward_weight, 0, weight});
  return order;
}

inline std::vector<pass> gpipe(int micro_batches) {
  std::vector<pass> order;
  for (int i = 0; i < micro_batches; ++i) order.push_back({pass_kind::forward, 0, i});
  for (int i = 0; i < micro_batches; ++i) order.push_back({pass_kind::backward, 0, i});
  return order;
}

/// Megatron-LM's interleaved schedule: a group of micro-batches on one chunk, then on the next;
/// backward passes in the same order, chunks reversed.
inline std::vector<pass> interleaved(const walked_job& job, int rank) {
  const parallelism& cut = job.parallelism;
  const int all = micro_batches(job);
  const int group = job.recipe.interleave_group > 0 ? job.recipe.interleave_group : cut.pipeline;
  std::vector<pass> table;
  for (int first = 0; first < all; first += group)
    for (int chunk = 0; chunk < cut.interleave; ++chunk)
      for (int i = first; i < (std::min)(first + group, all); ++i)
        table.push_back({pass_kind::forward, chunk, i});

  const int total = static_cast<int>(table.size());
  const int warm_up =
      (std::min)(2 * (cut.pipeline - rank - 1) + (cut.interleave - 1) * group, total);
  std::vector<pass> order(table.begin(), table.begin() + warm_up);
  for (int i = 0; i < total; ++i) {
    if (warm_up + i < total) order.push_back(table[static_cast<std::size_t>(warm_up + i)]);
    pass back = table[static_cast<std::size_t>(i)];
    back.kind = pass_kind::backward;
    back.chunk = cut.interleave - 1 - back.chunk;
    order.push_back(back);
  }
  return order;
}

}  // namespace detail

/// PyTorch's order of the V-shaped zero-bubble schedule.  Chunk 0 is the piece of the way there,
/// chunk 1 that of the way back.
///
/// Source: PyTorch, torch/distributed/pipelining/schedules.py, ScheduleZBVZeroBubble (2.7).
inline std::vector<pass> zero_bubble_v_order(int ranks, int rank, int micro_batches) {
  const int simulated = (std::max)(2 * ranks - 1, micro_batches);
  int done[2][3] = {{0, 0, 0}, {0, 0, 0}};
  std::vector<pass> order;
  const auto run = [&](pass_kind kind, int chunk) {
    const int of_kind = kind == pass_kind::forward ? 0 : kind == pass_kind::backward_input ? 1 : 2;
    const int i = done[chunk][of_kind]++;
    if (i < micro_batches) order.push_back({kind, chunk, i});
  };
  const auto forward = [&](int chunk) { run(pass_kind::forward, chunk); };
  const auto input = [&](int chunk) { run(pass_kind::backward_input, chunk); };
  const auto weight = [&](int chunk) { run(pass_kind::backward_weight, chunk); };
  const auto both = [&](int chunk) {
    input(chunk);
    weight(chunk);
  };
  for (int i = 0; i < 2 * (ranks - rank) - 1; ++i) forward(0);
  for (int i = 0; i < rank; ++i) {
    forward(1);
    forward(0);
  }
  for (int i = 0; i < ranks - rank; ++i) {
    forward(1);
    both(1);
  }
  while (done[1][0] < done[0][0] || done[0][0] < simulated) {
    if (done[0][0] < simulated) forward(0);
    both(0);
    forward(1);
    both(1);
  }
  for (int i = 0; i < rank; ++i) {
    input(0);
    input(1);
  }
  for (int i = 0; i < ranks - rank; ++i) {
    input(0);
    weight(0);
  }
  while (done[1][2] < done[1][1]) weight(1);
  while (done[0][2] < done[0][1]) weight(0);
  return order;
}

/// DeepSeek's bidirectional order: half of the micro-batches enter at each end.  Chunk 0 is the
/// piece nearer to its own end of the pipeline, chunk 1 its mirror.
///
/// Source: DeepSeek-AI, DualPipe, dualpipe/dualpipe.py (2025).
inline std::vector<pass> dualpipe_order(int ranks, int rank, int micro_batches) {
  const int half = ranks / 2;
  const int place = (std::min)(rank, ranks - 1 - rank);
  int forward_done[2] = {0, 0};
  int backward_done[2] = {0, 0};
  std::vector<pass> order;
  std::vector<pass> waiting;
  std::size_t weighed = 0;
  const auto forward = [&](int way) {
    order.push_back({pass_kind::forward, way, forward_done[way]++});
  };
  const auto backward = [&](int way, bool split = false) {
    const int i = backward_done[way]++;
    order.push_back({split ? pass_kind::backward_input : pass_kind::backward, way, i});
    if (split) waiting.push_back({pass_kind::backward_weight, way, i});
  };
  const auto weight = [&] { order.push_back(waiting[weighed++]); };
  const auto forward_backward = [&](int there, int back) {
    forward(there);
    backward(back);
  };
  for (int i = 0; i < 2 * (half - place - 1); ++i) forward(0);
  for (int i = 0; i < place + 1; ++i) {
    forward(0);
    forward(1);
  }
  for (int i = 0; i < half - place - 1; ++i) {
    backward(1, true);
    weight();
    forward(1);
  }
  for (int i = 0; i < micro_batches / 2 - ranks + place + 1; ++i) {
    forward_backward(0, 1);
    forward_backward(1, 0);
  }
  for (int i = 0; i < half - place - 1; ++i) {
    backward(1);
    forward_backward(1, 0);
  }
  bool split = false;
  for (int i = 0; i < place + 1; ++i) {
    if (i == (place + 1) / 2 && place % 2 == 1) split = true;
    backward(1, split);
    if (i == (place + 1) / 2 && place % 2 == 0) split = true;
    backward(0, split);
  }
  for (int i = 0; i < half - place - 1; ++i) {
    weight();
    backward(0, true);
  }
  while (weighed < waiting.size()) weight();
  return order;
}

/// What one rank runs in a step.
inline rank_order order_of(const walked_job& job, int rank) {
  const int ranks = job.parallelism.pipeline;
  const int all = micro_batches(job);
  if (ranks == 1) return {{0}, detail::alternating(all, 1, -1)};
  switch (job.recipe.schedule) {
    case pipeline_schedule::gpipe: return {{rank}, detail::gpipe(all)};
    case pipeline_schedule::one_forward_one_backward: {
      if (job.parallelism.interleave == 1)
        return {{rank}, detail::alternating(all, ranks - rank, -1)};
      rank_order order{{}, detail::interleaved(job, rank)};
      for (int i = 0; i < job.parallelism.interleave; ++i) order.pieces.push_back(i * ranks + rank);
      return order;
    }
    case pipeline_schedule::zero_bubble_h1:
      return {{rank}, detail::alternating(all, ranks - rank, rank)};
    case pipeline_schedule::zero_bubble_h2:
      return {{rank}, detail::alternating(all, 2 * (ranks - rank) - 1, 2 * rank)};
    case pipeline_schedule::zero_bubble_v:
      return {{rank, 2 * ranks - 1 - rank}, zero_bubble_v_order(ranks, rank, all)};
    case pipeline_schedule::dualpipe: {
      const int mirror = ranks - 1 - rank;
      return {{(std::min)(rank, mirror), (std::max)(rank, mirror)},
              dualpipe_order(ranks, rank, all)};
    }
  }
  return {};
}

/// Pieces that the model is cut into.
inline int pieces_cut(const walked_job& job) {
  const parallelism& cut = job.parallelism;
  if (job.recipe.schedule == pipeline_schedule::zero_bubble_v && cut.pipeline > 1)
    return 2 * cut.pipeline;
  return cut.pipeline * cut.interleave;
}

}  // namespace gpuplan::testing
