#include <gpuplan/api/answer.hpp>

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

TEST_CASE("every question is answered with what the command line prints", "[api]") {
  for (const known_question& one : known_questions) {
    CAPTURE(one.name);
    const json request{{"question", one.name}, {"model", "gpt2"}, {"options", {{"levle", 5}}}};
    CHECK(json::parse(answer(request.dump()))["error"].size() == 5);
  }
  const char* formula = R"({"question": "formula", "options": {"words": ["erlang_c"]}})";
  CHECK(answer(formula) == answer_formula(json::parse(formula)));
}

TEST_CASE("what is no question is an error", "[api]") {
  CHECK(error_of("[]")["what"] == "a request must be a JSON object, not an array");
  CHECK(error_of("{}")["where"] == "question");
  CHECK(error_of(R"({"question": "formla"})")["did_you_mean"] == json{"formula"});
  CHECK(error_of(R"({"question": 5})")["allowed"] ==
        json{"model", "evaluate", "catalog", "formula"});
  CHECK(error_of("{\"question\": ")["what"].get<std::string>().starts_with("request: "));
  CHECK(error_of("")["exit_code"] == usage_code);
}

}  // namespace
}  // namespace gpuplan::api
