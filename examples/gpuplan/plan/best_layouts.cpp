/// \file
/// The best layouts of a question, with the stages that are quickest.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/model/parameters.hpp>

#include "layout_search.hpp"
#include "plan/study.hpp"

namespace gpuplan::cli {
namespace {

/// Families whose stages are made uneven: all that take so many times the best step at most, as one
/// that is behind with equal stages may be the first with others.  Of 193 families of four models on
/// 64 and 512 GPUs, uneven stages made a step up to 1.27 times as fast.
constexpr double near_the_best = 1.3;
/// So many at most, as each costs evaluations.
constexpr int families_tried = 40;

/// Far above that of the objectives compared.
constexpr double rounding = 1e-9;

/// A search that keeps so many that `families` differ, or all there are: near-duplicates fill a
/// short list.
search_result search_families(const plan_question& asked) {
  constexpr int most_kept = 20'000;
  space vary = asked.vary;
  for (vary.keep = 4 * asked.families;; vary.keep *= 4) {
    search_result found = searched(asked.asked, vary);
    const bool full = found.plans.size() == static_cast<std::size_t>(vary.keep);
    const bool enough = first_families(found.plans, asked.families).size() ==
                        static_cast<std::size_t>(asked.families);
    if (enough || !full || vary.keep > most_kept / 4) return found;
  }
}

/// Splits of layers that are evaluated at most, of all families and where the answer must be quick.
/// DeepSeek-V3 takes 30 us for one: a tenth of a second, and a part of what a slider may wait.
constexpr int splits_tried = 3'000;
constexpr int splits_tried_quickly = 500;

int splits_to_try(const plan_question& q) {
  return q.further == further_search::none ? splits_tried_quickly : splits_tried;
}

/// The plan with the layers of its pipeline's stages as they take least time; itself where it has
/// no pipeline, where the stages were asked for, and where equal ones are about as good.  Takes
/// the splits that it evaluates from those that are left.
plan with_best_stages(const plan_question& q, const plan& equal, int& splits_left) {
  const job& asked = q.asked;
  const recipe& how = equal.recipe();
  const parallelism& cut = equal.parallelism();
  if (q.vary.by == objective::memory || how.split.stages() > 0 || cut.pipeline == 1 ||
      cut.pipeline > layer_split::most_stages || splits_left < 1)
    return equal;
  const uneven_pipeline found = stages_searched(asked, q.vary, how, cut, splits_left);
  splits_left -= found.tried;
  if (!found.is_uneven() || !found.what.fits()) return equal;
  const plan uneven{found.what};
  return gain_of(uneven, equal, q.vary.by) > least_gain ? uneven : equal;
}

/// A family with equal stages, and with the best that were found.
struct tried_family {
  plan equal;
  plan best;
};

/// Splits that each family tries at first: 2 560 of all, 0.08 s where one takes 30 us; and families
/// that are then tried further, as many as plan shows.
constexpr int splits_at_first = 64;
constexpr std::size_t families_tried_further = 5;

/// Families with their best stages: a few splits of each, then more of those that are the best by
/// these, as far as the splits reach.
std::vector<tried_family> with_stages_tried(const std::vector<plan>& families,
                                            const plan_question& q) {
  const objective by = q.vary.by;
  std::vector<tried_family> tried;
  for (const plan& equal : families) {
    int splits = splits_at_first;
    tried.push_back({equal, with_best_stages(q, equal, splits)});
  }
  std::stable_sort(tried.begin(), tried.end(), [&](const auto& a, const auto& b) {
    return reached(a.best, by) < reached(b.best, by);
  });
  int splits_left = splits_to_try(q);
  for (std::size_t i = 0; i < (std::min)(tried.size(), families_tried_further); ++i) {
    const plan further = with_best_stages(q, tried[i].equal, splits_left);
    if (reached(further, by) < reached(tried[i].best, by)) tried[i].best = further;
  }
  return tried;
}

/// The best plan of each family with its best stages, added in its place among the plans.
void add_best_stages(search_result& found, const plan_question& q) {
  const objective by = q.vary.by;
  if (found.plans.empty() || by == objective::memory) return;
  space near = q.vary;
  near.keep = families_tried;
  near.one_of_each = true;
  near.within = near_the_best * reached(found.plans.front(), by);
  const std::vector<plan> families = searched(q.asked, near).plans;
  for (const tried_family& one : with_stages_tried(families, q)) {
    if (one.best.recipe().split.stages() == one.equal.recipe().split.stages()) continue;
    const auto place = std::find_if(found.plans.begin(), found.plans.end(), [&](const plan& other) {
      return reached(one.best, by) < reached(other, by);
    });
    found.plans.insert(place, one.best);
  }
}

/// The best plan with equal stages, where one fits.
std::optional<plan> best_of_equal(const job& asked, space vary) {
  if (least_on_each(asked) > asked.pool.gpu().memory) return std::nullopt;
  vary.keep = 1;
  const search_result found = searched(asked, vary);
  return found.plans.empty() ? std::nullopt : std::optional{found.plans.front()};
}

}  // namespace

std::vector<plan_family> first_families(const std::vector<plan>& plans, int count) {
  std::vector<plan_family> families;
  for (const plan& one : plans) {
    const auto family = std::find_if(families.begin(), families.end(), [&](const auto& f) {
      return f.best.parallelism().has_ranks_of(one.parallelism());
    });
    if (family != families.end())
      family->others.push_back(one);
    else if (families.size() < static_cast<std::size_t>(count))
      families.push_back({one, {}});
  }
  return families;
}

/// Tokens a second over those of another plan; tokens of a GPU's second where GPU time is sought.
double gain_of(const plan& better, const plan& now, objective by) {
  const double faster = better.what.throughput() / now.what.throughput();
  if (by == objective::time) return faster;
  return faster * static_cast<double>(now.what.gpus) / static_cast<double>(better.what.gpus);
}

/// What a plan takes of what a search wants little of, with room for rounding.
seconds reached(const plan& one, objective by) {
  const double gpus = by == objective::gpu_time ? static_cast<double>(one.what.gpus) : 1;
  return (1 + rounding) * gpus * one.what.time.total();
}

bytes least_on_each(const job& asked) {
  const recipe& how = asked.recipe;
  if (how.uses_host() || how.adapts()) return bytes{0};
  const auto kept = [&](parameter_kind kind) {
    const parameter_bytes per = bytes_per_parameter(how, kind);
    return per.weight + per.master + per.optimizer;
  };
  const bytes each = smaller(kept(parameter_kind::matrix), kept(parameter_kind::embedding));
  return parameters_of(asked.model).total() / static_cast<double>(asked.pool.gpus()) * each;
}

std::optional<plan> best_of(const plan_question& asked) {
  std::optional<plan> equal = best_of_equal(asked.asked, asked.vary);
  if (!equal) return std::nullopt;
  search_result found;
  found.plans.push_back(*equal);
  add_best_stages(found, asked);
  return found.plans.front();
}

std::optional<datasheet_choice> choice_by_datasheets(const plan_question& asked,
                                                     const plan& chosen) {
  if (asked.asked.asked.measured.file.empty()) return std::nullopt;
  plan_question listed{.asked = asked.asked, .vary = asked.vary, .further = asked.further};
  static_cast<api::job&>(listed.asked) = listed_of(asked.asked);
  const std::optional<plan> best = best_of(listed);
  return best ? std::optional{choice_by_datasheets(*best, asked.asked, chosen)} : std::nullopt;
}

search_result search_layouts(const plan_question& asked) {
  search_result found = search_families(asked);
  add_best_stages(found, asked);
  return found;
}

}  // namespace gpuplan::cli
