#include <gpuplan/api/request_words.hpp>

#include <string>
#include <vector>

#include "support/catch.hpp"

namespace gpuplan::api {
namespace {

using nlohmann::json;
using words = std::vector<std::string>;

/// Options of a question about jobs.
std::vector<option_form> some_options() {
  return {{.names = {"help"}, .takes = option_values::none},
          {.names = {"model"}, .positional = "MODEL"},
          {.names = {"gpu"}, .compares = true},
          {.names = {"gpus"}},
          {.names = {"slowest"}},
          {.names = {"sequence-parallel"}},
          {.names = {"fabric"}},
          {.names = {"latency"}},
          {.names = {"memory"}},
          {.names = {"zero", "zero-stage"}},
          {.names = {"dropout"}},
          {.names = {"overlap-data"}},
          {.names = {"recompute-modules"}},
          {.names = {"layer-split"}},
          {.names = {"tensor"}},
          {.names = {"what-if"}},
          {.names = {"assert"}, .takes = option_values::several},
          {.names = {"front"}, .takes = option_values::none},
          {.names = {"html"}},
          {.names = {"json"}, .takes = option_values::none}};
}

/// Options of a question that takes words alone.
std::vector<option_form> two_words() {
  return {{.positional = "KIND"}, {.positional = "NAME"}, {.names = {"search"}}};
}

/// The words of a part of a request.
words words_of_part(std::string_view part, const json& object) {
  request_words all{"fit", some_options()};
  all.add_part(part, object);
  words made = all.words();
  CHECK(made.front() == "fit");
  CHECK(made.back() == "--json");
  return {made.begin() + 1, made.end() - 1};
}

/// What refuses a part of a request.
json refused(std::string_view part, const json& object) {
  request_words all{"fit", some_options()};
  try {
    all.add_part(part, object);
  } catch (const bad_request& no) {
    return json::parse(no.answer().dump())["error"];
  }
  return nullptr;
}

TEST_CASE("fields of a job are the options of their rows", "[api]") {
  CHECK(words_of_part("cluster", {{"gpu", "H100"}, {"gpu_memory_bytes", 5}}) ==
        words{"--gpu=H100", "--memory=5B"});
  CHECK(words_of_part("cluster", {{"gpu", {"H100", "A100"}}}) == words{"--gpu=H100,A100"});
  CHECK(words_of_part("cluster", {{"gpu", nullptr}}).empty());
  CHECK(words_of_part("recipe", {{"zero", 1}, {"overlap", {{"data", true}}}}) ==
        words{"--overlap-data=true", "--zero=1"});
  CHECK(words_of_part("recipe", {{"dropout", 0.1}}) == words{"--dropout=on"});
  CHECK(words_of_part("recipe", {{"dropout", 0}}) == words{"--dropout=off"});
  CHECK(words_of_part("recipe", {{"dropout", 1}}) == words{"--dropout=on"});
  CHECK(words_of_part("recipe", {{"dropout", 1.5}}) == words{"--dropout=1.5"});
  CHECK(words_of_part("recipe", {{"recompute_modules", json::array()}}) ==
        words{"--recompute-modules=none"});
  CHECK(words_of_part("recipe", {{"layer_split", json::array()}}).empty());
  CHECK(words_of_part("recipe", {{"layer_split", {2, 1}}}) == words{"--layer-split=2,1"});
  CHECK(words_of_part("parallelism", {{"tensor", 8}}) == words{"--tensor=8"});
  CHECK(words_of_part("workspace", json::object()).empty());
}

TEST_CASE("a fabric has an option for its name, or two for its link", "[api]") {
  CHECK(words_of_part("cluster", {{"fabric", "NDR"}}) == words{"--fabric=NDR"});
  CHECK(words_of_part("cluster",
                      {{"fabric", {{"latency_s", 5e-6}, {"bandwidth_bytes_per_s", 5e10}}}}) ==
        words{"--fabric=50000000000.0B/s", "--latency=5e-06s"});
  CHECK(refused("cluster", {{"fabric", {{"latency_s", 5e-6}}}})["what"] ==
        "cluster.fabric: bandwidth_bytes_per_s must be a number");
  CHECK(refused("cluster", {{"fabric", {{"x", 5}}}})["where"] == "cluster.fabric.x");
}

TEST_CASE("options have names of a request or of a command line", "[api]") {
  CHECK(words_of_part("options", {{"what_if", {1, 2}}}) == words{"--what-if=1,2"});
  CHECK(words_of_part("options", {{"what-if", "1"}}) == words{"--what-if=1"});
  CHECK(words_of_part("options", {{"zero_stage", 1}}) == words{"--zero=1"});
  CHECK(words_of_part("options", {{"assert", {"a > 1", "b > 2"}}}) ==
        words{"--assert=a > 1", "--assert=b > 2"});
  CHECK(words_of_part("options", {{"front", true}}) == words{"--front"});
  CHECK(words_of_part("options", {{"front", false}, {"what_if", nullptr}}).empty());
  CHECK(words_of_part("options", {{"assert", json::array()}}).empty());
}

TEST_CASE("a page is asked for by a flag, of questions that have one", "[api]") {
  CHECK(words_of_part("options", {{"html", true}}) == words{"--html=page.html"});
  CHECK(words_of_part("options", {{"html", false}}).empty());
  CHECK(refused("options", {{"html", "a.html"}})["allowed"] == json{"true", "false"});
  CHECK(refused("options", {{"html", 1}})["where"] == "options.html");
  for (const bool asked : {false, true}) {
    request_words all{"fit", some_options()};
    all.add_part("options", {{"front", true}, {"html", asked}});
    CHECK(all.makes_page() == asked);
  }
  request_words none{"catalog", two_words()};
  CHECK_THROWS_WITH(none.add_part("options", {{"html", true}}),
                    "options.html is of the command line: an answer is JSON, and is returned");
}

TEST_CASE("a field has the type that its table says", "[api]") {
  const auto why = [](std::string_view part, const json& object) -> std::string {
    try {
      const json error = refused(part, object);
      return error.is_null() ? "" : error["what"].get<std::string>();
    } catch (const invalid_input& no) {
      return no.what();
    }
  };
  CHECK(why("cluster", {{"gpus", "8"}}) == "cluster.gpus must be an integer, not the string \"8\"");
  CHECK(why("cluster", {{"gpus", {4, 8}}}) == "cluster.gpus must be an integer, not an array");
  CHECK(why("cluster", {{"gpus", 1.5}}) == "cluster.gpus must be an integer, not 1.5");
  CHECK(words_of_part("cluster", {{"gpus", 8.0}}) == words{"--gpus=8.0"});
  CHECK(why("cluster", {{"gpu", 5}}) == "cluster.gpu must be a string, or a list, not 5");
  CHECK(why("cluster", {{"gpu", {"H100", 5}}}) == "cluster.gpu must be a string, not 5");
  CHECK(why("cluster", {{"gpu", json::array()}}) == "cluster.gpu must not be empty");
  CHECK(why("cluster", {{"slowest", "1.1"}}) ==
        "cluster.slowest must be a number, not the string \"1.1\"");
  CHECK(why("cluster", {{"gpu_memory_bytes", true}}) ==
        "cluster.gpu_memory_bytes must be a number, or a text with its unit, not true");
  CHECK(words_of_part("cluster", {{"gpu_memory_bytes", "80GiB"}}) == words{"--memory=80GiB"});
  CHECK(why("cluster", {{"fabric", 400}}) == "cluster.fabric must be a string, not 400");
  CHECK(why("recipe", {{"layer_split", "12"}}) ==
        "recipe.layer_split must be an array, not the string \"12\"");
  CHECK(why("recipe", {{"layer_split", {"12"}}}) ==
        "recipe.layer_split must be an array of integers, not an array");
  CHECK(why("recipe", {{"recompute_modules", "mlp"}}) ==
        "recipe.recompute_modules must be an array, not the string \"mlp\"");
  CHECK(why("recipe", {{"recompute_modules", {1}}}) ==
        "recipe.recompute_modules must be an array of names, not an array");
  CHECK(why("recipe", {{"dropout", "on"}}) ==
        "recipe.dropout must be true or false, not the string \"on\"");
  CHECK(why("recipe", {{"sequence_parallel", 1}}) ==
        "recipe.sequence_parallel must be true or false, not 1");
  CHECK(why("recipe", {{"zero", 1.5}}) == "recipe.zero must be an integer, not 1.5");
  CHECK(words_of_part("recipe", {{"zero", "fsdp"}}) == words{"--zero=fsdp"});
  CHECK(words_of_part("recipe", {{"sequence_parallel", "any"}}) ==
        words{"--sequence-parallel=any"});
  CHECK(words_of_part("parallelism", {{"tensor", "Any"}}) == words{"--tensor=Any"});
  CHECK(why("recipe", {{"overlap", true}}) == "recipe.overlap must be a JSON object, not true");
  CHECK(words_of_part("recipe", {{"overlap", nullptr}}).empty());
  CHECK(why("recipe", {{"overlap.data", "on"}})
            .starts_with("recipe: overlap.data is not a known field"));
  CHECK(why("recipe", {{"overlap", {{"data", 5}}}}) ==
        "recipe.overlap.data must be a string, not 5");
}

TEST_CASE("fields of a job are told apart from options", "[api]") {
  request_words all{"fit", some_options()};
  all.add_part("recipe", {{"zero", 1}, {"overlap", {{"data", true}}}, {"dropout", nullptr}});
  all.add_part("options", {{"tensor", 2}});
  CHECK(all.fields() == std::set<std::string, std::less<>>{"--overlap-data", "--zero"});
}

TEST_CASE("a line that refuses a word shows what the request has", "[api]") {
  request_words all{"fit", some_options()};
  all.add_part("options", {{"what_if", true}, {"tensor", {1, 2}}, {"zero", 5}, {"memory", "x"}});
  CHECK(all.as_given("--what-if: 'on' does not begin with a number") ==
        "--what-if must be a text or a number, not true");
  CHECK(all.as_given("--tensor: '1,2' has a comma; only digits") ==
        "--tensor must be a text or a number, not the array [1,2]");
  CHECK(all.as_given("--tensor must be x, not the string \"1,2\"; did you") ==
        "--tensor must be x, not the array [1,2]; did you");
  CHECK(all.as_given("--zero: '5' has no unit; write it as 80GiB") ==
        "--zero: 5 has no unit; write it as 80GiB");
  CHECK(all.as_given("--memory: 'x' has no unit") == "--memory: 'x' has no unit");
  CHECK(refused("options", {{"what_if", json::array()}})["what"] ==
        "options.what_if must not be empty");
}

TEST_CASE("what no option takes is refused by its place", "[api]") {
  CHECK(refused("options", 5)["where"] == "options");
  CHECK(refused("options", {{"front", 1}})["allowed"] == json{"true", "false"});
  CHECK(refused("options", {{"what_iff", 1}})["did_you_mean"] == json{"what_if"});
  CHECK(refused("options", {{"what_iff", 1}})["allowed"][0] == "model");
  CHECK(refused("options", {{"help", true}})["what"] ==
        "options.help is of the command line: an answer is JSON, and is returned");
  CHECK(refused("recipe", {{"zeroo", 1}})["where"] == "recipe.zeroo");
  CHECK(refused("recipe", {{"optimizer", "adam"}})["what"] ==
        "recipe.optimizer has no effect on fit");
  request_words twice{"fit", some_options()};
  twice.add_part("options", {{"zero", 1}});
  CHECK_THROWS_WITH(twice.add_part("recipe", {{"zero", 1}}),
                    "recipe.zero and options.zero are one option; give one of them");
}

TEST_CASE("words that stand alone follow each other", "[api]") {
  request_words all{"catalog", two_words()};
  all.add_part("options", {{"name", "H100"}, {"kind", "gpus"}, {"search", "x"}});
  CHECK(all.words() == words{"catalog", "--search=x", "--", "gpus", "H100"});
  CHECK(all.positionals() == words{"gpus", "H100"});
  request_words second{"catalog", two_words()};
  second.add_part("options", {{"name", "H100"}});
  CHECK_THROWS_WITH(second.words(), "options.kind is missing: options.name follows it");
  request_words model{"catalog", two_words()};
  CHECK_THROWS_WITH(model.add_model("gpt2"), "model has no effect on catalog");
}

TEST_CASE("a model is an option or a word that stands alone", "[api]") {
  request_words option{"fit", some_options()};
  option.add_model("gpt2");
  CHECK(option.words() == words{"fit", "--model=gpt2", "--json"});
  CHECK(option.place_of("MODEL") == "model");
  request_words alone{"model", {{.positional = "MODEL"}}};
  alone.add_model("gpt2");
  CHECK(alone.words() == words{"model", "--", "gpt2"});
  CHECK(alone.place_of("gpt2") == "model");
  CHECK(alone.place_of("model") == "model");
}

TEST_CASE("a place is where a request has what a line names", "[api]") {
  request_words all{"fit", some_options()};
  all.add_part("cluster", {{"gpu", "H100"}});
  all.add_part("options", {{"what_if", 3}});
  CHECK(all.place_of("--gpu") == "cluster.gpu");
  CHECK(all.place_of("H100") == "cluster.gpu");
  CHECK(all.place_of("--zero") == "recipe.zero");
  CHECK(all.place_of("--what-if") == "options.what_if");
  CHECK(all.place_of("--front") == "options.front");
  CHECK(all.place_of("--nothing").empty());
  CHECK(all.place_of("fit").empty());
  CHECK(all.as_given("--what-if must be x, not the string \"3\"") == "--what-if must be x, not 3");
  CHECK_FALSE(all.prints_launch());
}

TEST_CASE("an answer that is a launch is no JSON", "[api]") {
  request_words all{"fit",
                    {{.names = {"emit"}}, {.names = {"json"}, .takes = option_values::none}}};
  all.add_part("options", {{"emit", "megatron"}});
  CHECK(all.prints_launch());
  CHECK(all.words() == words{"fit", "--emit=megatron"});
}

}  // namespace
}  // namespace gpuplan::api
