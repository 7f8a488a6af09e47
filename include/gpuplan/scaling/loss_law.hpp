#pragma once
/// \file
/// Loss of a language model by its parameters and tokens, and the model that a budget trains best.

#include <cmath>
#include <limits>

#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Constants of the law, fitted to a family of models and a text.
struct loss_law {
  double floor = 1.69;             ///< E, loss of the text itself, nat a token; >= 0
  double parameter_scale = 406.4;  ///< A, > 0
  double token_scale = 410.7;      ///< B, > 0
  double parameter_power = 0.34;   ///< alpha, > 0
  double token_power = 0.28;       ///< beta, > 0
};

/// As J. Hoffmann et al. print them for decoders on MassiveText, to two or four digits.
inline constexpr loss_law hoffmann_law{};

/// \throws invalid_input naming the field that is out of its range
constexpr void require_valid(const loss_law& law) {
  constexpr double unbounded = std::numeric_limits<double>::infinity();
  require(law.floor >= 0 && law.floor < unbounded, "loss_law.floor must be >= 0 nat per token");
  require(law.parameter_scale > 0 && law.parameter_scale < unbounded,
          "loss_law.parameter_scale must be > 0");
  require(law.token_scale > 0 && law.token_scale < unbounded, "loss_law.token_scale must be > 0");
  require(law.parameter_power > 0 && law.parameter_power <= 1,
          "loss_law.parameter_power must be > 0 and <= 1");
  require(law.token_power > 0 && law.token_power <= 1, "loss_law.token_power must be > 0 and <= 1");
}

/// Loss of a language model after one pass over its tokens, in nat a token.
///
///     L = E + A / N^alpha + B / D^beta
///
///     N                      parameters          count, > 0
///     D                      tokens              token, > 0
///     E, A, B, alpha, beta   constants of law
///
/// Neither a larger model nor more text alone lowers the loss below the term of the other.
///
/// Holds: decoders of 70e6 to 16e9 parameters on 5e9 to 500e9 tokens, none seen twice, at a
/// learning rate decayed over the run; MassiveText for the default constants.
///
/// Source: J. Hoffmann et al., "Training Compute-Optimal Large Language Models" (2022), equation 10
/// and appendix D.3, arXiv:2203.15556.
///
/// \throws invalid_input if parameters or text are not > 0, or a field of law is out of its range
inline double loss_of_scale(double parameters, tokens text, const loss_law& law = hoffmann_law) {
  require(parameters > 0, "loss_of_scale: parameters must be > 0");
  require(text > tokens{0}, "loss_of_scale: text must be > 0 tokens");
  require_valid(law);

  return law.floor + law.parameter_scale / std::pow(parameters, law.parameter_power) +
         law.token_scale / std::pow(text.in(units::token), law.token_power);
}

/// The model of least loss that so many operations train.
struct model_for_budget {
  double parameters = 0;
  tokens text{};
};

/// Parameters of the model of least loss that so many operations train: 6 N D of them.
///
///     N = (alpha A / (beta B))^(1/(alpha + beta)) (F / 6)^(beta/(alpha + beta))
///     D = F / (6 N)
///
///     F                   operations          FLOP, > 0
///     A, B, alpha, beta   constants of law
///
/// Holds: as loss_of_scale, and 6 operations a parameter and token.
///
/// Source: J. Hoffmann et al., "Training Compute-Optimal Large Language Models" (2022), equation 4,
/// arXiv:2203.15556.
///
/// \throws invalid_input if operations are not > 0 FLOP, or a field of law is out of its range
inline model_for_budget best_model_for(flop operations, const loss_law& law = hoffmann_law) {
  require(operations > flop{0}, "best_model_for: operations must be > 0 FLOP");
  require_valid(law);

  const double powers = law.parameter_power + law.token_power;
  const double weights =
      (law.parameter_power * law.parameter_scale) / (law.token_power * law.token_scale);
  const double pairs = operations.in(units::FLOP) / 6;
  const double parameters =
      std::pow(weights, 1 / powers) * std::pow(pairs, law.token_power / powers);
  return {.parameters = parameters, .text = pairs / parameters * units::token};
}

}  // namespace gpuplan
