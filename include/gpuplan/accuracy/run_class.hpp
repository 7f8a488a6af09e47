#pragma once
/// \file
/// Kinds of runs that a cluster has measured itself.

#include <array>
#include <cstddef>
#include <cstdint>

#include <gpuplan/accuracy/error_class.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/model/precision.hpp>

namespace gpuplan {

/// What a run has in common with others of its cluster, so that its error tells theirs: what is
/// trained, by which software, in which precision, on one node or on more.
struct run_class {
  trained_kind kind = trained_kind::dense;
  framework software = framework::transformer_engine;
  precision format = precision::mixed_bf16;
  bool many_gpus = false;  ///< more than gpus_of_small_jobs

  friend constexpr bool operator==(const run_class&, const run_class&) = default;
};

/// The class of a run whose errors are of this class, in this precision.
constexpr run_class run_class_of(const error_class& of, precision format) {
  return {.kind = of.kind, .software = of.software, .format = format, .many_gpus = of.many_gpus};
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
  static constexpr std::size_t places =
      trained_kinds.size() * frameworks.size() * precisions.size() * 2;

  static constexpr std::size_t place_of(const run_class& one) {
    std::size_t place = static_cast<std::size_t>(one.kind);
    place = place * frameworks.size() + static_cast<std::size_t>(one.software);
    place = place * precisions.size() + static_cast<std::size_t>(one.format);
    return 2 * place + (one.many_gpus ? 1 : 0);
  }
  static constexpr std::uint64_t bit_of(const run_class& one) {
    return std::uint64_t{1} << place_of(one) % 64;
  }

  std::array<std::uint64_t, (places + 63) / 64> words_{};
};

}  // namespace gpuplan
