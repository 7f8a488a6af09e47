#pragma once
/// \file
/// What a step waits for the samples of its batch.

#include <algorithm>
#include <cstdint>

#include <gpuplan/compute/data_pipeline.hpp>
#include <gpuplan/hardware/node.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Nodes that read samples for a job: each replica has its sequences read once, by one of the nodes
/// that it lies on.
///
///     n = min(ceil(G / g), d)
///
///     G, g  GPUs of the job, and of a node    count, >= 1
///     d     replicas                          count, >= 1
///
/// Holds: the other ranks of a replica get its samples from the one that reads them, as in
/// Megatron-LM; the tokens themselves are 8 B each and take no time.
///
/// Source: by definition.
///
/// \throws invalid_input if gpus_per_node < 1
constexpr std::int64_t reading_nodes(const parallelism& cut, int gpus_per_node) {
  require(gpus_per_node >= 1, "reading_nodes: gpus_per_node must be >= 1");
  const std::int64_t nodes = (cut.gpus() + gpus_per_node - 1) / gpus_per_node;
  return (std::min)(nodes, std::int64_t{cut.data});
}

/// What a node takes to bring in its part of a batch, storage and workers at the same time.
///
///     t = max(b m_s / W, b t_p / N)
///     b = B / n
///
///     B       recipe.global_batch_size                  count
///     n       reading_nodes                             count
///     m_s, W  feed.stored_sample, feed.storage          B; B/s
///     t_p, N  feed.preprocessing, feed.workers          s; count
///
/// Holds: batches are fetched ahead, and replicas are spread evenly over the nodes.
///
/// Source: data_stage_times_of.
///
/// \throws invalid_input if the feed is invalid or gpus_per_node < 1
constexpr seconds feeding_time(const node_feed& feed, const recipe& how, const parallelism& cut,
                               int gpus_per_node) {
  require_valid(feed);
  if (!feed.is_known()) return {};
  const double batch = static_cast<double>(how.global_batch_size) /
                       static_cast<double>(reading_nodes(cut, gpus_per_node));
  constexpr per_second endless{1e300};
  const bool reads = feed.stored_sample > bytes{0};
  const data_stage_times times =
      data_stage_times_of({.stored_sample = feed.stored_sample,
                           .storage = reads ? feed.storage : bytes_per_second{1},
                           .workers = feed.workers,
                           .preprocessing_per_sample = feed.preprocessing,
                           .transfer = bytes_per_second{1},
                           .compute = endless},
                          batch);
  return times.overlapped();
}

/// What is left of it where the rest of a step is shorter.
///
///     max(0, t - s)
///
///     t  feeding_time                              s
///     s  the step, if all samples were there       s
///
/// Holds: samples fetched ahead, so that all but this is hidden.
///
/// Source: J. Mohan et al., "Analyzing and Mitigating Data Stalls in DNN Training", PVLDB 14
/// (2021), section 3, arXiv:2007.06775.
///
/// \throws invalid_input as feeding_time
template <class T>
constexpr basic_seconds<T> input_time(const basic_node<T>& box, const recipe& how,
                                      const parallelism& cut, const basic_seconds<T>& step) {
  const basic_seconds<T> fed{feeding_time(box.feed, how, cut, box.gpus)};
  return fed > step ? fed - step : basic_seconds<T>{};
}

}  // namespace gpuplan
