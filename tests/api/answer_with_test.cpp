#include <gpuplan/api/answer_with.hpp>

#include <new>
#include <stdexcept>
#include <string>

#include "support/catch.hpp"

namespace gpuplan::api {
namespace {

using nlohmann::json;

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

TEST_CASE("a question is one of those that there are", "[api]") {
  const auto asked = [](const char* request) {
    return json::parse(answer_with(request, [](const json& of) {
      return std::to_string(question_among(of, {"plan", "fit"}));
    }));
  };
  CHECK(asked(R"({"question": "plan"})") == 0);
  CHECK(asked(R"({"question": "fit"})") == 1);
  CHECK(asked("[]")["error"]["what"] == "a request must be a JSON object, not an array");
  CHECK(asked("[]")["error"]["where"] == "request");
  CHECK(asked("{}")["error"]["what"] == "question is missing; it must be one of plan, fit");
  CHECK(asked("{}")["error"]["where"] == "question");
  const json error = asked(R"({"question": "fitt"})")["error"];
  CHECK(error["what"] ==
        "question must be one of plan, fit, not the string \"fitt\"; did you mean fit?");
  CHECK(error["did_you_mean"] == json{"fit"});
  CHECK(asked(R"({"question": 5})")["error"]["allowed"] == json{"plan", "fit"});
}

}  // namespace
}  // namespace gpuplan::api
