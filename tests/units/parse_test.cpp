#include <gpuplan/units/parse.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <string>

#include <fmt/format.h>

#include <gpuplan/units/format.hpp>

#include "support/allocations.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

template <class Q>
struct said {
  const char* text;
  Q meant;
};
template <class Q>
void check_read(std::initializer_list<said<Q>> rows) {
  for (const auto& row : rows) {
    const auto read = parse<Q>(row.text);
    CAPTURE(row.text, problem_of(read.fault));
    CHECK(read);
    CHECK(read.value == row.meant);
  }
}
template <class Q>
void check_refused(parse_fault fault, std::initializer_list<const char*> texts) {
  for (const char* text : texts) {
    const auto read = parse<Q>(text);
    CAPTURE(text, problem_of(read.fault));
    CHECK(read.fault == fault);
    CHECK(read.value == Q{});
  }
}

TEST_CASE("sizes are read as people write them", "[units][parse]") {
  check_read<bytes>({{"80GiB", 80 * GiB},
                     {"80 GB", 80 * GB},
                     {" 80\tGB ", 80 * GB},
                     {"640Gbit", 80 * GB},
                     {"640Gb", 80 * GB},
                     {"1.5TB", 1.5 * TB},
                     {".5GB", 0.5 * GB},
                     {"1e3B", 1000 * byte},
                     {"2E-1 B", 0.2 * byte},
                     {"512 bytes", 512 * byte},
                     {"0", bytes{0}},
                     {"0GB", bytes{0}}});
}

TEST_CASE("rates are read in bits or bytes, as they say", "[units][parse]") {
  check_read<bytes_per_second>({{"400Gb/s", 50 * GB / second},
                                {"400 Gbit/s", 50 * GB / second},
                                {"400Gbps", 50 * GB / second},
                                {"400 GB/s", 400 * GB / second},
                                {"400GBps", 400 * GB / second},
                                {"400 GB / s", 400 * GB / second},
                                {"3.35TB/s", 3.35 * TB / second}});
  check_read<flop_per_second>({{"989TFLOP/s", 989 * TFLOP / second},
                               {"989TFLOPS", 989 * TFLOP / second},
                               {"989 TFLOPs/s", 989 * TFLOP / second},
                               {"100GMAC/s", 200 * GFLOP / second}});
  check_read<flop>({{"1PFLOPS-day", 1 * PFLOP / second * day}, {"3.14e23FLOP", 3.14e23 * FLOP}});
  check_read<tokens_per_second>({{"4000tok/s", 4000 * token / second},
                                 {"1.2M tok/s", 1.2 * Mtok / second},
                                 {"1.2Mtok/s", 1.2 * Mtok / second}});
  check_read<per_second>(
      {{"0.5/s", 0.5 / second}, {"500.0 1/s", 500 / second}, {"12/h", 12 / hour}});
}

TEST_CASE("times are read, and sums of times", "[units][parse]") {
  check_read<seconds>({{"10us", 10 * us},
                       {"10\xC2\xB5s", 10 * us},
                       {"90 s", 90 * second},
                       {"30min", 30 * minute},
                       {"2.5h", 2.5 * hour},
                       {"3d", 3 * day},
                       {"2 weeks", 2 * week},
                       {"1 year", year},
                       {"3 d 4 h", 3 * day + 4 * hour},
                       {"1h30min", 90 * minute}});
}

TEST_CASE("tokens and counts need no unit", "[units][parse]") {
  check_read<tokens>({{"15T", 15e12 * token},
                      {"15T tokens", 15e12 * token},
                      {"15 trillion tokens", 15e12 * token},
                      {"15Ttok", 15e12 * token},
                      {"300B", 300e9 * token},
                      {"3e11", 300e9 * token},
                      {"3e11 tokens", 300e9 * token}});
  CHECK(parse_count("1536").value == 1536);
  CHECK(parse_count("7B").value == 7e9);
  CHECK(parse_count("128Ki").value == 131072);
  CHECK(parse_count("2 Mi").value == 0x1p21);
  CHECK(parse_count("128KiB").fault == parse_fault::other_dimension);
  CHECK(parse_count("1.5 T").value == 1.5e12);
  CHECK(parse_count("8 GPUs").value == 8);
  CHECK(parse_count("7GB").fault == parse_fault::other_dimension);
  CHECK(parse_count("7 B/s").fault == parse_fault::other_dimension);
}

TEST_CASE("power, energy and money are read", "[units][parse]") {
  check_read<watts>({{"700W", 700 * watt}, {"1.2 MW", 1.2 * MW}, {"1kWh/h", 1 * kW}});
  check_read<joules>({{"120kWh", 120 * kWh}, {"3.6MJ", 1 * kWh}});
  check_read<dollars>(
      {{"$500", 500 * dollar}, {"$2.5M", 2.5e6 * dollar}, {"500USD", 500 * dollar}});
  check_read<dollars_per_second>({{"$2.50/h", 2.5 * dollar / hour},
                                  {"2.50$/h", 2.5 * dollar / hour},
                                  {"2.5 USD/h", 2.5 * dollar / hour},
                                  {"$2.50/GPU-h", 2.5 * dollar / hour},
                                  {"$2.50/GPU/hour", 2.5 * dollar / hour}});
  check_read<dollars_per_joule>(
      {{"0.12$/kWh", 0.12 * dollar / kWh}, {"$0.12/kWh", 0.12 * dollar / kWh}});
  check_read<dollars_per_token>({{"$0.60/Mtok", 0.6 * dollar / Mtok}});
  check_read<grams_per_joule>({{"400g/kWh", 400 * gram / kWh}, {"0.4 kg/kWh", 0.4 * kg / kWh}});
}

TEST_CASE("a text of two meanings is refused, never guessed", "[units][parse][errors]") {
  using enum parse_fault;
  check_refused<bytes>(bit_or_byte, {"80gb", "80 gib", "80Gib", "80mb", "80b", "80kb"});
  check_refused<bytes_per_second>(bit_or_byte, {"400gbps", "400gb/s"});
  check_refused<bytes>(thousand_or_1024, {"64KB", "64Kb"});
  check_refused<bytes_per_second>(thousand_or_1024, {"64KB/s", "64KBps"});
  check_refused<seconds>(minute_or_million, {"5m", "1h 30m"});
  check_refused<flop_per_second>(plural_or_rate, {"989Tflops"});
}

TEST_CASE("a text that says something else is refused with its fault", "[units][parse][errors]") {
  using enum parse_fault;
  check_refused<bytes>(no_number,
                       {"", " ", "GB", "inf", "nan", "infinity GB", ".", "-", "+5GB", "x"});
  check_refused<bytes>(comma, {"1,000B", "1,5GB"});
  check_refused<bytes>(negative, {"-3GB", "- 3GB", "-.5GB", "-0GB"});
  check_refused<dollars_per_second>(negative, {"-$5/h", "$-5/h"});
  check_refused<bytes>(out_of_range, {"1e999GB", "1e300YB", "1e-400B", "1e308PB"});
  check_refused<seconds>(out_of_range, {"1e308s 1e308s", "1e-323ns"});
  check_refused<bytes>(no_unit, {"80", "8e10"});
  check_refused<seconds>(no_unit, {"1h30", "60"});
  check_refused<bytes>(unknown_unit, {"80G", "80 parsec", "0x10B", "80GB/", "80 GB/s/", "8!"});
  check_refused<bytes>(more_after_unit, {"80GB!", "80GB 3", "80GB,", "80GB x", "80GB\n"});
  check_refused<bytes>(other_dimension, {"80GB/s", "80s", "$80", "15tok", "8 GPUs"});
  check_refused<bytes_per_second>(other_dimension, {"80GB", "400Gb", "12/s", "989TFLOPS"});
  check_refused<flop_per_second>(other_dimension, {"989TFLOP", "989TFLOPs"});
  check_refused<seconds>(other_dimension, {"238B", "3h/d", "0.5/s"});
  check_refused<joules>(other_dimension, {"100W", "$12"});
  check_refused<watts>(other_dimension, {"100Wh"});
  check_refused<tokens>(other_dimension, {"15T tokens/s", "3GB"});
}

TEST_CASE("what is printed can be read", "[units][parse][property]") {
  const auto magnitude = [] {
    return *rc::gen::inRange(1, 1'000'000) * std::pow(10.0, *rc::gen::inRange(-8, 16));
  };
  const auto close = [](double a, double b) { return std::abs(a - b) <= 4e-16 * std::abs(b); };
  const auto comes_back = [&]<dimension D>(quantity<D> q) {
    const auto read = parse<quantity<D>>(fmt::format("{}", q));
    RC_ASSERT(bool(read));
    RC_ASSERT(close(read.value.in_base_units(), q.in_base_units()));
  };
  testing::check_property("parse(format(q)) is q, to the last digits", [&] {
    const double x = magnitude();
    comes_back(bytes{x});
    comes_back(bytes_per_second{x});
    comes_back(flop{x});
    comes_back(flop_per_second{x});
    comes_back(seconds{x});
    comes_back(per_second{x});
    comes_back(tokens{x});
    comes_back(tokens_per_second{x});
    comes_back(watts{x});
    comes_back(joules{x});
    comes_back(dollars{x});
    comes_back(dollars_per_joule{x});
    comes_back(flop_per_byte{x});
  });
  testing::check_property("so can sizes in powers of 1024", [&] {
    const bytes q{magnitude()};
    const auto read = parse<bytes>(fmt::format("{}", binary{q}));
    RC_ASSERT(bool(read));
    RC_ASSERT(close(read.value.in_base_units(), q.in_base_units()));
  });
  testing::check_property("and times in words, to half an hour in a day", [&] {
    const seconds q{magnitude()};
    const auto read = parse<seconds>(format_duration(q));
    RC_ASSERT(bool(read));
    RC_ASSERT(abs(read.value - q) <= q / 48);
  });
}

TEST_CASE("a number and a unit are multiplied as the constants are", "[units][parse][property]") {
  testing::check_property("17 digits and a unit are the number times the constant", [](double x) {
    const double number = std::abs(x);
    const std::string digits = fmt::format("{:.17g}", number);
    RC_ASSERT(parse<bytes>(digits + "GiB").value == number * GiB);
    RC_ASSERT(parse<bytes>(digits + " Gbit").value == number * Gbit);
    RC_ASSERT(parse<seconds>(digits + "us").value == number * us);
    RC_ASSERT(parse<dollars_per_joule>(digits + "$/kWh").value == number * dollar / kWh);
  });
}

TEST_CASE("no text breaks the reader", "[units][parse][property]") {
  const auto survives = [](const std::string& text) {
    const auto check = [&](const auto& read) {
      RC_ASSERT(read.value >= decltype(read.value){});
      RC_ASSERT(read || read.value == decltype(read.value){});
      RC_ASSERT(!problem_of(read.fault).empty());
    };
    check(parse<bytes>(text));
    check(parse<bytes_per_second>(text));
    check(parse<seconds>(text));
    check(parse<tokens>(text));
    check(parse<dollars_per_second>(text));
    check(parse_count(text));
  };
  testing::check_property("any bytes", survives);
  testing::check_property("pieces of what is right, in any order", [&] {
    static const std::array<std::string, 32> pieces{
        "1",     "2.5", "e9",  ".", "-",        "$",   " ",  "/",   "/s",    "GB", "Gb",
        "GiB",   "gb",  "T",   "B", "tok",      "kWh", "h",  "d",   "m",     "1/", ",",
        "1e308", "inf", "nan", "0", "\xC2\xB5", "s",   "ps", "GPU", "FLOPS", "\0"};
    std::string text;
    const int count = *rc::gen::inRange(0, 12);
    for (int i = 0; i < count; ++i) text += *rc::gen::elementOf(pieces);
    survives(text);
  });
}

TEST_CASE("reading allocates nothing", "[units][parse][allocations]") {
  const std::array<std::string_view, 4> texts{"80GiB", "80gb", "400Gb/s",
                                              "3.14159265358979323846264338327950288TB"};
  const auto before = testing::allocations();
  double sum = 0;
  for (const auto text : texts) sum += parse<bytes>(text).value.in_base_units();
  CHECK(testing::allocations() == before);
  CHECK(sum > 0);
}

}  // namespace
}  // namespace gpuplan
