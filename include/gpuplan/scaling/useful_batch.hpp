#pragma once
/// \file
/// How large a batch kinds of tasks bear, as people report it.

#include <array>
#include <cstddef>
#include <string_view>

#include <gpuplan/require.hpp>
#include <gpuplan/scaling/noise_scale.hpp>

namespace gpuplan {

/// Kinds of tasks that differ in the noise of their gradients.
enum class batch_domain {
  image_classification,  ///< ImageNet; samples are images
  language,              ///< language models; samples are sequences
  atari,                 ///< reinforcement learning on simple games; samples are time steps
  dota                   ///< the same on Dota 2
};

/// The largest batches with which a kind of task learned as well as with small ones.
struct useful_batches {
  batch_domain domain{};
  std::string_view name;
  std::string_view sample;  ///< what is counted
  double least{};           ///< smallest of the reports
  double most{};            ///< largest of the reports
};

/// Every kind, in the order of the enumeration.  Where a source has a power of ten in words, such
/// as "thousands", both ends of its decade stand here.
///
/// Source: S. McCandlish et al., "An Empirical Model of Large-Batch Training" (2018), abstract and
/// section 1, arXiv:1812.06162, and what it cites: P. Goyal et al. (2017), arXiv:1706.02677, for
/// 8192 images, X. Jia et al. (2018), arXiv:1807.11205, for 65 536.
inline constexpr std::array useful_batch_table{
    useful_batches{batch_domain::image_classification, "image_classification", "images", 8192,
                   65536},
    useful_batches{batch_domain::language, "language", "sequences", 1e3, 1e4},
    useful_batches{batch_domain::atari, "atari", "time steps", 1e3, 1e4},
    useful_batches{batch_domain::dota, "dota", "time steps", 1e6, 1e7}};

/// Largest useful batches of a kind of task.
///
///     images 8192 to 65 536, language 1e3 to 1e4, Atari 1e3 to 1e4, Dota 2 1e6 to 1e7
///
///     k  kind    one of batch_domain
///
/// What bounds the batch is the noise of the gradient, not the memory of a layer: tasks of
/// reinforcement learning stand at both ends.  Samples of different kinds are not alike.
///
/// Holds: to a factor of ten; measure the noise scale of the task (gradient_statistics_of).
///
/// Source: S. McCandlish et al., "An Empirical Model of Large-Batch Training" (2018), abstract and
/// section 1, arXiv:1812.06162.
///
/// \throws invalid_input if k is none of batch_domain
constexpr const useful_batches& useful_batches_of(batch_domain k) {
  const auto place = static_cast<std::size_t>(k);
  require(place < useful_batch_table.size(), "useful_batches_of: k must be one of batch_domain");
  return useful_batch_table[place];
}

/// Progress of a step at a batch for a kind of task, over that of a step without noise: the worst
/// case of its reports.
///
///     1 / (1 + B_noise / B)    with the largest reported batch as B_noise
///
///     k  kind     one of batch_domain
///     B  batch    count, > 0
///
/// A kind of a larger noise scale gains longer from a larger batch.
///
/// Holds: the largest useful batch is the noise scale, to a factor of ten.
///
/// Source: S. McCandlish et al. (2018), equation 2.7, arXiv:1812.06162.
///
/// \throws invalid_input if k is none of batch_domain, or batch <= 0
constexpr double usual_step_progress(batch_domain k, double batch) {
  return step_progress(batch, useful_batches_of(k).most);
}

}  // namespace gpuplan
