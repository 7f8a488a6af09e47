#pragma once
/// \file
/// Rows of calibrate/: what a trace says of arrivals and of service.

#include <array>
#include <initializer_list>
#include <vector>

#include <gpuplan/calibrate/arrival_fit.hpp>
#include <gpuplan/calibrate/gpu_mix.hpp>
#include <gpuplan/calibrate/service_fit_likelihood.hpp>
#include <gpuplan/calibrate/service_fit_moments.hpp>
#include <gpuplan/calibrate/service_fit_quality.hpp>
#include <gpuplan/calibrate/service_moments.hpp>
#include <gpuplan/queue/service_empirical.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

/// Jobs that came at these times.
inline std::vector<trace_job> jobs_at(inputs times) {
  std::vector<trace_job> jobs;
  for (const double time : times) jobs.push_back({.submit = seconds{time}});
  return jobs;
}

/// Sizes, each once.
inline empirical_service sample_of(inputs sizes) {
  std::vector<seconds> sample;
  for (const double size : sizes) sample.push_back(seconds{size});
  return empirical_service{sample};
}

/// Their inputs, where neither a row nor its function says otherwise.
///
///     t_1  submission of the first    s, any
///     t_2  of the second              s, >= t_1
///     t_3  of the third               s, >= t_2
///     t_4  of the fourth              s, >= t_3
///     S_1  first of the sizes         s, > 0
///     S_2  second                     s, > 0
///     S_3  third                      s, > 0
///     m    mean                       s, > 0
inline constexpr std::array calibrate_rows{
    /// Jobs per second of a trace: of three jobs.
    ///
    ///     (n - 1) / (t_n - t_1)
    ///
    ///     t_3  of the third    s, > t_1
    ///
    /// Holds: a mean over the trace, whatever its rate does.
    row{.call = "calibrate/arrival_fit.hpp: arrival_rate(t_1, t_2, t_3) in 1/s",
        .latex = R"(\frac{n - 1}{t_n - t_1})",
        .errata = "n / (t_n - t_1) counts one interval too many.",
        .topics = "Q1",
        .evaluate = [](inputs x) { return arrival_rate(jobs_at(x)).in(1 / units::second); },
        .examples = {{{10, 20, 50}, 0.05, 1e-15, "two intervals in 40 s"}}},
    /// Squared variation of the times between submissions: of four jobs.
    ///
    ///     Var T / (E T)^2, T = t_(i+1) - t_i
    ///
    /// Holds: blind to intervals that depend on each other: see dispersion.
    row{.call = "calibrate/arrival_fit.hpp: interarrival_variation(t_1, t_2, t_3, t_4) in 1",
        .latex = R"(\frac{\mathrm{Var} T}{(E T)^2}, \quad T = t_{i+1} - t_i)",
        .topics = "Q8",
        .evaluate = [](inputs x) { return interarrival_variation(jobs_at(x)); },
        .examples = {{{0, 10, 30, 60}, 1.0 / 6, 1e-14, "10, 20, 30: 200/3 over 400"}}},
    /// Index of dispersion of the jobs in a window: of five jobs.
    ///
    ///     Var N(w) / E N(w)
    ///
    ///     w    window          s, > 0
    ///     t_5  of the fifth    s, >= t_4, t_5 - t_1 >= 2 w
    ///
    /// Holds: whole windows from the first job on.
    row{.call = "calibrate/arrival_fit.hpp: dispersion(w, t_1, t_2, t_3, t_4, t_5) in 1",
        .latex = R"(\frac{\mathrm{Var} N(w)}{E N(w)})",
        .topics = "Q8",
        .evaluate = [](inputs x) { return dispersion(jobs_at(x.subspan(1)), seconds{x[0]}); },
        .examples = {{{25, 10, 20, 40, 50, 90}, 2.0 / 3, 1e-14, "2, 2, 0: 8/9 over 4/3"}}},
    /// GPUs that a trace keeps busy on average: of two jobs.
    ///
    ///     lambda E b S
    ///
    ///     t    time between the two      s, > 0
    ///     b_1  GPUs of the first         count, >= 1
    ///     S_1  duration of the first     s, >= 0
    ///     b_2  GPUs of the second        count, >= 1
    ///     S_2  duration of the second    s, >= 0
    ///
    /// Holds: enough GPUs for all.
    row{.call = "calibrate/gpu_mix.hpp: offered_gpus(t, b_1, S_1, b_2, S_2) in count",
        .latex = R"(\lambda E b S)",
        .errata = "E b E S in place of E b S misses that more GPUs mostly mean longer jobs.",
        .topics = "Q7",
        .evaluate =
            [](inputs x) {
              return offered_gpus(std::array{
                  trace_job{.duration = seconds{x[2]}, .gpus = whole(x[1])},
                  trace_job{
                      .submit = seconds{x[0]}, .duration = seconds{x[4]}, .gpus = whole(x[3])}});
            },
        .examples = {{{100, 8, 900, 1, 800}, 40, 1e-14, "8000 GPU-s in two, one per 100 s"}}},
    /// Share of the work that the largest jobs hold: of three jobs of one GPU.
    ///
    ///     s    share of the jobs        1, > 0, <= 1
    ///     S_1  duration of the first    s, >= 0
    ///     S_2  of the second            s, >= 0
    ///     S_3  of the third             s, >= 0
    ///
    /// Holds: any jobs.
    row{.call = "calibrate/service_moments.hpp: longest_share(s, S_1, S_2, S_3) in 1",
        .latex = R"(\sum_{i \le \lceil s n \rceil} b_i S_i / \sum_i b_i S_i)",
        .topics = "Q8",
        .evaluate =
            [](inputs x) {
              std::vector<trace_job> jobs;
              for (const double time : x.subspan(1)) jobs.push_back({.duration = seconds{time}});
              return longest_share(jobs, x[0]);
            },
        .examples = {{{0.01, 10, 70, 20}, 0.7, 1e-14, "one job, of 70 of 100 s"}}},
    /// Phases of the Erlang law of a mean and a variation.
    row{.call = "calibrate/service_fit_moments.hpp: erlang_of_moments(m, c^2) in count",
        .latex = R"(k = \mathrm{round}(1 / c^2))",
        .topics = "Q8",
        .evaluate =
            [](inputs x) {
              return static_cast<double>(erlang_of_moments(seconds{x[0]}, x[1]).phases);
            },
        .examples = {{{60, 0.3}, 3, 0, "1/0.3 = 3.33"}}},
    /// Share of the short jobs in the hyperexponential law of balanced means.
    ///
    ///     (1 + sqrt((c^2 - 1) / (c^2 + 1))) / 2
    ///
    /// Holds: both laws bring the same work.
    row{.call = "calibrate/service_fit_moments.hpp: hyperexponential_of_moments(m, c^2) in 1",
        .latex = R"(p = \frac{1}{2} \left(1 + \sqrt{\frac{c^2 - 1}{c^2 + 1}} \right))",
        .topics = "Q8",
        .evaluate =
            [](inputs x) { return hyperexponential_of_moments(seconds{x[0]}, x[1]).first_share; },
        .examples = {{{60, 5.0 / 3}, 0.75, 1e-14, "1/2 + sqrt(1/4)/2"}}},
    /// Median of the lognormal law of a mean and a variation.
    ///
    ///     m / sqrt(1 + c^2)
    ///
    ///     c^2  squared variation    1, > 0
    ///
    /// Holds: not the law of the highest likelihood of a sample.
    row{.call = "calibrate/service_fit_moments.hpp: lognormal_of_moments(m, c^2) in s",
        .latex = R"(\frac{m}{\sqrt{1 + c^2}})",
        .topics = "Q8",
        .evaluate =
            [](inputs x) {
              return lognormal_of_moments(seconds{x[0]}, x[1]).median.in(units::second);
            },
        .examples = {{{60, 8}, 20, 1e-14, "60 / sqrt(9)"}}},
    /// Shape of the Weibull law of a mean and a variation.
    ///
    ///     the k of 1 + c^2 = Gamma(1 + 2/k) / Gamma(1 + 1/k)^2
    ///
    ///     c^2  squared variation    1, > 0
    ///
    /// Holds: shapes from 0.1 to 20.
    row{.call = "calibrate/service_fit_moments.hpp: weibull_of_moments(m, c^2) in 1",
        .latex = R"(1 + c^2 = \frac{\Gamma(1 + 2/k)}{\Gamma(1 + 1/k)^2})",
        .topics = "Q8",
        .evaluate = [](inputs x) { return weibull_of_moments(seconds{x[0]}, x[1]).shape; },
        .examples = {{{60, 5}, 0.5, 1e-12, "Gamma(5) / Gamma(3)^2 = 6"},
                     {{60, 1}, 1, 1e-12, "exponential"}}},
    /// Phases of the Erlang law under which sizes are most likely: of three.
    ///
    /// Holds: 1 to 100 phases.
    row{.call =
            "calibrate/service_fit_likelihood.hpp: erlang_of_likelihood(S_1, S_2, S_3) in count",
        .latex = R"(\max_k k \ln \frac{k}{m} - \ln \Gamma(k) + (k - 1) E \ln S - k)",
        .topics = "Q8",
        .evaluate =
            [](inputs x) { return static_cast<double>(erlang_of_likelihood(sample_of(x)).phases); },
        .examples = {{{1, 2, 3}, 5, 0, "the largest of 100 in Python"}}},
    /// Sigma of the lognormal law under which sizes are most likely: of two.
    ///
    ///     sqrt(Var ln S)
    ///
    /// Holds: its variation e^(sigma^2) - 1 need not be near the sample's.
    row{.call = "calibrate/service_fit_likelihood.hpp: lognormal_of_likelihood(S_1, S_2) in 1",
        .latex = R"(\sigma^2 = \mathrm{Var} \ln S)",
        .topics = "Q8",
        .evaluate = [](inputs x) { return lognormal_of_likelihood(sample_of(x))->sigma; },
        .examples = {{{1, 7.38905609893065}, 1, 1e-14, "e^0 and e^2"}}},
    /// Shape of the Weibull law under which sizes are most likely: of three.
    ///
    ///     the k of E S^k ln S / E S^k - 1/k = E ln S
    ///
    /// Holds: shapes from 0.1 to 20.
    row{.call = "calibrate/service_fit_likelihood.hpp: weibull_of_likelihood(S_1, S_2, S_3) in 1",
        .latex = R"(\frac{E S^k \ln S}{E S^k} - \frac{1}{k} = E \ln S)",
        .topics = "Q8",
        .evaluate = [](inputs x) { return weibull_of_likelihood(sample_of(x))->shape; },
        .examples = {{{1, 2, 6}, 1.4569409894159675, 1e-13, "bisection in Python"}}},
    /// Power of the bounded Pareto law under which sizes are most likely: of three.
    ///
    ///     the alpha of 1/alpha + r^alpha ln r / (1 - r^alpha) = E ln(S/L), r = L/H
    ///
    /// Holds: between the least size and the largest.
    row{.call = "calibrate/service_fit_likelihood.hpp: bounded_pareto_of_likelihood(S_1, S_2, S_3) "
                "in 1",
        .latex = R"(\frac{1}{\alpha} + \frac{r^\alpha \ln r}{1 - r^\alpha} = E \ln \frac{S}{L})",
        .topics = "Q8",
        .evaluate = [](inputs x) { return bounded_pareto_of_likelihood(sample_of(x))->alpha; },
        .examples = {{{1, 2, 50}, 0.3396693516788981, 1e-13, "bisection in Python"}}},
    /// Mean duration where the second of three jobs still runs.
    ///
    ///     S_1  shortest, ended       s, > 0
    ///     S_2  second, still runs    s, > S_1
    ///     S_3  longest, ended        s, > S_2
    ///
    /// Holds: jobs that still run are as the others.
    row{.call = "calibrate/service_moments.hpp: product_limit_service(S_1, S_2, S_3) in s",
        .latex = R"(P(S > x) = \prod_{s \le x} \left(1 - \frac{d(s)}{r(s)} \right))",
        .topics = "Q8",
        .evaluate =
            [](inputs x) {
              return mean_service(product_limit_service(std::array{
                                      trace_job{.duration = seconds{x[0]}},
                                      trace_job{.duration = seconds{x[1]}, .finished = false},
                                      trace_job{.duration = seconds{x[2]}}}))
                  .in(units::second);
            },
        .examples = {{{3, 5, 12}, 9, 1e-14, "3 / 3 + 12 * 2 / 3"}}},
    /// Log-likelihood per job: of two sizes under an exponential law.
    ///
    ///     E ln f(S)
    ///
    /// Holds: densities per second.
    row{.call = "calibrate/service_fit_quality.hpp: mean_log_density(m, S_1, S_2) in 1",
        .latex = R"(E \ln f(S))",
        .topics = "Q8",
        .evaluate =
            [](inputs x) {
              return mean_log_density(exponential_service(seconds{x[0]}), sample_of(x.subspan(1)));
            },
        .examples = {{{1, 2, 4}, -3, 1e-14, "-S, on average"}}},
    /// Kolmogorov and Smirnov's distance: of one size from an exponential law.
    ///
    ///     sup |F_n(x) - F(x)|
    ///
    /// Holds: laws without atoms.
    row{.call = "calibrate/service_fit_quality.hpp: distance_between(m, S_1) in 1",
        .latex = R"(\sup_x |F_n(x) - F(x)|)",
        .topics = "Q8",
        .evaluate =
            [](inputs x) {
              return distance_between(exponential_service(seconds{x[0]}), sample_of(x.subspan(1)));
            },
        .examples = {{{1, 0.6931471805599453}, 0.5, 1e-14, "at the median"}}}};
inline constexpr auto calibrate_formulas = with_words(calibrate_rows, words::calibrate_formulas);

}  // namespace gpuplan::registry
