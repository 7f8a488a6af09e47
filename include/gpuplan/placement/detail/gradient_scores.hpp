#pragma once
/// \file
/// Scores of the fragmentation gradient, kept by what they depend on.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include <gpuplan/placement/detail/node_box.hpp>
#include <gpuplan/placement/expected_fragmentation.hpp>
#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/gpu_task.hpp>
#include <gpuplan/placement/placer_policy.hpp>

namespace gpuplan::detail {

/// The score of a node depends on the type and the free parts of its GPUs, whatever their order,
/// and on how many kinds of task its cores suffice for, before and after. Many nodes are alike in
/// these. Scores are kept in a table of one place for each remainder of a hash, so its memory is
/// bounded; one that another has driven out is made anew. A search waits for the memory of this
/// table, so an entry is 16 bytes and lies in one cache line. The expected fragmentation before
/// does not depend on the task and has a table of its own.
class gradient_scores {
 public:
  gradient_scores(const task_mix& mix, std::size_t nodes)
      : most_states_{8 * nodes + 4096},
        kept_(std::clamp(std::bit_ceil(16 * nodes), std::size_t{1} << 10, std::size_t{1} << 20)),
        kept_before_(kept_.size() / 4) {
    for (const task_mix::demand& demand : mix.demands())
      for (const auto& step : demand.steps) cores_.push_back(step.core_thousandths);
    std::sort(cores_.begin(), cores_.end());
    cores_.erase(std::unique(cores_.begin(), cores_.end()), cores_.end());
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
    std::fill(kept_.begin(), kept_.end(), score_of_state{});
    std::fill(kept_before_.begin(), kept_before_.end(), waste_of_state{});
  }

  /// The score of all nodes of a box that can host the task; empty where it is not one. `host` is
  /// one of these nodes.
  std::optional<double> score_of(const node_box& box, const gpu_node& host, const gpu_task& task,
                                 const task_mix& mix) {
    if (box.state == node_box::several) return {};
    const std::int64_t least = (std::max)(box.least_cores, task.core_thousandths);
    const std::size_t before = kinds_with(box.most_cores);
    const std::size_t after = kinds_with(box.most_cores - task.core_thousandths);
    if (least != box.most_cores &&
        (kinds_with(least) != before || kinds_with(least - task.core_thousandths) != after))
      return {};
    const std::uint64_t state = (static_cast<std::uint64_t>(box.state) << 32) | before;
    const auto request = static_cast<std::uint64_t>(task.gpus * (whole_gpu + 1) +
                                                    (task.gpus == 0 ? 0 : task.gpu_thousandths));
    const std::uint64_t wanted = (static_cast<std::uint64_t>(after) << 32) | (request << 8);
    score_of_state& place = kept_[mixed(state ^ mixed(wanted)) & (kept_.size() - 1)];
    if (place.state != state || (place.task & ~points_mask) != wanted) {
      gpu_node roomy = host;
      roomy.free_core_thousandths = box.most_cores;
      roomy.free_memory = task.memory;
      const placement_candidate found =
          gradient_candidate(roomy, task, mix, waste_before(state, roomy, mix));
      if (!found.feasible()) return found.score;
      place = {state, wanted | static_cast<std::uint64_t>(found.score)};  // whole points, 0 .. 100
    }
    return static_cast<double>(place.task & points_mask);
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
  struct waste_of_state {
    std::uint64_t state = ~std::uint64_t{0};  // and the kinds of task that its cores suffice for
    double thousandths = 0;
  };

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

  /// How many of the amounts of cores that tasks of the mix ask for are there.
  [[nodiscard]] std::size_t kinds_with(std::int64_t core_thousandths) const {
    return static_cast<std::size_t>(
        std::upper_bound(cores_.begin(), cores_.end(), core_thousandths) - cores_.begin());
  }

  std::size_t most_states_;
  std::vector<score_of_state> kept_;
  std::vector<waste_of_state> kept_before_;
  std::vector<std::int64_t> cores_{};  // that tasks of the mix ask for, rising
  std::unordered_map<gpu_state, int, state_hash> states_{};
};

}  // namespace gpuplan::detail
