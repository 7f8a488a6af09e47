#pragma once
/// \file
/// Rows of queue/: how sure a simulation is of its means.

#include <array>

#include <gpuplan/registry/formula.hpp>
#include <gpuplan/simulate/confidence.hpp>

namespace gpuplan::registry {

inline constexpr std::array queue_simulation_formulas{
    formula{.name = "student_t_quantile",
            .header = "simulate/confidence.hpp",
            .meaning = "What a share of Student's t is below",
            .text = "P(T <= t) = p",
            .latex = R"(P(T_n \le t) = p)",
            .symbols = {{"p", "probability", "1", "1e-9 to 1 - 1e-9"},
                        {"n", "degrees of freedom", "count", "1 to 1e6"}},
            .result = "1",
            .validity = "exact",
            .source = "M. Abramowitz and I. Stegun, \"Handbook of Mathematical Functions\", NBS "
                      "(1964), 26.7.3-4",
            .errata = "",
            .topics = "Q9",
            .evaluate = [](inputs x) { return student_t_quantile(x[0], whole(x[1])); },
            .examples = {{{0.75, 1}, 1, 1e-14, "Cauchy: tan(pi / 4)"},
                         {{0.975, 10}, 2.228, 5e-4 / 2.228, "tables, 2.228"}}},
    formula{.name = "confidence_interval",
            .header = "simulate/confidence.hpp",
            .meaning = "How far the true mean may be from that of samples: here of three, at 95 %",
            .text = "t s / sqrt(n),   s^2 = sum (x - mean)^2 / (n - 1)",
            .latex = R"(t_{n-1} \frac{s}{\sqrt n})",
            .symbols = {{"x1", "first sample", "1", "any"},
                        {"x2", "second sample", "1", "any"},
                        {"x3", "third sample", "1", "any"}},
            .result = "1",
            .validity = "normal samples that know nothing of each other, or means of many",
            .source = "Student, \"The probable error of a mean\", Biometrika 6 (1908) 1-25",
            .errata = "",
            .topics = "Q9",
            .evaluate = [](inputs x) { return confidence_interval(x).half_width; },
            .examples = {{{1, 2, 3}, 2.484, 5e-4 / 2.484, "4.303 / sqrt(3)"}}}};

}  // namespace gpuplan::registry
