#pragma once
/// \file
/// Quantities as people write them: "80GiB", "400 Gb/s", "2.5h", "$2.50/h", "15T tokens".
/// Nothing is allocated or thrown, whatever the text holds.

#include <array>
#include <cstddef>
#include <string_view>
#include <system_error>

#include <gpuplan/text/decimal_number.hpp>
#include <gpuplan/units/detail/unit_symbols.hpp>
#include <gpuplan/units/parse_fault.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What a text says, or why it says nothing.
template <class Q>
struct parsed {
  Q value{};  ///< zero where there is a fault
  parse_fault fault = parse_fault::none;

  constexpr explicit operator bool() const { return fault == parse_fault::none; }
};

namespace detail {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
constexpr bool is_letter(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

/// Takes what it knows from the front of a text, and the spaces after it.
class quantity_reader {
 public:
  explicit quantity_reader(std::string_view text) : rest_{text} { skip_spaces(); }

  [[nodiscard]] bool done() const { return rest_.empty(); }
  [[nodiscard]] bool at_number() const {
    const bool point = rest_.starts_with('.');
    return rest_.size() > (point ? 1 : 0) && is_digit(rest_[point ? 1 : 0]);
  }

  bool skip(std::string_view token) {
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    skip_spaces();
    return true;
  }

  parsed<double> number() {
    if (skip("-") && (at_number() || skip("$"))) return {.fault = parse_fault::negative};
    if (!at_number()) return {.fault = parse_fault::no_number};
    double value = 0;
    const char* const begin = rest_.data();
    const auto [end, error] = decimal_from_chars(begin, begin + rest_.size(), value);
    rest_.remove_prefix(static_cast<std::size_t>(end - begin));
    if (error != std::errc{}) return {.fault = parse_fault::out_of_range};
    if (rest_.starts_with(',')) return {.fault = parse_fault::comma};
    skip_spaces();
    return {.value = value};
  }

  /// 1e9 for the B of "7B" and of "15B tokens", which stands alone; else 1, and nothing is taken.
  double count_suffix() {
    struct suffix {
      std::string_view name;
      double factor;
    };
    constexpr std::array suffixes{
        suffix{"k", 1e3},       suffix{"K", 1e3},        suffix{"M", 1e6},
        suffix{"G", 1e9},       suffix{"B", 1e9},        suffix{"T", 1e12},
        suffix{"Ki", 0x1p10},   suffix{"Mi", 0x1p20},    suffix{"Gi", 0x1p30},
        suffix{"Ti", 0x1p40},   suffix{"thousand", 1e3}, suffix{"million", 1e6},
        suffix{"billion", 1e9}, suffix{"trillion", 1e12}};
    quantity_reader ahead = *this;
    const std::string_view found = ahead.name();
    for (const suffix& s : suffixes)
      if (found == s.name) {
        *this = ahead;
        return s.factor;
      }
    return 1;
  }

  /// GB, GB/s, $/GPU-h, /h, 1/s.  What a hyphen joins is one unit.
  unit unit_expression() {
    detail::unit read;
    if (!skip("1/") && !skip("/")) {
      read = joined_units();
      if (read.fault != parse_fault::none || !skip("/")) return read;
    }
    do {
      const unit below = joined_units();
      read = {read.over * below.under, read.under * below.over, read.exponents / below.exponents,
              below.fault};
    } while (read.fault == parse_fault::none && skip("/"));
    return read;
  }

 private:
  std::string_view name() {
    std::size_t length = 0;
    while (length < rest_.size() && is_letter(rest_[length])) ++length;
    const std::string_view read = rest_.substr(0, length);
    skip(read);
    return read;
  }

  unit joined_units() {
    unit read = find_unit(name());
    while (read.fault == parse_fault::none && skip("-")) {
      const unit next = find_unit(name());
      read = {read.over * next.over, read.under * next.under, read.exponents * next.exponents,
              next.fault};
    }
    return read;
  }

  void skip_spaces() {
    while (rest_.starts_with(' ') || rest_.starts_with('\t')) rest_.remove_prefix(1);
  }

  std::string_view rest_;
};

}  // namespace detail

/// A text as a number of base units of a dimension: parse<bytes>, where the dimension is known only
/// as the program runs.
inline parsed<double> parse_in_base_units(std::string_view text, dimension wanted) {
  detail::quantity_reader reader{text};
  double sum = 0;
  do {
    const bool price = reader.skip("$");
    const parsed<double> number = reader.number();
    if (!number) return number;
    const bool counted = price || wanted.token > 0 || wanted == dimension{};
    const double count = counted ? number.value * reader.count_suffix() : number.value;

    const bool bare = reader.done() && !price;
    detail::unit read;
    if (!reader.done()) read = reader.unit_expression();
    if (read.fault != parse_fault::none) return {.fault = read.fault};
    if (price) read.exponents = read.exponents * dollars::exponents;
    if (bare && (wanted == tokens::exponents || count == 0)) read.exponents = wanted;
    if (read.exponents != wanted)
      return {.fault = bare ? parse_fault::no_unit : parse_fault::other_dimension};

    const double term = count * read.over / read.under;
    if (term == 0 && number.value != 0) return {.fault = parse_fault::out_of_range};
    sum += term;
  } while (wanted == seconds::exponents && reader.at_number());

  if (!reader.done()) return {.fault = parse_fault::more_after_unit};
  if (!isfinite(seconds{sum})) return {.fault = parse_fault::out_of_range};
  return {.value = sum};
}

/// Reads a quantity: parse<bytes>("80GiB").
///
///     number  digits, one point, an exponent; no sign, no commas, and never "inf" or "nan"
///     unit    as in unit_symbols.hpp, with / for per and a hyphen for a product: $/GPU-h
///
/// - "$" may stand first: "$2.50/h".  A price may have a suffix as counts have: "$2.5M".
/// - Tokens need no unit: "15T" and "300B" are 15e12 and 300e9.  Elsewhere a number alone is
///   refused, but for 0.
/// - A time may be a sum: "3 d 4 h".
/// - Spaces may stand around number, unit and "/".
///
/// A unit of two meanings is refused rather than guessed: gb, KB, m, Tflops.  So is a quantity that
/// no double holds.
template <class Q>
parsed<Q> parse(std::string_view text) {
  const auto [value, fault] = parse_in_base_units(text, Q::exponents);
  return {Q{value}, fault};
}

/// Reads a count: "1536", "7B", "128Ki", "3e11".  Whether it must be whole, the caller says.
inline parsed<double> parse_count(std::string_view text) {
  return parse_in_base_units(text, dimension{});
}

}  // namespace gpuplan
