#include <gpuplan/api/request_place.hpp>

#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace gpuplan::api {
namespace {

const place_in_request nowhere = [](std::string_view) { return std::string{}; };
const place_in_request given = [](std::string_view name) {
  if (name == "--gpus") return std::string("options.gpus");
  if (name == "--level" || name == "--fields") return place_in_options(name);
  return std::string(name == "A"                             ? "options.a"
                     : name == "p.json" || name == "d: e.sh" ? "files." + std::string(name)
                                                             : "");
};

std::string said(std::string_view line) {
  return in_request_words(line, nowhere);
}

TEST_CASE("options of the command line are no fields of a request", "[api]") {
  CHECK(is_of_the_command_line("html"));
  CHECK_FALSE(is_of_the_command_line("level"));
  CHECK(place_in_options("--html").empty());
  CHECK(place_in_options("--").empty());
  CHECK(place_in_options("--what-if") == "options.what_if");
}

TEST_CASE("an option is a field of a request, by its name or an alias", "[api]") {
  CHECK(place_of_option("--gpu") == "cluster.gpu");
  CHECK(place_of_option("--memory") == "cluster.gpu_memory_bytes");
  CHECK(place_of_option("--zero") == "recipe.zero");
  CHECK(place_of_option("--seq-length") == "recipe.sequence_length");
  CHECK(place_of_option("--tensor") == "parallelism.tensor");
  CHECK(place_of_option("--communicator") == "workspace.communicator_bytes");
  CHECK(place_of_option("--model") == "model");
  CHECK(place_of_option("--what-if").empty());
}

TEST_CASE("a positional is a field of a request", "[api]") {
  CHECK(place_of_positional("MODEL") == "model");
  CHECK(place_of_positional("KIND") == "options.kind");
}

TEST_CASE("what a line begins with is a path in the request", "[api]") {
  CHECK(path_in_request("recipe: zero", nowhere) == "recipe.zero");
  CHECK(path_in_request("recipe: overlap:", nowhere) == "recipe.overlap");
  CHECK(path_in_request("request: model", nowhere) == "model");
  CHECK(path_in_request("request", nowhere) == "request");
  CHECK(path_in_request("cluster[0]:", nowhere) == "cluster[0]");
  CHECK(path_in_request(R"(cluster: "a b")", nowhere) == R"(cluster."a b")");
  CHECK(path_in_request("parallelism: data x tensor", nowhere) == "parallelism");
  CHECK(path_in_request("catalog: KIND", nowhere) == "options.kind");
  CHECK(path_in_request("fit: --zero", nowhere) == "recipe.zero");
  CHECK(path_in_request("--gpus", nowhere) == "cluster.gpus");
  CHECK(path_in_request("--gpus", given) == "options.gpus");
  CHECK(path_in_request("p.json: layers", given) == "files.p.json.layers");
  CHECK(path_in_request("p.json: --num-layers", given) == "files.p.json");
  CHECK(path_in_request("p.json:2", given) == "files.p.json");
  CHECK(path_in_request("d: e.sh: a", given) == "files.d: e.sh.a");
  CHECK(path_in_request("the sum of shares", nowhere).empty());
  CHECK(path_in_request("", nowhere).empty());
  CHECK(path_in_request(":", nowhere).empty());
  CHECK(path_in_request("cluster: GPU", nowhere) == "cluster.GPU");
  CHECK(path_in_request(R"(cluster: "a: --gpu")", nowhere) == R"(cluster."a: --gpu")");
  std::string typed;
  for (int i = 0; i < 100'000; ++i) typed += "a: ";
  CHECK(path_in_request(typed, nowhere).empty());
}

TEST_CASE("a member of a file is a path in it", "[api]") {
  CHECK(path_in_request("p.json.schema", given) == "files.p.json.schema");
  CHECK(path_in_request("p.json.runs.factors", given) == "files.p.json.runs.factors");
  CHECK(path_in_request("q.json.schema", given) == "q.json.schema");
  CHECK(path_in_request("A.schema", given) == "A.schema");
  CHECK(path_in_request("p.json. x", given).empty());
}

TEST_CASE("a line of a file may be of the model beside it", "[api]") {
  const place_in_request beside = [](std::string_view name) {
    return std::string(name == "run.log"                          ? "files.run.log"
                       : name == "config.json" || name == "MODEL" ? "model"
                                                                  : "");
  };
  CHECK(path_in_request("run.log: config.json: n_layer", beside) == "model.n_layer");
  CHECK(path_in_request("run.log: config.json: n layer", beside) == "model");
  CHECK(path_in_request("run.log: MODEL", beside) == "model");
  CHECK(path_in_request("run.log: run.log: step", beside) == "files.run.log");
  CHECK(path_in_request("run.log:config.json: n_layer", beside) == "files.run.log");
  CHECK(path_in_request("run.log: KIND", beside) == "files.run.log");
}

TEST_CASE("a line has the names of a request", "[api]") {
  CHECK(in_request_words("--level has no effect: --fields answers no request", given) ==
        "options.level has no effect: options.fields answers no request");
  CHECK(said("give --zero (--gpu with --tensor)") ==
        "give recipe.zero (cluster.gpu with parallelism.tensor)");
  CHECK(said("give LOG, a file") == "give options.log, a file");
  CHECK(said("MODEL is required; see gpuplan plan --help") == "model is required");
  CHECK(said("catalog: KIND must be models, not 1") == "options.kind must be models, not 1");
  CHECK(in_request_words("A is required", nowhere) == "options.a is required");
  CHECK(in_request_words("A must be a file, and NAME, too", given) ==
        "options.a must be a file, and NAME, too");
  CHECK(in_request_words("compare A, or A to B", given) == "compare options.a, or options.a to B");
  CHECK(in_request_words("--gpus 2 are fewer than --gpus-per-job", given) ==
        "options.gpus 2 are fewer than --gpus-per-job");
  for (const std::string_view line :
       {"p.json: --zero must be 0, not 1", "p.json: line 2: MODEL is"})
    CHECK(in_request_words(line, given) == line);
}

TEST_CASE("what is no name of the program stays in a line", "[api]") {
  for (const std::string_view line :
       {"", "-", "--", "a -- b", "--json has no effect", "H100 must be", "GPU", "a--b",
        "cluster: GPU is not a known field", "A step takes long", "write NAME to it",
        "sacct --parsable2 prints such tables", R"(x must be 1, not the string "--gpu \" --zero")",
        "x: cannot read '--gpu --zero' here", "out of memory", "see gpuplan plan --help"})
    CHECK(said(line) == line);
  CHECK(said("the job's --gpus and nobody's --zero") ==
        "the job's cluster.gpus and nobody's recipe.zero");
}

}  // namespace
}  // namespace gpuplan::api
