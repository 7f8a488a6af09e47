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
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

inline constexpr std::string_view cox_lewis =
    "D. R. Cox and P. A. W. Lewis, \"The Statistical Analysis of Series of Events\", Methuen, "
    "London (1966)";
inline constexpr std::string_view tijms =
    "H. C. Tijms, \"A First Course in Stochastic Models\", Wiley (2003), appendix B";
inline constexpr std::string_view johnson_kotz =
    "N. L. Johnson, S. Kotz and N. Balakrishnan, \"Continuous Univariate Distributions\", vol. 1, "
    "2nd ed., Wiley (1994)";
inline constexpr std::string_view lognormal_book =
    "E. L. Crow and K. Shimizu, \"Lognormal Distributions\", Dekker (1988), chapter 2";

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

inline constexpr symbol mean_size{"m", "mean", "s", "> 0"};
inline constexpr symbol size_variation{"c^2", "squared variation", "1", "> 0"};
inline constexpr symbol first_size{"S_1", "first of the sizes", "s", "> 0"};
inline constexpr symbol second_size{"S_2", "second", "s", "> 0"};
inline constexpr symbol third_size{"S_3", "third", "s", "> 0"};

inline constexpr std::array calibrate_formulas{
    formula{.name = "arrival_rate",
            .header = "calibrate/arrival_fit.hpp",
            .meaning = "Jobs per second of a trace: of three jobs",
            .text = "(n - 1) / (t_n - t_1)",
            .latex = R"(\frac{n - 1}{t_n - t_1})",
            .symbols = {{"t_1", "submission of the first", "s", "any"},
                        {"t_2", "of the second", "s", ">= t_1"},
                        {"t_3", "of the third", "s", "> t_1"}},
            .result = "1/s",
            .validity = "a mean over the trace, whatever its rate does",
            .source = cox_lewis,
            .errata = "n / (t_n - t_1) counts one interval too many.",
            .topics = "Q1",
            .evaluate = [](inputs x) { return arrival_rate(jobs_at(x)).in(1 / units::second); },
            .examples = {{{10, 20, 50}, 0.05, 1e-15, "two intervals in 40 s"}}},
    formula{.name = "interarrival_variation",
            .header = "calibrate/arrival_fit.hpp",
            .meaning = "Squared variation of the times between submissions: of four jobs",
            .text = "Var T / (E T)^2, T = t_(i+1) - t_i",
            .latex = R"(\frac{\mathrm{Var} T}{(E T)^2}, \quad T = t_{i+1} - t_i)",
            .symbols = {{"t_1", "submission of the first", "s", "any"},
                        {"t_2", "of the second", "s", ">= t_1"},
                        {"t_3", "of the third", "s", ">= t_2"},
                        {"t_4", "of the fourth", "s", ">= t_3"}},
            .result = "1",
            .validity = "blind to intervals that depend on each other: see dispersion",
            .source = cox_lewis,
            .errata = "",
            .topics = "Q8",
            .evaluate = [](inputs x) { return interarrival_variation(jobs_at(x)); },
            .examples = {{{0, 10, 30, 60}, 1.0 / 6, 1e-14, "10, 20, 30: 200/3 over 400"}}},
    formula{.name = "dispersion",
            .header = "calibrate/arrival_fit.hpp",
            .meaning = "Index of dispersion of the jobs in a window: of five jobs",
            .text = "Var N(w) / E N(w)",
            .latex = R"(\frac{\mathrm{Var} N(w)}{E N(w)})",
            .symbols = {{"w", "window", "s", "> 0"},
                        {"t_1", "submission of the first", "s", "any"},
                        {"t_2", "of the second", "s", ">= t_1"},
                        {"t_3", "of the third", "s", ">= t_2"},
                        {"t_4", "of the fourth", "s", ">= t_3"},
                        {"t_5", "of the fifth", "s", ">= t_4, t_5 - t_1 >= 2 w"}},
            .result = "1",
            .validity = "whole windows from the first job on",
            .source = cox_lewis,
            .errata = "",
            .topics = "Q8",
            .evaluate = [](inputs x) { return dispersion(jobs_at(x.subspan(1)), seconds{x[0]}); },
            .examples = {{{25, 10, 20, 40, 50, 90}, 2.0 / 3, 1e-14, "2, 2, 0: 8/9 over 4/3"}}},
    formula{
        .name = "offered_gpus",
        .header = "calibrate/gpu_mix.hpp",
        .meaning = "GPUs that a trace keeps busy on average: of two jobs",
        .text = "lambda E b S",
        .latex = R"(\lambda E b S)",
        .symbols = {{"t", "time between the two", "s", "> 0"},
                    {"b_1", "GPUs of the first", "count", ">= 1"},
                    {"S_1", "duration of the first", "s", ">= 0"},
                    {"b_2", "GPUs of the second", "count", ">= 1"},
                    {"S_2", "duration of the second", "s", ">= 0"}},
        .result = "count",
        .validity = "enough GPUs for all",
        .source = definition,
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
    formula{.name = "longest_share",
            .header = "calibrate/service_moments.hpp",
            .meaning = "Share of the work that the largest jobs hold: of three jobs of one GPU",
            .text = "sum of the ceil(share n) largest b_i S_i / sum of all",
            .latex = R"(\sum_{i \le \lceil s n \rceil} w_{(i)} / \sum_i w_i)",
            .symbols = {{"s", "share of the jobs", "1", "> 0, <= 1"},
                        {"S_1", "duration of the first", "s", ">= 0"},
                        {"S_2", "of the second", "s", ">= 0"},
                        {"S_3", "of the third", "s", ">= 0"}},
            .result = "1",
            .validity = "any jobs",
            .source = "M. Harchol-Balter and A. B. Downey, \"Exploiting process lifetime "
                      "distributions for dynamic load balancing\", ACM Trans. Computer Systems 15 "
                      "(1997) 253-285",
            .errata = "",
            .topics = "Q8",
            .evaluate =
                [](inputs x) {
                  std::vector<trace_job> jobs;
                  for (const double time : x.subspan(1))
                    jobs.push_back({.duration = seconds{time}});
                  return longest_share(jobs, x[0]);
                },
            .examples = {{{0.01, 10, 70, 20}, 0.7, 1e-14, "one job, of 70 of 100 s"}}},
    formula{.name = "erlang_of_moments",
            .header = "calibrate/service_fit_moments.hpp",
            .meaning = "Phases of the Erlang law of a mean and a variation",
            .text = "1/c^2, rounded",
            .latex = R"(k = \mathrm{round}(1 / c^2))",
            .symbols = {mean_size, size_variation},
            .result = "count",
            .validity = "exact for 1, 1/2, 1/3, ... only",
            .source = tijms,
            .errata = "",
            .topics = "Q8",
            .evaluate =
                [](inputs x) {
                  return static_cast<double>(erlang_of_moments(seconds{x[0]}, x[1]).phases);
                },
            .examples = {{{60, 0.3}, 3, 0, "1/0.3 = 3.33"}}},
    formula{
        .name = "hyperexponential_of_moments",
        .header = "calibrate/service_fit_moments.hpp",
        .meaning = "Share of the short jobs in the hyperexponential law of balanced means",
        .text = "(1 + sqrt((c^2 - 1) / (c^2 + 1))) / 2",
        .latex = R"(p = \frac{1}{2} \left(1 + \sqrt{\frac{c^2 - 1}{c^2 + 1}} \right))",
        .symbols = {mean_size, {"c^2", "squared variation", "1", ">= 1"}},
        .result = "1",
        .validity = "both laws bring the same work",
        .source = tijms,
        .errata = "",
        .topics = "Q8",
        .evaluate =
            [](inputs x) { return hyperexponential_of_moments(seconds{x[0]}, x[1]).first_share; },
        .examples = {{{60, 5.0 / 3}, 0.75, 1e-14, "1/2 + sqrt(1/4)/2"}}},
    formula{.name = "lognormal_of_moments",
            .header = "calibrate/service_fit_moments.hpp",
            .meaning = "Median of the lognormal law of a mean and a variation",
            .text = "m / sqrt(1 + c^2)",
            .latex = R"(\frac{m}{\sqrt{1 + c^2}}, \quad \sigma^2 = \ln(1 + c^2))",
            .symbols = {mean_size, size_variation},
            .result = "s",
            .validity = "not the law of the highest likelihood of a sample",
            .source = lognormal_book,
            .errata = "",
            .topics = "Q8",
            .evaluate =
                [](inputs x) {
                  return lognormal_of_moments(seconds{x[0]}, x[1]).median.in(units::second);
                },
            .examples = {{{60, 8}, 20, 1e-14, "60 / sqrt(9)"}}},
    formula{.name = "weibull_of_moments",
            .header = "calibrate/service_fit_moments.hpp",
            .meaning = "Shape of the Weibull law of a mean and a variation",
            .text = "the k of 1 + c^2 = Gamma(1 + 2/k) / Gamma(1 + 1/k)^2",
            .latex = R"(1 + c^2 = \frac{\Gamma(1 + 2/k)}{\Gamma(1 + 1/k)^2})",
            .symbols = {mean_size, size_variation},
            .result = "1",
            .validity = "shapes from 0.1 to 20",
            .source = johnson_kotz,
            .errata = "",
            .topics = "Q8",
            .evaluate = [](inputs x) { return weibull_of_moments(seconds{x[0]}, x[1]).shape; },
            .examples = {{{60, 5}, 0.5, 1e-12, "Gamma(5) / Gamma(3)^2 = 6"},
                         {{60, 1}, 1, 1e-12, "exponential"}}},
    formula{
        .name = "erlang_of_likelihood",
        .header = "calibrate/service_fit_likelihood.hpp",
        .meaning = "Phases of the Erlang law under which sizes are most likely: of three",
        .text = "max over k of k ln(k/m) - ln Gamma(k) + (k - 1) E ln S - k",
        .latex = R"(\max_k k \ln \frac{k}{m} - \ln \Gamma(k) + (k - 1) E \ln S - k)",
        .symbols = {first_size, second_size, third_size},
        .result = "count",
        .validity = "1 to 100 phases",
        .source = johnson_kotz,
        .errata = "",
        .topics = "Q8",
        .evaluate =
            [](inputs x) { return static_cast<double>(erlang_of_likelihood(sample_of(x)).phases); },
        .examples = {{{1, 2, 3}, 5, 0, "the largest of 100 in Python"}}},
    formula{.name = "lognormal_of_likelihood",
            .header = "calibrate/service_fit_likelihood.hpp",
            .meaning = "Sigma of the lognormal law under which sizes are most likely: of two",
            .text = "sqrt(Var ln S)",
            .latex = R"(\sigma^2 = \mathrm{Var} \ln S)",
            .symbols = {first_size, second_size},
            .result = "1",
            .validity = "its variation e^(sigma^2) - 1 need not be near the sample's",
            .source = lognormal_book,
            .errata = "",
            .topics = "Q8",
            .evaluate = [](inputs x) { return lognormal_of_likelihood(sample_of(x))->sigma; },
            .examples = {{{1, 7.38905609893065}, 1, 1e-14, "e^0 and e^2"}}},
    formula{.name = "weibull_of_likelihood",
            .header = "calibrate/service_fit_likelihood.hpp",
            .meaning = "Shape of the Weibull law under which sizes are most likely: of three",
            .text = "the k of E S^k ln S / E S^k - 1/k = E ln S",
            .latex = R"(\frac{E S^k \ln S}{E S^k} - \frac{1}{k} = E \ln S)",
            .symbols = {first_size, second_size, third_size},
            .result = "1",
            .validity = "shapes from 0.1 to 20",
            .source = johnson_kotz,
            .errata = "",
            .topics = "Q8",
            .evaluate = [](inputs x) { return weibull_of_likelihood(sample_of(x))->shape; },
            .examples = {{{1, 2, 6}, 1.4569409894159675, 1e-13, "bisection in Python"}}},
    formula{
        .name = "bounded_pareto_of_likelihood",
        .header = "calibrate/service_fit_likelihood.hpp",
        .meaning = "Power of the bounded Pareto law under which sizes are most likely: of three",
        .text = "the alpha of 1/alpha + r^alpha ln r / (1 - r^alpha) = E ln(S/L), r = L/H",
        .latex = R"(\frac{1}{\alpha} + \frac{r^\alpha \ln r}{1 - r^\alpha} = E \ln \frac{S}{L})",
        .symbols = {first_size, second_size, third_size},
        .result = "1",
        .validity = "between the least size and the largest",
        .source = "I. B. Aban, M. M. Meerschaert and A. K. Panorska, \"Parameter Estimation for "
                  "the Truncated Pareto Distribution\", J. American Statistical Association 101 "
                  "(2006) 270-277",
        .errata = "",
        .topics = "Q8",
        .evaluate = [](inputs x) { return bounded_pareto_of_likelihood(sample_of(x))->alpha; },
        .examples = {{{1, 2, 50}, 0.3396693516788981, 1e-13, "bisection in Python"}}},
    formula{.name = "product_limit_service",
            .header = "calibrate/service_moments.hpp",
            .meaning = "Mean duration where the second of three jobs still runs",
            .text = "P(S > x) = product over ends s <= x of (1 - d(s) / r(s))",
            .latex = R"(P(S > x) = \prod_{s \le x} \left(1 - \frac{d(s)}{r(s)} \right))",
            .symbols = {{"S_1", "shortest, ended", "s", "> 0"},
                        {"S_2", "second, still runs", "s", "> S_1"},
                        {"S_3", "longest, ended", "s", "> S_2"}},
            .result = "s",
            .validity = "jobs that still run are as the others",
            .source = "E. L. Kaplan and P. Meier, \"Nonparametric Estimation from Incomplete "
                      "Observations\", J. American Statistical Association 53 (1958) 457-481",
            .errata = "",
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
    formula{.name = "mean_log_density",
            .header = "calibrate/service_fit_quality.hpp",
            .meaning = "Log-likelihood per job: of two sizes under an exponential law",
            .text = "E ln f(S)",
            .latex = R"(E \ln f(S))",
            .symbols = {mean_size, first_size, second_size},
            .result = "1",
            .validity = "densities per second",
            .source = "E. L. Lehmann and G. Casella, \"Theory of Point Estimation\", 2nd ed., "
                      "Springer (1998)",
            .errata = "",
            .topics = "Q8",
            .evaluate =
                [](inputs x) {
                  return mean_log_density(exponential_service(seconds{x[0]}),
                                          sample_of(x.subspan(1)));
                },
            .examples = {{{1, 2, 4}, -3, 1e-14, "-S, on average"}}},
    formula{.name = "distance_between",
            .header = "calibrate/service_fit_quality.hpp",
            .meaning = "Kolmogorov and Smirnov's distance: of one size from an exponential law",
            .text = "sup |F_n(x) - F(x)|",
            .latex = R"(\sup_x |F_n(x) - F(x)|)",
            .symbols = {mean_size, first_size},
            .result = "1",
            .validity = "laws without atoms",
            .source =
                "A. N. Kolmogorov, \"Sulla determinazione empirica di una legge di "
                "distribuzione\", Giornale dell'Istituto Italiano degli Attuari 4 (1933) 83-91",
            .errata = "",
            .topics = "Q8",
            .evaluate =
                [](inputs x) {
                  return distance_between(exponential_service(seconds{x[0]}),
                                          sample_of(x.subspan(1)));
                },
            .examples = {{{1, 0.6931471805599453}, 0.5, 1e-14, "at the median"}}}};

}  // namespace gpuplan::registry
