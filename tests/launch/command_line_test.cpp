#include <gpuplan/launch/command_line.hpp>

#include <string>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

nlohmann::json read(const std::string& text) {
  return arguments_of_command_line(text, "f");
}

TEST_CASE("a shell line is read into arguments", "[launch]") {
  CHECK(read("TP=4\nA=( --x 1 # one\n --flag )\n"
             "NCCL=1 torchrun --nproc_per_node=8 a/pretrain_gpt.py \\\n"
             " --tp $TP --list a b --q '(t|)*2' --bf16 --z ${Z:-3} \"${A[@]}\"\n") ==
        nlohmann::json::parse(R"({"x": 1, "flag": true, "nproc_per_node": 8,
            "script": "pretrain_gpt.py", "tp": 4, "list": ["a", "b"], "q": "(t|)*2",
            "bf16": true, "z": 3})"));
  CHECK(read("model.num_layers=32 \\\n mixed_precision=bf16_mixed") ==
        nlohmann::json{{"model.num_layers", 32}, {"mixed_precision", "bf16_mixed"}});
  CHECK(read("mixed_precision=bf16_mixed \\\n model.num_layers=32") ==
        nlohmann::json{{"model.num_layers", 32}, {"mixed_precision", "bf16_mixed"}});
  CHECK(read("--n 1 --n 2") == nlohmann::json{{"n", 2}});
}

TEST_CASE("a command line without end is refused", "[launch]") {
  CHECK_THROWS_WITH(read("--a 'b"), "f: a quote is not closed");
  CHECK_THROWS_WITH(read(std::string(largest_command_line + 1, 'a')), "f: is longer than 256 KiB");
}

TEST_CASE("a command ends with its line, and where the shell takes over", "[launch]") {
  const nlohmann::json on{{"bf16", true}, {"script", "a.py"}};
  for (const char* text :
       {"a.py --bf16 | tee log", "a.py --bf16 2>&1 >log", "a.py --bf16 > log",
        "a.py --bf16; echo done", "a.py --bf16\necho done\n", "a.py --bf16 &",
        "a.py \\\n  --bf16 && exit", "(a.py --bf16)", "( a.py --bf16 )", "a.py --bf16|tee log",
        "a.py --bf16;", "a.py --bf16&", "a.py --bf16>log", "a.py --bf16 &>log"})
    CHECK(read(text) == on);
  CHECK(read("A=(\n --bf16\n --n\n 1\n)\na.py $A") ==
        nlohmann::json{{"bf16", true}, {"n", 1}, {"script", "a.py"}});
  CHECK(read("--n\n1\n--bf16\n") == nlohmann::json{{"n", 1}, {"bf16", true}});
  CHECK(read("--p 'M-|M-'") == nlohmann::json{{"p", "M-|M-"}});
  CHECK(read("--bf16 2>&1|tee log") == nlohmann::json{{"bf16", true}});
}

TEST_CASE("of several commands the one that launches counts", "[launch]") {
  const std::string launch = "torchrun --nproc-per-node 8 pretrain_gpt.py --n 4 --bf16";
  const nlohmann::json on = read(launch);
  CHECK(on["n"] == 4);
  for (const std::string& text :
       {launch + " 2>&1 | tee train.log\npython tools/convert.py --tp 4 --n 9 --hidden-size 8\n",
        launch + "; echo --n 9", launch + " | tee --n 9", launch + " &\npython x.py --n 9\nwait\n",
        "python tools/preprocess_data.py --seq-length 4096 --vocab-size 99999\n" + launch,
        "torchrun tools/convert.py --n 9\n" + launch, "echo " + launch + " --n 9\n" + launch,
        "OTHER=( --n 9 )\n" + launch, "C=\"" + launch + "\"\neval $C\n",
        "srun -l bash -c '" + launch + "'", "if [ -n \"$X\" ]; then\n " + launch + "\nfi",
        launch + "\n" + launch})
    CHECK(read(text) == on);
  CHECK(read("python a.py --x 1\npython b.py --hidden-size 2\npython c.py --x 3") ==
        nlohmann::json{{"script", "b.py"}, {"hidden-size", 2}});
  CHECK_THROWS_WITH(read(launch + "\n" + launch + " --n 5"),
                    "f: holds two launches, on lines 1 and 2; keep the one that is meant");
}

TEST_CASE("launches that differ are named by their lines", "[launch]") {
  const std::string one = "torchrun \\\n pretrain_gpt.py --n 1";
  const std::string other = "torchrun pretrain_gpt.py --n ";
  const auto refused = [](const std::string& text, const std::string& words) {
    INFO(text);
    CHECK_THROWS_WITH(read(text), "f: holds " + words + "; keep the one that is meant");
  };
  refused("# a\nif [ $X ]; then\n " + one + "\nelse\n  " + other + "2\nfi\n",
          "two launches, on lines 3 and 6");
  refused("if [ $X ]; then " + one + "; else " + other + "2; fi", "two launches, on lines 1 and 2");
  refused(one + "; " + other + "2; " + other + "3", "3 launches, on lines 1 and 2");
  refused(other + "1;" + other + "2", "two launches, on line 1");
  refused("\n\nbash -c '\n" + other + "1'\neval \"" + other + "2\"",
          "two launches, on lines 3 and 5");
  std::string many;
  for (int i = 0; i < 12; ++i) many += other + std::to_string(i) + "\n";
  refused(many, "12 launches, on lines 1, 2, 3, 4, 5, 6, 7, 8, ...");
}

TEST_CASE("arguments alone are read from all lines and variables", "[launch]") {
  CHECK(read("ARGS=(\n --n 1 --bf16\n)\nMORE=\"--m 2\"\n") ==
        nlohmann::json{{"n", 1}, {"bf16", true}, {"m", 2}});
  CHECK(read("--n 1\n--m 2; echo --n 3 | tee --m 4\n") == nlohmann::json{{"n", 1}, {"m", 2}});
}

TEST_CASE("overrides of Hydra go before those that came before them", "[launch]") {
  for (const char* plus : {"", "+", "++"})
    CHECK(read(std::string("a.py model.n=1 mixed_precision=a peft=none ") + plus + "model.n=2 " +
               plus + "mixed_precision=b " + plus + "peft=lora") ==
          nlohmann::json{
              {"script", "a.py"}, {"model.n", 2}, {"mixed_precision", "b"}, {"peft", "lora"}});
  CHECK(read("a.py ++model.n=1 model.n=2")["model.n"] == 2);
}

TEST_CASE("srun says the processes that no launcher starts", "[launch]") {
  const std::string train = "python pretrain_gpt.py --n 4";
  const nlohmann::json on{
      {"script", "pretrain_gpt.py"}, {"n", 4}, {"nnodes", 4}, {"nproc-per-node", 8}};
  const std::string options = "srun -N 4 --ntasks-per-node=8 --container-image x ";
  for (const std::string& text :
       {options + train, options + "bash -c '" + train + "'",
        "#SBATCH --nodes=4\n#SBATCH --gpus-per-node=8\n#SBATCH -n 32\nsrun -l " + train,
        "#SBATCH --nodes=2\nsrun -N 4 --gpus-per-node=8 " + train,
        "#SBATCH --nodes=4\nC=\"" + train + "\"\nsrun -n $((8 * SLURM_NNODES)) sh -c \"$C\""}) {
    INFO(text);
    CHECK(read(text) == on);
  }
  CHECK_FALSE(read("#SBATCH -N 4\n#SBATCH -n 32\n" + train).contains("nnodes"));
  const nlohmann::json launched =
      read("#SBATCH -N 4\nsrun -n 4 torchrun --nproc_per_node 8 --nnodes $SLURM_NNODES a.py --n 1");
  CHECK(launched["nnodes"] == 4);
  CHECK_FALSE(launched.contains("nproc-per-node"));
}

TEST_CASE("a count of srun that cannot be read stays a word", "[launch]") {
  const std::string train = " python pretrain_gpt.py --n 4";
  const auto nodes = [&](const std::string& options) {
    return read("srun " + options + train)["nnodes"];
  };
  CHECK(nodes("-N $NODES --ntasks-per-node=8") == "$NODES");
  CHECK(nodes("-N 2-4 --ntasks-per-node=8") == "2-4");
  CHECK(nodes("-N 4 --ntasks-per-node=8 numactl -N 1") == 4);
  CHECK(read("srun --ntasks 2000000" + train)["nproc-per-node"] == 2000000);
}

TEST_CASE("a line that installs a launcher launches nothing", "[launch]") {
  const std::string train = "\npython train.py --hidden-size 8";
  for (const char* line :
       {"pip3 install --upgrade deepspeed accelerate", "python -m pip install --upgrade deepspeed",
        "uv pip install deepspeed"}) {
    INFO(line);
    const command_line all = read_command_line(line + train, "f");
    CHECK(all.other.empty());
    CHECK(all.arguments == nlohmann::json{{"script", "train.py"}, {"hidden-size", 8}});
  }
}

TEST_CASE("launchers of other software are launchers", "[launch]") {
  const std::string text = "python prepare.py --x 1\ndeepspeed train.py --deepspeed ds.json\n";
  CHECK(read(text)["script"] == "train.py");
  CHECK_THAT(read_command_line(text, "f").other, ContainsSubstring("--from ds.json"));
  CHECK(read_command_line("accelerate launch train.py", "f").other.size() > 0);
  CHECK(read_command_line("torchrun pretrain_gpt.py --num-layers 2", "f").other.empty());
}

}  // namespace
}  // namespace gpuplan
