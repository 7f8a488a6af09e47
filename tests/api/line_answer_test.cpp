#include <gpuplan/api/line_answer.hpp>

#include <string>

#include "support/catch.hpp"

namespace gpuplan::api {
namespace {

using nlohmann::json;

TEST_CASE("a line is answered with a line", "[api]") {
  const std::string line = evaluate(R"({"model": "llama-3-8b", "parallelism": {"tensor": 8}})");
  CHECK(line.starts_with(R"({"schema_version":1,"line":1,"fits":true,)"));
  CHECK(line.find('\n') == std::string::npos);
  const json answer = json::parse(line);
  CHECK(answer["step_time_s"].get<double>() > 0);
  CHECK(answer["inputs"]["cluster"]["gpus"] == 8);
  CHECK(evaluate(answer["inputs"].dump()) == line);
}

TEST_CASE("what cannot be answered is an answer, too", "[api]") {
  CHECK(evaluate(R"({"model": "gpt2", "recipe": {"zero": 4}})", {}, 12) ==
        R"({"line":12,"error":"recipe: zero must be 0 to 3, not 4"})");
  CHECK(evaluate(R"({})") == R"({"line":1,"error":"request: model is missing"})");
  CHECK(evaluate("5") == R"({"line":1,"error":"request: must be a JSON object, not 5"})");
  CHECK_FALSE(answer_line("{").answered);
  CHECK(answer_line(R"({"model": "gpt2"})").answered);
  CHECK(answer_line(R"({"model": "llama-3-70b"})").answered);  // it does not fit, and is answered
  CHECK_FALSE(answer_line(R"({"model": "gpt2"})", {.level = 2}).answered);
}

TEST_CASE("the place in a text of one line has no number of a line", "[api]") {
  const std::string line = evaluate(R"({"model": )");
  CHECK(line.find("line 1, ") == std::string::npos);
  CHECK(line.find("column ") != std::string::npos);
  CHECK(evaluate("{\n\"model\": ").find("line 2, ") != std::string::npos);
}

TEST_CASE("bytes that are no text do not leave", "[api]") {
  const std::string line = text_of(refused_line("\xC3(", 1));
  CHECK(json::accept(line));
  CHECK(json::accept(evaluate("{\"model\": \"\xC3(\"}")));
}

TEST_CASE("the terms of a stream hold for each line", "[api]") {
  line_terms terms{.level = 0.5};
  const std::string request = R"({"model": "gpt2"})";
  const auto high = [&](const line_terms& of) {
    return json::parse(evaluate(request, of))["step_time_high_s"].get<double>();
  };
  CHECK(high(terms) < high({}));
  terms.measured = {"profile.json", {.memory = 70 * units::GiB}};
  const json answer = json::parse(evaluate(request, terms));
  CHECK(answer["calibration"]["profile"] == "profile.json");
}

}  // namespace
}  // namespace gpuplan::api
