#pragma once
/// \file
/// Places tasks on a pool of nodes one by one, under a policy, and removes them again.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/gpu_task.hpp>
#include <gpuplan/placement/placer_policy.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/simulate/random_numbers.hpp>

namespace gpuplan {

/// Where a task went.
struct task_placement {
  std::size_t node = 0;
  gpu_set gpus = 0;
};

/// Which node is taken among equal scores.
enum class tie_break : std::uint8_t { first, random };

/// A pool of nodes and a policy. Scores are kept by kind of task and made anew only for the nodes
/// that have changed since that kind was last asked for: a decision reads one number a node. A kind
/// not yet kept has every node scored, so tasks of which no two are alike take as much longer.
///
/// At most `most_kinds` kinds of task are kept; asking for another drops the one unused for
/// longest, so memory is bounded by most_kinds x nodes x 16 bytes.
class placer {
 public:
  static constexpr std::size_t most_kinds = 256;  ///< the open trace of 2023 has some 150

  /// \throws invalid_input if the policy is the fragmentation gradient and the mix is empty
  placer(std::span<const gpu_node> nodes, placement_policy policy, task_mix mix = {},
         tie_break ties = tie_break::first, std::uint64_t seed = 1)
      : nodes_(nodes.begin(), nodes.end()),
        policy_(policy),
        mix_(std::move(mix)),
        ties_(policy == placement_policy::random ? tie_break::random : ties),
        random_(seed),
        scale_(scale_of(nodes_)) {
    require(policy != placement_policy::fragmentation_gradient || !mix_.empty(),
            "placer: mix must not be empty for the fragmentation gradient");
  }

  [[nodiscard]] std::span<const gpu_node> nodes() const { return nodes_; }
  [[nodiscard]] const task_mix& mix() const { return mix_; }
  [[nodiscard]] placement_policy policy() const { return policy_; }

  /// Chooses a node, takes what the task asks for, and says where; empty where no node can host it.
  /// \throws invalid_input if the task is invalid
  std::optional<task_placement> place(const gpu_task& task) {
    require_valid(task);
    const kind& scores = up_to_date(task);
    const std::optional<std::size_t> host = best(scores.scores);
    if (!host) return std::nullopt;
    const task_placement where{.node = *host,
                               .gpus = policy_ == placement_policy::random
                                           ? any_gpus(nodes_[*host], task)
                                           : scores.gpus[*host]};
    nodes_[*host] = with_task(nodes_[*host], task, where.gpus);
    changed(*host);
    return where;
  }

  /// Gives back what a placed task took.
  /// \throws invalid_input if there is no such node, or more would be free than it has
  void release(const gpu_task& task, const task_placement& where) {
    require(where.node < nodes_.size(), "placer: node must be one of the pool");
    nodes_[where.node] = without_task(nodes_[where.node], task, where.gpus);
    changed(where.node);
  }

 private:
  struct kind {
    gpu_task task{};
    std::vector<double> scores{};
    std::vector<gpu_set> gpus{};
    std::uint64_t seen = 0;  // changes of the pool that these scores know of
  };

  void score(kind& k, std::size_t host) const {
    const placement_candidate candidate = candidate_of(policy_, nodes_[host], k.task, scale_, mix_);
    k.scores[host] = candidate.score;
    k.gpus[host] = candidate.gpus;
  }

  void changed(std::size_t host) {
    if (log_.size() < nodes_.size())
      log_.push_back(host);
    else
      log_[static_cast<std::size_t>(changes_ % nodes_.size())] = host;
    ++changes_;
  }

  kind& up_to_date(const gpu_task& task) {
    auto found =
        std::find_if(kinds_.begin(), kinds_.end(), [&](const kind& k) { return k.task == task; });
    if (found == kinds_.end()) {
      if (kinds_.size() < most_kinds) {
        kinds_.emplace_back();
        found = kinds_.end() - 1;
      } else {
        found = std::min_element(kinds_.begin(), kinds_.end(),
                                 [](const kind& a, const kind& b) { return a.seen < b.seen; });
      }
      found->task = task;
      found->scores.resize(nodes_.size());
      found->gpus.resize(nodes_.size());
      for (std::size_t host = 0; host < nodes_.size(); ++host) score(*found, host);
    } else if (changes_ - found->seen >= nodes_.size()) {
      for (std::size_t host = 0; host < nodes_.size(); ++host) score(*found, host);
    } else {
      for (std::uint64_t change = found->seen; change < changes_; ++change)
        score(*found, log_[static_cast<std::size_t>(change % nodes_.size())]);
    }
    found->seen = changes_;
    return *found;
  }

  std::optional<std::size_t> best(std::span<const double> scores) {
    double most = -std::numeric_limits<double>::infinity();
    for (const double score : scores) most = score > most ? score : most;
    if (!(most > -1e300)) return std::nullopt;
    if (ties_ == tie_break::first)
      return static_cast<std::size_t>(std::find(scores.begin(), scores.end(), most) -
                                      scores.begin());
    const auto equal = static_cast<std::uint64_t>(std::count(scores.begin(), scores.end(), most));
    std::uint64_t skip = random_.below(equal);
    for (std::size_t host = 0;; ++host)
      if (scores[host] == most && skip-- == 0) return host;
  }

  /// GPUs of a node that can host the task, each set of them with the same chance.
  gpu_set any_gpus(const gpu_node& host, const gpu_task& task) {
    gpu_set chosen = 0;
    int left = task.gpus;
    auto room = task.gpus == 0 ? 0 : host.gpus_with(task.gpu_thousandths);
    for (int gpu = 0; left > 0; ++gpu) {
      if (host.free_gpu[static_cast<std::size_t>(gpu)] < task.gpu_thousandths) continue;
      const bool takes =
          random_.below(static_cast<std::uint64_t>(room--)) < static_cast<std::uint64_t>(left);
      if (!takes) continue;
      chosen = static_cast<gpu_set>(chosen | (1U << gpu));
      --left;
    }
    return chosen;
  }

  std::vector<gpu_node> nodes_;
  placement_policy policy_;
  task_mix mix_;
  tie_break ties_;
  random_numbers random_;
  placement_scale scale_;
  std::vector<kind> kinds_{};
  std::vector<std::size_t> log_{};
  std::uint64_t changes_ = 0;
};

}  // namespace gpuplan
