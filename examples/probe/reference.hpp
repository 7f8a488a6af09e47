#pragma once
/// \file
/// What the kernels and products must give, computed on the host the plain way.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "pattern.hpp"

namespace gpuplan::probe {

/// The number that launch_fill_floats writes to an index.
constexpr float float_at(std::uint32_t index) {
  return static_cast<float>(word_at(index) & 0xff);
}

/// The sum modulo 2^32 that launch_read must find in words filled from `first`.
constexpr std::uint32_t sum_of_words(std::size_t words, std::uint32_t first) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < words; ++i) sum += word_at(first + static_cast<std::uint32_t>(i));
  return sum;
}

constexpr std::uint32_t sum_of(std::span<const std::uint32_t> words) {
  std::uint32_t sum = 0;
  for (const std::uint32_t word : words) sum += word;
  return sum;
}

/// One number of launch_triad on buffers that launch_fill_floats filled; exact, as all numbers are
/// whole and small.
constexpr float triad_at(std::uint32_t index, float scalar) {
  return float_at(index) + scalar * float_at(index);
}

/// An element of a product, and how large its terms and their partial sums are.
struct product_element {
  double value = 0;
  double size = 0;     ///< of all terms together
  double partial = 0;  ///< what no sum of some of the terms is likely to be above
};

/// sum over l < depth of a_l b_l, where a starts at number `a` and b at number `b` of buffers that
/// launch_fill_fractions filled, or launch_fill_int8 where `whole`.
inline product_element product_of(std::uint32_t a, std::uint32_t b, int depth, int fraction_bits,
                                  bool whole) {
  const double unit = whole ? 1.0 : 1.0 / static_cast<double>(1U << fraction_bits);
  product_element element;
  for (std::uint32_t l = 0; l < static_cast<std::uint32_t>(depth); ++l) {
    const double term =
        unit * numerator_at(a + l, fraction_bits) * unit * numerator_at(b + l, fraction_bits);
    element.value += term;
    element.size += std::abs(term);
  }
  // Terms of either sign add up to the root of their number times one of them; four times that is
  // seldom.
  element.partial = 4 * element.size / std::sqrt(static_cast<double>(depth));
  return element;
}

/// Whether a found element is near enough: `of_result` is the relative step of the format it is
/// kept in, and in which parts of it may have been kept too; `of_sum` that of the adder.
inline bool agrees(double found, const product_element& wanted, double of_result, double of_sum) {
  return std::abs(found - wanted.value) <=
         of_result * (std::abs(wanted.value) + wanted.partial) + of_sum * wanted.size;
}

}  // namespace gpuplan::probe
