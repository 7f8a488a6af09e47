#include <gpuplan/launch/command_line.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

TEST_CASE("a shell line is read into arguments", "[launch]") {
  CHECK(arguments_of_command_line("TP=4\nA=( --x 1 # one\n --flag )\n"
                                  "NCCL=1 torchrun --nproc_per_node=8 a/pretrain_gpt.py \\\n"
                                  " --tp $TP --list a b --q '(t|)*2' --bf16 --z ${Z:-3}\n",
                                  "f") ==
        nlohmann::json::parse(R"({"x": 1, "flag": true, "nproc_per_node": 8,
            "script": "pretrain_gpt.py", "tp": 4, "list": ["a", "b"], "q": "(t|)*2",
            "bf16": true, "z": 3})"));
  CHECK(arguments_of_command_line("model.num_layers=32 \\\n mixed_precision=bf16_mixed", "f") ==
        nlohmann::json{{"model.num_layers", 32}, {"mixed_precision", "bf16_mixed"}});
  CHECK(arguments_of_command_line("--n 1 --n 2", "f") == nlohmann::json{{"n", 2}});
}

TEST_CASE("a command line without end is refused", "[launch]") {
  CHECK_THROWS_WITH(arguments_of_command_line("--a 'b", "f"), "f: a quote is not closed");
  CHECK_THROWS_WITH(arguments_of_command_line(std::string(largest_command_line + 1, 'a'), "f"),
                    "f: is longer than 256 KiB");
}

TEST_CASE("a command ends with its line, and where the shell takes over", "[launch]") {
  const auto read = [](const char* text) { return arguments_of_command_line(text, "f"); };
  const nlohmann::json on{{"bf16", true}, {"script", "a.py"}};
  for (const char* text : {"a.py --bf16 | tee log", "a.py --bf16 2>&1 >log", "a.py --bf16 > log",
                           "a.py --bf16; echo done", "a.py --bf16\necho done\n", "a.py --bf16 &",
                           "a.py \\\n  --bf16 && exit"})
    CHECK(read(text) == on);
  CHECK(read("A=(\n --bf16\n --n\n 1\n)\na.py $A") ==
        nlohmann::json{{"bf16", true}, {"n", 1}, {"script", "a.py"}});
  CHECK(read("--n\n1\n--bf16\n") == nlohmann::json{{"n", 1}, {"bf16", true}});
  CHECK(read("--p 'M-|M-'") == nlohmann::json{{"p", "M-|M-"}});
}

}  // namespace
}  // namespace gpuplan
