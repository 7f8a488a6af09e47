#pragma once
/// \file
/// What a search may vary, its objective, and its result.

#include <array>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include <gpuplan/accuracy/error_band.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/plan/reject.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What makes one plan better than another.
enum class objective {
  time,      ///< the shortest step
  gpu_time,  ///< the fewest GPU hours, so the cheapest at one price an hour
  memory     ///< the most room left on the fullest GPU
};

/// The longest pipeline that a search tries, whatever the model: each of its stages is looked at.
inline constexpr int most_searched_stages = 4096;

/// A model of so many layers or fewer is cut into every number of stages.
inline constexpr int every_length_layers = 256;

/// Of a deeper model every number of stages up to this one is tried.  Longer pipelines are those of
/// equal stages, and others each a 16th longer than the one before: a 64th takes three times as
/// long.
inline constexpr int every_searched_stage = 64;

/// The most divisors of one number that a search tries, so that its work does not grow with how
/// well a batch divides.  Of a number that has more, none below 10,080, half are its smallest; the
/// other half lie at equal distances in the order of the rest, the largest divisor among them.
inline constexpr int most_searched_divisors = 64;

/// The most chunks of a stage that a search tries, and the most pieces that all chunks cut a model
/// into: each is looked at.  Models of 256 layers or fewer come nowhere near these limits.
inline constexpr int most_searched_chunks = 256;
inline constexpr int most_searched_pieces = 1 << 16;

/// The probability with which a plan may not fit where none is given.
inline constexpr double usual_risk = 0.1;

/// What a search varies; all else stays as the recipe and the layout it starts from say.
struct space {
  bool tensor = true;    ///< divisors of the heads, up to the GPUs of a node
  bool pipeline = true;  ///< up to the layers, as most_searched_stages says
  bool data = true;      ///< divisors of the global batch; with fewer than all GPUs, too
  bool context = false;
  bool expert = true;
  bool interleave = false;  ///< divisors of the layers, up to most_searched_chunks
  bool micro_batch = true;
  bool zero = true;
  bool recompute = true;
  bool sequence_parallel = true;
  bool schedule = false;  ///< every pipeline_schedule, where there is a pipeline
  objective by = objective::time;
  int keep = 10;             ///< plans to return; >= 1
  bool one_of_each = false;  ///< of plans of the same ranks, chunks aside, the best alone
  double risk = usual_risk;  ///< that a plan does not fit after all; above 0, to 1: as predicted
  double headroom = 0;       ///< of the GPU's memory, left free in any case; 0 to below 1
  /// Of memory on a cluster that was measured; without runs those of the job's class.
  error_distribution memory_errors{};
  /// No plan is kept whose step takes longer, or whose step takes more GPU time where `by` is
  /// gpu_time; > 0 s.  It says what is already known, so that less need be costed.
  seconds within{std::numeric_limits<double>::infinity()};
};

/// What a search tries where it varies recompute.
inline constexpr std::array searched_recompute{recompute::none, recompute::selective,
                                               recompute::full};

/// What a search tries where it varies schedule.
inline constexpr std::array searched_schedules{pipeline_schedule::one_forward_one_backward,
                                               pipeline_schedule::gpipe,
                                               pipeline_schedule::zero_bubble_h1,
                                               pipeline_schedule::zero_bubble_h2,
                                               pipeline_schedule::zero_bubble_v,
                                               pipeline_schedule::dualpipe};

/// One way to train: what came of the recipe and the layout that were tried.
struct plan {
  estimate what{};  ///< costed: its memory knows what was tried

  [[nodiscard]] constexpr const gpuplan::recipe& recipe() const { return what.memory.recipe; }
  [[nodiscard]] constexpr const gpuplan::parallelism& parallelism() const {
    return what.memory.parallelism;
  }
};

/// What a search found, and how much it looked at.
struct search_result {
  std::vector<plan> plans;   ///< that fit, best first
  std::vector<plan> misses;  ///< the closest, of device and host, where none fits
  std::array<std::int64_t, reject_reasons> rejected{};
  std::int64_t candidates = 0;  ///< fitting + rejected + dominated
  std::int64_t fitting = 0;     ///< costed, and they fit
  std::int64_t dominated = 0;   ///< whose least possible time is above what can be kept

  /// The best plan, or nullptr where none fits.
  [[nodiscard]] const plan* best() const { return plans.empty() ? nullptr : &plans.front(); }
};

namespace detail {

/// The order of plans: by the objective, then by what else one would like, then by the layout, so
/// that equal plans always come in one order.
inline auto rank_of(const plan& p, objective by) {
  const double time = p.what.time.total().in_base_units();
  const double gpu_time = time * static_cast<double>(p.what.gpus);
  const double memory = p.what.needed.in_base_units();
  const double first = by == objective::time ? time : by == objective::gpu_time ? gpu_time : memory;
  const parallelism& cut = p.parallelism();
  return std::tuple{first,
                    time,
                    p.what.gpus,
                    memory,
                    p.recipe().zero,
                    p.recipe().recompute,
                    p.recipe().schedule,
                    !p.recipe().sequence_parallel,
                    cut.tensor,
                    cut.pipeline,
                    cut.context,
                    cut.expert,
                    cut.interleave,
                    cut.data,
                    cut.micro_batch_size};
}

struct better_plan {
  objective by{};
  bool operator()(const plan& a, const plan& b) const { return rank_of(a, by) < rank_of(b, by); }
};

}  // namespace detail

}  // namespace gpuplan
