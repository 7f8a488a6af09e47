/// \file
/// What plan answers, as JSON.

#include <cstddef>
#include <optional>
#include <utility>

#include <gpuplan/plan/estimate_band.hpp>
#include <gpuplan/report/json.hpp>

#include "bands.hpp"
#include "plan/answer.hpp"
#include "plan/completion.hpp"
#include "plan/space.hpp"
#include "profile_effect.hpp"
#include "summary.hpp"
#include "task.hpp"

namespace gpuplan::cli {
namespace {

report_json json_of_plan(const plan& one) {
  return {{"step_time_s", json_number(one.what.time.total())},
          {"mfu", json_number(one.what.model_flop_utilization())},
          {"binding", name_of(one.what.time.binding())},
          {"worst_stage_bytes", json_number(one.what.needed)},
          {"gpus_used", one.what.gpus},
          {"recipe", gpuplan::json_of(one.recipe())},
          {"parallelism", gpuplan::json_of(one.parallelism())}};
}

/// The same, with what step and memory are between, and how sure it is to fit.
report_json json_of_plan(const plan& one, const plan_question& q) {
  report_json answer = json_of_plan(one);
  const estimate_bands bands = bands_of(one.what, q.asked, q.level);
  const seconds step = one.what.time.total();
  answer["step_time_low_s"] = json_number(bands.step.low * step);
  answer["step_time_high_s"] = json_number(bands.step.high * step);
  answer["worst_stage_low_bytes"] = json_number(bands.device.low * one.what.needed);
  answer["worst_stage_high_bytes"] = json_number(bands.device.high * one.what.needed);
  answer["fits_probability"] = json_number(bands.fits_probability);
  return answer;
}

report_json number_or_null(const std::optional<double>& value) {
  return value ? json_number(*value) : report_json(nullptr);
}

report_json text_or_null(const std::string& text) {
  return text.empty() ? report_json(nullptr) : report_json(text);
}

report_json json_of_search(const search_result& found) {
  report_json rejected = report_json::object();
  for (std::size_t i = 0; i < found.rejected.size(); ++i)
    if (found.rejected[i] > 0)
      rejected[std::string(name_of(static_cast<reject_reason>(i)))] = found.rejected[i];
  return {{"candidates", found.candidates},
          {"fitting", found.fitting},
          {"dominated", found.dominated},
          {"rejected", rejected}};
}

report_json json_of_slopes(const elasticities& slopes) {
  report_json answer = report_json::object();
  for (std::size_t i = 0; i < step_resources.size(); ++i) {
    std::string key{name_of(step_resources[i])};
    for (char& c : key)
      if (c == ' ') c = '_';
    answer[key] = json_number(slopes.of[i]);
  }
  return answer;
}

report_json json_of_memory_gain(const memory_gain& gain) {
  report_json answer = json_of_plan(gain.next);
  answer["needed_bytes"] = json_number(gain.needed);
  answer["more_bytes"] = json_number(gain.more());
  answer["speedup"] = json_number(gain.speedup());
  return answer;
}

/// What would help; null where nothing fits, or it was not looked for.
report_json json_of_help(const plan_study& study, const plan_question& q) {
  if (!study.slopes) return nullptr;
  report_json answer{{"elasticities", json_of_slopes(*study.slopes)},
                     {"method", study.slopes->method},
                     {"twice",
                      {{"resource", name_of(study.twice->resource)},
                       {"speedup", json_number(study.twice->speedup())}}},
                     {"searched_further", study.searched_further},
                     {"more_memory", nullptr},
                     {"changes", report_json::array()}};
  if (study.more_memory) answer["more_memory"] = json_of_memory_gain(*study.more_memory);
  for (const alternative& one : study.alternatives) {
    report_json change{{"change", one.what}, {"speedup", json_number(one.speedup)}};
    change.update(json_of_plan(one.best, q));
    answer["changes"].push_back(std::move(change));
  }
  return answer;
}

report_json json_of_clusters(const plan_study& study) {
  report_json list = report_json::array();
  for (const larger_cluster& one : study.clusters) {
    report_json row{{"gpu", one.gpu}, {"gpus", one.gpus}};
    row.update(json_of_plan(one.best));
    row["fits_probability"] = json_number(one.fits_probability);
    list.push_back(std::move(row));
  }
  return list;
}

/// The price of a GPU, whose it is and of when, where they are known.
void add_gpu_price(report_json& answer, const run_terms& terms) {
  if (terms.priced()) answer["gpu_price_dollars_per_s"] = json_number(terms.prices.gpu);
  const price* const listed = listed_price(terms);
  if (listed == nullptr) return;
  answer["gpu_price_provider"] = listed->provider;
  answer["gpu_price_date"] = listed->date;
  answer["gpu_price_source"] = listed->source;
}

report_json json_of_offer(const offer& one, const run_limits& limits) {
  const cluster_request& asked = one.asked.asked.asked;
  report_json answer{
      {"gpu", asked.gpu},
      {"gpus", asked.gpus},
      {"global_batch_size", one.asked.asked.recipe.global_batch_size},
      {"command", nullptr},
      {"fits", one.study.run.has_value()},
      {"fault", one.cost_unknown && one.keeps_known() ? "price_unknown" : name_of(one.fault)},
      {"keeps_limits", one.keeps()},
      {"step_time_s", nullptr},
      {"step_time_low_s", nullptr},
      {"step_time_high_s", nullptr},
      {"fits_probability", nullptr},
      {"error_basis", nullptr},
      {"mfu", nullptr},
      {"gpus_used", nullptr},
      {"time_s", nullptr},
      {"time_low_s", nullptr},
      {"time_high_s", nullptr},
      {"deadline_probability", nullptr},
      {"budget_probability", nullptr},
      {"gpu_time_s", nullptr},
      {"gpu_price_dollars_per_s", nullptr},
      {"gpu_price_provider", nullptr},
      {"gpu_price_date", nullptr},
      {"gpu_price_source", nullptr},
      {"cost_dollars", nullptr},
      {"cost_low_dollars", nullptr},
      {"cost_high_dollars", nullptr},
      {"energy_joules", nullptr},
      {"carbon_grams", nullptr},
      {"interruptions", nullptr}};
  add_gpu_price(answer, one.asked.terms);
  if (!one.study.run) return answer;
  const run_forecast& run = *one.study.run;
  const estimate& what = one.study.shown->what;
  const estimate_bands bands = bands_of(what, one.asked.asked, one.asked.level);
  const auto add = [&](const std::string& name, const std::string& unit, auto value) {
    answer[name + unit] = json_number(value);
    answer[name + "_low" + unit] = json_number(bands.step.low * value);
    answer[name + "_high" + unit] = json_number(bands.step.high * value);
  };
  add("step_time", "_s", what.time.total());
  answer["fits_probability"] = json_number(bands.fits_probability);
  answer["error_basis"] = gpuplan::json_of(bands, one.asked.level);
  answer["mfu"] = json_number(what.model_flop_utilization());
  answer["gpus_used"] = what.gpus;
  add("time", "_s", run.whole.time);
  answer["gpu_time_s"] = json_number(run.whole.gpu_time);
  if (one.asked.terms.priced()) add("cost", "_dollars", run.whole.cost());
  if (one.power_known()) {
    answer["energy_joules"] = json_number(run.whole.energy);
    answer["carbon_grams"] = json_number(run.carbon);
  }
  answer["interruptions"] = json_number(run.time.interruptions);
  answer["deadline_probability"] = number_or_null(deadline_probability(one, limits));
  answer["budget_probability"] = number_or_null(budget_probability(one, limits));
  return answer;
}

report_json place(const std::optional<std::size_t>& at) {
  return at ? report_json(*at) : report_json(nullptr);
}

/// The plan that is shown, as evaluate answers.
void add_shown(report_json& answer, const offer& shown) {
  const plan_study& study = shown.study;
  const accelerator& gpu = shown.asked.asked.pool.gpu();
  if (study.shown) {
    answer.update(gpuplan::json_of(study.shown->what, gpu,
                                   errors_of(study.shown->what, shown.asked.asked),
                                   shown.asked.level));
    add_host_memory(answer, study.shown->what, shown.asked.asked);
    answer["recipe"] = gpuplan::json_of(study.shown->recipe());
    answer["parallelism"] = gpuplan::json_of(study.shown->parallelism());
    answer["pipeline_model_parallel_layout"] =
        text_or_null(megatron_stages(shown.asked.asked, *study.shown));
    return;
  }
  answer.update(
      {{"fits", false}, {"reason", name_of(commonest(study.found))}, {"binding", nullptr}});
  for (const char* key : {"mfu", "step_time_s", "step_time_low_s", "step_time_high_s",
                          "fits_probability", "error_basis", "pipeline_model_parallel_layout"})
    answer[key] = nullptr;
  answer["memory"] = gpuplan::json_of(footprint{}, gpu);
  answer["memory"]["host_memory_bytes"] = nullptr;
}

/// The whole run, and the chance that it keeps the limits.
void add_run(report_json& answer, const offer& shown, const run_limits& limits) {
  const plan_study& study = shown.study;
  for (const char* key : {"run", "deadline_probability", "budget_probability"})
    answer[key] = nullptr;
  if (!study.run) return;
  const error_band step = bands_of(study.shown->what, shown.asked.asked, shown.asked.level).step;
  answer["run"] = json_of(*study.run, shown.asked.terms, study.shown->what.gpu_power, step);
  answer["deadline_probability"] = number_or_null(deadline_probability(shown, limits));
  answer["budget_probability"] = number_or_null(budget_probability(shown, limits));
}

/// What would make it fit; null where it was not looked for.
void add_what_fits(report_json& answer, const plan_study& study, const job& asked) {
  for (const char* key : {"repairs", "what_fits", "clusters_that_fit"}) answer[key] = nullptr;
  if (!study.is_explained) return;
  answer["repairs"] = study.changes ? json_of(*study.changes, asked) : report_json::array();
  answer["what_fits"] = json_of(study.what_fits);
  answer["clusters_that_fit"] = json_of_clusters(study);
}

report_json json_of_calibration(const offer& shown) {
  const plan_study& study = shown.study;
  if (!study.shown) return nullptr;
  report_json answer =
      json_of(effect_of(shown.asked.asked, study.shown->recipe(), study.shown->parallelism()));
  if (study.run && !answer.is_null())
    answer["datasheet_choice"] = json_of(choice_by_datasheets(shown.asked, *study.shown));
  return answer;
}

report_json json_of_families(const plan_study& study, const plan_question& q) {
  report_json list = report_json::array();
  for (const plan_family& family : study.families) {
    report_json row = json_of_plan(family.best, q);
    row["variants"] = report_json::array();
    for (const plan& other : family.others) {
      report_json variant{{"differs", difference_in_words(family.best, other)}};
      variant.update(json_of_plan(other, q));
      row["variants"].push_back(std::move(variant));
    }
    list.push_back(std::move(row));
  }
  return list;
}

report_json json_of_front(const std::optional<front>& even_better, const plan_question& q) {
  if (!even_better) return nullptr;
  report_json answer{{"compared", even_better->of}, {"plans", report_json::array()}};
  for (const plan& one : even_better->plans) answer["plans"].push_back(json_of_plan(one, q));
  return answer;
}

/// What was asked, with the recipe and the layout of the plan that is shown: a request of evaluate
/// that has the same answer.
report_json json_of_inputs(const offers& found, const offer& shown) {
  const plan_question& asked = shown.asked;
  report_json answer = json_of(asked.asked);
  if (shown.study.shown) {
    answer["recipe"] = gpuplan::json_of(shown.study.shown->recipe());
    answer["parallelism"] = gpuplan::json_of(shown.study.shown->parallelism());
  }
  answer["run"] = json_of(asked.terms);
  answer["searched"] = json_of(asked.vary);
  answer["by"] = found.by ? report_json(name_of(*found.by)) : nullptr;
  answer["deadline_s"] = json_number(found.limits.deadline);
  answer["budget_dollars"] = json_number(found.limits.budget);
  return answer;
}

}  // namespace

report_json json_of(const std::vector<risky_choice>& choices, const plan_question& q) {
  report_json list = report_json::array();
  for (const risky_choice& one : choices) {
    report_json row{{"risk", one.risk}, {"same_plan", one.same}};
    row.update(json_of_plan(one.best, q));
    list.push_back(std::move(row));
  }
  return list;
}

report_json answer_of(const offers& found, const std::optional<front>& even_better) {
  const offer& shown = found.all[found.shown];
  const plan_study& study = shown.study;
  report_json answer{{"schema_version", report_schema_version}};
  add_shown(answer, shown);
  add_run(answer, shown, found.limits);
  answer["risks"] = study.is_explained ? json_of(study.risks, shown.asked) : report_json(nullptr);
  answer["calibration"] = json_of_calibration(shown);
  answer["plans"] = json_of_families(study, shown.asked);
  answer["help"] = json_of_help(study, shown.asked);
  add_what_fits(answer, study, shown.asked.asked);
  answer["keeps_limits"] = found.kept();
  answer["offers"] = report_json::array();
  for (const offer& one : found.all) {
    answer["offers"].push_back(json_of_offer(one, found.limits));
    if (found.all.size() > 1) answer["offers"].back()["command"] = one.asked.in_pool.text();
  }
  answer["choices"] = {{"shown", found.shown},
                       {"fewest_gpus", place(found.choices.fewest_gpus)},
                       {"cheapest", place(found.choices.cheapest)},
                       {"fastest", place(found.choices.fastest)},
                       {"least_energy", place(found.choices.least_energy)}};
  answer["completion"] = json_of_completion(found);
  answer["front"] = json_of_front(even_better, shown.asked);
  answer["search"] = json_of_search(study.found);
  answer["task"] = json_of_task(shown.asked.asked);
  answer["inputs"] = json_of_inputs(found, shown);
  return answer;
}

}  // namespace gpuplan::cli
