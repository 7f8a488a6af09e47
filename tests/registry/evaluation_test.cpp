#include <gpuplan/registry/evaluation.hpp>

#include <array>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/registry/search.hpp>
#include <gpuplan/registry/symbol_name.hpp>
#include <gpuplan/registry/symbol_range.hpp>
#include <gpuplan/registry/symbol_unit.hpp>

#include "support/catch.hpp"

namespace gpuplan::registry {
namespace {

constexpr formula sending{.name = "send",
                          .header = "comm/post.hpp",
                          .meaning = "Time of a letter",
                          .text = "a + m / W",
                          .latex = "a + m / W",
                          .symbols = {{"m", "message", "B", ">= 0"},
                                      {"M", "mail bags, all told", "count", "1 to 10"},
                                      {"c_a^2", "variation of the way", "1", ">= 0, < M"},
                                      {"W", "bandwidth (one direction)", "B/s", "> 0"},
                                      {"t_1", "time of the first", "s", "any"},
                                      {"t_2", "time of the second", "s", ">= t_1"}},
                          .result = "s",
                          .validity = "always",
                          .source = "the postman",
                          .errata = "",
                          .topics = "N1 N12",
                          .evaluate = [](inputs x) { return x[0] / x[3] + (x[5] - x[4]); },
                          .examples = {}};

constexpr formula other_sending{.name = "send",
                                .header = "queue/post.hpp",
                                .meaning = "Letters that wait for the post",
                                .text = "n",
                                .latex = "n",
                                .symbols = {{"n", "letters", "count", "any"}},
                                .result = "count",
                                .validity = "on working days",
                                .source = "the postman",
                                .errata = "",
                                .topics = "",
                                .evaluate = [](inputs x) { return std::sqrt(x[0]); },
                                .examples = {}};

constexpr std::array comm_rows{sending};
constexpr std::array queue_rows{other_sending};
constexpr std::array rooms{table{"comm", comm_rows}, table{"queue", queue_rows}};

std::vector<std::size_t> meant(std::string_view name) {
  const meant_symbols found = symbols_called(sending, name);
  return {found.begin(), found.end()};
}

TEST_CASE("inputs are named by letter, by word, or by what tells them apart", "[registry]") {
  using several = std::vector<std::size_t>;
  CHECK(meant("m") == several{0});
  CHECK(meant("M") == several{1});
  CHECK(meant("message") == several{0});
  CHECK(meant("mess") == several{0});
  CHECK(meant("Mail Bags") == several{1});
  CHECK(meant("mail_bags") == several{1});
  CHECK(meant("told") == several{1});
  CHECK(meant("c_a^2") == several{2});
  CHECK(meant("ca2") == several{2});
  CHECK(meant("way") == several{2});
  CHECK(meant("w") == several{3});
  CHECK(meant("direction") == several{3});
  CHECK(meant("me") == several{0});
  CHECK(meant("time") == several{4, 5});
  CHECK(meant("second") == several{5});
  CHECK(meant("essage").empty());
  CHECK(meant("").empty());
  CHECK(meant("^_^").empty());
  CHECK(meant(std::string(200, 'm')).empty());
  CHECK(name_of(sending.symbols[1]) == "mail_bags");
  CHECK(name_of(sending.symbols[3]) == "bandwidth");
  CHECK(title_of(sending.symbols[3]) == "bandwidth (W)");
}

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

TEST_CASE("one of an enumeration may be named", "[registry]") {
  constexpr symbol colour{"c", "colour", "count", "0 to 2", "red green deep_blue"};
  static_assert(choice_of(colour, 0) == "red" && choice_of(colour, 2) == "deep_blue");
  static_assert(choice_of(colour, 3).empty() && choice_of(sending.symbols[0], 0).empty());
  CHECK(read_input(colour, "red").value == 0);
  CHECK(read_input(colour, "Deep-Blue").value == 2);
  CHECK(read_input(colour, "1").value == 1);
  CHECK(read_input(colour, "a\n\xff").fault.starts_with("'a?"));  // in one line of ASCII
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

TEST_CASE("ranges are read as they are written", "[registry]") {
  const auto fits = [](std::string_view range, double x, double n = 4) {
    formula row = other_sending;
    row.symbols = {{"x", "it", "1", range}, {"n", "another", "1", "any"}};
    const double values[]{x, n};
    return fit_of(row, 0, values);
  };
  constexpr auto within = range_fit::within;
  constexpr auto outside = range_fit::outside;
  constexpr auto unknown = range_fit::unknown;
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(fits(">= 1", 1) == within);
  CHECK(fits(">= 1", 0.999) == outside);
  CHECK(fits("> 0, <= 1", 1) == within);
  CHECK(fits("> 0, <= 1", 0) == outside);
  CHECK(fits("0 to n - 1", 3) == within);
  CHECK(fits("0 to n - 1", 4) == outside);
  CHECK(fits("< 2 n + 1", 8) == within);
  CHECK(fits("< 2 n + 1", 9) == outside);
  CHECK(fits("> 0, x n <= 8", 2) == within);
  CHECK(fits("> 0, x n <= 8", 2.1) == outside);
  CHECK(fits("0 or 1 or n", 4) == within);
  CHECK(fits("0 or 1 or n", 2) == outside);
  CHECK(fits(">= 64, multiple of 64", 128) == within);
  CHECK(fits(">= 64, multiple of 64", 96) == outside);
  CHECK(fits("multiple of n", 12) == within);
  CHECK(fits("any", -1e300) == within);
  CHECK(fits("1e-3 to 1e6", 1e-3) == within);
  for (const std::string_view range : {"any", ">= 1", "0 to n", "0 or 1"})
    CHECK(fits(range, nan) == outside);
  for (const std::string_view range :
       {"small", ">= y", ">= ", "0 to", "multiple 4", "0 .. 1", ">= 1 2x", "> 0 <", "1 2 = 3"})
    CHECK(fits(range, 1) == unknown);
}

evaluation sent(std::initializer_list<assignment> given) {
  return evaluate(sending, std::span<const assignment>{given.begin(), given.size()});
}

std::string refusal_of(std::initializer_list<assignment> given) {
  try {
    sent(given);
  } catch (const invalid_input& refusal) {
    return refusal.what();
  }
  return "";
}

TEST_CASE("a row is worked out for inputs in any order", "[registry]") {
  const evaluation answer = sent({{"W", "1GB/s"},
                                  {"second", "3s"},
                                  {"first", "-1s"},
                                  {"message", "2GB"},
                                  {"way", "0.5"},
                                  {"M", "3"}});
  CHECK(answer.value == 6);
  CHECK(answer.row == &sending);
  CHECK(answer.given().size() == 6);
  CHECK(answer.given()[3] == 1e9);
}

TEST_CASE("what cannot be worked out is refused in one line", "[registry]") {
  const auto says = [](const std::string& refusal, std::string_view words) {
    INFO(refusal);
    CHECK(refusal.starts_with("send: "));
    CHECK(refusal.find(words) != refusal.npos);
    CHECK(refusal.find('\n') == refusal.npos);
  };
  says(refusal_of({}), "needs message (m), mail_bags (M), variation_of_the_way (c_a^2)");
  says(refusal_of({{"m", "1B"}, {"M", "1"}, {"way", "0"}, {"W", "1B/s"}, {"first", "0"}}),
       "needs time_of_the_second (t_2) too");
  says(refusal_of({{"m", "1B"}, {"message", "1B"}}), "message (m) is given twice");
  says(refusal_of({{"time", "1s"}}), "may be time_of_the_first (t_1) and time_of_the_second (t_2)");
  says(refusal_of({{"zip", "1"}}), "has no input 'zip'; it takes message (m)");
  says(refusal_of({{"m", "1"}}), "message (m): '1' has no unit");
  const auto outside = [](std::string_view mails, std::string_view way, std::string_view second) {
    return refusal_of({{"m", "1B"},
                       {"M", mails},
                       {"way", way},
                       {"W", "1B/s"},
                       {"first", "2s"},
                       {"second", second}});
  };
  CHECK(outside("3", "2", "2s").empty());
  says(outside("11", "0", "2s"), "mail_bags (M) must be from 1 to 10");
  says(outside("3", "3", "2s"), "variation_of_the_way (c_a^2) must be >= 0, < M");
  says(outside("3", "2", "1s"), "time_of_the_second (t_2) must be >= t_1 s");
  const double negative[]{-1};
  CHECK_THROWS_WITH(evaluate(other_sending, inputs{negative}),
                    "send: has no value for these inputs");
  CHECK_THROWS_AS(evaluate(sending, inputs{negative}), invalid_input);
}

TEST_CASE("counts that no int holds are refused", "[registry]") {
  CHECK(whole(1e9) == 1000000000);
  CHECK(whole(-3) == -3);
  for (const double count : {1.5, 1e9 + 1, -1e10, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()})
    CHECK_THROWS_AS(whole(count), invalid_input);
}

std::vector<const formula*> found(std::initializer_list<std::string_view> words) {
  return search(rooms, std::span<const std::string_view>{words.begin(), words.size()});
}

TEST_CASE("rows are found by their names and by what they say", "[registry]") {
  const formula* letter = &rooms[0].rows[0];
  const formula* queue = &rooms[1].rows[0];
  using rows = std::vector<const formula*>;
  CHECK(rows_of(rooms) == rows{letter, queue});
  CHECK(rows_called(rooms, "Send") == rows{letter, queue});
  for (const std::string_view name : {"comm:send", "post:send", "comm/post:send"})
    CHECK(rows_called(rooms, name).front() == letter);
  CHECK(rows_called(rooms, "queue/post.hpp:SEND") == rows{queue});
  CHECK(rows_called(rooms, "plan:send").empty());
  CHECK(rows_called(rooms, "").empty());
  CHECK(title_of(rooms, *queue) == "queue/post:send");

  CHECK(found({"LETTER"}) == rows{letter, queue});
  CHECK(found({"letters", "wait"}) == rows{queue});
  CHECK(found({"the"}) == rows{queue, letter});  // of its meaning; of a symbol
  CHECK(found({"bandwidth"}) == rows{letter});
  CHECK(found({"n1"}) == rows{letter});
  CHECK(found({"n"}).front() == letter);
  CHECK(found({"working"}) == rows{queue});
  CHECK(found({"zip"}).empty());
  CHECK(found({"letter", "zip"}).empty());
  CHECK(found({}).empty());
}

}  // namespace
}  // namespace gpuplan::registry
