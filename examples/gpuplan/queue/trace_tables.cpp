/// \file
/// What a trace says of its jobs, said.

#include "queue/trace_tables.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/units/format.hpp>

#include "program.hpp"
#include "queue/tables.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

/// "1 row", "12,000 rows".
std::string grouped_count(std::int64_t count, const char* what) {
  return fmt::format("{} {}{}", grouped(static_cast<double>(count)), what, count == 1 ? "" : "s");
}

std::string count_of(std::int64_t count, const char* what) {
  return count == 0 ? "" : fmt::format(", {} {}", grouped(static_cast<double>(count)), what);
}

report_json rates_of(const arrival_profile& profile) {
  report_json rates = report_json::array();
  for (const arrival_hour& part : profile.parts) rates.push_back(json_number(part.rate()));
  return rates;
}

/// Rates over their mean, as "0.42 1.10 ...".
std::string relative_rates(const arrival_profile& profile, std::size_t first, std::size_t count) {
  std::string text;
  for (std::size_t i = first; i < first + count; ++i) {
    const arrival_hour& part = profile.parts[i];
    text += part.observed > seconds{0} ? fmt::format(" {:5.2f}", part.rate() / profile.mean())
                                       : fmt::format(" {:>5}", "-");
  }
  return text;
}

}  // namespace

std::string title_of(const trace_facts& facts, std::int64_t gpus) {
  const std::string jobs = counted(static_cast<std::int64_t>(facts.mix.jobs), "job");
  if (!(facts.span > seconds{0}))
    return jobs + " at once" + (gpus > 0 ? " on " + counted(gpus, "GPU") : "");
  std::string title = fmt::format("{} in {}", jobs, format_duration(facts.span));
  if (!facts.steady()) return title + (gpus > 0 ? " on " + counted(gpus, "GPU") : "");
  title += fmt::format(", {}: {} busy", rate_in_words(*facts.arrival_rate),
                       amount_of_gpus(facts.offered_gpus(gpus > 0 ? gpus : facts.largest)));
  if (gpus > 0) title += fmt::format(" of {}", gpus);
  return title;
}

std::string counts_in_words(const trace_facts& facts) {
  const trace_counts& counts = facts.counts;
  const std::string rest =
      count_of(counts.faulty, "unreadable") + count_of(counts.filtered, "excluded by --where") +
      count_of(counts.steps, "steps of jobs") + count_of(counts.without_gpus, "without GPUs") +
      count_of(counts.not_started, "never started") +
      count_of(counts.unfinished, "of the jobs still ran");
  return fmt::format("{}: {}{}.  A job runs {} on average and holds {}.",
                     grouped_count(counts.total(), "row"), grouped_count(counts.jobs, "job"), rest,
                     format_duration(facts.mix.moments.duration),
                     amount_of_gpus(facts.mix.moments.gpus, 3));
}

std::string assumptions_table(const std::vector<assumption>& all, text_style style) {
  table rows{{{"What formulas assume"}, {"here"}, {"found"}}};
  for (const assumption& one : all)
    rows.row({one.assumed, one.holds ? "holds" : "FAILS", one.found});
  return rows.text_within(width_of_output(), style);
}

std::string profile_table(const trace_facts& facts, text_style style) {
  if (!facts.arrival_rate) return "";
  std::string text = bold("Arrivals relative to their mean", style) + "\n";
  constexpr std::size_t hours_of_a_line = 6;
  for (std::size_t from = 0; from < 24; from += hours_of_a_line)
    text += fmt::format("{:<18}  {:>2} to {:>2} h:{}\n",
                        from > 0          ? ""
                        : facts.has_dates ? "by hour of the day"
                                          : "by hour of 24",
                        from, from + hours_of_a_line - 1,
                        relative_rates(facts.day, from, hours_of_a_line));
  constexpr std::array days{"Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"};
  text += facts.has_dates ? "by day  " : "by day of 7 from time 0       :";
  if (facts.has_dates)
    for (const std::size_t i : {4U, 5U, 6U, 0U, 1U, 2U, 3U})
      text += fmt::format(" {} {}", days[i], relative_rates(facts.week, i, 1));
  else
    text += relative_rates(facts.week, 0, 7);
  return text + "\n";
}

report_json json_of(const trace_facts& facts) {
  report_json dispersion = report_json::array();
  for (const dispersion_at& at : facts.dispersion)
    dispersion.push_back({{"window_s", json_number(at.window)}, {"value", json_number(at.value)}});
  report_json classes = report_json::array();
  for (const gpu_class& one : facts.mix.classes)
    classes.push_back({{"gpus", one.gpus},
                       {"jobs", json_number(one.jobs)},
                       {"mean_duration_s", json_number(one.mean)}});
  const trace_counts& counts = facts.counts;
  return {{"rows",
           {{"total", counts.total()},
            {"jobs", counts.jobs},
            {"faulty", counts.faulty},
            {"filtered", counts.filtered},
            {"steps", counts.steps},
            {"without_gpus", counts.without_gpus},
            {"not_started", counts.not_started},
            {"unfinished", counts.unfinished}}},
          {"span_s", json_number(facts.span)},
          {"arrivals_per_s", facts.arrival_rate ? json_number(*facts.arrival_rate) : nullptr},
          {"arrival_scv", facts.arrival_rate ? json_number(facts.arrival_variation) : nullptr},
          {"dispersion", std::move(dispersion)},
          {"mean_duration_s", json_number(facts.mix.moments.duration)},
          {"service_scv", json_number(facts.service.squared_variation())},
          {"mean_gpus", json_number(facts.mix.moments.gpus)},
          {"largest_job_gpus", facts.largest},
          {"work_scv", json_number(facts.mix.work_variation())},
          {"peakedness", json_number(facts.demand.steady_peakedness())},
          {"peakedness_if_random", json_number(facts.mix.moments.peakedness())},
          {"most_gpus_in_demand", json_number(facts.demand.largest)},
          {"work_share_of_largest_percent",
           facts.top_share ? json_number(*facts.top_share) : report_json(nullptr)},
          {"classes", std::move(classes)},
          {"arrivals_per_s_by_hour", rates_of(facts.day)},
          {"arrivals_per_s_by_day", rates_of(facts.week)}};
}

report_json json_of(const std::vector<assumption>& all) {
  report_json list = report_json::array();
  for (const assumption& one : all)
    list.push_back(
        {{"key", one.key}, {"assumed", one.assumed}, {"holds", one.holds}, {"found", one.found}});
  return list;
}

namespace {

/// What a policy was told; null of those that are told nothing.
report_json parameters_of(const trace_policy& asked, std::span<const double> speed_ups) {
  if (const auto* const plain = std::get_if<pool_policy>(&asked.policy); plain != nullptr) {
    if (plain->order != job_order::round_robin) return nullptr;
    return {{"turn_s", json_number(plain->quantum)},
            {"switch_time_s", json_number(plain->switch_time)}};
  }
  const auto& told = std::get<sharing_policy>(asked.policy);
  if (told.rule == sharing_rule::opportunistic) return {{"idle_share", json_number(told.idle)}};
  const bool measured = !speed_ups.empty();
  return {{"parallel_part", measured ? report_json(nullptr) : json_number(told.parallel_part)},
          {"speed_ups", measured ? report_json(std::vector(speed_ups.begin(), speed_ups.end()))
                                 : report_json(nullptr)},
          {"round_s", json_number(told.interval)},
          {"restart_time_s", json_number(told.restart_time)}};
}

}  // namespace

report_json json_of(const queue_trace& asked) {
  report_json policies = report_json::array();
  report_json parameters = report_json::object();
  for (const trace_policy& each : asked.policies) {
    policies.push_back(each.name);
    report_json told = parameters_of(each, asked.speed_ups);
    if (!told.is_null()) parameters[std::string(each.name)] = std::move(told);
  }
  return {{"trace", asked.source.path},
          {"columns", asked.source.columns},
          {"where", asked.source.filter},
          {"gpus", asked.gpus > 0 ? report_json(asked.gpus) : report_json(nullptr)},
          {"policies", std::move(policies)},
          {"parameters", std::move(parameters)}};
}

}  // namespace gpuplan::cli
