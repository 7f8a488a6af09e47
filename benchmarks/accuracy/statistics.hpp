#pragma once
/// \file
/// Median, 90th percentile and worst of relative errors.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace gpuplan::accuracy {

/// Errors of a group, each >= 0.
class errors {
 public:
  void add(double error) {
    sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), error), error);
  }
  [[nodiscard]] std::size_t count() const { return sorted_.size(); }
  [[nodiscard]] bool empty() const { return sorted_.empty(); }

  /// The middle one, or the mean of the two in the middle; 0 if there are none.
  [[nodiscard]] double median() const {
    const std::size_t n = sorted_.size();
    return n == 0 ? 0 : (sorted_[(n - 1) / 2] + sorted_[n / 2]) / 2;
  }
  /// Nine tenths of the way from the least to the worst, between two of them where it falls there
  /// (as numpy.percentile); 0 if there are none.
  [[nodiscard]] double p90() const {
    if (sorted_.empty()) return 0;
    const double place = 0.9 * static_cast<double>(sorted_.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = (std::min)(below + 1, sorted_.size() - 1);
    return sorted_[below] + (place - std::floor(place)) * (sorted_[above] - sorted_[below]);
  }
  [[nodiscard]] double worst() const { return sorted_.empty() ? 0 : sorted_.back(); }

 private:
  std::vector<double> sorted_;
};

/// |predicted / measured - 1|.
inline double relative_error(double predicted, double measured) {
  return std::abs(predicted / measured - 1);
}

}  // namespace gpuplan::accuracy
