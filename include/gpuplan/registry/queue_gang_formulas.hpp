#pragma once
/// \file
/// Rows of queue/: jobs that hold several GPUs at once.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <gpuplan/queue/gang/arriving_gang.hpp>
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
#include <gpuplan/registry/words.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

/// Their inputs, where neither a row nor its function says otherwise.
///
///     b_2     GPUs of a large job                 count, >= 1
///     p       share of jobs of one GPU            1, > 0, < 1
///     S       mean duration                       s, 1e-9 to 1e12
///     a_2     load of large jobs                  1, >= 0
///     c       GPUs                                count, 0 to 1e6
///     b       GPUs of the others                  count, >= 1
///     v       squared coefficient of variation    1, >= 0
///     t       time                                s, >= 0
///     lambda  jobs that arrive                    1/s, > 0
inline constexpr std::array queue_gang_rows{
    /// Moments of jobs in GPUs and duration together: here the peakedness of two classes, variance
    /// over mean of the GPUs that would be busy.
    ///
    ///     E b^2 S / E b S
    ///
    ///     p_1  jobs of the first class        count, > 0
    ///     b_1  GPUs of one of the first       count, >= 1
    ///     S_1  mean duration of the first     s, >= 0
    ///     p_2  jobs of the second             count, > 0
    ///     b_2  GPUs of one of the second      count, >= 1
    ///     S_2  mean duration of the second    s, >= 0
    ///
    /// Holds: exact; as a variance of busy GPUs for jobs that come at random.
    row{.call = "queue/gang/mix.hpp: mix_of(p_1, b_1, S_1, p_2, b_2, S_2) in 1",
        .latex = R"(Z = \frac{E[b^2 S]}{E[b S]})",
        .errata = "GPUs and duration are related: products of their means are too small.",
        .topics = "Q7",
        .evaluate =
            [](inputs x) {
              return mix_of(std::vector<gang_class>{{whole(x[1]), x[0], seconds{x[2]}},
                                                    {whole(x[4]), x[3], seconds{x[5]}}})
                  .peakedness();
            },
        .examples = {{{3, 1, 1, 1, 4, 2}, 35.0 / 11, 1e-15, "(3 + 32) / (3 + 8)"}}},
    ///     p  share of the class    1, > 0, < 1
    ///     S  its mean duration     s, >= 0
    row{.call = "queue/gang/kaufman_roberts.hpp: gang_loads(lambda, p, S) in 1",
        .latex = R"(a_k = \lambda p_k S_k)",
        .topics = "Q7",
        .evaluate =
            [](inputs x) {
              const std::vector<gang_class> classes{{.share = x[1], .mean_duration = seconds{x[2]}},
                                                    {.share = 1 - x[1]}};
              return gang_loads(classes, per_second{x[0]})[0].jobs;
            },
        .examples = {{{8, 0.75, 1}, 6, 1e-15, "by hand"}}},
    /// Share of the time in which all GPUs are busy where jobs of two sizes that do not fit go
    /// away.
    ///
    ///     q(j) = w(j) / sum w,  j w(j) = sum a b w(j - b)
    ///
    ///     a_1  load of small jobs     1, >= 0
    ///     b_1  GPUs of a small job    count, >= 1
    ///
    /// Holds: exact, whatever the law of the durations; jobs that come at random.
    row{.call = "queue/gang/kaufman_roberts.hpp: kaufman_roberts(a_1, b_1, a_2, b_2, c) in 1",
        .latex = R"(j q(j) = \sum_k a_k b_k q(j - b_k))",
        .topics = "Q7",
        .evaluate =
            [](inputs x) {
              const std::vector<gang_load> loads{{whole(x[1]), x[0]}, {whole(x[3]), x[2]}};
              return kaufman_roberts(loads, whole(x[4])).back();
            },
        .examples = {{{1, 1, 0.5, 2, 2}, 1.0 / 3, 1e-15, "1, 1, 1/2 + 1/2 by hand"}}},
    /// Share of the large jobs that do not fit.
    ///
    ///     sum over j > c - b of q(j)
    ///
    ///     a_1  load of small jobs, of one GPU    1, >= 0
    ///
    /// Holds: as kaufman_roberts.
    row{.call = "queue/gang/kaufman_roberts.hpp: gang_blocking(a_1, a_2, b_2, c) in 1",
        .latex = R"(B_b = \sum_{j > c - b} q(j))",
        .topics = "Q7",
        .evaluate =
            [](inputs x) {
              const std::vector<gang_load> loads{{1, x[0]}, {whole(x[2]), x[1]}};
              return gang_blocking(kaufman_roberts(loads, whole(x[3])), whole(x[2]));
            },
        .examples =
            {{{1, 0.5, 2, 2}, 2.0 / 3, 1e-15, "by hand"},
             {{2, 1, 2, 8}, 1.0961662203956245e-1, 1e-14, "the same sums with 320 bits, MPFR"}}},
    /// Jobs of two sizes and equal durations that a pool can take in their order.
    ///
    ///     1 / (S E[1/N]),  N = max {n: b_1 + ... + b_n <= c}
    ///
    ///     c  GPUs             count, 1 to 1e4
    ///     S  mean duration    s, 1e-9 to 1e12
    ///
    /// Holds: exact for equal exponential durations.
    row{.call = "queue/gang/stability.hpp: saturation_rate(p, b, c, S) in 1/s",
        .latex = R"(\lambda^* = \frac{1}{S \, E[1/N]})",
        .errata = "c over the mean GPUs of a job is more than a pool can take: who does not fit "
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
    /// What a small pool takes of jobs of two sizes, whose durations may differ.
    ///
    ///     pi Q = 0,  lambda* = sum pi r
    ///
    ///     S_1  mean duration of jobs of one GPU    s, > 0
    ///     S_2  mean duration of the others         s, > 0
    ///     c    GPUs                                count, 1 to 64
    ///
    /// Holds: exact for exponential durations; some hundred states.
    row{.call = "queue/gang/markov.hpp: exact_saturation(p, S_1, b, S_2, c) in 1/s",
        .latex = R"(\pi Q = 0, \quad \lambda^* = \sum_n \pi_n r_n)",
        .topics = "Q7",
        .evaluate =
            [](inputs x) {
              const std::vector<gang_class> classes{{1, x[0], seconds{x[1]}},
                                                    {whole(x[2]), 1 - x[0], seconds{x[3]}}};
              return exact_saturation(classes, whole(x[4])).rate * seconds{1};
            },
        .examples = {{{0.5, 1, 8, 1, 8}, 1.1811685351291079, 1e-12, "saturation_rate"},
                     {{0.5, 1, 1, 3, 1}, 0.5, 1e-12, "one at a time, 2 s on average"}}},
    /// Share of the jobs that run now of which each still runs after a time.
    ///
    /// Holds: jobs that come at random and do not wait.
    row{.call = "queue/gang/residual.hpp: still_running(S, v, t) in 1",
        .latex = R"(\frac{E[(S - t)^+]}{E[S]})",
        .topics = "Q7",
        .evaluate =
            [](inputs x) {
              return still_running({.mean_duration = seconds{x[0]}, .variability = x[1]},
                                   seconds{x[2]});
            },
        .examples = {{{2, 1, 3}, 0.22313016014842982, 1e-15, "e^-1.5"},
                     {{2, 0, 0.5}, 0.75, 1e-15, "a quarter of 2 s has passed"}}},
    /// Share of the jobs of a class that take no longer than a time.
    ///
    /// Holds: the law of two moments, where no other is given.
    row{.call = "queue/gang/residual.hpp: ended_within(S, v, t) in 1",
        .latex = R"(P(S \le t))",
        .topics = "Q7",
        .evaluate =
            [](inputs x) {
              return ended_within({.mean_duration = seconds{x[0]}, .variability = x[1]},
                                  seconds{x[2]});
            },
        .examples = {{{2, 1, 3}, 0.77686983985157018, 1e-15, "1 - e^-1.5"}}},
    /// How long the first job that finds no room waits: here of one size.
    ///
    ///     int P(D > t) dt,  P(D > t) = sum p P(N_t > c - b, N_0 <= c) / P(N_0 <= c)
    ///
    ///     b  GPUs of each    count, >= 1
    ///     c  GPUs            count, >= b, <= 1e6
    ///
    /// Holds: exact in light traffic; for one size at any load.
    row{.call = "queue/gang/delay.hpp: first_delay_of(lambda, b, S, c) in s",
        .latex = R"(\int P(D > t) \, dt)",
        .topics = "Q7",
        .evaluate =
            [](inputs x) {
              const std::vector<gang_class> jobs{
                  {.gpus = whole(x[1]), .mean_duration = seconds{x[2]}}};
              return first_delay_of({per_second{x[0]}, jobs, whole(x[3])}).mean / seconds{1};
            },
        .examples = {{{3, 8, 2, 64}, 0.25, 1e-5, "the first of eight to end, 2 s / 8"}}},
    /// Mean wait of gangs in their order: here of one size.
    ///
    ///     P (E D^2 / 2 E D + r (1 + I) / (2 (lambda* - lambda)))
    ///
    ///     lambda  jobs that arrive    1/s, >= 0
    ///     b       GPUs of each        count, >= 1
    ///     c       GPUs                count, >= b, <= 1e4
    ///
    /// Holds: a factor of 1.17 on samples of real traces; M/M/c exactly.
    row{.call = "queue/gang/gang.hpp: gang_wait(lambda, b, S, c) in s",
        .latex =
            R"(P \left( \frac{E[D^2]}{2 E[D]} + \frac{r (1 + I)}{2 (\lambda^* - \lambda)} \right))",
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
    /// Mean wait of gangs where any that fits may go first: of one size and as many of one GPU.
    ///
    ///     W_c E b / Z
    ///
    ///     W_c  wait in a pool that idles for no job         s, >= 0
    ///     b    GPUs of the larger, as long as the others    count, 1 to 1e3
    ///
    /// Holds: rough: a factor of 1.3 on samples of real traces.
    row{.call = "queue/gang/backfill.hpp: gang_wait(W_c, b) in s",
        .latex = R"(W_c \frac{E[b]}{Z})",
        .topics = "Q7",
        .evaluate =
            [](inputs x) {
              const std::vector<gang_class> jobs{{1, 1, seconds{1}}, {whole(x[1]), 1, seconds{1}}};
              const gang_workload work{per_second{1}, jobs, whole(8 * x[1])};
              const saturation limit{work.gpus / mix_of(jobs).work, static_cast<double>(work.gpus),
                                     1};
              return gang_wait(work, limit, backfilling::first_fit).wait.mean /
                     gang_wait(work, limit).wait.mean * x[0];
            },
        .examples = {{{10, 3}, 8, 1e-12, "E b = 2, Z = 5/2"}}},
    /// Mean time that a gang is first in the queue: here among jobs of one GPU.
    ///
    ///     int P(N_t > c - g | N_0 <= c) dt
    ///
    ///     lambda  jobs that arrive     1/s, >= 0
    ///     c       GPUs                 count, >= 1, <= 1e4
    ///     g       GPUs of the gang     count, >= 1, <= c
    ///
    /// Holds: exact for a gang that finds no queue; jobs that come at random.
    row{.call = "queue/gang/arriving_gang.hpp: head_delays(lambda, S, c, g) in s",
        .latex = R"(\int P(N_t > c - g \mid N_0 \le c) \, dt)",
        .topics = "Q7",
        .evaluate =
            [](inputs x) {
              const std::vector<gang_class> jobs{{.mean_duration = seconds{x[1]}}};
              const std::vector<int> sizes{whole(x[3])};
              return head_delays({per_second{x[0]}, jobs, whole(x[2])}, sizes)[0].mean / seconds{1};
            },
        .examples = {{{1, 1, 2, 2}, 0.7, 1e-5, "one job runs, or two: 0.4 S + 0.2 (3/2) S"}}},
    /// Jobs that a pool can take under backfill: here of one GPU each.
    ///
    ///     (c_e + c) / 2 / S
    ///
    ///     c_e  GPUs that the order of arrival can keep busy    1, >= 0, <= c
    ///     c    GPUs                                            count, >= 1, <= 1e4
    ///
    /// Holds: fitted to simulations of EASY backfill.
    row{.call = "queue/gang/arriving_gang.hpp: backfilled_saturation(c_e, c, S) in 1/s",
        .latex = R"(\frac{c_e + c}{2 S})",
        .topics = "Q7",
        .evaluate =
            [](inputs x) {
              const std::vector<gang_class> jobs{{.mean_duration = seconds{x[2]}}};
              const saturation limit{x[0] / seconds{x[2]}, x[0], 1};
              return backfilled_saturation({per_second{0}, jobs, whole(x[1])}, limit).rate /
                     per_second{1};
            },
        .examples = {{{6, 8, 2}, 3.5, 1e-15, "by hand"}}},
    /// Mean wait of one more gang in a pool that others use: here among jobs of one GPU.
    ///
    ///     (1 - Q) E D_g + max(Q E D*_g, W_q - (1 - Q) E D + Q (E D*_g - E D*))
    ///
    ///     lambda  jobs that arrive     1/s, >= 0
    ///     c       GPUs                 count, >= 1, <= 1e4
    ///     g       GPUs of the gang     count, >= 1, <= c
    ///
    /// Holds: a factor of 1.15 where one gang in ten or more waits; exact for M/M/c and gangs of c.
    row{.call = "queue/gang/arriving_gang.hpp: arriving_gang_waits(lambda, S, c, g) in s",
        .latex = R"((1 - Q) E[D_g] + \max(Q E[D^*_g],
            W_q - (1 - Q) E[D] + Q (E[D^*_g] - E[D^*])))",
        .errata = "The mean over all jobs says little of a gang that is larger than most.",
        .topics = "Q7",
        .evaluate =
            [](inputs x) {
              const std::vector<gang_class> jobs{{.mean_duration = seconds{x[1]}}};
              const std::vector<int> sizes{whole(x[3])};
              const saturation limit{x[2] / seconds{x[1]}, x[2], 1};
              return arriving_gang_waits({per_second{x[0]}, jobs, whole(x[2])}, limit, sizes)
                         .waits[0]
                         .mean() /
                     seconds{1};
            },
        .examples =
            {{{1, 1, 2, 1}, 1.0 / 3, 1e-5, "M/M/2"},
             {{1, 1, 2, 2}, 1, 1e-4, "1/3 + 1/6 (3/2) + 1/3 (1/2) + 1/6 (3/2), S by state"}}},
    /// Peakedness of the GPUs that jobs would hold if none ran out: here of two jobs, one after the
    /// other.
    ///
    ///     variance / mean of N(t)
    ///
    ///     b_1  GPUs of the first                                    count, >= 1
    ///     S_1  duration of the first                                s, > 0
    ///     b_2  GPUs of the second, which comes as the first ends    count, >= 1
    ///     S_2  duration of the second                               s, > 0
    ///
    /// Holds: exact for the trace.
    row{.call = "queue/gang/peakedness.hpp: endless_pool_of(b_1, S_1, b_2, S_2) in 1",
        .latex = R"(\frac{\mathrm{variance}\; N(t)}{\mathrm{mean}\; N(t)})",
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
    row{.call = "queue/gang/peakedness.hpp: replay_wait_probability(L, c) in 1",
        .latex = R"(P = \mathrm{erlang\_c}(c, a), \quad P(N \ge c) = L)",
        .topics = "Q7",
        .evaluate = [](inputs x) { return replay_wait_probability(x[0], x[1]); },
        .examples = {{{0.45118836390597361, 1}, 0.6, 1e-12, "M/M/1: 1 - e^-0.6 of all"}}},
    /// Mean wait of the jobs of a trace of one GPU each, those that do not wait included.
    ///
    ///     P W_i / P_i
    ///
    ///     c  GPUs                              count, 1 to 1e6
    ///     n  jobs of the trace                 count, 1 to 1e6
    ///     m  jobs among them without room      count, 0 to n
    ///
    /// Holds: where arrivals do not drift, which the answer says.
    row{.call = "queue/gang/replay.hpp: replay_wait(lambda, S, c, n, m) in s",
        .latex = R"(P \frac{W_i}{P_i})",
        .topics = "Q7",
        .evaluate =
            [](inputs x) {
              const std::vector<gang_class> jobs{{.mean_duration = seconds{x[1]}}};
              const int gpus = whole(x[2]);
              const saturation limit{gpus / seconds{x[1]}, x[2], 1};
              endless_pool pool{
                  .needed = std::vector<std::int64_t>(static_cast<std::size_t>(whole(x[3])), 0)};
              std::fill(pool.needed.end() - whole(x[4]), pool.needed.end(), gpus + 1);
              return replay_wait(pool, {per_second{x[0]}, jobs, gpus}, limit).wait.mean /
                     seconds{1};
            },
        .examples = {{{1, 1, 2, 2, 1},
                      0.7657919784466,
                      1e-5,
                      "M/M/2: of 1.678 jobs at once half find no room, and 0.766 wait, for 1 s"},
                     {{1, 1, 2, 1, 1}, 1, 1e-5, "all wait, for 1 / (2 - 1)"},
                     {{1, 1, 2, 1, 0}, 0, 0, "none waits"}}}};
inline constexpr auto queue_gang_formulas = with_words(queue_gang_rows, words::queue_gang_formulas);

}  // namespace gpuplan::registry
