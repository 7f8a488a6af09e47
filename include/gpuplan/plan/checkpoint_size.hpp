#pragma once
/// \file
/// The state of a run that a checkpoint keeps.

#include <gpuplan/memory/model_states.hpp>
#include <gpuplan/model/parameters.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Bytes of a checkpoint from which training goes on, of all ranks together.
///
///     m = N (w + m + o)
///
///     N        parameters_of(m).total()                                      count
///     w, m, o  bytes_per_parameter(how): weight, master copy, optimizer      B
///
/// Each part once, whatever the layout; gradients are made anew.  A framework that saves no 16-bit
/// weights beside their master copies writes 2 N less; one whose replicas all write, more.
///
/// Source: D. Narayanan et al., "Efficient Large-Scale Language Model Training on GPU Clusters
/// Using Megatron-LM", SC21 (2021), section 5.10, arXiv:2104.04473: 13.8 TB of 1.008e12 parameters,
/// for which this is 14.1.
///
/// \throws invalid_input if a description is invalid
constexpr bytes checkpoint_size(const transformer& m, const recipe& how) {
  require_valid(m);
  require_valid(how);
  const parameter_bytes per = bytes_per_parameter(how);
  return parameters_of(m).total() * (per.weight + per.master + per.optimizer);
}

}  // namespace gpuplan
