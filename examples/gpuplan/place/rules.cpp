/// \file
/// The rules of placement, checked on what a policy did.

#include "place/rules.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <tuple>

#include <fmt/format.h>

#include <gpuplan/text/visible.hpp>

#include "place/usage.hpp"
#include "program.hpp"

namespace gpuplan::cli {
namespace {

constexpr seconds at_no_time{std::numeric_limits<double>::infinity()};

/// A job takes or gives back what it holds on a node.
struct node_change {
  seconds at{};
  bool takes = false;  ///< who gives back comes first
  std::size_t row = 0;
  gpu_set gpus = 0;
};

/// By how much a node gives more than it has, at the worst moment; 0: never.
double excess_of_node(std::size_t node, std::vector<node_change>& changes,
                      const place_question& asked) {
  std::sort(changes.begin(), changes.end(), [](const node_change& a, const node_change& b) {
    return std::tie(a.at, a.takes, a.row) < std::tie(b.at, b.takes, b.row);
  });
  const std::array capacity{capacity_of(node, asked)};
  std::array<resources, 1> taken{};
  std::array<int, gpu_node::most_gpus> of_gpu{};
  double worst = 0;
  for (const node_change& change : changes) {
    const arriving_task& task = asked.tasks.tasks[change.row];
    const resources amount = taken_by(task, asked);
    if (change.takes)
      taken[0] = taken[0] + amount;
    else
      taken[0] = taken[0] - amount;
    taken[0].network = std::max(taken[0].network, bytes_per_second{0});  // rounding
    for (int gpu = 0; gpu < gpu_node::most_gpus; ++gpu) {
      if (((change.gpus >> gpu) & 1) == 0) continue;
      int& of = of_gpu[static_cast<std::size_t>(gpu)];
      of += change.takes ? task.task.gpu_thousandths : -task.task.gpu_thousandths;
      worst = std::max(worst, 1.0 * of / whole_gpu - 1);
    }
    if (const double over = capacity_violation(taken, capacity).amount; over > 1e-9)
      worst = std::max(worst, over);
  }
  return worst;
}

/// Capacity, of every node, kind and moment.
rule_check capacity_of_nodes(const place_question& asked, const place_outcome& out) {
  std::vector<std::vector<node_change>> changes(asked.nodes.nodes.size());
  for (const job_stay& stay : out.stays) {
    if (asked.timed() && !(stay.end > stay.start)) continue;
    std::vector<node_change>& of = changes[stay.where.node];
    const gpu_set gpus = stay.where.gpus;
    of.push_back({asked.timed() ? stay.start : seconds{0}, true, stay.row, gpus});
    if (asked.timed() && stay.end < at_no_time) of.push_back({stay.end, false, stay.row, gpus});
  }
  rule_check found{.worst = {.rule = placement_rule::capacity}};
  for (std::size_t n = 0; n < changes.size(); ++n) {
    const double amount = excess_of_node(n, changes[n], asked);
    if (amount > 0) ++found.broken;
    if (amount > found.worst.amount) found.worst = {placement_rule::capacity, amount, no_one, n};
  }
  return found;
}

/// Rows of each job.
std::vector<std::vector<std::size_t>> parts_of_jobs(const place_question& asked) {
  std::vector<std::vector<std::size_t>> jobs(asked.tasks.jobs.names().size());
  for (std::size_t row = 0; row < asked.tasks.tasks.size(); ++row) {
    const int job = asked.tasks.tasks[row].job;
    if (job < 0)
      jobs.push_back({row});
    else
      jobs[static_cast<std::size_t>(job)].push_back(row);
  }
  std::erase_if(jobs, [](const auto& parts) { return parts.empty(); });
  return jobs;
}

/// Where a job lies when its first part starts, and when its last part ends.
job_location location_of(std::span<const std::size_t> parts, const place_question& asked,
                         const place_outcome& out) {
  job_location job{.gpus_asked = 0};
  seconds first = at_no_time;
  for (const std::size_t row : parts)
    if (out.runs[row].where) first = std::min(first, out.runs[row].start);
  std::set<std::size_t> nodes;
  std::set<std::size_t> with_data;
  for (const std::size_t row : parts) {
    const arriving_task& task = asked.tasks.tasks[row];
    const task_run& run = out.runs[row];
    job.gpus_asked += task.task.gpus;
    job.deadline = std::min(job.deadline, task.deadline);
    job.end = std::max(job.end, run.end);
    if (task.most_nodes > 0) job.most_nodes = std::min(job.most_nodes, task.most_nodes);
    if (asked.most_nodes > 0) job.most_nodes = std::min(job.most_nodes, asked.most_nodes);
    if (task.data >= 0) {
      job.least_data_nodes = asked.locality.value_or(0);
      const auto& held = asked.data_nodes[static_cast<std::size_t>(task.data)];
      with_data.insert(held.begin(), held.end());
    }
    if (!run.where) continue;
    if (!asked.timed() || run.start == first) job.gpus_given += task.task.gpus;
    nodes.insert(run.where->node);
  }
  job.nodes = static_cast<int>(nodes.size());
  job.data_nodes = static_cast<int>(std::count_if(
      nodes.begin(), nodes.end(), [&](std::size_t node) { return with_data.contains(node); }));
  return job;
}

template <class Has>
bool any_task(const place_question& asked, const Has& has) {
  return std::any_of(asked.tasks.tasks.begin(), asked.tasks.tasks.end(), has);
}

}  // namespace

std::vector<std::vector<std::size_t>> nodes_of_data(const place_question& asked) {
  std::map<std::string_view, std::vector<std::size_t>> by_name;
  for (std::size_t n = 0; n < asked.nodes.facts.size(); ++n)
    by_name[asked.nodes.facts[n].name].push_back(n);
  std::vector<std::vector<std::size_t>> held;
  for (const std::string_view list : asked.tasks.data_lists.names()) {
    std::vector<std::size_t> nodes;
    for (std::string_view rest = list; !rest.empty();) {
      const std::size_t bar = rest.find('|');
      const std::string_view name = rest.substr(0, bar);
      rest = bar == rest.npos ? std::string_view{} : rest.substr(bar + 1);
      const auto found = by_name.find(name);
      if (name.empty() || found == by_name.end() || found->second.size() > 1)
        throw bad_usage{fmt::format(
            "{}: data must name nodes of the table with | between, each name once there, not '{}'",
            asked.job_file, visible(name))};
      nodes.push_back(found->second.front());
    }
    held.push_back(std::move(nodes));
  }
  return held;
}

void check_rules(const place_question& asked, place_outcome& out) {
  std::vector<job_location> jobs;
  for (const auto& parts : parts_of_jobs(asked)) jobs.push_back(location_of(parts, asked, out));
  const auto store = [&](placement_rule rule, const rule_check& found) {
    out.rules[static_cast<std::size_t>(rule)] = found;
  };
  const auto check = [&](placement_rule rule) { store(rule, check_rule(rule, jobs)); };
  store(placement_rule::capacity, capacity_of_nodes(asked, out));
  check(placement_rule::integrity);
  if (asked.locality) check(placement_rule::locality);
  if (asked.most_nodes > 0 ||
      any_task(asked, [](const arriving_task& each) { return each.most_nodes > 0; }))
    check(placement_rule::topology);
  if (asked.timed() &&
      any_task(asked, [](const arriving_task& each) { return each.deadline < at_no_time; }))
    check(placement_rule::service);
}

}  // namespace gpuplan::cli
