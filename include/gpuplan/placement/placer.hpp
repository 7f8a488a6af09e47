#pragma once
/// \file
/// Places tasks on a pool of nodes one by one, under a policy, and removes them again.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <gpuplan/placement/detail/box_bounds.hpp>
#include <gpuplan/placement/detail/gradient_bound.hpp>
#include <gpuplan/placement/detail/gradient_scores.hpp>
#include <gpuplan/placement/detail/node_box.hpp>
#include <gpuplan/placement/detail/node_outline.hpp>
#include <gpuplan/placement/detail/node_tree.hpp>
#include <gpuplan/placement/detail/recent_hosts.hpp>
#include <gpuplan/placement/detail/refused_requests.hpp>
#include <gpuplan/placement/detail/request_index.hpp>
#include <gpuplan/placement/detail/score_board.hpp>
#include <gpuplan/placement/detail/spare_cores.hpp>
#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/gpu_task.hpp>
#include <gpuplan/placement/placement_refusal.hpp>
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

/// A pool of nodes and a policy. A tree over the nodes bounds the scores of many at once, so that a
/// decision looks at few of them; it takes the node that a look at each would take.
class placer {
 public:
  /// Positions drawn for a random choice before those that will do are listed.
  static constexpr int most_draws = 32;

  /// `weights` are those of the framework's score.
  /// \throws invalid_input if the policy looks at a mix of tasks and that is empty, or a weight is
  ///         out of range
  placer(std::span<const gpu_node> nodes, placement_policy policy, task_mix mix = {},
         tie_break ties = tie_break::first, std::uint64_t seed = 1,
         const match_weights& weights = {})
      : nodes_(nodes.begin(), nodes.end()),
        policy_(policy),
        weights_(weights),
        sum_of_weights_(detail::sum_of(weights)),
        points_of_score_(100 * sum_of_weights_ / weights.fragmentation),
        mix_(std::move(mix)),
        ties_(policy == placement_policy::random ? tie_break::random : ties),
        random_(seed),
        scale_(scale_of(nodes_)),
        gradients_(mix_, nodes_.size()),
        roof_(mix_),
        index_(nodes_.size()),
        board_(policy == placement_policy::fragmentation_gradient ? nodes_.size() : 0) {
    require_valid(weights_);
    require(!needs_mix(policy_, weights_) || !mix_.empty(),
            "placer: mix must not be empty where the policy looks at fragmentation");
    plant();
  }

  [[nodiscard]] std::span<const gpu_node> nodes() const { return nodes_; }
  [[nodiscard]] const task_mix& mix() const { return mix_; }
  [[nodiscard]] placement_policy policy() const { return policy_; }

  /// Chooses a node, takes what the task asks for, and says where; empty where no node can host it.
  /// \throws invalid_input if the task is invalid
  std::optional<task_placement> place(const gpu_task& task) {
    require_valid(task);
    if (refused_.rule_out(task)) return std::nullopt;
    const placement_vector asked =
        detail::parts_of(task.core_thousandths, task.total_gpu_thousandths(), scale_);
    if (needs_mix(policy_, weights_))
      most_points_ = detail::gradient_points(task.total_gpu_thousandths() + 1);
    const auto score = [&](const detail::node_box& box) { return bound_of(box, task, asked); };
    const bool by_gradient = policy_ == placement_policy::fragmentation_gradient;
    std::size_t host = by_gradient                              ? best_gradient(task)
                       : is_indexed()                           ? best_indexed(task, asked, score)
                       : policy_ == placement_policy::framework ? best_of_framework(task, asked)
                                                                : tree_.best(score);
    if (host == detail::node_tree::nowhere) {
      refused_.add(task);
      return std::nullopt;
    }
    if (ties_ == tie_break::random) host = any_equal(host, score);
    const task_placement where{
        .node = host,
        .gpus = policy_ == placement_policy::random ? any_gpus(nodes_[host], task)
                : needs_mix(policy_, weights_)
                    ? gradients_.gpus_of(nodes_[host], tree_.leaf(host), task, mix_)
                    : candidate_of(policy_, nodes_[host], task, scale_, mix_, weights_).gpus};
    take(task, where);
    return where;
  }

  /// Whether some node can host the task now.
  /// \throws invalid_input if the task is invalid
  [[nodiscard]] bool can_place(const gpu_task& task) const {
    require_valid(task);
    return tree_.any([&](const detail::node_box& box) { return box.may_host(task); });
  }

  /// Takes what the task asks for of this node and these GPUs.
  /// \throws invalid_input if there is no such node, or something is not free
  void take(const gpu_task& task, const task_placement& where) {
    require(where.node < nodes_.size(), "placer: node must be one of the pool");
    nodes_[where.node] = with_task(nodes_[where.node], task, where.gpus);
    changed(where.node);
  }

  /// Gives back what a placed task took.
  /// \throws invalid_input if there is no such node, or more would be free than it has
  void release(const gpu_task& task, const task_placement& where) {
    require(where.node < nodes_.size(), "placer: node must be one of the pool");
    nodes_[where.node] = without_task(nodes_[where.node], task, where.gpus);
    refused_.note_release(nodes_[where.node]);
    changed(where.node);
  }

  /// The nodes whose boxes have the largest scores, so many of them, of equal ones the first; none
  /// of minus infinity. For searches of this room: a box's score is at least that of each of its
  /// nodes.
  template <class Score>
  std::vector<std::size_t> best_nodes(std::size_t count, const Score& score) {
    return tree_.best_few(count, score);
  }

  /// Why no node can host the task now: as the function of that name says of the nodes.
  /// \throws invalid_input if the task is invalid
  [[nodiscard]] placement_refusal refusal_of(const gpu_task& task) const {
    require_valid(task);
    using box = detail::node_box;
    const auto ever = [&](const box& b) { return b.might_ever_host(task); };
    const auto gpus = [&](const box& b) { return ever(b) && b.has_gpus(task); };
    if (tree_.any([&](const box& b) { return gpus(b) && b.has_cores(task); }))
      return placement_refusal::memory;
    if (tree_.any(gpus)) return placement_refusal::cores;
    if (tree_.any(ever)) return placement_refusal::gpus;
    const bool typed = task.gpus > 0 && task.accepted_types != 0;
    return typed && !tree_.any([&](const box& b) { return b.accepts(task); })
               ? placement_refusal::type
               : placement_refusal::never;
  }

 private:
  /// At least the score of each node of the box, minus infinity where none can host the task; of
  /// one node the score itself. Rounding keeps order, so a bound by the same operations holds.
  double bound_of(const detail::node_box& box, const gpu_task& task,
                  const placement_vector& asked) {
    if (!box.may_host(task)) return detail::node_tree::impossible;
    switch (policy_) {
      case placement_policy::gpu_packing:
        return detail::packing_bound(box, nodes_[box.first], task);
      case placement_policy::fragmentation_gradient: return gradient_bound(box, task);
      case placement_policy::framework: return framework_bound(box, task, asked);
      default: return detail::vector_bound(policy_, box, task, asked, scale_);
    }
  }

  /// Where that is below `least`, any number from it to there may come instead.
  double gradient_bound(const detail::node_box& box, const gpu_task& task, double least = 0) {
    if (const auto score = gradients_.score_of(box, nodes_[box.first], task, mix_, least))
      return *score;
    return gradient_roof(box, task, least);
  }

  /// At least the gradient's score of each node of the box, from what the box says alone. No task
  /// makes the expected fragmentation fall by more than it takes.
  [[nodiscard]] double gradient_roof(const detail::node_box& box, const gpu_task& task,
                                     double least = 0) const {
    if (!roof_.pays()) return most_points_;
    return (std::min)(most_points_, roof_.most_points(box, task, least));
  }

  /// For the board, of the requests that come again: a node's score and 1; 0 if it cannot host the
  /// task.
  auto points_for_board() {
    return [this](std::size_t host, const gpu_task& task) {
      const detail::node_box& leaf = tree_.leaf(host);
      if (!leaf.may_host(task)) return std::uint8_t{0};
      const auto points = gradients_.score_of(leaf, nodes_[host], task, mix_);
      return static_cast<std::uint8_t>(1 + points.value_or(0));
    };
  }

  /// Scores are looked up where the roof of a box leaves it open whether it has the best node.
  std::size_t best_gradient(const gpu_task& task) {
    if (const auto kept = board_.best(task, points_for_board())) return *kept;
    if (task.gpus == 0 && spare_)
      if (const auto first = first_without_loss(task)) return *first;
    const auto points_to_win = [&](const detail::node_box& box) {  // points are whole
      return tree_.best_score() + (box.first > tree_.best_position() ? 1 : 0);
    };
    const detail::recent_hosts::hosts looks = recent_.of(task);  // as they are now
    const std::size_t found = tree_.best(
        [&](const detail::node_box& box, double roof) {
          if (box.state == detail::node_box::several) return roof;
          const double to_win = points_to_win(box);
          const double points =
              gradients_.score_of(box, nodes_[box.first], task, mix_, to_win).value_or(roof);
          if (box.one && points >= to_win) recent_.note(task, box.first);
          return points;
        },
        [&](const detail::node_box& box) {
          return box.may_host(task) ? gradient_roof(box, task, points_to_win(box))
                                    : detail::node_tree::impossible;
        },
        looks.positions());
    board_.count_search(task, tree_.visits_of_search());
    if (task.gpus == 0) count_search_of_cores();
    return found;
  }

  /// Of a task without a GPU no node's score is above that of one whose fragmentation does not
  /// grow; the first such node, if any.
  std::optional<std::size_t> first_without_loss(const gpu_task& task) {
    const double no_loss = detail::gradient_points(0);
    return spare_->first(
        {.cores = task.core_thousandths, .memory = task.memory}, [&](std::size_t host) {
          return gradients_.score_of(tree_.leaf(host), nodes_[host], task, mix_) == no_loss;
        });
  }

  [[nodiscard]] detail::spare_cores::entry spare_of(const detail::node_box& leaf) const {
    return {.cores = gradients_.spare_of(leaf), .memory = leaf.most_memory};
  }

  /// Keeps the cores that are spare once searches for them have cost as much as it takes to find
  /// those of all nodes.
  void count_search_of_cores() {
    visits_for_cores_ += tree_.visits_of_search();
    if (spare_ || !gradients_.knows_spare() || visits_for_cores_ < nodes_.size()) return;
    std::vector<detail::spare_cores::entry> all;
    all.reserve(nodes_.size());
    for (std::size_t host = 0; host < nodes_.size(); ++host)
      all.push_back(spare_of(tree_.leaf(host)));
    spare_.emplace(all);
  }

  /// Whether the best node of each request is kept: of the framework, if fragmentation counts.
  [[nodiscard]] bool is_indexed() const { return !outlines_.empty(); }

  template <class Score>
  std::size_t best_indexed(const gpu_task& task, const placement_vector& asked,
                           const Score& score) {
    const auto bound_of_node = [&](std::size_t host) {
      const detail::node_outline& outline = outlines_[host];
      if (!outline.can_host(task)) return detail::node_tree::impossible;
      match_aims aims = detail::vector_aims(outline.parts, asked);
      aims.fragmentation = gradients_.roof_of(outline, task) / 100;
      return match_score(aims, weights_);
    };
    const auto score_of_node = [&](std::size_t host) { return score(tree_.leaf(host)); };
    if (const auto kept = index_.best(task, bound_of_node, score_of_node)) return *kept;
    const std::size_t found = best_of_framework(task, asked);
    index_.count_search(task, tree_.visits_of_search());
    return found;
  }

  detail::node_outline outline_of(const detail::node_box& leaf) const {
    const gpu_node& host = nodes_[leaf.first];
    return {
        .cores = host.free_core_thousandths,
        .memory = host.free_memory,
        .pieces = leaf.pieces,
        .parts = detail::parts_of(host.free_core_thousandths, leaf.most_gpu, scale_),
        .type = host.type,
        .amounts = static_cast<std::uint32_t>(gradients_.amounts_in(host.free_core_thousandths))};
  }

  /// The node with the best score of the framework.
  std::size_t best_of_framework(const gpu_task& task, const placement_vector& asked) {
    const detail::recent_hosts::hosts looks = recent_.of(task);  // as they are now
    return tree_.best(
        [&](const detail::node_box& box) {
          if (!box.may_host(task)) return detail::node_tree::impossible;
          const double to_win = tree_.best_score();
          const double score = framework_bound(box, task, asked, to_win);
          if (box.one && score > to_win) recent_.note(task, box.first);
          return score;
        },
        looks.positions());
  }

  /// The weighted mean of what each aim can reach. Fit is best where least is free; balance where
  /// cores and GPUs meet. Where that is below `to_win`, any number from it to there may come
  /// instead.
  double framework_bound(const detail::node_box& box, const gpu_task& task,
                         const placement_vector& asked,
                         double to_win = detail::node_tree::impossible) {
    const placement_vector least =
        detail::parts_of((std::max)(box.least_cores, task.core_thousandths),
                         (std::max)(int{box.least_gpu}, task.total_gpu_thousandths()), scale_);
    match_aims aims = detail::vector_aims(least, asked);
    if (!box.one) {
      const double parts = asked.cores + asked.gpus;
      aims.fit = (std::min)(aims.fit, 1 + (parts - static_cast<double>(box.least_parts)) / 2 +
                                          detail::rounding_of_scores);
      const placement_vector most = detail::parts_of(box.most_cores, box.most_gpu, scale_);
      const double apart = (std::max)((least.cores - asked.cores) - (most.gpus - asked.gpus),
                                      (least.gpus - asked.gpus) - (most.cores - asked.cores));
      aims.balance = 1 - (std::max)(0.0, apart);
    }
    const auto score_of = [&](double fragmentation) {
      aims.fragmentation = fragmentation;
      return detail::mean_of_aims(aims, weights_, sum_of_weights_);
    };
    if (weights_.fragmentation == 0) return score_of(0);
    const double roof = score_of(most_points_ / 100);
    if (roof < to_win) return roof;
    const double to_lose = roof - to_win + detail::rounding_of_scores;
    const double points = (std::max)(0.0, most_points_ - to_lose * points_of_score_);
    return score_of(gradient_bound(box, task, static_cast<int>(points)) / 100);
  }

  void plant() {
    std::vector<detail::node_box> leaves;
    leaves.reserve(nodes_.size());
    for (std::size_t host = 0; host < nodes_.size(); ++host) leaves.push_back(leaf_of(host));
    tree_ = detail::node_tree{leaves};
    if (policy_ != placement_policy::framework || !needs_mix(policy_, weights_) || is_indexed())
      return;
    for (const detail::node_box& leaf : leaves) outlines_.push_back(outline_of(leaf));
  }

  detail::node_box leaf_of(std::size_t host) {
    const bool by_state = needs_mix(policy_, weights_);
    return detail::box_of(nodes_[host], host,
                          by_state ? gradients_.state_of(nodes_[host]) : detail::node_box::several,
                          scale_);
  }

  void changed(std::size_t host) {
    const detail::node_box leaf = leaf_of(host);
    tree_.change(leaf);
    if (is_indexed()) {
      outlines_[host] = outline_of(leaf);
      index_.note_change(host);
    }
    if (policy_ == placement_policy::fragmentation_gradient)
      board_.note_change(host, points_for_board());
    if (spare_) spare_->change(host, spare_of(leaf));
    if (!gradients_.full()) return;
    gradients_.forget();
    plant();
  }

  /// A node whose score is that of `best`, each with the same chance. Positions are drawn until one
  /// has it; where few have, draws are many, and after some in vain they are listed.
  template <class Score>
  std::size_t any_equal(std::size_t best, const Score& score) {
    const double most = score(tree_.leaf(best));
    for (int draw = 0; draw < most_draws; ++draw)
      if (const std::size_t host = random_.below(nodes_.size()); score(tree_.leaf(host)) == most)
        return host;
    std::vector<std::size_t> equal;
    tree_.each(most, score, [&](std::size_t host) { equal.push_back(host); });
    const std::uint64_t chosen = random_.below(equal.size());
    std::nth_element(equal.begin(), equal.begin() + static_cast<std::ptrdiff_t>(chosen),
                     equal.end());
    return equal[chosen];
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
  match_weights weights_;
  double sum_of_weights_;
  double points_of_score_;  // of the gradient, for a rise of the framework's score by 1
  task_mix mix_;
  tie_break ties_;
  random_numbers random_;
  placement_scale scale_;
  detail::gradient_scores gradients_;
  detail::gradient_bound roof_;
  detail::node_tree tree_{};
  std::vector<detail::node_outline> outlines_{};  // by position; none: not indexed
  detail::request_index index_;
  detail::score_board board_;
  std::optional<detail::spare_cores> spare_{};
  std::size_t visits_for_cores_ = 0;  // of searches for tasks without a GPU
  detail::refused_requests refused_{};
  detail::recent_hosts recent_{};
  double most_points_ = 0;  // of the gradient, for the task at hand
};

}  // namespace gpuplan
