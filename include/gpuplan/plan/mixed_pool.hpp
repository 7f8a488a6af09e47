#pragma once
/// \file
/// A job on GPUs of several kinds: each step waits for the slowest kind.

#include <cstddef>
#include <span>

#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/scaling/straggler.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What a pool of several kinds of GPU does.
struct mixed_estimate {
  estimate slowest{};      ///< of the kind that the others wait for, or the first that cannot run
  std::size_t part = 0;    ///< that it is of
  waiting_step step{};     ///< equal shares: the mean GPU's own step, and the step of all
  seconds proportional{};  ///< step where each kind gets as many samples as it is fast

  [[nodiscard]] constexpr bool fits() const { return slowest.fits(); }
};

/// A layout over all GPUs of `parts`, each a cluster of one kind of node.
///
///     step          max_k t_k                 equal shares of the batch
///     mean          sum_k s_k t_k
///     proportional  1 / sum_k (s_k / t_k)     shares as 1/t_k
///
///     t_k  step if all nodes were of kind k, their ports those of the slowest fabric   s
///     s_k  share of kind k among the GPUs                                              0 to 1
///
/// Every kind must have the memory; the first that cannot run is the answer.  Proportional shares
/// are what replicas that lie each on one kind may have, if the batch is divided unevenly and
/// gradients are weighed by samples; they are a lower bound for stages or slices on several kinds.
///
/// Source: L. G. Valiant, "A bridging model for parallel computation", Communications of the ACM 33
/// (1990) 103-111; \see waiting_for_slowest, throughput_of_mixed.
///
/// \throws invalid_input if parts is empty, or a description is invalid
constexpr mixed_estimate evaluate_mixed(const transformer& m, std::span<const cluster> parts,
                                        const recipe& how, const parallelism& cut,
                                        const workspace& beside = {}) {
  require(!parts.empty(), "evaluate_mixed: parts must not be empty");
  double gpus = 0;
  interconnect fabric = parts.front().node.fabric;
  for (const cluster& part : parts) {
    require_valid(part);
    gpus += static_cast<double>(part.gpus());
    fabric.latency = larger(fabric.latency, part.node.fabric.latency);
    fabric.bandwidth = smaller(fabric.bandwidth, part.node.fabric.bandwidth);
  }
  require(gpus < 1 << 30, "evaluate_mixed: parts must have < 2^30 GPUs in total");

  mixed_estimate all;
  double samples = 0;  // of the batch, a second
  for (std::size_t k = 0; k < parts.size(); ++k) {
    cluster alone = cluster_of(parts[k].node, static_cast<int>(gpus));
    alone.node.fabric = fabric;
    alone.slowest = parts[k].slowest;
    const estimate of_kind = evaluate(m, alone, how, cut, beside);
    if (!of_kind.fits()) return {.slowest = of_kind, .part = k};
    const double share = static_cast<double>(parts[k].gpus()) / gpus;
    const seconds time = of_kind.time.total();
    all.step.mean += share * time;
    samples += share / time.in_base_units();
    if (k > 0 && !(time > all.step.slowest)) continue;
    all.slowest = of_kind;
    all.part = k;
    all.step.slowest = time;
  }
  all.step.slowest = larger(all.step.slowest, all.step.mean);  // rounded means of equal times
  all.proportional = seconds{1 / samples};
  return all;
}

}  // namespace gpuplan
