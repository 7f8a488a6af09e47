#pragma once
/// \file
/// Keeping part of the memory on the host: what stays on the GPU, and the time it takes to fetch
/// the rest.

#include <algorithm>

#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What moves between host and device in one step.
struct offload_traffic {
  bytes to_host{};    ///< >= 0
  bytes to_device{};  ///< >= 0
};

/// What offloading saves and costs.
struct offload {
  bytes device_saved{};  ///< on each GPU
  bytes host_needed{};   ///< for each GPU
  offload_traffic traffic{};

  /// Time on a link that carries one direction at a time.
  [[nodiscard]] constexpr seconds transfer_time(bytes_per_second link) const {
    require(link > bytes_per_second{0}, "offload: link must be > 0 B/s");
    return (traffic.to_host + traffic.to_device) / link;
  }
  /// Time on a link that carries both directions at once, `link` in each.
  [[nodiscard]] constexpr seconds duplex_transfer_time(bytes_per_second link) const {
    require(link > bytes_per_second{0}, "offload: link must be > 0 B/s");
    return (std::max)(traffic.to_host, traffic.to_device) / link;
  }
};

/// The part of a transfer that work on the GPU does not hide.
///
///     max(T_transfer - T_work, 0)
///
///     T_transfer  time of the transfer    s, >= 0
///     T_work      work beside it          s, >= 0
///
/// Holds: both run at their own speed beside each other.
///
/// Source: by definition.
///
/// \throws invalid_input if transfer < 0 s or hidden_behind < 0 s
constexpr seconds exposed_transfer(seconds transfer, seconds hidden_behind) {
  require(transfer >= seconds{0}, "exposed_transfer: transfer must be >= 0 s");
  require(hidden_behind >= seconds{0}, "exposed_transfer: hidden_behind must be >= 0 s");
  return (std::max)(transfer - hidden_behind, seconds{0});
}

/// Optimizer states and master weights on the host, the update computed there: gradients go down,
/// weights come up.
///
///     saved = host = k P        traffic  g P down, w P up, once a step
///
///     P        parameters of this rank's share                   count, >= 0
///     k        master copy and states, bytes a parameter         B, >= 0
///     g, w     gradient and weight, bytes a parameter            B, >= 0
///
/// Source: J. Ren et al., "ZeRO-Offload: Democratizing Billion-Scale Model Training", USENIX ATC
/// (2021), section 3, arXiv:2101.06840.
///
/// \throws invalid_input if parameters < 0
constexpr offload offload_optimizer(double parameters, const parameter_bytes& per) {
  require(parameters >= 0, "offload_optimizer: parameters must be >= 0");
  const bytes states = parameters * (per.master + per.optimizer);
  return {.device_saved = states,
          .host_needed = states,
          .traffic = {.to_host = parameters * per.gradient, .to_device = parameters * per.weight}};
}

/// Activations on the host between forward and backward pass: down once, up once.
///
///     saved = host = f A        traffic  f A each way, once a micro-batch
///
///     A  activations kept        B, >= 0
///     f  part of them offloaded  0 to 1
///
/// Source: M. Rhu et al., "vDNN: Virtualized Deep Neural Networks for Scalable, Memory-Efficient
/// Neural Network Design", MICRO (2016), arXiv:1602.08124.
///
/// \throws invalid_input if kept < 0 B or fraction is not 0 to 1
constexpr offload offload_activations(bytes kept, double fraction = 1) {
  require(kept >= bytes{0}, "offload_activations: kept must be >= 0 B");
  require(fraction >= 0 && fraction <= 1, "offload_activations: fraction must be 0 to 1");
  const bytes moved = fraction * kept;
  return {.device_saved = moved, .host_needed = moved, .traffic = {moved, moved}};
}

/// Weights on the host, fetched for the forward pass and again for the backward pass; the
/// gradient goes down.
///
///     saved = w P - live        host = w P        traffic  g P down, 2 w P up, once a micro-batch
///
///     live  weights at work on the device, at one time    B, 0 to w P
///     P     parameters                                    count, >= 0
///     w     one weight                                    B, >= 0
///
/// Holds: weights are fetched twice, for the forward and the backward pass.
///
/// Source: S. Rajbhandari et al., "ZeRO-Infinity: Breaking the GPU Memory Wall for Extreme Scale
/// Deep Learning", SC21 (2021), section 5, arXiv:2104.07857.
///
/// \throws invalid_input if parameters < 0, or live is not 0 B to all weights
constexpr offload offload_parameters(double parameters, const parameter_bytes& per, bytes live) {
  require(parameters >= 0, "offload_parameters: parameters must be >= 0");
  const bytes weights = parameters * per.weight;
  require(live >= bytes{0} && live <= weights,
          "offload_parameters: live must be 0 B to all weights");
  return {.device_saved = weights - live,
          .host_needed = weights,
          .traffic = {.to_host = parameters * per.gradient, .to_device = 2 * weights}};
}

/// Model states that lie on the host.
///
///     none       nothing
///     optimizer  master weights and optimizer states
///     all        weights and gradients too
///
/// The rest stays on the GPU; gradients of `optimizer` until the update asks for them.
///
/// Source: J. Ren et al., "ZeRO-Offload: Democratizing Billion-Scale Model Training", USENIX ATC
/// (2021), section 3, arXiv:2101.06840; S. Rajbhandari et al., "ZeRO-Infinity: Breaking the GPU
/// Memory Wall for Extreme Scale Deep Learning", SC21 (2021), section 5, arXiv:2104.07857.
///
/// \throws invalid_input if moved is none of its values
constexpr model_states states_on_host(const model_states& states, offloaded_states moved) {
  switch (moved) {
    case offloaded_states::none: return {};
    case offloaded_states::optimizer:
      return {.master_weights = states.master_weights, .optimizer = states.optimizer};
    case offloaded_states::all: return states;
  }
  require(false, "states_on_host: offload must be one of its values");
  return {};
}

/// Activations that stay on the GPU where a part of them waits on the host.
///
///     (1 - f) A + min(f A, 2 f a)
///
///     A  kept by all micro-batches in flight         B, >= 0
///     a  of them, by one layer of one micro-batch    B, 0 to A
///     f  part of them offloaded                      1, 0 to 1
///
/// Two layers are on the GPU at any time: that at work, and that on its way.
///
/// Holds: two layers on the GPU: one at work, one on its way.
///
/// Source: M. Rhu et al., "vDNN: Virtualized Deep Neural Networks for Scalable, Memory-Efficient
/// Neural Network Design", MICRO (2016), arXiv:1602.08124.
///
/// \throws invalid_input if kept < 0 B, of_layer is not 0 B to kept, or fraction is not 0 to 1
constexpr bytes activations_on_device(bytes kept, bytes of_layer, double fraction) {
  require(of_layer >= bytes{0} && of_layer <= kept,
          "activations_on_device: of_layer must be 0 B to kept");
  const bytes moved = offload_activations(kept, fraction).device_saved;
  return kept - moved + (std::min)(moved, 2 * fraction * of_layer);
}

}  // namespace gpuplan
