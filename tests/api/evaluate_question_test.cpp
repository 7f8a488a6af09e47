#include <gpuplan/api/evaluate_question.hpp>

#include <string>

#include <gpuplan/calibrate/profile_reader.hpp>

#include "support/catch.hpp"

namespace gpuplan::api {
namespace {

using nlohmann::json;

const json profile{{"schema", "gpuplan-profile"},
                   {"version", 1},
                   {"gpu", "H100-SXM5-80GB"},
                   {"memory_bandwidth_bytes_per_s", 3e12},
                   {"sources", json::array()}};

/// The request with these options and files.
json asked(const json& options, const json& files = nullptr) {
  return {{"question", "evaluate"}, {"model", "gpt2"}, {"options", options}, {"files", files}};
}

json error_of(const json& request) {
  try {
    return json::parse(answer_evaluate(request))["error"];
  } catch (const bad_request& refused) {
    return json::parse(refused.answer().dump())["error"];
  }
}

TEST_CASE("one request has the answer of its line", "[api]") {
  CHECK(answer_evaluate({{"question", "evaluate"}, {"model", "gpt2"}}) ==
        evaluate(R"({"model": "gpt2"})") + "\n");
  CHECK(answer_evaluate(asked(nullptr)) == evaluate(R"({"model": "gpt2"})") + "\n");
}

TEST_CASE("several requests have an array of answers, numbered", "[api]") {
  const std::string first = evaluate(R"({"model": "gpt2"})");
  const std::string second = evaluate(R"({"model": "gpt"})", {}, 2);
  const json requests{{{"model", "gpt2"}}, {{"model", "gpt"}}};
  CHECK(answer_evaluate({{"question", "evaluate"}, {"requests", requests}}) ==
        "[" + first + ",\n" + second + "]\n");
  CHECK(answer_evaluate({{"question", "evaluate"},
                         {"requests", "{\"model\": \"gpt2\"}\n{\"model\": \"gpt\"}"}}) ==
        "[" + first + ",\n" + second + "]\n");
  const json blank = json::parse(answer_evaluate(
      {{"question", "evaluate"}, {"requests", "\n \t\r\n{\"model\": \"gpt2\"}\n\n"}}));
  REQUIRE(blank.size() == 1);
  CHECK(blank[0]["line"] == 3);
  CHECK(answer_evaluate({{"question", "evaluate"}, {"requests", json::array()}}) == "[]\n");
}

TEST_CASE("a level and a profile hold for every request", "[api]") {
  const std::string text = profile.dump();
  const line_terms terms{.level = 0.5, .measured = {"p.json", read_profile(text, "p.json")}};
  const json files{{"p.json", text}};
  for (const json& level : {json(0.5), json("0.5"), json::array({"0.5"})})
    CHECK(answer_evaluate(asked({{"level", level}, {"profile", "p.json"}}, files)) ==
          evaluate(R"({"model": "gpt2"})", terms) + "\n");
}

TEST_CASE("an option that cannot be is refused by its place", "[api]") {
  CHECK(error_of(asked({{"level", 2}}))["where"] == "options.level");
  for (const char* option : {"level", "profile"}) {
    const json refused = error_of(asked({{option, json::array()}}));
    CHECK(refused["what"] == std::string("options.") + option + " must not be empty");
    CHECK(refused["where"] == std::string("options.") + option);
  }
  CHECK(error_of(asked({{"level", "x"}}))["what"] ==
        "options.level must be a number from 0.001 to 0.999 or a percentage, not the string \"x\"");
  CHECK(error_of(asked({{"levl", 2}}))["allowed"] == json{"profile", "level", "fields"});
  CHECK(error_of(asked({{"help_all", true}}))["what"] ==
        "options.help_all is of the command line: an answer is JSON, and is returned");
  CHECK(error_of(asked({{"fields", 1}}))["allowed"] == json{"true", "false"});
  CHECK(error_of(asked(5))["where"] == "options");
  CHECK(error_of(asked({{"profile", "q.json"}}))["what"] == "q.json: there is no such file");
  CHECK(error_of(asked({{"profile", "q.json"}}))["where"] == "options.profile");
  const json broken = error_of(asked({{"profile", "q.json"}}, {{"q.json", "{"}}));
  CHECK(broken["where"] == "files.q.json");
  CHECK(broken["exit_code"] == 2);
}

TEST_CASE("a field of a request that is refused is a path", "[api]") {
  const auto where = [](const char* part, const json& value) {
    json request = asked(nullptr);
    request[part] = value;
    return error_of(request)["where"];
  };
  CHECK(where("recipe", 5) == "recipe");
  CHECK(where("recipe", {{"overlap", 5}}) == "recipe.overlap");
  CHECK(where("recipe", {{"zeroo", 5}}) == "recipe.zeroo");
  CHECK(where("parallelism", {{"data", 1 << 20}, {"tensor", 1 << 20}}) == "parallelism");
  CHECK(where("cluster", {{"gpu", "H1000"}}) == "cluster.gpu");
  CHECK(where("model", {{"model_type", "gpt2"}, {"n_layer", -1}}) == "model.n_layer");
  CHECK(where("what", 1) == "what");
  CHECK(where("model", nullptr) == "model");
}

TEST_CASE("a profile of another GPU is refused by its place", "[api]") {
  json request = asked({{"profile", "p.json"}}, {{"p.json", profile.dump()}});
  request["cluster"] = {{"gpu", "A100-80GB"}};
  CHECK(error_of(request)["where"] == "options.profile");
  json several = asked({{"profile", "p.json"}}, {{"p.json", profile.dump()}});
  several.erase("model");
  several["requests"] = {{{"model", "gpt2"}, {"cluster", request["cluster"]}}};
  CHECK(json::parse(answer_evaluate(several))[0]["error"] == error_of(request));
}

TEST_CASE("a link of a profile that no wires carry is refused", "[api]") {
  json fast = profile;
  fast["fabric"] = {{"latency_s", 1e-6}, {"bandwidth_bytes_per_s", 1e17}};
  const json error = error_of(asked({{"profile", "p.json"}}, {{"p.json", fast.dump()}}));
  CHECK(error["what"].get<std::string>().starts_with("p.json: fabric: 100000000 GB/s is above"));
  CHECK(error["where"] == "files.p.json");
  fast["forced"] = {"fabric"};
  CHECK_FALSE(
      json::parse(answer_evaluate(asked({{"profile", "p.json"}}, {{"p.json", fast.dump()}})))
          .contains("error"));
}

TEST_CASE("a member of a profile is refused by its place in the file", "[api]") {
  const json error = error_of(asked({{"profile", "p.json"}}, {{"p.json", R"({"schema": "x"})"}}));
  CHECK(error["where"] == "files.p.json.schema");
}

TEST_CASE("fields are listed in the place of an answer", "[api]") {
  CHECK(json::parse(answer_evaluate(asked({{"fields", true}}))) ==
        json::parse(fields_as_json().dump()));
  CHECK(error_of(asked({{"fields", true}, {"level", 0.5}}))["what"] ==
        "options.level has no effect: options.fields answers no request");
  CHECK(error_of(asked({{"fields", true}, {"profile", "p.json"}}))["where"] == "options.profile");
  CHECK(json::parse(answer_evaluate(asked({{"fields", false}})))["fits"] == true);
}

TEST_CASE("a request that is refused is an error with its parts", "[api]") {
  json request = asked(nullptr);
  request["recipe"] = {{"zero", 9}};
  const json error = error_of(request);
  CHECK(error["where"] == "recipe.zero");
  CHECK(error["allowed"] == "0 to 3");
  CHECK(error["exit_code"] == 2);
}

TEST_CASE("members of several requests stand in each of them", "[api]") {
  CHECK(error_of(
            {{"question", "evaluate"}, {"requests", json::array()}, {"model", "gpt2"}})["where"] ==
        "model");
  CHECK(error_of({{"question", "evaluate"}, {"requests", 5}})["what"] ==
        "requests must be an array, or a text of a request a line, not 5");
  CHECK(error_of({{"question", "evaluate"}, {"requests", nullptr}})["where"] == "requests");
}

}  // namespace
}  // namespace gpuplan::api
