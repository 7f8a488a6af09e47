#pragma once
/// \file
/// The terms of a step: what it is busy with, and what it waits for.

#include <array>
#include <cstddef>
#include <string_view>

#include <gpuplan/plan/busy_time.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// The terms of a step, in the order of basic_step_time.
enum class step_term {
  products,
  attention,
  elementwise,
  recompute,
  ends,
  launch,
  tensor,
  context,
  expert,
  gather,
  pipeline,
  bubble,
  stragglers,
  data,
  optimizer,
  offload
};

inline constexpr std::array step_terms{
    step_term::products,   step_term::attention, step_term::elementwise, step_term::recompute,
    step_term::ends,       step_term::launch,    step_term::tensor,      step_term::context,
    step_term::expert,     step_term::gather,    step_term::pipeline,    step_term::bubble,
    step_term::stragglers, step_term::data,      step_term::optimizer,   step_term::offload};

/// Time of one optimizer step: what the slowest stage is busy with, and what it waits for.  Each
/// term is what is left of it after overlap, so they add up.
template <class T>
struct basic_step_time {
  basic_busy_time<T> busy{};      ///< of the slowest stage, all micro-batches
  basic_seconds<T> pipeline{};    ///< activations and their gradients sent between stages
  basic_seconds<T> bubble{};      ///< waiting for the pipeline to fill and drain
  basic_seconds<T> stragglers{};  ///< waiting for the slowest replica, and the slowest GPU
  basic_seconds<T> data{};        ///< gradients reduced and weights gathered, once a step
  basic_seconds<T> optimizer{};  ///< the update: memory traffic, of the host where states lie there
  basic_seconds<T> offload{};    ///< waiting for transfers from and to the host

  [[nodiscard]] constexpr basic_seconds<T> operator[](step_term term) const {
    switch (term) {
      case step_term::products: return busy.products;
      case step_term::attention: return busy.attention;
      case step_term::elementwise: return busy.elementwise;
      case step_term::recompute: return busy.recompute;
      case step_term::ends: return busy.ends;
      case step_term::launch: return busy.launch;
      case step_term::tensor: return busy.tensor;
      case step_term::context: return busy.context;
      case step_term::expert: return busy.expert;
      case step_term::gather: return busy.gather;
      case step_term::pipeline: return pipeline;
      case step_term::bubble: return bubble;
      case step_term::stragglers: return stragglers;
      case step_term::data: return data;
      case step_term::optimizer: return optimizer;
      case step_term::offload: return offload;
    }
    require(false, "step_time: term must be one of step_terms");
    return {};
  }
  [[nodiscard]] constexpr basic_seconds<T> total() const {
    return busy.total() + pipeline + bubble + stragglers + data + optimizer + offload;
  }
  /// The largest term; of equals the first.
  [[nodiscard]] constexpr step_term binding() const {
    step_term largest = step_term::products;
    for (const step_term term : step_terms)
      if ((*this)[term] > (*this)[largest]) largest = term;
    return largest;
  }
};

using step_time = basic_step_time<double>;

/// "products", "attention", ... as the terms are called.
constexpr std::string_view name_of(step_term term) {
  constexpr std::array<std::string_view, step_terms.size()> names{
      "products",   "attention", "elementwise", "recompute", "ends",     "launch",
      "tensor",     "context",   "expert",      "gather",    "pipeline", "bubble",
      "stragglers", "data",      "optimizer",   "offload"};
  return names[static_cast<std::size_t>(term)];
}

}  // namespace gpuplan
