/// \file
/// What explain finds, as JSON.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <gpuplan/plan/step_time_terms.hpp>
#include <gpuplan/report/json.hpp>

#include "explain/comparison.hpp"

namespace gpuplan::cli {
namespace {

constexpr std::size_t most_listed = 100;  // kernels and functions

report_json text_or_null(const std::string& text) {
  return text.empty() ? report_json(nullptr) : report_json(text);
}

/// `a`, `b` and their difference, each with its unit at its end.
template <class Q>
json_object values_of(Q a, Q b, Q difference, std::string_view unit, std::size_t more) {
  json_object values{3 + more};
  values.add("a" + std::string(unit), json_number(a))
      .add("b" + std::string(unit), json_number(b))
      .add("difference" + std::string(unit), json_number(difference));
  return values;
}

template <class Q>
report_json json_of_terms(const term_difference<Q>& found, std::string_view unit) {
  report_json terms = report_json::array();
  for (const term_change<Q>& term : found.terms) {
    report_json row = json_object{1}.add("term", term.name).take();
    row.update(values_of(term.before, term.after, term.difference(), unit, 0).take());
    const auto share = found.share_of(term);
    row["share"] = share ? json_number(*share) : report_json(nullptr);
    terms.push_back(std::move(row));
  }
  return terms;
}

template <class Q>
report_json json_of_difference(const term_difference<Q>& found, std::string_view unit) {
  return values_of(found.before(), found.after(), found.difference(), unit, 1)
      .add("terms", json_of_terms(found, unit))
      .take();
}

report_json json_of_memory(const memory_difference& found) {
  report_json answer{{"stage_a", found.stage_before},
                     {"stage_b", found.stage_after},
                     {"peak_moment_a", text_or_null(found.moment_before)},
                     {"peak_moment_b", text_or_null(found.moment_after)},
                     {"figures", report_json::array()},
                     {"difference_bytes", nullptr},
                     {"terms", report_json::array()}};
  for (const figure_change& one : found.figures) {
    report_json row{{"figure", one.name}};
    row.update(values_of(one.before, one.after, one.after - one.before, "_bytes", 0).take());
    answer["figures"].push_back(std::move(row));
  }
  if (found.terms) answer.update(json_of_difference(*found.terms, "_bytes"));
  return answer;
}

report_json json_of_profile(const profiled_step& step) {
  report_json terms = report_json::array();
  for (const step_term term : step_terms) {
    const seconds busy = step.busy[static_cast<std::size_t>(term)];
    if (busy > seconds{0})
      terms.push_back({{"term", gpuplan::name_of(term)},
                       {"shown_s", json_number(step[term])},
                       {"busy_s", json_number(busy)}});
  }
  report_json unclassified = report_json::array();
  for (const unclassified_kernel& one : step.unclassified_kernels) {
    if (unclassified.size() == most_listed) break;
    unclassified.push_back({{"name", one.name}, {"time_s", json_number(one.time)}});
  }
  return {{"steps", step.steps},
          {"device", step.device},
          {"kernels", step.kernels},
          {"kernels_elsewhere", step.kernels_elsewhere},
          {"terms", terms},
          {"idle_s", json_number(step.idle)},
          {"unclassified_s", json_number(step.unclassified)},
          {"unclassified_kernels", unclassified}};
}

report_json json_of_peak(const memory_peak& peak) {
  report_json shares = report_json::array();
  bytes rest{};
  for (const allocation_share& one : peak.shares) {
    if (shares.size() == most_listed) {
      rest += one.size;
      continue;
    }
    shares.push_back({{"function", one.frame},
                      {"part", gpuplan::name_of(one.part)},
                      {"bytes", json_number(one.size)},
                      {"blocks", one.blocks}});
  }
  return {{"device", peak.device},
          {"events", peak.events},
          {"allocated_bytes", json_number(peak.allocated)},
          {"reserved_at_peak_bytes", json_number(peak.reserved_at_peak)},
          {"reserved_bytes", json_number(peak.reserved)},
          {"functions", shares},
          {"other_functions_bytes", json_number(rest)}};
}

report_json flag_or_null(std::optional<bool> flag) {
  return flag ? report_json(*flag) : report_json(nullptr);
}

report_json json_of_side(const side& one) {
  return {{"file", one.file},
          {"kind", name_of(one.kind)},
          {"refusal", text_or_null(one.refusal)},
          {"profile", text_or_null(one.measured_by)}};
}

}  // namespace

report_json answer_of(const comparison& found) {
  report_json answer{{"schema_version", report_schema_version},
                     {"summary", summary_of(found)},
                     {"step_time", nullptr},
                     {"memory", nullptr},
                     {"changed_inputs", report_json::array()},
                     {"profile", nullptr},
                     {"memory_trace", nullptr}};
  if (found.step) answer["step_time"] = json_of_difference(*found.step, "_s");
  if (found.memory) answer["memory"] = json_of_memory(*found.memory);
  for (const input_change& one : found.inputs)
    answer["changed_inputs"].push_back({{"input", one.path}, {"a", one.before}, {"b", one.after}});
  if (found.after.profile) answer["profile"] = json_of_profile(*found.after.profile);
  if (found.after.peak) answer["memory_trace"] = json_of_peak(*found.after.peak);
  answer["within_range"] = {{"step_time", flag_or_null(step_in_range(found))},
                            {"allocated_memory", flag_or_null(memory_in_range(found, "allocated"))},
                            {"reserved_memory", flag_or_null(memory_in_range(found, "reserved"))},
                            {"device_memory", flag_or_null(memory_in_range(found, "device"))}};
  answer["inputs"] = {{"a", json_of_side(found.before)}, {"b", json_of_side(found.after)}};
  return answer;
}

}  // namespace gpuplan::cli
