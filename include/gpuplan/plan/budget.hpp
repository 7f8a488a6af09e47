#pragma once
/// \file
/// Deadlines and budgets: the fewest GPUs, the cheapest and the fastest offer.

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/run.hpp>
#include <gpuplan/plan/search.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What a run may take.
struct run_limits {
  seconds deadline{std::numeric_limits<double>::infinity()};  ///< from now on, > 0
  dollars budget{std::numeric_limits<double>::infinity()};    ///< > 0
};

/// Some GPUs of a type, and the run on them.
struct run_offer {
  std::string_view name{};  ///< of the type, or whatever tells offers apart
  std::int64_t gpus{};
  run_estimate run{};  ///< of no time where nothing fits
  seconds wait{};      ///< for the GPUs, before the run; infinite where they never come

  /// From now to the end of the run.
  [[nodiscard]] constexpr seconds done() const { return wait + run.time; }
};

/// Why an offer is not taken.
enum class offer_fault {
  none,
  nothing_fits,  ///< no layout
  late,          ///< done past the deadline, or never
  dear,          ///< above the budget
  late_and_dear
};

inline constexpr std::size_t offer_faults = 5;

/// "none", "nothing_fits", ... as the values are called.
constexpr std::string_view name_of(offer_fault fault) {
  constexpr std::array<std::string_view, offer_faults> names{"none", "nothing_fits", "late", "dear",
                                                             "late_and_dear"};
  return names[static_cast<std::size_t>(fault)];
}

/// What is wrong with an offer under some limits.
///
/// Source: by definition.
///
/// \throws invalid_input if a limit is not > 0
constexpr offer_fault fault_of(const run_offer& offer, const run_limits& limits) {
  require(limits.deadline > seconds{0}, "run_limits.deadline must be > 0 s");
  require(limits.budget > dollars{0}, "run_limits.budget must be > 0 $");
  if (!(offer.run.time > seconds{0})) return offer_fault::nothing_fits;
  const bool late = !(offer.done() <= limits.deadline) || !isfinite(offer.wait);
  const bool dear = !(offer.run.cost() <= limits.budget);
  if (late) return dear ? offer_fault::late_and_dear : offer_fault::late;
  return dear ? offer_fault::dear : offer_fault::none;
}

/// What was chosen, and why the others were not.
struct run_choice {
  run_offer taken{};                                ///< of no GPUs where no offer keeps the limits
  std::array<std::int64_t, offer_faults> offers{};  ///< by fault; those of none were fit to take

  constexpr explicit operator bool() const { return taken.gpus > 0; }
  /// The refused offers of one fault.
  [[nodiscard]] constexpr std::int64_t refused(offer_fault fault) const {
    return offers[static_cast<std::size_t>(fault)];
  }
};

/// What makes one offer better than another; time counts from now to the end of the run.  Ties go
/// to the other two, in this order, then to the earlier offer.
enum class offer_aim { cost, time, gpus };

/// Whether an offer is better than another, by `aim` first.
constexpr bool better_offer(const run_offer& a, const run_offer& b, offer_aim aim) {
  const std::array<double, 3> left{a.run.cost().in_base_units(), a.done().in_base_units(),
                                   static_cast<double>(a.gpus)};
  const std::array<double, 3> right{b.run.cost().in_base_units(), b.done().in_base_units(),
                                    static_cast<double>(b.gpus)};
  const auto first = static_cast<std::size_t>(aim);
  if (left[first] != right[first]) return left[first] < right[first];
  return left < right;
}

/// The best offer that keeps the limits: the cheapest GPU type by a deadline, the fastest for a
/// sum, the fewest GPUs.
///
/// Source: as fault_of.
///
/// \throws invalid_input if a limit is not > 0
constexpr run_choice best_offer(std::span<const run_offer> offers, const run_limits& limits,
                                offer_aim aim = offer_aim::cost) {
  run_choice choice;
  for (const run_offer& offer : offers) {
    const offer_fault fault = fault_of(offer, limits);
    ++choice.offers[static_cast<std::size_t>(fault)];
    if (fault != offer_fault::none) continue;
    if (!choice || better_offer(offer, choice.taken, aim)) choice.taken = offer;
  }
  return choice;
}

/// The best of some counts of GPUs, where `run_on(gpus)` gives the run on that many, of no time
/// where nothing fits.
///
/// Every count is tried: more GPUs may be slower, where fewer divide the batch better.
///
/// \throws invalid_input if a count is < 1 or a limit is not > 0; and whatever run_on throws
template <class Run>
constexpr run_choice best_gpu_count(std::span<const int> counts, const run_limits& limits,
                                    Run&& run_on, offer_aim aim = offer_aim::gpus) {
  run_choice choice;
  for (const int gpus : counts) {
    require(gpus >= 1, "best_gpu_count: counts must be >= 1");
    const run_offer offer{.gpus = gpus, .run = run_on(gpus)};
    const run_choice one = best_offer(std::span{&offer, 1}, limits, aim);
    for (std::size_t fault = 0; fault < offer_faults; ++fault)
      choice.offers[fault] += one.offers[fault];
    if (one && (!choice || better_offer(offer, choice.taken, aim))) choice.taken = offer;
  }
  return choice;
}

/// The best run of a model on some GPUs, by `search`; of no time where nothing fits.  All of the
/// GPUs are paid, those that the best layout leaves idle, too.
///
/// \throws invalid_input as search and training_run
inline run_estimate best_run(const transformer& m, const cluster& pool, const recipe& how,
                             tokens trained, const run_prices& prices = {}, space vary = {}) {
  vary.keep = 1;
  const search_result found = search(m, pool, how, vary);
  if (found.best() == nullptr) return {};
  const estimate& what = found.best()->what;
  return training_run({.gpus = pool.gpus(),
                       .tokens_per_step = what.tokens_per_step,
                       .step = what.time.total(),
                       .gpu_power = what.gpu_power},
                      trained, prices);
}

}  // namespace gpuplan
