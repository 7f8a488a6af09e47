#pragma once
/// \file
/// How long one optimizer step takes, term by term.

#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/plan/detail/step_parts.hpp>
#include <gpuplan/plan/input_time.hpp>
#include <gpuplan/plan/largest_draw.hpp>
#include <gpuplan/plan/offload_traffic.hpp>
#include <gpuplan/plan/pipeline_bubble.hpp>
#include <gpuplan/plan/rank_links.hpp>
#include <gpuplan/plan/step_time_data.hpp>
#include <gpuplan/plan/step_time_terms.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

namespace detail {

/// Share of a message between stages that shows where a rank has another chunk to work on.  An
/// assumption that is in no fit.
inline constexpr double hop_beside_chunks = 0.1;

/// Waiting for the pipeline to fill and drain.
template <class T>
constexpr basic_seconds<T> bubble_time(const step_parts<T>& step) {
  const parallelism& cut = step.memory.parallelism;
  if (cut.pipeline == 1) return {};
  const double v = cut.interleave;
  return bubble_share_of(step.memory.recipe.schedule, cut.pipeline, step.micro_batches) / v *
         step.others;
}

/// Activations sent on between stages, and their gradients sent back, in slices of tensor ranks.
template <class T>
constexpr basic_seconds<T> pipeline_time(const step_parts<T>& step) {
  const recipe& how = step.memory.recipe;
  const parallelism& cut = step.memory.parallelism;
  if (cut.pipeline == 1) return {};
  const basic_interconnect<T>& next = step.links.pipeline;
  const double rows = static_cast<double>(how.sequence_length) * cut.micro_batch_size / cut.context;
  const bytes slice = rows * step.memory.model.hidden_size * step.rates.value / cut.tensor;
  const double ways = how.runs_reference() ? 3 : 2;
  const basic_seconds<T> hop = ways * (slice / next.bandwidth + start_of(next));
  const double p = cut.pipeline;
  const bool there_and_back = how.schedule == pipeline_schedule::zero_bubble_v;
  const double v = there_and_back ? 2 : cut.interleave;
  const double shown = v > 1 && chosen(how.overlap.pipeline, true) ? hop_beside_chunks : 1;
  return (shown * step.micro_batches * v + p - 1) * hop;
}

/// Waiting for the slowest replica, whose time of `passes` is drawn, and for a GPU that is slower
/// always, whose kernels every micro-batch waits for.
template <class T>
constexpr basic_seconds<T> straggler_time(const step_parts<T>& step, const T& slowest,
                                          const basic_seconds<T>& passes,
                                          const basic_busy_time<T>& busy) {
  basic_seconds<T> time =
      step.software.jitter * largest_draw(step.memory.parallelism.data) * passes;
  if (slowest > 1) time += (slowest - 1) * busy.kernels();
  return time;
}

/// What a rank does in a step beside transfers from and to the host.
template <class T>
[[gnu::cold]] constexpr rank_work<T> work_beside_host(const step_parts<T>& step,
                                                      const data_traffic<T>& left) {
  const recipe& how = step.memory.recipe;
  const parallelism& cut = step.memory.parallelism;
  const double p = cut.pipeline;
  const double v = cut.interleave;
  const basic_seconds<T> own = step.longest - step.one.reference;
  const basic_seconds<T> forward = forward_share * own + step.one.reference;
  const basic_seconds<T> backward = backward_share * own;
  const basic_seconds<T> others = cut.pipeline > 1 ? step.others / (p - 1) : step.longest;
  const basic_seconds<T> each = reduces_each_time(how, cut) ? left.gradients : basic_seconds<T>{};
  return {
      .share = {.all = share_of_rank(step.dense, step.experts, step.memory.rates),
                .updated = updated_parameters(step)},
      .kept = step.kept,
      .micro_batches = step.micro_batches,
      .in_bubble = bubble_share_of(how.schedule, cut.pipeline, step.micro_batches) * (p - 1) / v,
      .pass = {forward, backward + each},
      .last = {forward + left.weights, backward + left.gradients},
      .others = {forward_share * others, backward_share * others}};
}

}  // namespace detail

/// step_time_of a job whose memory is known, which says how it is cut.
///
/// \throws invalid_input as step_time_of does
template <class T>
constexpr basic_step_time<T> step_time_of(const basic_cluster<T>& pool,
                                          const basic_framework_profile<T>& software,
                                          const footprint& memory) {
  const detail::step_parts<T> parts{pool, software, memory};
  const detail::data_traffic<T> left = detail::unhidden_traffic(parts);
  basic_step_time<T> step{.busy = parts.micro_batches * parts.one,
                          .pipeline = detail::pipeline_time(parts),
                          .bubble = detail::bubble_time(parts),
                          .data = detail::data_time(parts, left)};
  step.stragglers = detail::straggler_time<T>(
      parts, pool.slowest, parts.micro_batches * parts.longest + step.bubble + step.pipeline,
      step.busy);
  const recipe& how = memory.recipe;
  basic_seconds<T> update = detail::update_time(parts);
  if (how.offload != offloaded_states::none)
    update = detail::host_update_time(pool.node, how, memory.parallelism,
                                      detail::updated_parameters(parts));
  step.optimizer = update + detail::around_update(parts);
  if (how.uses_host())
    step.offload = detail::offload_time<T>(pool.node, how, detail::work_beside_host(parts, left),
                                           update, software.data_exposed);
  if (pool.node.feed.is_known())
    step.input = input_time(pool.node, how, memory.parallelism, step.total());
  return step;
}

/// Time of one optimizer step.
///
///     t = (m b + (sum_i b_i - b) s / v + (u m v + p - 1) hop) (1 + j z(d)) + data + update
///
///     b_i      busy time of stage i with one micro-batch; b the largest   s
///     m, p, v  micro-batches, stages, chunks a stage, of which a          count
///              V-shaped schedule sends 2
///     s        bubble_share_of the schedule and m                         1
///     hop      2 (T h x / (t W) + start_of): an activation sent on, its   s
///              gradient sent back, in t slices; 3 with a reference model
///     u        hop_beside_chunks where a rank has another chunk, else 1   1
///     j, z     the software's jitter; largest_draw over d replicas        1
///              Beside it one GPU, cluster.slowest, may be slower always:
///              all wait for its kernels, in every micro-batch
///     data     gradients and weights over the rings of data x context     s
///     update   bytes_per_update of each parameter that the rank updates,  s
///              and four passes over the gradients that it keeps, over the
///              memory's bandwidth, and software.step_host; of states on the host
///              host_update_time in place of the first, and what
///              host_wait_of leaves of their transfers
///
/// Where the node's feed is known, input_time is added: what samples come later than that.
///
/// Where data traffic runs beside forward and backward passes, what is longer than the pass is left
/// of it, and at least the share software.data_exposed.  Gradients that are themselves divided are
/// reduced after every micro-batch.
///
/// How far it is off is told by benchmarks/accuracy, run by run, for dense models and for mixtures
/// of experts, with each source left out of the fit in turn.
///
/// The layout must pass layout_fault and the device must have units for the format.
///
/// Source: D. Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters
/// Using Megatron-LM", SC21 (2021), sections 2 and 3, arXiv:2104.04473; V. Korthikanti et al.,
/// "Reducing Activation Recomputation in Large Transformer Models", MLSys (2023),
/// arXiv:2205.05198; the parts'.
///
/// \throws invalid_input if a description is invalid
template <class T>
constexpr basic_step_time<T> step_time_of(const transformer& m, const basic_cluster<T>& pool,
                                          const recipe& how, const parallelism& cut,
                                          const basic_framework_profile<T>& software) {
  return step_time_of(pool, software, memory_footprint(m, how, cut));
}

}  // namespace gpuplan
