#include <gpuplan/report/term_difference.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace {

using namespace gpuplan;
using namespace gpuplan::units;

using times = std::vector<named_term<seconds>>;
using sizes = std::vector<named_term<bytes>>;

std::vector<std::string> names_of(const auto& difference) {
  std::vector<std::string> names;
  for (const auto& term : difference.terms) names.push_back(term.name);
  return names;
}

/// Whole bytes, of which sums are exact; a name may come twice, and in one list alone.
sizes some_sizes() {
  sizes terms;
  for (int left = *rc::gen::inRange(0, 8); left > 0; --left)
    terms.push_back({std::string(1, static_cast<char>('a' + *rc::gen::inRange(0, 6))),
                     *rc::gen::inRange(-1000, 1000) * byte});
  return terms;
}

TEST_CASE("the term of the largest difference is first", "[report]") {
  const auto found =
      difference_of(times{{"products", 2 * second}, {"tensor", 1 * second}, {"data", 3 * second}},
                    times{{"products", 2 * second},
                          {"tensor", 4 * second},
                          {"data", 1 * second},
                          {"bubble", 0.5 * second}});
  CHECK(names_of(found) == std::vector<std::string>{"tensor", "data", "bubble", "products"});
  CHECK(found.before() == 6 * second);
  CHECK(found.after() == 7.5 * second);
  CHECK(found.difference() == 1.5 * second);
  CHECK(found.share_of(found.terms[0]) == 2.0);
  CHECK(found.share_of(found.terms[1]) == -2 / 1.5);
  REQUIRE(found.cause() != nullptr);
  CHECK(found.cause()->name == "tensor");
}

TEST_CASE("the cause moved the way the total did, larger terms against it or not", "[report]") {
  const auto found = difference_of(sizes{{"a", 10 * byte}, {"b", 0 * byte}, {"c", 0 * byte}},
                                   sizes{{"a", 0 * byte}, {"b", 7 * byte}, {"c", 6 * byte}});
  CHECK(found.terms[0].name == "a");
  CHECK(found.cause()->name == "b");
  const auto back = difference_of(sizes{{"b", 7 * byte}, {"c", 6 * byte}}, sizes{{"a", 10 * byte}});
  CHECK(back.cause()->name == "b");
}

TEST_CASE("differences of one size keep the order of the lists", "[report]") {
  const auto found = difference_of(sizes{{"z", 1 * byte}, {"m", 3 * byte}},
                                   sizes{{"m", 2 * byte}, {"a", 1 * byte}, {"z", 2 * byte}});
  CHECK(names_of(found) == std::vector<std::string>{"z", "m", "a"});
}

TEST_CASE("values of one name are added", "[report]") {
  const auto found = difference_of(sizes{{"a", 1 * byte}, {"a", 2 * byte}}, sizes{{"a", 5 * byte}});
  REQUIRE(found.terms.size() == 1);
  CHECK(found.difference() == 2 * byte);
}

TEST_CASE("without a difference there are neither shares nor a cause", "[report]") {
  const auto none = difference_of(times{}, times{});
  CHECK(none.difference() == 0 * second);
  CHECK(none.cause() == nullptr);
  const auto same = difference_of(times{{"a", 1 * second}}, times{{"a", 1 * second}});
  CHECK_FALSE(same.share_of(same.terms[0]).has_value());
  const auto moved = difference_of(sizes{{"a", 1 * byte}}, sizes{{"b", 1 * byte}});
  CHECK(moved.cause() == nullptr);
  CHECK_FALSE(moved.share_of(moved.terms[0]).has_value());
}

TEST_CASE("differences sum up to the whole, exactly, and change sign with the order", "[report]") {
  testing::check_property("of whole bytes", [] {
    const sizes a = some_sizes();
    const sizes b = some_sizes();
    bytes whole{};
    for (const auto& term : b) whole += term.value;
    for (const auto& term : a) whole -= term.value;
    const auto there = difference_of(a, b);
    const auto back = difference_of(b, a);
    RC_ASSERT(there.difference() == whole);
    RC_ASSERT(there.after() - there.before() == whole);
    RC_ASSERT(back.difference() == -whole);
    double shares = 0;
    for (const auto& term : there.terms) {
      shares += there.share_of(term).value_or(0);
      const auto same = std::find_if(back.terms.begin(), back.terms.end(),
                                     [&](const auto& one) { return one.name == term.name; });
      RC_ASSERT(same != back.terms.end());
      RC_ASSERT(same->difference() == -term.difference());
    }
    if (whole != bytes{0}) RC_ASSERT(std::abs(shares - 1) < 1e-9);
    for (std::size_t i = 1; i < there.terms.size(); ++i)
      RC_ASSERT(std::abs(there.terms[i - 1].difference() / byte) >=
                std::abs(there.terms[i].difference() / byte));
    for (const auto& term : difference_of(a, a).terms) RC_ASSERT(term.difference() == bytes{0});
  });
}

TEST_CASE("a term that is no number is refused", "[report][errors]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(difference_of(times{{"a", seconds{nan}}}, times{}), invalid_input);
  CHECK_THROWS_AS(
      difference_of(times{}, times{{"a", seconds{std::numeric_limits<double>::infinity()}}}),
      invalid_input);
}

}  // namespace
