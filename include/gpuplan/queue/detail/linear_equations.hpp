#pragma once
/// \file
/// Small systems of linear equations, as those of the states of a queue.

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include <gpuplan/require.hpp>

namespace gpuplan::detail {

/// Linear equations: a square of numbers by rows, with the right side as one more column.
class linear_equations {
 public:
  explicit linear_equations(int size)
      : size_{static_cast<std::size_t>(size)}, cells_(size_ * (size_ + 1), 0.0) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] double& at(std::size_t row, std::size_t column) {
    return cells_[row * (size_ + 1) + column];
  }
  [[nodiscard]] double& right(std::size_t row) { return at(row, size_); }

  /// The unknowns, by elimination with the largest pivot of each column.
  ///
  /// \throws invalid_input with these words if the equations have no one solution
  [[nodiscard]] std::vector<double> solve(const char* refused) {
    for (std::size_t p = 0; p < size_; ++p) {
      std::size_t best = p;
      for (std::size_t row = p + 1; row < size_; ++row)
        if (std::abs(at(row, p)) > std::abs(at(best, p))) best = row;
      require(at(best, p) != 0, refused);
      if (best != p)
        for (std::size_t column = p; column <= size_; ++column)
          std::swap(at(best, column), at(p, column));
      for (std::size_t row = p + 1; row < size_; ++row) {
        const double factor = at(row, p) / at(p, p);
        if (factor == 0) continue;
        for (std::size_t column = p; column <= size_; ++column)
          at(row, column) -= factor * at(p, column);
      }
    }
    std::vector<double> unknowns(size_);
    for (std::size_t row = size_; row-- > 0;) {
      double rest = right(row);
      for (std::size_t column = row + 1; column < size_; ++column)
        rest -= at(row, column) * unknowns[column];
      unknowns[row] = rest / at(row, row);
    }
    return unknowns;
  }

 private:
  std::size_t size_;
  std::vector<double> cells_;
};

}  // namespace gpuplan::detail
