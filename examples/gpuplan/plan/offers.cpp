/// \file
/// The same job on several clusters.

#include "plan/offers.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "bands.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

run_offer run_of_offer(const offer& one) {
  const cluster_request& asked = one.asked.asked.asked;
  run_offer run{.name = asked.gpu, .gpus = asked.gpus};
  if (one.study.run) run.run = one.study.run->whole;
  if (one.wait) run.wait = one.wait->mean;
  return run;
}

offer offer_on(const plan_question& asked, const run_limits& limits,
               const shared_pool* pool = nullptr) {
  offer made{.asked = asked, .study = search_of(asked)};
  if (pool != nullptr && made.study.run)
    made.wait = pool->wait_of(asked.asked.asked.gpus, made.study.run->whole.time, made.asked.level);
  made.cost_unknown = isfinite(limits.budget) && !asked.terms.priced();
  made.fault = fault_of(run_of_offer(made), limits);
  if (const auto chance = deadline_probability(made, limits)) made.in_time = *chance >= asked.level;
  return made;
}

/// The question with another number of GPUs.
plan_question on_gpus(const plan_question& asked, int gpus) {
  plan_question other = asked;
  other.asked.asked.gpus = gpus;
  other.asked.pool = cluster_of(other.asked.asked);
  for (command_words* words : {&other.words, &other.in_pool})
    words->set("--gpus", std::to_string(gpus));
  fit_batch(other);
  return other;
}

/// Between a count that is late and one that is not, down to a node.  What may leave GPUs idle is
/// no slower for more of them.
void refine(std::vector<offer>& all, const run_limits& limits) {
  for (std::size_t i = 0; i + 1 < all.size(); ++i) {
    const auto late = [](const offer& one) { return !one.ends() || !one.in_time; };
    const cluster_request& below = all[i].asked.asked.asked;
    const cluster_request& above = all[i + 1].asked.asked.asked;
    if (below.gpu != above.gpu || !late(all[i]) || late(all[i + 1])) continue;
    const int node = below.gpus_per_node;
    int too_few = below.gpus;
    int enough = above.gpus;
    std::optional<offer> found;
    while (enough - too_few > node) {
      const int middle = (too_few + (enough - too_few) / 2) / node * node;
      if (middle <= too_few) break;
      offer tried = offer_on(on_gpus(all[i].asked, middle), limits);
      if (late(tried)) {
        too_few = middle;
      } else {
        enough = middle;
        found = std::move(tried);
      }
    }
    if (!found) continue;
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(*found));
    ++i;
  }
}

/// Whether more GPUs of the type of the last offer are worth a search, where nobody asked for a
/// count: not above the budget, nor far past the first that keep a deadline, nor where they are no
/// faster.
bool more_may_help(const std::vector<offer>& all, const run_limits& limits) {
  const auto of_type = [&](const offer& one) {
    return one.asked.asked.asked.gpu == all.back().asked.asked.asked.gpu;
  };
  const auto kept = [&](const offer& one) { return of_type(one) && one.keeps_known(); };
  const auto tries = std::count_if(all.begin(), all.end(), kept);
  if (tries == 0) return true;
  if (!all.back().keeps_known()) return false;
  constexpr std::ptrdiff_t enough = 4;
  if (isfinite(limits.deadline)) return tries < enough;
  constexpr double worth = 0.95;
  return tries < 2 ||
         all.back().study.run->whole.time < worth * all[all.size() - 2].study.run->whole.time;
}

/// Whether an offer may be chosen.
using offer_test = bool (*)(const offer&);

template <class Value>
std::optional<std::size_t> least(const std::vector<offer>& all, offer_test may,
                                 const Value& value) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (may(all[i]) && (!best || value(all[i]) < value(all[*best]))) best = i;
  return best;
}

bool better(const offer& a, const offer& b, offer_aim aim) {
  return gpuplan::better_offer(run_of_offer(a), run_of_offer(b), aim);
}

std::optional<std::size_t> best(const std::vector<offer>& all, offer_test may, offer_aim aim) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (may(all[i]) && (!found || better(all[i], all[*found], aim))) found = i;
  return found;
}

/// The cheapest of those whose price is known.
std::optional<std::size_t> cheapest(const std::vector<offer>& all, offer_test may) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (may(all[i]) && all[i].asked.terms.priced() &&
        (!found || better(all[i], all[*found], offer_aim::cost)))
      found = i;
  return found;
}

bool powers_known(const std::vector<offer>& all) {
  return std::all_of(all.begin(), all.end(), [](const offer& one) { return one.power_known(); });
}

offer_choices choices_of(const std::vector<offer>& all, offer_test may) {
  offer_choices choices{.fewest_gpus = best(all, may, offer_aim::gpus),
                        .cheapest = cheapest(all, may),
                        .fastest = best(all, may, offer_aim::time),
                        .least_energy = std::nullopt};
  if (powers_known(all))
    choices.least_energy =
        least(all, may, [](const offer& one) { return one.study.run->whole.energy; });
  return choices;
}

/// The offer to speak of.
std::optional<std::size_t> wanted(const offers& found, const offer_choices& choices,
                                  std::optional<wish> by, offer_test may) {
  if (!by && isfinite(found.limits.deadline) && !found.pool)
    return choices.cheapest ? choices.cheapest : choices.fewest_gpus;
  switch (by.value_or(wish::time)) {
    case wish::time: return choices.fastest;
    case wish::cost: return choices.cheapest;
    case wish::energy: return choices.least_energy;
    case wish::gpu_hours:
      return least(found.all, may, [](const offer& one) { return one.study.run->whole.gpu_time; });
    case wish::memory:
      return least(found.all, may, [](const offer& one) {
        return one.study.shown->what.needed / one.asked.asked.pool.gpu().memory;
      });
  }
  return std::nullopt;
}

/// The larger of what a run takes of the deadline and of the budget, with the wait before it.
double largest_share(const offer& one, const run_limits& limits) {
  const run_estimate& run = one.study.run->whole;
  const seconds wait = one.wait ? one.wait->mean : seconds{0};
  const double time = isfinite(limits.deadline) ? (run.time + wait) / limits.deadline : 0;
  if (!isfinite(limits.budget)) return time;
  if (one.cost_unknown) return std::numeric_limits<double>::infinity();
  return std::max(time, run.cost() / limits.budget);
}

/// The same of those that keep the limits with the probability that is asked, or where there are
/// none by the mean.
std::optional<std::size_t> shown_of(const offers& found, std::optional<wish> by) {
  constexpr offer_test surely = [](const offer& one) { return one.keeps(); };
  constexpr offer_test by_mean = [](const offer& one) {
    return one.fault == offer_fault::none && !one.cost_unknown;
  };
  const bool of_one = (by == wish::cost || by == wish::energy) && found.all.size() == 1;
  if (of_one) by = wish::time;
  if (const auto sure = wanted(found, found.choices, by, surely)) return sure;
  return wanted(found, choices_of(found.all, by_mean), by, by_mean);
}

}  // namespace

bool offer::ends() const {
  return study.run && isfinite(study.run->whole.time) && (!wait || isfinite(wait->mean));
}

std::string missed_limits(const offer& one) {
  const bool late = one.fault == offer_fault::late || one.fault == offer_fault::late_and_dear;
  std::string said = one.in_time ? "" : late ? "late" : "may be late";
  if (one.is_dear()) said += (said.empty() ? "" : ", ") + std::string("over budget");
  return said;
}

std::string unsure_in_words(const offers& found) {
  const offer& one = found.all[found.shown];
  if (one.in_time || one.fault != offer_fault::none) return {};
  return fmt::format(
      "No {} keeps the deadline with a probability of {}, which --level sets; in the mean {}:\n",
      found.pool ? "size" : "offer", chance_in_words(one.asked.level),
      found.pool ? counted(one.asked.asked.asked.gpus, "GPU") + " would" : "this one does");
}

bool offers::differ_in_batch() const {
  return std::any_of(all.begin(), all.end(), [&](const offer& one) {
    return one.asked.asked.recipe.global_batch_size !=
           all.front().asked.asked.recipe.global_batch_size;
  });
}

std::size_t closest(const offers& found, std::size_t begin, std::size_t end) {
  const auto comes_first = [&](const offer& a, const offer& b) {
    const double one = largest_share(a, found.limits);
    const double other = largest_share(b, found.limits);
    if (one != other) return one < other;
    return a.study.run->whole.time < b.study.run->whole.time;
  };
  std::size_t first = begin;
  for (std::size_t i = begin; i < end; ++i) {
    const offer& best = found.all[first];
    const offer& one = found.all[i];
    if (one.study.run && (!best.study.run || comes_first(one, best))) first = i;
  }
  return first;
}

half_kept half_kept_of(const offers& found) {
  if (found.kept() || !isfinite(found.limits.deadline) || !isfinite(found.limits.budget)) return {};
  constexpr offer_test in_time = [](const offer& one) { return one.ends() && one.in_time; };
  constexpr offer_test in_budget = [](const offer& one) {
    return one.ends() && !one.is_dear() && !one.cost_unknown;
  };
  constexpr offer_test runs = [](const offer& one) { return one.study.run.has_value(); };
  const auto cheapest_in_time = cheapest(found.all, in_time);
  return {
      .in_time = cheapest_in_time ? cheapest_in_time : best(found.all, in_time, offer_aim::time),
      .in_budget = best(found.all, in_budget, offer_aim::time),
      .fastest = best(found.all, runs, offer_aim::time).value_or(found.shown),
      .cheapest = cheapest(found.all, runs).value_or(found.shown)};
}

offers offers_of(const offer_request& asked) {
  offers found{.limits = asked.limits, .by = asked.by, .pool = asked.pool};
  const bool priced = std::any_of(asked.clusters.begin(), asked.clusters.end(),
                                  [](const plan_question& one) { return one.terms.priced(); });
  if (isfinite(asked.limits.budget) && !priced)
    throw bad_usage{"--budget: no price of " + asked.clusters.front().asked.asked.gpu +
                    " is known; give --price, as '$2.50/h'"};
  for (const plan_question& one : asked.clusters) {
    const bool same_type =
        !found.all.empty() && found.all.back().asked.asked.asked.gpu == one.asked.asked.gpu;
    if (asked.refine && same_type && !more_may_help(found.all, asked.limits)) continue;
    found.all.push_back(offer_on(one, asked.limits, asked.pool.get()));
  }
  found.counts_tried = asked.refine;
  if (asked.refine) refine(found.all, asked.limits);

  found.choices = choices_of(found.all, [](const offer& one) { return one.keeps(); });

  const bool several = found.all.size() > 1;
  if (asked.by == wish::cost && !priced && several)
    throw bad_usage{"--by cost: no price is known; give --price, as '$2.50/h'"};
  if (asked.by == wish::energy && !powers_known(found.all) && several)
    throw bad_usage{"--by energy: the power of a GPU is not known"};
  const std::optional<std::size_t> shown = shown_of(found, asked.by);
  found.shown = shown ? *shown : closest(found, 0, found.all.size());
  offer& one = found.all[found.shown];
  explain(one.study, one.asked);
  return found;
}

namespace {

/// The chance that a sum which grows with the time of a step stays within a limit: none where the
/// step would be shorter than its operations at the peak, as step_band_of has it.
template <class Q>
double chance_within(Q limit, Q predicted, const offer& one, const error_distribution& step) {
  if (!isfinite(predicted)) return 0;
  const double least = one.study.shown->what.model_flop_utilization();
  const double factor = limit / predicted;
  return factor < least ? 0 : probability_within(step, factor);
}

error_distribution errors_of_step(const offer& one) {
  return errors_of(one.study.shown->what, one.asked.asked).step;
}

}  // namespace

std::optional<double> deadline_probability(const offer& one, const run_limits& limits) {
  if (!isfinite(limits.deadline) || !one.study.run) return std::nullopt;
  const error_distribution step = errors_of_step(one);
  const seconds run = one.study.run->whole.time;
  if (!one.wait) return chance_within(limits.deadline, run, one, step);
  double kept = 0;  // of as many waits as there are
  for (const seconds wait : one.wait->equally_likely)
    kept += chance_within(larger(limits.deadline - wait, seconds{0}), run, one, step);
  const std::size_t waits = one.wait->equally_likely.size();
  return waits == 0 ? 0 : kept / static_cast<double>(waits);
}

std::optional<double> budget_probability(const offer& one, const run_limits& limits) {
  if (!isfinite(limits.budget) || !one.study.run || !one.asked.terms.priced()) return std::nullopt;
  return chance_within(limits.budget, one.study.run->whole.cost(), one, errors_of_step(one));
}

}  // namespace gpuplan::cli
