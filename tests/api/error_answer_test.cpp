#include <gpuplan/api/error_answer.hpp>

#include <string>

#include "support/catch.hpp"

namespace gpuplan::api {
namespace {

const place_in_request nowhere = [](std::string_view) { return std::string{}; };

report_json refused_name(const std::string& typed) {
  try {
    refuse_name("question must be a or b", typed, "question", {"alpha", "beta"});
  } catch (const bad_request& refused) {
    return refused.answer()["error"];
  }
  return nullptr;
}

TEST_CASE("an error has five parts, null where unknown", "[api]") {
  CHECK(error_answer("out of memory", internal_code, nowhere).dump() ==
        R"({"error":{"what":"out of memory","where":null,"allowed":null,"did_you_mean":null,)"
        R"("exit_code":1}})");
  const report_json full =
      error_answer("a must be one of b, c, not d; did you mean b?", usage_code, nowhere)["error"];
  CHECK(full["where"] == "a");
  CHECK(full["allowed"] == report_json{"b", "c"});
  CHECK(full["did_you_mean"] == report_json{"b"});
  CHECK(full["exit_code"] == 2);
  CHECK(error_answer("a must be >= 1, not 0", usage_code, nowhere)["error"]["allowed"] == ">= 1");
}

TEST_CASE("a name of the program is the place in the request that it stands for", "[api]") {
  const place_in_request place = [](std::string_view name) {
    return std::string(name == "--gpu" ? "cluster.gpu" : "");
  };
  CHECK(error_answer("--gpu must be a name", usage_code, place)["error"]["where"] == "cluster.gpu");
  const report_json error = error_answer("--gpus must be >= 1", usage_code, place)["error"];
  CHECK(error["where"] == "cluster.gpus");
  CHECK(error["what"] == "cluster.gpus must be >= 1");
}

TEST_CASE("a key that is unknown is quoted as it was typed", "[api]") {
  const report_json error = error_answer("request: MODEL is not a known field; did you mean model?",
                                         usage_code, nowhere)["error"];
  CHECK(error["what"] == "request: MODEL is not a known field; did you mean model?");
  CHECK(error["where"] == "MODEL");
  CHECK(error_answer("MODEL is required", usage_code, nowhere)["error"]["where"] == "model");
}

TEST_CASE("a relation that ends a line is what is allowed", "[api]") {
  const auto allowed = [](const char* line) {
    return error_answer(line, usage_code, nowhere)["error"]["allowed"];
  };
  CHECK(allowed("erlang_c: a must be >= 0") == ">= 0");
  CHECK(allowed("p must be from 0 to 1") == "from 0 to 1");
  CHECK(allowed("a must be >= 0; b is not").is_null());
  CHECK(allowed("a must be given").is_null());
}

TEST_CASE("a request that is refused says where, and what it may mean", "[api]") {
  const report_json error = bad_request{"x must be 1", "options.x"}.answer()["error"];
  CHECK(error["what"] == "x must be 1");
  CHECK(error["where"] == "options.x");
  CHECK(error["allowed"].is_null());
  CHECK(bad_request{"x", ""}.answer()["error"]["where"].is_null());
  const report_json close = refused_name("alpa");
  CHECK(close["what"] == "question must be a or b; did you mean alpha?");
  CHECK(close["allowed"] == report_json{"alpha", "beta"});
  CHECK(close["did_you_mean"] == report_json{"alpha"});
  CHECK(refused_name("xyz")["what"] == "question must be a or b");
  CHECK(refused_name(std::string(100'000, 'a'))["did_you_mean"].is_null());
}

TEST_CASE("an answer of several lines ends with one", "[api]") {
  CHECK(answer_text({{"a", 1}}) == "{\n  \"a\": 1\n}\n");
}

}  // namespace
}  // namespace gpuplan::api
