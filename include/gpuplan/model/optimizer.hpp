#pragma once
/// \file
/// Optimizers, one row each: what each keeps for a parameter, and what its update does.

#include <array>
#include <cstddef>
#include <string_view>

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

/// How an optimizer keeps its states.
enum class state_storage {
  by_precision,     ///< one value each, as formats_of(precision) says
  blocks_of_8_bit,  ///< 8 bits each, and an FP32 scale for each block of values
  rows_and_columns  ///< of a matrix one FP32 value a row and a column; of a vector one each
};

/// What the library knows of an optimizer.  A new one is an enumerator and a row.
struct optimizer_rule {
  optimizer rule{};
  std::string_view name;          ///< to print
  std::string_view other_name{};  ///< read, too
  double matrix_states = 0;       ///< state values for each parameter of a hidden matrix
  double other_states = 0;        ///< likewise of an embedding, the head, a norm or a bias
  int update_operations = 0;      ///< for each parameter: see update_operations
  state_storage states = state_storage::by_precision;
  bool whole_tables = false;  ///< ZeRO deals embeddings and head out whole, as in Megatron-LM
};

/// Every optimizer, in the order of the enumeration.
///
/// Source of states: D. Kingma and J. Ba, "Adam", ICLR (2015), arXiv:1412.6980; X. Chen et al.,
/// "Symbolic Discovery of Optimization Algorithms" (Lion), NeurIPS (2023), arXiv:2302.06675; Y. You
/// et al., "Large Batch Optimization for Deep Learning" (LAMB), ICLR (2020), arXiv:1904.00962; N.
/// Shazeer and M. Stern, "Adafactor", ICML (2018), arXiv:1804.04235; K. Jordan et al., "Muon: An
/// optimizer for hidden layers" (2024).
inline constexpr std::array optimizer_rules{
    // p - l g
    optimizer_rule{.rule = optimizer::sgd, .name = "sgd", .update_operations = 2},
    // v = u v + g;  p - l v
    optimizer_rule{.rule = optimizer::momentum,
                   .name = "momentum",
                   .other_name = "sgd_momentum",
                   .matrix_states = 1,
                   .other_states = 1,
                   .update_operations = 4},
    // s = r s + (1 - r) g^2;  the step of adagrad
    optimizer_rule{.rule = optimizer::rmsprop,
                   .name = "rmsprop",
                   .matrix_states = 1,
                   .other_states = 1,
                   .update_operations = 9},
    // s = s + g^2;  p - l g / (sqrt(s) + e)
    optimizer_rule{.rule = optimizer::adagrad,
                   .name = "adagrad",
                   .matrix_states = 1,
                   .other_states = 1,
                   .update_operations = 7},
    // m = a m + (1 - a) g;  v = b v + (1 - b) g^2;  p - l m / (c sqrt(v) + e)
    optimizer_rule{.rule = optimizer::adam,
                   .name = "adam",
                   .matrix_states = 2,
                   .other_states = 2,
                   .update_operations = 13},
    // adam, and p times 1 - l w
    optimizer_rule{.rule = optimizer::adamw,
                   .name = "adamw",
                   .matrix_states = 2,
                   .other_states = 2,
                   .update_operations = 14},
    // adamw, with two states scaled on their way in and out
    optimizer_rule{.rule = optimizer::adam_8bit,
                   .name = "adam_8bit",
                   .other_name = "8bit_adam",
                   .matrix_states = 2,
                   .other_states = 2,
                   .update_operations = 18,
                   .states = state_storage::blocks_of_8_bit},
    // g^2 + e and its sums by row and column; scaled, clipped, applied
    optimizer_rule{.rule = optimizer::adafactor,
                   .name = "adafactor",
                   .update_operations = 12,
                   .states = state_storage::rows_and_columns},
    // sign(a m + (1 - a) g), weight decay, m = b m + (1 - b) g
    optimizer_rule{.rule = optimizer::lion,
                   .name = "lion",
                   .matrix_states = 1,
                   .other_states = 1,
                   .update_operations = 10},
    // adam's quotient + w p; the norms of p and of it; p - t r
    optimizer_rule{.rule = optimizer::lamb,
                   .name = "lamb",
                   .matrix_states = 2,
                   .other_states = 2,
                   .update_operations = 19},
    // the norms of p and g; g + w p; v = u v + t (.); p - v
    optimizer_rule{.rule = optimizer::lars,
                   .name = "lars",
                   .matrix_states = 1,
                   .other_states = 1,
                   .update_operations = 10},
    // momentum and step, newton_schulz_operations apart; AdamW of all that is no hidden matrix
    optimizer_rule{.rule = optimizer::muon,
                   .name = "muon",
                   .matrix_states = 1,
                   .other_states = 2,
                   .update_operations = 6,
                   .whole_tables = true}};

/// Every optimizer, in the order of the enumeration.
inline constexpr auto optimizers = [] {
  std::array<optimizer, optimizer_rules.size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = optimizer_rules[i].rule;
  return all;
}();

/// The row of an optimizer.
///
/// \throws invalid_input if chosen is none of optimizers
constexpr const optimizer_rule& rule_of(optimizer chosen) {
  const auto place = static_cast<std::size_t>(chosen);
  require(place < optimizer_rules.size(), "rule_of: optimizer must be one of optimizers");
  return optimizer_rules[place];
}

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
