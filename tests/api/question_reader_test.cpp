#include <gpuplan/api/question_reader.hpp>

#include <array>
#include <string>

#include "support/catch.hpp"

namespace gpuplan::api {
namespace {

using nlohmann::json;

struct asked_options {
  std::string model, level;
};

constexpr std::array rows{
    question_option<asked_options>{.names = "MODEL", .text = &asked_options::model},
    question_option<asked_options>{.names = "--level", .text = &asked_options::level}};

/// An answer that repeats what was asked, or refuses it.
json asked(const json& request) {
  try {
    return json::parse(answer_by_options<asked_options>(
        request, "why", rows,
        [](const asked_options& typed, const request_files& files, question_result& result) {
          result.said = {"a note\n"};
          if (typed.level == "bad")
            throw invalid_input{"--level must be 5, not the string \"bad\""};
          if (files.contains("bad")) throw invalid_input{"bad: is bad"};
          if (typed.level == "6") result.exit_code = assertion_code;
          if (typed.model == "config.json")
            throw invalid_input{"config.json: layers must be 5, not 6"};
          result.json = {{"model", typed.model}, {"text", "\u202e"}};
        }));
  } catch (const bad_request& refused) {
    return json::parse(refused.answer().dump());
  }
}

TEST_CASE("a question has its model and its options", "[api]") {
  CHECK(asked({{"question", "why"}, {"model", "gpt2"}, {"options", {{"level", 4}}}}) ==
        json{{"model", "gpt2"}, {"text", "\u202e"}});
  CHECK(asked({{"model", nullptr}, {"options", nullptr}})["model"] == "");
}

TEST_CASE("notes stand before what refuses a question", "[api]") {
  const json level = asked({{"options", {{"level", "bad"}}}})["error"];
  CHECK(level["what"] == "a note\\n; options.level must be 5, not the string \"bad\"");
  CHECK(level["exit_code"] == usage_code);
  CHECK(asked({{"options", {{"level", 6}}}})["error"]["exit_code"] == assertion_code);
  CHECK(asked({{"options", {{"level", 6}}}})["error"]["what"] == "a note\\n");
}

TEST_CASE("a file that is refused is a place in the request", "[api]") {
  const request_words none{"why", {}};
  const auto where = [&](const char* line, const json& request, const request_files& files) {
    return json::parse(refused_answer({line}, usage_code, request, none, files))["error"]["where"];
  };
  CHECK(where("bad: is bad", {}, {{"bad", ""}}) == "files.bad");
  CHECK(where("config.json: layers must be 5, not 6", {{"model", json::object()}},
              {{"config.json", ""}}) == "model.layers");
  CHECK(where("config.json: layers must be 5, not 6", {{"model", "config.json"}},
              {{"config.json", ""}}) == "files.config.json.layers");
}

TEST_CASE("members that a question does not know are refused", "[api]") {
  CHECK(asked({{"modell", "gpt2"}})["error"]["did_you_mean"] == json{"model"});
  CHECK(asked({{"model", 5}})["error"]["what"] ==
        "model must be a name or a config.json object, not 5");
  CHECK(asked({{"model", json::object()}, {"files", {{"config.json", ""}}}})["error"]["where"] ==
        "files.config.json");
  CHECK(asked({{"recipe", {{"zero", 1}}}})["error"]["what"] == "recipe.zero has no effect on why");
}

}  // namespace
}  // namespace gpuplan::api
