#pragma once
/// \file
/// The parameters that one rank holds, by the group of ranks that holds the same ones.

#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/tensor_split.hpp>

namespace gpuplan {

/// Parameters on one rank.
struct rank_parameters {
  double dense{};    ///< held by every one of data x context ranks
  double experts{};  ///< routed experts, held by parallelism.expert_replicas() ranks

  [[nodiscard]] constexpr double total() const { return dense + experts; }
  friend constexpr rank_parameters operator+(const rank_parameters& a, const rank_parameters& b) {
    return {a.dense + b.dense, a.experts + b.experts};
  }
  friend constexpr rank_parameters operator*(double n, const rank_parameters& a) {
    return {n * a.dense, n * a.experts};
  }
};

/// Parameters of one layer on one rank: what is divided over t, what is replicated whole, the
/// routed experts over e x.
///
///     t  cut.tensor, e  cut.expert, x  cut.expert_tensor_ranks()
constexpr rank_parameters parameters_on_rank(const tensor_split& layer, const parallelism& cut) {
  return {.dense = layer.replicated + layer.divided / cut.tensor,
          .experts = layer.experts / cut.expert / cut.expert_tensor_ranks()};
}

}  // namespace gpuplan
