#pragma once
/// \file
/// The same job on several clusters: which keeps a deadline or a budget, which is best.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gpuplan/plan/budget.hpp>

#include "plan/pool.hpp"
#include "plan/study.hpp"

namespace gpuplan::cli {

/// One cluster, and the best plan on it.
struct offer {
  plan_question asked;
  plan_study study;
  std::optional<pool_wait> wait{};  ///< for the GPUs, where they are of a pool and a plan fits
  offer_fault fault = offer_fault::none;  ///< by the mean
  bool in_time = true;        ///< whether the deadline is kept with the probability of the level
  bool cost_unknown = false;  ///< whether there is a budget, and no price of the GPU is known

  /// Whether there is a plan, and its mean run, after a mean wait, ends.
  [[nodiscard]] bool ends() const;
  /// Whether the mean run is above the budget.
  [[nodiscard]] bool is_dear() const {
    return fault == offer_fault::dear || fault == offer_fault::late_and_dear;
  }
  /// Whether it keeps the limits, of which a budget counts where the cost is known.
  [[nodiscard]] bool keeps_known() const { return ends() && in_time && !is_dear(); }
  /// Whether it keeps the limits so that it can be chosen.
  [[nodiscard]] bool keeps() const { return keeps_known() && !cost_unknown; }
  [[nodiscard]] bool power_known() const {
    const accelerator& gpu = asked.asked.pool.gpu();
    return gpu.thermal_design_power > watts{0} || isfinite(asked.asked.recipe.power_limit);
  }
};

/// Places in a list of offers, of which the fastest is done first; none where no offer keeps the
/// limits.  The cheapest is of those whose price is known; of energy there is none where the power
/// of one is not known.
struct offer_choices {
  std::optional<std::size_t> fewest_gpus, cheapest, fastest, least_energy;
};

struct offers {
  std::vector<offer> all{};
  run_limits limits{};
  std::optional<wish> by{};
  offer_choices choices{};
  std::size_t shown = 0;                      ///< the one to speak of
  bool counts_tried = false;                  ///< GPU counts that nobody asked for
  std::shared_ptr<const shared_pool> pool{};  ///< that the job waits for, if it does

  /// Whether an offer, and so the one to speak of, keeps the limits.
  [[nodiscard]] bool kept() const { return all[shown].keeps(); }
  [[nodiscard]] bool limited() const {
    return isfinite(limits.deadline) || isfinite(limits.budget);
  }
  /// Whether the usual batch is fitted to each cluster in another way.
  [[nodiscard]] bool differ_in_batch() const;
};

/// Several GPU counts of several types.
struct offer_request {
  std::vector<plan_question> clusters{};
  run_limits limits{};
  std::optional<wish> by{};
  bool refine = false;  ///< whether to look between the counts for the fewest by the deadline
  std::shared_ptr<const shared_pool> pool{};  ///< whose GPUs the job waits for; of one type
};

/// The probability that an offer's run, after the wait for its GPUs, keeps the deadline; none where
/// there is no deadline or no run.
std::optional<double> deadline_probability(const offer& one, const run_limits& limits);
/// Likewise the budget; none where its price is not known, too.
std::optional<double> budget_probability(const offer& one, const run_limits& limits);

/// "late", "may be late, over budget": the limits that an offer with a plan misses; empty where it
/// keeps them.
std::string missed_limits(const offer& one);

/// Why an offer is spoken of that keeps the deadline in the mean alone; empty where it keeps it
/// surely, or not even so.
std::string unsure_in_words(const offers& found);

/// The offer of a range that comes closest to limits that none keeps: whose larger share of the
/// deadline or of the budget is least; the first where nothing fits.  An unknown cost exceeds every
/// budget.
std::size_t closest(const offers& found, std::size_t begin, std::size_t end);

/// Offers that keep one limit where none keeps both.
struct half_kept {
  std::optional<std::size_t>
      in_time;  ///< the cheapest by the deadline; the fastest where no price is known
  std::optional<std::size_t> in_budget;  ///< the fastest within the budget
  std::size_t fastest = 0;               ///< of all
  std::size_t cheapest = 0;              ///< of those whose price is known
};
/// Nothing where there is one limit alone, or an offer keeps both.
half_kept half_kept_of(const offers& found);

/// Searches each, decides, and explains the one that is shown.
/// \throws bad_usage if a budget or the least cost is asked of GPUs none of which has a price
offers offers_of(const offer_request& asked);

}  // namespace gpuplan::cli
