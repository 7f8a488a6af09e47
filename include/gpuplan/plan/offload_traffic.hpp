#pragma once
/// \file
/// The traffic of offloading between a GPU and its host, and how long the GPU waits for it.

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <gpuplan/hardware/interconnect.hpp>
#include <gpuplan/hardware/node.hpp>
#include <gpuplan/hardware/physical_link.hpp>
#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/memory/offload.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Bytes between one GPU and its host.
struct host_traffic {
  offload_traffic forward{};   ///< of one micro-batch
  offload_traffic backward{};  ///< of one micro-batch
  offload_traffic update{};    ///< once a step
};

/// Parameters of a rank's share.
struct host_share {
  double all = 0;      ///< >= 0
  double updated = 0;  ///< but for frozen ones; >= 0
};

/// What a recipe moves.
///
///                  forward        backward       update
///                  up     down    up     down    up     down
///     optimizer    -      -       -      -       w P    g P
///     all          w Q    -       w Q    g P     -      -
///     activations  -      f A     f A    -       -      -
///
///     P, Q  share.updated, share.all                           count, >= 0
///     w, g  per.weight, per.gradient                           B, >= 0
///     A     what its layers keep of one micro-batch            B, >= 0
///     f     how.offloaded_activations                          0 to 1
///
/// Every rank moves its own share over its own link; ranks that share the weights gather them from
/// one another.  Gradients of `all` are summed on the host.  The forward pass of a reference model
/// brings its weights up, too: 2 w Q.
///
/// Source: J. Ren et al., "ZeRO-Offload: Democratizing Billion-Scale Model Training", USENIX ATC
/// (2021), section 4, arXiv:2101.06840; S. Rajbhandari et al., "ZeRO-Infinity: Breaking the GPU
/// Memory Wall for Extreme Scale Deep Learning", SC21 (2021), sections 5 and 6, arXiv:2104.07857.
///
/// \throws invalid_input if a count < 0, kept < 0 B, or a choice of how is out of its range
constexpr host_traffic host_traffic_of(const recipe& how, const host_share& share,
                                       const parameter_bytes& per, bytes kept) {
  host_traffic moved;
  if (how.offload == offloaded_states::optimizer)
    moved.update = offload_optimizer(share.updated, per).traffic;
  if (how.offload == offloaded_states::all) {
    const bytes weights = offload_parameters(share.all, per, bytes{0}).traffic.to_device / 2;
    moved.forward.to_device = how.runs_reference() ? 2 * weights : weights;
    moved.backward = {.to_host = offload_optimizer(share.updated, per).traffic.to_host,
                      .to_device = weights};
  }
  const offload_traffic waiting = offload_activations(kept, how.offloaded_activations).traffic;
  moved.forward.to_host += waiting.to_host;
  moved.backward.to_device += waiting.to_device;
  return moved;
}

/// Bytes of its memory that a host moves to update one parameter: the gradient read, states and
/// master copy read and written, the working weight written.
///
///     g + 2 (k + o) + w        without a master copy g + 2 (w + o)
///
///     w, g, k, o  per.weight, per.gradient, per.master, per.optimizer   B, >= 0
///
/// 28 B for Adam beside 16-bit weights and gradients.  Norm and scale of the gradients are made on
/// the GPU.
///
/// Holds: one pass over all; norms of gradients are made on the GPU.
///
/// Source: J. Ren et al. (2021) as above, section 5.1, by counting.
constexpr bytes bytes_per_host_update(const parameter_bytes& per) {
  const bytes kept = per.master > bytes{0} ? per.master : per.weight;
  const bytes copy = per.master > bytes{0} ? per.weight : bytes{0};
  return per.gradient + 2 * (kept + per.optimizer) + copy;
}

/// What hides host_traffic, and what does not.
template <class T>
struct basic_host_overlap {
  basic_seconds<T> forward{};   ///< pass of one micro-batch
  basic_seconds<T> backward{};  ///< pass of one micro-batch
  basic_seconds<T> update{};    ///< on the host
  T exposed{1};                 ///< share of each transfer that nothing hides; >= 0
};

/// Seconds that a GPU waits for transfers, by when.
template <class T>
struct basic_host_wait {
  basic_seconds<T> forward{};   ///< of one micro-batch
  basic_seconds<T> backward{};  ///< of one micro-batch
  basic_seconds<T> update{};    ///< once a step, beside the update itself

  [[nodiscard]] constexpr basic_seconds<T> of_micro_batch() const { return forward + backward; }
};

namespace detail {

/// What work of `hiding` leaves of a transfer, at least the exposed share.
template <class T>
constexpr basic_seconds<T> left_of_transfer(const basic_seconds<T>& transfer,
                                            const basic_seconds<T>& hiding, const T& exposed) {
  const basic_seconds<T> least = exposed * transfer;
  const basic_seconds<T> left = transfer - hiding;
  return left > least ? left : least;
}

/// Both directions at once, each at the link's bandwidth.
template <class T>
constexpr basic_seconds<T> duplex_time(const offload_traffic& moved,
                                       const basic_interconnect<T>& link) {
  const bytes most = moved.to_host > moved.to_device ? moved.to_host : moved.to_device;
  return most > bytes{0} ? most / link.bandwidth + link.latency : basic_seconds<T>{};
}

}  // namespace detail

/// The part of host_traffic that a GPU waits for.
///
///     forward    what its pass leaves of max(up, down) / W + l, at least the share X of it
///     backward   likewise
///     update     what the last backward pass leaves of g P / W + l beside its own transfers, and
///                what the update on the host, which works in pieces that are sent up as they are
///                done, leaves of w P / W + l
///
///     W, l  host.bandwidth, one direction, and host.latency
///     X     beside.exposed
///
/// Holds where no other GPU shares the link to the host, and memory of the host is pinned.
///
/// Source: as host_traffic_of.
///
/// \throws invalid_input if the link is invalid or exposed < 0
template <class T>
constexpr basic_host_wait<T> host_wait_of(
    const basic_interconnect<T>& host, const host_traffic& moved,
    const std::type_identity_t<basic_host_overlap<T>>& beside) {
  require_valid(host);
  require(beside.exposed >= 0, "host_wait_of: exposed must be >= 0");
  const auto left = [&](const basic_seconds<T>& transfer, const basic_seconds<T>& hiding) {
    return detail::left_of_transfer<T>(transfer, hiding, beside.exposed);
  };
  const auto time_of = [&](const offload_traffic& traffic) {
    return detail::duplex_time(traffic, host);
  };
  const basic_seconds<T> backward = time_of(moved.backward);
  const basic_seconds<T> waits_backward = left(backward, beside.backward);
  const basic_seconds<T> down = backward + time_of({.to_host = moved.update.to_host});
  return {.forward = left(time_of(moved.forward), beside.forward),
          .backward = waits_backward,
          .update = left(down, beside.backward) - waits_backward +
                    left(time_of({.to_device = moved.update.to_device}), beside.update)};
}

namespace detail {

/// Forward and backward pass of one micro-batch: what transfers hide behind.
template <class T>
struct host_passes {
  basic_seconds<T> forward{};
  basic_seconds<T> backward{};
};

/// What one rank does in a step.
template <class T>
struct rank_work {
  host_share share{};        ///< parameters of its share
  bytes kept{};              ///< activations of one micro-batch
  double micro_batches = 1;  ///< >= 1
  double in_bubble = 0;      ///< passes of other stages that it waits for
  host_passes<T> pass{};     ///< of the slowest stage
  host_passes<T> last{};     ///< of its last micro-batch: waiting for other ranks hides too
  host_passes<T> others{};   ///< of the other stages, their mean
};

/// The update on the host, whose memory the GPUs of a node share.
template <class T>
[[gnu::cold]] constexpr basic_seconds<T> host_update_time(const basic_node<T>& box,
                                                          const recipe& how, const parallelism& cut,
                                                          double updated) {
  const auto ranks = static_cast<double>((std::min)(std::int64_t{box.gpus}, cut.gpus()));
  return updated * ranks * bytes_per_host_update(bytes_per_parameter(how)) / box.host_update;
}

/// Waiting for transfers in a step whose update takes `update`.
template <class T>
[[gnu::cold]] constexpr basic_seconds<T> offload_time(const basic_node<T>& box, const recipe& how,
                                                      const rank_work<T>& work,
                                                      const basic_seconds<T>& update,
                                                      const T& exposed) {
  const host_traffic moved = host_traffic_of(how, work.share, bytes_per_parameter(how), work.kept);
  const basic_interconnect<T> host = interconnect_of(box.gpu.host);
  const auto wait = [&](const host_passes<T>& beside) {
    return host_wait_of(host, moved,
                        {.forward = beside.forward,
                         .backward = beside.backward,
                         .update = update,
                         .exposed = exposed});
  };
  const basic_host_wait<T> last = wait(work.last);
  return (work.micro_batches - 1) * wait(work.pass).of_micro_batch() +
         work.in_bubble * wait(work.others).of_micro_batch() + last.of_micro_batch() + last.update;
}

}  // namespace detail

}  // namespace gpuplan
