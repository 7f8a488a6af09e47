#pragma once
/// \file
/// Rows of scaling/: what a step does to a parameter, and which batches kinds of tasks bear.

#include <array>

#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>
#include <gpuplan/scaling/update_rule.hpp>
#include <gpuplan/scaling/useful_batch.hpp>

namespace gpuplan::registry {

/// The kind of task of a row that is asked for it first.
constexpr batch_domain domain_of(inputs x) {
  return static_cast<batch_domain>(whole(x[0]));
}

/// The state of theta, v, g, alpha and beta after a step.
constexpr momentum_state momentum_of(inputs x) {
  return momentum_step({.parameter = x[0], .velocity = x[1]}, x[2], x[3], x[4]);
}

/// The state of theta, s, g, alpha, gamma and epsilon after a step.
inline adaptive_state rmsprop_of(inputs x) {
  return rmsprop_step({.parameter = x[0], .mean_square = x[1]}, x[2],
                      {.learning_rate = x[3], .square_decay = x[4], .epsilon = x[5]});
}

/// The state of theta, m, v, g, t, alpha, beta_1, beta_2 and epsilon after a step.
inline adaptive_state adam_of(inputs x) {
  return adam_step(
      {.parameter = x[0], .mean = x[1], .mean_square = x[2]}, x[3], whole(x[4]),
      {.learning_rate = x[5], .mean_decay = x[6], .square_decay = x[7], .epsilon = x[8]});
}

inline constexpr std::array update_rows{
    row{.call = "scaling/update_rule.hpp: gradient_step(theta, g, alpha) in 1",
        .latex = R"(\theta - \alpha g)",
        .topics = "C10",
        .evaluate = [](inputs x) { return gradient_step(x[0], x[1], x[2]); },
        .examples = {{{1, 2, 0.1}, 0.8, 1e-15, "a rate of 0.1"}}},
    row{.call = "scaling/update_rule.hpp: momentum_step(theta, v, g, alpha, beta) in 1",
        .latex = R"(\theta - \alpha (\beta v + g))",
        .topics = "C10",
        .evaluate = [](inputs x) { return momentum_of(x).parameter; },
        .examples = {{{0, 0, 1, 0.01, 0.5}, -0.01, 1e-15, "the first step"},
                     {{0, 2, 1, 0.01, 0.5}, -0.02, 1e-15, "1 / (1 - 0.5) of it in the long run"}},
        .terms = {{.name = "velocity",
                   .unit = "1",
                   .evaluate = [](inputs x) { return momentum_of(x).velocity; }}}},
    row{.call = "scaling/update_rule.hpp: rmsprop_step(theta, s, g, alpha, gamma, epsilon) in 1",
        .latex = R"(\theta - \alpha \frac{g}{\sqrt{s' + \epsilon}})",
        .topics = "C10",
        .evaluate = [](inputs x) { return rmsprop_of(x).parameter; },
        .examples = {{{0, 4, 2, 0.5, 0.75, 1e-300}, -0.5, 1e-15, "a mean that stays: 2 / sqrt 4"}},
        .terms = {{.name = "mean of squares",
                   .unit = "1",
                   .evaluate = [](inputs x) { return rmsprop_of(x).mean_square; }}}},
    row{.call = "scaling/update_rule.hpp: bias_correction(beta, t) in 1",
        .latex = R"(1 - \beta^t)",
        .topics = "C10",
        .evaluate = [](inputs x) { return bias_correction(x[0], whole(x[1])); },
        .examples = {{{0.5, 2}, 0.75, 1e-15, "1 - 1/4"}, {{0.9, 1}, 0.1, 1e-14, "1 - 0.9"}}},
    row{.call = "scaling/update_rule.hpp: adam_step(theta, m, v, g, t, alpha, beta_1, beta_2, "
                "epsilon) in 1",
        .latex = R"(\theta - \alpha \frac{m' / (1 - \beta_1^t)}{\sqrt{v' / (1 - \beta_2^t)} )"
                 R"(+ \epsilon})",
        .errata = "A chapter's formula leaves the corrections out, and has epsilon within the "
                  "root; its code has both right.",
        .topics = "C10",
        .evaluate = [](inputs x) { return adam_of(x).parameter; },
        .examples = {{{1, 0, 0, 5, 1, 0.001, 0.9, 0.999, 1e-8}, 0.999, 1e-11, "one rate"},
                     {{0, 1, 1, 1, 1e9, 0.5, 0.9, 0.999, 1e-300},
                      -0.5,
                      1e-12,
                      "after many steps the corrections are 1"}},
        .terms = {{.name = "mean",
                   .unit = "1",
                   .evaluate = [](inputs x) { return adam_of(x).mean; }},
                  {.name = "mean of squares",
                   .unit = "1",
                   .evaluate = [](inputs x) { return adam_of(x).mean_square; }}}},
    row{.call = "scaling/useful_batch.hpp: useful_batches_of(k) in count",
        .latex = R"(8192 \ldots 65536,\; 10^3 \ldots 10^4,\; 10^6 \ldots 10^7)",
        .topics = "B6",
        .evaluate = [](inputs x) { return useful_batches_of(domain_of(x)).most; },
        .examples = {{{0}, 65536, 0, "X. Jia et al., arXiv:1807.11205"}, {{3}, 1e7, 0, "millions"}},
        .terms = {{.name = "least",
                   .unit = "count",
                   .evaluate = [](inputs x) { return useful_batches_of(domain_of(x)).least; }}}},
    row{.call = "scaling/useful_batch.hpp: usual_step_progress(k, B) in 1",
        .latex = R"(\frac{1}{1 + B_{noise} / B})",
        .topics = "B6",
        .evaluate = [](inputs x) { return usual_step_progress(domain_of(x), x[1]); },
        .examples = {{{0, 65536}, 0.5, 0, "half of a step at the noise scale"},
                     {{1, 1e4}, 0.5, 0, "the same of sequences"}}}};
inline constexpr auto update_formulas = with_words(update_rows, words::update_formulas);

}  // namespace gpuplan::registry
