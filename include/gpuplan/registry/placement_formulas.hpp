#pragma once
/// \file
/// Rows of placement/: how nodes are filled, and what is lost between tasks.

#include <array>

#include <gpuplan/placement/expected_fragmentation.hpp>
#include <gpuplan/placement/gpu_node.hpp>
#include <gpuplan/placement/gpu_task.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

inline constexpr std::array placement_formulas{
    formula{
        .name = "expected_fragmentation",
        .header = "placement/expected_fragmentation.hpp",
        .meaning = "Free GPU shares of a node that the next task cannot use: of two GPUs, where "
                   "tasks ask for one whole GPU or for two",
        .text = "F = sum_m p_m (sum_g r_g where m cannot be hosted, else sum of r_g < d_m)",
        .latex = R"(F = \sum_m p_m \sum_{g:\, r_g < d_m \ \mathrm{or}\ m\ \mathrm{unhosted}} r_g)",
        .symbols = {{"r_1", "free of the first GPU", "1", "0 .. 1"},
                    {"r_2", "free of the second GPU", "1", "0 .. 1"},
                    {"p_1", "share of tasks that ask for one", "1", "0 < p < 1"}},
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
};

}  // namespace gpuplan::registry
