/// \file
/// The best layouts of a question, with the stages that are quickest.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include <gpuplan/hardware/accelerator.hpp>
#include <gpuplan/memory/micro_batch.hpp>
#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/plan/pipeline_bubble.hpp>

#include "layout_search.hpp"
#include "plan/study.hpp"

namespace gpuplan::cli {
namespace {

/// Layouts whose stages are made uneven: all that take so many times the best step at most, as one
/// that is behind with equal stages may be the first with others.  Of 193 families of four models on
/// 64 and 512 GPUs, uneven stages made a step up to 1.27 times as fast.
constexpr double near_the_best = 1.3;
/// What equal stages may need of the memory that there is: others may fit where they do not.
constexpr double roomier = 1.25;
/// So many layouts at most.
constexpr int starts_kept = 4'000;

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

/// The plan with the layers of its pipeline's stages as they take least time; with equal ones where
/// these are about as good; none where neither fits, and where the stages were asked for.  Takes the
/// splits that it evaluates from those that are left.
std::optional<plan> with_best_stages(const plan_question& q, const plan& equal, int& splits_left) {
  const recipe& how = equal.recipe();
  const parallelism& cut = equal.parallelism();
  if (how.split.stages() > 0 || cut.pipeline > layer_split::most_stages) return std::nullopt;
  const uneven_pipeline found = stages_searched(q.asked, q.vary, how, cut, splits_left);
  splits_left -= found.tried;
  if (!found.what.fits()) return std::nullopt;
  const plan best{found.what};
  if (!found.is_uneven()) return best;
  const plan as_equal{stages_searched(q.asked, q.vary, how, cut, 1).what};
  const bool gains = !as_equal.what.fits() || gain_of(best, as_equal, q.vary.by) > least_gain;
  return gains ? best : as_equal;
}

/// A layout with equal stages, which need not fit, the least that others could make of it, and
/// whether none of the same ranks promises more.
struct start_of_stages {
  plan equal;
  seconds least{};
  bool leads = false;
};

/// What the time of a step is multiplied with in what a search wants little of.
double gpus_counted(const plan& one, objective by) {
  return by == objective::gpu_time ? static_cast<double>(one.what.gpus) : 1;
}

/// What a step would take if its stages were busy equally long, a p-th of all of them each: no split
/// of layers takes less, as far as what is sent, reduced and updated stays the same.  The step
/// itself where a schedule without a bubble does not show how long the other stages are busy.
seconds least_of_stages(const plan& equal) {
  const basic_step_time<double>& time = equal.what.time;
  const parallelism& cut = equal.parallelism();
  const double p = cut.pipeline;
  const double micro_batches = fractional_micro_batches_of(equal.recipe(), cut);
  const double bubble = bubble_share_of(equal.recipe().schedule, cut.pipeline, micro_batches) /
                        cut.interleave;  // of what the other stages take with one micro-batch
  if (!(bubble > 0) || !(micro_batches > bubble)) return time.total();
  const seconds busiest = time.busy.total() / micro_batches;
  const seconds all = busiest + time.bubble / bubble;
  const seconds passes = time.busy.total() + time.bubble + time.pipeline;
  const seconds saved = (micro_batches - bubble) * (busiest - all / p);
  return time.total() - (1 + time.stragglers / passes) * (std::max)(saved, seconds{0});
}

/// Layouts whose stages may be made uneven, the most promising first: those that lead their ranks,
/// then the rest.  Where none fits with equal stages, however long they take.
std::vector<start_of_stages> starts_of(const plan_question& q, const std::vector<plan>& plans) {
  plan_question near{.asked = q.asked, .vary = q.vary};
  near.vary.keep = starts_kept;
  if (!plans.empty()) near.vary.within = near_the_best * reached(plans.front(), q.vary.by);
  near.asked.pool.node.gpu = with_memory(q.asked.pool.gpu(), roomier * q.asked.pool.gpu().memory);
  std::vector<start_of_stages> starts;
  for (const plan& equal : searched(near.asked, near.vary).plans)
    if (equal.parallelism().pipeline > 1)
      starts.push_back({equal, gpus_counted(equal, q.vary.by) * least_of_stages(equal)});
  std::stable_sort(starts.begin(), starts.end(),
                   [](const auto& a, const auto& b) { return a.least < b.least; });
  for (auto one = starts.begin(); one != starts.end(); ++one)
    one->leads = std::none_of(starts.begin(), one, [&](const start_of_stages& before) {
      return before.leads && before.equal.parallelism().has_ranks_of(one->equal.parallelism());
    });
  std::stable_partition(starts.begin(), starts.end(), [](const auto& one) { return one.leads; });
  return starts;
}

/// Splits that each layout tries at first, and all of them together: a tenth of a second where one
/// takes 30 us; and layouts that are then tried further, as many as plan shows.
constexpr int splits_at_first = 64;
constexpr int splits_of_all = 16'000;
constexpr std::size_t tried_further = 5;

/// A layout that was tried, and the best of it that fits.
struct tried_start {
  plan equal;
  plan best;
};

/// What a layout must not take longer than to be shown: the last of the best of their ranks, as many
/// as are asked for, or the best of all where others lead its ranks.
class shown_plans {
 public:
  shown_plans(const std::vector<plan>& plans, int count, objective by) : by_{by} {
    for (const plan_family& one : first_families(plans, count)) best_.push_back(one.best);
    full_ = best_.size() == static_cast<std::size_t>(count);
  }
  [[nodiscard]] seconds limit_of(const start_of_stages& start) const {
    if (!start.leads && !best_.empty()) return reached(best_.front(), by_);
    return full_ ? reached(best_.back(), by_) : seconds{std::numeric_limits<double>::infinity()};
  }
  void add(const plan& found) {
    const auto slower = [&](const plan& one) { return reached(found, by_) < reached(one, by_); };
    const auto alike = std::find_if(best_.begin(), best_.end(), [&](const plan& one) {
      return one.parallelism().has_ranks_of(found.parallelism());
    });
    if (alike != best_.end()) {
      if (!slower(*alike)) return;
      best_.erase(alike);
    } else if (full_) {
      if (!slower(best_.back())) return;
      best_.pop_back();
    }
    best_.insert(std::find_if(best_.begin(), best_.end(), slower), found);
  }

 private:
  objective by_;
  bool full_ = false;
  std::vector<plan> best_{};  ///< one of each ranks, the best first
};

/// Whether the stages together have the memory that they need: if not, no split of layers has.  They
/// need a little less where layers move to later stages, which is left out.
bool has_memory(const plan_question& q, const plan& equal) {
  const footprint& memory = equal.what.memory;
  bytes all{};
  for (int i = 0; i < memory.stages(); ++i) all += memory.stage(i).total();
  return all <= memory.stages() * room_for(q.asked, q.vary, equal.recipe());
}

/// The layouts that may become the best of all or of their ranks, a few splits tried of each, then
/// more of those that are the best by these, as far as the splits reach.
std::vector<tried_start> with_stages_tried(const std::vector<plan>& plans, const plan_question& q) {
  const objective by = q.vary.by;
  std::vector<tried_start> tried;
  shown_plans shown{plans, q.families, by};
  int left = splits_of_all;
  for (const start_of_stages& start : starts_of(q, plans)) {
    if (start.least > shown.limit_of(start) || !has_memory(q, start.equal)) continue;
    if (left < 1) break;
    int splits = (std::min)(left, splits_at_first);
    left -= splits;
    if (const auto best = with_best_stages(q, start.equal, splits)) {
      tried.push_back({start.equal, *best});
      shown.add(*best);
    }
    left += splits;
  }
  std::stable_sort(tried.begin(), tried.end(), [&](const auto& a, const auto& b) {
    return reached(a.best, by) < reached(b.best, by);
  });
  int further = splits_to_try(q);
  for (std::size_t i = 0; i < (std::min)(tried.size(), tried_further) && further > 0; ++i) {
    const std::optional<plan> more = with_best_stages(q, tried[i].equal, further);
    if (more && reached(*more, by) < reached(tried[i].best, by)) tried[i].best = *more;
  }
  return tried;
}

/// The best plans with their best stages, added in their places among the plans.  Uneven stages may
/// fit where no equal ones do.
void add_best_stages(search_result& found, const plan_question& q) {
  const objective by = q.vary.by;
  const bool some_fit = !found.plans.empty();
  if (some_fit ? by == objective::memory : least_on_each(q.asked) > q.asked.pool.gpu().memory)
    return;
  for (const tried_start& one : with_stages_tried(found.plans, q)) {
    if (one.best.recipe().split.stages() == 0) continue;
    const auto place = std::find_if(found.plans.begin(), found.plans.end(), [&](const plan& other) {
      return reached(one.best, by) < reached(other, by);
    });
    found.plans.insert(place, one.best);
  }
  if (!found.plans.empty()) found.misses.clear();
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
  return (1 + rounding) * gpus_counted(one, by) * one.what.time.total();
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
  search_result found;
  if (const auto equal = best_of_equal(asked.asked, asked.vary)) found.plans.push_back(*equal);
  plan_question alone{
      .asked = asked.asked, .vary = asked.vary, .families = 1, .further = asked.further};
  add_best_stages(found, alone);
  return found.plans.empty() ? std::nullopt : std::optional{found.plans.front()};
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
