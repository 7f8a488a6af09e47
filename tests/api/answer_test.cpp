#include <gpuplan/api/answer.hpp>

#include <stdexcept>
#include <string>

#include "support/catch.hpp"

namespace gpuplan::api {
namespace {

using nlohmann::json;

json error_of(std::string_view request) {
  return json::parse(answer(request))["error"];
}

TEST_CASE("a question is answered with what the command line prints", "[api]") {
  CHECK(answer(R"({"question": "evaluate", "model": "gpt2", "parallelism": {"data": 2}})") ==
        evaluate(R"({"model": "gpt2", "parallelism": {"data": 2}})") + "\n");
}

TEST_CASE("what is no question is an error", "[api]") {
  CHECK(error_of("[]")["what"] == "a request must be a JSON object, not an array");
  CHECK(error_of("{}")["where"] == "question");
  CHECK(error_of(R"({"question": "why"})")["what"] ==
        "question must be evaluate, not the string \"why\"");
  CHECK(error_of(R"({"question": 5})")["allowed"] == json{"evaluate"});
  CHECK(error_of("{\"question\": ")["what"].get<std::string>().starts_with("request: "));
  CHECK(error_of("")["exit_code"] == usage_code);
}

TEST_CASE("a fault is an answer, want of memory is not", "[api]") {
  const std::string fault =
      answer_with("{}", [](const json&) -> std::string { throw std::logic_error{"odd"}; });
  CHECK(json::parse(fault)["error"]["what"] == "internal error: odd");
  CHECK(json::parse(fault)["error"]["exit_code"] == internal_code);
  CHECK_THROWS_AS(answer_with("{}", [](const json&) -> std::string { throw std::bad_alloc{}; }),
                  std::bad_alloc);
  CHECK(json::parse(answer_with("{}", [](const json&) -> std::string {
          throw invalid_input{"a must be >= 1, not 0"};
        }))["error"]["where"] == "a");
}

}  // namespace
}  // namespace gpuplan::api
