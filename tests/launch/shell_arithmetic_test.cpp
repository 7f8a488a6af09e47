#include <gpuplan/launch/shell_arithmetic.hpp>

#include <string>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

std::optional<std::int64_t> sum(std::string_view text) {
  const auto value_of_name = [](std::string_view name) -> std::optional<std::int64_t> {
    return name == "N" ? std::optional<std::int64_t>{8} : std::nullopt;
  };
  return shell_arithmetic(text, value_of_name, "f");
}

TEST_CASE("integers are computed as a shell does", "[launch]") {
  CHECK(sum(" 1*2 ") == 2);
  CHECK(sum("2 + 3 * N - 1") == 25);
  CHECK(sum("(2 + 3) * -N") == -40);
  CHECK(sum("17 / 5 + 17 % 5") == 5);
  CHECK(sum("-7 / 2") == -3);
}

TEST_CASE("comparisons are 1 or 0", "[launch]") {
  CHECK(sum("N < 9") == 1);
  CHECK(sum("N>=9") == 0);
  CHECK(sum("N <= 8 && 8 >= N") == 1);
  CHECK(sum("N == 4 || N != 8") == 0);
  CHECK(sum("!(N > 2 + 5) || !N") == 0);
  CHECK(sum("1 + 1 < 2 == 0") == 1);
  CHECK(sum("0 && 1 / 0 || 1 || 99999999999999999999") == 1);
}

TEST_CASE("what is not known has no value", "[launch]") {
  for (const char* text :
       {"", "M + 1", "1 << 2", "M < 2", "1 && M", "2 ** 3", "010", "1 +", "(1", "1 2", "N = 3"}) {
    INFO(text);
    CHECK(sum(text) == std::nullopt);
  }
  CHECK(sum(std::string(2000, '(')) == std::nullopt);
}

TEST_CASE("an expression that changes a variable has no value", "[launch]") {
  for (const char* text : {"++N", "--N", "N++ + 1", "N-- - 1", "1 - -- N", "1 || N++", "N <<= 1"}) {
    INFO(text);
    CHECK(sum(text) == std::nullopt);
  }
  CHECK(sum("- -N") == 8);
  CHECK(sum("5--3") == 8);
}

TEST_CASE("names before assignments and beside steps are changed", "[launch]") {
  const auto changed = [](const char* text) {
    std::string all;
    for (const std::string_view name : names_changed_in(text)) all += std::string(name) + " ";
    return all;
  };
  CHECK(changed("N<<=1, M = 8") == "N M ");
  CHECK(changed("A = B |= 8") == "A B ");
  CHECK(changed("++A + B-- + C[1] += 2") == "A B C ");
  CHECK(changed("A <= B && C >= D || A == B || A != 1 || 2 = 3").empty());
}

TEST_CASE("numbers out of range are refused", "[launch]") {
  CHECK_THROWS_WITH(sum("1000000000 * 1000000000"), Catch::Matchers::Contains("is beyond 2^53"));
  CHECK_THROWS_WITH(sum("99999999999999999999"), Catch::Matchers::Contains("is beyond 2^53"));
  CHECK_THROWS_WITH(sum("9007199254740992 + 1"), Catch::Matchers::Contains("is beyond 2^53"));
  CHECK_THROWS_WITH(sum("1 % (N - 8)"), Catch::Matchers::Contains("divides by zero"));
}

}  // namespace
}  // namespace gpuplan
