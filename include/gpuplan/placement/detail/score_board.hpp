#pragma once
/// \file
/// What each node scores for each request that comes again, in whole points, a byte each.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include <gpuplan/placement/detail/request_hash.hpp>
#include <gpuplan/placement/gpu_task.hpp>

namespace gpuplan::detail {

/// Requests are columns, nodes are rows, and above each 16 rows there is one of their largest
/// values, up to a single row. A node that changes is scored anew for all columns, side by side in
/// memory, and so are the largest values above it; then the best node of a request is found by a
/// look at 16 bytes on each level. A request gets a column once searches of a tree have cost as
/// much as it takes to score all nodes, and more than to score those that changed since. It loses
/// the column when so many nodes changed since it came last that a search would have been cheaper.
class score_board {
 public:
  static constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();

  score_board() = default;
  /// With room for so many values at most: a byte each, and a fifteenth more.
  explicit score_board(std::size_t nodes, std::size_t most_values = std::size_t{1} << 27)
      : nodes_{nodes},
        most_columns_{nodes == 0 ? 0 : (std::min)(most_width, most_values / nodes / line * line)},
        most_idle_{(std::min)(nodes / 2 + 32, search_in_values)} {}

  /// The node is another now. `value(position, task)`: 0 where the node cannot host the task, the
  /// more the better it does, up to 255.
  template <class Value>
  void note_change(std::size_t position, const Value& value) {
    ++changes_;
    if (used_ == 0) return;
    if (changes_ % sweep == 0) drop_idle();
    std::uint8_t* row = levels_.front().data() + position * width_;
    for (std::size_t column = 0; column < columns_.size(); ++column)
      if (columns_[column].in_use) row[column] = value(position, columns_[column].task);
    for (std::size_t level = 1; level < levels_.size(); ++level) {
      position /= fan;
      if (!raise(level, position)) return;
    }
  }

  /// The position of the largest value, of equal ones the least; `nowhere` if all are 0; empty if
  /// the request has no column.
  template <class Value>
  std::optional<std::size_t> best(const gpu_task& task, const Value& value) {
    const auto found = requests_.find(task);
    if (found == requests_.end()) return {};
    request& asked = found->second;
    if (asked.column == none) {
      if (!pays(asked)) return {};
      give_column(asked, task, value);
    }
    columns_[asked.column].latest = changes_;
    return best_of(asked.column);
  }

  /// Counts a search of the tree for a request without a column, by the boxes that it looked at.
  void count_search(const gpu_task& task, std::size_t visits) {
    if (requests_.size() >= most_requests && !requests_.contains(task))
      std::erase_if(requests_, [](const auto& each) { return each.second.column == none; });
    request& asked = requests_.try_emplace(task, request{.from = changes_}).first->second;
    asked.visits += visits;
    if (asked.visits >= enough() && !pays(asked)) asked = {.from = changes_};
  }

  /// How many requests have a column.
  [[nodiscard]] std::size_t kept() const { return used_; }

 private:
  static constexpr std::size_t fan = 16;          // rows below each
  static constexpr std::size_t lane = 16;         // columns that are looked at together
  static constexpr std::size_t line = 64;         // columns that are added together
  static constexpr std::size_t most_width = 512;  // columns
  static constexpr std::size_t most_requests = 4096;
  static constexpr std::uint64_t sweep = 1024;       // changes between two looks for idle columns
  static constexpr std::size_t values_of_visit = 4;  // what a visit of a box costs
  static constexpr std::size_t search_in_values = 8192;  // what a search costs at most, about
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  struct request {
    std::uint64_t from = 0;  // changes before its searches were counted
    std::size_t visits = 0;
    std::size_t column = none;
  };
  struct column_of_request {
    gpu_task task{};
    std::uint64_t latest = 0;  // changes before it came last
    bool in_use = false;
  };
  using values = std::vector<std::uint8_t>;

  [[nodiscard]] std::size_t enough() const { return nodes_ / values_of_visit; }
  [[nodiscard]] bool pays(const request& asked) const {
    return asked.visits >= enough() && used_ < most_columns_ &&
           asked.visits * values_of_visit > changes_ - asked.from;
  }

  template <class Value>
  void give_column(request& asked, const gpu_task& task, const Value& value) {
    std::size_t column = 0;
    while (column < columns_.size() && columns_[column].in_use) ++column;
    if (column == columns_.size()) columns_.emplace_back();
    if (columns_.size() > width_) widen();
    columns_[column] = {.task = task, .latest = changes_, .in_use = true};
    asked.column = column;
    ++used_;
    values& leaves = levels_.front();
    for (std::size_t position = 0; position < nodes_; ++position)
      leaves[position * width_ + column] = value(position, task);
    for (std::size_t level = 1; level < levels_.size(); ++level) {
      values& above = levels_[level];
      for (std::size_t at = 0; at < above.size() / width_; ++at) {
        std::uint8_t most = 0;
        if (at * fan * width_ < levels_[level - 1].size())
          for (std::size_t child = at * fan; child < (at + 1) * fan; ++child)
            most = (std::max)(most, levels_[level - 1][child * width_ + column]);
        above[at * width_ + column] = most;
      }
    }
  }

  /// Makes room for more columns. Rows are in whole groups, those without a node all 0.
  void widen() {
    const std::size_t wider = (std::min)((std::max)(line, 2 * width_), most_columns_);
    std::vector<values> levels;
    for (std::size_t rows = nodes_;; rows = (rows + fan - 1) / fan) {
      const std::size_t padded = rows == 1 ? 1 : (rows + fan - 1) / fan * fan;
      values wide(padded * wider);
      if (!levels_.empty())
        for (std::size_t row = 0; row < padded; ++row)
          std::copy_n(levels_[levels.size()].data() + row * width_, width_,
                      wide.data() + row * wider);
      levels.push_back(std::move(wide));
      if (rows == 1) break;
    }
    levels_ = std::move(levels);
    width_ = wider;
  }

  /// Sets a row to the largest values of those below; whether it changed.
  bool raise(std::size_t level, std::size_t at) {
    const std::uint8_t* below = levels_[level - 1].data() + at * fan * width_;
    std::uint8_t* row = levels_[level].data() + at * width_;
    bool changed = false;
    for (std::size_t first = 0; first < columns_.size(); first += lane) {
      std::array<std::uint8_t, lane> most{};  // in one register, whatever the compiler
      for (std::size_t child = 0; child < fan; ++child) {
        const std::uint8_t* from = below + child * width_ + first;
        for (std::size_t i = 0; i < lane; ++i) most[i] = most[i] > from[i] ? most[i] : from[i];
      }
      if (std::equal(most.begin(), most.end(), row + first)) continue;
      std::copy(most.begin(), most.end(), row + first);
      changed = true;
    }
    return changed;
  }

  [[nodiscard]] std::size_t best_of(std::size_t column) const {
    const std::uint8_t most = levels_.back()[column];
    if (most == 0) return nowhere;
    std::size_t at = 0;
    for (std::size_t level = levels_.size() - 1; level > 0; --level) {
      at *= fan;
      while (levels_[level - 1][at * width_ + column] != most) ++at;
    }
    return at;
  }

  /// Takes the columns of requests that have not come for long.
  void drop_idle() {
    for (column_of_request& each : columns_) {
      if (!each.in_use || changes_ - each.latest <= most_idle_) continue;
      each.in_use = false;
      --used_;
      requests_.erase(each.task);
    }
  }

  std::size_t nodes_ = 0;
  std::size_t most_columns_ = 0;
  std::uint64_t most_idle_ = 0;  // changes
  std::uint64_t changes_ = 0;
  std::size_t used_ = 0;   // columns in use
  std::size_t width_ = 0;  // of a row: columns there is room for
  std::vector<column_of_request> columns_{};
  std::vector<values> levels_{};  // the first of nodes, the last one row
  std::unordered_map<gpu_task, request, request_hash> requests_{};
};

}  // namespace gpuplan::detail
