#pragma once
/// \file
/// A placer that looks at every node for every task: what `placer` is held against.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <gpuplan/placement/placer.hpp>
#include <gpuplan/simulate/random_numbers.hpp>

namespace gpuplan::testing {

class scanning_placer {
 public:
  scanning_placer(std::span<const gpu_node> nodes, placement_policy policy, task_mix mix,
                  tie_break ties, std::uint64_t seed, const match_weights& weights = {})
      : nodes_(nodes.begin(), nodes.end()),
        policy_{policy},
        weights_{weights},
        mix_{std::move(mix)},
        ties_{policy == placement_policy::random ? tie_break::random : ties},
        random_{seed},
        scale_{scale_of(nodes_)} {}

  [[nodiscard]] std::span<const gpu_node> nodes() const { return nodes_; }

  std::optional<task_placement> place(const gpu_task& task) {
    std::vector<placement_candidate> found;
    for (const gpu_node& host : nodes_)
      found.push_back(candidate_of(policy_, host, task, scale_, mix_, weights_));
    std::size_t best = 0;
    for (std::size_t host = 0; host < nodes_.size(); ++host)
      if (found[host].score > found[best].score) best = host;
    if (nodes_.empty() || !found[best].feasible()) return std::nullopt;
    if (ties_ == tie_break::random) best = any_equal(found, found[best].score);
    const gpu_set gpus =
        policy_ == placement_policy::random ? any_gpus(nodes_[best], task) : found[best].gpus;
    nodes_[best] = with_task(nodes_[best], task, gpus);
    return task_placement{.node = best, .gpus = gpus};
  }

  void release(const gpu_task& task, const task_placement& where) {
    nodes_[where.node] = without_task(nodes_[where.node], task, where.gpus);
  }

 private:
  std::size_t any_equal(std::span<const placement_candidate> found, double most) {
    for (int draw = 0; draw < placer::most_draws; ++draw)
      if (const std::size_t host = random_.below(found.size()); found[host].score == most)
        return host;
    std::vector<std::size_t> equal;
    for (std::size_t host = 0; host < found.size(); ++host)
      if (found[host].score == most) equal.push_back(host);
    return equal[random_.below(equal.size())];
  }

  gpu_set any_gpus(const gpu_node& host, const gpu_task& task) {
    std::vector<int> room;
    for (int gpu = 0; gpu < host.gpus; ++gpu)
      if (host.free_gpu[static_cast<std::size_t>(gpu)] >= task.gpu_thousandths) room.push_back(gpu);
    gpu_set chosen = 0;
    std::size_t left = static_cast<std::size_t>(task.gpus);
    for (std::size_t i = 0; left > 0; ++i)
      if (random_.below(room.size() - i) < left) {
        chosen = static_cast<gpu_set>(chosen | (1U << room[i]));
        --left;
      }
    return chosen;
  }

  std::vector<gpu_node> nodes_;
  placement_policy policy_;
  match_weights weights_;
  task_mix mix_;
  tie_break ties_;
  random_numbers random_;
  placement_scale scale_;
};

}  // namespace gpuplan::testing
