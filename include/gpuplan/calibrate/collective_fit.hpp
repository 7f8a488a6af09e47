#pragma once
/// \file
/// Fits the three constants of a collective to measured times of messages.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include <Eigen/Core>

#include <gpuplan/calibrate/fit_quality.hpp>
#include <gpuplan/calibrate/relative_least_squares.hpp>
#include <gpuplan/calibrate/transfer_curve.hpp>
#include <gpuplan/comm/pipelined_link.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What of the model is fitted.
enum class collective_form : unsigned char {
  alpha_beta,  ///< t0 + m / B
  pipelined    ///< t0 + 2 sqrt(f m / B) + m / B
};

/// A fitted curve, how well it fits, and how sure its numbers are.
struct collective_fit {
  pipelined_link link{};
  fit_quality quality{};
  bytes least{};  ///< messages from here
  bytes most{};   ///< to here were measured
  fit_interval<seconds> latency_bounds{};
  fit_interval<seconds> fill_bounds{};  ///< 0 to 0 for alpha_beta
  fit_interval<bytes_per_second> bandwidth_bounds{};
};

/// Fits the curve of a collective, or a link, to measured times: least squares of relative errors,
/// no number negative, and robust, so that a few wrong rows of a log do not bend it.
///
///     min sum w_i (said_i / measured_i - 1)^2,    w_i of Huber, made anew until they stay
///
/// Needs two different messages for alpha_beta, three for pipelined, and one sample more for
/// intervals. Where the samples say nothing of the rate (all times alike, or falling) the bandwidth
/// is a million times that of the largest message, so that it adds nothing that could be seen, and
/// fault_of says so.
///
/// Source: P. J. Huber, "Robust Estimation of a Location Parameter", Annals of Mathematical
/// Statistics 35 (1964) 73-101; C. Lawson and R. Hanson, "Solving Least Squares Problems" (1974).
///
/// \throws invalid_input if there are too few different messages, or one is not > 0 and finite
inline collective_fit fit_collective(std::span<const transfer_sample> samples,
                                     collective_form form = collective_form::pipelined) {
  const Eigen::Index numbers = form == collective_form::pipelined ? 3 : 2;
  require(static_cast<Eigen::Index>(sizes_of(samples)) >= numbers,
          "fit_collective: samples must be of as many messages as there are numbers to fit");
  for (const transfer_sample& sample : samples) require_valid(sample);
  // Columns: 1, m, sqrt(m).
  Eigen::MatrixXd terms(static_cast<Eigen::Index>(samples.size()), numbers);
  Eigen::VectorXd times(terms.rows());
  for (Eigen::Index i = 0; i < times.size(); ++i) {
    const transfer_sample& sample = samples[static_cast<std::size_t>(i)];
    const double m = sample.message.in_base_units();
    times(i) = sample.time.in_base_units();
    terms(i, 0) = 1;
    terms(i, 1) = m;
    if (numbers == 3) terms(i, 2) = std::sqrt(m);
  }
  const relative_solution solved = relative_least_squares(terms, times, row_weights::huber);

  collective_fit fit;
  const auto [least, most] =
      std::minmax_element(samples.begin(), samples.end(),
                          [](const auto& a, const auto& b) { return a.message < b.message; });
  fit.least = least->message;
  fit.most = most->message;
  fit.quality = solved.quality;
  const double a_byte = solved.x(1);
  fit.link.latency = seconds{solved.x(0)};
  fit.link.bandwidth =
      a_byte > 0 ? bytes_per_second{1 / a_byte} : 1e6 * (most->message / most->time);
  const fit_interval<double> latency = solved.interval(0);
  fit.latency_bounds = {seconds{latency.low}, seconds{latency.high}};
  const fit_interval<double> bandwidth = inverse_of(solved.interval(1));
  fit.bandwidth_bounds = {bytes_per_second{bandwidth.low}, bytes_per_second{bandwidth.high}};
  if (numbers == 2) {
    fit.fill_bounds.high = seconds{0};
  } else if (const double c = solved.x(2); a_byte > 0) {
    // c sqrt(m) = 2 sqrt(f m / B); the root of f is nearer to normal than f.
    fit.link.fill = seconds{c * c / 4 / a_byte};
    const double slope = 1 / (2 * std::sqrt(a_byte));
    const fit_interval<double> root =
        solved.interval(c * slope, Eigen::Vector3d{0, -c * slope / (2 * a_byte), slope});
    fit.fill_bounds = {seconds{root.low * root.low}, seconds{root.high * root.high}};
  } else {
    fit.link.fill = seconds{c * c / 4 * fit.link.bandwidth.in_base_units()};
  }
  return fit;
}

/// Why the constants of a fitted curve are not to be used.
enum class curve_fault {
  none,
  flat,  ///< times grow too little with the message to tell a rate
  poor   ///< it misses the measured times
};

/// Of the largest message's time the rate accounts for this share, or it was not measured.
inline constexpr double least_transfer_share = 0.1;
/// A curve is poor that is off by more in the median. Fits to public sweeps of collectives, whose
/// protocols change with the size, are off by up to 0.5 (tests/vectors/measured_collectives_test).
inline constexpr double most_curve_error = 0.5;
/// Or if one time in ten is off by more: it takes ten times what the curve says, or about half.
/// Public sweeps, one of a busy network among them, stay below 0.87.
inline constexpr double most_p90_error = 0.9;

/// Why a fit tells no rate: none, or the first of what curve_fault lists.
inline curve_fault fault_of(const collective_fit& fit) {
  const collective_time longest = pipelined_time(fit.link, fit.most);
  if (!(longest.transfer >= least_transfer_share * longest.total())) return curve_fault::flat;
  const bool fits = fit.quality.median <= most_curve_error && fit.quality.p90 <= most_p90_error;
  return fits ? curve_fault::none : curve_fault::poor;
}

}  // namespace gpuplan
