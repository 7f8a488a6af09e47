#include <gpuplan/registry/symbol_unit.hpp>

#include <cstddef>
#include <string>
#include <string_view>

#include <gpuplan/units/units.hpp>

#include "registry/post.hpp"
#include "support/catch.hpp"

namespace gpuplan::registry {
namespace {

TEST_CASE("units of rows are those of quantities", "[registry]") {
  static_assert(meaning_of_unit("B/s").exponents == bytes_per_second::exponents);
  static_assert(meaning_of_unit("1/s").exponents == per_second::exponents);
  static_assert(meaning_of_unit("FLOP/token").exponents == flop_per_token::exponents);
  static_assert(meaning_of_unit("s^2").exponents == square_seconds::exponents);
  static_assert(meaning_of_unit("erlang").exponents == dimension{});
  static_assert(!meaning_of_unit("furlong").known);
  static_assert(!meaning_of_unit("B/fortnight").known);
  static_assert(!meaning_of_unit("").known);
}

TEST_CASE("inputs are read in the unit of their symbol", "[registry]") {
  const auto value = [](std::size_t which, std::string_view text) {
    const input_text read = read_input(sending.symbols[which], text);
    INFO(read.fault);
    CHECK(read.fault.empty());
    return read.value;
  };
  CHECK(value(0, "1.5GB") == 1.5e9);
  CHECK(value(0, "2 KiB") == 2048);
  CHECK(value(0, "0") == 0);
  CHECK(value(1, "1e3") == 1000);
  CHECK(value(1, "7B") == 7e9);
  CHECK(value(2, "0.25") == 0.25);
  CHECK(value(3, "400Gb/s") == 50e9);
  CHECK(value(4, "-2ms") == -0.002);
  CHECK(value(4, "1h 30min") == 5400);
}

TEST_CASE("a number of unit 1 may be a percentage", "[registry]") {
  constexpr symbol part{"p", "part", "1", "0 to 1"};
  CHECK(read_input(part, "10%").value == 0.1);
  CHECK(read_input(part, "150%").value == 1.5);
  CHECK(read_input(part, "-5%").value == -0.05);
  for (const char* text : {"%", "5%%", "5s%", "-%"}) {
    INFO(text);
    CHECK(read_input(part, text).fault.find("as 0.25, 25% or 3e11") != std::string::npos);
  }
  CHECK(!read_input(symbol{"n", "ranks", "count", ">= 1"}, "800%").fault.empty());
  CHECK(!read_input(symbol{"m", "message", "B", ">= 0"}, "5%").fault.empty());
}

TEST_CASE("an input may have the unit that is printed for it", "[registry]") {
  for (const char* unit : {"count", "erlang", "B", "FLOP", "s", "J", "W", "token", "g", "B/s",
                           "1/s", "FLOP/s", "s/B", "FLOP/B", "g/J", "dollar", "dollar/s"}) {
    const input_text read = read_input(symbol{"x", "one", unit, ">= 0"}, std::string("4 ") + unit);
    INFO(unit << ": " << read.fault);
    CHECK(read.fault.empty());
    CHECK(read.value == 4);
  }
  constexpr symbol offered{"a", "offered load", "erlang", ">= 0"};
  CHECK(read_input(offered, "0.25erlang").value == 0.25);
  CHECK(read_input(offered, "-1erlang").value == -1);
  for (const char* text : {"erlang", "4 erlang erlang", "25%", "4s"}) {
    const std::string fault = read_input(offered, text).fault;
    INFO(fault);
    CHECK(fault.find("erlang is wanted, as 4, 0.25 or 4erlang") != std::string::npos);
    CHECK(fault.find("25% or") == std::string::npos);
  }
}

TEST_CASE("one of an enumeration may be named", "[registry]") {
  constexpr symbol colour{"c", "colour", "count", "0 to 2", "red green deep_blue"};
  static_assert(choice_of(colour, 0) == "red" && choice_of(colour, 2) == "deep_blue");
  static_assert(choice_of(colour, 3).empty() && choice_of(sending.symbols[0], 0).empty());
  CHECK(read_input(colour, "red").value == 0);
  CHECK(read_input(colour, "Deep-Blue").value == 2);
  CHECK(read_input(colour, "1").value == 1);
  CHECK(read_input(colour, "a\n\xff").fault.starts_with("'a\\n\\xff'"));  // in one line
  CHECK(read_input(colour, "pink").fault.find("one of red green deep_blue is wanted") !=
        std::string::npos);
}

TEST_CASE("an input that cannot be read says which unit is wanted", "[registry]") {
  struct refused {
    std::size_t which;
    std::string_view text;
    std::string_view says;
  };
  for (const refused& one :
       {refused{0, "1", "'1' has no unit; B is wanted, as 80GiB"},
        refused{0, "1s", "measures something else; B is wanted"},
        refused{0, "1gb", "bits or bytes"}, refused{0, "", "does not begin with a number"},
        refused{1, "2.5", "is not whole; a count"}, refused{1, "1e17", "too large to count"},
        refused{1, "5s", "a count is wanted"},
        refused{2, "1B/s", "a number without unit is wanted"}, refused{2, "nan", "number"},
        refused{2, "--1", "must be >= 0"}, refused{3, "1GB", "B/s is wanted, as 3.35TB/s"},
        refused{4, "1e999s", "too large"}}) {
    const input_text read = read_input(sending.symbols[one.which], one.text);
    INFO(one.text << ": " << read.fault);
    CHECK(read.fault.find(one.says) != std::string::npos);
  }
}

}  // namespace
}  // namespace gpuplan::registry
