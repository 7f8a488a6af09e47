#pragma once
/// \file
/// Fits the time of matrix products (GEMM) of a device to measured times of many shapes.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <gpuplan/calibrate/fit_quality.hpp>
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
  double moved = 0;  ///< B
};

inline product_terms terms_of(const product_sample& sample, int multiprocessors) {
  const product_tiling tiles = product_tiles(sample.product, multiprocessors);
  return {2 * tiles.area() * (sample.product.depth + fill_depth) * multiprocessors,
          product_bytes(sample.product, sample.in).in_base_units()};
}

/// One round: products that are bound by memory tell the bandwidth, the others the rate, and all
/// the start.
struct gemm_round {
  std::vector<bool> by_memory{};
  relative_solution solved{};
  Eigen::Index start_column = 0;
  Eigen::Index work_column = -1;  ///< -1: not fitted
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
  if (count < terms.size()) round.work_column = columns++;
  round.start_column = columns++;
  if (count > 0) round.moved_column = columns++;
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(times.size(), columns);
  for (Eigen::Index i = 0; i < times.size(); ++i) {
    const product_terms& of = terms[static_cast<std::size_t>(i)];
    matrix(i, round.start_column) = 1;
    if (by_memory[static_cast<std::size_t>(i)]) {
      matrix(i, round.moved_column) = of.moved;
    } else {
      matrix(i, round.work_column) = of.work;
    }
  }
  round.solved = relative_least_squares(matrix, times, row_weights::huber);
  round.by_memory = std::move(by_memory);
  return round;
}

}  // namespace detail

/// The constants of product_time that come closest to measured products.
struct gemm_fit {
  flop_per_second rate{};        ///< of full waves
  seconds start{};               ///< of a product
  bytes_per_second bandwidth{};  ///< of operands and result; 0: less than two were bound by it
  int multiprocessors = 1;
  fit_quality quality{};
  flop least{};  ///< smallest product measured
  flop most{};
  std::size_t bound_by_memory = 0;  ///< samples
  fit_interval<flop_per_second> rate_bounds{};
  fit_interval<seconds> start_bounds{};
  fit_interval<bytes_per_second> bandwidth_bounds{};

  /// The product that reaches half of the rate.
  [[nodiscard]] constexpr flop half_size() const { return rate * start; }
  /// Time of a product by the fit.
  [[nodiscard]] constexpr seconds time(const matrix_product& p, const product_formats& in) const {
    const bytes_per_second infinite{std::numeric_limits<double>::infinity()};
    return product_time(p,
                        basic_matrix_unit<double>{
                            .rate = rate,
                            .bandwidth = bandwidth > bytes_per_second{0} ? bandwidth : infinite,
                            .streaming_multiprocessors = multiprocessors,
                            .start = start},
                        in);
  }
};

/// Fits product_time to measured products of one format.
///
///     t = t_0 + max(2 w M N (k + 128) S / R,  bytes / W)
///
/// or, as an efficiency over a peak P:  eff_max min(1, AI / ridge) waves, with eff_max = R / P,
/// ridge = R / W and the waves of product_tiles, the last of which may not be full.
///
///     R, t_0, W  rate, start, bandwidth of the fit       FLOP/s; s; B/s
///     S          multiprocessors                         count, >= 1
///
/// Least squares of relative errors with Huber's weights, no constant negative; which products are
/// bound by memory is asked anew with each fit until it stays; one alone could be anything, and
/// counts as bound by its waves. Products of kernels that split the sum come out as residuals.
///
/// Source: NVIDIA, "Matrix Multiplication Background User's Guide", DU-09798 (2023); S. Williams,
/// A. Waterman and D. Patterson, "Roofline: an insightful visual performance model for multicore
/// architectures", Communications of the ACM 52 (2009) 65-76.
///
/// \throws invalid_input if there is no sample, one is out of range, or multiprocessors < 1
inline gemm_fit fit_gemm(std::span<const product_sample> samples, int multiprocessors) {
  require(!samples.empty(), "fit_gemm: samples must be >= 1");
  require(multiprocessors >= 1, "fit_gemm: multiprocessors must be >= 1");
  gemm_fit fit{.multiprocessors = multiprocessors};
  std::vector<detail::product_terms> terms;
  Eigen::VectorXd times(static_cast<Eigen::Index>(samples.size()));
  double a_flop = std::numeric_limits<double>::infinity();  // s, at the best rate of any sample
  double a_byte = a_flop;
  fit.least = flop{a_flop};
  for (const product_sample& sample : samples) {
    require_valid(sample);
    const double t = sample.time.in_base_units();
    const flop size = product_flop(sample.product);
    times(static_cast<Eigen::Index>(terms.size())) = t;
    terms.push_back(detail::terms_of(sample, multiprocessors));
    a_flop = std::fmin(a_flop, t / terms.back().work);
    a_byte = std::fmin(a_byte, t / terms.back().moved);
    fit.least = size < fit.least ? size : fit.least;
    fit.most = larger(fit.most, size);
  }
  const auto bound_by_memory = [&] {
    std::vector<bool> by_memory;
    for (const detail::product_terms& of : terms)
      by_memory.push_back(of.moved * a_byte > of.work * a_flop);
    if (std::count(by_memory.begin(), by_memory.end(), true) < 2)
      by_memory.assign(by_memory.size(), false);
    return by_memory;
  };
  const double best = a_flop;
  detail::gemm_round round;
  constexpr int most_rounds = 30;
  for (int i = 0; i < most_rounds; ++i) {
    std::vector<bool> by_memory = bound_by_memory();
    if (i > 0 && by_memory == round.by_memory) break;
    round = detail::solve_products(terms, times, std::move(by_memory));
    const double work = round.value(round.work_column);
    a_flop = work > 0 ? work : best;
    if (const double moved = round.value(round.moved_column); moved > 0) a_byte = moved;
  }

  fit.bound_by_memory =
      static_cast<std::size_t>(std::count(round.by_memory.begin(), round.by_memory.end(), true));
  fit.quality = round.solved.quality;
  fit.rate = flop_per_second{1 / a_flop};
  fit.start = seconds{round.value(round.start_column)};
  const fit_interval<double> start = round.solved.interval(round.start_column);
  fit.start_bounds = {seconds{start.low}, seconds{start.high}};
  if (round.work_column >= 0) {
    const fit_interval<double> rate = inverse_of(round.solved.interval(round.work_column));
    fit.rate_bounds = {flop_per_second{rate.low}, flop_per_second{rate.high}};
  }
  if (round.moved_column >= 0) {
    fit.bandwidth = bytes_per_second{1 / a_byte};
    const fit_interval<double> rate = inverse_of(round.solved.interval(round.moved_column));
    fit.bandwidth_bounds = {bytes_per_second{rate.low}, bytes_per_second{rate.high}};
  }
  return fit;
}

}  // namespace gpuplan
