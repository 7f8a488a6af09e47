#pragma once
/// \file
/// Kinds of runs that a cluster has measured itself.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <gpuplan/accuracy/error_class.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/model/precision.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/model/transformer.hpp>

namespace gpuplan {

/// What computes the cores of attention: each has rates of its own.
enum class attention_core {
  flash,    ///< flash attention of heads of one size
  unfused,  ///< scores are written to memory
  latent    ///< flash attention of multi-head latent attention, whose heads have two sizes
};

/// Every core, in the order of the enumeration.
inline constexpr std::array attention_cores{attention_core::flash, attention_core::unfused,
                                            attention_core::latent};

/// Every scaling of FP8, in the order of the enumeration.
inline constexpr std::array fp8_recipes{fp8_recipe::tensorwise, fp8_recipe::blockwise,
                                        fp8_recipe::mxfp8};

/// A name for programs: "flash".
constexpr std::string_view name_of(attention_core core) {
  switch (core) {
    case attention_core::flash: return "flash";
    case attention_core::unfused: return "unfused";
    case attention_core::latent: return "latent";
  }
  return "unknown";
}

/// Tokens of the sequences that models are pre-trained with before their context is extended.
///
/// Source: Llama Team, "The Llama 3 Herd of Models" (2024), arXiv:2407.21783, section 3.4.2.
inline constexpr int longest_usual_sequence = 8192;

/// What a run has in common with others of its cluster, so that its error tells theirs: all that
/// decides which constants count.
struct run_class {
  trained_kind kind = trained_kind::dense;
  framework software = framework::transformer_engine;
  precision format = precision::mixed_bf16;
  fp8_recipe scaling = fp8_recipe::tensorwise;  ///< of mixed_fp8; of others always tensorwise
  attention_core core = attention_core::flash;
  bool long_sequences = false;  ///< more than longest_usual_sequence tokens
  bool many_gpus = false;       ///< more than gpus_of_small_jobs

  friend constexpr bool operator==(const run_class&, const run_class&) = default;
};

/// What computes the cores of attention of a model, as the recipe has it.
constexpr attention_core attention_core_of(const transformer& m, const recipe& how) {
  if (how.attention != attention_kernel::flash) return attention_core::unfused;
  return m.latent.kv_rank > 0 ? attention_core::latent : attention_core::flash;
}

/// The class of a run of this model and recipe on so many GPUs.
constexpr run_class run_class_of(const transformer& m, const recipe& how, std::int64_t gpus) {
  return {
      .kind = trained_kind_of(m, how),
      .software = how.framework,
      .format = how.precision,
      .scaling = how.precision == precision::mixed_fp8 ? how.fp8_recipe : fp8_recipe::tensorwise,
      .core = attention_core_of(m, how),
      .long_sequences = how.sequence_length > longest_usual_sequence,
      .many_gpus = gpus > gpus_of_small_jobs};
}

/// Some of the classes; a plain value.
class run_class_set {
 public:
  constexpr void insert(const run_class& one) { words_[place_of(one) / 64] |= bit_of(one); }
  constexpr void insert(const run_class_set& more) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= more.words_[i];
  }
  [[nodiscard]] constexpr bool contains(const run_class& one) const {
    return (words_[place_of(one) / 64] & bit_of(one)) != 0;
  }

  constexpr bool operator==(const run_class_set&) const = default;

 private:
  static constexpr std::size_t places = trained_kinds.size() * frameworks.size() *
                                        precisions.size() * fp8_recipes.size() *
                                        attention_cores.size() * 2 * 2;

  static constexpr std::size_t place_of(const run_class& one) {
    std::size_t place = static_cast<std::size_t>(one.kind);
    place = place * frameworks.size() + static_cast<std::size_t>(one.software);
    place = place * precisions.size() + static_cast<std::size_t>(one.format);
    place = place * fp8_recipes.size() + static_cast<std::size_t>(one.scaling);
    place = place * attention_cores.size() + static_cast<std::size_t>(one.core);
    place = 2 * place + (one.long_sequences ? 1 : 0);
    return 2 * place + (one.many_gpus ? 1 : 0);
  }
  static constexpr std::uint64_t bit_of(const run_class& one) {
    return std::uint64_t{1} << place_of(one) % 64;
  }

  std::array<std::uint64_t, (places + 63) / 64> words_{};
};

}  // namespace gpuplan
