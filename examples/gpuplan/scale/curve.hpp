#pragma once
/// \file
/// What more GPUs buy: the best plan of each size, and what keeps it from being as good as ideal.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/plan/reject.hpp>
#include <gpuplan/plan/search_space.hpp>
#include <gpuplan/scaling/efficiency.hpp>

#include "plan/study.hpp"
#include "program.hpp"
#include "request.hpp"

namespace gpuplan::cli {

/// Why a size is as good or as bad as it is: an outcome, whatever the number of GPUs.
enum class scaling_regime {
  does_not_fit,         ///< no layout
  memory_bound,         ///< a larger size does more on each GPU: it has the room
  near_linear,          ///< each GPU does at least linear_share of the most that one does
  communication_bound,  ///< most of what is lost is time of messages
  coordination_bound,   ///< likewise, waiting for the slowest replica
  batch_starved         ///< likewise, idle GPUs, bubbles, kernels of too little work
};

inline constexpr double linear_share = 0.9;

/// "near_linear", ... as the values are called.
std::string_view name_of(scaling_regime regime);
/// "near-linear", ...
std::string_view in_words(scaling_regime regime);

/// GPU time of a token, by what it is spent on.
enum class time_use { work, again, messages, slowest, bubble, idle };
inline constexpr std::size_t time_uses = 6;

/// One size.
struct scaling_point {
  int gpus = 0;
  int batch = 0;
  std::optional<plan> best{};       ///< nothing where nothing fits
  std::optional<plan> miss{};       ///< there, what needs least memory
  reject refusal{};                 ///< there, of that; else the rule that most layouts break
  scaling_efficiency efficiency{};  ///< against the smallest size that fits; 0 where nothing fits
  scaling_regime regime = scaling_regime::does_not_fit;

  [[nodiscard]] seconds step() const { return best->what.time.total(); }
  [[nodiscard]] tokens_per_second of_gpu() const { return best->what.throughput() / gpus; }
  /// Part of the step in which messages are waited for.
  [[nodiscard]] double communication() const;
  /// Part of the step in which a stage or a replica waits for another.
  [[nodiscard]] double waiting() const;
};

/// Which batch each size has.
struct scaling_batch {
  scaling_kind kind = scaling_kind::strong;
  int sequences = 1;  ///< of all GPUs (strong), or of each (weak)
};

struct scaling_curve {
  scaling_batch batch{};
  std::vector<scaling_point> points{};          ///< by GPUs
  std::optional<std::size_t> smallest{};        ///< that fits
  std::optional<std::size_t> most_efficient{};  ///< whose GPUs do the most each
  std::vector<risky_choice> risks{};  ///< of the last point, the best plans at other risks

  /// The largest size, if anything fits there.
  [[nodiscard]] const scaling_point* largest() const {
    return !points.empty() && points.back().best ? &points.back() : nullptr;
  }
};

/// The best plan of 1, 2, 4, ... GPUs, of all that `asked` has, and of the fewest that do.
/// Sequences of a GPU times GPUs must be <= most_ranks.
scaling_curve scaling_of(const job& asked, const space& vary, const scaling_batch& batch);

/// "Safer or bolder on 64 GPUs: --risk 0.02 +2.1 % time."; empty where no other risk changes the
/// plan of the largest size.
std::string risks_in_words(const scaling_curve& curve);

}  // namespace gpuplan::cli
