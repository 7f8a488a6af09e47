#pragma once
/// \file
/// Reads a decimal number from text, with any standard library.

#include <charconv>
#include <system_error>

#if !defined(__cpp_lib_to_chars)
#include <cstddef>
#include <string_view>

#include <fast_float/fast_float.h>
#endif

#include <gpuplan/infinite_math.hpp>

namespace gpuplan {

/// std::from_chars of a double, which libc++ before 20 lacks; there fast_float reads.
///
///     end   behind the last character of the number
///     ec    invalid_argument: no number; result_out_of_range: beyond what a double can be.
///           `value` is unchanged in both cases.
inline std::from_chars_result decimal_from_chars(const char* first, const char* last,
                                                 double& value) {
#if defined(__cpp_lib_to_chars)
  return std::from_chars(first, last, value);
#else
  double read = 0;
  const auto [end, error] = fast_float::from_chars(first, last, read);
  if (error != std::errc{}) return {end, error};
  // Some releases read what no double can hold as infinity or zero, without a word.
  const std::string_view text{first, static_cast<std::size_t>(end - first)};
  const std::string_view mantissa = text.substr(0, text.find_first_of("eE"));
  const bool has_digits = mantissa.find_first_of("0123456789") != mantissa.npos;
  const bool is_zero = mantissa.find_first_of("123456789") == mantissa.npos;
  const bool too_large = read - read != 0 && has_digits;
  const bool too_small = read == 0 && has_digits && !is_zero;
  if (too_large || too_small) return {end, std::errc::result_out_of_range};
  value = read;
  return {end, std::errc{}};
#endif
}

}  // namespace gpuplan
