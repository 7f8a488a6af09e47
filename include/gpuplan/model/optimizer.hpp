#pragma once
/// \file
/// Optimizers, and the state that each keeps for a parameter.

#include <array>

#include <gpuplan/model/precision.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/units/number_format.hpp>

namespace gpuplan {

/// The rule by which weights are updated.
enum class optimizer {
  sgd,
  momentum,
  rmsprop,
  adagrad,
  adam,
  adamw,
  adam_8bit,
  adafactor,
  lion,
  lamb,
  lars,
  muon
};

/// Every optimizer, in the order of the enumeration.
inline constexpr std::array optimizers{
    optimizer::sgd,  optimizer::momentum, optimizer::rmsprop,   optimizer::adagrad,
    optimizer::adam, optimizer::adamw,    optimizer::adam_8bit, optimizer::adafactor,
    optimizer::lion, optimizer::lamb,     optimizer::lars,      optimizer::muon};

/// The format in which gradients are accumulated.
enum class gradient_format {
  by_precision,  ///< as formats_of(precision) says
  fp32,
  fp16,
  bf16
};

/// The format of accumulated gradients under a precision.
///
/// \throws invalid_input if either is no value of its enumeration
constexpr number_format gradient_storage(gradient_format chosen, precision p) {
  switch (chosen) {
    case gradient_format::by_precision: return formats_of(p).gradient;
    case gradient_format::fp32: return number_format::fp32;
    case gradient_format::fp16: return number_format::fp16;
    case gradient_format::bf16: return number_format::bf16;
  }
  require(false, "gradient_storage: gradient_format must be one of its values");
  return {};
}

}  // namespace gpuplan
