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

}  // namespace
}  // namespace gpuplan
