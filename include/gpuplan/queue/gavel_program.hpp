#pragma once
/// \file
/// A small linear program, solved exactly: what Gavel's policies are made of.

#include <cmath>
#include <cstddef>
#include <vector>

#include <gpuplan/require.hpp>

namespace gpuplan::detail {

/// Maximises c x where A x <= b, x >= 0 and b >= 0: the simplex method with Bland's rule, which
/// cannot go round in circles.
class linear_program {
 public:
  linear_program(std::size_t rows, std::size_t columns)
      : rows_{rows}, columns_{columns}, cells_((rows + 1) * (columns + rows + 1), 0.0) {
    for (std::size_t row = 0; row < rows; ++row) {
      at(row, columns + row) = 1;  // slack
      basis_.push_back(columns + row);
    }
  }

  /// A, by rows.
  [[nodiscard]] double& at(std::size_t row, std::size_t column) {
    return cells_[row * width() + column];
  }
  /// b
  [[nodiscard]] double& bound(std::size_t row) { return at(row, width() - 1); }
  /// c
  void maximise(std::size_t column, double weight) { at(rows_, column) = -weight; }

  /// x, best
  [[nodiscard]] std::vector<double> solve() {
    while (true) {
      std::size_t enter = 0;
      while (enter < width() - 1 && !(at(rows_, enter) < -1e-11)) ++enter;
      if (enter == width() - 1) break;
      std::size_t leave = rows_;
      for (std::size_t row = 0; row < rows_; ++row) {
        if (!(at(row, enter) > 1e-11)) continue;
        const double ratio = bound(row) / at(row, enter);
        const double least = leave == rows_ ? HUGE_VAL : bound(leave) / at(leave, enter);
        if (ratio < least || (ratio == least && basis_[row] < basis_[leave])) leave = row;
      }
      require(leave < rows_, "linear program: the objective must be bounded");
      pivot(leave, enter);
    }
    std::vector<double> x(columns_, 0.0);
    for (std::size_t row = 0; row < rows_; ++row)
      if (basis_[row] < columns_) x[basis_[row]] = bound(row);
    return x;
  }

 private:
  [[nodiscard]] std::size_t width() const { return columns_ + rows_ + 1; }

  void pivot(std::size_t leave, std::size_t enter) {
    const double by = at(leave, enter);
    for (std::size_t column = 0; column < width(); ++column) at(leave, column) /= by;
    for (std::size_t row = 0; row <= rows_; ++row) {
      const double factor = at(row, enter);
      if (row == leave || factor == 0) continue;
      for (std::size_t column = 0; column < width(); ++column)
        at(row, column) -= factor * at(leave, column);
    }
    basis_[leave] = enter;
  }

  std::size_t rows_;
  std::size_t columns_;
  std::vector<double> cells_;
  std::vector<std::size_t> basis_{};
};

}  // namespace gpuplan::detail
