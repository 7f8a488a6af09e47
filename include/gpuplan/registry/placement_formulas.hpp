#pragma once
/// \file
/// Rows of placement/: how nodes are filled, and what is lost between tasks.

#include <array>
#include <string_view>

#include <gpuplan/placement/aim_scale.hpp>
#include <gpuplan/placement/expected_fragmentation.hpp>
#include <gpuplan/placement/fairness.hpp>
#include <gpuplan/placement/fragmentation.hpp>
#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/gpu_sharing.hpp>
#include <gpuplan/placement/gpu_task.hpp>
#include <gpuplan/placement/job_order.hpp>
#include <gpuplan/placement/load_assignment.hpp>
#include <gpuplan/placement/match_score.hpp>
#include <gpuplan/placement/packing.hpp>
#include <gpuplan/placement/packing_bounds.hpp>
#include <gpuplan/placement/resources.hpp>
#include <gpuplan/placement/search_work.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

/// Their inputs, where neither a row nor its function says otherwise.
///
///     s_1  first item     1, 0 to 1
///     s_2  second item    1, 0 to 1
///     s_3  third item     1, 0 to 1
inline constexpr std::array placement_rows{
    ///     f      aim of the candidate         1, >= f_min, <= f_max
    ///     f_min  least of all candidates      1, any
    ///     f_max  largest of all candidates    1, >= f_min
    row{.call = "placement/aim_scale.hpp: normalized_aim(f, f_min, f_max) in 1",
        .latex = R"(\frac{f - f_{\min}}{f_{\max} - f_{\min}})",
        .errata = "A textbook divides by f_max - f_min without a word on f_max = f_min.",
        .topics = "R6",
        .evaluate = [](inputs x) { return normalized_aim(x[0], x[1], x[2]); },
        .examples = {{{3, 1, 5}, 0.5, 0, by_hand}, {{7, 7, 7}, 0, 0, "none is better"}}},
    ///     f      aim now                              1, any
    ///     mean   mean of its earlier values           1, any
    ///     sigma  deviation of its earlier values      1, >= 0
    row{.call = "placement/aim_scale.hpp: leaning_weight(f, mean, sigma, gamma) in 1",
        .latex = R"(\max\left(0,\, 1 + \gamma \frac{f - \bar f}{\sigma}\right))",
        .errata = "A textbook has no guard: its weight is negative where (f - mean)/sigma is "
                  "below -1/gamma.",
        .topics = "R6",
        .evaluate = [](inputs x) { return leaning_weight(x[0], x[1], x[2], x[3]); },
        .examples = {{{1, 0.5, 0.5, 0.2}, 1.2, 1e-15, by_hand},
                     {{0, 0.5, 0.25, 1}, 0, 0, "1 - 2 is below 0"}}},
    /// Free GPU shares of a node that the next task cannot use: of two GPUs, where tasks ask for
    /// one whole GPU or for two.
    ///
    ///     F = sum_m p_m (sum_g r_g where m cannot be hosted, else sum of r_g < d_m)
    ///
    ///     r_1  free of the first GPU              1, 0 to 1
    ///     r_2  free of the second GPU             1, 0 to 1
    ///     p_1  share of tasks that ask for one    1, > 0, < 1
    ///
    /// Holds: cores and GPUs are looked at, the host's memory is not.
    row{.call = "placement/expected_fragmentation.hpp: expected_fragmentation(r_1, r_2, p_1) in 1",
        .latex = R"(F = \sum_m p_m \sum_{g:\, r_g < d_m \ \mathrm{or}\ m\ \mathrm{unhosted}} r_g)",
        .errata = "Leaving rare kinds of many GPUs out of the mix, as the authors' program does by "
                  "default, makes the policy worse than best fit on their trace",
        .topics = "R3",
        .evaluate =
            [](inputs x) {
              gpu_node host = empty_node(2, 0, bytes{0});
              host.free_gpu[0] = static_cast<int>(x[0] * whole_gpu);
              host.free_gpu[1] = static_cast<int>(x[1] * whole_gpu);
              const std::array kinds{task_share{{.gpus = 1}, x[2]},
                                     task_share{{.gpus = 2}, 1 - x[2]}};
              return expected_fragmentation(host, task_mix{kinds}) / whole_gpu;
            },
        .examples = {{{0.3, 1, 0.75}, 0.55, 1e-12, "0.75 x 0.3 + 0.25 x 1.3"}}},
    /// Fewest bins that any packing needs: of three items of one resource.
    ///
    ///     max over resources of ceil(sum of parts)
    ///
    /// Holds: any packing.
    row{.call = "placement/packing_bounds.hpp: volume_bound(s_1, s_2, s_3) in count",
        .latex = R"(\max_r \lceil \sum_i s_{ir} \rceil)",
        .topics = "R8",
        .evaluate =
            [](inputs x) {
              const std::array<packing_item<1>, 3> items{{{x[0]}, {x[1]}, {x[2]}}};
              return 1.0 * volume_bound<1>(items);
            },
        .examples = {{{0.6, 0.6, 0.6}, 2, 0, "1.8, rounded up"}}},
    /// Fewest bins that any packing in one resource needs: of three items.
    ///
    ///     L2 = max_t |A| + |B| + max(0, ceil(sum C - (|B| - sum B)))
    ///
    /// Holds: one resource; A above 1 - t, B of 1/2 .. 1 - t, C of t .. 1/2.
    row{.call = "placement/packing_bounds.hpp: martello_toth_bound(s_1, s_2, s_3) in count",
        .latex = R"(\max_t |A|+|B|+\max(0, \lceil \sum_C s - (|B| - \sum_B s) \rceil))",
        .topics = "R8",
        .evaluate =
            [](inputs x) {
              const std::array<packing_item<1>, 3> items{{{x[0]}, {x[1]}, {x[2]}}};
              return 1.0 * martello_toth_bound(items);
            },
        .examples = {{{0.6, 0.6, 0.6}, 3, 0, "no two of them share a bin"}}},
    row{.call = "placement/match_score.hpp: match_score(w_f, A_f, w_x, A_x, w_b, A_b) in 1",
        .latex = R"(\frac{w_f A_f + w_x A_x + w_b A_b}{w_f + w_x + w_b})",
        .topics = "R3",
        .evaluate =
            [](inputs x) {
              return match_score({.fit = x[1], .fragmentation = x[3], .balance = x[5]},
                                 {.fit = x[0], .fragmentation = x[2], .balance = x[4]});
            },
        .examples = {{{1, 0.75, 2, 0.5, 1, 0.25}, 0.5, 1e-15, "(0.75 + 2 x 0.5 + 0.25) / 4"}}},
    row{.call = "placement/job_order.hpp: aged_priority(p, now, a, A) in 1",
        .latex = R"(p + \lfloor \max(0, \mathrm{now} - a) / A \rfloor)",
        .topics = "R3",
        .evaluate =
            [](inputs x) {
              return aged_priority({.submit = seconds{x[2]}, .priority = whole(x[0])},
                                   seconds{x[1]}, seconds{x[3]});
            },
        .examples = {{{2, 10000, 1000, 3600}, 4, 0, "9000 s are two periods of an hour"}}},
    row{.call = "placement/packing_bounds.hpp: first_fit_decreasing_bound(OPT) in count",
        .latex = R"(\tfrac{11}{9} \mathrm{OPT} + \tfrac{6}{9})",
        .errata = "With several resources neither this nor (2 - e) OPT holds: there are items "
                  "with ratio d (k - 1)/k for every k, 3.6 at d = 4 and k = 10",
        .topics = "R9",
        .evaluate = [](inputs x) { return first_fit_decreasing_bound(x[0]); },
        .examples = {{{9}, 105.0 / 9, 1e-15, "ch3-ffd-1d: 11 bins come of some 9"}}},
    row{.call = "placement/packing_bounds.hpp: first_fit_bound(OPT) in count",
        .latex = R"(\lfloor 1.7\, \mathrm{OPT} \rfloor)",
        .topics = "R8 R9",
        .evaluate = [](inputs x) { return first_fit_bound(whole(x[0])); },
        .examples = {{{10}, 17, 0, "17"}}},
    row{.call = "placement/packing_bounds.hpp: next_fit_bound(OPT) in count",
        .latex = R"(2\, \mathrm{OPT} - 1)",
        .topics = "R8 R9",
        .evaluate = [](inputs x) { return next_fit_bound(whole(x[0])); },
        .examples = {{{5}, 9, 0, "2 x 5 - 1"}}},
    row{.call = "placement/packing_bounds.hpp: vector_packing_bound(d) in 1",
        .latex = R"(d + \tfrac{1}{3})",
        .errata = "The chapter's (2 - e) OPT is false for every e",
        .topics = "R9",
        .evaluate = [](inputs x) { return vector_packing_bound(whole(x[0])).first_fit_decreasing; },
        .examples = {{{2}, 7.0 / 3, 1e-15, "2 + 1/3"}}},
    /// Jain's fairness index: of two users.
    ///
    ///     (sum x)^2 / (n sum x^2)
    ///
    ///     x_1  what the first gets     1, >= 0
    ///     x_2  what the second gets    1, >= 0
    ///
    /// Holds: 1/n .. 1; not all may get nothing.
    row{.call = "placement/fairness.hpp: jain_index(x_1, x_2) in 1",
        .latex = R"(\frac{(\sum_i x_i)^2}{n \sum_i x_i^2})",
        .topics = "R4",
        .evaluate = [](inputs x) { return jain_index(x); },
        .examples = {{{1, 2}, 0.9, 1e-15, "9 / (2 x 5)"}}},
    /// Part of a node's GPU memory that a job takes: a term of the utilisation matrix.
    ///
    ///     U_ik = used_ik / capacity_ik
    ///
    ///     u  memory used        B, >= 0
    ///     C  memory there is    B, > 0
    ///
    /// Holds: compute, memory, cores and network alike.
    row{.call = "placement/resources.hpp: shares_of(u, C) in 1",
        .latex = R"(U_{ik} = u_{ik} / C_{ik})",
        .topics = "R2",
        .evaluate =
            [](inputs x) {
              return gpuplan::shares_of({.memory = bytes{x[0]}}, {.memory = bytes{x[1]}}).memory;
            },
        .examples = {{{20, 80}, 0.25, 1e-15, "20 of 80"}}},
    /// Largest part of the pool that a user has, over the kinds: of memory, cores.
    ///
    ///     max_k u_k / C_k
    ///
    ///     u_M  memory used           B, >= 0
    ///     u_C  cores used            count, >= 0
    ///     C_M  memory of the pool    B, > 0
    ///     C_C  cores of the pool     count, > 0
    ///
    /// Holds: compute and network alike.
    row{.call = "placement/fairness.hpp: dominant_share(u_M, u_C, C_M, C_C) in 1",
        .latex = R"(\max_k u_k / C_k)",
        .topics = "R4",
        .evaluate =
            [](inputs x) {
              return dominant_share({.memory = bytes{x[0]}, .cores = x[1]},
                                    {.memory = bytes{x[2]}, .cores = x[3]});
            },
        .examples = {{{12, 3, 18, 9}, 2.0 / 3, 1e-15, "the paper's first user"}}},
    /// Rate of arithmetic that a job asks of a node for a step time.
    ///
    ///     D = k F / t
    ///
    ///     F  work of one GPU in a step    FLOP, >= 0
    ///
    /// Holds: memory k M, cores k c and network k m / t beside it.
    row{.call = "placement/resources.hpp: resource_demand(k, F, t) in FLOP/s",
        .latex = R"(D = k F / t)",
        .topics = "R1",
        .evaluate =
            [](inputs x) {
              return resource_demand({.work = flop{x[1]}}, whole(x[0]), seconds{x[2]})
                  .compute.in_base_units();
            },
        .examples = {{{4, 4e15, 10}, 1.6e15, 1e-15, "4 x 4 PFLOP in 10 s"}}},
    /// Part of the free GPUs in nodes with too few for a gang: of two nodes.
    ///
    ///     sum of f_i < k / sum f_i
    ///
    ///     f_1  free on the first node    count, 0 to 16
    ///     f_2  free on the second        count, 0 to 16
    ///
    /// Holds: gangs that keep to one node.
    row{.call = "placement/fragmentation.hpp: free_gpus_of(f_1, f_2, k) in 1",
        .latex = R"(\frac{\sum_{f_i < k} f_i}{\sum_i f_i})",
        .errata = "1 - largest block / free is near 1 for any pool of many empty nodes",
        .topics = "R3",
        .evaluate =
            [](inputs x) {
              const std::array nodes{empty_node(whole(x[0]), 0, bytes{0}),
                                     empty_node(whole(x[1]), 0, bytes{0})};
              return free_gpus_of(nodes, whole(x[2])).unusable_share();
            },
        .examples = {{{8, 3, 4}, 3.0 / 11, 1e-15, "3 of 11"}}},
    row{.call = "placement/job_order.hpp: slack_of(d, now, t) in s",
        .latex = R"(d - t_0 - t)",
        .topics = "R5",
        .evaluate =
            [](inputs x) {
              return slack_of({.expected = seconds{x[2]}, .deadline = seconds{x[0]}}, seconds{x[1]})
                  .in_base_units();
            },
        .examples = {{{5, 1, 2}, 2, 1e-15, "5 - 1 - 2"}}},
    /// Worth of an assignment by load and priority: of two jobs, each on its node.
    ///
    ///     sum L_a(j) P_j
    ///
    ///     L_1  load of the first node         1, 0 to 1
    ///     L_2  load of the second             1, 0 to 1
    ///     P_1  priority of the first job      1, >= 0
    ///     P_2  priority of the second         1, >= 0
    ///
    /// Holds: largest where large priorities meet large loads.
    row{.call = "placement/load_assignment.hpp: load_priority(L_1, L_2, P_1, P_2) in 1",
        .latex = R"(\\sum_j L_{a(j)} P_j)",
        .topics = "R7",
        .evaluate =
            [](inputs x) {
              const std::array<std::size_t, 2> own{0, 1};
              return load_priority(x.first(2), x.subspan(2, 2), own);
            },
        .examples = {{{0.5, 0.25, 4, 2}, 2.5, 1e-15, "0.5 x 4 + 0.25 x 2"}}},
    /// How much longer a step takes on a GPU that two equal jobs share.
    ///
    ///     max(1, b_1 + b_2)
    ///
    ///     b_1  share of the time that the first computes    1, > 0, <= 1
    ///     b_2  that of the second                           1, > 0, <= 1
    ///
    /// Holds: coarse: no interference but for time; guaranteed and opportunistic jobs beside it.
    row{.call = "placement/gpu_sharing.hpp: sharing_slowdown(b_1, b_2) in 1",
        .latex = R"(\\max(1, b_1 + b_2))",
        .topics = "R12",
        .evaluate =
            [](inputs x) {
              const std::array two{gpu_tenant{.step = seconds{1}, .busy = x[0]},
                                   gpu_tenant{.step = seconds{1}, .busy = x[1]}};
              return sharing_slowdown(two, 0,
                                      {.memory = bytes{1}, .host_bandwidth = bytes_per_second{1}});
            },
        .examples = {{{0.5, 0.8}, 1.3, 1e-15, "1.3 of the time"}}},
    row{.call = "placement/search_work.hpp: greedy_work(n, m) in count",
        .latex = R"(n m)",
        .topics = "R8",
        .evaluate = [](inputs x) { return greedy_work(x[0], x[1]); },
        .examples = {{{8, 3}, 24, 0, "8 x 3"}}},
    row{.call = "placement/search_work.hpp: exhaustive_work(n, m) in count",
        .latex = R"(m^n)",
        .errata = "Chapter 3, 3.6.1, reduces placement to bin packing to show that it is NP-hard; "
                  "the proof needs the other direction, that bin packing is a case of placement",
        .topics = "R8",
        .evaluate = [](inputs x) { return exhaustive_work(x[0], x[1]); },
        .examples = {{{5, 3}, 243, 0, "3^5"}}},
    row{.call = "placement/search_work.hpp: genetic_work(G, P, n, m) in count",
        .latex = R"(G P n m)",
        .errata = "Chapter 3, 3.6.2, charges each candidate n m steps; one that names a node for "
                  "each task is judged in n + m",
        .topics = "R8",
        .evaluate = [](inputs x) { return genetic_work(x[0], x[1], x[2], x[3]); },
        .examples = {{{10, 5, 8, 3}, 1200, 0, "10 x 5 x 8 x 3"}}},
    row{.call = "placement/search_work.hpp: knapsack_work(n, C) in count",
        .latex = R"(n C)",
        .topics = "R8",
        .evaluate = [](inputs x) { return knapsack_work(x[0], x[1]); },
        .examples = {{{8, 64}, 512, 0, "8 x 64"}}}};
inline constexpr auto placement_formulas = with_words(placement_rows, words::placement_formulas);

}  // namespace gpuplan::registry
