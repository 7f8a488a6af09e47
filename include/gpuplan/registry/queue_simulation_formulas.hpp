#pragma once
/// \file
/// Rows of queue/: how sure a simulation is of its means.

#include <array>

#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/words.hpp>
#include <gpuplan/simulate/confidence.hpp>

namespace gpuplan::registry {

inline constexpr std::array queue_simulation_rows{
    row{.call = "simulate/confidence.hpp: student_t_quantile(p, n) in 1",
        .latex = R"(P(T_n \le t) = p)",
        .topics = "Q9",
        .evaluate = [](inputs x) { return student_t_quantile(x[0], whole(x[1])); },
        .examples = {{{0.75, 1}, 1, 1e-14, "Cauchy: tan(pi / 4)"},
                     {{0.975, 10}, 2.228, 5e-4 / 2.228, "tables, 2.228"}}},
    /// How far the true mean may be from that of samples: here of three, at 95 %.
    ///
    ///     t s / sqrt(n),   s^2 = sum (x - mean)^2 / (n - 1)
    ///
    ///     x1  first sample     1, any
    ///     x2  second sample    1, any
    ///     x3  third sample     1, any
    ///
    /// Holds: normal samples that know nothing of each other, or means of many.
    row{.call = "simulate/confidence.hpp: confidence_interval(x1, x2, x3) in 1",
        .latex = R"(t_{n-1} \frac{s}{\sqrt n})",
        .topics = "Q9",
        .evaluate = [](inputs x) { return confidence_interval(x).half_width; },
        .examples = {{{1, 2, 3}, 2.484, 5e-4 / 2.484, "4.303 / sqrt(3)"}}}};
inline constexpr auto queue_simulation_formulas =
    with_words(queue_simulation_rows, words::queue_simulation_formulas);

}  // namespace gpuplan::registry
