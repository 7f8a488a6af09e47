#pragma once
/// \file
/// Median, 90th percentile and worst of relative errors; correlation of ranks.

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
  [[nodiscard]] double mean() const {
    double sum = 0;
    for (const double error : sorted_) sum += error;
    return sorted_.empty() ? 0 : sum / static_cast<double>(sorted_.size());
  }

 private:
  std::vector<double> sorted_;
};

/// The middle one of some values of either sign, or the mean of the two in the middle; 0 if there
/// are none.
inline double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n == 0 ? 0 : (values[(n - 1) / 2] + values[n / 2]) / 2;
}

/// The place of each value when they are sorted, from 0; equal values share the mean of theirs.
inline std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<double> ranks;
  for (const double value : values) {
    double below = 0;
    double equal = 0;
    for (const double other : values) {
      below += other < value ? 1 : 0;
      equal += other == value ? 1 : 0;
    }
    ranks.push_back(below + (equal - 1) / 2);
  }
  return ranks;
}

/// Spearman's correlation of ranks: 1 where both order things alike; 0 where either is constant.
///
/// Source: C. Spearman, "The Proof and Measurement of Association between Two Things", Am. J.
/// Psychol. 15 (1904) 72-101.
inline double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranks_of(a);
  const std::vector<double> y = ranks_of(b);
  const double mean = (static_cast<double>(x.size()) - 1) / 2;
  double xy = 0;
  double xx = 0;
  double yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

/// |predicted / measured - 1|.
inline double relative_error(double predicted, double measured) {
  return std::abs(predicted / measured - 1);
}

}  // namespace gpuplan::accuracy
