#include <gpuplan/text/json_scalar.hpp>

#include <optional>
#include <string>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

TEST_CASE("a plain word is a number, a switch, nothing, or itself", "[text]") {
  CHECK(plain_scalar("12") == 12);
  CHECK(plain_scalar("+10_000") == 10000);
  CHECK(plain_scalar("-1") == -1);
  CHECK(plain_scalar(".5") == 0.5);
  CHECK(plain_scalar("1e-4") == 1e-4);
  CHECK(plain_scalar("true") == true);
  CHECK(plain_scalar("False") == false);
  CHECK(plain_scalar("~").is_null());
  for (const char* word : {"nan", "inf", "1.2.3", "-", ":4096:8", "0x10", "${VAR}", "1e999"})
    CHECK(plain_scalar(word) == word);
}

TEST_CASE("a flow collection is read, or refused with its line", "[text]") {
  CHECK(flow_reader("[1, 'a, b', {c: [x]}]", "f", 3, ':').whole() ==
        nlohmann::json::parse(R"([1, "a, b", {"c": ["x"]}])"));
  CHECK(flow_reader("{a = 1}", "f", 3, '=').whole() == nlohmann::json{{"a", 1}});
  CHECK_THROWS_WITH(flow_reader("[1, 2", "f", 3, ':').whole(), "f: line 3: expected , or ]");
  CHECK_THROWS_WITH(flow_reader("'a", "f", 3, ':').whole(),
                    "f: line 3: a quoted string does not end");
  CHECK_THROWS_WITH(flow_reader("&a 1", "f", 3, ':').whole(),
                    "f: line 3: anchors, aliases and tags are not read, but for a merged map, "
                    "<<: *name");
  CHECK_THROWS_WITH(flow_reader(std::string(40, '[') + std::string(40, ']'), "f", 3, ':').whole(),
                    "f: line 3: is nested more than 32 deep");
}

TEST_CASE("quotes count where a value may begin", "[text]") {
  for (const char* open : {"[a,'b", "{a:'b", "{a='b", "['b", "[ 'b", "'b"})
    CHECK(open_ends_of(open).quote == '\'');
  for (const char* closed : {"[a'b]", "{a: b'c}", "a'b", "[a, 'b']"})
    CHECK_FALSE(open_ends_of(closed).any());
  CHECK(open_ends_of("[a, {b: c}").brackets == 1);
  CHECK(open_ends_of("a # 'b").comment == 2);
}

TEST_CASE("a switch is true or false, by the words of YAML, JSON and Python", "[text]") {
  for (const nlohmann::json& on : {nlohmann::json(true), nlohmann::json(1), nlohmann::json("True"),
                                   nlohmann::json("yes"), nlohmann::json("ON")})
    CHECK(switch_from(on) == true);
  for (const nlohmann::json& off : {nlohmann::json(false), nlohmann::json(0), nlohmann::json("no"),
                                    nlohmann::json("FALSE"), nlohmann::json("0")})
    CHECK(switch_from(off) == false);
  for (const nlohmann::json& other :
       {nlohmann::json(7), nlohmann::json("maybe"), nlohmann::json("yes please"),
        nlohmann::json(""), nlohmann::json(0.5), nlohmann::json(-1), nlohmann::json(nullptr),
        nlohmann::json::array({true}), nlohmann::json::object()})
    CHECK(switch_from(other) == std::nullopt);
}

}  // namespace
}  // namespace gpuplan
