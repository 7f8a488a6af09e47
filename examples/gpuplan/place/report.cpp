/// \file
/// What gpuplan place says: as JSON and as tables.

#include "place/report.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include <gpuplan/text/visible.hpp>

#include "summary.hpp"

namespace gpuplan::cli {
namespace {

double in_gpus(std::int64_t thousandths) {
  return static_cast<double>(thousandths) / whole_gpu;
}

template <class Count>
std::string count_of(Count count) {
  return grouped(static_cast<double>(count));
}

std::string two_digits(double part) {
  return fmt::format("{:.2f} %", 100 * part);
}

}  // namespace

report_json json_of(const place_outcome& out, const place_question& asked) {
  report_json refused = report_json::object();
  constexpr std::array keys{"placed", "no_node_large_enough", "no_cores", "no_memory", "no_gpus"};
  for (std::size_t why = 1; why < placement_refusals; ++why)
    refused[keys[why]] = out.replay.count[why];
  report_json types = report_json::array();
  for (const type_usage& of : out.types)
    types.push_back({{"type", of.name},
                     {"nodes", of.nodes},
                     {"gpus", of.gpus},
                     {"cores", of.cores},
                     {"memory", of.memory},
                     {"imbalance", of.imbalance}});
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
        {"imbalance", json_number(out.imbalance)}}},
      {"fairness", out.fairness ? json_number(*out.fairness) : report_json(nullptr)},
      {"violations",
       {{"nodes_beyond_capacity", out.beyond_capacity},
        {"jobs_that_fit_no_node",
         out.replay.count[static_cast<std::size_t>(placement_refusal::never)]}}},
      {"utilization", std::move(types)}};
  if (asked.migrations > 0)
    answer["migrations"] = {{"moved", out.moved},
                            {"gangs_before", out.free.gangs},
                            {"gangs_after", out.gangs_after_moves}};
  if (asked.matrix) answer["utilization_matrix"] = out.matrix;
  if (asked.listed) {
    report_json nodes = report_json::array();
    for (const auto& where : out.where)
      nodes.push_back(where ? report_json(where->node) : report_json(nullptr));
    answer["node_of_job"] = std::move(nodes);
  }
  return answer;
}

namespace {

/// What moving jobs makes room for.
std::string moves_in_words(const place_outcome& one, const place_question& asked) {
  if (one.moved > 0)
    return fmt::format("\nMoving {} jobs makes room for {} gangs of {} GPUs instead of {}.\n",
                       count_of(one.moved), count_of(one.gangs_after_moves), asked.gang,
                       count_of(one.free.gangs));
  if (asked.migrations == 0) return {};
  return fmt::format("\nNo moves make room for more gangs of {} GPUs than {}.\n", asked.gang,
                     count_of(one.free.gangs));
}

}  // namespace

std::string text_of(const std::vector<place_outcome>& all, const place_question& asked,
                    text_style style) {
  std::string text;
  const bool leave = asked.mode == replay_mode::leave;
  const place_outcome& one = all.front();
  text += bold(fmt::format("{} jobs on {} nodes with {} GPUs", count_of(one.replay.tasks),
                           count_of(asked.nodes.nodes.size()),
                           grouped(in_gpus(one.replay.pool_thousandths))),
               style) +
          fmt::format("\nJobs ask for {} GPUs{}.\n\n",
                      grouped(std::round(in_gpus(one.replay.asked_thousandths))),
                      leave ? ", and leave again; a job that finds no node is dropped"
                            : " in all, and stay");
  table compared{{{"policy"},
                  {"placed", column_side::right},
                  {leave ? "in use" : "allocated", column_side::right},
                  {"free GPUs", column_side::right},
                  {"unusable", column_side::right},
                  {fmt::format("gangs of {}", asked.gang), column_side::right},
                  {"imbalance", column_side::right},
                  {"fairness", column_side::right}}};
  for (const place_outcome& out : all)
    compared.row({name_of(out.policy), count_of(out.replay.placed()),
                  two_digits(leave ? out.replay.utilization() : out.replay.allocation()),
                  fmt::format("{:.1f}", in_gpus(out.free.thousandths)),
                  two_digits(out.expected_unusable), count_of(out.free.gangs),
                  fmt::format("{:.3f}", out.imbalance),
                  out.fairness ? fmt::format("{:.3f}", *out.fairness) : "-"});
  text += compared.text(style);
  text +=
      "unusable: share of the free GPUs that the next job cannot use, on average over the kinds of "
      "jobs\n"
      "imbalance: standard deviation over GPUs, cores and memory in use, mean over the nodes\n\n";

  table refused{{{"refused by " + std::string(name_of(one.policy))}, {"jobs", column_side::right}}};
  for (std::size_t why = 1; why < placement_refusals; ++why)
    if (one.replay.count[why] > 0)
      refused.row({name_of(static_cast<placement_refusal>(why)), count_of(one.replay.count[why])});
  if (!refused.empty()) text += refused.text(style) + "\n";

  table use{{{"in use under " + std::string(name_of(one.policy))},
             {"nodes", column_side::right},
             {"GPUs", column_side::right},
             {"cores", column_side::right},
             {"memory", column_side::right},
             {"imbalance", column_side::right}}};
  for (const type_usage& of : one.types)
    use.row({of.name.empty() ? "all" : visible(of.name), count_of(of.nodes), two_digits(of.gpus),
             two_digits(of.cores), two_digits(of.memory), fmt::format("{:.3f}", of.imbalance)});
  text += use.text(style);
  text += moves_in_words(one, asked);
  for (const place_outcome& out : all)
    if (out.beyond_capacity > 0)
      text += fmt::format("{}: {} nodes are overcommitted.\n", name_of(out.policy),
                          out.beyond_capacity);
  return text;
}

}  // namespace gpuplan::cli
