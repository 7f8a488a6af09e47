/// \file
/// Placing under one policy, and looking at the pool after it.

#include "place/pool.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <gpuplan/placement/fairness.hpp>
#include <gpuplan/placement/framework.hpp>
#include <gpuplan/placement/rebalance.hpp>
#include <gpuplan/simulate/random_numbers.hpp>

#include "place/rules.hpp"
#include "place/usage.hpp"

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

/// The placer of a policy. Where no task asks for a GPU nothing can fragment.
placer placer_of(placement_policy policy, const place_question& asked, const task_mix& mix) {
  match_weights weights = asked.framework.weights;
  if (mix.empty() && policy == placement_policy::fragmentation_gradient)
    policy = placement_policy::best_fit;
  if (mix.empty()) weights.fragmentation = 0;
  if (weights.fit + weights.fragmentation + weights.balance == 0) weights.fit = 1;
  return placer{asked.nodes.nodes, policy, mix, asked.ties, asked.seed, weights};
}

/// What the framework makes of the tasks, as the other replays tell it.
waiting_result run_of_framework(placer& pool, std::span<const arriving_task> tasks,
                                const place_question& asked, place_outcome& out,
                                std::vector<place_left>& left) {
  framework_result result = run_framework(pool, tasks, asked.mode, asked.framework.options);
  out.improved = effect_of(result);
  left = std::move(result.left);
  waiting_result ran{.replay = std::move(result.replay)};
  ran.nodes.assign(pool.nodes().begin(), pool.nodes().end());
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    const seconds wait = result.wait[t];
    ran.runs.push_back(result.where[t] ? task_run{result.where[t], tasks[t].arrival + wait,
                                                  tasks[t].departure + wait}
                                       : task_run{});
  }
  return ran;
}

waiting_result run_on(placer& pool, std::span<const arriving_task> tasks,
                      const place_question& asked, place_outcome& out,
                      std::vector<place_left>& left) {
  if (pool.policy() == placement_policy::framework)
    return run_of_framework(pool, tasks, asked, out, left);
  return asked.waiting ? replay_waiting(pool, tasks, *asked.waiting)
                       : replay_leaving(pool, tasks, asked.mode);
}

/// Where each job lay when: the places that it left, and its last.
std::vector<job_stay> stays_of(const std::vector<task_run>& runs,
                               const std::vector<place_left>& left,
                               const std::vector<std::size_t>& rows) {
  std::vector<job_stay> stays;
  std::vector<seconds> since;
  since.reserve(runs.size());
  for (const task_run& run : runs) since.push_back(run.start);
  for (const place_left& gone : left) {
    if (gone.at > since[gone.job])
      stays.push_back({rows[gone.job], gone.where, since[gone.job], gone.at});
    since[gone.job] = std::max(since[gone.job], gone.at);
  }
  for (std::size_t t = 0; t < runs.size(); ++t)
    if (runs[t].where) stays.push_back({rows[t], *runs[t].where, since[t], runs[t].end});
  return stays;
}

/// The nodes of each row, in their order; a move between the GPUs of a node is none.
std::vector<std::vector<std::size_t>> nodes_of_rows(const std::vector<task_run>& runs,
                                                    const std::vector<place_left>& left,
                                                    const std::vector<std::size_t>& rows) {
  std::vector<std::vector<std::size_t>> nodes(rows.size());
  const auto add = [&](std::size_t job, std::size_t node) {
    std::vector<std::size_t>& had = nodes[rows[job]];
    if (had.empty() || had.back() != node) had.push_back(node);
  };
  for (const place_left& gone : left) add(gone.job, gone.where.node);
  for (std::size_t t = 0; t < runs.size(); ++t)
    if (runs[t].where) add(t, runs[t].where->node);
  return nodes;
}

/// What a candidate loses with jobs on an empty pool: the mean of the part of what they ask for that
/// finds no node, and of the part of the free GPUs that the next job could not use.
double loss_of(std::span<const gpu_node> nodes, std::span<const arriving_task> tasks,
               const task_mix& mix, const learning_rounds& how, match_weights weights) {
  if (mix.empty()) weights.fragmentation = 0;
  if (weights.fit + weights.fragmentation + weights.balance == 0) weights.fit = 1;
  placer pool{nodes, placement_policy::framework, mix, tie_break::first, 1, weights};
  const framework_result result = run_framework(pool, tasks, how.mode, how.options);
  double asked = 0;
  double lost = 0;
  for (std::size_t t = 0; t < tasks.size(); ++t) {
    asked += static_cast<double>(tasks[t].task.total_gpu_thousandths());
    if (!result.where[t]) lost += static_cast<double>(tasks[t].task.total_gpu_thousandths());
  }
  double free = 0;
  double unusable = 0;
  for (const gpu_node& host : pool.nodes()) {
    free += static_cast<double>(free_gpus_of({&host, 1}, 1).thousandths);
    if (!mix.empty()) unusable += expected_fragmentation(host, mix);
  }
  const double left = asked > 0 ? lost / asked : 0;
  const double useless = free > 0 ? unusable / free : 0;
  return std::clamp((left + useless) / 2, 0.0, 1.0);
}

/// What the candidates lose in rounds of jobs, in their order: as learn_candidates reads it.
std::vector<double> losses_of_matches(std::span<const gpu_node> nodes,
                                      std::span<const arriving_task> tasks, const task_mix& mix,
                                      const learning_rounds& how) {
  random_numbers random{how.seed};
  std::vector<double> losses;
  for (int round = 0; round < how.rounds; ++round) {
    std::vector<std::size_t> drawn;
    for (std::size_t i = 0; i < tasks.size(); ++i) drawn.push_back(random.below(tasks.size()));
    std::sort(drawn.begin(), drawn.end());  // in the order in which they come
    std::vector<arriving_task> jobs;
    for (const std::size_t one : drawn) jobs.push_back(tasks[one]);
    for (const match_weights& each : match_candidates())
      losses.push_back(loss_of(nodes, jobs, mix, how, each));
  }
  return losses;
}

}  // namespace

void learn_weights(place_question& asked) {
  std::vector<arriving_task> tasks;
  for (const std::size_t row : order_of(asked)) tasks.push_back(asked.tasks.tasks[row]);
  const std::vector<match_weights> candidates = match_candidates();
  const std::vector<double> losses = losses_of_matches(
      asked.nodes.nodes, tasks, mix_of_tasks(tasks),
      {.mode = asked.mode, .options = asked.framework.options, .seed = asked.seed});
  asked.framework.learned = learn_candidates(losses, candidates.size());
  asked.framework.weights = candidates[asked.framework.learned->best()];
}

place_outcome place_under(placement_policy policy, const place_question& asked) {
  const std::vector<std::size_t> rows = order_of(asked);
  std::vector<arriving_task> tasks;
  tasks.reserve(rows.size());
  for (const std::size_t row : rows) tasks.push_back(asked.tasks.tasks[row]);
  const task_mix mix = mix_of_tasks(tasks);
  place_outcome out{.policy = policy};
  placer pool = placer_of(policy, asked, mix);
  std::vector<place_left> left;
  waiting_result ran = run_on(pool, tasks, asked, out, left);
  out.replay = std::move(ran.replay);
  out.still_waiting = ran.still_waiting;
  out.runs.resize(rows.size());
  for (std::size_t t = 0; t < tasks.size(); ++t) out.runs[rows[t]] = ran.runs[t];
  out.nodes_of_row = nodes_of_rows(ran.runs, left, rows);
  if (!asked.timed()) left.clear();  // all happens at once: the last place counts
  out.stays = stays_of(ran.runs, left, rows);

  const std::span<const gpu_node> nodes = ran.nodes;
  out.free = free_gpus_of(nodes, asked.gang);
  if (!mix.empty() && out.free.thousandths > 0) {
    for (const gpu_node& host : nodes) out.expected_unusable += expected_fragmentation(host, mix);
    out.expected_unusable /= static_cast<double>(out.free.thousandths);
  }
  look_at_usage(asked, out);
  check_rules(asked, out);
  out.fairness = fairness_of(tasks, out.replay);

  if (asked.migrations > 0) {
    std::vector<running_task> running;
    for (std::size_t row = 0; row < out.runs.size(); ++row)
      if (runs_at_the_end(out.runs[row], asked, out.replay.until))
        running.push_back({asked.tasks.tasks[row].task, *out.runs[row].where});
    const rebalancing moved = defragment(nodes, running, asked.gang, asked.migrations);
    out.moved = static_cast<std::int64_t>(moved.moves.size());
    out.gangs_after_moves = static_cast<std::int64_t>(moved.after);
  }
  return out;
}

}  // namespace gpuplan::cli
