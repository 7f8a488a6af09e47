#pragma once
/// \file
/// The terms of a stage's memory by name, for printing.

#include <array>
#include <string_view>

#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// One term of stage_footprint, or of the states in it.
struct stage_term {
  std::string_view name;
  bytes stage_footprint::*member = nullptr;
  bytes model_states::*state = nullptr;  ///< where member is null

  [[nodiscard]] constexpr bytes& of(stage_footprint& stage) const {
    return state != nullptr ? stage.states.*state : stage.*member;
  }
  [[nodiscard]] constexpr bytes of(const stage_footprint& stage) const {
    return state != nullptr ? stage.states.*state : stage.*member;
  }
};

/// Every term, in the order of stage_footprint.
inline constexpr std::array stage_terms{
    stage_term{.name = "weights", .state = &model_states::weights},
    stage_term{.name = "gradients", .state = &model_states::gradients},
    stage_term{.name = "master_weights", .state = &model_states::master_weights},
    stage_term{.name = "optimizer", .state = &model_states::optimizer},
    stage_term{"deferred_gradient", &stage_footprint::deferred_gradient},
    stage_term{"unused_gradients", &stage_footprint::unused_gradients},
    stage_term{"reference_model", &stage_footprint::reference_model},
    stage_term{"buffers", &stage_footprint::buffers},
    stage_term{"framework", &stage_footprint::framework},
    stage_term{"batch", &stage_footprint::batch},
    stage_term{"activations", &stage_footprint::activations},
    stage_term{"embedding", &stage_footprint::embedding},
    stage_term{"head", &stage_footprint::head},
    stage_term{"deferred_head", &stage_footprint::deferred_head},
    stage_term{"logits", &stage_footprint::logits},
    stage_term{"head_gradients", &stage_footprint::head_gradients},
    stage_term{"gathered_parameters", &stage_footprint::gathered_parameters},
    stage_term{"whole_gradients", &stage_footprint::whole_gradients},
    stage_term{"recomputed", &stage_footprint::recomputed},
    stage_term{"layer_gradients", &stage_footprint::layer_gradients},
    stage_term{"gradient_copy", &stage_footprint::gradient_copy},
    stage_term{"optimizer_temporaries", &stage_footprint::optimizer_temporaries},
    stage_term{"cuda_context", &stage_footprint::cuda_context},
    stage_term{"communicators", &stage_footprint::communicators},
    stage_term{"fragmentation", &stage_footprint::fragmentation}};

/// What a term adds to the total of a stage: nothing where it is held at another moment than that
/// of the peak.
///
/// Source: by definition.
constexpr bytes share_of_total(const stage_footprint& stage, const stage_term& term) {
  const moment fullest = stage.peak_moment();
  stage_footprint without = stage;
  term.of(without) = bytes{0};
  if (term.state == &model_states::gradients)
    without.gradients_freed = without.gradients_to_come = bytes{0};
  if (term.member == &stage_footprint::head) without.waiting_head = bytes{0};
  const bytes beside_allocator = stage.total() - stage.peak() - (without.total() - without.peak());
  return stage.at(fullest) - without.at(fullest) + beside_allocator;
}

/// "loss", "layer_backward", ... as the values are called.
constexpr std::string_view name_of(moment when) {
  constexpr std::array<std::string_view, moments.size()> names{"loss", "head_backward",
                                                               "layer_backward", "optimizer_step"};
  return names[static_cast<std::size_t>(when)];
}

}  // namespace gpuplan
