/// \file
/// The answer of gpuplan queue, said.

#include "queue/tables.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <gpuplan/report/json.hpp>
#include <gpuplan/units/format.hpp>

#include "bands.hpp"
#include "fitted_table.hpp"
#include "program.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

/// Columns that a narrow table lacks, the first first.
constexpr std::array<std::string_view, 3> spare_percentiles{"p50", "p90", "p99"};

/// The titles of a wait's figures, and the figures.
void add_wait_columns(std::vector<column>& columns) {
  columns.push_back({"P(wait)", column_side::right});
  columns.push_back({"mean", column_side::right});
  for (const int percent : printed_percentiles)
    columns.push_back({fmt::format("p{}", percent), column_side::right});
}
void add_wait_cells(std::vector<std::string>& cells, const wait_figures& wait) {
  cells.push_back(share_in_words(wait.probability));
  cells.push_back(time_in_words(wait.mean));
  for (const seconds time : wait.percentiles) cells.push_back(time_in_words(time));
}

std::string gpus_in_words(std::int64_t gpus) {
  return grouped(static_cast<double>(gpus));
}

report_json count_or_null(std::int64_t count) {
  return count > 0 ? report_json(count) : report_json(nullptr);
}

}  // namespace

std::string share_in_words(double share) {
  if (share == 0) return "0 %";
  if (share < 1e-4) return "< 0.01 %";
  if (share < 1 && share > 0.9999) return "> 99.99 %";
  return fmt::format("{:.{}f} %", 100 * share, share < 0.1 || (share < 1 && share > 0.99) ? 2 : 1);
}

std::string rate_in_words(per_second rate) {
  using units::day, units::hour, units::second;
  if (rate * second >= 1) return fmt::format("{:.4g}/s", rate * second);
  if (rate * hour >= 1) return fmt::format("{:.4g}/h", rate * hour);
  return fmt::format("{:.4g}/day", rate * day);
}

std::string amount_of_gpus(double gpus, int digits) {
  const std::string amount = fmt::format("{:.{}g}", gpus, digits);
  return amount + (amount == "1" ? " GPU" : " GPUs");
}

std::string models_table(const queue_answer& answer, text_style style) {
  std::vector<column> columns{{"Wait"}, {"by"}};
  add_wait_columns(columns);
  columns.push_back({"validity"});
  fitted_table rows{columns, last_column::beside_or_below};
  for (const model_row& row : answer.models) {
    std::vector<std::string> cells{(row.chosen ? "* " : "  ") + row.model, row.by};
    add_wait_cells(cells, row.wait);
    cells.push_back(row.validity);
    rows.row(std::move(cells));
  }
  return rows.text(spare_percentiles, width_of_output(), style);
}

std::string needs_table(const queue_answer& answer, text_style style) {
  table rows{{{"Fewest GPUs for a"},
              {"GPUs", column_side::right},
              {"utilisation", column_side::right},
              {""}}};
  for (const need_row& need : answer.needs) {
    if (need.gpus == 0) {
      rows.row({need.target.words(), "none", "", need.why});
      continue;
    }
    const std::string verdict = answer.gpus == 0 ? ""
                                : answer.gpus >= need.gpus
                                    ? "kept"
                                    : fmt::format("not kept by {}", gpus_in_words(answer.gpus));
    rows.row({need.target.words(), gpus_in_words(need.gpus),
              answer.rate_known ? share_in_words(need.utilization) : "-", verdict});
  }
  return rows.text_within(width_of_output(), style);
}

std::string sizes_table(const queue_answer& answer, text_style style) {
  std::vector<column> columns{{"GPUs", column_side::right}, {"utilisation", column_side::right}};
  add_wait_columns(columns);
  columns.push_back({""});
  fitted_table rows{columns, last_column::beside_or_below};
  for (const size_row& size : answer.sizes) {
    std::vector<std::string> cells{gpus_in_words(size.gpus),
                                   answer.rate_known ? share_in_words(size.utilization) : "-"};
    if (size.none_fits)
      cells.insert(cells.end(), 2 + size.wait.percentiles.size(), "-");
    else
      add_wait_cells(cells, size.wait);
    const bool is_asked = size.gpus == answer.gpus;
    cells.push_back((is_asked ? "<- as asked" : "") +
                    std::string(is_asked && !size.remark.empty() ? "; " : "") + size.remark);
    rows.row(std::move(cells));
  }
  return rows.text(spare_percentiles, width_of_output(), style);
}

std::string policies_table(const queue_answer& answer, text_style style) {
  const bool of_gpus = std::any_of(answer.policies.begin(), answer.policies.end(),
                                   [](const policy_row& row) { return row.of_gpus.has_value(); });
  std::vector<column> columns{{"Policy"}, {"mean wait", column_side::right}};
  if (of_gpus) columns.push_back({"by GPUs held", column_side::right});
  columns.insert(columns.end(),
                 {{"p99 wait", column_side::right}, {"mean time in system", column_side::right}});
  if (of_gpus)
    columns.insert(columns.end(),
                   {{"slowdown", column_side::right}, {"utilisation", column_side::right}});
  columns.push_back({"how known"});
  fitted_table rows{columns, last_column::beside_or_below};
  const auto known = [](const std::optional<seconds>& time) {
    return time ? time_in_words(*time) : std::string();
  };
  for (const policy_row& row : answer.policies) {
    const auto range = [&](seconds least, seconds most) -> std::string {
      if (!row.known) return "-";
      return least == most || !isfinite(least)
                 ? time_in_words(least)
                 : fmt::format("{} to {}", time_in_words(least), time_in_words(most));
    };
    std::vector<std::string> cells{row.policy, range(row.wait_least, row.wait_most)};
    if (of_gpus) cells.push_back(known(row.of_gpus));
    cells.insert(cells.end(), {known(row.p99), range(row.least, row.most)});
    if (of_gpus) {
      cells.push_back(row.slowdown ? fmt::format("{:.2f}", *row.slowdown) : "");
      cells.push_back(row.utilization ? share_in_words(*row.utilization) : "");
    }
    cells.push_back(row.how);
    rows.row(std::move(cells));
  }
  constexpr std::array<std::string_view, 3> spare{"utilisation", "slowdown", "mean time in system"};
  return rows.text(spare, width_of_output(), style);
}

std::string verdict_in_words(const queue_answer& answer) {
  if (answer.nothing_fits) return fmt::format("Nothing fits: {}.", answer.reason);
  if (answer.never_start > 0) return answer.reason + ".";
  return fmt::format("The queue grows without bound: {}.", answer.reason);
}

std::string bands_in_words(const queue_answer& answer) {
  std::string said;
  for (const model_row& row : answer.models)
    if (const auto band = row.wait.mean_band(answer.level))
      said += fmt::format("The mean by the row \"{}\" is {} to {} in {}: {}.\n", row.model,
                          time_in_words(band->low * row.wait.mean),
                          time_in_words(band->high * row.wait.mean), level_in_words(answer.level),
                          basis_in_words(*band));
  return said;
}

namespace {

/// Of a mean wait: its range, null where its errors were not measured.
void add_range(json_object& object, const wait_figures& wait, double level) {
  const auto band = wait.mean_band(level);
  object.add("mean_low_s", band ? json_number(band->low * wait.mean) : report_json(nullptr))
      .add("mean_high_s", band ? json_number(band->high * wait.mean) : report_json(nullptr));
}

/// On what the range rests.
report_json basis_of(const wait_figures& wait, double level) {
  const auto band = wait.mean_band(level);
  if (!band) return nullptr;
  return {{"level", level}, {"mean_wait", gpuplan::json_of(*band)}};
}

}  // namespace

report_json json_of(const wait_figures& wait, double level) {
  json_object object{4 + printed_percentiles.size()};
  object.add("probability", json_number(wait.probability)).add("mean_s", json_number(wait.mean));
  add_range(object, wait, level);
  for (std::size_t i = 0; i < printed_percentiles.size(); ++i)
    object.add(fmt::format("p{}_s", printed_percentiles[i]), json_number(wait.percentiles[i]));
  return object.take();
}

namespace {

report_json json_of(const model_row& row, double level) {
  report_json one{{"key", row.key}, {"model", row.model}, {"formula", row.by}};
  one["chosen"] = row.chosen;
  one["validity"] = row.validity;
  one["wait"] = json_of(row.wait, level);
  one["error_basis"] = basis_of(row.wait, level);
  return one;
}

/// Of a target: the fewest GPUs that keep it, and whether those of the answer do.
report_json json_of(const need_row& need, const queue_answer& answer) {
  const std::int64_t gpus = answer.gpus;
  const bool of_share = need.target.of == wait_target::measure::probability;
  return {
      {"target", need.target.key()},
      {of_share ? "limit" : "limit_s",
       of_share ? json_number(need.target.share) : json_number(need.target.time)},
      {"gpus", count_or_null(need.gpus)},
      {"reason", need.gpus > 0 ? report_json(nullptr) : report_json(need.why)},
      {"utilization", need.gpus > 0 && answer.rate_known ? json_number(need.utilization) : nullptr},
      {"kept", gpus > 0 ? report_json(need.gpus > 0 && gpus >= need.gpus) : report_json(nullptr)}};
}

report_json bool_or_null(std::optional<bool> known) {
  return known ? report_json(*known) : report_json(nullptr);
}

/// Whether a size does work as fast as it comes; none where the trace is too short to say.
std::optional<bool> is_stable(const size_row& size, const queue_answer& answer) {
  if (size.never_start > 0 || !isfinite(size.wait.mean)) return false;
  if (!answer.steady) return std::nullopt;
  return size.utilization < 1;
}

report_json json_of(const size_row& size, const queue_answer& answer) {
  return {{"gpus", size.gpus},
          {"utilization", answer.rate_known ? json_number(size.utilization) : nullptr},
          {"stable", bool_or_null(is_stable(size, answer))},
          {"by", size.by},
          {"remark", size.remark.empty() ? report_json(nullptr) : report_json(size.remark)},
          {"wait",
           size.none_fits ? report_json(nullptr) : report_json(json_of(size.wait, answer.level))},
          {"error_basis", basis_of(size.wait, answer.level)}};
}

report_json json_of(const policy_row& row) {
  return {{"policy", row.key},
          {"name", row.policy},
          {"how", row.how},
          {"mean_wait_s", json_number(row.wait_least)},
          {"mean_wait_most_s", json_number(row.wait_most)},
          {"mean_wait_of_gpus_s", row.of_gpus ? json_number(*row.of_gpus) : report_json(nullptr)},
          {"p99_wait_s", row.p99 ? json_number(*row.p99) : report_json(nullptr)},
          {"mean_response_s", json_number(row.least)},
          {"mean_response_most_s", json_number(row.most)},
          {"mean_slowdown", row.slowdown ? json_number(*row.slowdown) : report_json(nullptr)},
          {"utilization", row.utilization ? json_number(*row.utilization) : report_json(nullptr)}};
}

}  // namespace

report_json json_of(const queue_answer& answer) {
  report_json models = report_json::array();
  report_json chosen = nullptr;
  for (const model_row& row : answer.models) {
    models.push_back(json_of(row, answer.level));
    if (row.chosen) chosen = models.back();
  }
  report_json needs = report_json::array();
  for (const need_row& need : answer.needs) needs.push_back(json_of(need, answer));
  report_json sizes = report_json::array();
  for (const size_row& size : answer.sizes) sizes.push_back(json_of(size, answer));
  report_json policies = report_json::array();
  for (const policy_row& row : answer.policies) policies.push_back(json_of(row));
  const bool sized = answer.gpus > 0;
  const bool used = sized && answer.rate_known;
  return json_object{19}
      .add("stable", sized ? bool_or_null(answer.known_stable()) : report_json(nullptr))
      .add("reason", answer.reason.empty() ? report_json(nullptr) : report_json(answer.reason))
      .add("gpus", count_or_null(answer.gpus))
      .add("offered_gpus", answer.rate_known ? json_number(answer.offered_gpus) : nullptr)
      .add("utilization", used ? json_number(answer.utilization) : report_json(nullptr))
      .add("capacity_gpus", answer.capacity ? json_number(*answer.capacity) : report_json(nullptr))
      .add("least_stable_gpus", count_or_null(answer.least_stable_gpus))
      .add("wait", chosen.is_null() ? chosen : chosen["wait"])
      .add("model", chosen.is_null() ? chosen : chosen["key"])
      .add("validity", chosen.is_null() ? chosen : chosen["validity"])
      .add("error_basis", chosen.is_null() ? chosen : chosen["error_basis"])
      .add("models", std::move(models))
      .add("needed_gpus", count_or_null(answer.needed_gpus()))
      .add("targets", std::move(needs))
      .add("sizes", std::move(sizes))
      .add("policies", std::move(policies))
      .add("policy_jobs", count_or_null(answer.policy_jobs))
      .add("notes", answer.notes)
      .take();
}

}  // namespace gpuplan::cli
