/// \file
/// The five aims, their weights, and which policy serves them best.

#include "place/aims.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <fmt/format.h>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/report/plotted_value.hpp>
#include <gpuplan/text/visible.hpp>
#include <gpuplan/units/format.hpp>

#include "comma_list.hpp"
#include "inputs.hpp"
#include "place/usage.hpp"
#include "program.hpp"

namespace gpuplan::cli {
namespace {

constexpr std::size_t aim_count = schedule_objectives::count;
constexpr std::array<std::string_view, aim_count> aim_names{"wait", "throughput", "utilization",
                                                            "energy", "fairness"};
constexpr std::size_t wait_aim = 0;
constexpr std::size_t energy_aim = 3;
constexpr std::size_t fairness_aim = 4;

std::size_t aim_named(std::string_view typed) {
  if (typed == "utilisation") typed = "utilization";
  const auto found = std::find(aim_names.begin(), aim_names.end(), typed);
  if (found != aim_names.end()) return static_cast<std::size_t>(found - aim_names.begin());
  throw bad_usage{fmt::format(
      "--aims: '{}' is no aim; write NAME=WEIGHT with commas between, where NAME is one of wait, "
      "throughput, utilization, energy, fairness",
      visible(typed))};
}

/// Power of each GPU of a node: of the table, else of the catalogue by its type.
std::optional<watts> gpu_power_of(std::size_t node, const place_question& asked) {
  if (asked.nodes.facts[node].gpu_power) return asked.nodes.facts[node].gpu_power;
  const auto type = static_cast<std::size_t>(asked.nodes.nodes[node].type);
  const auto* found = catalog::find_accelerator(asked.types.names()[type]);
  if (found == nullptr || !(found->gpu->thermal_design_power > watts{0})) return {};
  return found->gpu->thermal_design_power;
}

/// Why the power of some GPU is unknown; empty where it is known of all.
std::string unknown_power(const place_question& asked) {
  for (std::size_t n = 0; n < asked.nodes.nodes.size(); ++n) {
    if (asked.nodes.nodes[n].gpus == 0 || gpu_power_of(n, asked)) continue;
    const auto type = static_cast<std::size_t>(asked.nodes.nodes[n].type);
    const std::string name = visible(asked.types.names()[type]);
    return fmt::format("no power is known of {}; name a column of W with --node-columns power=NAME",
                       name.empty() ? "GPUs without a type" : "GPUs of type '" + name + "'");
  }
  return {};
}

std::vector<scheduled_job> jobs_of(const place_outcome& out, const place_question& asked) {
  std::vector<scheduled_job> jobs;
  jobs.reserve(out.runs.size());
  constexpr seconds never{std::numeric_limits<double>::infinity()};
  for (std::size_t row = 0; row < out.runs.size(); ++row) {
    const arriving_task& task = asked.tasks.tasks[row];
    const task_run& run = out.runs[row];
    scheduled_job job{.submit = task.arrival,
                      .start = run.where ? run.start : never,
                      .end = run.where ? run.end : never,
                      .gpus = 1.0 * task.task.total_gpu_thousandths() / whole_gpu,
                      .user = task.user};
    if (run.where) job.power = job.gpus * gpu_power_of(run.where->node, asked).value_or(watts{0});
    // Who waits for ever wants its GPUs for ever; who is lost wanted them as long as it would run.
    if (!run.where && !asked.waiting) job.wanted_until = task.departure;
    jobs.push_back(job);
  }
  return jobs;
}

/// Aims as numbers to be made small, without those that are unknown.
using aim_values = std::array<std::optional<double>, aim_count>;

aim_values known_values(const schedule_objectives& of, const aims_answer& judged) {
  aim_values values = of.to_minimize();
  for (std::size_t aim = 0; aim < aim_count; ++aim)
    if (!judged.unknown[aim].empty()) values[aim].reset();
  return values;
}

double gpus_of_pool(const place_question& asked) {
  double gpus = 0;
  for (const gpu_node& host : asked.nodes.nodes) gpus += host.gpus;
  return gpus;
}

void find_unknown(const place_question& asked, aims_answer& judged) {
  if (!asked.waiting)
    judged.unknown[wait_aim] = "jobs that find no node are lost and never wait; give --wait";
  judged.unknown[energy_aim] = unknown_power(asked);
  if (asked.users.names().size() < 2)
    judged.unknown[fairness_aim] =
        "the table of jobs names fewer than two users; name the column with --columns user=NAME";
  for (std::size_t aim = 0; aim < aim_count; ++aim)
    for (const schedule_objectives& of : judged.aims)
      if (judged.unknown[aim].empty() && !of.to_minimize()[aim])
        judged.unknown[aim] = "under some policy no job runs";
  for (std::size_t aim = 0; aim < aim_count; ++aim)
    if (asked.aims->weights[aim] > 0 && !judged.unknown[aim].empty())
      throw bad_usage{fmt::format("--aims {}: {}", aim_names[aim], judged.unknown[aim])};
}

/// Each aim in each window, the mean over the policies; without windows in which an aim that has a
/// weight is unknown. A row a window, and the end of each.
struct aim_history {
  objective_table values{};
  std::vector<seconds> until{};
};

aim_history history_of(const std::vector<std::vector<scheduled_job>>& jobs,
                       const place_question& asked, const aims_answer& judged) {
  const std::vector<seconds> edges = window_edges(asked);
  aim_history found;
  std::vector<std::array<double, aim_count>> rows;
  for (std::size_t w = 0; w + 1 < edges.size(); ++w) {
    std::array<double, aim_count> mean{};
    bool known = true;
    for (const std::vector<scheduled_job>& each : jobs) {
      const aim_values values =
          known_values(objectives_between(each, gpus_of_pool(asked), edges[w], edges[w + 1],
                                          user_share::granted_part),
                       judged);
      for (std::size_t aim = 0; aim < aim_count; ++aim) {
        known = known && (values[aim] || asked.aims->weights[aim] == 0);
        mean[aim] += values[aim].value_or(0) / static_cast<double>(jobs.size());
      }
    }
    if (!known) continue;
    rows.push_back(mean);
    found.until.push_back(edges[w + 1]);
  }
  found.values.resize(static_cast<Eigen::Index>(rows.size()), aim_count);
  for (std::size_t w = 0; w < rows.size(); ++w)
    for (std::size_t aim = 0; aim < aim_count; ++aim)
      found.values(static_cast<Eigen::Index>(w), static_cast<Eigen::Index>(aim)) = rows[w][aim];
  return found;
}

/// The weights window by window; those of the last one are used.
void lean_weights(const std::vector<std::vector<scheduled_job>>& jobs, const place_question& asked,
                  aims_answer& judged) {
  const aim_history history = history_of(jobs, asked, judged);
  if (history.values.rows() < 2)
    throw bad_usage{
        "--weights dynamic needs a history: jobs that arrive at different times, and every aim "
        "with a weight known in two of the --windows at least"};
  const Eigen::VectorXd base =
      Eigen::Map<const Eigen::VectorXd>(asked.aims->weights.data(), aim_count);
  for (Eigen::Index now = 1; now < history.values.rows(); ++now) {
    const Eigen::VectorXd leaned = dynamic_weights(base, history.values.row(now).transpose(),
                                                   history.values.topRows(now), asked.aims->gamma);
    weights_at at{.until = history.until[static_cast<std::size_t>(now)]};
    for (std::size_t aim = 0; aim < aim_count; ++aim)
      at.weights[aim] = leaned(static_cast<Eigen::Index>(aim));
    judged.over_time.push_back(at);
  }
  judged.weights = judged.over_time.back().weights;
}

void score_policies(aims_answer& judged) {
  std::vector<std::size_t> known;
  for (std::size_t aim = 0; aim < aim_count; ++aim)
    if (judged.unknown[aim].empty()) known.push_back(aim);
  objective_table aims(static_cast<Eigen::Index>(judged.aims.size()),
                       static_cast<Eigen::Index>(known.size()));
  Eigen::VectorXd weights(static_cast<Eigen::Index>(known.size()));
  for (std::size_t k = 0; k < known.size(); ++k) {
    weights(static_cast<Eigen::Index>(k)) = judged.weights[known[k]];
    for (std::size_t row = 0; row < judged.aims.size(); ++row)
      aims(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(k)) =
          *judged.aims[row].to_minimize()[known[k]];
  }
  judged.on_front.assign(judged.aims.size(), false);
  for (const Eigen::Index row : objective_front(aims))
    judged.on_front[static_cast<std::size_t>(row)] = true;
  judged.score.resize(judged.aims.size());
  if (judged.aims.size() < 2) return;  // normalised over one policy every aim is 0
  const Eigen::VectorXd sum = weighted_sum(aims, weights);
  for (std::size_t row = 0; row < judged.aims.size(); ++row) {
    judged.score[row] = sum(static_cast<Eigen::Index>(row));
    if (!judged.best || *judged.score[row] < *judged.score[*judged.best]) judged.best = row;
  }
}

std::string shown_aim(const aims_answer& judged, std::size_t policy, std::size_t aim) {
  if (!judged.unknown[aim].empty()) return "-";
  const schedule_objectives& of = judged.aims[policy];
  switch (aim) {
    case 0: return gpuplan::text_of(plotted_value{*of.mean_wait});
    case 1: return fmt::format("{:.4g}/h", of.throughput * units::hour);
    case 2: return fmt::format("{:.2f} %", 100 * of.utilization);
    case 3: return fmt::format("{:.4g} kWh", of.energy / units::kWh);
    default: return fmt::format("{:.3f}", *of.fairness);
  }
}

report_json weights_json(const std::array<double, aim_count>& weights) {
  report_json all = report_json::object();
  for (std::size_t aim = 0; aim < aim_count; ++aim)
    all[std::string(aim_names[aim])] = json_number(weights[aim]);
  return all;
}

}  // namespace

std::array<double, schedule_objectives::count> aim_weights(const std::string& typed) {
  std::array<double, aim_count> weights{};
  std::array<bool, aim_count> given{};
  double sum = 0;
  for (const std::string_view part : list_parts(typed, "--aims")) {
    const std::size_t equals = part.find('=');
    const std::size_t aim = aim_named(part.substr(0, equals));
    const std::string_view number = equals == part.npos ? "" : part.substr(equals + 1);
    const field_number read = number_in(number, 0, 1e9);
    if (read.problem)
      throw bad_usage{fmt::format("--aims {}: the weight must be a number from 0 to 1e9, not '{}'",
                                  aim_names[aim], visible(number))};
    if (given[aim]) throw bad_usage{fmt::format("--aims: {} is named twice", aim_names[aim])};
    given[aim] = true;
    weights[aim] = read.value;
    sum += read.value;
  }
  if (!(sum > 0)) throw bad_usage{"--aims: one weight must be > 0"};
  for (double& weight : weights) weight /= sum;
  return weights;
}

aims_answer judge(const std::vector<place_outcome>& all, const place_question& asked) {
  aims_answer judged;
  judged.weights = asked.aims->weights;
  if (!(gpus_of_pool(asked) > 0)) throw bad_usage{"--aims needs nodes with GPUs"};
  std::vector<std::vector<scheduled_job>> jobs;
  for (const place_outcome& out : all) {
    jobs.push_back(jobs_of(out, asked));
    const seconds last = last_event(asked, out);
    if (!(last > out.replay.from))
      throw bad_usage{"--aims needs time to pass between the first arrival and the last end"};
    judged.aims.push_back(objectives_between(jobs.back(), gpus_of_pool(asked), out.replay.from,
                                             last, user_share::granted_part));
  }
  find_unknown(asked, judged);
  if (asked.aims->dynamic) lean_weights(jobs, asked, judged);
  score_policies(judged);
  return judged;
}

report_json json_of(const aims_answer& judged, std::size_t policy) {
  const schedule_objectives& of = judged.aims[policy];
  const auto known = [&](std::size_t aim, report_json value) {
    return judged.unknown[aim].empty() ? std::move(value) : report_json(nullptr);
  };
  return {{"mean_wait_s", known(0, of.mean_wait ? json_number(*of.mean_wait) : nullptr)},
          {"throughput_per_s", known(1, json_number(of.throughput))},
          {"utilization", known(2, json_number(of.utilization))},
          {"energy_joules", known(3, json_number(of.energy))},
          {"fairness", known(4, of.fairness ? json_number(*of.fairness) : nullptr)},
          {"score", judged.score[policy] ? json_number(*judged.score[policy]) : nullptr},
          {"on_front", static_cast<bool>(judged.on_front[policy])}};
}

report_json json_of(const aims_answer& judged, const std::vector<place_outcome>& all,
                    const place_question& asked) {
  report_json unknown = report_json::object();
  for (std::size_t aim = 0; aim < aim_count; ++aim)
    if (!judged.unknown[aim].empty()) unknown[std::string(aim_names[aim])] = judged.unknown[aim];
  report_json front = report_json::array();
  for (std::size_t row = 0; row < all.size(); ++row)
    if (judged.on_front[row]) front.push_back(name_of(all[row].policy));
  report_json answer{
      {"weights", weights_json(judged.weights)},
      {"best", judged.best ? report_json(name_of(all[*judged.best].policy)) : report_json(nullptr)},
      {"front", std::move(front)},
      {"unknown", std::move(unknown)}};
  if (asked.aims->dynamic) {
    report_json over_time = report_json::array();
    for (const weights_at& at : judged.over_time)
      over_time.push_back(
          {{"until_s", json_number(at.until)}, {"weights", weights_json(at.weights)}});
    answer["base_weights"] = weights_json(asked.aims->weights);
    answer["gamma"] = json_number(asked.aims->gamma);
    answer["weights_over_time"] = std::move(over_time);
  }
  return answer;
}

std::string text_of(const aims_answer& judged, const std::vector<place_outcome>& all,
                    const place_question& asked, text_style style) {
  table shown{{{"aims"},
               {"wait", column_side::right},
               {"throughput", column_side::right},
               {"utilization", column_side::right},
               {"energy", column_side::right},
               {"fairness", column_side::right},
               {"score", column_side::right},
               {"front"}}};
  std::vector<std::string> weights{"weight"};
  for (const double weight : judged.weights) weights.push_back(fmt::format("{:.3f}", weight));
  weights.insert(weights.end(), {"", ""});
  shown.row(std::move(weights));
  for (std::size_t row = 0; row < all.size(); ++row) {
    std::vector<std::string> cells{name_of(all[row].policy)};
    for (std::size_t aim = 0; aim < aim_count; ++aim) cells.push_back(shown_aim(judged, row, aim));
    cells.push_back(judged.score[row] ? fmt::format("{:.3f}", *judged.score[row]) : "-");
    cells.push_back(judged.on_front[row] ? "yes" : "");
    shown.row(std::move(cells));
  }
  std::string text = "\n" + shown.text_within(width_of_output(), style);
  if (judged.best)
    text += fmt::format("Best by the weighted score: {}.\n", name_of(all[*judged.best].policy));
  else
    text += "One policy has no score: aims are normalised over the policies.\n";
  text += "front: no other policy is at least as good in every known aim and better in one\n";
  if (asked.aims->dynamic)
    text +=
        fmt::format("weights: as leaned in the last of {} windows with a history, gamma {:.4g}\n",
                    judged.over_time.size(), asked.aims->gamma);
  for (std::size_t aim = 0; aim < aim_count; ++aim)
    if (!judged.unknown[aim].empty())
      text += wrapped(fmt::format("{} is unknown: {}", aim_names[aim], judged.unknown[aim]),
                      width_of_output()) +
              "\n";
  return text;
}

}  // namespace gpuplan::cli
