#include <gpuplan/units/detail/unit_symbols.hpp>

#include <string>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;
using detail::find_unit;

/// The symbol is read, and is that quantity.
template <dimension D>
constexpr bool is(std::string_view symbol, quantity<D> one) {
  const detail::unit read = find_unit(symbol);
  return read.fault == parse_fault::none && read.exponents == D &&
         read.over / read.under == one.in_base_units();
}
constexpr bool is_refused(std::string_view symbol, parse_fault fault) {
  return find_unit(symbol).fault == fault;
}

static_assert(is("B", byte) && is("kB", kB) && is("MB", MB) && is("GB", GB) && is("TB", TB));
static_assert(is("PB", PB) && is("EB", EB) && is("KiB", KiB) && is("MiB", MiB) && is("GiB", GiB));
static_assert(is("TiB", TiB) && is("PiB", PiB) && is("EiB", EiB) && is("bytes", byte));
static_assert(is("bit", bit) && is("kbit", kbit) && is("Mb", Mbit) && is("Gb", Gbit));
static_assert(is("Gbit", Gbit) && is("Tb", Tbit) && is("Gibit", GiB / 8));
static_assert(is("Gbps", Gbit / second) && is("GBps", GB / second) && is("kbitps", kbit / second));
static_assert(is("FLOP", FLOP) && is("TFLOPs", TFLOP) && is("TFLOPS", TFLOP / second));
static_assert(is("YFLOP", YFLOP) && is("GMAC", 2 * GFLOP));
static_assert(is("s", second) && is("ms", ms) && is("us", us) && is("\xC2\xB5s", us));
static_assert(is("\xCE\xBCs", us) && is("ns", ns) && is("ps", 1e-12 * second));
static_assert(is("min", minute) && is("h", hour) && is("days", day) && is("week", week));
static_assert(is("year", year) && is("W", watt) && is("kW", kW) && is("MW", MW));
static_assert(is("J", joule) && is("GJ", GJ) && is("kWh", kWh) && is("MWh", MWh));
static_assert(is("$", dollar) && is("USD", dollar) && is("k$", 1e3 * dollar));
static_assert(is("tok", token) && is("Mtok", Mtok) && is("Ttok", Ttok) && is("tokens", token));
static_assert(is("g", gram) && is("kg", kg) && is("tonnes", tonne));
static_assert(find_unit("GPU").exponents == dimension{}, "a GPU is a count");

// The two halves of each pair differ by a factor that has been lost before.
static_assert(find_unit("Gb").over != find_unit("GB").over);
static_assert(find_unit("GB").over != find_unit("GiB").over);
static_assert(find_unit("Mb").over != find_unit("mb").over);
static_assert(find_unit("ms").over != find_unit("Ms").over);
static_assert(find_unit("TFLOPs").exponents != find_unit("TFLOPS").exponents);

// Of two meanings.
static_assert(is_refused("gb", parse_fault::bit_or_byte));
static_assert(is_refused("b", parse_fault::bit_or_byte));
static_assert(is_refused("kb", parse_fault::bit_or_byte));
static_assert(is_refused("Gib", parse_fault::bit_or_byte));
static_assert(is_refused("gib", parse_fault::bit_or_byte));
static_assert(is_refused("gbps", parse_fault::bit_or_byte));
static_assert(is_refused("KB", parse_fault::thousand_or_1024));
static_assert(is_refused("KBps", parse_fault::thousand_or_1024));
static_assert(is_refused("Kb", parse_fault::thousand_or_1024));
static_assert(is_refused("m", parse_fault::minute_or_million));
static_assert(is_refused("flops", parse_fault::plural_or_rate));
static_assert(is_refused("Tflops", parse_fault::plural_or_rate));

// Of none.
static_assert(is_refused("", parse_fault::unknown_unit));
static_assert(is_refused("parsec", parse_fault::unknown_unit));
static_assert(is_refused("G", parse_fault::unknown_unit));
static_assert(is_refused("mB", parse_fault::unknown_unit), "no one has a thousandth of a byte");
static_assert(is_refused("KiFLOP", parse_fault::unknown_unit));
static_assert(is_refused("kmin", parse_fault::unknown_unit));
static_assert(is_refused("kkB", parse_fault::unknown_unit));
static_assert(is_refused("Wps", parse_fault::unknown_unit), "only sizes are said per second so");

TEST_CASE("no symbol is found twice", "[units][parse]") {
  for (const auto& a : detail::unit_symbols)
    for (const auto& prefix : detail::unit_prefixes) {
      if (!may_stand(prefix, a)) continue;
      const std::string name = std::string{prefix.name} + std::string{a.name};
      CAPTURE(name);
      const detail::unit read = find_unit(name);
      CHECK(read.exponents == a.exponents);
      CHECK(read.over == prefix.factor * a.factor);
    }
}

TEST_CASE("a long name of nothing is refused", "[units][parse]") {
  std::string name;
  for (int i = 0; i < 100'000; ++i) name += "ps";
  CHECK(find_unit(name).fault == parse_fault::unknown_unit);
}

}  // namespace
}  // namespace gpuplan
