#pragma once
/// \file
/// A tree of boxes over the nodes of a pool: finds the node of the largest score without a look at
/// each.

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include <gpuplan/placement/detail/node_box.hpp>

namespace gpuplan::detail {

/// A binary tree whose leaves are nodes and whose branches are boxes around them. Nodes that are
/// alike lie side by side, so that most branches are ruled out by their box. A node that changes
/// stays where it is, and the boxes above it follow; once searches have cost as much as a new order
/// does, and enough has changed, the nodes are put in order anew. The order changes no answer.
class node_tree {
 public:
  static constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();
  static constexpr double impossible = -std::numeric_limits<double>::infinity();

  node_tree() = default;
  /// `leaves` are the boxes of the nodes, by position.
  explicit node_tree(const std::vector<node_box>& leaves)
      : width_{std::bit_ceil(leaves.size())}, order_(leaves.size()), place_(leaves.size()) {
    std::iota(order_.begin(), order_.end(), std::uint32_t{0});
    put_in_order(leaves);
  }

  /// The box of one node.
  [[nodiscard]] const node_box& leaf(std::size_t position) const {
    return boxes_[width_ + place_[position]];
  }

  void change(const node_box& leaf) {
    ++changes_;
    std::size_t at = width_ + place_[leaf.first];
    boxes_[at] = leaf;
    for (at /= 2; at > 0; at /= 2) {
      const node_box box = joined(boxes_[2 * at], boxes_[2 * at + 1]);
      if (box == boxes_[at]) return;
      boxes_[at] = box;
    }
  }

  /// The position with the largest score, of equal ones the least; `nowhere` if all are impossible.
  /// `score(box)` is at least the score of each node in it, and that score where it is one node.
  /// The positions of `first_looks` are looked at first: good ones shorten the search.
  template <class Score>
  std::size_t best(const Score& score, std::span<const std::uint32_t> first_looks = {}) {
    start();
    for (const std::uint32_t position : first_looks) {
      const std::size_t at = width_ + place_[position];
      if (const double its = score(boxes_[at]); its != impossible) look_for_best(at, score, its);
    }
    if (const double bound = score(boxes_[1]); bound != impossible) look_for_best(1, score, bound);
    return found_.position;
  }
  /// As above. `bound(box)` is a bound that costs less; `score(box, bound)` is called where that
  /// leaves it open whether the box has a better node.
  template <class Score, std::invocable<const node_box&> Bound>
  std::size_t best(const Score& score, const Bound& bound,
                   std::span<const std::uint32_t> first_looks = {}) {
    return best(
        [&](const node_box& box) {
          const double most = bound(box);
          return most != impossible && may_be_better(most, box.first) ? score(box, most) : most;
        },
        first_looks);
  }

  /// The positions of so many of the largest scores that are possible, the largest first, of equal
  /// ones the least position first.
  template <class Score>
  std::vector<std::size_t> best_few(std::size_t count, const Score& score) {
    start();
    few_.clear();
    if (count > 0) look_for_few(1, score, score(boxes_[1]), count);
    std::vector<std::size_t> found;
    for (const best_so_far& each : few_) found.push_back(each.position);
    return found;
  }

  /// How many boxes the last search looked at.
  [[nodiscard]] std::size_t visits_of_search() const { return visits_ - visits_before_; }

  /// The largest score that the search under way has found.
  [[nodiscard]] double best_score() const { return found_.score; }
  /// Where it is; `nowhere` if none is found.
  [[nodiscard]] std::size_t best_position() const { return found_.position; }

  /// Gives `use` the position of each node with at least this score, in no particular order.
  template <class Score, class Use>
  void each(double least, const Score& score, const Use& use, std::size_t at = 1) const {
    const node_box& box = boxes_[at];
    if (box.first == node_box::none || !(score(box) >= least)) return;
    if (at >= width_) {
      use(box.first);
      return;
    }
    each(least, score, use, 2 * at);
    each(least, score, use, 2 * at + 1);
  }

  /// Whether some node passes a test; a box that fails it has no node that passes.
  template <class Test>
  [[nodiscard]] bool any(const Test& test, std::size_t at = 1) const {
    if (boxes_[at].first == node_box::none || !test(boxes_[at])) return false;
    return at >= width_ || any(test, 2 * at) || any(test, 2 * at + 1);
  }

 private:
  struct best_so_far {
    double score = impossible;
    std::size_t position = nowhere;
  };

  void start() {
    if (visits_ > 2 * order_.size() * std::bit_width(order_.size()) && changes_ > order_.size() / 8)
      put_in_order(leaves());
    visits_before_ = visits_;
    found_ = {};
  }

  [[nodiscard]] bool may_be_better(double bound, std::size_t position) const {
    return bound > found_.score || (bound == found_.score && position < found_.position);
  }

  struct bounded_box {
    std::size_t at = 0;
    double bound = 0;
  };

  /// Both halves of a box, the one to look at first before the other.
  template <class Score>
  [[nodiscard]] std::pair<bounded_box, bounded_box> halves_of(std::size_t at,
                                                              const Score& score) const {
    const bounded_box left{2 * at, score(boxes_[2 * at])};
    const bounded_box right{2 * at + 1, score(boxes_[2 * at + 1])};
    const bool right_first =
        right.bound > left.bound ||
        (right.bound == left.bound && boxes_[right.at].first < boxes_[left.at].first);
    return right_first ? std::pair{right, left} : std::pair{left, right};
  }

  template <class Score>
  void look_for_best(std::size_t at, const Score& score, double bound) {
    ++visits_;
    if (!may_be_better(bound, boxes_[at].first)) return;
    if (at >= width_) {
      found_ = {bound, boxes_[at].first};
      return;
    }
    const auto [near, far] = halves_of(at, score);
    if (near.bound != impossible) look_for_best(near.at, score, near.bound);
    if (far.bound != impossible) look_for_best(far.at, score, far.bound);
  }

  /// As look_for_best, until `count` positions are found; then for those better than the last.
  template <class Score>
  void look_for_few(std::size_t at, const Score& score, double bound, std::size_t count) {
    ++visits_;
    if (bound == impossible) return;
    if (few_.size() == count) {
      found_ = few_.back();
      if (!may_be_better(bound, boxes_[at].first)) return;
    }
    if (at >= width_) {
      if (few_.size() == count) few_.pop_back();
      const best_so_far leaf{bound, boxes_[at].first};
      few_.insert(std::upper_bound(few_.begin(), few_.end(), leaf,
                                   [](const best_so_far& a, const best_so_far& b) {
                                     return a.score > b.score ||
                                            (a.score == b.score && a.position < b.position);
                                   }),
                  leaf);
      return;
    }
    const auto [near, far] = halves_of(at, score);
    look_for_few(near.at, score, near.bound, count);
    look_for_few(far.at, score, far.bound, count);
  }

  /// By what nodes are alike, each with its weight against the others.
  static constexpr std::size_t features = 8;
  using likeness = std::array<float, features>;
  static constexpr likeness weights{1, 1, 0.5, 1, 0.3F, 1.5, 0.1F, 0.3F};
  static likeness likeness_of(const node_box& leaf) {
    return {static_cast<float>(leaf.most_gpu),
            static_cast<float>(leaf.most_cores),
            static_cast<float>((std::min)(leaf.most_memory, bytes{1e30}).in_base_units()),
            leaf.most_parts,
            static_cast<float>(leaf.pieces[0]),
            static_cast<float>(leaf.state),
            static_cast<float>(std::bit_width(leaf.types)),
            static_cast<float>(leaf.first)};
  }

  using positions = std::span<std::uint32_t>;

  static likeness spread_of(const std::vector<likeness>& all, positions among) {
    likeness least = all[among[0]];
    likeness most = least;
    for (const std::uint32_t position : among)
      for (std::size_t f = 0; f < features; ++f) {
        least[f] = (std::min)(least[f], all[position][f]);
        most[f] = (std::max)(most[f], all[position][f]);
      }
    for (std::size_t f = 0; f < features; ++f) most[f] -= least[f];
    return most;
  }

  [[nodiscard]] std::vector<node_box> leaves() const {
    std::vector<node_box> by_position;
    by_position.reserve(order_.size());
    for (std::size_t position = 0; position < order_.size(); ++position)
      by_position.push_back(leaf(position));
    return by_position;
  }

  void put_in_order(const std::vector<node_box>& leaves) {
    visits_ = visits_before_ = changes_ = 0;
    boxes_.assign(2 * width_, {});
    if (leaves.empty()) return;
    std::vector<likeness> all;
    all.reserve(leaves.size());
    for (const node_box& leaf : leaves) all.push_back(likeness_of(leaf));
    const likeness range = spread_of(all, order_);
    for (likeness& each : all)
      for (std::size_t f = 0; f < features; ++f)
        if (range[f] > 0) each[f] *= weights[f] / range[f];
    divide(all, order_, width_);
    for (std::size_t i = 0; i < order_.size(); ++i) {
      place_[order_[i]] = static_cast<std::uint32_t>(i);
      boxes_[width_ + i] = leaves[order_[i]];
    }
    for (std::size_t at = width_ - 1; at > 0; --at)
      boxes_[at] = joined(boxes_[2 * at], boxes_[2 * at + 1]);
  }

  /// Orders the nodes below a branch with room for `width`: half of these to the left, by what the
  /// nodes differ in most.
  static void divide(const std::vector<likeness>& all, positions among, std::size_t width) {
    if (among.size() < 2) return;
    const std::size_t half = width / 2;
    if (among.size() > half) {
      const likeness spread = spread_of(all, among);
      const auto by =
          static_cast<std::size_t>(std::max_element(spread.begin(), spread.end()) - spread.begin());
      std::nth_element(among.begin(), among.begin() + static_cast<std::ptrdiff_t>(half),
                       among.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return all[a][by] < all[b][by]; });
      divide(all, among.subspan(half), half);
    }
    divide(all, among.first((std::min)(half, among.size())), half);
  }

  std::size_t width_ = 0;               // places for leaves, a power of two
  std::vector<std::uint32_t> order_{};  // positions from left to right
  std::vector<std::uint32_t> place_{};  // of each position in that order
  std::vector<node_box> boxes_{};       // 1 is the root, below i are 2 i and 2 i + 1
  best_so_far found_{};
  std::vector<best_so_far> few_{};  // the best first
  std::size_t visits_ = 0;          // since the nodes were put in order
  std::size_t changes_ = 0;         // since the nodes were put in order
  std::size_t visits_before_ = 0;   // visits_ when the latest search began
};

}  // namespace gpuplan::detail
