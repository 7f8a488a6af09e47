#pragma once
/// \file
/// How far a speed of Pollux's model is from measured steps, and a speed to start a fit from.

#include <cmath>
#include <cstddef>
#include <span>

#include <Eigen/Core>

#include <gpuplan/calibrate/bounded_least_squares.hpp>
#include <gpuplan/calibrate/non_negative_least_squares.hpp>
#include <gpuplan/scaling/pollux.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A measured step.
struct pollux_measurement {
  pollux_placement placement{};
  seconds gradient{};   ///< forward and backward pass of one micro-batch, without a reduction; > 0
  seconds step_time{};  ///< of the whole step, accumulation included; > 0
};

namespace detail {

/// a_c, b_c, a_n, b_n, a_r, b_r, g as the fit counts them.
inline pollux_speed pollux_speed_of(const Eigen::VectorXd& x) {
  return {.compute_constant = seconds{x(0)},
          .compute_per_sample = seconds{x(1)},
          .network_constant = seconds{x(2)},
          .network_per_replica = seconds{x(3)},
          .node_constant = seconds{x(4)},
          .node_per_replica = seconds{x(5)},
          .overlap = x(6)};
}

/// The numbers that do not overlap, each least squares of relative errors on its own: of T_grad,
/// then of T_sync = (T_update^g - T_grad^g)^(1/g).
inline Eigen::VectorXd pollux_start(std::span<const pollux_measurement> steps, double overlap) {
  const auto count = static_cast<Eigen::Index>(steps.size());
  Eigen::VectorXd x = Eigen::VectorXd::Zero(7);
  Eigen::MatrixXd terms(count, 2);
  for (Eigen::Index i = 0; i < count; ++i) {
    const pollux_measurement& step = steps[static_cast<std::size_t>(i)];
    terms.row(i) << 1, step.placement.batch_per_replica;
    terms.row(i) /= step.gradient / seconds{1};
  }
  x.head(2) = non_negative_least_squares(terms, Eigen::VectorXd::Ones(count)).x;

  for (const bool networked : {true, false}) {
    terms.setZero();
    for (Eigen::Index i = 0; i < count; ++i) {
      const pollux_measurement& step = steps[static_cast<std::size_t>(i)];
      const double replicas = step.placement.replicas;
      if (replicas == 1 || (step.placement.nodes > 1) != networked) continue;
      const double update =
          (step.step_time - step.placement.accumulations * step.gradient) / step.gradient;
      const double reduction =
          update > 1 ? std::pow(std::pow(update, overlap) - 1, 1 / overlap) : 1e-3;
      terms.row(i) << 1, std::fmax(replicas - 2, 0);
      terms.row(i) /= reduction * (step.gradient / seconds{1});
    }
    Eigen::VectorXd seen(count);
    for (Eigen::Index i = 0; i < count; ++i) seen(i) = terms(i, 0) > 0 ? 1 : 0;
    x.segment(networked ? 2 : 4, 2) = non_negative_least_squares(terms, seen).x;
  }
  x(6) = overlap;
  return x;
}

/// What Pollux's program puts for no time at all, s.
constexpr double least_pollux_time = 1e-8;

/// The numbers of a parameter vector: times by their logarithms, so that no step of a fit makes one
/// negative; g as it is.
inline Eigen::VectorXd pollux_numbers(const Eigen::VectorXd& x) {
  Eigen::VectorXd numbers = x.array().exp();
  numbers(6) = x(6);
  return numbers;
}

/// Residuals of a parameter vector: first of ln T_grad, a row for each step, then of ln T, then the
/// roots of the three priors.
inline residuals pollux_errors(std::span<const pollux_measurement> steps,
                               const Eigen::VectorXd& x) {
  const Eigen::VectorXd of = pollux_numbers(x);
  const double g = of(6);
  const auto count = static_cast<Eigen::Index>(steps.size());
  residuals r{.value = Eigen::VectorXd::Zero(2 * count + 3),
              .change = Eigen::MatrixXd::Zero(2 * count + 3, 7)};
  for (Eigen::Index i = 0; i < count; ++i) {
    const pollux_measurement& step = steps[static_cast<std::size_t>(i)];
    const pollux_placement& on = step.placement;
    const double gradient = of(0) + of(1) * on.batch_per_replica;
    Eigen::RowVectorXd of_gradient = Eigen::RowVectorXd::Zero(7);  // d T_grad / d x
    of_gradient(0) = of(0);
    of_gradient(1) = of(1) * on.batch_per_replica;
    r.value(i) = std::log(gradient / (step.gradient / seconds{1}));
    r.change.row(i) = of_gradient / gradient;

    const Eigen::Index at = on.nodes > 1 ? 2 : 4;
    const double others = std::fmax(on.replicas - 2, 0);
    const double reduction = on.replicas > 1 ? of(at) + others * of(at + 1) : least_pollux_time;
    // (T_grad^g + T_sync^g)^(1/g), by ratios to the longer, so that nothing overflows
    const double longer = std::fmax(gradient, reduction);
    const double u = std::pow(gradient / longer, g);
    const double v = std::pow(reduction / longer, g);
    const double update = longer * std::pow(u + v, 1 / g);
    const double time = on.accumulations * gradient + update;
    Eigen::RowVectorXd of_time = (on.accumulations + update / gradient * u / (u + v)) * of_gradient;
    if (on.replicas > 1) {
      const double by_reduction = update / reduction * v / (u + v);
      of_time(at) += by_reduction * of(at);
      of_time(at + 1) += by_reduction * others * of(at + 1);
    }
    const auto times_log = [](double share) { return share > 0 ? share * std::log(share) : 0; };
    of_time(6) = update / (g * g) * ((times_log(u) + times_log(v)) / (u + v) - std::log(u + v));
    r.value(count + i) = std::log(time / (step.step_time / seconds{1}));
    r.change.row(count + i) = of_time / time;
  }
  r.value(2 * count) = std::sqrt(1e-3) * (g - 1);
  r.change(2 * count, 6) = std::sqrt(1e-3);
  for (const Eigen::Index at : {2, 4}) {
    const Eigen::Index row = 2 * count + at / 2;
    r.value(row) = 0.1 * of(at + 1) / of(at);
    r.change(row, at + 1) = r.value(row);
    r.change(row, at) = -r.value(row);
  }
  return r;
}

}  // namespace detail

}  // namespace gpuplan
