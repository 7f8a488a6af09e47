/// \file
/// What more GPUs buy.

#include "scale/curve.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include <gpuplan/plan/search.hpp>

#include "bands.hpp"
#include "plan/study.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

time_use use_of(step_term term) {
  switch (term) {
    case step_term::recompute: return time_use::again;
    case step_term::tensor:
    case step_term::context:
    case step_term::expert:
    case step_term::gather:
    case step_term::pipeline:
    case step_term::data: return time_use::messages;
    case step_term::stragglers:
    case step_term::input: return time_use::slowest;
    case step_term::bubble: return time_use::bubble;
    default: return time_use::work;
  }
}

double share_of(const plan& p, time_use use) {
  seconds sum;
  for (const step_term term : step_terms)
    if (use_of(term) == use) sum += p.what.time[term];
  return sum / p.what.time.total();
}

using uses = std::array<double, time_uses>;

/// GPU seconds of a token.
uses uses_of(const scaling_point& point) {
  const plan& p = *point.best;
  const double for_each = 1 / (point.of_gpu() * units::second / units::token);
  const double used = static_cast<double>(p.what.gpus) / point.gpus;
  uses all{};
  for (const time_use use :
       {time_use::work, time_use::again, time_use::messages, time_use::slowest, time_use::bubble})
    all[static_cast<std::size_t>(use)] = for_each * used * share_of(p, use);
  all[static_cast<std::size_t>(time_use::idle)] = for_each * (1 - used);
  return all;
}

/// What is lost against the most efficient size, and to what.
scaling_regime regime_of(const scaling_point& point, const scaling_point& best) {
  if (point.of_gpu() >= linear_share * best.of_gpu()) return scaling_regime::near_linear;
  const uses now = uses_of(point);
  const uses then = uses_of(best);
  const auto more = [&](time_use use) {
    const auto i = static_cast<std::size_t>(use);
    return now[i] - then[i];
  };
  const double starved = more(time_use::idle) + more(time_use::bubble) + more(time_use::work);
  if (point.gpus < best.gpus)
    return more(time_use::idle) > 0.5 * starved &&
                   starved > more(time_use::messages) + more(time_use::again)
               ? scaling_regime::batch_starved
               : scaling_regime::memory_bound;
  const std::array<std::pair<double, scaling_regime>, 4> losses{
      {{starved, scaling_regime::batch_starved},
       {more(time_use::messages), scaling_regime::communication_bound},
       {more(time_use::slowest), scaling_regime::coordination_bound},
       {more(time_use::again), scaling_regime::memory_bound}}};
  return std::max_element(losses.begin(), losses.end(),
                          [](const auto& a, const auto& b) { return a.first < b.first; })
      ->second;
}

job sized_job(const job& asked, const scaling_batch& batch, int gpus) {
  job sized = asked;
  sized.asked.gpus = gpus;
  sized.pool = cluster_of(sized.asked);
  const std::int64_t sequences =
      batch.kind == scaling_kind::weak ? std::int64_t{batch.sequences} * gpus : batch.sequences;
  sized.recipe.global_batch_size = static_cast<int>(sequences);
  return sized;
}

scaling_point point_of(const job& asked, const space& vary, const scaling_batch& batch, int gpus) {
  const job sized = sized_job(asked, batch, gpus);
  const search_result found = search_layouts({.asked = sized, .vary = vary});
  scaling_point point{.gpus = gpus, .batch = sized.recipe.global_batch_size};
  if (!found.plans.empty())
    point.best = found.plans.front();
  else if (!found.misses.empty())
    point.miss = found.misses.front();
  if (point.best) return point;
  if (point.miss) point.refusal = point.miss->what.refusal;
  if (!point.refusal) point.refusal = {.reason = commonest(found)};
  return point;
}

/// Powers of two, and the largest.
std::vector<int> sizes_up_to(int most) {
  std::vector<int> sizes;
  for (std::int64_t n = 1; n < most; n *= 2) sizes.push_back(static_cast<int>(n));
  sizes.push_back(most);
  return sizes;
}

scaling_efficiency efficiency_of(const scaling_point& base, const scaling_point& point,
                                 scaling_kind kind) {
  if (kind == scaling_kind::weak)
    return weak_scaling_efficiency({.base_devices = base.gpus,
                                    .base_time = base.step(),
                                    .devices = point.gpus,
                                    .time = point.step()});
  return strong_scaling_efficiency({.base_devices = base.gpus,
                                    .base_time = base.step(),
                                    .devices = point.gpus,
                                    .time = point.step()});
}

}  // namespace

std::string_view name_of(scaling_regime regime) {
  constexpr std::array<std::string_view, 6> names{"does_not_fit",       "memory_bound",
                                                  "near_linear",        "communication_bound",
                                                  "coordination_bound", "batch_starved"};
  return names[static_cast<std::size_t>(regime)];
}

std::string_view in_words(scaling_regime regime) {
  constexpr std::array<std::string_view, 6> names{"does not fit",       "memory-bound",
                                                  "near-linear",        "communication-bound",
                                                  "coordination-bound", "batch-starved"};
  return names[static_cast<std::size_t>(regime)];
}

double scaling_point::communication() const {
  return share_of(*best, time_use::messages);
}

double scaling_point::waiting() const {
  return share_of(*best, time_use::slowest) + share_of(*best, time_use::bubble);
}

scaling_curve scaling_of(const job& asked, const space& vary, const scaling_batch& batch) {
  scaling_curve curve{.batch = batch};
  std::vector<scaling_point>& points = curve.points;
  for (const int gpus : sizes_up_to(asked.asked.gpus))
    points.push_back(point_of(asked, vary, batch, gpus));

  // The fewest that do lie between the last that do not and the first that do.
  const auto fits = [](const scaling_point& p) { return p.best.has_value(); };
  const auto first = std::find_if(points.begin(), points.end(), fits);
  if (first == points.end()) return curve;
  int enough = first->gpus;
  int too_few = first == points.begin() ? 0 : (first - 1)->gpus;
  std::optional<scaling_point> fewest;
  while (enough - too_few > 1) {
    const int middle = too_few + (enough - too_few) / 2;
    scaling_point tried = point_of(asked, vary, batch, middle);
    if (fits(tried)) {
      enough = middle;
      fewest = std::move(tried);
    } else {
      too_few = middle;
    }
  }
  auto smallest = first;
  if (fewest) smallest = points.insert(first, std::move(*fewest));
  curve.smallest = static_cast<std::size_t>(smallest - points.begin());

  std::size_t best = *curve.smallest;
  for (std::size_t i = best; i < points.size(); ++i)
    if (fits(points[i]) && points[i].of_gpu() > points[best].of_gpu()) best = i;
  curve.most_efficient = best;
  for (scaling_point& point : points) {
    if (!fits(point)) continue;
    point.efficiency = efficiency_of(points[*curve.smallest], point, batch.kind);
    point.regime = regime_of(point, points[best]);
  }
  if (const scaling_point* const last = curve.largest())
    curve.risks =
        risks_of({.asked = sized_job(asked, batch, last->gpus), .vary = vary}, *last->best);
  return curve;
}

std::string risks_in_words(const scaling_curve& curve) {
  const scaling_point* const last = curve.largest();
  const std::string words =
      last != nullptr ? risks_in_words(curve.risks, *last->best, objective::time) : std::string{};
  return words.empty()
             ? words
             : fmt::format("Safer or bolder on {}: {}.", counted(last->gpus, "GPU"), words);
}

}  // namespace gpuplan::cli
