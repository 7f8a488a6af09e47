#pragma once
/// \file
/// The error table of speed for programs.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "accuracy/left_out.hpp"
#include "accuracy/report_json.hpp"
#include "accuracy/speed_table.hpp"
#include "accuracy/speed_text.hpp"

namespace gpuplan::accuracy {

inline nlohmann::json json_of(const errors_by_family& families) {
  nlohmann::json all = nlohmann::json::object();
  for (const auto& [name, line] : families) {
    all[name] = json_of(line.size);
    all[name]["signed_median"] = line.signed_median;
  }
  return all;
}

/// One column of the table of dense models: families, and their means and median.
inline nlohmann::json json_of(const std::vector<speed_run>& runs,
                              const std::vector<double>& ratios) {
  const errors_by_family families = errors_of(runs, ratios);
  const speed_headline mean = headline_of(families);
  return {{"by_family", json_of(families)},
          {"mean_of_family_medians", mean.median},
          {"mean_of_family_p90s", mean.p90},
          {"median_of_family_medians", median_of_medians(families)}};
}

inline nlohmann::json json_of(const speed_runs& speed, const speed_report& report) {
  nlohmann::json targets = nlohmann::json::array();
  for (const speed_target& one : targets_of(speed, report))
    targets.push_back({{"name", one.name},
                       {"runs", one.count},
                       {"reached", one.reached},
                       {"at_most", one.most},
                       {"met", one.met()}});
  nlohmann::json sweeps = nlohmann::json::array();
  for (const speed_sweep& one : sweeps_of(speed.runs, report.ratios))
    sweeps.push_back({{"name", one.name},
                      {"runs", one.count},
                      {"spread_of_times", one.spread},
                      {"rank_correlation_of_times", one.of_time},
                      {"rank_correlation_of_throughput", one.of_throughput},
                      {"at_least", speed_goal.trend},
                      {"met", one.met()}});
  nlohmann::json runs = nlohmann::json::array();
  const speed_setting library = library_setting();
  for (std::size_t i = 0; i < speed.runs.size(); ++i) {
    const speed_run& run = speed.runs[i];
    const step_time step = predicted(run, library);
    nlohmann::json terms = nlohmann::json::object();
    for (const step_term term : step_terms)
      terms[std::string(name_of(term))] = step[term].in(units::second);
    runs.push_back({{"id", run.id},
                    {"section", title_of(run.section).key},
                    {"family", run.family},
                    {"publisher", run.publisher},
                    {"gpu", run.gpu},
                    {"gpus", run.pool.gpus()},
                    {"framework", spelled(framework_names, run.asked.recipe.framework)},
                    {"precision", spelled(precision_names, run.asked.recipe.precision)},
                    {"experts", run.asked.model.moe.experts},
                    {"encoder_layers", run.asked.model.encoder_layers},
                    {"adapters", run.asked.recipe.adapts()},
                    {"fitted", run.fitted},
                    {"measured_s", run.measured.in(units::second)},
                    {"predicted_s", step.total().in(units::second)},
                    {"left_out_s", report.left_out[i] * run.measured.in(units::second)},
                    {"terms_s", terms}});
  }
  nlohmann::json sections = nlohmann::json::object();
  for (const section_title& section : section_titles) {
    const section_errors all = errors_of(speed, report, section.value);
    sections[std::string(section.key)] = {
        {"all", json_of(all.seen)},
        {"left_out", json_of(all.left_out)},
        {"plain_rule", json_of(all.plain)},
        {"by_family", json_of(errors_of(speed.runs, report.ratios, section.value))}};
  }
  nlohmann::json refused = nlohmann::json::array();
  for (const auto& [what, why, rows] : counted(speed.refused))
    refused.push_back({{"what", what}, {"why", why}, {"rows", rows}});
  return {{"sections", sections},
          {"refused", refused},
          {"seen", json_of(speed.runs, report.ratios)},
          {"left_out", json_of(speed.runs, report.left_out)},
          {"plain_rule", json_of(speed.runs, report.plain)},
          {"plain_rule_left_out", json_of(speed.runs, report.plain_left_out)},
          {"goals", targets},
          {"sweeps", sweeps},
          {"not_evaluable", speed.not_evaluable},
          {"unmapped", json_of(speed.unmapped)},
          {"runs", runs}};
}

inline nlohmann::json json_of_speed_constants(const speed_report& report) {
  nlohmann::json fits = nlohmann::json::array();
  speed_setting library = library_setting();
  speed_setting refitted = report.refitted;
  for (const fitted_constant& one : fitted_constants())
    fits.push_back({{"name", one.name},
                    {"of", one.owner},
                    {"value", one.at(library)},
                    {"fitted_now", one.at(refitted)},
                    {"prior_mean", one.before.mean},
                    {"prior_deviation", one.before.deviation},
                    {"unit", one.unit},
                    {"source", one.source}});
  nlohmann::json others = nlohmann::json::array();
  for (const constant& one : speed_constants)
    others.push_back({{"name", one.name},
                      {"of", one.seen_by},
                      {"value", one.value},
                      {"unit", one.unit},
                      {"source", one.source}});
  return {{"fitted", fits}, {"others", others}};
}

}  // namespace gpuplan::accuracy
