#pragma once
/// \file
/// Rows of scaling/: what more devices and larger batches buy.

#include <array>
#include <span>

#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>
#include <gpuplan/scaling/adaptive_batch.hpp>
#include <gpuplan/scaling/amdahl.hpp>
#include <gpuplan/scaling/asynchronous.hpp>
#include <gpuplan/scaling/batch_size.hpp>
#include <gpuplan/scaling/critical_batch.hpp>
#include <gpuplan/scaling/data_parallel.hpp>
#include <gpuplan/scaling/efficiency.hpp>
#include <gpuplan/scaling/goodput.hpp>
#include <gpuplan/scaling/gustafson.hpp>
#include <gpuplan/scaling/isoefficiency.hpp>
#include <gpuplan/scaling/karp_flatt.hpp>
#include <gpuplan/scaling/learning_rate.hpp>
#include <gpuplan/scaling/loss_law.hpp>
#include <gpuplan/scaling/noise_scale.hpp>
#include <gpuplan/scaling/pollux.hpp>
#include <gpuplan/scaling/straggler.hpp>
#include <gpuplan/scaling/trust_ratio.hpp>
#include <gpuplan/scaling/usl.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

inline constexpr std::string_view amdahl =
    "G. M. Amdahl, \"Validity of the single processor approach to achieving large scale computing "
    "capabilities\", AFIPS Spring Joint Computer Conference (1967) 483-485";
inline constexpr std::string_view gustafson =
    "J. L. Gustafson, \"Reevaluating Amdahl's law\", Communications of the ACM 31 (1988) 532-533";

inline constexpr symbol half_batch{"B_h", "batch at half of that", "1", ">= 0"};

/// The curve of a row that is asked R, B_h.
constexpr batch_curve curve_of(inputs x) {
  return {.plateau = per_second{x[0]}, .half_batch = x[1]};
}

/// Their inputs, where neither a row nor its function says otherwise.
///
///     a    contention                 1, 0 to 1
///     n_0  devices of the base run    count, >= 1
///     T_0  its time                   s, > 0
///     n    devices                    count, >= 1
///     T    time on n                  s, > 0
///     B    batch                      count, > 0
///     B_1  smaller batch              count, > 0
///     B_2  larger batch               count, > B_1
///     phi  noise scale                1, >= 0
///     M_0  base batch                 count, > 0
///     M    batch                      count, > 0
///     m    samples of a replica       count, > 0
inline constexpr std::array scaling_rows{
    row{.call = "scaling/amdahl.hpp: amdahl_speed_up(p, n) in 1",
        .latex = R"(\frac{1}{(1 - p) + p/n})",
        .topics = "P1",
        .evaluate = [](inputs x) { return amdahl_speed_up(x[0], x[1]); },
        .examples = {{{0.95, 20}, 20 / 1.95, 1e-12, "1/(0.05 + 0.0475)"}}},
    row{.call = "scaling/amdahl.hpp: amdahl_limit(p) in 1",
        .latex = R"(\frac{1}{1 - p})",
        .topics = "P1",
        .evaluate = [](inputs x) { return amdahl_limit(x[0]); },
        .examples = {{{0.75}, 4, 0, "1/0.25"}}},
    row{.call = "scaling/amdahl.hpp: amdahl_devices(p, S) in count",
        .latex = R"(\frac{p}{1/S - (1 - p)})",
        .topics = "P1",
        .evaluate = [](inputs x) { return amdahl_devices(x[0], x[1]); },
        .examples = {{{0.75, 2}, 3, 1e-12, "0.75/(0.5 - 0.25)"}}},
    row{.call = "scaling/gustafson.hpp: gustafson_speed_up(s, n) in 1",
        .latex = R"(n - s (n - 1))",
        .topics = "P1",
        .evaluate = [](inputs x) { return gustafson_speed_up(x[0], x[1]); },
        .examples = {{{0.004, 1024}, 1019.908, 1e-12, "the paper's 1020 for s = 0.4 %"}}},
    row{.call = "scaling/gustafson.hpp: amdahl_parallel_part(s, n) in 1",
        .latex = R"(\frac{n (1 - s)}{s + n (1 - s)})",
        .topics = "P1",
        .evaluate = [](inputs x) { return amdahl_parallel_part(x[0], x[1]); },
        .examples = {{{0.5, 3}, 0.75, 1e-12, "1.5/2"}}},
    row{.call = "scaling/karp_flatt.hpp: karp_flatt(S, n) in 1",
        .latex = R"(\frac{1/S - 1/n}{1 - 1/n})",
        .topics = "P1",
        .evaluate = [](inputs x) { return karp_flatt(x[0], x[1]); },
        .examples = {{{2, 4}, 1.0 / 3, 1e-12, "0.25/0.75"}}},
    /// Throughput of n devices over that of one, by the universal scalability law.
    ///
    ///     n / (1 + a (n - 1) + b n (n - 1))
    ///
    ///     b  coherency    1, >= 0
    ///
    /// Holds: with b = 0 it is Amdahl's law.
    row{.call = "scaling/usl.hpp: usl_speed_up(a, b, n) in 1",
        .latex = R"(\frac{n}{1 + a (n - 1) + b n (n - 1)})",
        .topics = "P1",
        .evaluate =
            [](inputs x) {
              return usl_speed_up({x[0], x[1]}, x[2]);
            },
        .examples = {{{0.1, 0.01, 10}, 10 / 2.8, 1e-12, "10/(1 + 0.9 + 0.9)"}}},
    /// Devices at which the throughput is largest.
    ///
    ///     sqrt((1 - a) / b)
    ///
    ///     b  coherency    1, > 0
    ///
    /// Holds: at least 1.
    row{.call = "scaling/usl.hpp: usl_peak(a, b) in count",
        .latex = R"(\sqrt{\frac{1 - a}{b}})",
        .topics = "P1",
        .evaluate =
            [](inputs x) {
              return usl_peak({x[0], x[1]});
            },
        .examples = {{{0.19, 0.01}, 9, 1e-12, "sqrt(81)"}}},
    row{.call = "scaling/efficiency.hpp: strong_scaling_efficiency(n_0, T_0, n, T) in 1",
        .latex = R"(\frac{T_0 / T}{n / n_0})",
        .topics = "P2",
        .evaluate =
            [](inputs x) {
              return strong_scaling_efficiency(
                         {whole(x[0]), seconds{x[1]}, whole(x[2]), seconds{x[3]}})
                  .value();
            },
        .examples = {{{1, 600, 4, 300}, 0.5, 0, "10 min to 5 min on four"}}},
    row{.call = "scaling/efficiency.hpp: weak_scaling_efficiency(n_0, T_0, n, T) in 1",
        .latex = R"(T_0 / T)",
        .topics = "P2",
        .evaluate =
            [](inputs x) {
              return weak_scaling_efficiency(
                         {whole(x[0]), seconds{x[1]}, whole(x[2]), seconds{x[3]}})
                  .value();
            },
        .examples = {{{1, 90, 16, 100}, 0.9, 1e-12, "90/100"}}},
    row{.call = "scaling/efficiency.hpp: throughput_efficiency(n_0, B_0, T_0, n, B, T) in 1",
        .latex = R"(\frac{B / T}{B_0 / T_0} \cdot \frac{n_0}{n})",
        .errata = "A chapter has 13 % for 16 samples in 1.8 s on one device and 512 in 0.425 s "
                  "on 32: that is 135 times the throughput, 4.2 times as much as 32 devices "
                  "could give.",
        .topics = "P2",
        .evaluate =
            [](inputs x) {
              return throughput_efficiency({whole(x[0]), x[1], seconds{x[2]}},
                                           {whole(x[3]), x[4], seconds{x[5]}})
                  .value();
            },
        .examples = {{{1, 16, 1.6, 4, 64, 3.2}, 0.5, 1e-12, "twice the rate on four"}}},
    /// Whether two runs are one of strong (0) or weak (1) scaling, or neither (2).
    row{.call = "scaling/efficiency.hpp: scaling_kind_of(n_0, B_0, n, B) in 1",
        .latex = R"(B = B_0;\; B n_0 = B_0 n)",
        .topics = "P2",
        .evaluate =
            [](inputs x) {
              return static_cast<double>(scaling_kind_of({whole(x[0]), x[1], seconds{1}},
                                                         {whole(x[2]), x[3], seconds{1}}));
            },
        .examples = {{{1, 16, 32, 512}, 1, 0, "16 a device"},
                     {{1, 16, 32, 16}, 0, 0, "16 in all"}}},
    row{.call = "scaling/isoefficiency.hpp: isoefficiency(T_o, E) in s",
        .latex = R"(\frac{E}{1 - E} T_o)",
        .topics = "P1 P2",
        .evaluate = [](inputs x) { return isoefficiency(seconds{x[0]}, x[1]).in(units::second); },
        .examples = {{{0.1, 0.8}, 0.4, 1e-12, "0.4/(0.4 + 0.1)"}}},
    /// Time of an epoch on n devices.
    ///
    ///     T_1 / n + (N / B) (t_comm + t_wait)
    ///
    ///     T_1     compute of the epoch on one device    s, >= 0
    ///     N/B     updates of the epoch                  count, >= 0
    ///     t_comm  exposed communication of a step       s, >= 0
    ///     t_wait  waiting of a step                     s, >= 0
    ///
    /// Holds: work divides evenly.
    row{.call =
            "scaling/data_parallel.hpp: data_parallel_epoch_time(T_1, N/B, t_comm, t_wait, n) in s",
        .latex = R"(\frac{T_1}{n} + \frac{N}{B} (t_{comm} + t_{wait}))",
        .errata = "A textbook charges one all-reduce an epoch; there is one in every step.",
        .topics = "P3 N7",
        .evaluate =
            [](inputs x) {
              return data_parallel_epoch_time({seconds{x[0]}, x[1], seconds{x[2]}, seconds{x[3]}},
                                              whole(x[4]))
                  .total()
                  .in(units::second);
            },
        .examples = {{{800, 100, 0.2, 0.1, 8}, 130, 1e-12, "100 + 20 + 10"}}},
    ///     B_h  batch at half of that    1, >= 0
    row{.call = "scaling/batch_size.hpp: batch_utilization(B, B_h) in 1",
        .latex = R"(\frac{B}{B + B_{1/2}})",
        .topics = "B5",
        .evaluate = [](inputs x) { return batch_utilization(x[0], x[1]); },
        .examples = {{{96, 32}, 0.75, 0, "96/128"}}},
    row{.call = "scaling/batch_size.hpp: batch_throughput(R, B_h, B) in 1/s",
        .latex = R"(R \frac{B}{B + B_{1/2}})",
        .topics = "B5",
        .evaluate =
            [](inputs x) { return batch_throughput(curve_of(x), x[2]).in(1 / units::second); },
        .examples = {{{1000, 32, 96}, 750, 1e-12, "three quarters"}}},
    row{.call = "scaling/batch_size.hpp: batch_time(R, B_h, B) in s",
        .latex = R"(\frac{B + B_{1/2}}{R})",
        .topics = "B5",
        .evaluate = [](inputs x) { return batch_time(curve_of(x), x[2]).in(units::second); },
        .examples = {{{1000, 32, 96}, 0.128, 1e-12, "128/1000"}}},
    row{.call = "scaling/batch_size.hpp: batch_of_utilization(R, B_h, u) in count",
        .latex = R"(B_{1/2} \frac{u}{1 - u})",
        .topics = "B5",
        .evaluate = [](inputs x) { return batch_of_utilization(curve_of(x), x[2]); },
        .examples = {{{1000, 32, 0.75}, 96, 1e-12, "three times the half batch"}}},
    /// The plateau of the curve through two measured batches.
    ///
    ///     (B_2 - B_1) / (t_2 - t_1)
    ///
    ///     t_1  step of the smaller    s, > 0
    ///     t_2  step of the larger     s, > t_1
    ///
    /// Holds: exact at both.
    row{.call = "scaling/batch_size.hpp: batch_curve_through(B_1, t_1, B_2, t_2) in 1/s",
        .latex = R"(\frac{B_2 - B_1}{t_2 - t_1})",
        .topics = "B5",
        .evaluate =
            [](inputs x) {
              return batch_curve_through({x[0], seconds{x[1]}}, {x[2], seconds{x[3]}})
                  .plateau.in(1 / units::second);
            },
        .examples = {{{32, 0.064, 96, 0.128}, 1000, 1e-12, "64 samples in 64 ms"}}},
    /// Updates of a schedule of two batches.
    ///
    ///     N_1 / B_1 + N_2 / B_2
    ///
    ///     N_1  samples of the first part    count, >= 0
    ///     B_1  batch of the first part      count, > 0
    ///     N_2  samples of the second        count, >= 0
    ///     B_2  batch of the second          count, > 0
    ///
    /// Holds: whole epochs.
    row{.call = "scaling/adaptive_batch.hpp: batch_schedule_length(N_1, B_1, N_2, B_2) in count",
        .latex = R"(\sum_i N_i / B_i)",
        .topics = "B7",
        .evaluate =
            [](inputs x) {
              const std::array phases{batch_phase{x[0], x[1]}, batch_phase{x[2], x[3]}};
              return batch_schedule_length(phases, {.plateau = per_second{1}}).updates;
            },
        .examples = {{{1280, 128, 2560, 256}, 20, 1e-12, "10 + 10"}}},
    /// Steps to one loss at a batch.
    ///
    ///     S_min  least steps      1, > 0
    ///     E_min  least samples    1, > 0
    row{.call = "scaling/critical_batch.hpp: training_at_batch(S_min, E_min, B) in count",
        .latex = R"(S_{\min} \left( 1 + \frac{B_{crit}}{B} \right))",
        .topics = "B6",
        .evaluate =
            [](inputs x) {
              return training_at_batch({x[0], x[1]}, x[2]).steps;
            },
        .examples = {{{1000, 1e6, 1000}, 2000, 1e-12, "twice the least at B_crit"}}},
    /// Critical batch through two runs to one loss.
    ///
    ///     E_min / S_min of both equations
    ///
    ///     S_1  steps of the smaller batch      count, > S_2
    ///     E_1  samples of the smaller batch    count, > 0
    ///     S_2  steps of the larger batch       count, > 0
    ///     E_2  samples of the larger batch     count, > E_1
    ///
    /// Holds: exact through both.
    row{.call =
            "scaling/critical_batch.hpp: training_tradeoff_through(S_1, E_1, S_2, E_2) in count",
        .latex = R"(B_{crit} = E_{\min} / S_{\min})",
        .topics = "B6",
        .evaluate =
            [](inputs x) {
              return training_tradeoff_through({x[0], x[1]}, {x[2], x[3]}).critical_batch();
            },
        .examples =
            {{{3000, 1.5e6, 1500, 3e6}, 1000, 1e-12, "S_min 1000, E_min 1e6 at B = 500 and 2000"}}},
    ///     L  loss, nat a token    1, > 0
    row{.call = "scaling/critical_batch.hpp: coarse_critical_batch(L) in token",
        .latex = R"(\frac{2.1 \cdot 10^8}{L^{1/0.21}})",
        .topics = "B6",
        .evaluate = [](inputs x) { return coarse_critical_batch(x[0]).in(units::token); },
        .examples = {{{1}, 2.1e8, 1e-12, "the source's B_*"}}},
    row{.call = "scaling/loss_law.hpp: loss_of_scale(N, D) in 1",
        .latex = R"(E + \frac{A}{N^{\alpha}} + \frac{B}{D^{\beta}})",
        .topics = "C8",
        .evaluate = [](inputs x) { return loss_of_scale(x[0], x[1] * units::token); },
        .examples = {{{70e9, 1.4e12}, 1.936, 5e-4, "1.69 + 0.083 + 0.163, terms by hand"},
                     {{280e9, 300e9}, 1.993, 5e-4, "1.69 + 0.052 + 0.251, terms by hand"}}},
    row{.call = "scaling/loss_law.hpp: best_model_for(F) in count",
        .latex = R"((\frac{\alpha A}{\beta B})^{1/(\alpha + \beta)})"
                 R"( (F/6)^{\beta/(\alpha + \beta)})",
        .topics = "C8",
        .evaluate = [](inputs x) { return best_model_for(flop{x[0]}).parameters; },
        .examples = {{{5.76e23}, 32189860181.0, 1e-6, "golden-section search over N, in Python"}}},
    /// The batch at which noise and gradient are as large.
    ///
    ///     tr(Sigma) / |G|^2
    ///
    ///     |G|^2  square of the mean gradient    1, >= 0
    ///     tr     variance of one sample's       1, >= 0
    ///
    /// Holds: infinite for a mean of 0.
    row{.call = "scaling/noise_scale.hpp: gradient_noise_scale(|G|^2, tr) in count",
        .latex = R"(\frac{\mathrm{tr}(\Sigma)}{|G|^2})",
        .errata = "A mini-batch gradient is unbiased, not biased as a chapter says: its "
                  "variance falls as 1/B.",
        .topics = "B6 B4",
        .evaluate =
            [](inputs x) {
              return gradient_noise_scale({x[0], x[1]});
            },
        .examples = {{{0.5, 1000}, 2000, 1e-12, "1000/0.5"}}},
    /// Variance of one sample's gradient, from two batch sizes.
    ///
    ///     (g_1 - g_2) / (1/B_1 - 1/B_2)
    ///
    ///     g_1  square of the gradient of the smaller    1, >= 0
    ///     g_2  square of the gradient of the larger     1, >= 0
    ///
    /// Holds: means over many steps.
    row{.call = "scaling/noise_scale.hpp: gradient_statistics_of(B_1, g_1, B_2, g_2) in 1",
        .latex = R"(\frac{g_1 - g_2}{1/B_1 - 1/B_2})",
        .topics = "B6",
        .evaluate =
            [](inputs x) {
              return gradient_statistics_of({x[0], x[1]}, {x[2], x[3]}).variance;
            },
        .examples = {{{10, 100.5, 100, 10.5}, 1000, 1e-12, "|G|^2 = 0.5: 0.5 + 1000/B"}}},
    ///     B_noise  noise scale    1, >= 0
    row{.call = "scaling/noise_scale.hpp: step_progress(B, B_noise) in 1",
        .latex = R"(\frac{1}{1 + B_{noise} / B})",
        .topics = "B6",
        .evaluate = [](inputs x) { return step_progress(x[0], x[1]); },
        .examples = {{{500, 1500}, 0.25, 1e-12, "1/(1 + 3)"}}},
    row{.call = "scaling/goodput.hpp: statistical_efficiency(phi, M_0, M) in 1",
        .latex = R"(\frac{\phi + M_0}{\phi + M})",
        .topics = "B6",
        .evaluate = [](inputs x) { return statistical_efficiency(x[0], x[1], x[2]); },
        .examples = {{{100, 100, 300}, 0.5, 1e-12, "200/400"}}},
    ///     M / t (phi + M_0) / (phi + M)
    ///
    ///     t  time of its step    s, > 0
    ///
    /// Holds: time to accuracy is as its inverse.
    row{.call = "scaling/goodput.hpp: goodput_of(phi, M_0, M, t) in 1/s",
        .latex = R"(\frac{M}{t} \cdot \frac{\phi + M_0}{\phi + M})",
        .topics = "B6 Q5",
        .evaluate =
            [](inputs x) {
              return goodput_of(x[0], x[1], x[2], seconds{x[3]}).rate().in(1 / units::second);
            },
        .examples = {{{100, 100, 300, 1.5}, 100, 1e-12, "200 a second, half as good"}}},
    /// Time of a step of replicas within a node.
    ///
    ///     ((a_c + b_c m)^g + (a + b max(K - 2, 0))^g)^(1/g)
    ///
    ///     a_c  of one micro-batch         s, >= 0
    ///     b_c  of one sample              s, >= 0
    ///     a    of a reduction             s, >= 0
    ///     b    past the second replica    s, >= 0
    ///     K    replicas                   count, >= 2
    ///     g    overlap                    1, >= 1
    ///
    /// Holds: one node, no accumulation.
    row{.call = "scaling/pollux.hpp: pollux_step_time(a_c, b_c, m, a, b, K, g) in s",
        .latex = R"(\left( (a_c + b_c m)^g + (a + b \max(K - 2, 0))^g \right)^{1/g})",
        .topics = "Q5",
        .evaluate =
            [](inputs x) {
              const pollux_speed speed{.compute_constant = seconds{x[0]},
                                       .compute_per_sample = seconds{x[1]},
                                       .node_constant = seconds{x[3]},
                                       .node_per_replica = seconds{x[4]},
                                       .overlap = x[6]};
              return pollux_step_time(speed, {.replicas = whole(x[5]), .batch_per_replica = x[2]})
                  .in(units::second);
            },
        .examples = {{{1, 0.1, 20, 2, 1, 4, 2}, 5, 1e-12, "sqrt(3^2 + 4^2)"}}},
    /// Goodput of replicas within a node.
    ///
    ///     K m / T (phi + M_0) / (phi + K m)
    ///
    ///     b_c  of one sample    s, > 0
    ///     K    replicas         count, >= 1
    ///
    /// Holds: reductions that take no time.
    row{.call = "scaling/pollux.hpp: pollux_goodput(b_c, m, K, phi, M_0) in 1/s",
        .latex = R"(\frac{K m}{T} \cdot \frac{\phi + M_0}{\phi + K m})",
        .topics = "Q5",
        .evaluate =
            [](inputs x) {
              return pollux_goodput({.compute_per_sample = seconds{x[0]}},
                                    {.replicas = whole(x[2]), .batch_per_replica = x[1]}, x[3],
                                    x[4])
                  .rate()
                  .in(1 / units::second);
            },
        .examples = {{{0.01, 75, 4, 100, 100}, 200, 1e-12, "300 in 0.75 s, half as good"}}},
    ///     argmax over 50 batches of G(M)
    ///
    ///     M_0  base batch, and the largest allowed    count, > 0
    ///
    /// Holds: one allowed batch: it comes out.
    row{.call = "scaling/pollux.hpp: pollux_best_batch(M_0) in count",
        .latex = R"(\arg\max_M G(M))",
        .topics = "Q5",
        .evaluate =
            [](inputs x) {
              const pollux_choice best = pollux_best_batch({.compute_per_sample = seconds{1}},
                                                           {.batch_per_replica = 1}, 100,
                                                           {.base = x[0],
                                                            .largest = x[0],
                                                            .least_per_replica = 1,
                                                            .most_per_replica = x[0]});
              return best.placement.batch_per_replica;
            },
        .examples = {{{64}, 64, 1e-12, "nothing else to choose"}}},
    row{.call = "scaling/straggler.hpp: expected_normal_maximum(n) in 1",
        .latex = R"(\int x\, n\, \varphi(x) \Phi(x)^{n-1} dx)",
        .topics = "P7",
        .evaluate = [](inputs x) { return expected_normal_maximum(x[0]); },
        .examples = {{{2}, 0.5641895835477563, 1e-12, "1/sqrt(pi)"},
                     {{3}, 0.8462843753216345, 1e-12, "3/(2 sqrt(pi))"}}},
    row{.call = "scaling/straggler.hpp: straggler_delay(sigma, n) in s",
        .latex = R"(\sigma\, m(n))",
        .topics = "P7",
        .evaluate = [](inputs x) { return straggler_delay(seconds{x[0]}, x[1]).in(units::second); },
        .examples = {{{0.01, 2}, 0.005641895835477563, 1e-12, "sigma/sqrt(pi)"}}},
    row{.call = "scaling/straggler.hpp: slowest_over_mean(s, n) in 1",
        .latex = R"(1 + s\, m(n))",
        .topics = "P7",
        .evaluate = [](inputs x) { return slowest_over_mean(x[0], x[1]); },
        .examples = {{{0.01, 2}, 1.005641895835477563, 1e-12, "1 + s/sqrt(pi)"},
                     {{0.02, 100}, 1.0501518, 1e-6, "Harter (1961): 2.50759 for 100"}}},
    row{.call = "scaling/straggler.hpp: coarse_straggler_delay(sigma, n) in s",
        .latex = R"(\sigma \sqrt{2 \ln n})",
        .topics = "P7",
        .evaluate =
            [](inputs x) { return coarse_straggler_delay(seconds{x[0]}, x[1]).in(units::second); },
        .examples = {{{0.01, 100}, 0.03034854259, 1e-9, "0.01 sqrt(9.21034037)"}}},
    /// Share of their time that participants wait for the slowest.
    ///
    ///     1 - mean / max
    ///
    ///     t_1  time of the first     s, > 0
    ///     t_2  time of the second    s, > 0
    ///
    /// Holds: two participants.
    row{.call = "scaling/straggler.hpp: waiting_for_slowest(t_1, t_2) in 1",
        .latex = R"(1 - \frac{\bar t}{\max_k t_k})",
        .topics = "P7",
        .evaluate =
            [](inputs x) {
              const std::array times{seconds{x[0]}, seconds{x[1]}};
              return waiting_for_slowest(times).idle();
            },
        .examples = {{{1, 3}, 1.0 / 3, 1e-12, "1 - 2/3"}}},
    /// Throughput of two unequal devices with equal shares of a batch.
    ///
    ///     n min_k r_k
    ///
    ///     r_1  samples a second of the first    1/s, > 0
    ///     r_2  of the second                    1/s, > 0
    ///
    /// Holds: no communication; proportional shares reach the sum.
    row{.call = "scaling/straggler.hpp: throughput_of_mixed(r_1, r_2) in 1/s",
        .latex = R"(n \min_k r_k)",
        .topics = "P7",
        .evaluate =
            [](inputs x) {
              const std::array speeds{per_second{x[0]}, per_second{x[1]}};
              return throughput_of_mixed(speeds).equal_shares.in(1 / units::second);
            },
        .examples = {{{100, 300}, 200, 1e-12, "twice the slower"}}},
    /// Updates a second of two workers that do not wait for one another.
    ///
    ///     min(sum_k 1/t_k, 1/t_s)
    ///
    ///     t_1  step of the first              s, > 0
    ///     t_2  step of the second             s, > 0
    ///     t_s  server's time for an update    s, > 0
    ///
    /// Holds: throughput alone: an update with old weights is worth less.
    row{.call = "scaling/asynchronous.hpp: asynchronous_throughput(t_1, t_2, t_s) in 1/s",
        .latex = R"(\min\left( \sum_k \frac{1}{t_k}, \frac{1}{t_s} \right))",
        .topics = "P10",
        .evaluate =
            [](inputs x) {
              const std::array steps{seconds{x[0]}, seconds{x[1]}};
              return asynchronous_throughput(steps, seconds{x[2]}).updates().in(1 / units::second);
            },
        .examples = {{{0.5, 0.25, 0.1}, 6, 1e-12, "2 + 4"},
                     {{0.5, 0.25, 0.2}, 5, 1e-12, "the server binds"}}},
    row{.call = "scaling/asynchronous.hpp: mean_staleness(n) in count",
        .latex = R"(n - 1)",
        .topics = "P10",
        .evaluate = [](inputs x) { return mean_staleness(whole(x[0])); },
        .examples = {{{8}, 7, 0, "8 - 1"}}},
    ///     r_0  rate of the base batch    1, >= 0
    ///     B_0  base batch                count, > 0
    row{.call = "scaling/learning_rate.hpp: linear_learning_rate(r_0, B_0, B) in 1",
        .latex = R"(r_0 \frac{B}{B_0})",
        .topics = "B4",
        .evaluate = [](inputs x) { return linear_learning_rate(x[0], x[1], x[2]); },
        .examples = {{{0.1, 256, 8192}, 3.2, 1e-12, "ResNet-50 of the source"}}},
    row{.call = "scaling/learning_rate.hpp: square_root_learning_rate(r_0, B_0, B) in 1",
        .latex = R"(r_0 \sqrt{B / B_0})",
        .topics = "B4",
        .evaluate = [](inputs x) { return square_root_learning_rate(x[0], x[1], x[2]); },
        .examples = {{{1e-4, 256, 1024}, 2e-4, 1e-12, "twice for four times"}}},
    ///     r_max  highest rate            1, >= r_min
    ///     r_min  rate at the end         1, >= 0
    ///     w      steps of the warm-up    count, >= 0
    ///     K      steps of all            count, > w
    row{.call = "scaling/learning_rate.hpp: learning_rate(r_max, r_min, w, K, k) in 1",
        .latex = R"(r_{\min} + \frac{r_{\max} - r_{\min}}{2} )"
                 R"(\left( 1 + \cos \frac{\pi (k - w)}{K - w} \right))",
        .topics = "B4",
        .evaluate =
            [](inputs x) {
              return learning_rate(
                  {.peak = x[0], .least = x[1], .warm_up_steps = x[2], .steps = x[3]}, x[4]);
            },
        .examples = {{{1, 0.1, 100, 1100, 50}, 0.5, 1e-12, "half of the warm-up"},
                     {{1, 0.1, 100, 1100, 600}, 0.55, 1e-12, "half of the decay"}}},
    ///     |w|  norm of the weights     1, >= 0
    ///     |g|  norm of the gradient    1, >= 0
    row{.call = "scaling/trust_ratio.hpp: lars_trust_ratio(|w|, |g|, lambda, eta) in 1",
        .latex = R"(\eta \frac{|w|}{|g| + \lambda |w|})",
        .topics = "B4",
        .evaluate = [](inputs x) { return lars_trust_ratio(x[0], x[1], x[2], x[3]); },
        .examples = {{{10, 1, 0.1, 0.001}, 0.005, 1e-12, "0.001 x 10/2"}}},
    row{.call = "scaling/trust_ratio.hpp: lamb_trust_ratio(|w|, |u|) in 1",
        .latex = R"(|w| / |u|)",
        .topics = "B4",
        .evaluate = [](inputs x) { return lamb_trust_ratio(x[0], x[1]); },
        .examples = {{{10, 4}, 2.5, 0, "10/4"}}}};
inline constexpr auto scaling_formulas = with_words(scaling_rows, words::scaling_formulas);

}  // namespace gpuplan::registry
