#pragma once
/// \file
/// A pool that knows which jobs run where, and moves some of them to make room for another.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <gpuplan/placement/detail/node_box.hpp>
#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/gpu_task.hpp>
#include <gpuplan/placement/placer.hpp>
#include <gpuplan/placement/rebalance.hpp>
#include <gpuplan/require.hpp>

namespace gpuplan {

/// A placer, and the jobs that run on its nodes, each by a number of the caller's.
class running_pool {
 public:
  /// Nodes that are looked at for one job that needs room, at most.
  static constexpr int most_hosts = 32;

  /// Jobs have the numbers 0 .. jobs - 1; the nodes may be in use by others, which never move.
  running_pool(placer& pool, std::size_t jobs)
      : pool_{&pool}, jobs_(jobs), runs_(jobs, 0), on_(pool.nodes().size()) {}

  [[nodiscard]] std::span<const gpu_node> nodes() const { return pool_->nodes(); }
  [[nodiscard]] const placer& policy() const { return *pool_; }
  [[nodiscard]] bool runs(std::size_t job) const { return job < runs_.size() && runs_[job] != 0; }
  /// Where a job runs, and what it asked for.
  [[nodiscard]] const running_task& job(std::size_t number) const { return jobs_[number]; }

  /// Starts a job where the policy puts it; empty where no node can host it.
  /// \throws invalid_input if there is no such job, it runs already, or its task is invalid
  std::optional<task_placement> start(std::size_t job, const gpu_task& task) {
    require(job < jobs_.size() && !runs(job), "running_pool: job must be one that does not run");
    const std::optional<task_placement> where = pool_->place(task);
    if (where) note(job, task, *where);
    return where;
  }

  /// \throws invalid_input if the job does not run
  void stop(std::size_t job) {
    require(runs(job), "running_pool: job must run");
    pool_->release(jobs_[job].task, jobs_[job].where);
    forget(job);
  }

  /// Moves a job that runs.
  /// \throws invalid_input if it does not run, or something is not free there
  void move(std::size_t job, const task_placement& to) {
    require(runs(job), "running_pool: job must run");
    const running_task before = jobs_[job];
    pool_->take(before.task, to);
    pool_->release(before.task, before.where);
    forget(job);
    note(job, before.task, to);
  }

  /// Starts a job that no node can host as it is, where others that run can go elsewhere: at most
  /// `most_moves` of them. Nodes that lack least are tried first, `most_hosts` of them. Of a node
  /// the GPUs that the fewest jobs hold are emptied, as far as the job needs it, and those jobs go
  /// where the policy puts them. Where one finds no node all is as it was. Empty: no room was made.
  ///
  /// A greedy rule: it stops no job, and need not find the room that there is.
  ///
  /// Source: ours.
  ///
  /// \throws invalid_input if there is no such job, it runs already, its task is invalid, or
  ///         most_moves is not >= 0
  std::optional<std::vector<migration>> start_with_moves(std::size_t job, const gpu_task& task,
                                                         int most_moves) {
    require(job < jobs_.size() && !runs(job), "running_pool: job must be one that does not run");
    require(most_moves >= 0, "running_pool: most_moves must be >= 0");
    require_valid(task);
    answers found;
    for (const std::size_t host : lacking_least(task)) {
      const std::vector<std::size_t> leaving = in_the_way(host, task);
      if (leaving.empty() || static_cast<int>(leaving.size()) > most_moves) continue;
      if (cannot_leave(host, task, leaving, found)) continue;
      if (auto moves = exchange(job, task, host, leaving)) return moves;
    }
    return std::nullopt;
  }

 private:
  /// A job of a node, with all that is asked of it there: a search for room reads many of them.
  struct resident {
    std::size_t job = 0;
    gpu_task task{};
    gpu_set gpus = 0;
  };
  /// The order in which jobs of a node are tried to leave it: those of most GPUs first, then of
  /// most cores.
  static bool leaves_sooner(const resident& a, const resident& b) {
    const int left = a.task.total_gpu_thousandths();
    const int right = b.task.total_gpu_thousandths();
    if (left != right) return left > right;
    return a.task.core_thousandths != b.task.core_thousandths
               ? a.task.core_thousandths > b.task.core_thousandths
               : a.job < b.job;
  }

  void note(std::size_t job, const gpu_task& task, const task_placement& where) {
    jobs_[job] = {task, where};
    runs_[job] = 1;
    std::vector<resident>& here = on_[where.node];
    const resident added{job, task, where.gpus};
    here.insert(std::upper_bound(here.begin(), here.end(), added, leaves_sooner), added);
  }
  void forget(std::size_t job) {
    runs_[job] = 0;
    std::vector<resident>& here = on_[jobs_[job].where.node];
    here.erase(std::find_if(here.begin(), here.end(),
                            [&](const resident& each) { return each.job == job; }));
  }

  /// Nodes that might host the task, were they empty, those first that have most of what the task
  /// asks for free.
  std::vector<std::size_t> lacking_least(const gpu_task& task) {
    const auto part = [](double free, double asked) { return free < asked ? free / asked : 1.0; };
    return pool_->best_nodes(most_hosts, [&](const detail::node_box& box) {
      if (!box.might_ever_host(task)) return detail::node_tree::impossible;
      int pieces = 0;
      for (std::size_t k = 0; k < static_cast<std::size_t>(task.gpus); ++k)
        if (box.pieces[k] >= task.gpu_thousandths) ++pieces;
      return part(static_cast<double>(box.most_cores), static_cast<double>(task.core_thousandths)) +
             part(box.most_memory.in_base_units(), task.memory.in_base_units()) +
             part(box.most_gpu, task.total_gpu_thousandths()) + part(pieces, task.gpus);
    });
  }

  /// Jobs of a node without which it can host the task, none of them to spare; empty where there
  /// are none such, or all that are known to run there are not enough.
  [[nodiscard]] std::vector<std::size_t> in_the_way(std::size_t host, const gpu_task& task) const {
    gpu_node rest = nodes()[host];
    std::vector<resident> staying = on_[host];
    std::vector<std::size_t> leaving;
    const auto leave = [&](std::size_t at) {
      rest = without_task(rest, staying[at].task, staying[at].gpus);
      leaving.push_back(staying[at].job);
      staying.erase(staying.begin() + static_cast<std::ptrdiff_t>(at));
    };
    while (rest.gpus_with(task.gpu_thousandths) < task.gpus) {
      const int gpu = easiest_gpu(rest, staying, task.gpu_thousandths);
      std::size_t at = 0;
      while (at < staying.size() && !holds(staying[at], gpu)) ++at;
      if (gpu < 0 || at == staying.size()) return {};
      leave(at);
    }
    while (!can_host(rest, task)) {
      if (staying.empty()) return {};
      std::size_t most = 0;
      for (std::size_t at = 1; at < staying.size(); ++at)
        if (share_of(rest, staying[at], task) > share_of(rest, staying[most], task)) most = at;
      if (share_of(rest, staying[most], task) == 0) return {};
      leave(most);
    }
    for (std::size_t at = 0; at < leaving.size();) {
      const running_task& back = jobs_[leaving[at]];
      if (can_return(rest, back) && can_host(with_task(rest, back.task, back.where.gpus), task)) {
        rest = with_task(rest, back.task, back.where.gpus);
        leaving.erase(leaving.begin() + static_cast<std::ptrdiff_t>(at));
      } else {
        ++at;
      }
    }
    return leaving;
  }

  [[nodiscard]] static bool holds(const resident& job, int gpu) {
    return gpu >= 0 && ((job.gpus >> gpu) & 1) != 0;
  }

  /// The GPU without enough free that the fewest jobs hold, of equal ones the one with most free.
  [[nodiscard]] static int easiest_gpu(const gpu_node& host, std::span<const resident> staying,
                                       int thousandths) {
    int best = -1;
    int fewest = 0;
    for (int gpu = 0; gpu < host.gpus; ++gpu) {
      const int free = host.free_gpu[static_cast<std::size_t>(gpu)];
      if (free >= thousandths) continue;
      int holders = 0;
      for (const resident& job : staying)
        if (holds(job, gpu)) ++holders;
      if (holders == 0) continue;
      if (best >= 0 &&
          (holders > fewest ||
           (holders == fewest && free <= host.free_gpu[static_cast<std::size_t>(best)])))
        continue;
      best = gpu;
      fewest = holders;
    }
    return best;
  }

  /// What part of the cores and the memory that the task lacks a job would give back, each at most
  /// 1.
  [[nodiscard]] static double share_of(const gpu_node& host, const resident& job,
                                       const gpu_task& task) {
    const auto cores = static_cast<double>(task.core_thousandths - host.free_core_thousandths);
    const double memory = (task.memory - host.free_memory).in_base_units();
    const gpu_task& has = job.task;
    return (cores > 0 ? (std::min)(1.0, static_cast<double>(has.core_thousandths) / cores) : 0) +
           (memory > 0 ? (std::min)(1.0, has.memory.in_base_units() / memory) : 0);
  }

  [[nodiscard]] static bool can_return(const gpu_node& host, const running_task& job) {
    for (std::size_t gpu = 0; gpu < static_cast<std::size_t>(host.gpus); ++gpu)
      if (((job.where.gpus >> gpu) & 1) != 0 && host.free_gpu[gpu] < job.task.gpu_thousandths)
        return false;
    return job.task.core_thousandths <= host.free_core_thousandths &&
           job.task.memory <= host.free_memory;
  }

  /// Whether a node can host these requests, as the pool is.
  using answers = std::vector<std::pair<gpu_task, bool>>;

  /// Whether the first of the jobs that leave would find no node, so that nothing need be tried: no
  /// node can host it as it is, and the one that it leaves not with the task on it either.
  [[nodiscard]] bool cannot_leave(std::size_t host, const gpu_task& task,
                                  std::span<const std::size_t> leaving, answers& found) const {
    const gpu_task& first = jobs_[leaving.front()].task;
    auto known = std::find_if(found.begin(), found.end(),
                              [&](const auto& each) { return each.first == first; });
    if (known == found.end()) known = found.insert(found.end(), {first, pool_->can_place(first)});
    if (known->second) return false;
    gpu_node rest = nodes()[host];
    for (const std::size_t each : leaving)
      rest = without_task(rest, jobs_[each].task, jobs_[each].where.gpus);
    rest = with_task(rest, task, choose_gpus(rest, task, gpu_choice::least_free));
    return !can_host(rest, first);
  }

  /// Starts the job on the node, and those that leave it elsewhere; or leaves all as it was.
  std::optional<std::vector<migration>> exchange(std::size_t job, const gpu_task& task,
                                                 std::size_t host,
                                                 std::span<const std::size_t> leaving) {
    std::vector<running_task> before;
    for (const std::size_t each : leaving) {
      before.push_back(jobs_[each]);
      stop(each);
    }
    const task_placement where{.node = host,
                               .gpus = choose_gpus(nodes()[host], task, gpu_choice::least_free)};
    pool_->take(task, where);
    note(job, task, where);
    std::vector<migration> moves;
    for (std::size_t i = 0; i < leaving.size(); ++i) {
      const auto to = start(leaving[i], before[i].task);
      if (!to) break;
      moves.push_back({leaving[i], before[i].where, *to});
    }
    if (moves.size() == leaving.size()) return moves;
    for (const migration& move : moves) stop(move.task);
    stop(job);
    for (std::size_t i = 0; i < leaving.size(); ++i) {
      pool_->take(before[i].task, before[i].where);
      note(leaving[i], before[i].task, before[i].where);
    }
    return std::nullopt;
  }

  placer* pool_;
  std::vector<running_task> jobs_;
  std::vector<char> runs_;
  std::vector<std::vector<resident>> on_;  // jobs of each node, as leaves_sooner orders them
};

}  // namespace gpuplan
