#include <gpuplan/api/line_answer.hpp>

#include <string>
#include <string_view>

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
        R"({"line":12,"error":{"what":"recipe: zero must be 0 to 3, not 4","where":"recipe.zero",)"
        R"("allowed":"0 to 3","did_you_mean":null,"exit_code":2}})");
  const auto error = [](const char* request) { return json::parse(evaluate(request))["error"]; };
  CHECK(error("{}")["what"] == "request: model is missing");
  CHECK(error("{}")["where"] == "model");
  CHECK(error("5")["what"] == "request: must be a JSON object, not 5");
  CHECK(error("5")["where"] == "request");
  CHECK(error(R"({"model": "gpt2", "cluster": {"gpu": "H1000"}})")["where"] == "cluster.gpu");
  CHECK(error(R"({"model": "gpt2", "recipee": {}})")["did_you_mean"] == json{"recipe"});
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

TEST_CASE("a refused line has the parts that any other error has", "[api]") {
  const std::string why = "a must be one of b, c, not d; did you mean b?";
  const place_in_request nowhere = [](std::string_view) { return std::string{}; };
  CHECK(refused_line(why, 3).json["line"] == 3);
  CHECK(refused_line(why, 3).json["error"] == error_answer(why, usage_code, nowhere)["error"]);
  const place_in_request place = [](std::string_view name) {
    return std::string(name == "--profile" ? "options.profile" : "");
  };
  const line_answer placed = refused_line("--profile is of H100, not of A100", 1, place);
  CHECK(placed.json["error"]["where"] == "options.profile");
  CHECK(placed.json["error"]["what"] == "options.profile is of H100, not of A100");
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
