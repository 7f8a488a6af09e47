#pragma once
/// \file
/// Ranks that send each other blocks of a vector, round by round: what arrives, and what it costs.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include <gpuplan/comm/collective_time.hpp>

namespace gpuplan::testing {

/// One message of a round.  `sum`: what arrives is added to what is there, else it replaces it.
struct simulated_message {
  int from = 0;
  int to = 0;
  std::vector<int> blocks{};
  bool sum = false;
};

/// Up to 64 ranks, each with a vector of some blocks.  Of each block a rank knows whose
/// contributions are in it, one bit for each rank.
class simulated_ranks {
 public:
  using contributors = std::uint64_t;

  /// Nobody has anything; `blocks` make a vector.
  simulated_ranks(int ranks, int blocks)
      : blocks_{blocks}, have_(index(ranks), std::vector<contributors>(index(blocks))) {}

  [[nodiscard]] int size() const { return static_cast<int>(have_.size()); }
  contributors& at(int rank, int block) { return have_[index(rank)][index(block)]; }
  static contributors only(int rank) { return contributors{1} << rank; }
  [[nodiscard]] contributors all() const {
    return size() == 64 ? ~contributors{0} : (contributors{1} << size()) - 1;
  }
  /// Each rank begins with a vector of its own.
  void give_each_its_vector() {
    for (int r = 0; r < size(); ++r)
      for (int b = 0; b < blocks_; ++b) at(r, b) = only(r);
  }
  [[nodiscard]] bool every_rank_has_the_sum() const {
    return std::all_of(have_.begin(), have_.end(), [&](const auto& vector) {
      return std::all_of(vector.begin(), vector.end(), [&](auto c) { return c == all(); });
    });
  }
  [[nodiscard]] std::vector<int> every_block() const {
    std::vector<int> list;
    for (int b = 0; b < blocks_; ++b) list.push_back(b);
    return list;
  }

  /// All messages of a round at once.  A rank sends at most one and receives at most one.
  void round(const std::vector<simulated_message>& messages) {
    const auto before = have_;
    std::vector<int> sends(have_.size());
    std::vector<int> receives(have_.size());
    std::size_t longest = 0;
    std::size_t longest_sum = 0;
    for (const auto& m : messages) {
      if (m.from == m.to || ++sends[index(m.from)] > 1 || ++receives[index(m.to)] > 1)
        throw std::logic_error{"a rank has one port each way"};
      longest = std::max(longest, m.blocks.size());
      if (m.sum) longest_sum = std::max(longest_sum, m.blocks.size());
      for (const int b : m.blocks) {
        const contributors sent = before[index(m.from)][index(b)];
        if (sent == 0) throw std::logic_error{"a rank sends what it does not have"};
        contributors& there = at(m.to, b);
        if (m.sum && (there & sent) != 0) throw std::logic_error{"a contribution counts twice"};
        there = m.sum ? there | sent : sent;
      }
    }
    if (messages.empty()) return;
    rounds_ += 1;
    sent_ += static_cast<double>(longest);
    reduced_ += static_cast<double>(longest_sum);
  }

  /// What it has cost so far, when every round waits for its longest message.
  [[nodiscard]] collective_cost cost() const {
    return {rounds_, sent_ / blocks_, reduced_ / blocks_};
  }

 private:
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }

  int blocks_;
  std::vector<std::vector<contributors>> have_;
  double rounds_ = 0;
  double sent_ = 0;
  double reduced_ = 0;
};

/// The skips of the circulant pattern: p, ceil(p / 2), ..., 1.
inline std::vector<int> circulant_skips(int ranks) {
  std::vector<int> skips{ranks};
  while (skips.back() > 1) skips.push_back((skips.back() + 1) / 2);
  return skips;
}

/// Round the ring: rank r passes block r - step + shift on to r + 1.
inline void pass_round_the_ring(simulated_ranks& world, int shift, bool sum) {
  const int n = world.size();
  for (int step = 0; step < n - 1; ++step) {
    std::vector<simulated_message> messages;
    for (int r = 0; r < n; ++r)
      messages.push_back({r, (r + 1) % n, {(r + shift - step + 2 * n) % n}, sum});
    world.round(messages);
  }
}

/// Partial sums of blocks r + s', ..., r + s - 1 go from r to r + s', for shrinking s.
inline void circulant_reduce_scatter(simulated_ranks& world) {
  const int n = world.size();
  const auto skips = circulant_skips(n);
  for (std::size_t i = 0; i + 1 < skips.size(); ++i) {
    std::vector<simulated_message> messages;
    for (int r = 0; r < n; ++r) {
      simulated_message m{r, (r + skips[i + 1]) % n, {}, true};
      for (int b = skips[i + 1]; b < skips[i]; ++b) m.blocks.push_back((r + b) % n);
      messages.push_back(m);
    }
    world.round(messages);
  }
}

/// The same backwards.
inline void circulant_all_gather(simulated_ranks& world) {
  const int n = world.size();
  const auto skips = circulant_skips(n);
  for (std::size_t i = skips.size() - 1; i-- > 0;) {
    std::vector<simulated_message> messages;
    for (int r = 0; r < n; ++r) {
      simulated_message m{(r + skips[i + 1]) % n, r, {}, false};
      for (int b = skips[i + 1]; b < skips[i]; ++b) m.blocks.push_back((r + b) % n);
      messages.push_back(m);
    }
    world.round(messages);
  }
}

/// Distances of a binomial tree: 1, 2, 4, ... below n.
inline std::vector<int> binomial_distances(int n) {
  std::vector<int> distances;
  for (int d = 1; d < n; d *= 2) distances.push_back(d);
  return distances;
}

/// Every rank r that is a multiple of 2 d sends to r + d, or receives from it.
enum class direction { from_root, to_root };
inline void binomial_round(simulated_ranks& world, int d, direction way, bool sum) {
  std::vector<simulated_message> messages;
  for (int r = 0; r + d < world.size(); r += 2 * d)
    messages.push_back(way == direction::from_root
                           ? simulated_message{r, r + d, world.every_block(), sum}
                           : simulated_message{r + d, r, world.every_block(), sum});
  world.round(messages);
}

/// The same with the blocks of ranks r + d, ..., r + 2 d - 1 only: scatter and gather.
inline void binomial_piece_round(simulated_ranks& world, int d, direction way) {
  const int n = world.size();
  std::vector<simulated_message> messages;
  for (int r = 0; r + d < n; r += 2 * d) {
    simulated_message m{r, r + d, {}, false};
    if (way == direction::to_root) std::swap(m.from, m.to);
    for (int b = r + d; b < std::min(r + 2 * d, n); ++b) m.blocks.push_back(b);
    messages.push_back(m);
  }
  world.round(messages);
}

}  // namespace gpuplan::testing
