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
#include <gpuplan/placement/packing.hpp>
#include <gpuplan/placement/packing_bounds.hpp>
#include <gpuplan/placement/resources.hpp>
#include <gpuplan/placement/search_work.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

inline constexpr std::string_view packing_paper =
    "D. S. Johnson, \"Near-optimal bin packing algorithms\", PhD thesis, MIT (1973)";

inline constexpr std::array placement_formulas{
    formula{.name = "normalized_aim",
            .header = "placement/aim_scale.hpp",
            .meaning = "An aim of a schedule among its candidates: 0 the best of them, 1 the worst",
            .text = "(f - f_min) / (f_max - f_min)",
            .latex = R"(\frac{f - f_{\min}}{f_{\max} - f_{\min}})",
            .symbols = {{"f", "aim of the candidate", "1", ">= f_min, <= f_max"},
                        {"f_min", "least of all candidates", "1", "any"},
                        {"f_max", "largest of all candidates", "1", ">= f_min"}},
            .result = "1",
            .validity = "an aim to be made small; 0 where all candidates are alike",
            .source =
                "K. Yoon and C.-L. Hwang, \"Multiple Attribute Decision Making\", Sage (1995), "
                "section 2",
            .errata = "A textbook divides by f_max - f_min without a word on f_max = f_min.",
            .topics = "R6",
            .evaluate = [](inputs x) { return normalized_aim(x[0], x[1], x[2]); },
            .examples = {{{3, 1, 5}, 0.5, 0, by_hand}, {{7, 7, 7}, 0, 0, "none is better"}}},
    formula{.name = "leaning_weight",
            .header = "placement/aim_scale.hpp",
            .meaning = "Factor of the weight of an aim that is better or worse than the others",
            .text = "max(0, 1 + gamma (f - mean) / sigma)",
            .latex = R"(\max\left(0,\, 1 + \gamma \frac{f - \bar f}{\sigma}\right))",
            .symbols = {{"f", "aim", "1", "any"},
                        {"mean", "mean of the aims", "1", "any"},
                        {"sigma", "deviation of the aims", "1", ">= 0"},
                        {"gamma", "strength", "1", ">= 0"}},
            .result = "1",
            .validity = "before all weights are divided by their sum; 1 where sigma is 0",
            .source = definition,
            .errata = "A textbook has no guard: its weight is negative where (f - mean)/sigma is "
                      "below -1/gamma.",
            .topics = "R6",
            .evaluate = [](inputs x) { return leaning_weight(x[0], x[1], x[2], x[3]); },
            .examples = {{{1, 0.5, 0.5, 0.2}, 1.2, 1e-15, by_hand},
                         {{0, 0.5, 0.25, 1}, 0, 0, "1 - 2 is below 0"}}},
    formula{
        .name = "expected_fragmentation",
        .header = "placement/expected_fragmentation.hpp",
        .meaning = "Free GPU shares of a node that the next task cannot use: of two GPUs, where "
                   "tasks ask for one whole GPU or for two",
        .text = "F = sum_m p_m (sum_g r_g where m cannot be hosted, else sum of r_g < d_m)",
        .latex = R"(F = \sum_m p_m \sum_{g:\, r_g < d_m \ \mathrm{or}\ m\ \mathrm{unhosted}} r_g)",
        .symbols = {{"r_1", "free of the first GPU", "1", "0 to 1"},
                    {"r_2", "free of the second GPU", "1", "0 to 1"},
                    {"p_1", "share of tasks that ask for one", "1", "> 0, < 1"}},
        .result = "1",
        .validity = "cores and GPUs are looked at, the host's memory is not",
        .source = "Q. Weng et al., \"Beware of Fragmentation: Scheduling GPU-Sharing Workloads "
                  "with Fragmentation Gradient Descent\", USENIX ATC (2023), section 3",
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
    formula{.name = "volume_bound",
            .header = "placement/packing_bounds.hpp",
            .meaning = "Fewest bins that any packing needs: of three items of one resource",
            .text = "max over resources of ceil(sum of parts)",
            .latex = R"(\max_r \lceil \sum_i s_{ir} \rceil)",
            .symbols = {{"s_1", "first item", "1", "0 to 1"},
                        {"s_2", "second item", "1", "0 to 1"},
                        {"s_3", "third item", "1", "0 to 1"}},
            .result = "count",
            .validity = "any packing",
            .source = packing_paper,
            .errata = "",
            .topics = "R8",
            .evaluate =
                [](inputs x) {
                  const std::array<packing_item<1>, 3> items{{{x[0]}, {x[1]}, {x[2]}}};
                  return 1.0 * volume_bound<1>(items);
                },
            .examples = {{{0.6, 0.6, 0.6}, 2, 0, "1.8, rounded up"}}},
    formula{.name = "martello_toth_bound",
            .header = "placement/packing_bounds.hpp",
            .meaning = "Fewest bins that any packing in one resource needs: of three items",
            .text = "L2 = max_t |A| + |B| + max(0, ceil(sum C - (|B| - sum B)))",
            .latex = R"(\max_t |A|+|B|+\max(0, \lceil \sum_C s - (|B| - \sum_B s) \rceil))",
            .symbols = {{"s_1", "first item", "1", "0 to 1"},
                        {"s_2", "second item", "1", "0 to 1"},
                        {"s_3", "third item", "1", "0 to 1"}},
            .result = "count",
            .validity = "one resource; A above 1 - t, B of 1/2 .. 1 - t, C of t .. 1/2",
            .source =
                "S. Martello and P. Toth, \"Lower bounds and reduction procedures for the bin "
                "packing problem\", Discrete Applied Mathematics 28 (1990) 59-70",
            .errata = "",
            .topics = "R8",
            .evaluate =
                [](inputs x) {
                  const std::array<packing_item<1>, 3> items{{{x[0]}, {x[1]}, {x[2]}}};
                  return 1.0 * martello_toth_bound(items);
                },
            .examples = {{{0.6, 0.6, 0.6}, 3, 0, "no two of them share a bin"}}},
    formula{.name = "first_fit_decreasing_bound",
            .header = "placement/packing_bounds.hpp",
            .meaning = "Most bins of first fit decreasing in one resource",
            .text = "11/9 OPT + 6/9",
            .latex = R"(\tfrac{11}{9} \mathrm{OPT} + \tfrac{6}{9})",
            .symbols = {{"OPT", "fewest bins", "count", ">= 0"}},
            .result = "count",
            .validity = "one resource only, and tight there",
            .source = "G. Dosa, \"The tight bound of first fit decreasing bin-packing algorithm is "
                      "FFD(I) <= 11/9 OPT(I) + 6/9\", ESCAPE (2007) 1-11",
            .errata = "With several resources neither this nor (2 - e) OPT holds: there are items "
                      "with ratio d (k - 1)/k for every k, 3.6 at d = 4 and k = 10",
            .topics = "R9",
            .evaluate = [](inputs x) { return first_fit_decreasing_bound(x[0]); },
            .examples = {{{9}, 105.0 / 9, 1e-15, "ch3-ffd-1d: 11 bins come of some 9"}}},
    formula{.name = "first_fit_bound",
            .header = "placement/packing_bounds.hpp",
            .meaning = "Most bins of first fit, and of best fit, in one resource",
            .text = "floor(1.7 OPT)",
            .latex = R"(\lfloor 1.7\, \mathrm{OPT} \rfloor)",
            .symbols = {{"OPT", "fewest bins", "count", ">= 0"}},
            .result = "count",
            .validity = "one resource, any order",
            .source = "G. Dosa and J. Sgall, \"First Fit bin packing: A tight analysis\", STACS "
                      "(2013) 538-549",
            .errata = "",
            .topics = "R8 R9",
            .evaluate = [](inputs x) { return first_fit_bound(whole(x[0])); },
            .examples = {{{10}, 17, 0, "17"}}},
    formula{.name = "next_fit_bound",
            .header = "placement/packing_bounds.hpp",
            .meaning = "Most bins of next fit in one resource",
            .text = "2 OPT - 1",
            .latex = R"(2\, \mathrm{OPT} - 1)",
            .symbols = {{"OPT", "fewest bins", "count", ">= 0"}},
            .result = "count",
            .validity = "one resource, any order",
            .source = packing_paper,
            .errata = "",
            .topics = "R8 R9",
            .evaluate = [](inputs x) { return next_fit_bound(whole(x[0])); },
            .examples = {{{5}, 9, 0, "2 x 5 - 1"}}},
    formula{
        .name = "vector_packing_bound",
        .header = "placement/packing_bounds.hpp",
        .meaning = "Ratio of first fit decreasing to the fewest bins, at most, for many bins",
        .text = "d + 1/3",
        .latex = R"(d + \tfrac{1}{3})",
        .symbols = {{"d", "resources", "count", ">= 2"}},
        .result = "1",
        .validity = "by the largest component; first fit d + 7/10; for one resource 11/9",
        .source = "M. R. Garey, R. L. Graham, D. S. Johnson and A. C. Yao, \"Resource "
                  "constrained scheduling as generalized bin packing\", J. Combinatorial "
                  "Theory A 21 (1976) 257-298",
        .errata = "The chapter's (2 - e) OPT is false for every e",
        .topics = "R9",
        .evaluate = [](inputs x) { return vector_packing_bound(whole(x[0])).first_fit_decreasing; },
        .examples = {{{2}, 7.0 / 3, 1e-15, "2 + 1/3"}}},
    formula{.name = "jain_index",
            .header = "placement/fairness.hpp",
            .meaning = "Jain's fairness index: of two users",
            .text = "(sum x)^2 / (n sum x^2)",
            .latex = R"(\frac{(\sum_i x_i)^2}{n \sum_i x_i^2})",
            .symbols = {{"x_1", "what the first gets", "1", ">= 0"},
                        {"x_2", "what the second gets", "1", ">= 0"}},
            .result = "1",
            .validity = "1/n .. 1; not all may get nothing",
            .source = "R. Jain, D. Chiu and W. Hawe, \"A quantitative measure of fairness and "
                      "discrimination for resource allocation in shared computer systems\", DEC "
                      "TR-301 (1984)",
            .errata = "",
            .topics = "R4",
            .evaluate = [](inputs x) { return jain_index(x); },
            .examples = {{{1, 2}, 0.9, 1e-15, "9 / (2 x 5)"}}},
    formula{
        .name = "shares_of",
        .header = "placement/resources.hpp",
        .meaning = "Part of a node's GPU memory that a job takes: a term of the utilisation "
                   "matrix",
        .text = "U_ik = used_ik / capacity_ik",
        .latex = R"(U_{ik} = u_{ik} / C_{ik})",
        .symbols = {{"u", "memory used", "B", ">= 0"}, {"C", "memory there is", "B", "> 0"}},
        .result = "1",
        .validity = "compute, memory, cores and network alike",
        .source = "by definition",
        .errata = "",
        .topics = "R2",
        .evaluate =
            [](inputs x) {
              return gpuplan::shares_of({.memory = bytes{x[0]}}, {.memory = bytes{x[1]}}).memory;
            },
        .examples = {{{20, 80}, 0.25, 1e-15, "20 of 80"}}},
    formula{.name = "dominant_share",
            .header = "placement/fairness.hpp",
            .meaning = "Largest part of the pool that a user has, over the kinds: of memory, cores",
            .text = "max_k u_k / C_k",
            .latex = R"(\max_k u_k / C_k)",
            .symbols = {{"u_M", "memory used", "B", ">= 0"},
                        {"u_C", "cores used", "count", ">= 0"},
                        {"C_M", "memory of the pool", "B", "> 0"},
                        {"C_C", "cores of the pool", "count", "> 0"}},
            .result = "1",
            .validity = "compute and network alike",
            .source = "A. Ghodsi et al., \"Dominant Resource Fairness: Fair Allocation of Multiple "
                      "Resource Types\", NSDI (2011), section 4",
            .errata = "",
            .topics = "R4",
            .evaluate =
                [](inputs x) {
                  return dominant_share({.memory = bytes{x[0]}, .cores = x[1]},
                                        {.memory = bytes{x[2]}, .cores = x[3]});
                },
            .examples = {{{12, 3, 18, 9}, 2.0 / 3, 1e-15, "the paper's first user"}}},
    formula{.name = "resource_demand",
            .header = "placement/resources.hpp",
            .meaning = "Rate of arithmetic that a job asks of a node for a step time",
            .text = "D = k F / t",
            .latex = R"(D = k F / t)",
            .symbols = {{"k", "GPUs on the node", "count", ">= 1"},
                        {"F", "work of one GPU in a step", "FLOP", ">= 0"},
                        {"t", "step time", "s", "> 0"}},
            .result = "FLOP/s",
            .validity = "memory k M, cores k c and network k m / t beside it",
            .source = "by definition",
            .errata = "",
            .topics = "R1",
            .evaluate =
                [](inputs x) {
                  return resource_demand({.work = flop{x[1]}}, whole(x[0]), seconds{x[2]})
                      .compute.in_base_units();
                },
            .examples = {{{4, 4e15, 10}, 1.6e15, 1e-15, "4 x 4 PFLOP in 10 s"}}},
    formula{.name = "free_gpus_of",
            .header = "placement/fragmentation.hpp",
            .meaning = "Part of the free GPUs in nodes with too few for a gang: of two nodes",
            .text = "sum of f_i < k / sum f_i",
            .latex = R"(\frac{\sum_{f_i < k} f_i}{\sum_i f_i})",
            .symbols = {{"f_1", "free on the first node", "count", "0 to 16"},
                        {"f_2", "free on the second", "count", "0 to 16"},
                        {"k", "GPUs of the gang", "count", ">= 1"}},
            .result = "1",
            .validity = "gangs that keep to one node",
            .source = "by definition",
            .errata = "1 - largest block / free is near 1 for any pool of many empty nodes",
            .topics = "R3",
            .evaluate =
                [](inputs x) {
                  const std::array nodes{empty_node(whole(x[0]), 0, bytes{0}),
                                         empty_node(whole(x[1]), 0, bytes{0})};
                  return free_gpus_of(nodes, whole(x[2])).unusable_share();
                },
            .examples = {{{8, 3, 4}, 3.0 / 11, 1e-15, "3 of 11"}}},
    formula{.name = "slack_of",
            .header = "placement/job_order.hpp",
            .meaning = "Time to spare before a deadline",
            .text = "d - now - t",
            .latex = R"(d - t_0 - t)",
            .symbols = {{"d", "deadline", "s", "any"},
                        {"now", "time now", "s", "any"},
                        {"t", "time to run", "s", ">= 0"}},
            .result = "s",
            .validity = "below 0 where it cannot be met",
            .source = "by definition",
            .errata = "",
            .topics = "R5",
            .evaluate =
                [](inputs x) {
                  return slack_of({.expected = seconds{x[2]}, .deadline = seconds{x[0]}},
                                  seconds{x[1]})
                      .in_base_units();
                },
            .examples = {{{5, 1, 2}, 2, 1e-15, "5 - 1 - 2"}}},
    formula{.name = "load_priority",
            .header = "placement/load_assignment.hpp",
            .meaning = "Worth of an assignment by load and priority: of two jobs, each on its node",
            .text = "sum L_a(j) P_j",
            .latex = R"(\\sum_j L_{a(j)} P_j)",
            .symbols = {{"L_1", "free part of the first node", "1", "0 to 1"},
                        {"L_2", "free part of the second", "1", "0 to 1"},
                        {"P_1", "priority of the first job", "1", ">= 0"},
                        {"P_2", "priority of the second", "1", ">= 0"}},
            .result = "1",
            .validity = "largest where large priorities meet free nodes",
            .source = "by definition",
            .errata = "",
            .topics = "R7",
            .evaluate =
                [](inputs x) {
                  const std::array<std::size_t, 2> own{0, 1};
                  return load_priority(x.first(2), x.subspan(2, 2), own);
                },
            .examples = {{{0.5, 0.25, 4, 2}, 2.5, 1e-15, "0.5 x 4 + 0.25 x 2"}}},
    formula{.name = "sharing_slowdown",
            .header = "placement/gpu_sharing.hpp",
            .meaning = "How much longer a step takes on a GPU that two equal jobs share",
            .text = "max(1, b_1 + b_2)",
            .latex = R"(\\max(1, b_1 + b_2))",
            .symbols = {{"b_1", "share of the time that the first computes", "1", "> 0, <= 1"},
                        {"b_2", "that of the second", "1", "> 0, <= 1"}},
            .result = "1",
            .validity =
                "coarse: no interference but for time; guaranteed and opportunistic jobs beside it",
            .source =
                "W. Xiao et al., \"Gandiva\", OSDI (2018); W. Xiao et al., \"AntMan\", OSDI (2020)",
            .errata = "",
            .topics = "R12",
            .evaluate =
                [](inputs x) {
                  const std::array two{gpu_tenant{.step = seconds{1}, .busy = x[0]},
                                       gpu_tenant{.step = seconds{1}, .busy = x[1]}};
                  return sharing_slowdown(
                      two, 0, {.memory = bytes{1}, .host_bandwidth = bytes_per_second{1}});
                },
            .examples = {{{0.5, 0.8}, 1.3, 1e-15, "1.3 of the time"}}},
    formula{.name = "greedy_work",
            .header = "placement/search_work.hpp",
            .meaning = "Looks at a node for a task, by a greedy rule",
            .text = "n m",
            .latex = R"(n m)",
            .symbols = {{"n", "tasks", "count", ">= 0"}, {"m", "nodes", "count", ">= 0"}},
            .result = "count",
            .validity = "the steps that grow; each step has its own cost",
            .source = "by definition, counted in a test",
            .errata = "",
            .topics = "R8",
            .evaluate = [](inputs x) { return greedy_work(x[0], x[1]); },
            .examples = {{{8, 3}, 24, 0, "8 x 3"}}},
    formula{.name = "exhaustive_work",
            .header = "placement/search_work.hpp",
            .meaning = "Assignments that trying all of them looks at",
            .text = "m^n",
            .latex = R"(m^n)",
            .symbols = {{"n", "tasks", "count", ">= 0"}, {"m", "nodes", "count", ">= 0"}},
            .result = "count",
            .validity = "the steps that grow; each step has its own cost",
            .source = "by definition, counted in a test",
            .errata = "",
            .topics = "R8",
            .evaluate = [](inputs x) { return exhaustive_work(x[0], x[1]); },
            .examples = {{{5, 3}, 243, 0, "3^5"}}},
    formula{.name = "genetic_work",
            .header = "placement/search_work.hpp",
            .meaning = "Looks at a node for a task, by a genetic search",
            .text = "G P n m",
            .latex = R"(G P n m)",
            .symbols = {{"G", "generations", "count", ">= 0"},
                        {"P", "population", "count", ">= 0"},
                        {"n", "tasks", "count", ">= 0"},
                        {"m", "nodes", "count", ">= 0"}},
            .result = "count",
            .validity = "the steps that grow; each step has its own cost",
            .source = "by definition, counted in a test",
            .errata = "",
            .topics = "R8",
            .evaluate = [](inputs x) { return genetic_work(x[0], x[1], x[2], x[3]); },
            .examples = {{{10, 5, 8, 3}, 1200, 0, "10 x 5 x 8 x 3"}}},
    formula{.name = "knapsack_work",
            .header = "placement/search_work.hpp",
            .meaning = "Steps of the knapsack by dynamic programming",
            .text = "n C",
            .latex = R"(n C)",
            .symbols = {{"n", "tasks", "count", ">= 0"}, {"C", "GPUs", "count", ">= 0"}},
            .result = "count",
            .validity = "the steps that grow; each step has its own cost",
            .source = "by definition, counted in a test",
            .errata = "",
            .topics = "R8",
            .evaluate = [](inputs x) { return knapsack_work(x[0], x[1]); },
            .examples = {{{8, 64}, 512, 0, "8 x 64"}}},
};

}  // namespace gpuplan::registry
