#pragma once
/// \file
/// All that plan says of one cluster: the best layouts, why they are no better, what would help.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <gpuplan/accuracy/error_band.hpp>
#include <gpuplan/plan/more_memory.hpp>
#include <gpuplan/plan/repair.hpp>
#include <gpuplan/plan/search.hpp>
#include <gpuplan/plan/step_resource.hpp>

#include "command_words.hpp"
#include "plan/run.hpp"
#include "plan/slopes.hpp"
#include "profile_effect.hpp"
#include "proposal.hpp"
#include "request.hpp"

namespace gpuplan::cli {

/// A change that gains less is not worth a word.
inline constexpr double least_gain = 1.002;

/// Plans that cut the job alike: equal in data, tensor, pipeline, context and expert.
struct plan_family {
  plan best;
  std::vector<plan> others;  ///< worse ones that differ in VPP, micro-batch or recipe alone
};

/// Plans that use the same kinds of parallelism, tensor and context as an example.
struct plan_kind {
  plan best;
  std::vector<plan> others;  ///< worse ones, the best first
};

/// The same question with one thing changed, and its best plan.
struct alternative {
  std::string what;
  plan best;
  double speedup = 1;  ///< tokens a second, or of a GPU's second, over those of the best plan
};

/// The best plan where more or less certainty is asked that it fits.
struct risky_choice {
  double risk = 0;
  plan best;
  bool same = false;  ///< as where the risk is not changed
};

/// The fewest GPUs of a type on which the job fits.
struct larger_cluster {
  std::string gpu;
  std::int64_t gpus = 0;
  plan best;
  double fits_probability = 0;
};

/// How far it is searched for what would help, and where nothing fits for what would fit.
enum class further_search { none, usual, to_the_end };

/// What the user wants little of.
enum class wish { time, cost, energy, gpu_hours, memory };

/// The question of one cluster.
struct plan_question {
  job asked;
  space vary;
  wish by = wish::time;
  int families = 5;  ///< to show
  further_search further = further_search::usual;
  double level = usual_level;  ///< of the bands
  run_terms terms{};
  int usual_batch = 0;                ///< sequences, fitted to the GPUs; 0 where they are given
  std::vector<typed_option> alone{};  ///< options that ask it alone where several are asked
  command_words words{};              ///< that ask it, of GPUs at hand
  command_words in_pool{};            ///< the same, with the options of a pool
  std::function<plan_question(const command_words&)> asked_by{};  ///< what other words ask
};

/// Makes the usual batch, where none is given, a multiple of what the GPUs take at once: one rule,
/// whatever other clusters are asked for.
void fit_batch(plan_question& asked);
/// "The usual batch of 1024 is made a multiple of 24 GPUs: 1032; ..."; empty where it is as it was.
std::string batch_in_words(const plan_question& asked);

/// The answer.
struct plan_study {
  search_result found;
  std::vector<plan_family> families;
  std::optional<plan> shown;  ///< the best, or the closest miss
  std::optional<run_forecast> run;
  bool is_explained = false;  ///< whether what follows was looked for
  std::optional<elasticities> slopes;
  std::optional<improvement> twice;  ///< the resource that helps most when it is doubled
  bool searched_further = false;     ///< whether what follows was looked for to the end
  std::optional<memory_gain> more_memory;
  std::vector<risky_choice> risks;        ///< the best plans at other risks, the safest first
  std::vector<alternative> alternatives;  ///< those that are faster, the best first
  std::optional<repairs> changes;         ///< where nothing fits
  std::vector<larger_cluster> clusters;   ///< likewise: of this type, then of others
  proposals what_fits;                    ///< likewise: commands
};

/// Layouts that broke a rule.
struct reject_count {
  reject_reason reason{};
  std::int64_t layouts = 0;
};

/// The rules that were broken, that of most layouts first.
std::vector<reject_count> rejects_by_count(const search_result& found);

/// The rule that most layouts broke; that of the GPUs where there is no layout of so few.
reject_reason commonest(const search_result& found);

/// "Nothing fits: none of 16 layouts", or why there is none, or how sure it is that one fits.
std::string misfit_in_words(const plan_study& study, const job& asked);

/// What weights and states of the optimizer take of each GPU at least, however they are divided; 0
/// where the host may hold them.
bytes least_on_each(const job& asked);
/// The best families of plans, so many.
std::vector<plan_family> first_families(const std::vector<plan>& plans, int count);

/// What a plan takes of what a search wants little of, with room for rounding.
seconds reached(const plan& one, objective by);
/// Tokens a second over those of another plan; tokens of a GPU's second where GPU time is sought.
double gain_of(const plan& better, const plan& now, objective by);

/// Search, and the best plan of each family with the stages that are quickest in its place.
search_result search_layouts(const plan_question& asked);
/// The best plan of that, where one fits.
std::optional<plan> best_of(const plan_question& asked);

/// The best plans at other risks than that of the question, whose best plan is `now`: the safest
/// first.
std::vector<risky_choice> risks_of(const plan_question& asked, const plan& now);
/// "--risk 0.02 +2.1 % time": what a safer or a bolder choice costs; empty where each is the same
/// plan as `now`.
std::string risks_in_words(const std::vector<risky_choice>& choices, const plan& now, objective by);
/// What it is without the profile; nothing where there is none, or nothing fits.
std::optional<datasheet_choice> choice_by_datasheets(const plan_question& asked,
                                                     const plan& chosen);

/// Search, and the run of its best plan: all that an offer needs.
plan_study search_of(const plan_question& asked);
/// What explains it, added, unless nothing further is to be searched.
void explain(plan_study& study, const plan_question& asked);

/// Of a job that does not fit: what to change, and the clusters on which it does.
void explain_misfit(plan_study& study, const plan_question& asked);

/// The kinds of the plans that a search kept, the best first; at most so many.
std::vector<plan_kind> kinds_of(const std::vector<plan>& plans, std::size_t most);

/// "layers 0,5,5,0", "layers 9,6x8,7" where more than two stages in a row are alike, or "equal
/// stages".
std::string stages_in_words(const plan& one);

/// The stages of a plan whose layers are split, as Megatron-LM spells them; empty for equal stages.
std::string megatron_stages(const job& asked, const plan& one);

/// "TP 2, VPP 24, ZeRO 1": in what `other` differs from `base`.
std::string difference_in_words(const plan& base, const plan& other);

}  // namespace gpuplan::cli
