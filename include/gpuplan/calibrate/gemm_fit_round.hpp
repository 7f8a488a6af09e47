#pragma once
/// \file
/// Measured products, and one round of their fit: a linear one, once it is known which of them are
/// bound by memory.

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <gpuplan/calibrate/relative_least_squares.hpp>
#include <gpuplan/compute/gemm.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// How long a product took.
struct product_sample {
  matrix_product product{};  ///< each size >= 1
  product_formats in{};
  seconds time{};  ///< > 0
};

/// \throws invalid_input if a size is not >= 1, or the time is not > 0 and finite
constexpr void require_valid(const product_sample& sample) {
  require(sample.product.rows >= 1 && sample.product.columns >= 1 && sample.product.depth >= 1 &&
              sample.product.count >= 1,
          "product_sample.product must be >= 1 in every size");
  require(sample.time > seconds{0} && sample.time < seconds{1e300},
          "product_sample.time must be > 0 s and finite");
}

namespace detail {

/// What the time of a product is linear in.
struct product_terms {
  double work = 0;   ///< FLOP of its waves, full tiles of all multiprocessors
  double waves = 0;  ///< count
  double moved = 0;  ///< B
};

inline product_terms terms_of(const product_sample& sample, int multiprocessors) {
  const product_tiling tiles = product_tiles(sample.product, multiprocessors);
  return {2 * tiles.area() * sample.product.depth * multiprocessors, tiles.waves,
          product_bytes(sample.product, sample.in).in_base_units()};
}

/// One round: products that are bound by memory tell the bandwidth, the others rate and turnover.
struct gemm_round {
  std::vector<bool> by_memory{};
  relative_solution solved{};
  Eigen::Index work_column = -1;  ///< waves are the next; -1: not fitted
  Eigen::Index moved_column = -1;

  [[nodiscard]] double value(Eigen::Index column) const {
    return column < 0 ? 0 : solved.x(column);
  }
};

inline gemm_round solve_products(const std::vector<product_terms>& terms,
                                 const Eigen::VectorXd& times, std::vector<bool> by_memory) {
  gemm_round round;
  const auto count = static_cast<std::size_t>(std::count(by_memory.begin(), by_memory.end(), true));
  Eigen::Index columns = 0;
  if (count < terms.size()) columns = 2 + (round.work_column = 0);
  if (count > 0) round.moved_column = columns++;
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(times.size(), columns);
  for (Eigen::Index i = 0; i < times.size(); ++i) {
    const product_terms& of = terms[static_cast<std::size_t>(i)];
    if (by_memory[static_cast<std::size_t>(i)]) {
      matrix(i, round.moved_column) = of.moved;
    } else {
      matrix(i, round.work_column) = of.work;
      matrix(i, round.work_column + 1) = of.waves;
    }
  }
  round.solved = relative_least_squares(matrix, times, row_weights::huber);
  round.by_memory = std::move(by_memory);
  return round;
}

}  // namespace detail

}  // namespace gpuplan
