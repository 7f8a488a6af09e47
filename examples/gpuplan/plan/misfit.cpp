/// \file
/// Of a job that does not fit on a cluster: what to change, and the clusters on which it does.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/api/power_limit.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/recipe_fields.hpp>
#include <gpuplan/plan/feasibility.hpp>
#include <gpuplan/plan/fewest_gpus.hpp>
#include <gpuplan/plan/memory_share.hpp>
#include <gpuplan/plan/what_fits.hpp>

#include "bands.hpp"
#include "inputs.hpp"
#include "plan/space.hpp"
#include "plan/study.hpp"

namespace gpuplan::cli {
namespace {

/// Searches of clusters on which a job may fit, until they have looked at so many layouts.
class fitting_searches {
 public:
  explicit fitting_searches(const plan_question& q)
      : vary_{q.vary}, has_end_{q.further != further_search::to_the_end} {}

  [[nodiscard]] bool ended() const { return has_end_ && tried_ > usual_fitting_work; }

  bool fits(const job& asked) {
    if (ended() || least_on_each(asked) > asked.pool.gpu().memory) return false;
    feasibility tried{asked.model, asked.pool, asked.workspace};
    const bool fits = tried.fits({asked.recipe, planned_space(asked, vary_), asked.parallelism});
    tried_ += tried.looked_at();
    return fits;
  }

 private:
  space vary_;
  bool has_end_;
  std::int64_t tried_ = 0;
};

/// The job on other GPUs: so many of a type, nodes and fabric of its time where none were asked.
job on_gpus(const job& asked, std::string_view gpu, int gpus) {
  job other = asked;
  const bool same = same_name(gpu, asked.asked.gpu);
  other.asked.gpu = gpu;
  other.asked.gpus = gpus;
  if (!same) {
    other.asked.memory = bytes{0};
    other.asked.measured = {};
    if (asked.asked.fabric == default_fabric(asked.pool.gpu())) other.asked.fabric.clear();
  }
  other.pool = cluster_of(other.asked);
  api::require_power_limit(other, choice_name::option);
  if (!same) other.workspace = workspace_of(other.pool.gpu(), other.recipe.framework);
  return other;
}

/// The fewest GPUs of its type on which the job fits; 0 where none do.  A layout of fewer GPUs may
/// be run on more, so that what fits keeps fitting.
std::int64_t enough_gpus(const plan_question& q, fitting_searches& searches) {
  constexpr std::int64_t most = 1 << 20;
  return fewest_gpus(
      q.asked.asked.gpus, q.asked.asked.gpus_per_node, most,
      [&](std::int64_t gpus) {
        return searches.fits(on_gpus(q.asked, q.asked.asked.gpu, static_cast<int>(gpus)));
      },
      [&] { return searches.ended(); });
}

/// Types of more memory of which as many GPUs fit: those with the least memory first.
std::vector<std::string> other_types(const plan_question& q, fitting_searches& searches) {
  constexpr std::size_t most_shown = 4;
  std::vector<std::string> fitting;
  for (const std::string& name : larger_types(q.asked)) {
    if (fitting.size() == most_shown || searches.ended()) break;
    try {
      if (searches.fits(on_gpus(q.asked, name, q.asked.asked.gpus))) fitting.push_back(name);
    } catch (const invalid_input&) {
      continue;  // no rate is known for its links, or it cannot be limited to so little power
    }
  }
  return fitting;
}

/// Layouts of the search that found nothing up to which each proposal is searched to the end.
constexpr std::int64_t quick_misfit = 50'000;

/// The best plan of what words ask, and what its run costs.
std::optional<proposal> answer_of_words(const plan_question& q, const command_words& words,
                                        bool to_the_end) {
  plan_question other = q.asked_by(words);
  if (!to_the_end && other.vary.micro_batch)
    other.asked.parallelism.micro_batch_size = other.asked.recipe.sequences_per_sample;
  if (!to_the_end) other.vary.micro_batch = other.vary.interleave = false;
  const std::optional<plan> best = best_of(other);
  if (!best) return std::nullopt;
  proposal one{.asked = other.asked, .best = *best};
  one.fits_probability = bands_of(best->what, other.asked).fits_probability;
  one.searched_all = to_the_end;
  const run_forecast run = forecast_of(*best, other.asked, other.terms);
  if (other.terms.priced() && isfinite(run.whole.cost())) one.price = run.whole.cost();
  return one;
}

/// The words that ask for other GPUs: what was said of one type is not said of another.
command_words words_on(const plan_question& q, const std::string& gpu, std::int64_t gpus) {
  command_words words = q.words;
  words.set("--gpus", std::to_string(gpus));
  words.set("--batch", std::to_string(q.asked.recipe.global_batch_size));
  if (!same_name(gpu, q.asked.asked.gpu)) set_type(words, gpu);
  return words;
}

/// Adds a cluster on which the job fits, with its command.
void add_cluster(plan_study& study, const plan_question& q, const std::string& gpu,
                 std::int64_t gpus, const words_answer& answer) {
  const std::size_t before = study.what_fits.list.size();
  add_proposal(study.what_fits, lever_cost::hardware, words_on(q, gpu, gpus), q.words, answer);
  if (study.what_fits.list.size() == before) return;
  const proposal& one = study.what_fits.list.back();
  study.clusters.push_back({gpu, gpus, one.best, one.fits_probability});
}

/// Adds the risk that takes the closest miss as it is, where it is predicted to fit.
void add_risk(plan_study& study, const plan_question& q, const words_answer& answer) {
  if (!study.shown || !may_fit(study.shown->what, q.asked) || q.vary.headroom > 0) return;
  const double risk = risk_that_takes(study.shown->what, q.asked);
  if (!(risk > q.vary.risk && risk <= 1)) return;
  command_words words = q.words;
  words.set("--risk", fmt::format("{:g}", risk));
  add_proposal(study.what_fits, lever_cost::risk, words, q.words, answer);
}

void add_changes(plan_study& study, const plan_question& q, const words_answer& answer) {
  const search_start from{q.asked.recipe, planned_space(q.asked, q.vary), q.asked.parallelism};
  const std::int64_t most = q.further == further_search::to_the_end
                                ? std::numeric_limits<std::int64_t>::max()
                                : usual_fitting_work;
  const fitting_changes found =
      what_fits(q.asked.model, q.asked.pool, from, q.asked.workspace, most);
  const words_for asks = [&](const fitting_change& one) {
    command_words words = q.words;
    set_changed(words, recipe_fields, q.asked.recipe, one.start.recipe);
    set_freed(words, q.vary, one.start.vary);
    return words;
  };
  add_proposals(study.what_fits, found, q.words, asks, answer);
}

}  // namespace

void explain_misfit(plan_study& study, const plan_question& q) {
  const job& asked = q.asked;
  if (study.shown)
    study.changes = repairs_of(
        asked.model,
        planned_pool(asked.pool, asked.model, asked.recipe, planned_space(asked, q.vary)),
        study.shown->recipe(), study.shown->parallelism(), asked.workspace);
  const bool to_the_end = q.further == further_search::to_the_end ||
                          study.found.candidates - study.found.dominated <= quick_misfit;
  const words_answer answer = [&](const command_words& words) {
    return answer_of_words(q, words, to_the_end);
  };
  add_risk(study, q, answer);
  add_changes(study, q, answer);
  fitting_searches searches{q};
  if (commonest(study.found) == reject_reason::memory || study.shown) {
    if (const std::int64_t more = enough_gpus(q, searches); more > 0)
      add_cluster(study, q, asked.asked.gpu, more, answer);
    for (const std::string& type : other_types(q, searches))
      add_cluster(study, q, type, asked.asked.gpus, answer);
  }
  sort_by_cost(study.what_fits);
  study.searched_further = !searches.ended() && study.what_fits.searched_all;
}

}  // namespace gpuplan::cli
