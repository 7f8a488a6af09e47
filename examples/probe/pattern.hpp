#pragma once
/// \file
/// Numbers that look random and are the same on a GPU and on its host: what fills the buffers, and
/// what the kernels and products must make of them.

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace gpuplan::probe {

/// A word for each index, as if drawn at random.
///
/// Source: D. Mueller's mixer of 32 bits as improved by C. Wellons, "Prospecting for Hash
/// Functions" (2018), nullprogram.com: lowbias32.
constexpr std::uint32_t word_at(std::uint32_t index) {
  std::uint32_t x = index;
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  x ^= x >> 16;
  return x;
}

/// How a number is stored: sign, exponent and fraction from the highest bit on, the rest 0.
/// Without exponent bits it is an integer.
struct number_layout {
  int exponent_bits;
  int fraction_bits;  ///< stored; a normal number has one more
  int size;           ///< bytes: 1, 2 or 4
};

inline constexpr number_layout layout_fp32{8, 23, 4};
inline constexpr number_layout layout_tf32{8, 10, 4};
inline constexpr number_layout layout_fp16{5, 10, 2};
inline constexpr number_layout layout_bf16{8, 7, 2};
inline constexpr number_layout layout_e4m3{4, 3, 1};
inline constexpr number_layout layout_int8{0, 7, 1};
inline constexpr number_layout layout_int32{0, 31, 4};

/// An integer of -2^f to 2^f - 1, f < 31 the stored bits: over 2^f it is exact in that layout.
constexpr std::int32_t numerator_at(std::uint32_t index, int fraction_bits) {
  const std::uint32_t range = 2U << fraction_bits;
  return static_cast<std::int32_t>(word_at(index) & (range - 1)) - (1 << fraction_bits);
}

/// numerator / 2^f in the layout, |numerator| <= 2^f and 2^-f a normal number; integers as they are.
constexpr std::uint32_t bits_of_fraction(std::int32_t numerator, number_layout layout) {
  if (layout.exponent_bits == 0) return static_cast<std::uint32_t>(numerator);
  if (numerator == 0) return 0;
  const int f = layout.fraction_bits;
  const std::uint32_t sign = numerator < 0 ? 1U : 0U;
  const auto size = static_cast<std::uint32_t>(numerator < 0 ? -numerator : numerator);
  int top = 0;
  while ((size >> top) > 1) ++top;
  const int bias = (1 << (layout.exponent_bits - 1)) - 1;
  const auto exponent = static_cast<std::uint32_t>(top - f + bias);
  const std::uint32_t fraction = (size << (f - top)) & ((1U << f) - 1);
  const int unused = 8 * layout.size - 1 - layout.exponent_bits - f;
  return (sign << (layout.exponent_bits + f) | exponent << f | fraction) << unused;
}

/// The bits that launch_fill writes for an index.
constexpr std::uint32_t stored_at(std::uint32_t index, number_layout layout) {
  return bits_of_fraction(numerator_at(index, layout.fraction_bits), layout);
}

/// The number that bits of the layout stand for.
constexpr double number_of_bits(std::uint32_t bits, number_layout layout) {
  if (layout.exponent_bits == 0) return static_cast<std::int32_t>(bits);
  const int f = layout.fraction_bits;
  bits >>= 8 * layout.size - 1 - layout.exponent_bits - f;
  const int bias = (1 << (layout.exponent_bits - 1)) - 1;
  const std::uint32_t fraction = bits & ((1U << f) - 1);
  const auto exponent = static_cast<int>((bits >> f) & ((1U << layout.exponent_bits) - 1));
  const bool negative = ((bits >> (layout.exponent_bits + f)) & 1U) != 0;
  double size = static_cast<double>(fraction) + (exponent > 0 ? static_cast<double>(1U << f) : 0.0);
  int power = (exponent > 0 ? exponent : 1) - bias - f;
  for (; power > 0; --power) size *= 2;
  for (; power < 0; ++power) size /= 2;
  return negative ? -size : size;
}

/// The layout of buffers whose numbers are added: sums of thousands of them are exact in fp32.
inline constexpr number_layout layout_summed = layout_tf32;

/// The number of such a buffer, filled from index 0.
constexpr float float_at(std::uint32_t index) {
  constexpr int f = layout_summed.fraction_bits;
  return static_cast<float>(numerator_at(index, f)) / static_cast<float>(1 << f);
}

/// An element of a matrix product, and how large its terms and their partial sums are.
struct product_element {
  double value = 0;
  double size = 0;     ///< of all terms together
  double partial = 0;  ///< what no sum of some of the terms is likely to exceed
};

/// sum over l < depth of a_l b_l, where a starts at number `a` and b at number `b` of buffers that
/// launch_fill filled in the layout.
inline product_element product_of(std::uint32_t a, std::uint32_t b, int depth,
                                  number_layout layout) {
  const int f = layout.fraction_bits;
  const double unit = layout.exponent_bits == 0 ? 1.0 : std::ldexp(1.0, -f);
  product_element element;
  for (std::uint32_t l = 0; l < static_cast<std::uint32_t>(depth); ++l) {
    const double term = unit * numerator_at(a + l, f) * unit * numerator_at(b + l, f);
    element.value += term;
    element.size += std::abs(term);
  }
  // Terms of either sign add up to about the root of their count times one of them; four times
  // that is rare.
  element.partial = 4 * element.size / std::sqrt(static_cast<double>(depth));
  return element;
}

/// Whether a found element is near enough: `of_result` is the relative step of the format it is
/// stored in, which partial sums may have been stored in, too; `of_sum` that of the adder.
inline bool agrees(double found, const product_element& wanted, double of_result, double of_sum) {
  return std::abs(found - wanted.value) <=
         of_result * (std::abs(wanted.value) + wanted.partial) + of_sum * wanted.size;
}

}  // namespace gpuplan::probe
