/// \file
/// Placing under one policy, and looking at the pool after it.

#include "place/pool.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <span>

#include <gpuplan/placement/fairness.hpp>
#include <gpuplan/placement/rebalance.hpp>

namespace gpuplan::cli {
namespace {

/// Rows of the tasks in the order in which they are placed.
std::vector<std::size_t> order_of(const place_question& asked) {
  std::vector<waiting_job> jobs;
  jobs.reserve(asked.tasks.tasks.size());
  for (const arriving_task& each : asked.tasks.tasks)
    jobs.push_back({.submit = each.arrival,
                    .gpus = each.task.total_gpu_thousandths(),
                    .priority = each.priority,
                    .expected = std::min(each.departure - each.arrival, seconds{1e15}),
                    .deadline = each.deadline});
  return order_jobs(jobs, asked.order, seconds{0});
}

/// How often each kind of task comes that asks for GPUs; the host's memory does not matter here.
task_mix mix_of_tasks(std::span<const arriving_task> tasks) {
  std::map<std::array<std::int64_t, 4>, task_share> kinds;
  for (const arriving_task& each : tasks) {
    if (each.task.gpus == 0) continue;
    const gpu_task& task = each.task;
    task_share& kind = kinds[{task.gpus, task.gpu_thousandths, task.core_thousandths,
                              static_cast<std::int64_t>(task.accepted_types)}];
    kind.task = task;
    ++kind.popularity;
  }
  std::vector<task_share> shares;
  for (const auto& [key, kind] : kinds) shares.push_back(kind);
  return shares.empty() ? task_mix{} : task_mix{shares};
}

std::array<double, 3> parts_in_use(const gpu_node& host) {
  const double all = 1.0 * host.gpus * whole_gpu;
  const auto cores = static_cast<double>(host.core_thousandths);
  const bool limited = host.memory > bytes{0} && host.memory < bytes{1e300};
  return {host.gpus > 0 ? 1 - host.free_gpu_thousandths() / all : 0,
          cores > 0 ? 1 - static_cast<double>(host.free_core_thousandths) / cores : 0,
          limited ? 1 - host.free_memory / host.memory : 0};
}

double deviation_of(const std::array<double, 3>& parts) {
  const double mean = (parts[0] + parts[1] + parts[2]) / 3;
  double squares = 0;
  for (const double part : parts) squares += (part - mean) * (part - mean);
  return std::sqrt(squares / 3);
}

void look_at_nodes(std::span<const gpu_node> nodes, const place_question& asked,
                   place_outcome& out) {
  out.types.resize(std::max<std::size_t>(1, asked.types.names().size()));
  for (std::size_t type = 0; type < asked.types.names().size(); ++type)
    out.types[type].name = asked.types.names()[type];
  for (const gpu_node& host : nodes) {
    const std::array<double, 3> parts = parts_in_use(host);
    type_usage& of = out.types[static_cast<std::size_t>(host.type)];
    ++of.nodes;
    of.gpus += parts[0];
    of.cores += parts[1];
    of.memory += parts[2];
    of.imbalance += deviation_of(parts);
    out.imbalance += deviation_of(parts) / static_cast<double>(nodes.size());
    if (asked.matrix) out.matrix.push_back(parts);
  }
  std::erase_if(out.types, [](const type_usage& of) { return of.nodes == 0; });
  for (type_usage& of : out.types) {
    const auto count = static_cast<double>(of.nodes);
    of.gpus /= count;
    of.cores /= count;
    of.memory /= count;
    of.imbalance /= count;
  }
}

/// Nodes whose tasks, added up anew, ask for more than there is.
std::int64_t nodes_beyond(std::span<const gpu_node> nodes, std::span<const running_task> tasks) {
  struct sums {
    double cores = 0;
    bytes memory{};
    std::array<int, gpu_node::most_gpus> gpus{};
  };
  std::vector<sums> taken(nodes.size());
  for (const running_task& each : tasks) {
    sums& of = taken[each.where.node];
    of.cores += static_cast<double>(each.task.core_thousandths);
    of.memory += each.task.memory;
    for (std::size_t gpu = 0; gpu < of.gpus.size(); ++gpu)
      if (((each.where.gpus >> gpu) & 1) != 0) of.gpus[gpu] += each.task.gpu_thousandths;
  }
  std::int64_t beyond = 0;
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    bool over = taken[n].cores > static_cast<double>(nodes[n].core_thousandths) ||
                taken[n].memory > nodes[n].memory;
    for (std::size_t gpu = 0; gpu < taken[n].gpus.size(); ++gpu)
      over = over || taken[n].gpus[gpu] > (static_cast<int>(gpu) < nodes[n].gpus ? whole_gpu : 0);
    if (over) ++beyond;
  }
  return beyond;
}

/// Jain's index of what part of the GPU shares that it asked for each user got.
std::optional<double> fairness_of(std::span<const arriving_task> tasks,
                                  const replay_result& replayed) {
  std::vector<double> asked;
  for (const arriving_task& each : tasks) {
    const auto user = static_cast<std::size_t>(each.user);
    if (asked.size() <= user) asked.resize(user + 1, 0.0);
    asked[user] += each.task.total_gpu_thousandths();
  }
  std::vector<double> parts;
  double most = 0;
  for (std::size_t user = 0; user < asked.size(); ++user) {
    if (asked[user] == 0) continue;
    const double got = user < replayed.by_user.size() ? replayed.by_user[user] : 0;
    parts.push_back(got / asked[user]);
    most = std::max(most, parts.back());
  }
  if (parts.size() < 2 || most == 0) return {};
  return jain_index(parts);
}

}  // namespace

place_outcome place_under(placement_policy policy, const place_question& asked) {
  const std::vector<std::size_t> rows = order_of(asked);
  std::vector<arriving_task> tasks;
  tasks.reserve(rows.size());
  for (const std::size_t row : rows) tasks.push_back(asked.tasks.tasks[row]);
  const task_mix mix = mix_of_tasks(tasks);
  place_outcome out{.policy = policy};
  placer pool{asked.nodes.nodes,
              mix.empty() && policy == placement_policy::fragmentation_gradient
                  ? placement_policy::best_fit  // no task asks for a GPU: nothing can fragment
                  : policy,
              mix, asked.ties, asked.seed};
  std::vector<std::optional<task_placement>> where(tasks.size());
  out.replay = replay(pool, tasks, asked.mode, where);

  const std::span<const gpu_node> nodes = pool.nodes();
  out.free = free_gpus_of(nodes, asked.gang);
  if (!mix.empty() && out.free.thousandths > 0) {
    for (const gpu_node& host : nodes) out.expected_unusable += expected_fragmentation(host, mix);
    out.expected_unusable /= static_cast<double>(out.free.thousandths);
  }
  look_at_nodes(nodes, asked, out);
  out.fairness = fairness_of(tasks, out.replay);

  std::vector<running_task> running;
  const seconds end = out.replay.until;
  for (std::size_t t = 0; t < tasks.size(); ++t)
    if (where[t] && (asked.mode == replay_mode::stay || tasks[t].departure > end))
      running.push_back({tasks[t].task, *where[t]});
  out.beyond_capacity = nodes_beyond(nodes, running);
  if (asked.migrations > 0) {
    const rebalancing moved = defragment(nodes, running, asked.gang, asked.migrations);
    out.moved = static_cast<std::int64_t>(moved.moves.size());
    out.gangs_after_moves = static_cast<std::int64_t>(moved.after);
  }
  if (asked.listed) {
    out.where.resize(rows.size());
    for (std::size_t t = 0; t < rows.size(); ++t) out.where[rows[t]] = where[t];
  }
  return out;
}

}  // namespace gpuplan::cli
