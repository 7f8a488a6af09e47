#pragma once
/// \file
/// The unit symbols that parse.hpp reads.

#include <array>
#include <string_view>

#include <gpuplan/units/parse_fault.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

/// A unit whose dimension is known only when the program runs.  Its factor is kept as a fraction,
/// so that 0.12 $/kWh reads as the very double that 0.12 * dollar / kWh is.
struct unit {
  double over = 1;
  double under = 1;
  dimension exponents{};
  parse_fault fault = parse_fault::none;
};

enum class takes { no_prefix, large, large_and_binary, large_and_small };

struct unit_symbol {
  std::string_view name;
  double factor;
  dimension exponents;
  takes prefix;
};

template <dimension D>
constexpr unit_symbol symbol_for(std::string_view name, quantity<D> one, takes prefix) {
  return {name, one.in_base_units(), D, prefix};
}

/// Case matters: b is a bit and B a byte; FLOPs are many, FLOPS are FLOP per second.  A GPU is a
/// count, so that a price may be written per GPU-hour.
inline constexpr std::array unit_symbols{
    symbol_for("B", units::byte, takes::large_and_binary),
    symbol_for("byte", units::byte, takes::no_prefix),
    symbol_for("bytes", units::byte, takes::no_prefix),
    symbol_for("b", units::bit, takes::large),
    symbol_for("bit", units::bit, takes::large_and_binary),
    symbol_for("bits", units::bit, takes::large_and_binary),
    symbol_for("FLOP", units::FLOP, takes::large),
    symbol_for("FLOPs", units::FLOP, takes::large),
    symbol_for("FLOPS", units::FLOP / units::second, takes::large),
    symbol_for("MAC", units::multiply_add, takes::large),
    symbol_for("MACs", units::multiply_add, takes::large),
    symbol_for("s", units::second, takes::large_and_small),
    symbol_for("sec", units::second, takes::no_prefix),
    symbol_for("second", units::second, takes::no_prefix),
    symbol_for("seconds", units::second, takes::no_prefix),
    symbol_for("min", units::minute, takes::no_prefix),
    symbol_for("minute", units::minute, takes::no_prefix),
    symbol_for("minutes", units::minute, takes::no_prefix),
    symbol_for("h", units::hour, takes::no_prefix),
    symbol_for("hour", units::hour, takes::no_prefix),
    symbol_for("hours", units::hour, takes::no_prefix),
    symbol_for("d", units::day, takes::no_prefix),
    symbol_for("day", units::day, takes::no_prefix),
    symbol_for("days", units::day, takes::no_prefix),
    symbol_for("week", units::week, takes::no_prefix),
    symbol_for("weeks", units::week, takes::no_prefix),
    symbol_for("y", units::year, takes::no_prefix),
    symbol_for("year", units::year, takes::no_prefix),
    symbol_for("years", units::year, takes::no_prefix),
    symbol_for("J", units::joule, takes::large_and_small),
    symbol_for("W", units::watt, takes::large_and_small),
    symbol_for("Wh", units::Wh, takes::large_and_small),
    symbol_for("$", units::dollar, takes::large_and_small),
    symbol_for("USD", units::dollar, takes::no_prefix),
    symbol_for("dollar", units::dollar, takes::no_prefix),
    symbol_for("dollars", units::dollar, takes::no_prefix),
    symbol_for("tok", units::token, takes::large),
    symbol_for("token", units::token, takes::large),
    symbol_for("tokens", units::token, takes::large),
    symbol_for("g", units::gram, takes::large_and_small),
    symbol_for("tonne", units::tonne, takes::no_prefix),
    symbol_for("tonnes", units::tonne, takes::no_prefix),
    unit_symbol{"GPU", 1, {}, takes::no_prefix},
    unit_symbol{"GPUs", 1, {}, takes::no_prefix}};

struct unit_prefix {
  std::string_view name;
  double factor;
  enum { one, large, binary, small } kind;
};

inline constexpr std::array unit_prefixes{
    unit_prefix{"", 1, unit_prefix::one},
    unit_prefix{"k", 1e3, unit_prefix::large},
    unit_prefix{"M", 1e6, unit_prefix::large},
    unit_prefix{"G", 1e9, unit_prefix::large},
    unit_prefix{"T", 1e12, unit_prefix::large},
    unit_prefix{"P", 1e15, unit_prefix::large},
    unit_prefix{"E", 1e18, unit_prefix::large},
    unit_prefix{"Z", 1e21, unit_prefix::large},
    unit_prefix{"Y", 1e24, unit_prefix::large},
    unit_prefix{"Ki", 0x1p10, unit_prefix::binary},
    unit_prefix{"Mi", 0x1p20, unit_prefix::binary},
    unit_prefix{"Gi", 0x1p30, unit_prefix::binary},
    unit_prefix{"Ti", 0x1p40, unit_prefix::binary},
    unit_prefix{"Pi", 0x1p50, unit_prefix::binary},
    unit_prefix{"Ei", 0x1p60, unit_prefix::binary},
    unit_prefix{"m", 1e-3, unit_prefix::small},
    unit_prefix{"u", 1e-6, unit_prefix::small},
    unit_prefix{"\xC2\xB5", 1e-6, unit_prefix::small},  // micro sign, UTF-8
    unit_prefix{"\xCE\xBC", 1e-6, unit_prefix::small},  // Greek mu, UTF-8
    unit_prefix{"n", 1e-9, unit_prefix::small},
    unit_prefix{"p", 1e-12, unit_prefix::small},
    unit_prefix{"f", 1e-15, unit_prefix::small}};

constexpr bool may_stand(const unit_prefix& prefix, const unit_symbol& symbol) {
  switch (prefix.kind) {
    case unit_prefix::one: return true;
    case unit_prefix::large: return symbol.prefix != takes::no_prefix;
    case unit_prefix::binary: return symbol.prefix == takes::large_and_binary;
    case unit_prefix::small: return symbol.prefix == takes::large_and_small;
  }
  return false;
}

/// What is read in two ways: gb and Gib, KB, m, Tflops.
constexpr parse_fault ambiguity(std::string_view name) {
  if (name == "m") return parse_fault::minute_or_million;
  const std::string_view sized = name.ends_with("ps") ? name.substr(0, name.size() - 2) : name;
  if (sized == "KB" || sized == "Kb") return parse_fault::thousand_or_1024;
  if (sized.size() <= 3 && sized.ends_with('b')) {
    const bool capital = sized.size() == 2 && sized[0] >= 'A' && sized[0] <= 'Z';
    if (!capital) return parse_fault::bit_or_byte;
  }
  return name.ends_with("flops") ? parse_fault::plural_or_rate : parse_fault::none;
}

/// The unit of one name, prefix included.
constexpr unit find_prefixed(std::string_view name) {
  for (const unit_prefix& prefix : unit_prefixes) {
    if (!name.starts_with(prefix.name)) continue;
    for (const unit_symbol& symbol : unit_symbols)
      if (name.substr(prefix.name.size()) == symbol.name && may_stand(prefix, symbol))
        return {prefix.factor * symbol.factor, 1, symbol.exponents, ambiguity(name)};
  }
  const parse_fault fault = ambiguity(name);
  return {.fault = fault == parse_fault::none ? parse_fault::unknown_unit : fault};
}

/// The same, where Gbps is Gbit/s.
constexpr unit find_unit(std::string_view name) {
  const unit whole = find_prefixed(name);
  if (whole.fault != parse_fault::unknown_unit || !name.ends_with("ps")) return whole;
  unit sized = find_prefixed(name.substr(0, name.size() - 2));
  if (sized.exponents != bytes::exponents) return whole;
  sized.exponents = bytes_per_second::exponents;
  return sized;
}

}  // namespace gpuplan::detail
