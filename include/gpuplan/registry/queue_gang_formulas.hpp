#pragma once
/// \file
/// Rows of queue/: jobs that hold several GPUs at once.

#include <array>
#include <vector>

#include <gpuplan/queue/gang/backfill.hpp>
#include <gpuplan/queue/gang/delay.hpp>
#include <gpuplan/queue/gang/gang.hpp>
#include <gpuplan/queue/gang/kaufman_roberts.hpp>
#include <gpuplan/queue/gang/markov.hpp>
#include <gpuplan/queue/gang/mix.hpp>
#include <gpuplan/queue/gang/peakedness.hpp>
#include <gpuplan/queue/gang/replay.hpp>
#include <gpuplan/queue/gang/residual.hpp>
#include <gpuplan/queue/gang/stability.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

inline constexpr std::string_view multiserver_jobs_paper =
    "I. Grosof, M. Harchol-Balter and A. Scheller-Wolf, \"Stability for two-class multiserver-job "
    "systems\", arXiv:2010.00631 (2020)";
inline constexpr std::string_view reset_paper =
    "I. Grosof, Y. Hong, M. Harchol-Balter and A. Scheller-Wolf, \"The RESET and MARC techniques, "
    "with application to multiserver-job analysis\", Performance Evaluation 162 (2023) 102378";
inline constexpr std::string_view kaufman_paper =
    "J. S. Kaufman, \"Blocking in a shared resource environment\", IEEE Trans. Commun. 29 (1981) "
    "1474-1481; J. W. Roberts, \"A service system with heterogeneous user requirements\" (1981)";

inline constexpr std::array queue_gang_formulas{
    formula{.name = "mix_of",
            .header = "queue/gang/mix.hpp",
            .meaning = "Moments of jobs in GPUs and duration together: here the peakedness of two "
                       "classes, variance over mean of the GPUs that would be busy",
            .text = "E b^2 S / E b S",
            .latex = R"(Z = \frac{E[b^2 S]}{E[b S]})",
            .symbols = {{"p_1", "jobs of the first class", "count", "> 0"},
                        {"b_1", "GPUs of one of the first", "count", ">= 1"},
                        {"S_1", "mean duration of the first", "s", ">= 0"},
                        {"p_2", "jobs of the second", "count", "> 0"},
                        {"b_2", "GPUs of one of the second", "count", ">= 1"},
                        {"S_2", "mean duration of the second", "s", ">= 0"}},
            .result = "1",
            .validity = "exact; as a variance of busy GPUs for jobs that come at random",
            .source = "sums",
            .errata = "GPUs and duration are related: products of their means are too small.",
            .topics = "Q7",
            .evaluate =
                [](inputs x) {
                  return mix_of(std::vector<gang_class>{{whole(x[1]), x[0], seconds{x[2]}},
                                                        {whole(x[4]), x[3], seconds{x[5]}}})
                      .peakedness();
                },
            .examples = {{{3, 1, 1, 1, 4, 2}, 35.0 / 11, 1e-15, "(3 + 32) / (3 + 8)"}}},
    formula{.name = "gang_loads",
            .header = "queue/gang/kaufman_roberts.hpp",
            .meaning = "Jobs of a class that would run if no GPU ever ran out",
            .text = "lambda p S",
            .latex = R"(a_k = \lambda p_k S_k)",
            .symbols = {{"lambda", "jobs that arrive", "1/s", ">= 0"},
                        {"p", "share of the class", "1", "> 0, < 1"},
                        {"S", "its mean duration", "s", ">= 0"}},
            .result = "1",
            .validity = "exact (Little's law)",
            .source =
                "J. D. C. Little, \"A proof for the queuing formula L = lambda W\", Operations "
                "Research 9 (1961) 383-387",
            .errata = "",
            .topics = "Q7",
            .evaluate =
                [](inputs x) {
                  const std::vector<gang_class> classes{
                      {.share = x[1], .mean_duration = seconds{x[2]}}, {.share = 1 - x[1]}};
                  return gang_loads(classes, per_second{x[0]})[0].jobs;
                },
            .examples = {{{8, 0.75, 1}, 6, 1e-15, "by hand"}}},
    formula{.name = "kaufman_roberts",
            .header = "queue/gang/kaufman_roberts.hpp",
            .meaning = "Share of the time in which all GPUs are busy where jobs of two sizes that "
                       "do not fit go away",
            .text = "q(j) = w(j) / sum w,  j w(j) = sum a b w(j - b)",
            .latex = R"(j q(j) = \sum_k a_k b_k q(j - b_k))",
            .symbols = {{"a_1", "load of small jobs", "1", ">= 0"},
                        {"b_1", "GPUs of a small job", "count", ">= 1"},
                        {"a_2", "load of large jobs", "1", ">= 0"},
                        {"b_2", "GPUs of a large job", "count", ">= 1"},
                        {"c", "GPUs", "count", "0 to 1e6"}},
            .result = "1",
            .validity = "exact, whatever the law of the durations; jobs that come at random",
            .source = kaufman_paper,
            .errata = "",
            .topics = "Q7",
            .evaluate =
                [](inputs x) {
                  const std::vector<gang_load> loads{{whole(x[1]), x[0]}, {whole(x[3]), x[2]}};
                  return kaufman_roberts(loads, whole(x[4])).back();
                },
            .examples = {{{1, 1, 0.5, 2, 2}, 1.0 / 3, 1e-15, "1, 1, 1/2 + 1/2 by hand"}}},
    formula{
        .name = "gang_blocking",
        .header = "queue/gang/kaufman_roberts.hpp",
        .meaning = "Share of the large jobs that do not fit",
        .text = "sum over j > c - b of q(j)",
        .latex = R"(B_b = \sum_{j > c - b} q(j))",
        .symbols = {{"a_1", "load of small jobs, of one GPU", "1", ">= 0"},
                    {"a_2", "load of large jobs", "1", ">= 0"},
                    {"b_2", "GPUs of a large job", "count", ">= 1"},
                    {"c", "GPUs", "count", "0 to 1e6"}},
        .result = "1",
        .validity = "as kaufman_roberts",
        .source = kaufman_paper,
        .errata = "",
        .topics = "Q7",
        .evaluate =
            [](inputs x) {
              const std::vector<gang_load> loads{{1, x[0]}, {whole(x[2]), x[1]}};
              return gang_blocking(kaufman_roberts(loads, whole(x[3])), whole(x[2]));
            },
        .examples =
            {{{1, 0.5, 2, 2}, 2.0 / 3, 1e-15, "by hand"},
             {{2, 1, 2, 8}, 1.0961662203956245e-1, 1e-14, "the same sums with 320 bits, MPFR"}}},
    formula{.name = "saturation_rate",
            .header = "queue/gang/stability.hpp",
            .meaning = "Jobs of two sizes and equal durations that a pool can take in their order",
            .text = "1 / (S E[1/N]),  N = max {n: b_1 + ... + b_n <= c}",
            .latex = R"(\lambda^* = \frac{1}{S \, E[1/N]})",
            .symbols = {{"p", "share of jobs of one GPU", "1", "> 0, < 1"},
                        {"b", "GPUs of the others", "count", ">= 1"},
                        {"c", "GPUs", "count", "1 to 1e4"},
                        {"S", "mean duration", "s", "1e-9 to 1e12"}},
            .result = "1/s",
            .validity = "exact for equal exponential durations",
            .source = multiserver_jobs_paper,
            .errata =
                "c over the mean GPUs of a job is more than a pool can take: who does not fit "
                "holds up those behind.",
            .topics = "Q7",
            .evaluate =
                [](inputs x) {
                  const std::vector<gang_class> classes{{1, x[0]}, {whole(x[1]), 1 - x[0]}};
                  return saturation_rate(classes, whole(x[2]), seconds{x[3]}) * seconds{1};
                },
            .examples = {{{0.6, 2, 2, 1}, 1 / 0.82, 1e-14, "E 1/N = 1 - 0.6^2 / 2"},
                         {{0.5, 8, 8, 1},
                          1.1811685351291079,
                          1e-14,
                          "Markov chain of 11 states, solved apart"}}},
    formula{.name = "exact_saturation",
            .header = "queue/gang/markov.hpp",
            .meaning = "What a small pool takes of jobs of two sizes, whose durations may differ",
            .text = "pi Q = 0,  lambda* = sum pi r",
            .latex = R"(\pi Q = 0, \quad \lambda^* = \sum_n \pi_n r_n)",
            .symbols = {{"p", "share of jobs of one GPU", "1", "> 0, < 1"},
                        {"S_1", "mean duration of jobs of one GPU", "s", "> 0"},
                        {"b", "GPUs of the others", "count", ">= 1"},
                        {"S_2", "mean duration of the others", "s", "> 0"},
                        {"c", "GPUs", "count", "1 to 64"}},
            .result = "1/s",
            .validity = "exact for exponential durations; some hundred states",
            .source = reset_paper,
            .errata = "",
            .topics = "Q7",
            .evaluate =
                [](inputs x) {
                  const std::vector<gang_class> classes{{1, x[0], seconds{x[1]}},
                                                        {whole(x[2]), 1 - x[0], seconds{x[3]}}};
                  return exact_saturation(classes, whole(x[4])).rate * seconds{1};
                },
            .examples = {{{0.5, 1, 8, 1, 8}, 1.1811685351291079, 1e-12, "saturation_rate"},
                         {{0.5, 1, 1, 3, 1}, 0.5, 1e-12, "one at a time, 2 s on average"}}},
    formula{.name = "still_running",
            .header = "queue/gang/residual.hpp",
            .meaning = "Share of the jobs that run now of which each still runs after a time",
            .text = "E max(S - t, 0) / E S",
            .latex = R"(\frac{E[(S - t)^+]}{E[S]})",
            .symbols = {{"S", "mean duration", "s", "1e-9 to 1e12"},
                        {"v", "squared coefficient of variation", "1", ">= 0"},
                        {"t", "time", "s", ">= 0"}},
            .result = "1",
            .validity = "jobs that come at random and do not wait",
            .source = "D. R. Cox, \"Renewal Theory\", Methuen (1962)",
            .errata = "",
            .topics = "Q7",
            .evaluate =
                [](inputs x) {
                  return still_running({.mean_duration = seconds{x[0]}, .variability = x[1]},
                                       seconds{x[2]});
                },
            .examples = {{{2, 1, 3}, 0.22313016014842982, 1e-15, "e^-1.5"},
                         {{2, 0, 0.5}, 0.75, 1e-15, "a quarter of 2 s has passed"}}},
    formula{.name = "ended_within",
            .header = "queue/gang/residual.hpp",
            .meaning = "Share of the jobs of a class that take no longer than a time",
            .text = "P(S <= t)",
            .latex = R"(P(S \le t))",
            .symbols = {{"S", "mean duration", "s", "1e-9 to 1e12"},
                        {"v", "squared coefficient of variation", "1", ">= 0"},
                        {"t", "time", "s", ">= 0"}},
            .result = "1",
            .validity = "the law of two moments, where no other is given",
            .source = "D. R. Cox, \"Renewal Theory\", Methuen (1962)",
            .errata = "",
            .topics = "Q7",
            .evaluate =
                [](inputs x) {
                  return ended_within({.mean_duration = seconds{x[0]}, .variability = x[1]},
                                      seconds{x[2]});
                },
            .examples = {{{2, 1, 3}, 0.77686983985157018, 1e-15, "1 - e^-1.5"}}},
    formula{.name = "first_delay_of",
            .header = "queue/gang/delay.hpp",
            .meaning = "How long the first job that finds no room waits: here of one size",
            .text = "int P(D > t) dt,  P(D > t) = sum p P(N_t > c - b, N_0 <= c) / P(N_0 <= c)",
            .latex = R"(E[D] = \int P(D > t) \, dt)",
            .symbols = {{"lambda", "jobs that arrive", "1/s", "> 0"},
                        {"b", "GPUs of each", "count", ">= 1"},
                        {"S", "mean duration", "s", "1e-9 to 1e12"},
                        {"c", "GPUs", "count", ">= b, <= 1e6"}},
            .result = "s",
            .validity = "exact in light traffic; for one size at any load",
            .source = "W. Whitt, \"Heavy-traffic approximations for service systems with "
                      "blocking\", AT&T Bell Lab. Tech. J. 63 (1984) 689-708, of such pools",
            .errata = "",
            .topics = "Q7",
            .evaluate =
                [](inputs x) {
                  const std::vector<gang_class> jobs{
                      {.gpus = whole(x[1]), .mean_duration = seconds{x[2]}}};
                  return first_delay_of({per_second{x[0]}, jobs, whole(x[3])}).mean / seconds{1};
                },
            .examples = {{{3, 8, 2, 64}, 0.25, 1e-5, "the first of eight to end, 2 s / 8"}}},
    formula{
        .name = "gang_wait",
        .header = "queue/gang/gang.hpp",
        .meaning = "Mean wait of gangs in their order: here of one size",
        .text = "P (E D^2 / 2 E D + r (1 + I) / (2 (lambda* - lambda)))",
        .latex =
            R"(P \left( \frac{E[D^2]}{2 E[D]} + \frac{r (1 + I)}{2 (\lambda^* - \lambda)} \right))",
        .symbols = {{"lambda", "jobs that arrive", "1/s", ">= 0"},
                    {"b", "GPUs of each", "count", ">= 1"},
                    {"S", "mean duration", "s", "1e-9 to 1e12"},
                    {"c", "GPUs", "count", ">= b, <= 1e4"}},
        .result = "s",
        .validity = "a factor of 1.17 on samples of real traces; M/M/c exactly",
        .source = reset_paper,
        .errata =
            "Erlang C of jobs, as if each were one server's, is off by a factor of 20 and more.",
        .topics = "Q7",
        .evaluate =
            [](inputs x) {
              const std::vector<gang_class> jobs{
                  {.gpus = whole(x[1]), .mean_duration = seconds{x[2]}}};
              const int gpus = whole(x[3]);
              return gang_wait({per_second{x[0]}, jobs, gpus}, exact_saturation(jobs, gpus))
                         .wait.mean /
                     seconds{1};
            },
        .examples = {{{1, 4, 1, 8}, 1.0 / 3, 1e-5, "M/M/2: C(2, 1) = 1/3"}}},
    formula{.name = "gang_wait",
            .header = "queue/gang/backfill.hpp",
            .meaning = "Mean wait of gangs where any that fits may go first: of one size and as "
                       "many of one GPU",
            .text = "W_c E b / Z",
            .latex = R"(W_c \frac{E[b]}{Z})",
            .symbols = {{"W_c", "wait in a pool that idles for no job", "s", ">= 0"},
                        {"b", "GPUs of the larger, as long as the others", "count", "1 to 1e3"}},
            .result = "s",
            .validity = "rough: a factor of 1.3 on samples of real traces",
            .source = "M. Harchol-Balter, I. Grosof and A. Scheller-Wolf, \"WCFS: a new framework "
                      "for analyzing multiserver systems\", Queueing Systems 102 (2022) 143-174",
            .errata = "",
            .topics = "Q7",
            .evaluate =
                [](inputs x) {
                  const std::vector<gang_class> jobs{{1, 1, seconds{1}},
                                                     {whole(x[1]), 1, seconds{1}}};
                  const gang_workload work{per_second{1}, jobs, whole(8 * x[1])};
                  const saturation limit{work.gpus / mix_of(jobs).work,
                                         static_cast<double>(work.gpus), 1};
                  return gang_wait(work, limit, backfilling::first_fit).wait.mean /
                         gang_wait(work, limit).wait.mean * x[0];
                },
            .examples = {{{10, 3}, 8, 1e-12, "E b = 2, Z = 5/2"}}},
    formula{
        .name = "endless_pool_of",
        .header = "queue/gang/peakedness.hpp",
        .meaning = "Peakedness of the GPUs that jobs would hold if none ran out: here of two "
                   "jobs, one after the other",
        .text = "variance / mean of N(t)",
        .latex = R"(Z = \frac{\mathrm{Var} N}{E[N]})",
        .symbols = {{"b_1", "GPUs of the first", "count", ">= 1"},
                    {"S_1", "duration of the first", "s", "> 0"},
                    {"b_2", "GPUs of the second, which comes as the first ends", "count", ">= 1"},
                    {"S_2", "duration of the second", "s", "> 0"}},
        .result = "1",
        .validity = "exact for the trace",
        .source = "A. E. Eckberg, \"Generalized peakedness of teletraffic processes\", 10th "
                  "International Teletraffic Congress (1983) 4.4b.3",
        .errata = "Counts of arrivals alone do not tell how many GPUs they hold, or for how long.",
        .topics = "Q7",
        .evaluate =
            [](inputs x) {
              const std::vector<trace_job> jobs{
                  {.duration = seconds{x[1]}, .gpus = whole(x[0])},
                  {.submit = seconds{x[1]}, .duration = seconds{x[3]}, .gpus = whole(x[2])}};
              return endless_pool_of(jobs).peakedness();
            },
        .examples = {{{2, 10, 4, 10}, 1.0 / 3, 1e-14, "mean 3, variance 1"}}},
    formula{.name = "replay_wait_probability",
            .header = "queue/gang/peakedness.hpp",
            .meaning = "How often jobs wait where so many find no room in an endless pool",
            .text = "C(c, a),  P(N >= c) = L",
            .latex = R"(C(c, a), \quad P(N_a \ge c) = L)",
            .symbols = {{"L", "share that finds no room", "1", "0 to 1"},
                        {"c", "GPUs over the peakedness of jobs at random", "1", "1e-3 to 1e6"}},
            .result = "1",
            .validity = "a factor of 1.2 on replays of real traces, whose arrivals drift",
            .source = "S. Halfin and W. Whitt, \"Heavy-traffic limits for queues with many "
                      "exponential servers\", Operations Research 29 (1981) 567-588",
            .errata = "",
            .topics = "Q7",
            .evaluate = [](inputs x) { return replay_wait_probability(x[0], x[1]); },
            .examples = {{{0.45118836390597361, 1}, 0.6, 1e-12, "M/M/1: 1 - e^-0.6 of all"}}},
    formula{.name = "replay_wait",
            .header = "queue/gang/replay.hpp",
            .meaning = "Mean wait of the jobs of a trace that waits so often: of one GPU each",
            .text = "P W_i / P_i",
            .latex = R"(P \frac{W_i}{P_i})",
            .symbols = {{"lambda", "jobs that arrive", "1/s", "> 0"},
                        {"S", "mean duration", "s", "1e-9 to 1e12"},
                        {"c", "GPUs", "count", "1 to 1e6"}},
            .result = "s",
            .validity = "where arrivals do not drift, which the answer says; here all find no room",
            .source = "as gang_wait and replay_wait_probability; put together here",
            .errata = "",
            .topics = "Q7",
            .evaluate =
                [](inputs x) {
                  const std::vector<gang_class> jobs{{.mean_duration = seconds{x[1]}}};
                  const int gpus = whole(x[2]);
                  const saturation limit{gpus / seconds{x[1]}, x[2], 1};
                  const endless_pool pool{.needed = {gpus + 1}};
                  return replay_wait(pool, {per_second{x[0]}, jobs, gpus}, limit).wait.mean /
                         seconds{1};
                },
            .examples = {{{1, 1, 2}, 1, 1e-5, "M/M/2: those that wait do so for 1 / (2 - 1)"}}}};

}  // namespace gpuplan::registry
