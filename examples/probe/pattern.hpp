#pragma once
/// \file
/// Numbers that look random and are the same on a GPU and on its host: what buffers are filled
/// with, and what a kernel that reads them must find.

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

/// How a number is laid out in bits, sign first.
struct float_layout {
  int exponent_bits;
  int fraction_bits;  ///< stored; a normal number has one more
};

inline constexpr float_layout layout_fp32{8, 23};
inline constexpr float_layout layout_tf32{8, 10};  ///< of a word of 32 bits, the rest is 0
inline constexpr float_layout layout_fp16{5, 10};
inline constexpr float_layout layout_bf16{8, 7};
inline constexpr float_layout layout_e4m3{4, 3};

/// An integer of -2^f to 2^f - 1, f the stored bits: over 2^f it is a number of that layout, exact.
constexpr std::int32_t numerator_at(std::uint32_t index, int fraction_bits) {
  const std::uint32_t range = 2U << fraction_bits;
  return static_cast<std::int32_t>(word_at(index) & (range - 1)) - (1 << fraction_bits);
}

/// numerator / 2^f as bits of the layout; |numerator| <= 2^f, and 2^-f is a normal number of it.
constexpr std::uint32_t bits_of_fraction(std::int32_t numerator, float_layout layout) {
  const int f = layout.fraction_bits;
  if (numerator == 0) return 0;
  const std::uint32_t sign = numerator < 0 ? 1U : 0U;
  const auto size = static_cast<std::uint32_t>(numerator < 0 ? -numerator : numerator);
  int top = 0;
  while ((size >> top) > 1) ++top;
  const int bias = (1 << (layout.exponent_bits - 1)) - 1;
  const auto exponent = static_cast<std::uint32_t>(top - f + bias);
  const std::uint32_t fraction = (size << (f - top)) & ((1U << f) - 1);
  return sign << (layout.exponent_bits + f) | exponent << f | fraction;
}

/// The number that bits of the layout stand for: what a matrix product wrote, on its way to a
/// check.
constexpr double number_of_bits(std::uint32_t bits, float_layout layout) {
  const int f = layout.fraction_bits;
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

}  // namespace gpuplan::probe
