#pragma once
/// \file
/// What a step waits for the host that keeps a part of its memory.

#include <algorithm>
#include <cstdint>

#include <gpuplan/hardware/node.hpp>
#include <gpuplan/hardware/physical_link.hpp>
#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/plan/offload_traffic.hpp>
#include <gpuplan/plan/step_time_terms.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// Forward and backward pass of one micro-batch: what transfers hide behind.
template <class T>
struct host_passes {
  basic_seconds<T> forward{};
  basic_seconds<T> backward{};
};

/// What one rank does in a step.
template <class T>
struct rank_work {
  double updated = 0;        ///< parameters of its share
  double fetched = 0;        ///< likewise, frozen ones too
  bytes kept{};              ///< activations of one micro-batch
  double micro_batches = 1;  ///< >= 1
  double in_bubble = 0;      ///< passes of other stages that it waits for
  host_passes<T> pass{};     ///< of the slowest stage
  host_passes<T> last{};     ///< of its last micro-batch: waiting for other ranks hides too
  host_passes<T> others{};   ///< of the other stages, their mean
};

/// Adds the waiting for the host.  The GPUs of a node share its host.
template <class T>
[[gnu::cold]] constexpr void add_host_time(basic_step_time<T>& step, const basic_node<T>& box,
                                           const recipe& how, const parallelism& cut,
                                           const rank_work<T>& work, const T& exposed) {
  const parameter_bytes per = bytes_per_parameter(how);
  if (how.offload != offloaded_states::none) {
    const auto ranks = static_cast<double>((std::min)(std::int64_t{box.gpus}, cut.gpus()));
    step.optimizer = work.updated * ranks * bytes_per_host_update(per) / box.host_update;
  }
  const host_traffic moved = host_traffic_of(how, {work.fetched, work.updated}, per, work.kept);
  const basic_interconnect<T> host = interconnect_of(box.gpu.host);
  const auto wait = [&](const host_passes<T>& beside) {
    return host_wait_of(host, moved,
                        {.forward = beside.forward,
                         .backward = beside.backward,
                         .update = step.optimizer,
                         .exposed = exposed});
  };
  const basic_host_wait<T> last = wait(work.last);
  step.offload = (work.micro_batches - 1) * wait(work.pass).of_micro_batch() +
                 work.in_bubble * wait(work.others).of_micro_batch() + last.of_micro_batch() +
                 last.update;
}

}  // namespace gpuplan::detail
