#pragma once
/// \file
/// The amounts of cores that the tasks of a mix ask for, and how many of them a node has free.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gpuplan::detail {

/// Amounts of cores, in thousandths, each once. A look-up takes about the same time whatever their
/// number: their range is cut into equal parts, and the first amount of each is kept.
class core_amounts {
 public:
  /// The amounts in any order.
  explicit core_amounts(std::vector<std::int64_t> amounts) : amounts_(std::move(amounts)) {
    std::sort(amounts_.begin(), amounts_.end());
    amounts_.erase(std::unique(amounts_.begin(), amounts_.end()), amounts_.end());
    cut_range();
  }

  [[nodiscard]] std::size_t size() const { return amounts_.size(); }

  /// How many of the amounts are no more than that.
  [[nodiscard]] std::size_t within(std::int64_t core_thousandths) const {
    if (core_thousandths < 0 || amounts_.empty()) return 0;
    const auto bin = static_cast<std::size_t>(core_thousandths >> bin_bits_);
    if (bin + 1 >= bins_.size()) return amounts_.size();
    if (bin_bits_ == 0) return bins_[bin + 1];
    const auto from = amounts_.begin() + bins_[bin];
    return static_cast<std::size_t>(
        std::upper_bound(from, amounts_.begin() + bins_[bin + 1], core_thousandths) -
        amounts_.begin());
  }

  /// The largest of the first so many; 0 of none.
  [[nodiscard]] std::int64_t largest_of(std::size_t first) const {
    return first == 0 ? 0 : amounts_[first - 1];
  }

 private:
  static constexpr std::size_t most_bins = std::size_t{1} << 17;  // a thousandth each, to 131 cores

  void cut_range() {
    if (amounts_.empty()) return;
    while ((amounts_.back() >> bin_bits_) >= static_cast<std::int64_t>(most_bins)) ++bin_bits_;
    const auto bins = static_cast<std::size_t>(amounts_.back() >> bin_bits_) + 1;
    bins_.reserve(bins + 1);
    std::uint32_t below = 0;
    for (std::size_t bin = 0; bin <= bins; ++bin) {
      const auto from = static_cast<std::int64_t>(bin) << bin_bits_;
      while (below < amounts_.size() && amounts_[below] < from) ++below;
      bins_.push_back(below);
    }
  }

  std::vector<std::int64_t> amounts_;  // rising
  int bin_bits_ = 0;                   // a part has 2^bin_bits_ thousandths
  std::vector<std::uint32_t> bins_{};  // the first amount in each part
};

}  // namespace gpuplan::detail
