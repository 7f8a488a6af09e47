#pragma once
/// \file
/// One question, resolved: model, cluster, recipe, layout.

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/api/cluster_request.hpp>
#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/field.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/precision.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/job_defaults.hpp>
#include <gpuplan/plan/search_space.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan::api {

/// The most of a count that a request may ask for; products are checked against it.
inline constexpr int most_ranks = largest_count;
/// The longest pipeline that is answered stage by stage.
inline constexpr int most_stages = most_searched_stages;
/// The most chunks of all stages that are answered one by one.
inline constexpr int most_pieces = 1 << 17;

/// A part of a pool of several kinds of GPU.
struct pool_part {
  cluster_request asked{};
  cluster pool{};
};

/// A question, resolved.
struct job {
  std::string model_name{};   ///< or the path of the file that described it
  nlohmann::json model_echo;  ///< a name, or the object that described it
  transformer model{};
  cluster_request asked{};
  cluster pool{};
  std::vector<pool_part> others{};  ///< kinds of GPU beside those of `pool`
  gpuplan::recipe recipe{};
  gpuplan::parallelism parallelism{};
  gpuplan::workspace workspace{};         ///< that of the GPU's generation, unless asked otherwise
  gpuplan::workspace listed_workspace{};  ///< likewise, but for what a profile says of it
};

namespace detail {

/// a x b x ..., refused above most_ranks.
/// \throws invalid_input
inline std::int64_t bounded_product(std::initializer_list<int> factors, const char* what) {
  std::int64_t product = 1;
  for (const int factor : factors) {
    product *= factor;
    if (product > most_ranks)
      throw invalid_input{std::string(what) + " must be <= " + std::to_string(most_ranks)};
  }
  return product;
}

}  // namespace detail

/// Refuses a layout of more ranks, stages or chunks than are answered.
/// \throws invalid_input
inline void require_countable(const parallelism& cut, const transformer& m) {
  detail::bounded_product({cut.data, cut.tensor, cut.pipeline, cut.context},
                          "parallelism: data x tensor x pipeline x context");
  detail::bounded_product({cut.pipeline, cut.interleave}, "parallelism: pipeline x interleave");
  detail::bounded_product({cut.expert, cut.expert_tensor_ranks()},
                          "parallelism: expert x expert_tensor");
  if (cut.pipeline > most_stages && cut.pipeline <= m.layers)
    throw invalid_input{"parallelism: pipeline must be <= " + std::to_string(most_stages)};
  const std::int64_t pieces = std::int64_t{cut.pipeline} * cut.interleave;
  if (cut.interleave > 1 && pieces > most_pieces &&
      pieces <= std::int64_t{m.layers} + 2 + m.multi_token_prediction_layers)
    throw invalid_input{"parallelism: pipeline x interleave must be <= " +
                        std::to_string(most_pieces)};
}

/// The batch that fills a layout's pipeline once: data x micro_batch_size x pipeline sequences.
/// \throws invalid_input if it is above most_ranks
inline int filling_batch(const parallelism& cut) {
  return static_cast<int>(detail::bounded_product(
      {cut.data, cut.micro_batch_size, cut.pipeline},
      "parallelism: data x micro_batch_size x pipeline, the batch where none is given,"));
}

/// The precision that every GPU of a pool multiplies, as default_precision has it of each.
inline precision default_precision_of(const job& asked) {
  precision common = default_precision(asked.pool.gpu());
  for (const pool_part& part : asked.others)
    common = (std::min)(common, default_precision(part.pool.gpu()));
  return common;
}

}  // namespace gpuplan::api
