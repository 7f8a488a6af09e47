#pragma once
/// \file
/// Jobs of which the closed formulas are known to be wrong, and why.

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>

#include "memory/walk/head.hpp"
#include "memory/walk/job.hpp"
#include "memory/walk/layer.hpp"
#include "memory/walk/product_shapes.hpp"
#include "memory/walk/rank_of_job.hpp"
#include "memory/walk/states.hpp"

namespace gpuplan::testing {

/// A fault of the formulas.
struct known_fault {
  std::string_view what;
  bool (*concerns)(const rank_of_job&);
};

inline constexpr std::array known_faults{
    known_fault{
        "interleaved: heads that wait because a group is cut short have their backward passes "
        "later than when the layers are fullest",
        [](const rank_of_job& at) {
          const int group = at.job.recipe.interleave_group;
          return at.has_head && at.job.parallelism.interleave > 1 && group > 0 &&
                 micro_batches(at.job) % group != 0;
        }},
    known_fault{"chunks of other layers: the rank is fullest at another moment than the formula's",
                [](const rank_of_job& at) { return at.held.size() > 1 && !at.pieces_alike; }},
    known_fault{"layers of two kinds: what one computes again beside the gradients of the other",
                [](const rank_of_job& at) {
                  const recompute again = at.job.recipe.recompute;
                  return again != recompute::none && again != recompute::selective &&
                         std::any_of(at.held.begin(), at.held.end(), [](const piece& one) {
                           return std::adjacent_find(one.layers.begin(), one.layers.end(),
                                                     std::not_equal_to<>{}) != one.layers.end();
                         });
                }},
    known_fault{"fewer key heads than tensor ranks: those of cross-attention are not whole",
                [](const rank_of_job& at) {
                  const transformer& m = at.job.model;
                  return m.encoder_layers > 0 && m.key_value_heads() < at.job.parallelism.tensor;
                }},
    known_fault{
        "full recomputation: a block reaches over chunks, or over layers of two kinds",
        [](const rank_of_job& at) {
          if (at.job.recipe.recompute != recompute::full) return false;
          const int every = at.job.recipe.recompute_every;
          return every > 1 && std::any_of(at.held.begin(), at.held.end(), [&](const piece& one) {
                   const bool alike = std::adjacent_find(one.layers.begin(), one.layers.end(),
                                                         std::not_equal_to<>{}) == one.layers.end();
                   return !alike ||
                          (at.held.size() > 1 && static_cast<int>(one.layers.size()) % every != 0);
                 });
        }}};

}  // namespace gpuplan::testing
