#pragma once
/// \file
/// The best node of each request that comes again, kept while nodes change.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include <gpuplan/placement/detail/request_hash.hpp>
#include <gpuplan/placement/gpu_task.hpp>

namespace gpuplan::detail {

/// Of a request that comes again only the nodes that changed since are looked at. Nodes lie in
/// blocks; for each request a tournament holds what a node of each block scores at most. A node
/// that changes raises that of its block to a bound of its score; the scores themselves are looked
/// up when the block comes out on top, and then it names its best node. A request is kept once
/// searches of a tree have cost as much as a look at all nodes, unless nodes change so often that
/// to follow them would have cost more than these.
class request_index {
 public:
  static constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();
  static constexpr double impossible = -std::numeric_limits<double>::infinity();

  request_index() = default;
  explicit request_index(std::size_t nodes)
      : last_(nodes),
        blocks_{(nodes + block - 1) / block},
        width_{std::bit_ceil(blocks_)},
        most_changes_{nodes / 2 + 32},
        most_kept_{most_places / (2 * width_)} {}

  void note_change(std::size_t position) {
    changed_.push_back(static_cast<std::uint32_t>(position));
    last_[position] = static_cast<std::uint32_t>(changes());
    if (changed_.size() < 2 * most_changes_) return;
    changed_.erase(changed_.begin(), changed_.begin() + static_cast<std::ptrdiff_t>(most_changes_));
    forgotten_ += most_changes_;
  }

  /// The position with the largest score, of equal ones the least; `nowhere` if all are
  /// impossible; empty if the request is not kept. `score(position)` is that of a node, and
  /// `bound(position)` at least so much, or impossible where the score is.
  template <class Bound, class Score>
  std::optional<std::size_t> best(const gpu_task& task, const Bound& bound, const Score& score) {
    const auto found = requests_.find(task);
    if (found == requests_.end()) return {};
    request& asked = found->second;
    if (asked.is_kept() && changes() - asked.from > most_changes_) {
      asked = {.from = changes()};
      --kept_;
    }
    if (!asked.is_kept()) {
      if (!pays(asked)) return {};
      keep(asked, bound);
    }
    follow(asked, bound);
    return best_of(asked, bound, score);
  }

  /// Counts a search of the tree for a request that is not kept, by the boxes that it looked at.
  void count_search(const gpu_task& task, std::size_t visits) {
    if (requests_.size() >= most_requests && !requests_.contains(task)) {
      requests_.clear();
      kept_ = 0;
    }
    request& asked = requests_.try_emplace(task, request{.from = changes()}).first->second;
    asked.visits += visits;
    if (asked.visits >= enough() && !pays(asked)) asked = {.from = changes()};
  }

 private:
  static constexpr std::size_t block = 16;
  static constexpr std::size_t most_requests = 4096;
  static constexpr std::size_t most_places = std::size_t{1} << 23;  // of all tournaments: 64 MiB
  /// A visit of a box costs as much as a look at so many nodes: measured with 10^5 nodes.
  static constexpr std::size_t looks_of_visit = 4;
  static constexpr std::uint8_t unknown = 0xff;

  struct request {
    std::uint64_t from = 0;  // changes before it was kept, or counted
    std::size_t visits = 0;
    std::vector<double> most{};        // 1 is the root, below i are 2 i and 2 i + 1
    std::vector<std::uint8_t> best{};  // which of a block is its best node
    [[nodiscard]] bool is_kept() const { return !most.empty(); }
  };

  [[nodiscard]] std::uint64_t changes() const { return forgotten_ + changed_.size(); }
  [[nodiscard]] std::size_t enough() const { return last_.size() / looks_of_visit; }
  [[nodiscard]] bool pays(const request& asked) const {
    return asked.visits >= enough() && kept_ < most_kept_ &&
           asked.visits * looks_of_visit > changes() - asked.from;
  }

  template <class Bound>
  void keep(request& asked, const Bound& bound) {
    ++kept_;
    asked.from = changes();
    asked.best.assign(blocks_, unknown);
    asked.most.assign(2 * width_, impossible);
    for (std::size_t position = 0; position < last_.size(); ++position) {
      double& most = asked.most[width_ + position / block];
      most = (std::max)(most, bound(position));
    }
    for (std::size_t at = width_ - 1; at > 0; --at)
      asked.most[at] = (std::max)(asked.most[2 * at], asked.most[2 * at + 1]);
  }

  /// Looks at the nodes that changed since the request came last.
  template <class Bound>
  void follow(request& asked, const Bound& bound) {
    for (; asked.from < changes(); ++asked.from) {
      const std::size_t position = changed_[static_cast<std::size_t>(asked.from - forgotten_)];
      if (last_[position] != static_cast<std::uint32_t>(asked.from + 1)) continue;  // and again
      const std::size_t its = position / block;
      const double most = bound(position);
      if (most != impossible && most >= asked.most[width_ + its]) {
        asked.best[its] = unknown;
        set(asked, its, most);
      } else if (asked.best[its] == position % block) {
        asked.best[its] = unknown;
      }
    }
  }

  static void set_up(std::vector<double>& most, std::size_t at) {
    for (at /= 2; at > 0; at /= 2) {
      const double larger = (std::max)(most[2 * at], most[2 * at + 1]);
      if (larger == most[at]) return;
      most[at] = larger;
    }
  }
  void set(request& asked, std::size_t its, double most) const {
    asked.most[width_ + its] = most;
    set_up(asked.most, width_ + its);
  }

  template <class Bound, class Score>
  std::size_t best_of(request& asked, const Bound& bound, const Score& score) const {
    while (asked.most[1] != impossible) {
      std::size_t at = 1;
      while (at < width_) {
        at *= 2;
        if (asked.most[at] != asked.most[1]) ++at;
      }
      const std::size_t its = at - width_;
      if (asked.best[its] != unknown) return its * block + asked.best[its];
      look_up(asked, its, bound, score);
    }
    return nowhere;
  }

  /// Finds the best node of a block, and its score.
  template <class Bound, class Score>
  void look_up(request& asked, std::size_t its, const Bound& bound, const Score& score) const {
    const std::size_t first = its * block;
    const std::size_t count = (std::min)(block, last_.size() - first);
    std::array<double, block> bounds{};
    for (std::size_t i = 0; i < count; ++i) bounds[i] = bound(first + i);
    double most = impossible;
    std::size_t best = unknown;
    for (;;) {
      const auto next = static_cast<std::size_t>(
          std::max_element(bounds.begin(), bounds.begin() + static_cast<std::ptrdiff_t>(count)) -
          bounds.begin());
      if (bounds[next] == impossible || bounds[next] < most ||
          (bounds[next] == most && next > best))
        break;
      const double its_score = score(first + next);
      if (its_score > most || (its_score == most && next < best)) {
        most = its_score;
        best = next;
      }
      bounds[next] = impossible;
    }
    asked.best[its] = static_cast<std::uint8_t>(best);
    set(asked, its, most);
  }

  std::vector<std::uint32_t> last_{};     // change of each node: how many there were, mod 2^32
  std::vector<std::uint32_t> changed_{};  // positions, the latest last
  std::uint64_t forgotten_ = 0;           // changes before these
  std::size_t blocks_ = 0;
  std::size_t width_ = 1;  // places for blocks, a power of two
  std::size_t most_changes_ = 0;
  std::size_t most_kept_ = 0;
  std::size_t kept_ = 0;
  std::unordered_map<gpu_task, request, request_hash> requests_{};
};

}  // namespace gpuplan::detail
