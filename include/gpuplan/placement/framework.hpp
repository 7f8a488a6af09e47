#pragma once
/// \file
/// Places jobs in four steps: put them in order, leave out nodes that cannot hold a job, match it
/// to the best of the others, and improve what was reached by moving some that run.

#include <span>

#include <gpuplan/placement/detail/framework_run.hpp>
#include <gpuplan/placement/framework_options.hpp>
#include <gpuplan/placement/placer.hpp>
#include <gpuplan/placement/placer_replay.hpp>
#include <gpuplan/placement/pool_table.hpp>

namespace gpuplan {

/// Places the jobs on the nodes of a placer.
///
///     order    the most urgent first: aged priority, then slack, then GPUs, then arrival
///     filter   nodes that have the GPUs, the cores, the memory and the type
///     match    of these the one of the largest score under the placer's policy
///     improve  for a job without a node up to `moves` that run go elsewhere; at the end of a
///              batch as many go from the fullest nodes to the emptiest, where no gang loses its
///              place
///
/// In a batch, where no job leaves, each job is tried once before any moves: so moves never lower
/// the number of jobs placed. Jobs that come and go are tried as they come, and while they have
/// patience again whenever others leave, in the order of urgency; nothing is kept free for one that
/// waits. There a job that is given room can be in the way of a later one. A job that starts late
/// runs as long as it would have. The run ends with the last arrival, or later, when nobody waits:
/// `until` of the replay is then, and `busy` counts to it.
///
/// A job that comes searches one node, and without one tries at most `moves` moves; when a job
/// leaves, those that wait are tried until 64 different requests have found nothing.  n jobs of
/// which w wait take O(n log n) for their order and O(w) more for each that leaves.
///
/// Source: A. Verma et al., "Large-scale cluster management at Google with Borg", EuroSys (2015),
/// section 3.2: feasibility, then scoring, by priority; the moves are our own.
///
/// \throws invalid_input if an option or a task is out of range
inline framework_result run_framework(placer& pool, std::span<const arriving_task> tasks,
                                      replay_mode mode, const framework_options& options = {}) {
  require_valid(options);
  detail::framework_run run{pool, tasks, options};
  return mode == replay_mode::leave ? run.replay() : run.batch();
}

}  // namespace gpuplan
