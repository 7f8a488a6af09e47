#include <gpuplan/launch/arguments.hpp>

#include <string>
#include <vector>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

TEST_CASE("arguments are read by name, and those that nobody read are known", "[launch]") {
  const launch_arguments args{nlohmann::json::parse(R"({"n": "12", "on": true, "off": false,
      "none": null, "list": "[a b]", "more": [1, "x"], "word": "w", "left": 1})"),
                              "f", "--"};
  CHECK(args.whole("n") == 12);
  CHECK(args.flag("on"));
  CHECK_FALSE(args.flag("off"));
  CHECK(args.flag_or("absent", true));
  CHECK_FALSE(args.flag_or("off", true));
  CHECK_FALSE(args.has("none"));
  CHECK(args.words("list") == std::vector<std::string>{"a", "b"});
  CHECK(args.words("more") == std::vector<std::string>{"1", "x"});
  CHECK(args.text("word") == "w");
  CHECK(args.unread() == std::vector<std::string>{"left"});
}

TEST_CASE("an argument out of its range is refused with its name", "[launch]") {
  const launch_arguments args{{{"n", "x"}, {"f", 1.5}, {"big", 1e300}, {"minus", -1}}, "f", "--"};
  CHECK_THROWS_WITH(args.number("n"), "f: --n must be a number, not the string \"x\"");
  for (const char* name : {"f", "big", "minus"})
    CHECK_THROWS_WITH(args.whole(name), Catch::Matchers::Contains("must be a whole number from 0"));
  CHECK_THROWS_WITH(args.needed("absent"), "f: --absent is missing");
  CHECK_THROWS_WITH((launch_arguments{nlohmann::json::array(), "f"}),
                    "f: holds no names with values");
}

TEST_CASE("a switch is true or false", "[launch]") {
  const nlohmann::json values{{"yes", "yes"},
                              {"no", "No"},
                              {"one", 1},
                              {"zero", 0},
                              {"word", "maybe"},
                              {"number", 7},
                              {"none", "None"},
                              {"more", "$MORE"},
                              {"most", {"$A", "${B[@]}"}},
                              {"off", "${OFF}"},
                              {"empty", nlohmann::json::array()}};
  const launch_arguments args{values, "f", "--"};
  CHECK(args.flag("yes"));
  CHECK_FALSE(args.flag("no"));
  CHECK(args.flag("one"));
  CHECK_FALSE(args.flag("zero"));
  CHECK_FALSE(args.flag_or("zero", true));
  CHECK(args.flag_or("none", true));
  CHECK(args.flag("more"));  // more arguments, in a variable of the shell
  CHECK(args.flag("most"));
  CHECK(args.flag("off"));  // the name of a variable is no word
  CHECK_THROWS_WITH(args.flag("empty"), "f: --empty must be true or false, not an array");
  CHECK_THROWS_WITH(args.flag("word"), "f: --word must be true or false, not the string \"maybe\"");
  CHECK_THROWS_WITH(args.flag_or("number", true), "f: --number must be true or false, not 7");
  const launch_arguments file{values, "f"};
  CHECK_THROWS_WITH(file.flag("more"), "f: more must be true or false, not the string \"$MORE\"");
  CHECK_THROWS_WITH(file.flag("most"), "f: most must be true or false, not an array");
}

TEST_CASE("what others refuse begins with the file", "[launch]") {
  const launch_arguments args{nlohmann::json::object(), "f", "--"};
  const auto refuse = [] { require(false, "n must be >= 1"); };
  CHECK_THROWS_WITH(args.in_argument("n", refuse), "f: --n: n must be >= 1");
  CHECK_THROWS_WITH(args.in_file(refuse), "f: n must be >= 1");
  CHECK(args.in_argument("n", [] { return 3; }) == 3);
}

TEST_CASE("replicas take the GPUs that others leave", "[launch]") {
  CHECK(replicas_on(16, {.tensor = 2, .pipeline = 2}, "f") == 4);
  CHECK(replicas_on(0, {.tensor = 2}, "f") == 1);
  CHECK_THROWS_WITH(replicas_on(8, {.tensor = 3}, "f"),
                    "f: 3 ranks of a replica do not divide the 8 GPUs");
  for (const int gpus : {0, 8})  // 2^64 ranks
    CHECK_THROWS_WITH(
        replicas_on(gpus, {.tensor = 1 << 22, .pipeline = 1 << 21, .context = 1 << 21}, "f"),
        "f: tensor x pipeline x context must be <= 1000000000");
}

TEST_CASE("a number that the shell knows is refused with the option that says it", "[launch]") {
  const launch_arguments args{
      {{"global-batch-size", "$((8*N))"}, {"hidden-size", "`x`"}, {"nnodes", "$N"}}, "f", "--"};
  CHECK_THROWS_WITH(args.whole("global-batch-size"),
                    "f: --global-batch-size is the string \"$((8*N))\", which the file does not "
                    "say; give --batch");
  CHECK_THROWS_WITH(args.needed("hidden-size"),
                    "f: --hidden-size is the string \"`x`\", which the file does not say; write a "
                    "number");
  CHECK_THROWS_WITH(args.number("nnodes"), Catch::Matchers::Contains("give --gpus"));
}

TEST_CASE("a launcher's count that is no number can be given as --gpus", "[launch]") {
  const launch_arguments args{{{"nnodes", "2-4"}, {"x", "y"}}, "f", "--"};
  CHECK_THROWS_WITH(args.whole("nnodes"),
                    "f: --nnodes must be a number, not the string \"2-4\"; give --gpus");
  CHECK_THROWS_WITH(args.whole("x"), "f: --x must be a number, not the string \"y\"");
}

}  // namespace
}  // namespace gpuplan
