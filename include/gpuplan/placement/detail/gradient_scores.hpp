#pragma once
/// \file
/// Scores of the fragmentation gradient, kept by what they depend on.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include <gpuplan/placement/detail/mix_table.hpp>
#include <gpuplan/placement/detail/node_box.hpp>
#include <gpuplan/placement/detail/node_outline.hpp>
#include <gpuplan/placement/expected_fragmentation.hpp>
#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/gpu_task.hpp>
#include <gpuplan/placement/placer_policy.hpp>

namespace gpuplan::detail {

/// The score of a node depends on the type and the free parts of its GPUs, whatever their order,
/// and on how many kinds of task its cores suffice for, before and after. Many nodes are alike in
/// these. A score follows from a table of the mix, unless the fall is so near to an edge between
/// two points that roundings decide; then it is made of the expected fragmentation itself. Scores
/// are kept in a table of one place for each remainder of a hash, so its memory is bounded; one
/// that another has driven out is made anew. The expected fragmentation before does not depend on
/// the task and has a table of its own.
class gradient_scores {
 public:
  gradient_scores(const task_mix& mix, std::size_t nodes)
      : most_states_{8 * nodes + 4096},
        table_{mix},
        useful_before_(table_.exists() ? nodes : 0),
        amounts_before_(nodes),
        kept_before_(places_for(nodes) / 4) {
    if (table_.kinds() < few_kinds && most_states_ < few_states)
      words_.assign(2 * places_for(nodes), no_word);
    else
      kept_.resize(places_for(nodes));
    for (std::size_t i = 0; i < points_.size(); ++i)
      points_[i] = static_cast<std::uint8_t>(gradient_points(static_cast<double>(i) - most_fall));
  }

  /// The number of the state of a node's GPUs: their type, and what is free of each, sorted.
  int state_of(const gpu_node& host) {
    gpu_state state{};
    for (std::size_t gpu = 0; gpu < host.free_gpu.size(); ++gpu)
      state[gpu] = static_cast<std::int16_t>(host.free_gpu[gpu]);
    std::sort(state.begin(), state.end() - 1, std::greater<>());
    state.back() = static_cast<std::int16_t>(host.type);
    return states_.try_emplace(state, static_cast<int>(states_.size())).first->second;
  }
  /// Whether states are to be forgotten, and numbered anew.
  [[nodiscard]] bool full() const { return states_.size() > most_states_; }
  void forget() {
    states_.clear();
    ++request_;
    std::fill(useful_before_.begin(), useful_before_.end(), useful_of_node{});
    std::fill(kept_.begin(), kept_.end(), score_of_state{});
    std::fill(words_.begin(), words_.end(), no_word);
    std::fill(kept_before_.begin(), kept_before_.end(), waste_of_state{});
  }

  /// The score of all nodes of a box that can host the task; empty where it is not one. Where that
  /// is below `least`, any number from it to there may come instead. `host` is one of these nodes.
  std::optional<double> score_of(const node_box& box, const gpu_node& host, const gpu_task& task,
                                 const task_mix& mix, double least = 0) {
    if (box.state == node_box::several) return {};
    const std::int64_t fewest = (std::max)(box.least_cores, task.core_thousandths);
    const std::size_t before = box.one ? amounts_in_node(box) : table_.amounts_in(box.most_cores);
    const std::size_t after = table_.amounts_in(box.most_cores - task.core_thousandths);
    if (fewest != box.most_cores && (table_.amounts_in(fewest) != before ||
                                     table_.amounts_in(fewest - task.core_thousandths) != after))
      return {};
    if (!words_.empty()) return kept_in_word(box, host, task, mix, before, after);
    if (task != asked_) {
      asked_ = task;
      ++request_;
    }
    const std::uint64_t state = state_before(box, before);
    points_of_state& found = found_[mixed(state ^ after << 20) & (found_.size() - 1)];
    if (found.is_of(request_, state, after) &&
        (found.points >= found.least || least >= found.least))
      return found.points;
    if (const auto points = points_of(box, task, before, after, least)) {
      found = {state, request_, static_cast<std::uint32_t>(after), *points, least};
      return points;
    }
    const std::uint64_t wanted =
        (static_cast<std::uint64_t>(after) << 32) | (request_of(task) << 8);
    score_of_state& place = kept_[mixed(state ^ mixed(wanted)) & (kept_.size() - 1)];
    if (place.state != state || (place.task & ~points_mask) != wanted)
      place = {state, wanted | exact_points(box, host, task, mix, state)};
    return static_cast<double>(place.task & points_mask);
  }

  /// How many of the amounts of cores that the mix asks for are there.
  [[nodiscard]] std::size_t amounts_in(std::int64_t core_thousandths) const {
    return table_.amounts_in(core_thousandths);
  }

  /// At least the score of a node that can host the task, in less time.
  [[nodiscard]] double roof_of(const node_outline& host, const gpu_task& task) const {
    if (!table_.exists()) return points_at(task.total_gpu_thousandths() + 1);
    const std::size_t after = table_.amounts_in(host.cores - task.core_thousandths);
    return points_at(table_.most_fall(host.pieces, host.type, host.amounts, after, task) +
                     table_.margin());
  }

  /// Whether spare_of can be asked, and is worth it: few kinds of task come again and again.
  [[nodiscard]] bool knows_spare() const { return table_.exists() && words_.empty(); }
  /// At least the cores, in thousandths, that a task without a GPU may take of a node and let its
  /// expected fragmentation not grow.
  [[nodiscard]] std::int64_t spare_of(const node_box& leaf) const {
    if (leaf.pieces[0] == 0) return leaf.most_cores;
    const std::size_t amounts = table_.amounts_in(leaf.most_cores);
    const std::size_t least =
        table_.least_amounts(leaf.pieces, std::countr_zero(leaf.types), amounts);
    return leaf.most_cores - table_.cores_of(least);
  }

  /// On which GPUs of a node that can host it the task scores most, of equal ones the first.
  gpu_set gpus_of(const gpu_node& host, const node_box& leaf, const gpu_task& task,
                  const task_mix& mix) {
    if (task.gpus != 1 || task.gpu_thousandths == whole_gpu)
      return choose_gpus(host, task, gpu_choice::least_free);
    const std::size_t before = table_.amounts_in(leaf.most_cores);
    const std::size_t after = table_.amounts_in(leaf.most_cores - task.core_thousandths);
    std::array<std::int16_t, gpu_node::most_gpus> seen{};
    std::size_t count = 0;
    placement_candidate best;
    for (int gpu = 0; gpu < host.gpus; ++gpu) {
      const int free = host.free_gpu[static_cast<std::size_t>(gpu)];
      if (free < task.gpu_thousandths ||
          std::find(seen.begin(), seen.begin() + count, free) != seen.begin() + count)
        continue;
      seen[count++] = static_cast<std::int16_t>(free);
      const auto points = points_of(leaf, task, before, after, 0, free);
      if (!points) return gradient_candidate(host, task, mix).gpus;
      if (*points > best.score) best = {.score = *points, .gpus = static_cast<gpu_set>(1U << gpu)};
    }
    return best.gpus;
  }

 private:
  using gpu_state = std::array<std::int16_t, gpu_node::most_gpus + 1>;
  struct state_hash {
    std::size_t operator()(const gpu_state& state) const {
      std::uint64_t hash = 0;
      for (const std::int16_t part : state) hash = mixed(hash ^ static_cast<std::uint16_t>(part));
      return static_cast<std::size_t>(hash);
    }
  };
  struct alignas(16) score_of_state {
    std::uint64_t state = ~std::uint64_t{0};  // and the kinds of task before
    std::uint64_t task = 0;  // the kinds of task after, what is asked of the GPUs, and the score
  };
  static constexpr std::uint64_t points_mask = 0xff;
  /// A score that was found for the request at hand; any number from it up to `least` if below.
  struct points_of_state {
    std::uint64_t state = ~std::uint64_t{0};  // and the kinds of task before
    std::uint32_t request = 0;
    std::uint32_t after = 0;  // the kinds of task after
    double points = 0;
    double least = 0;
    [[nodiscard]] bool is_of(std::uint32_t its, std::uint64_t before, std::size_t its_after) const {
      return request == its && state == before && after == its_after;
    }
  };
  struct waste_of_state {
    std::uint64_t state = ~std::uint64_t{0};  // and the kinds of task that its cores suffice for
    double thousandths = 0;
  };

  static constexpr std::size_t not_known = ~std::size_t{0};

  struct useful_of_node {
    std::int32_t state = node_box::several;
    std::uint32_t amounts = 0;  // of cores that tasks ask for, and that were there
    double thousandths = 0;
    std::size_t least_amounts = not_known;  // of cores with which it is as useful
  };
  struct amounts_of_node {
    std::int64_t cores = -1;  // that were there
    std::size_t amounts = 0;
  };

  /// amounts_in the cores of a node, which are asked for again and again until it changes.
  std::size_t amounts_in_node(const node_box& leaf) {
    amounts_of_node& place = amounts_before_[leaf.first];
    if (place.cores != leaf.most_cores)
      place = {leaf.most_cores, table_.amounts_in(leaf.most_cores)};
    return place.amounts;
  }

  /// The score by the table; empty where there is none, or roundings decide.
  std::optional<double> points_of(const node_box& box, const gpu_task& task, std::size_t before,
                                  std::size_t after, double least,
                                  int piece = mix_table::any_piece) {
    if (!table_.exists()) return {};
    const int type = std::countr_zero(box.types);
    if (task.gpus == 0 && (before == after || box.pieces[0] == 0)) return gradient_points(0);
    useful_of_node& place = useful_before_[box.first];
    if (place.state != box.state || place.amounts != before)
      place = {.state = box.state,
               .amounts = static_cast<std::uint32_t>(before),
               .thousandths = table_.useful(box.pieces, type, before)};
    if (task.gpus == 0) {  // a fall of 0 is on an edge between points
      if (place.least_amounts == not_known)
        place.least_amounts = table_.least_amounts(box.pieces, type, before);
      if (after >= place.least_amounts) return gradient_points(0);
    }
    const double other = task.total_gpu_thousandths() - place.thousandths;
    int most = 0;
    const auto may_reach = [&](double useful) {
      most = points_at(other + useful + table_.margin());
      return most >= least;
    };
    const auto [low, high] = table_.bounds_after(box.pieces, type, after, task, may_reach, piece);
    if (!may_reach(high) || most == points_at(other + low - table_.margin())) return most;
    if (low == high) return {};
    const double fall = other + table_.useful_after(box.pieces, type, after, task, piece);
    most = points_at(fall + table_.margin());
    if (most == points_at(fall - table_.margin())) return most;
    return {};
  }

  /// As gradient_points, from a table where no edge is near.
  [[nodiscard]] int points_at(double fall) const {
    const auto below = static_cast<int>(std::floor(fall));
    const int at = below + most_fall;
    if (at >= 0 && at + 1 < static_cast<int>(points_.size())) {
      const auto place = static_cast<std::size_t>(at);
      if (points_[place] == points_[place + 1]) return points_[place];
    }
    return static_cast<int>(gradient_points(fall));
  }

  /// The score of few kinds and states, found where it was kept in less time than it takes to make
  /// it: one word holds all that it depends on, and the score.
  ///
  ///     state 25 bits, kinds before 9 and after 9, GPUs 4, thousandths of each 10, points 7
  double kept_in_word(const node_box& box, const gpu_node& host, const gpu_task& task,
                      const task_mix& mix, std::size_t before, std::size_t after) {
    const std::uint64_t wanted =
        ((static_cast<std::uint64_t>(box.state) << 9 | before) << 9 | after) << 14 |
        request_of(task);
    std::uint64_t& place = words_[mixed(wanted) & (words_.size() - 1)];
    if (place >> points_bits != wanted) {
      const auto points = points_of(box, task, before, after, 0);
      place = wanted << points_bits |
              (points ? static_cast<std::uint64_t>(*points)
                      : exact_points(box, host, task, mix, state_before(box, before)));
    }
    return static_cast<double>(place & ((1U << points_bits) - 1));
  }

  static std::uint64_t state_before(const node_box& box, std::size_t before) {
    return static_cast<std::uint64_t>(box.state) << 32 | before;
  }
  /// What is asked of GPUs: 4 bits and 10.
  static std::uint64_t request_of(const gpu_task& task) {
    const int thousandths = task.gpus == 0 ? 0 : task.gpu_thousandths;
    return static_cast<std::uint64_t>(task.gpus) << 10 | static_cast<std::uint64_t>(thousandths);
  }

  /// The score by the expected fragmentation itself, a whole number from 0 to 100.
  std::uint64_t exact_points(const node_box& box, const gpu_node& host, const gpu_task& task,
                             const task_mix& mix, std::uint64_t state) {
    gpu_node roomy = host;
    roomy.free_core_thousandths = box.most_cores;
    roomy.free_memory = task.memory;
    const double points =
        gradient_candidate(roomy, task, mix, waste_before(state, roomy, mix)).score;
    return static_cast<std::uint64_t>(points);
  }

  double waste_before(std::uint64_t state, const gpu_node& host, const task_mix& mix) {
    waste_of_state& place = kept_before_[mixed(state) & (kept_before_.size() - 1)];
    if (place.state != state) place = {state, expected_fragmentation(host, mix)};
    return place.thousandths;
  }

  /// The finalizer of splitmix64.
  static std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }

  static std::size_t places_for(std::size_t nodes) {
    return std::clamp(std::bit_ceil(16 * nodes), std::size_t{1} << 10, std::size_t{1} << 20);
  }

  static constexpr int points_bits = 7;
  static constexpr std::size_t few_kinds = 512;                    // 9 bits
  static constexpr std::size_t few_states = std::size_t{1} << 24;  // 25 bits, with room
  static constexpr std::uint64_t no_word = ~std::uint64_t{0};      // no state is so large

  std::size_t most_states_;
  static constexpr int most_fall = 4000;  // of the table of points
  std::array<std::uint8_t, 2 * most_fall + 1> points_{};
  mix_table table_;
  std::vector<useful_of_node> useful_before_;    // by position
  std::vector<amounts_of_node> amounts_before_;  // by position
  std::vector<score_of_state> kept_;             // or, of few kinds and states,
  std::vector<std::uint64_t> words_;
  std::array<points_of_state, 256> found_{};  // for one request: many nodes are alike
  gpu_task asked_{};
  std::uint32_t request_ = 1;  // the number of that request
  std::vector<waste_of_state> kept_before_;
  std::unordered_map<gpu_state, int, state_hash> states_{};
};

}  // namespace gpuplan::detail
