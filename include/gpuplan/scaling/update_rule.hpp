#pragma once
/// \file
/// What one step of an optimizer does to one parameter: gradient descent, momentum, RMSprop, Adam.

#include <cmath>

#include <gpuplan/require.hpp>

namespace gpuplan {

/// A parameter after a step of gradient descent.
///
///     theta - alpha g
///
///     theta  parameter        1, any
///     g      gradient         1, any
///     alpha  learning rate    1, >= 0
///
/// Holds: of one sample, of a batch and of the whole data, whichever g is the gradient of.
///
/// Source: H. Robbins and S. Monro, "A Stochastic Approximation Method", Ann. Math. Statist. 22
/// (1951) 400-407.
///
/// \throws invalid_input if the learning rate is not >= 0
constexpr double gradient_step(double parameter, double gradient, double learning_rate) {
  require(learning_rate >= 0, "gradient_step: learning_rate must be >= 0");
  return parameter - learning_rate * gradient;
}

/// A parameter and its velocity.
struct momentum_state {
  double parameter{};
  double velocity{};  ///< 0 before the first step
};

/// A parameter after a step with momentum.
///
///     v' = beta v + g,   theta' = theta - alpha v'
///
///     theta  parameter        1, any
///     v      velocity         1, any
///     g      gradient         1, any
///     alpha  learning rate    1, >= 0
///     beta   momentum         1, >= 0, < 1
///
/// With a gradient that stays, the velocity tends to g / (1 - beta): a momentum of 0.9 makes steps
/// ten times as long.
///
/// Holds: as PyTorch's SGD has it, without dampening.
///
/// Source: B. Polyak, "Some methods of speeding up the convergence of iteration methods", USSR
/// Comput. Math. Math. Phys. 4 (1964) 1-17.
///
/// \throws invalid_input if the learning rate is not >= 0, or momentum not >= 0 and < 1
constexpr momentum_state momentum_step(const momentum_state& before, double gradient,
                                       double learning_rate, double momentum) {
  require(learning_rate >= 0, "momentum_step: learning_rate must be >= 0");
  require(momentum >= 0 && momentum < 1, "momentum_step: momentum must be >= 0 and < 1");
  const double velocity = momentum * before.velocity + gradient;
  return {.parameter = before.parameter - learning_rate * velocity, .velocity = velocity};
}

/// What an adaptive optimizer keeps of one parameter.
struct adaptive_state {
  double parameter{};
  double mean{};         ///< of gradients; 0 before the first step
  double mean_square{};  ///< of gradients; >= 0, 0 before the first step
};

/// What RMSprop and Adam are told.
struct adaptive_rates {
  double learning_rate{};     ///< alpha; >= 0
  double mean_decay = 0.9;    ///< beta_1; >= 0, < 1; of Adam alone
  double square_decay = 0.9;  ///< gamma of RMSprop, beta_2 of Adam; >= 0, < 1
  double epsilon = 1e-8;      ///< keeps the quotient finite; > 0
};

/// \throws invalid_input if a rate is out of its range
constexpr void require_valid(const adaptive_rates& rates) {
  require(rates.learning_rate >= 0, "adaptive_rates.learning_rate must be >= 0");
  require(rates.mean_decay >= 0 && rates.mean_decay < 1,
          "adaptive_rates.mean_decay must be >= 0 and < 1");
  require(rates.square_decay >= 0 && rates.square_decay < 1,
          "adaptive_rates.square_decay must be >= 0 and < 1");
  require(rates.epsilon > 0, "adaptive_rates.epsilon must be > 0");
}

/// A parameter after a step of RMSprop.
///
///     s' = gamma s + (1 - gamma) g^2,   theta' = theta - alpha g / sqrt(s' + epsilon)
///
///     theta    parameter          1, any
///     s        mean of squares    1, >= 0
///     g        gradient           1, any
///     alpha    learning rate      1, >= 0
///     gamma    decay              1, >= 0, < 1
///     epsilon  least square       1, > 0
///
/// Holds: epsilon within the root; PyTorch adds it to the root instead.
///
/// Source: T. Tieleman and G. Hinton, "Lecture 6.5: RMSprop", Coursera (2012).
///
/// \throws invalid_input if the mean of squares is not >= 0, or a rate is out of its range
inline adaptive_state rmsprop_step(const adaptive_state& before, double gradient,
                                   const adaptive_rates& rates) {
  require(before.mean_square >= 0, "rmsprop_step: mean_square must be >= 0");
  require_valid(rates);
  const double decay = rates.square_decay;
  const double square = decay * before.mean_square + (1 - decay) * gradient * gradient;
  return {.parameter =
              before.parameter - rates.learning_rate * gradient / std::sqrt(square + rates.epsilon),
          .mean = before.mean,
          .mean_square = square};
}

/// By how much a mean that began at 0 falls short after some steps.
///
///     1 - beta^t
///
///     beta  decay    1, >= 0, < 1
///     t     steps    count, >= 1
///
/// Adam divides its means by it.  At betas of 0.9 and 0.999 the first step is 0.1 / sqrt(0.001) =
/// 3.16 times too long without it.
///
/// Holds: exact for gradients of one mean.
///
/// Source: D. Kingma and J. Ba, "Adam: A Method for Stochastic Optimization", ICLR (2015), section
/// 3, arXiv:1412.6980.
///
/// \throws invalid_input if decay is not >= 0 and < 1, or steps is not >= 1
inline double bias_correction(double decay, double steps) {
  require(decay >= 0 && decay < 1, "bias_correction: decay must be >= 0 and < 1");
  require(steps >= 1, "bias_correction: steps must be >= 1");
  return 1 - std::pow(decay, steps);
}

/// A parameter after a step of Adam, with its means corrected for their start at 0.
///
///     m' = beta_1 m + (1 - beta_1) g,   v' = beta_2 v + (1 - beta_2) g^2
///     theta' = theta - alpha (m' / (1 - beta_1^t)) / (sqrt(v' / (1 - beta_2^t)) + epsilon)
///
///     theta    parameter          1, any
///     m        mean               1, any
///     v        mean of squares    1, >= 0
///     g        gradient           1, any
///     t        step               count, >= 1
///     alpha    learning rate      1, >= 0
///     beta_1   decay of the mean  1, >= 0, < 1
///     beta_2   decay of squares   1, >= 0, < 1
///     epsilon  least root         1, > 0
///
/// The first step has the length alpha, whatever the gradient.
///
/// Holds: without weight decay.
///
/// Source: D. Kingma and J. Ba, "Adam: A Method for Stochastic Optimization", ICLR (2015),
/// algorithm 1, arXiv:1412.6980.
///
/// \throws invalid_input if the mean of squares is not >= 0, step is not >= 1, or a rate is out of
///         its range
inline adaptive_state adam_step(const adaptive_state& before, double gradient, double step,
                                const adaptive_rates& rates) {
  require(before.mean_square >= 0, "adam_step: mean_square must be >= 0");
  require(step >= 1, "adam_step: step must be >= 1");
  require_valid(rates);
  const double mean = rates.mean_decay * before.mean + (1 - rates.mean_decay) * gradient;
  const double square =
      rates.square_decay * before.mean_square + (1 - rates.square_decay) * gradient * gradient;
  const double corrected = mean / bias_correction(rates.mean_decay, step);
  const double root = std::sqrt(square / bias_correction(rates.square_decay, step));
  return {.parameter = before.parameter - rates.learning_rate * corrected / (root + rates.epsilon),
          .mean = mean,
          .mean_square = square};
}

}  // namespace gpuplan
