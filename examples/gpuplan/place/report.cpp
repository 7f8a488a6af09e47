/// \file
/// What gpuplan place says: as JSON and as tables.

#include "place/report.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <gpuplan/text/visible.hpp>

#include "program.hpp"
#include "summary.hpp"

namespace gpuplan::cli {
namespace {

double in_gpus(std::int64_t thousandths) {
  return static_cast<double>(thousandths) / whole_gpu;
}

/// "1 job", "1,200 jobs".
template <class Count>
std::string grouped_count(Count count, const std::string& what) {
  const std::string number = grouped(static_cast<double>(count));
  return number + " " + what + (number == "1" ? "" : "s");
}

/// "1 GPU", "18.5 GPUs".
std::string gpus_of(std::int64_t thousandths) {
  const auto tenths = static_cast<std::int64_t>(std::round(in_gpus(thousandths) * 10));
  if (tenths % 10 == 0) return grouped_count(static_cast<double>(tenths / 10), "GPU");
  return fmt::format("{}.{} GPUs", grouped(static_cast<double>(tenths / 10)), tenths % 10);
}

template <class Count>
std::string count_of(Count count) {
  return grouped(static_cast<double>(count));
}

std::string two_digits(double part) {
  return fmt::format("{:.2f} %", 100 * part);
}

report_json optional_number(const std::optional<double>& number) {
  return number ? json_number(*number) : report_json(nullptr);
}

report_json part_of(resource_kind kind, double part, const place_question& asked) {
  return asked.measured.knows(kind) ? json_number(part) : report_json(nullptr);
}

/// A row for each node: parts of GPUs, memory, cores, network in use.
report_json matrix_json(const utilization_matrix& use, const place_question& asked) {
  report_json rows = report_json::array();
  for (Eigen::Index n = 0; n < use.rows(); ++n) {
    report_json row = report_json::array();
    for (const resource_kind kind : every_resource)
      row.push_back(part_of(kind, use(n, static_cast<Eigen::Index>(kind)), asked));
    rows.push_back(std::move(row));
  }
  return rows;
}

report_json over_time_json(const place_outcome& out, const place_question& asked) {
  report_json windows = report_json::array();
  for (std::size_t w = 0; w < out.over_time.use.size(); ++w)
    windows.push_back({{"from_s", json_number(out.over_time.edges[w])},
                       {"until_s", json_number(out.over_time.edges[w + 1])},
                       {"imbalance", json_number(out.over_time.imbalance[w])},
                       {"matrix", matrix_json(out.over_time.use[w], asked)}});
  return windows;
}

const std::optional<rule_check>& rule_of(const place_outcome& out, placement_rule rule) {
  return out.rules[static_cast<std::size_t>(rule)];
}

std::int64_t broken_nodes(const place_outcome& out) {
  return rule_of(out, placement_rule::capacity)->broken;
}

/// How many jobs or nodes break each rule, and by how much the worst; null: the rule is not asked.
report_json rules_json(const place_outcome& out) {
  constexpr std::array worst_keys{"worst_part", "worst_gpus", "worst_nodes", "worst_nodes",
                                  "worst_s"};
  report_json rules = report_json::object();
  for (const placement_rule rule : placement_rules) {
    const auto& check = rule_of(out, rule);
    rules[name_of(rule)] = check ? report_json{{"broken", check->broken},
                                               {worst_keys[static_cast<std::size_t>(rule)],
                                                json_number(check->worst.amount)}}
                                 : report_json(nullptr);
  }
  return rules;
}

/// The rules side by side, where one beside capacity and integrity is asked or one is broken.
std::string rules_in_words(const std::vector<place_outcome>& all, text_style style) {
  bool shown = false;
  for (const place_outcome& out : all)
    for (const placement_rule rule : placement_rules) {
      const auto& check = rule_of(out, rule);
      const bool always = rule == placement_rule::capacity || rule == placement_rule::integrity;
      shown = shown || (check && (!always || check->broken > 0));
    }
  if (!shown) return {};
  std::vector<column> columns{{"rules broken"}};
  for (const placement_rule rule : placement_rules)
    columns.push_back({name_of(rule), column_side::right});
  table counts{columns};
  for (const place_outcome& out : all) {
    std::vector<std::string> cells{name_of(out.policy)};
    for (const placement_rule rule : placement_rules) {
      const auto& check = rule_of(out, rule);
      cells.push_back(check ? count_of(check->broken) : "-");
    }
    counts.row(std::move(cells));
  }
  return "\n" + counts.text_within(width_of_output(), style) +
         "capacity: nodes that give more than they have; the others: jobs\n";
}

report_json types_json(const place_outcome& out, const place_question& asked) {
  report_json types = report_json::array();
  for (const type_usage& of : out.types)
    types.push_back({{"type", of.name},
                     {"nodes", of.nodes},
                     {"gpus", part_of(resource_kind::compute, of.parts[0], asked)},
                     {"cores", part_of(resource_kind::cores, of.parts[2], asked)},
                     {"memory", part_of(resource_kind::memory, of.parts[1], asked)},
                     {"network", part_of(resource_kind::network, of.parts[3], asked)},
                     {"imbalance", of.imbalance}});
  return types;
}

/// What --matrix and --list ask for.
void add_details(report_json& answer, const place_outcome& out, const place_question& asked) {
  if (asked.matrix) {
    answer["utilization_matrix"] = matrix_json(out.usage, asked);
    answer["memory_of_matrix"] = asked.measured.memory == measured_memory::gpus   ? "gpus"
                                 : asked.measured.memory == measured_memory::host ? "host"
                                                                                  : "none";
    if (asked.timed()) answer["utilization_windows"] = over_time_json(out, asked);
  }
  if (asked.listed) {
    report_json nodes = report_json::array();
    report_json starts = report_json::array();
    for (const task_run& run : out.runs) {
      nodes.push_back(run.where ? report_json(run.where->node) : report_json(nullptr));
      starts.push_back(json_number(run.start));
    }
    answer["node_of_job"] = std::move(nodes);
    answer["nodes_of_job"] = out.nodes_of_row;
    if (asked.timed()) answer["start_of_job_s"] = std::move(starts);
  }
}

}  // namespace

report_json names_of_nodes(const place_question& asked) {
  const std::vector<node_facts>& nodes = asked.nodes.facts;
  report_json names = report_json::array();
  bool any = false;
  for (const node_facts& one : nodes) {
    any = any || !one.name.empty();
    names.push_back(one.name.empty() ? report_json(nullptr) : report_json(one.name));
  }
  return any ? names : report_json(nullptr);
}

report_json json_of(const place_outcome& out, const place_question& asked) {
  report_json refused = report_json::object();
  constexpr std::array keys{
      "placed", "no_node_large_enough", "no_node_of_type", "no_cores", "no_memory", "no_gpus"};
  std::int64_t fit_no_node = 0;
  for (std::size_t why = 1; why < placement_refusals; ++why)
    if (is_final(static_cast<placement_refusal>(why))) fit_no_node += out.replay.count[why];
  for (std::size_t why = 1; why < placement_refusals; ++why)
    refused[keys[why]] = out.replay.count[why];
  report_json answer{
      {"policy", name_of(out.policy)},
      {"jobs", out.replay.tasks},
      {"placed", out.replay.placed()},
      {"refused", std::move(refused)},
      {"asked_gpus", in_gpus(out.replay.asked_thousandths)},
      {"placed_gpus", in_gpus(out.replay.placed_thousandths)},
      {"pool_gpus", in_gpus(out.replay.pool_thousandths)},
      {"most_gpus_in_use", in_gpus(out.replay.most_in_use)},
      {"allocation", asked.mode == replay_mode::stay ? json_number(out.replay.allocation())
                                                     : report_json(nullptr)},
      {"utilization_over_time", asked.mode == replay_mode::leave
                                    ? json_number(out.replay.utilization())
                                    : report_json(nullptr)},
      {"free",
       {{"gpus", in_gpus(out.free.thousandths)},
        {"whole_gpus", out.free.whole},
        {"whole_nodes", out.free.whole_nodes},
        {"largest_block", out.free.largest_block},
        {"gangs", out.free.gangs}}},
      {"fragmentation",
       {{"unusable_share", out.free.unusable_share()},
        {"index", out.free.fragmentation_index()},
        {"expected_unusable_share", json_number(out.expected_unusable)},
        {"imbalance", json_number(out.imbalance)},
        {"time", optional_number(out.time_fragmentation)},
        {"gpu_memory", optional_number(out.memory_fragmentation)}}},
      {"fairness", out.fairness ? json_number(*out.fairness) : report_json(nullptr)},
      {"violations",
       {{"nodes_beyond_capacity", broken_nodes(out)},
        {"jobs_that_fit_no_node", fit_no_node},
        {"rules", rules_json(out)}}},
      {"utilization", types_json(out, asked)}};
  if (asked.migrations > 0)
    answer["migrations"] = {{"moved", out.moved},
                            {"gangs_before", out.free.gangs},
                            {"gangs_after", out.gangs_after_moves}};
  if (out.improved) answer["improvement"] = json_of(*out.improved);
  if (asked.waiting) answer["still_waiting"] = out.still_waiting;
  add_details(answer, out, asked);
  return answer;
}

namespace {

/// "GPUs, cores and memory": the kinds of the imbalance.
std::string kinds_in_words(const place_question& asked) {
  std::vector<std::string> words{"GPUs", "cores"};
  if (asked.measured.memory == measured_memory::host) words.push_back("memory");
  if (asked.measured.memory == measured_memory::gpus) words.push_back("GPU memory");
  if (asked.measured.network) words.push_back("network");
  std::string text = words[0];
  for (std::size_t i = 1; i < words.size(); ++i)
    text += (i + 1 < words.size() ? ", " : " and ") + words[i];
  return text;
}

/// What moving jobs makes room for.
std::string moves_in_words(const place_outcome& one, const place_question& asked) {
  if (one.moved > 0)
    return fmt::format("\nMoving {} makes room for {} of {} instead of {}.\n",
                       grouped_count(one.moved, "job"),
                       grouped_count(one.gangs_after_moves, "gang"),
                       grouped_count(asked.gang, "GPU"), count_of(one.free.gangs));
  if (asked.migrations == 0) return {};
  return fmt::format("\nNo moves make room for more gangs of {} than {}.\n",
                     grouped_count(asked.gang, "GPU"), count_of(one.free.gangs));
}

/// Words in lines of the output's width.
std::string lined(const std::string& words) {
  return wrapped(words, width_of_output()) + "\n";
}

/// Until when "in use" is counted.
std::string end_of_use(const place_question& asked) {
  const bool framework = std::find(asked.policies.begin(), asked.policies.end(),
                                   placement_policy::framework) != asked.policies.end();
  const bool patient = framework && asked.framework.options.patience > seconds{0};
  return patient ? "the last, of framework to its end" : "the last";
}

/// What is in use of the nodes of each type.
std::string use_in_words(const place_outcome& one, const place_question& asked, text_style style) {
  table use{{{"in use under " + std::string(name_of(one.policy))},
             {"nodes", column_side::right},
             {"GPUs", column_side::right},
             {"cores", column_side::right},
             {"memory", column_side::right},
             {"imbalance", column_side::right}}};
  for (const type_usage& of : one.types)
    use.row({of.name.empty() ? "all" : visible(of.name), count_of(of.nodes),
             two_digits(of.parts[0]), two_digits(of.parts[2]),
             asked.measured.knows(resource_kind::memory) ? two_digits(of.parts[1]) : "-",
             fmt::format("{:.3f}", of.imbalance)});
  return use.text_within(width_of_output(), style);
}

/// What the columns of the policies mean.
std::string legend_of(const std::vector<place_outcome>& all, const place_question& asked) {
  std::string text;
  const auto say = [&](const std::string& words) { text += lined(words); };
  if (asked.mode == replay_mode::leave)
    say("in use: mean from the first arrival to " + end_of_use(asked));
  say("free: GPUs that no job holds");
  say("unusable: share of the free GPUs that the next job cannot use, on average over the kinds of "
      "jobs");
  say("imbalance: standard deviation over " + kinds_in_words(asked) +
      " in use, mean over the nodes");
  if (std::any_of(all.begin(), all.end(),
                  [](const place_outcome& out) { return out.fairness.has_value(); }))
    say("evenness: Jain's index of the part of the GPUs it asked for that each user got");
  return text;
}

}  // namespace

std::string text_of(const std::vector<place_outcome>& all, const place_question& asked,
                    text_style style) {
  std::string text;
  const bool leave = asked.mode == replay_mode::leave;
  const place_outcome& one = all.front();
  text += bold(fmt::format("{} on {} with {}", grouped_count(one.replay.tasks, "job"),
                           grouped_count(asked.nodes.nodes.size(), "node"),
                           grouped_count(in_gpus(one.replay.pool_thousandths), "GPU")),
               style) +
          fmt::format("\nJobs ask for {}{}.\n\n", gpus_of(one.replay.asked_thousandths),
                      asked.waiting ? ", and leave again; a job that finds no node waits"
                      : leave       ? ", and leave again; a job that finds no node is dropped"
                                    : " in all, and stay");
  table compared{{{"policy"},
                  {"placed", column_side::right},
                  {leave ? "in use" : "allocated", column_side::right},
                  {"free", column_side::right},
                  {"unusable", column_side::right},
                  {fmt::format("gangs of {}", asked.gang), column_side::right},
                  {"imbalance", column_side::right},
                  {"evenness", column_side::right}}};
  for (const place_outcome& out : all)
    compared.row({name_of(out.policy), count_of(out.replay.placed()),
                  two_digits(leave ? out.replay.utilization() : out.replay.allocation()),
                  fmt::format("{:.1f}", in_gpus(out.free.thousandths)),
                  two_digits(out.expected_unusable), count_of(out.free.gangs),
                  fmt::format("{:.3f}", out.imbalance),
                  out.fairness ? fmt::format("{:.3f}", *out.fairness) : "-"});
  text += compared.text_within(width_of_output(), style);
  text += legend_of(all, asked);
  text += "\n";

  table refused{{{"refused by " + std::string(name_of(one.policy))}, {"jobs", column_side::right}}};
  for (std::size_t why = 1; why < placement_refusals; ++why)
    if (one.replay.count[why] > 0)
      refused.row({name_of(static_cast<placement_refusal>(why)), count_of(one.replay.count[why])});
  if (!refused.empty()) text += refused.text_within(width_of_output(), style) + "\n";

  text += use_in_words(one, asked, style);
  text += moves_in_words(one, asked);
  text += rules_in_words(all, style);
  for (const place_outcome& out : all) {
    if (!out.improved) continue;
    text += words_of(asked.framework) + words_of(*out.improved);
    if (asked.waiting == waiting_rule::in_turn)
      text += "framework: jobs that wait are tried in the order of urgency, not in turn.\n";
  }
  for (const place_outcome& out : all)
    if (out.still_waiting > 0)
      text += fmt::format(
          "{}: {} for ever.\n", name_of(out.policy),
          grouped_count(out.still_waiting, "job") + (out.still_waiting == 1 ? " waits" : " wait"));
  return text;
}

}  // namespace gpuplan::cli
