#pragma once
/// \file
/// Another tool's space, for the benchmark that searches it: what Calculon's search tries, in its
/// order and by its rules, gathered into the layouts that our model tells apart.

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <gpuplan/model/parallelism.hpp>

#include "calculon_memory.hpp"

namespace gpuplan::calculon {

/// GPUs on the links of a node, as Calculon describes an A100; its fabric takes 65536.
inline constexpr int gpus_of_node = 8;

/// What Calculon is asked.
struct question {
  transformer model{};
  int sequence_length = 0;
  int gpus = 0;
  int most_batch = 0;  ///< sequences; it takes the largest multiple of the replicas up to this
  bytes device_memory{};
};

/// Whether a second memory may take weights, activations and optimizer: every choice is tried.
enum class offloading { none, tried };

/// Whether larger micro-batches are left out after the first that does not fit (its option -m).
enum class larger_micro_batches { all, while_one_fits };

/// What of Calculon's is one to us.
struct layout {
  parallelism cut{};
  int batch = 0;
  gpuplan::recompute recompute{};
  bool sharded_optimizer = false;
  bool sequence_parallel = false;
  std::int64_t candidates = 0;  ///< of Calculon
  std::int64_t fitting = 0;     ///< of them, by its memory and its networks, with nothing offloaded
};

inline std::vector<int> divisors_of(int n) {
  std::vector<int> found;
  for (int i = 1; i <= n; ++i)
    if (n % i == 0) found.push_back(i);
  return found;
}

/// Ways to put each axis of more than one rank on a node's links or on the fabric.
struct networks {
  int tried = 0;
  int allowed = 0;  ///< the axes on a node's links divide it
};

constexpr networks networks_of(const execution& e) {
  networks found;
  const auto on = [](int ranks) { return ranks > 1 ? 2 : 1; };
  for (int t = 0; t < on(e.tensor); ++t)
    for (int p = 0; p < on(e.pipeline); ++p)
      for (int d = 0; d < on(e.data); ++d) {
        const int inside =
            (t == 0 ? e.tensor : 1) * (p == 0 ? e.pipeline : 1) * (d == 0 ? e.data : 1);
        ++found.tried;
        if (gpus_of_node % inside == 0) ++found.allowed;
      }
  return found;
}

/// Adds the candidates of one order of micro-batches: `first` says all but the micro-batch, and
/// stands for `alike` candidates on each network.
inline void try_micro_batches(const question& asked, execution first, int alike,
                              larger_micro_batches larger, std::vector<layout>& layouts) {
  const networks net = networks_of(first);
  for (layout& one : layouts) {
    first.micro_batch = one.cut.micro_batch_size;
    one.candidates += std::int64_t{alike} * net.tried;
    if (memory_of(asked.model, asked.sequence_length, first).total() <= asked.device_memory)
      one.fitting += std::int64_t{alike} * net.allowed;
    else if (larger == larger_micro_batches::while_one_fits)
      return;
  }
}

/// Every message, tiling and overlap of one cut, as layouts by micro-batch: without sequence
/// parallelism and, where tensor ranks scatter, with.
inline std::array<std::vector<layout>, 2> layouts_of(const question& asked, const execution& cut,
                                                     offloading offload,
                                                     larger_micro_batches larger) {
  std::array<std::vector<layout>, 2> found;
  for (const int b : divisors_of(cut.batch / cut.data))
    if (std::int64_t{b} * asked.sequence_length % cut.tensor == 0)
      for (const bool scattered : {false, true})
        found[scattered].push_back({.cut = {.data = cut.data,
                                            .tensor = cut.tensor,
                                            .pipeline = cut.pipeline,
                                            .interleave = cut.interleave,
                                            .micro_batch_size = b},
                                    .batch = cut.batch,
                                    .recompute = cut.recompute,
                                    .sharded_optimizer = cut.sharded_optimizer,
                                    .sequence_parallel = scattered});

  const bool full = cut.recompute == recompute::full;
  // Weights, optimizer and, unless all are recomputed, activations each moved or not; gradients
  // overlapped or not.
  const int moved = offload == offloading::none ? 1 : full ? 4 : 8;
  const int alike = moved * (cut.data > 1 ? 2 : 1);
  execution e = cut;
  for (const messages said : {messages::all_reduce, messages::split_hops, messages::scatter_gather})
    for (const bool again : {false, true})
      for (const tiling tiles : {tiling::none, tiling::ring, tiling::pipe}) {
        if (again && (full || said != messages::scatter_gather)) continue;
        if (tiles != tiling::none && cut.tensor == 1) continue;
        e.messages = said;
        e.gathers_again = again;
        e.tiling = tiles;
        const bool scattered = said == messages::scatter_gather && cut.tensor > 1;
        try_micro_batches(asked, e, alike, larger, found[scattered]);
      }
  return found;
}

/// Visits every layout that stands for a candidate: tensor ranks divide heads and width, stages and
/// chunks divide the layers, and all GPUs are used.
template <class Visit>
void for_each_layout(const question& asked, offloading offload, larger_micro_batches larger,
                     const Visit& visit) {
  const transformer& m = asked.model;
  execution cut;
  for (const int t : divisors_of(asked.gpus)) {
    if (m.hidden_size % t != 0 || m.attention_heads % t != 0) continue;
    for (const int p : divisors_of((std::min)(asked.gpus / t, m.layers))) {
      const int d = asked.gpus / (t * p);
      if (asked.gpus % (t * p) != 0 || m.layers % p != 0 || d > asked.most_batch) continue;
      for (const int v : p > 1 ? divisors_of(m.layers / p) : std::vector<int>{1})
        for (const recompute again : {recompute::full, recompute::selective, recompute::none})
          for (const bool sharded : {false, true}) {
            if (sharded && d == 1) continue;
            cut = {.tensor = t,
                   .pipeline = p,
                   .data = d,
                   .interleave = v,
                   .batch = asked.most_batch / d * d,
                   .recompute = again,
                   .sharded_optimizer = sharded};
            for (const auto& layouts : layouts_of(asked, cut, offload, larger))
              for (const layout& one : layouts)
                if (one.candidates > 0) visit(one);
          }
    }
  }
}

/// How many candidates Calculon counts, and how many fit by its model.
struct tally {
  std::int64_t candidates = 0;
  std::int64_t fitting = 0;

  friend constexpr bool operator==(const tally&, const tally&) = default;
};

inline tally count(const question& asked, offloading offload, larger_micro_batches larger) {
  tally all;
  for_each_layout(asked, offload, larger, [&](const layout& one) {
    all.candidates += one.candidates;
    all.fitting += one.fitting;
  });
  return all;
}

}  // namespace gpuplan::calculon
