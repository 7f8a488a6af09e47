/// \file
/// All that plan says of one cluster.

#include "plan/study.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/plan/memory_share.hpp>

#include "inputs.hpp"

namespace gpuplan::cli {
namespace {

/// Layouts costed by a search up to which the program searches further without being asked to.
constexpr std::int64_t quick_search = 300'000;

search_result searched(const job& asked, const space& vary) {
  return search(asked.model, asked.pool, asked.recipe, vary, asked.parallelism, asked.workspace);
}

/// What weights and states of the optimizer take of each GPU at least, however they are divided; 0
/// where the host may hold them.
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

std::optional<plan> best_of(const job& asked, space vary) {
  if (least_on_each(asked) > asked.pool.gpu().memory) return std::nullopt;
  vary.keep = 1;
  const search_result found = searched(asked, vary);
  return found.plans.empty() ? std::nullopt : std::optional{found.plans.front()};
}

/// Searches of clusters on which a job may fit, until they have looked at so many layouts.
class fitting_searches {
 public:
  explicit fitting_searches(const plan_question& q) : vary_{q.vary}, has_end_{!q.what_if} {
    vary_.keep = 1;
  }

  [[nodiscard]] bool ended() const { return has_end_ && tried_ > most_tried; }

  std::optional<plan> best_of(const job& asked) {
    if (ended() || least_on_each(asked) > asked.pool.gpu().memory) return std::nullopt;
    const search_result found = searched(asked, vary_);
    tried_ += found.candidates - found.dominated;
    return found.plans.empty() ? std::nullopt : std::optional{found.plans.front()};
  }

 private:
  /// Some ten seconds of work; a job of the catalogue's models that fits a million GPUs takes less.
  static constexpr std::int64_t most_tried = 20'000'000;

  space vary_;
  bool has_end_;
  std::int64_t tried_ = 0;
};

bool alike(const parallelism& a, const parallelism& b) {
  const auto shape = [](const parallelism& cut) {
    return std::tuple{cut.data, cut.tensor, cut.pipeline, cut.context, cut.expert};
  };
  return shape(a) == shape(b);
}

std::vector<plan_family> families_of(const std::vector<plan>& plans) {
  std::vector<plan_family> families;
  for (const plan& one : plans) {
    const auto family = std::find_if(families.begin(), families.end(), [&](const auto& f) {
      return alike(f.best.parallelism(), one.parallelism());
    });
    if (family == families.end())
      families.push_back({one, {}});
    else
      family->others.push_back(one);
  }
  return families;
}

/// Layouts whose memory was worked out.
std::int64_t costed(const search_result& found) {
  return found.fitting + found.rejected[static_cast<std::size_t>(reject_reason::memory)];
}

/// A search that keeps so many that `families` differ, or all there are: near-duplicates fill a
/// short list.
search_result search_families(const plan_question& asked) {
  constexpr int most_kept = 20'000;
  space vary = asked.vary;
  for (vary.keep = 4 * asked.families;; vary.keep *= 4) {
    search_result found = searched(asked.asked, vary);
    const bool full = found.plans.size() == static_cast<std::size_t>(vary.keep);
    const bool enough = families_of(found.plans).size() >= static_cast<std::size_t>(asked.families);
    if (enough || !full || vary.keep > most_kept / 4) return found;
  }
}

/// The same question with one thing changed.
struct changed_question {
  std::string what;
  job asked;
  space vary;
};

void add_freed(std::vector<changed_question>& changed, const plan_question& q) {
  const auto free = [&](const char* name, bool space::*axis, bool matters) {
    if (q.vary.*axis || !matters) return;
    changed_question one{fmt::format("{} left to the search", name), q.asked, q.vary};
    one.vary.*axis = true;
    changed.push_back(std::move(one));
  };
  const transformer& m = q.asked.model;
  free("data", &space::data, true);
  free("tensor", &space::tensor, true);
  free("pipeline", &space::pipeline, true);
  free("context", &space::context, true);
  free("experts", &space::expert, m.moe.experts > 0);
  free("interleave", &space::interleave, true);
  free("micro-batch", &space::micro_batch, true);
  free("ZeRO", &space::zero, true);
  free("recompute", &space::recompute, true);
  free("sequence parallel", &space::sequence_parallel, true);
  free("schedule", &space::schedule, true);
}

void add_recipes(std::vector<changed_question>& changed, const plan_question& q) {
  const recipe& how = q.asked.recipe;
  const auto add = [&](std::string what, auto change) {
    changed_question one{std::move(what), q.asked, q.vary};
    change(one.asked.recipe);
    changed.push_back(std::move(one));
  };
  if (how.attention == attention_kernel::unfused)
    add("flash attention", [](recipe& r) { r.attention = attention_kernel::flash; });
  const bool has_fp8 = q.asked.pool.gpu().peak.fp8_e4m3 > flop_per_second{0};
  if (has_fp8 && how.precision == precision::mixed_bf16)
    add("precision fp8", [](recipe& r) { r.precision = precision::mixed_fp8; });
  if (gradient_storage(how) == number_format::fp32 && how.precision == precision::mixed_bf16)
    add("gradients bf16", [](recipe& r) { r.gradient = gradient_format::bf16; });
  if (how.global_batch_size <= most_ranks / 2)
    add(fmt::format("batch {}", 2 * how.global_batch_size),
        [](recipe& r) { r.global_batch_size *= 2; });
}

/// Tokens a second over those of another plan; tokens of a GPU's second where GPU time is sought.
double gain_of(const plan& better, const plan& now, objective by) {
  const double faster = better.what.throughput() / now.what.throughput();
  if (by == objective::time) return faster;
  return faster * static_cast<double>(now.what.gpus) / static_cast<double>(better.what.gpus);
}

std::vector<alternative> alternatives_of(const plan_question& q, const plan& now) {
  std::vector<changed_question> changed;
  add_freed(changed, q);
  add_recipes(changed, q);
  std::vector<alternative> better;
  for (const changed_question& one : changed) {
    const std::optional<plan> best = best_of(one.asked, one.vary);
    if (!best) continue;
    const double speedup = gain_of(*best, now, q.vary.by);
    constexpr double least_gain = 1.002;
    if (speedup > least_gain) better.push_back({one.what, *best, speedup});
  }
  std::stable_sort(better.begin(), better.end(),
                   [](const auto& a, const auto& b) { return a.speedup > b.speedup; });
  return better;
}

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
  if (!same) other.workspace = workspace_of(other.pool.gpu(), other.recipe.framework);
  return other;
}

/// The fewest GPUs of its type, whole nodes above one, on which the job fits.  A layout of fewer
/// GPUs may be run on more, so that what fits keeps fitting.
std::optional<larger_cluster> more_gpus(const plan_question& q, fitting_searches& searches) {
  const int node = q.asked.asked.gpus_per_node;
  constexpr std::int64_t most = 1 << 20;
  const auto try_on = [&](std::int64_t gpus) {
    return searches.best_of(on_gpus(q.asked, q.asked.asked.gpu, static_cast<int>(gpus)));
  };
  std::int64_t too_few = q.asked.asked.gpus;
  std::int64_t enough = too_few;
  std::optional<plan> best;
  while (!best && enough < most && !searches.ended()) {
    too_few = enough;
    enough = enough < node ? node : (2 * enough + node - 1) / node * node;
    best = try_on(enough);
  }
  if (!best) return std::nullopt;
  while (enough - too_few > node && !searches.ended()) {
    const std::int64_t middle = (too_few + enough) / 2 / node * node;
    if (middle <= too_few) break;
    if (const std::optional<plan> tried = try_on(middle)) {
      enough = middle;
      best = tried;
    } else {
      too_few = middle;
    }
  }
  return larger_cluster{q.asked.asked.gpu, enough, *best};
}

/// As many GPUs of other types that fit: those with the least memory, one vendor's newest first.
std::vector<larger_cluster> other_types(const plan_question& q, fitting_searches& searches) {
  constexpr std::size_t most_shown = 4;
  std::vector<const catalog::accelerator_entry*> larger;
  for (const auto& entry : catalog::accelerators)
    if (entry.gpu->memory > q.asked.pool.gpu().memory) larger.push_back(&entry);
  std::stable_sort(larger.begin(), larger.end(),
                   [](const auto* a, const auto* b) { return a->gpu->memory < b->gpu->memory; });
  std::vector<larger_cluster> fitting;
  for (const auto* entry : larger) {
    if (fitting.size() == most_shown || searches.ended()) break;
    try {
      const job other = on_gpus(q.asked, entry->name, q.asked.asked.gpus);
      if (const std::optional<plan> best = searches.best_of(other))
        fitting.push_back({std::string(entry->name), q.asked.asked.gpus, *best});
    } catch (const invalid_input&) {
      continue;  // no rate is known for its links
    }
  }
  return fitting;
}

/// Risks that a safer and a bolder user would take.
constexpr std::array other_risks{0.02, 0.5};

std::vector<risky_choice> risks_of(const plan_question& q) {
  std::vector<risky_choice> choices;
  if (q.vary.risk == 1) return choices;
  for (const double risk : other_risks) {
    if (risk == q.vary.risk) continue;
    space vary = q.vary;
    vary.risk = risk;
    if (const std::optional<plan> best = best_of(q.asked, vary)) choices.push_back({risk, *best});
  }
  return choices;
}

}  // namespace

std::vector<reject_count> rejects_by_count(const search_result& found) {
  std::vector<reject_count> counts;
  for (std::size_t i = 0; i < found.rejected.size(); ++i)
    if (found.rejected[i] > 0) counts.push_back({static_cast<reject_reason>(i), found.rejected[i]});
  std::stable_sort(counts.begin(), counts.end(), [](const reject_count& a, const reject_count& b) {
    return a.layouts > b.layouts;
  });
  return counts;
}

reject_reason commonest(const search_result& found) {
  const auto most = std::max_element(found.rejected.begin(), found.rejected.end());
  return static_cast<reject_reason>(most - found.rejected.begin());
}

plan_study search_of(const plan_question& asked) {
  plan_study study;
  study.found = search_families(asked);
  study.families = families_of(study.found.plans);
  if (study.families.size() > static_cast<std::size_t>(asked.families))
    study.families.resize(static_cast<std::size_t>(asked.families));
  if (!study.found.plans.empty()) {
    study.shown = study.found.plans.front();
    study.run = forecast_of(*study.shown, asked.asked, asked.terms);
  } else if (!study.found.misses.empty()) {
    study.shown = study.found.misses.front();
  }
  return study;
}

void explain(plan_study& study, const plan_question& q) {
  const job& asked = q.asked;
  if (study.found.plans.empty()) {
    if (study.shown)
      study.changes =
          repairs_of(asked.model, planned_pool(asked.pool, asked.model, asked.recipe, q.vary),
                     study.shown->recipe(), study.shown->parallelism(), asked.workspace);
    study.searched_further = true;
    if (commonest(study.found) != reject_reason::memory && !study.shown) return;
    fitting_searches searches{q};
    if (const auto more = more_gpus(q, searches)) study.clusters.push_back(*more);
    for (larger_cluster& other : other_types(q, searches))
      study.clusters.push_back(std::move(other));
    study.searched_further = !searches.ended();
    return;
  }
  const plan& best = *study.shown;
  study.slopes = elasticities_of(best, asked);
  study.twice = best_improvement(asked.model, asked.pool, best.recipe(), best.parallelism(), 2);
  study.searched_further = q.what_if || costed(study.found) <= quick_search;
  if (!study.searched_further) return;
  study.risks = risks_of(q);
  if (q.vary.by != objective::memory) study.alternatives = alternatives_of(q, best);
  if (q.vary.by == objective::time)
    study.more_memory = next_with_memory(asked.model, asked.pool, asked.recipe, q.vary,
                                         asked.parallelism, asked.workspace);
}

std::string difference_in_words(const plan& base, const plan& other) {
  std::vector<std::string> words;
  const parallelism& a = base.parallelism();
  const parallelism& b = other.parallelism();
  if (a.interleave != b.interleave)
    words.push_back(fmt::format("{} chunk{}", b.interleave, b.interleave > 1 ? "s" : ""));
  if (a.micro_batch_size != b.micro_batch_size)
    words.push_back(fmt::format("micro-batch {}", b.micro_batch_size));
  if (base.recipe().zero != other.recipe().zero)
    words.push_back(fmt::format("ZeRO {}", static_cast<int>(other.recipe().zero)));
  if (base.recipe().recompute != other.recipe().recompute)
    words.push_back(
        fmt::format("{} recompute", spelled(recompute_names, other.recipe().recompute)));
  if (base.recipe().sequence_parallel != other.recipe().sequence_parallel)
    words.push_back(other.recipe().sequence_parallel ? "sequence parallel"
                                                     : "no sequence parallel");
  if (base.recipe().schedule != other.recipe().schedule)
    words.emplace_back(spelled(schedule_names, other.recipe().schedule));
  std::string all;
  for (const std::string& one : words) all += (all.empty() ? "" : ", ") + one;
  return all;
}

}  // namespace gpuplan::cli
