#include <gpuplan/api/refusal.hpp>

#include <string>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"

namespace gpuplan::api {
namespace {

using names = std::vector<std::string>;

static_assert(std::is_base_of_v<invalid_input, invalid_request>,
              "who catches what the library refuses catches this");

TEST_CASE("a line says where", "[api]") {
  CHECK(refusal_of("recipe: zero must be 0 to 3, not 4").where == "recipe: zero");
  CHECK(refusal_of("request: model is missing").where == "request: model");
  CHECK(refusal_of("recipe: a is not a known field").where == "recipe: a");
  CHECK(refusal_of("recipe: a has no effect: why").where == "recipe: a");
  CHECK(refusal_of("config.json: is not JSON").where == "config.json");
  CHECK(refusal_of("--gpu must be a name, not 1").where == "--gpu");
  CHECK(refusal_of("--price: 'x' has no unit; write it as $2/h").where == "--price");
  CHECK(refusal_of("out of memory").where.empty());
  CHECK(refusal_of("").where.empty());
}

TEST_CASE("a line says which names are allowed", "[api]") {
  CHECK(refusal_of("a must be one of x, y, z, not w").allowed == names{"x", "y", "z"});
  CHECK(refusal_of("a must be one of x, y or z, not w").allowed == names{"x", "y", "z"});
  CHECK(refusal_of("a must be one of x, not w").allowed == names{"x"});
  CHECK(refusal_of("a must be one of x, y, not w").allowed_in_words == std::nullopt);
  CHECK(refusal_of("a must be an integer, not 1.5").allowed.empty());
}

TEST_CASE("a line says in words what is allowed", "[api]") {
  CHECK(refusal_of("a must be an integer, not 1.5").allowed_in_words == "integer");
  CHECK(refusal_of("a must be a number, not x").allowed_in_words == "number");
  CHECK(refusal_of("a must be >= 1, not 0").allowed_in_words == ">= 1");
  CHECK(refusal_of("a: '4' has no unit; write it as 4/h").allowed_in_words == "4/h");
  CHECK(refusal_of("a is missing").allowed_in_words == std::nullopt);
}

TEST_CASE("a line says what may be meant", "[api]") {
  CHECK(refusal_of("a is no name; did you mean b or c?").did_you_mean == names{"b", "c"});
  CHECK(refusal_of("a is no name; did you mean b?").did_you_mean == names{"b"});
  CHECK(refusal_of("a is no name").did_you_mean.empty());
}

TEST_CASE("a refused request has its line and the parts of it", "[api]") {
  const invalid_request refused{"recipe: zero must be 0 to 3, not 4"};
  CHECK(std::string(refused.what()) == "recipe: zero must be 0 to 3, not 4");
  CHECK(refused.why().what == refused.what());
  CHECK(refused.why().where == "recipe: zero");
  CHECK(refused.why().allowed_in_words == "0 to 3");
}

TEST_CASE("words that a line quotes are not its own", "[api]") {
  const refusal field =
      refusal_of(R"(cluster: "gpu must be one of A, B, not C" is not a known field)");
  CHECK(field.where == R"(cluster: "gpu must be one of A, B, not C")");
  CHECK(field.allowed.empty());
  const refusal value = refusal_of(R"(gpu: "X must be one of \"A\", B, not C; did you mean D?")");
  CHECK(value.where == "gpu");
  CHECK(value.allowed.empty());
  CHECK(value.did_you_mean.empty());
  const refusal told = refusal_of(R"(zero must be one of 0, 1, not "2 must be")");
  CHECK(told.where == "zero");
  CHECK(told.allowed == std::vector<std::string>{"0", "1"});
}

}  // namespace
}  // namespace gpuplan::api
