#pragma once
/// \file
/// The tensors of a block of a layer: what its forward pass makes, and what its backward pass does.

#include <string_view>
#include <vector>

#include <gpuplan/model/recipe.hpp>
#include <gpuplan/units/units.hpp>

#include "memory/walk/job.hpp"

namespace gpuplan::testing {

/// Kinds of layer, each of which is a list of tensors.
enum class walked_layer { dense, moe, encoder, prediction };
inline constexpr int walked_layers = 4;

/// Why a tensor outlives the pass that made it, beside being read by the backward pass.
struct purposes {
  bool layer_input = false;      ///< full recomputation keeps it, and starts from it
  bool core = false;             ///< selective recomputation drops it
  bool product_input = false;    ///< a weight gradient reads it; where it is all that does, frozen
                                 ///< weights do without
  bool only_for_weight = false;  ///< nothing but a weight gradient reads it
  bool policy = false;           ///< PyTorch's operator policy saves it
  bool only_kept = false;        ///< it is there for recomputation to begin with, nobody else
  bool for_adapter = false;      ///< the weight gradient of an adapter reads it
  bool mask = false;             ///< of dropout after a block
  bool of_adapter = false;
  module_set modules{};  ///< of those recomputed modules that the tensor lies in, any drops it
};

/// The modules that a tensor lies in.
template <class... Modules>
constexpr module_set within(Modules... one) {
  return {(static_cast<unsigned>(one) | ...)};
}

/// A tensor that a forward pass makes.
struct tensor {
  std::string_view name;
  double elements = 0;
  bytes each{};
  purposes why{};

  [[nodiscard]] bytes size() const { return elements * each; }
};

/// One step of a backward pass: makes a gradient, then frees tensors and gradients by name.
struct gradient_step {
  std::string_view name;  ///< of the gradient; empty: none is made
  double elements = 0;
  bytes each{};
  bool of_output = false;  ///< of a matrix product's output: a weight gradient reads it
  std::vector<std::string_view> frees{};
  bool in_place = false;  ///< the formulas count it in the place of what is freed beside it

  [[nodiscard]] bytes size() const { return elements * each; }
};

/// Part of a layer.
struct block {
  std::vector<tensor> forward;
  std::vector<gradient_step> backward;

  void add(std::string_view name, double elements, bytes each, purposes why = {}) {
    if (elements > 0 && each > bytes{0}) forward.push_back({name, elements, each, why});
  }
};

/// Of the modules that a recipe computes again the one that makes this tensor, experts as a whole
/// before their parts; an empty set: none does.
inline module_set again_with(const tensor& one, const recipe& how) {
  const bool parts = how.recompute == recompute::none || how.recompute == recompute::selective;
  const unsigned named = parts ? one.why.modules.bits & how.recompute_modules.bits : 0U;
  const auto whole = static_cast<unsigned>(recomputed_module::moe);
  if (one.why.core && how.recompute == recompute::selective) return {};
  return {(named & whole) != 0 ? whole : named};
}

/// Whether a layer keeps a tensor from its forward to its backward pass.
inline bool is_kept(const tensor& one, const recipe& how, bool begins_checkpoint) {
  if (again_with(one, how).bits != 0) return false;
  switch (how.recompute) {
    case recompute::none: return !one.why.only_kept;
    case recompute::selective: return !one.why.core && !one.why.only_kept;
    case recompute::alternate_products: return one.why.policy;
    case recompute::full: return one.why.layer_input && begins_checkpoint;
  }
  return true;
}

}  // namespace gpuplan::testing
