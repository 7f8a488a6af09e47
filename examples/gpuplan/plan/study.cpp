/// \file
/// All that plan says of one cluster.

#include "plan/study.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/model/recipe_names.hpp>
#include <gpuplan/plan/memory_share.hpp>
#include <gpuplan/plan/pareto.hpp>
#include <gpuplan/plan/pipeline_layout.hpp>
#include <gpuplan/plan/training_task.hpp>
#include <gpuplan/plan/uneven_pipeline.hpp>
#include <gpuplan/report/json.hpp>

#include "bands.hpp"
#include "inputs.hpp"
#include "layout_search.hpp"
#include "parallel_axes.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

/// Layouts costed by a search up to which the program searches further without being asked to.
constexpr std::int64_t quick_search = 450'000;

/// Which kinds of parallelism a layout uses, a bit each.
unsigned kinds_used(const parallelism& cut) {
  unsigned used = 0;
  for (const parallel_axis& axis : parallel_axes)
    used = 2 * used + (axis.ranks != &parallelism::interleave && cut.*axis.ranks > 1 ? 1 : 0);
  return used;
}

/// Layouts whose memory was worked out.
std::int64_t costed(const search_result& found) {
  return found.fitting + found.rejected[static_cast<std::size_t>(reject_reason::memory)];
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
  free("DP", &space::data, true);
  free("TP", &space::tensor, true);
  free("PP", &space::pipeline, true);
  free("CP", &space::context, true);
  free("EP", &space::expert, m.moe.experts > 0);
  free("VPP", &space::interleave, true);
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

std::vector<alternative> alternatives_of(const plan_question& q, const plan& now) {
  std::vector<changed_question> changed;
  add_freed(changed, q);
  add_recipes(changed, q);
  std::vector<alternative> better;
  for (const changed_question& one : changed) {
    const double more_tokens =
        static_cast<double>(one.asked.recipe.global_batch_size) / now.recipe().global_batch_size;
    space vary = one.vary;
    vary.within = more_tokens / least_gain * reached(now, vary.by);
    const std::optional<plan> best =
        best_of({.asked = one.asked, .vary = vary, .further = q.further});
    if (!best) continue;
    const double speedup = gain_of(*best, now, q.vary.by);
    if (speedup > least_gain) better.push_back({one.what, *best, speedup});
  }
  std::stable_sort(better.begin(), better.end(),
                   [](const auto& a, const auto& b) { return a.speedup > b.speedup; });
  return better;
}

/// The least more memory of each GPU that allows a faster plan, and the best plan then.
std::optional<memory_gain> gain_of_memory(const plan_question& q, const plan& now) {
  const job& asked = q.asked;
  std::optional<memory_gain> gain =
      next_with_memory(asked.model, asked.pool, asked.recipe, planned_space(asked, q.vary),
                       asked.parallelism, asked.workspace);
  if (!gain) return std::nullopt;
  plan_question larger{.asked = asked, .vary = q.vary, .further = q.further};
  larger.asked.pool.node.gpu = with_memory(asked.pool.gpu(), gain->needed);
  if (const std::optional<plan> best = best_of(larger)) gain->next = *best;
  gain->before = now.what.time.total();
  return gain->speedup() > least_gain ? gain : std::nullopt;
}

/// What a plan takes of what is wanted little of.
double taken(const plan& one, objective by) {
  switch (by) {
    case objective::time: return one.what.time.total().in_base_units();
    case objective::gpu_time: return measures_of(one).gpu_time.in_base_units();
    case objective::memory: return one.what.needed.in_base_units();
  }
  return 0;
}

/// Risks that a safer and a bolder user would take, and the usual one between them.
constexpr std::array other_risks{0.02, usual_risk, 0.5};

bool same_choice(const plan& a, const plan& b) {
  return gpuplan::json_of(a.recipe()) == gpuplan::json_of(b.recipe()) &&
         gpuplan::json_of(a.parallelism()) == gpuplan::json_of(b.parallelism());
}

}  // namespace

std::vector<risky_choice> risks_of(const plan_question& q, const plan& now) {
  std::vector<risky_choice> choices;
  for (const double risk : other_risks) {
    if (risk == q.vary.risk) continue;
    space vary = q.vary;
    vary.risk = risk;
    if (risk > q.vary.risk) vary.within = reached(now, vary.by);  // what fits now does then
    const std::optional<plan> best =
        best_of({.asked = q.asked, .vary = vary, .further = q.further});
    if (!best) continue;
    choices.push_back({risk, *best, same_choice(*best, now)});
  }
  return choices;
}

std::string risks_in_words(const std::vector<risky_choice>& choices, const plan& now,
                           objective by) {
  const char* what = by == objective::time       ? "time"
                     : by == objective::gpu_time ? "GPU time"
                                                 : "memory";
  std::string words;
  for (const risky_choice& one : choices) {
    if (one.same) continue;
    words += fmt::format("{}--risk {} {:+.1f} % {}", words.empty() ? "" : ", ", one.risk,
                         100 * (taken(one.best, by) / taken(now, by) - 1), what);
  }
  return words;
}

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
  if (found.candidates == 0) return reject_reason::gpus;
  const auto most = std::max_element(found.rejected.begin(), found.rejected.end());
  return static_cast<reject_reason>(most - found.rejected.begin());
}

namespace {

/// "tensor 16 x context 2 needs 32 GPUs, and there are 8".
std::string too_few_gpus_in_words(const job& asked) {
  std::string axes;
  std::int64_t ranks = 1;
  for (const parallel_axis& axis : parallel_axes) {
    const int size = asked.parallelism.*axis.ranks;
    if (!divides_gpus(axis) || size == 1) continue;
    axes += fmt::format("{}{} {}", axes.empty() ? "" : " x ", axis.name, size);
    ranks *= size;
  }
  const int gpus = asked.asked.gpus;
  return fmt::format("{} needs {}, and there {} {}", axes, counted(ranks, "GPU"),
                     gpus == 1 ? "is" : "are", gpus);
}

}  // namespace

std::string misfit_in_words(const plan_study& study, const job& asked) {
  const std::int64_t layouts = study.found.candidates;
  if (layouts == 0) return "Nothing fits: " + too_few_gpus_in_words(asked);
  const std::string number = grouped(static_cast<double>(layouts));
  const char* noun = layouts == 1 ? "layout" : "layouts";
  if (!study.shown)
    return layouts == 1 ? "Nothing fits: the one layout breaks a rule"
                        : fmt::format("Nothing fits: each of {} layouts breaks a rule", number);
  if (!may_fit(study.shown->what, asked))
    return fmt::format("Nothing fits: none of {} {}", number, noun);
  const double chance = bands_of(study.shown->what, asked).fits_probability;
  return fmt::format(
      "The job is predicted to fit with a probability of {}, less surely than --risk and "
      "--headroom ask: none of {} {} is as sure",
      chance_in_words(chance), number, noun);
}

void fit_batch(plan_question& asked) {
  if (asked.usual_batch == 0) return;
  recipe& how = asked.asked.recipe;
  const std::int64_t at_once = std::int64_t{asked.asked.asked.gpus} * how.sequences_per_sample;
  how.global_batch_size = rounded_batch(
      asked.usual_batch, static_cast<int>(std::min<std::int64_t>(at_once, most_ranks)));
}

std::string batch_in_words(const plan_question& asked) {
  const int batch = asked.asked.recipe.global_batch_size;
  if (asked.usual_batch == 0 || batch == asked.usual_batch) return {};
  return fmt::format("The usual batch of {} is made a multiple of {}: {}; --batch sets it.",
                     asked.usual_batch, counted(asked.asked.asked.gpus, "GPU"), batch);
}

plan_study search_of(const plan_question& asked) {
  plan_study study;
  study.found = search_layouts(asked);
  study.families = first_families(study.found.plans, asked.families);
  if (!study.found.plans.empty()) {
    study.shown = study.found.plans.front();
    study.run = forecast_of(*study.shown, asked.asked, asked.terms);
  } else if (!study.found.misses.empty()) {
    study.shown = study.found.misses.front();
  }
  return study;
}

void explain(plan_study& study, const plan_question& q) {
  if (q.further == further_search::none) return;
  study.is_explained = true;
  const job& asked = q.asked;
  if (study.found.plans.empty()) {
    explain_misfit(study, q);
    return;
  }
  const plan& best = *study.shown;
  study.slopes = elasticities_of(best, asked);
  study.twice = best_improvement(asked.model, asked.pool, best.recipe(), best.parallelism(), 2);
  study.searched_further =
      q.further == further_search::to_the_end || costed(study.found) <= quick_search;
  if (!study.searched_further) return;
  study.risks = risks_of(q, best);
  if (q.vary.by != objective::memory) study.alternatives = alternatives_of(q, best);
  if (q.vary.by == objective::time) study.more_memory = gain_of_memory(q, best);
}

std::vector<plan_kind> kinds_of(const std::vector<plan>& plans, std::size_t most) {
  std::vector<plan_kind> kinds;
  for (const plan& one : plans) {
    const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const plan_kind& other) {
      return kinds_used(other.best.parallelism()) == kinds_used(one.parallelism());
    });
    if (kind == kinds.end())
      kinds.push_back({one, {}});
    else
      kind->others.push_back(one);
  }
  if (kinds.size() > most)
    kinds.erase(kinds.begin() + static_cast<std::ptrdiff_t>(most), kinds.end());
  return kinds;
}

std::string stages_in_words(const plan& one) {
  const layer_split& split = one.recipe().split;
  if (split.stages() == 0) return "equal stages";
  std::string words = "layers ";
  for (int i = 0, alike = 1; i < split.stages(); i += alike, alike = 1) {
    while (i + alike < split.stages() && split.layers(i + alike) == split.layers(i)) ++alike;
    if (i > 0) words += ",";
    if (alike > 2)
      words += fmt::format("{}x", alike);
    else
      alike = 1;
    words += fmt::format("{}", split.layers(i));
  }
  return words;
}

std::string megatron_stages(const job& asked, const plan& one) {
  if (one.recipe().split.stages() == 0) return {};
  return pipeline_layout_of(asked.model, one.recipe(), one.parallelism());
}

std::string difference_in_words(const plan& base, const plan& other) {
  std::vector<std::string> words;
  const parallelism& a = base.parallelism();
  const parallelism& b = other.parallelism();
  const bool as_many = base.what.gpus == other.what.gpus;  // then data follows from the others
  for (const parallel_axis& axis : parallel_axes)
    if (a.*axis.ranks != b.*axis.ranks && !(as_many && axis.ranks == &parallelism::data))
      words.push_back(fmt::format("{} {}", axis.title, b.*axis.ranks));
  if (a.micro_batch_size != b.micro_batch_size)
    words.push_back(fmt::format("micro-batch {}", b.micro_batch_size));
  if (base.recipe().zero != other.recipe().zero)
    words.push_back(fmt::format("ZeRO {}", static_cast<int>(other.recipe().zero)));
  if (base.recipe().recompute != other.recipe().recompute)
    words.push_back(
        other.recipe().recompute == recompute::none
            ? "no recompute"
            : fmt::format("{} recompute", spelled(recompute_names, other.recipe().recompute)));
  if (base.recipe().sequence_parallel != other.recipe().sequence_parallel)
    words.push_back(other.recipe().sequence_parallel ? "sequence parallel"
                                                     : "no sequence parallel");
  if (base.recipe().schedule != other.recipe().schedule)
    words.emplace_back(spelled(schedule_names, other.recipe().schedule));
  if (stages_in_words(base) != stages_in_words(other)) words.push_back(stages_in_words(other));
  std::string all;
  for (const std::string& one : words) all += (all.empty() ? "" : ", ") + one;
  return all;
}

}  // namespace gpuplan::cli
