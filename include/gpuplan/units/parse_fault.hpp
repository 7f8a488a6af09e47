#pragma once
/// \file
/// Why a text is not the quantity asked for, and what could have been meant.

#include <array>
#include <string_view>

#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Why a text is not the quantity asked for.
enum class parse_fault {
  none,
  no_number,
  comma,
  negative,
  out_of_range,
  no_unit,
  unknown_unit,
  more_after_unit,
  other_dimension,
  bit_or_byte,        ///< "gb"
  thousand_or_1024,   ///< "KB"
  minute_or_million,  ///< "m"
  plural_or_rate      ///< "Tflops"
};

/// What is wrong with a text, to be said after it: "'80' has no unit".
constexpr std::string_view problem_of(parse_fault fault) {
  switch (fault) {
    case parse_fault::none: return "is understood";
    case parse_fault::no_number: return "does not begin with a number";
    case parse_fault::comma: return "has a comma; only digits and a point are allowed";
    case parse_fault::negative: return "must be >= 0";
    case parse_fault::out_of_range: return "is too large or too small for a number";
    case parse_fault::no_unit: return "has no unit";
    case parse_fault::unknown_unit: return "has an unknown unit";
    case parse_fault::more_after_unit: return "has more text after its unit";
    case parse_fault::other_dimension: return "measures something else";
    case parse_fault::bit_or_byte: return "may be bits or bytes (gb is Gbit or GB)";
    case parse_fault::thousand_or_1024: return "may be thousands or 1024s (KB is kB or KiB)";
    case parse_fault::minute_or_million: return "may be minutes or millions (m is min or M)";
    case parse_fault::plural_or_rate: return "may be a sum or a rate (flops is FLOP or FLOP/s)";
  }
  return "is not understood";
}

/// What may be written for a quantity of these exponents, to be said after the problem.
constexpr std::string_view examples_of(dimension exponents) {
  struct example {
    dimension exponents;
    std::string_view text;
  };
  constexpr std::array known{
      example{dimension{}, "1536, 7B, 1.5T or 3e11"},
      example{bytes::exponents, "80GiB, 80GB or 640Gbit"},
      example{bytes_per_second::exponents, "3.35TB/s, 50GB/s (bytes) or 400Gb/s (bits)"},
      example{flop::exponents, "3.14e23FLOP or 312TFLOP"},
      example{flop_per_second::exponents, "989TFLOP/s"},
      example{seconds::exponents, "10us, 90s, 30min, 2.5h or 3d"},
      example{per_second::exponents, "0.5/s or 12/h"},
      example{tokens::exponents, "300B, 15T or 3e11 tokens"},
      example{tokens_per_second::exponents, "4000tok/s or 1.2Mtok/s"},
      example{watts::exponents, "700W or 1.2MW"},
      example{joules::exponents, "120kWh or 3.6MJ"},
      example{dollars::exponents, "$500, $2.5M or 500USD"},
      example{dollars_per_second::exponents, "$2.50/h"},
      example{dollars_per_joule::exponents, "$0.12/kWh"},
      example{dollars_per_token::exponents, "$0.60/Mtok"},
      example{grams::exponents, "350kg or 1.2tonnes"},
      example{grams_per_joule::exponents, "400g/kWh or 0.4kg/kWh"}};
  for (const example& e : known)
    if (e.exponents == exponents) return e.text;
  return "a number and its unit";
}

}  // namespace gpuplan
