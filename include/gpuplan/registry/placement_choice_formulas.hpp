#pragma once
/// \file
/// Rows of placement/: which jobs run, where they go, and by how much a rule is broken.

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include <gpuplan/placement/constraint.hpp>
#include <gpuplan/placement/fairness.hpp>
#include <gpuplan/placement/gang.hpp>
#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/gpu_task.hpp>
#include <gpuplan/placement/knapsack.hpp>
#include <gpuplan/placement/load_assignment.hpp>
#include <gpuplan/placement/match_learning.hpp>
#include <gpuplan/placement/node_match.hpp>
#include <gpuplan/placement/packing_exact.hpp>
#include <gpuplan/placement/rebalance.hpp>
#include <gpuplan/placement/resources.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

namespace detail {

/// Two nodes of one kind with so many free GPUs.
inline std::array<gpu_node, 2> two_nodes(inputs x) {
  return {empty_node(whole(x[0]), 0, bytes{0}), empty_node(whole(x[1]), 0, bytes{0})};
}

/// A single GPU of a node, taken by a job.
inline running_task single_gpu_job(std::size_t node, int gpu) {
  return {.task = {.gpus = 1}, .where = {.node = node, .gpus = static_cast<gpu_set>(1U << gpu)}};
}

/// What is learned of two candidates of l_1 and l_2 in each of T rounds.
inline learned_candidates two_candidates(inputs x) {
  const int rounds = whole(x[2]);
  require(rounds >= 1 && rounds <= 1000, "learn_candidates: T must be 1 to 1000");
  std::vector<double> losses;
  for (int i = 0; i < rounds; ++i) losses.insert(losses.end(), {x[0], x[1]});
  return learn_candidates(losses, 2);
}

/// The plan of two equal jobs, each with two choices and three limits.
inline power_plan two_jobs_plan(inputs x) {
  const std::vector<power_choice> choices{{watts{x[0]}, seconds{x[1]}},
                                          {watts{x[2]}, seconds{x[3]}}};
  return least_energy(std::array{choices, choices},
                      {.each = watts{x[4]}, .time = seconds{x[5]}, .all = watts{x[6]}});
}

}  // namespace detail

/// Their inputs, where neither a row nor its function says otherwise.
///
///     s_1    first item                        1, 0 to 1
///     s_2    second item                       1, 0 to 1
///     s_3    third item                        1, 0 to 1
///     f_1    free on the first node            count, 0 to 16
///     f_2    free on the second                count, 0 to 16
///     x      nodes on which the job lies       count, >= 0
inline constexpr std::array placement_choice_rows{
    /// Fewest bins that hold all items: of three items of one resource.
    ///
    ///     min B  with  sum over a bin of s_i <= 1
    ///
    /// Holds: exact; by branch and bound, for small cases.
    ///
    /// Source: A. H. Land and A. G. Doig, "An automatic method of solving discrete programming
    /// problems", Econometrica 28 (1960) 497-520.
    row{.call = "placement/packing_exact.hpp: fewest_bins(s_1, s_2, s_3) in count",
        .latex = R"(\min B:\ \sum_{i \in b} s_i \le 1)",
        .topics = "R8",
        .evaluate =
            [](inputs x) {
              const std::array<packing_item<1>, 3> items{{{x[0]}, {x[1]}, {x[2]}}};
              return 1.0 * fewest_bins<1>(items).found.bins;
            },
        .examples = {{{0.6, 0.4, 0.5}, 2, 0, "0.6 and 0.4 share one"},
                     {{0.6, 0.6, 0.6}, 3, 0, "no two share one"}}},
    /// Largest worth of jobs that run together on a number of GPUs: of two jobs.
    ///
    ///     V(j, g) = max(V(j - 1, g), V(j - 1, g - g_j) + w_j)
    ///
    ///     g_1  GPUs of the first job     count, 0 to 1e6
    ///     w_1  worth of the first        1, >= 0
    ///     g_2  GPUs of the second job    count, 0 to 1e6
    ///     w_2  worth of the second       1, >= 0
    ///     C    GPUs there are            count, 0 to 1e6
    ///
    /// Holds: jobs that run whole or not at all.
    row{.call = "placement/knapsack.hpp: best_jobs(g_1, w_1, g_2, w_2, C) in 1",
        .latex = R"(V(j, g) = \max(V(j-1, g),\, V(j-1, g - g_j) + w_j))",
        .topics = "R8",
        .evaluate =
            [](inputs x) {
              const std::array jobs{knapsack_item{whole(x[0]), x[1]},
                                    knapsack_item{whole(x[2]), x[3]}};
              return best_jobs(jobs, whole(x[4])).worth;
            },
        .examples = {{{6, 5, 4, 3, 8}, 5, 0, "both need 10 GPUs"},
                     {{4, 5, 4, 3, 8}, 8, 0, "both fit"}}},
    /// Tasks of the first of two users under dominant resource fairness.
    ///
    ///     next task to  argmin_i max_k u_ik / C_k
    ///
    ///     m_1  memory of a task of the first user    B, > 0
    ///     c_1  cores of a task of the first user     count, >= 0
    ///     m_2  memory of a task of the second        B, > 0
    ///     c_2  cores of a task of the second         count, >= 0
    ///     C_M  memory of the pool                    B, > 0
    ///     C_C  cores of the pool                     count, > 0
    ///
    /// Holds: whole tasks, at most a million of them in all; compute and network alike.
    row{.call = "placement/fairness.hpp: dominant_resource_fairness(m_1, c_1, m_2, c_2, C_M, C_C) "
                "in count",
        .latex = R"(\arg\min_i \max_k u_{ik} / C_k)",
        .topics = "R4",
        .evaluate =
            [](inputs x) {
              const std::array users{fair_user{.task = {.memory = bytes{x[0]}, .cores = x[1]}},
                                     fair_user{.task = {.memory = bytes{x[2]}, .cores = x[3]}}};
              return 1.0 *
                     dominant_resource_fairness({.memory = bytes{x[4]}, .cores = x[5]}, users)[0];
            },
        .examples = {{{4, 1, 1, 3, 18, 9}, 3, 0, "the paper's first user, section 4.1"}}},
    /// Node that a job gets under best fit: of two nodes, 1 or 2.
    ///
    ///     argmax_i -(f_i - k)  of those with f_i >= k
    ///
    ///     k  GPUs of the job    count, 1 to 16
    ///
    /// Holds: of equal nodes the first; 0 where none has room.
    ///
    /// Source: definition.
    row{.call = "placement/node_match.hpp: match_node(f_1, f_2, k) in count",
        .latex = R"(\arg\max_{i:\, f_i \ge k} -(f_i - k))",
        .topics = "R8",
        .evaluate =
            [](inputs x) {
              const auto nodes = detail::two_nodes(x);
              const gpu_task task{.gpus = whole(x[2])};
              const auto found = match_node(placement_policy::best_fit, nodes,
                                            filter_nodes(nodes, task), task, scale_of(nodes));
              return found ? 1.0 + static_cast<double>(found->node) : 0.0;
            },
        .examples = {{{8, 4, 3}, 2, 0, "the tighter one"}, {{8, 4, 5}, 1, 0, "4 are too few"}}},
    /// Nodes on which a gang lies that is placed as close together as there is room: of two nodes.
    ///
    ///     min sum_i x_i  with  sum_i x_i f_i >= k
    ///
    ///     k  GPUs of the gang    count, 1 to 32
    ///
    /// Holds: one rack; 0 where it finds no place.
    ///
    /// Source: definition.
    row{.call = "placement/gang.hpp: locate_gang(f_1, f_2, k) in count",
        .latex = R"(\min \sum_i x_i:\ \sum_i x_i f_i \ge k)",
        .topics = "R5",
        .evaluate =
            [](inputs x) {
              const auto found = locate_gang(detail::two_nodes(x), {.gpus = whole(x[2])});
              return found ? static_cast<double>(found->parts.size()) : 0.0;
            },
        .examples = {{{8, 4, 8}, 1, 0, "one node has room"},
                     {{8, 4, 12}, 2, 0, "8 + 4"},
                     {{8, 4, 13}, 0, 0, "there are 12"}}},
    /// Difference of load that is left after jobs of one GPU moved from the fuller of two nodes of
    /// 16 GPUs.
    ///
    ///     max_i u_i / 16 - min_i u_i / 16
    ///
    ///     u_1  GPUs in use on the first node     count, 0 to 16
    ///     u_2  GPUs in use on the second         count, 0 to 16
    ///     m    jobs that may move                count, 0 to 100
    ///
    /// Holds: each move makes the fuller node less full.
    row{.call = "placement/rebalance.hpp: spread_load(u_1, u_2, m) in 1",
        .latex = R"(\max_i \frac{u_i}{16} - \min_i \frac{u_i}{16})",
        .topics = "R11",
        .evaluate =
            [](inputs x) {
              std::array nodes{empty_node(16, 0, bytes{0}), empty_node(16, 0, bytes{0})};
              std::vector<running_task> jobs;
              for (std::size_t n = 0; n < nodes.size(); ++n)
                for (int gpu = 0; gpu < whole(x[n]); ++gpu) {
                  jobs.push_back(detail::single_gpu_job(n, gpu));
                  nodes[n] = with_task(nodes[n], jobs.back().task, jobs.back().where.gpus);
                }
              return spread_load(nodes, jobs, whole(x[2])).after;
            },
        .examples = {{{8, 0, 0}, 0.5, 1e-12, "nothing moves"},
                     {{8, 0, 2}, 0.25, 1e-12, "6 and 2 of 16"},
                     {{8, 0, 9}, 0, 1e-12, "4 and 4"}}},
    ///     n_g  GPUs that the job has         count, >= 0
    ///     n    GPUs that it asks for         count, >= 0
    ///
    /// Holds: where the job has any GPU; one that waits breaks nothing.
    ///
    /// Source: definition.
    row{.call = "placement/constraint.hpp: integrity_excess(n_g, n) in count",
        .latex = R"(\left| \sum_i x_i n_i - n \right|)",
        .topics = "R5",
        .evaluate =
            [](inputs x) {
              return integrity_excess({.gpus_asked = whole(x[1]), .gpus_given = whole(x[0])});
            },
        .examples = {{{6, 8}, 2, 0, "2 are missing"}, {{0, 8}, 0, 0, "it waits"}}},
    ///     x_S    of these, those that hold its data       count, >= 0
    ///     alpha  least part of its nodes that must        1, 0 to 1
    ///
    /// Holds: nodes are counted, not bytes; x_S <= x.
    ///
    /// Source: definition.
    row{.call = "placement/constraint.hpp: locality_excess(x, x_S, alpha) in count",
        .latex = R"(\max\left(0,\, \alpha \sum_i x_i - \sum_{i \in S} x_i\right))",
        .topics = "R5",
        .evaluate =
            [](inputs x) {
              return locality_excess(
                  {.nodes = whole(x[0]), .data_nodes = whole(x[1]), .least_data_nodes = x[2]});
            },
        .examples = {{{4, 2, 0.75}, 1, 1e-12, "3 should, 2 do"}, {{5, 4, 0.8}, 0, 0, "4 of 5"}}},
    ///     beta  most nodes that it allows    count, >= 1
    ///
    /// Holds: nodes are counted, whatever their racks.
    ///
    /// Source: definition.
    row{.call = "placement/constraint.hpp: topology_excess(x, beta) in count",
        .latex = R"(\max\left(0,\, \sum_i x_i - \beta\right))",
        .topics = "R5",
        .evaluate =
            [](inputs x) {
              return topology_excess({.nodes = whole(x[0]), .most_nodes = whole(x[1])});
            },
        .examples = {{{5, 2}, 3, 0, "5 - 2"}, {{2, 2}, 0, 0, "allowed"}}},
    ///     t  when the job ends       s, >= 0
    ///     d  when it is to end       s, >= 0
    ///
    /// Holds: both counted from the same moment.
    ///
    /// Source: definition.
    row{.call = "placement/constraint.hpp: service_excess(t, d) in s",
        .latex = R"(\max(0,\, t - d))",
        .topics = "R5",
        .evaluate =
            [](inputs x) {
              return service_excess({.end = seconds{x[0]}, .deadline = seconds{x[1]}});
            },
        .examples = {{{90, 60}, 30, 1e-12, "90 - 60"}, {{50, 60}, 0, 0, "in time"}}},
    /// Node of the first of two jobs, 1 or 2, where the sum of L P is largest.
    ///
    ///     argmax over assignments of  sum L_a(j) P_j
    ///
    ///     L_1  load of the first node        1, 0 to 1
    ///     L_2  load of the second            1, 0 to 1
    ///     P_1  priority of the first job     1, >= 0
    ///     P_2  priority of the second        1, >= 0
    ///
    /// Holds: one job a node; exact.
    row{.call = "placement/load_assignment.hpp: best_load_priority(L_1, L_2, P_1, P_2) in count",
        .latex = R"(\arg\max_a \sum_j L_{a(j)} P_j)",
        .topics = "R7",
        .evaluate =
            [](inputs x) {
              return best_load_priority(x.first(2), x.subspan(2, 2)).front() == 0 ? 1.0 : 2.0;
            },
        .examples = {{{0.5, 0.25, 4, 2}, 1, 0, "0.5 x 4 + 0.25 x 2, not 0.25 x 4 + 0.5 x 2"},
                     {{0.5, 0.25, 2, 4}, 2, 0, "the other job is more urgent"}},
        .terms = {{.name = "its sum",
                   .unit = "1",
                   .evaluate =
                       [](inputs x) {
                         return load_priority(x.first(2), x.subspan(2, 2),
                                              best_load_priority(x.first(2), x.subspan(2, 2)));
                       }}}},
    row{.call = "placement/match_learning.hpp: kept_after_loss(eta, l) in 1",
        .latex = R"(e^{-\eta l})",
        .topics = "R8 R13",
        .evaluate = [](inputs x) { return kept_after_loss(x[0], x[1]); },
        .examples = {{{2, 0.5}, 0.36787944117144233, 1e-15, "1/e"}, {{2, 0}, 1, 0, "no loss"}}},
    row{.call = "placement/match_learning.hpp: learning_rate_of_rounds(n, T) in 1",
        .latex = R"(\sqrt{8 \ln(n) / T})",
        .topics = "R8 R13",
        .evaluate = [](inputs x) { return learning_rate_of_rounds(whole(x[0]), whole(x[1])); },
        .examples = {{{1, 5}, 0, 0, "nothing to choose"},
                     {{7, 16}, 0.98638485112, 1e-8, "sqrt(ln(7) / 2)"}}},
    row{.call = "placement/match_learning.hpp: largest_regret(n, T) in 1",
        .latex = R"(\sqrt{T \ln(n) / 2})",
        .topics = "R8 R13",
        .evaluate = [](inputs x) { return largest_regret(whole(x[0]), whole(x[1])); },
        .examples = {{{7, 16}, 3.9455394045, 1e-8, "4 sqrt(ln(7) / 2)"}}},
    /// Share of the first of two candidates after rounds of the same losses.
    ///
    ///     1 / (1 + exp(-eta T (l_2 - l_1))),    eta = sqrt(8 ln(2) / T)
    ///
    ///     l_1  loss of the first, each round     1, 0 to 1
    ///     l_2  loss of the second, each round    1, 0 to 1
    ///     T    rounds                            count, >= 1, <= 1000
    ///
    /// Holds: weights of more candidates and of losses that vary in the same way.
    row{.call = "placement/match_learning.hpp: learn_candidates(l_1, l_2, T) in 1",
        .latex = R"(\frac{1}{1 + e^{-\eta T (l_2 - l_1)}})",
        .topics = "R8 R13",
        .evaluate = [](inputs x) { return detail::two_candidates(x).share[0]; },
        .examples = {{{0.5, 0.5, 9}, 0.5, 1e-15, "alike"},
                     {{0, 1, 8}, 0.99872105103, 1e-8, "1 / (1 + exp(-8 sqrt(ln 2)))"}},
        .terms = {{.name = "regret",
                   .unit = "1",
                   .evaluate =
                       [](inputs x) {
                         const learned_candidates learned = detail::two_candidates(x);
                         return learned.loss - learned.best_loss;
                       }}}},
    /// Least energy of two equal jobs side by side, each at one of two powers.
    ///
    ///     min sum P_i t_i    with  P_i <= P_max,  t_i <= t_max  and  sum P_i <= P_all
    ///
    ///     P_1    power of the first choice          W, >= 0
    ///     t_1    time at the first power            s, >= 0
    ///     P_2    power of the second choice         W, >= 0
    ///     t_2    time at the second power           s, >= 0
    ///     P_max  most power of one job              W, >= 0
    ///     t_max  most time of one job               s, >= 0
    ///     P_all  most power of both                 W, >= 0
    ///
    /// Holds: exact; infinite where no choice keeps the limits.
    row{.call = "placement/load_assignment.hpp: least_energy(P_1, t_1, P_2, t_2, P_max, t_max, "
                "P_all) in J",
        .latex = R"(\min \sum_i P_i t_i)",
        .topics = "R7 R11",
        .evaluate = [](inputs x) { return detail::two_jobs_plan(x).energy.in(units::joule); },
        .examples = {{{300, 100, 200, 120, 400, 150, 1000}, 48000, 1e-12, "two of 200 W"},
                     {{300, 100, 200, 120, 400, 110, 1000}, 60000, 1e-12, "200 W take too long"},
                     {{300, 70, 200, 120, 400, 150, 500}, 45000, 1e-12, "one at each power"}},
        .terms = {{.name = "power", .unit = "W", .evaluate = [](inputs x) {
                     const power_plan plan = detail::two_jobs_plan(x);
                     return plan.feasible() ? plan.power.in(units::watt)
                                            : std::numeric_limits<double>::infinity();
                   }}}}};
inline constexpr auto placement_choice_formulas =
    with_words(placement_choice_rows, words::placement_choice_formulas);

}  // namespace gpuplan::registry
