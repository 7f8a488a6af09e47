#include <gpuplan/units/units.hpp>

#include <cmath>
#include <type_traits>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

// Each unit against its definition.
static_assert(KiB == 1024 * byte && MiB == 1024 * KiB && GiB == 1024 * MiB && TiB == 1024 * GiB);
static_assert(PiB == 1024 * TiB && EiB == 1024 * PiB);
static_assert(kB == 1000 * byte && MB == 1000 * kB && GB == 1000 * MB && TB == 1000 * GB);
static_assert(PB == 1000 * TB && EB == 1000 * PB);
static_assert(8 * bit == byte && kbit == 1000 * bit && Mbit == 1000 * kbit && Gbit == 1000 * Mbit);
static_assert(Tbit == 1000 * Gbit);
static_assert(kFLOP == 1000 * FLOP && MFLOP == 1000 * kFLOP && GFLOP == 1000 * MFLOP);
static_assert(TFLOP == 1000 * GFLOP && PFLOP == 1000 * TFLOP && EFLOP == 1000 * PFLOP);
static_assert(ZFLOP == 1000 * EFLOP && YFLOP == 1000 * ZFLOP && multiply_add == 2 * FLOP);
static_assert(minute == 60 * second && hour == 60 * minute && day == 24 * hour && week == 7 * day);
static_assert(year == 365.25 * day && 1000 * ms == second && 1000 * us == ms);
static_assert(kW == 1000 * watt && MW == 1000 * kW && GW == 1000 * MW);
static_assert(watt * second == joule && kJ == 1000 * joule && MJ == 1000 * kJ && GJ == 1000 * MJ);
static_assert(Wh == watt * hour && kWh == kW * hour && MWh == MW * hour && GWh == GW * hour);
static_assert(ktok == 1000 * token && Mtok == 1000 * ktok && Gtok == 1000 * Mtok);
static_assert(Ttok == 1000 * Gtok);

// A rate is what a count and a time make.
static_assert(std::is_same_v<decltype(FLOP / second), flop_per_second>);
static_assert(std::is_same_v<decltype(token / second), tokens_per_second>);
static_assert(std::is_same_v<decltype(dollar / hour), dollars_per_second>);
static_assert(std::is_same_v<decltype(dollar / kWh), dollars_per_joule>);
static_assert(std::is_same_v<decltype(dollar / Mtok), dollars_per_token>);
static_assert(std::is_same_v<decltype(FLOP / byte), flop_per_byte>);
static_assert(std::is_same_v<decltype(FLOP / token), flop_per_token>);
static_assert(std::is_same_v<decltype(byte / token), bytes_per_token>);
static_assert(std::is_same_v<decltype(joule / token), joules_per_token>);
static_assert(std::is_same_v<decltype(joule / FLOP), joules_per_flop>);
static_assert(std::is_same_v<decltype(joule / byte), joules_per_byte>);
static_assert(std::is_same_v<decltype((TFLOP / second) / watt), flop_per_joule>);

// The mistakes of unit that the source documents make, each where it would have to be written.
// An id is that of seed_cases.json.
template <class To, class From>
constexpr bool gives = std::is_convertible_v<From, To> || std::is_assignable_v<To&, From>;
template <class A, class B>
concept comparable = requires(A a, B b) {
  a < b;
};

// ch3-gpt3-epoch: 300e9 tokens at 1.26e6 token/s were called 238 hours.  They are 238 095 seconds,
// and an hour is asked for by name.
constexpr seconds epoch = 300e9 * token / (1.26e6 * token / second);
static_assert(epoch > 66.1 * hour && epoch < 66.2 * hour);
static_assert(!gives<seconds, double>, "238 of what?");

// ch3-erlang-wq-units: C / (c mu - lambda) / mu was called a wait.  It is a time squared.
using wait_as_printed = decltype(0.5 / (per_second{2} - per_second{1}) / per_second{1});
static_assert(std::is_same_v<wait_as_printed, square_seconds>);
static_assert(!gives<seconds, wait_as_printed> && !comparable<seconds, wait_as_printed>);

// D3 of the data pipeline: the least of samples/s and bytes/s.
static_assert(!comparable<per_second, bytes_per_second> && !gives<per_second, bytes_per_second>);

// opt-energy-1: 100 W for 10 minutes were printed as "energy 100 W".
static_assert(!gives<joules, watts> && !comparable<joules, watts>);
static_assert(100 * watt * (10 * minute) == 60 * kJ);

// ml-qkv-mac, ml-score-mac: multiply-adds called FLOP.
static_assert(!gives<flop, double>, "161e9 of what?");
static_assert(161.0612736e9 * multiply_add == 322.1225472e9 * FLOP);

// ml-v100-attention-seconds: 78.4 ms were called 79 s.
constexpr seconds attention = 9.8e12 * FLOP / (125 * TFLOP / second);
static_assert(attention > 78.39 * ms && attention < 78.41 * ms);

// A rate for a count, and a count for a rate.
static_assert(!gives<flop, flop_per_second> && !gives<flop_per_second, flop>);
static_assert(!gives<seconds, decltype(flop{} * flop_per_second{})>);

// Bits for bytes, 1000 for 1024: a factor of 8, of 1.07; vr-resnet50-params divides by 1000 x 1024.
static_assert(400 * Gbit / second == 50 * GB / second && Gbit != GB && GiB != GB);
static_assert(!gives<bytes, double>, "97.66 of what?");
static_assert(25e6 * (4 * byte) == 100 * MB && std::is_same_v<decltype(100 * MB / MiB), double>);

// Tokens for sequences: a batch of 1536 sequences is not 1536 tokens.
static_assert(!gives<tokens, double> && !gives<tokens, int> && !gives<double, tokens>);

// Price for cost, cost for energy.
static_assert(!gives<dollars, dollars_per_second> && !gives<dollars, joules>);

// Energy for what its making emits.
static_assert(!gives<grams, joules> && !gives<grams, double>);
static_assert(std::is_same_v<decltype(400 * gram / kWh), grams_per_joule>);
static_assert(tonne == 1000 * kg && kg == 1000 * gram);

TEST_CASE("worked numbers of the source documents come out in the unit asked for", "[units]") {
  CHECK_THAT(epoch.in(hour), WithinRel(66.1375661375661, 1e-12));
  // ml-gpt3-v100-years
  CHECK_THAT((3.14e23 * FLOP / (28 * TFLOP / second)).in(year),
             WithinRel(355.35927048589605, 1e-12));
  // ml-accum-2weeks-8: 21.5 k$ was one week.
  CHECK_THAT((128 * dollar / hour * (2 * week)).in(dollar), WithinRel(43008.0, 1e-12));
  // ch3-gpt3-energy: 1024 GPUs of 400 W for the epoch above.
  CHECK_THAT((1024 * (400 * watt) * epoch).in(kWh), WithinRel(27089.94708994709, 1e-12));
}

}  // namespace
}  // namespace gpuplan
