#include <gpuplan/launch/other_launch.hpp>

#include <string>

#include <gpuplan/launch/shell_variables.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

std::string other(const std::string& words) {
  return other_launch(detail::split_at_blanks(words));
}

TEST_CASE("a script of other software is named, and its file", "[launch]") {
  const std::string rest = ", with MODEL, --micro-batch and --sequence";
  for (const char* words :
       {"deepspeed --num_gpus 8 train.py --model_name_or_path m --deepspeed ds3.json",
        "torchrun run_clm.py --model_name_or_path m --deepspeed=ds3.json"})
    CHECK(other(words) ==
          "launches a script of the Hugging Face Trainer with DeepSpeed; give its configuration in "
          "place of it: --from ds3.json" +
              rest);
  CHECK(other("deepspeed train.py --deepspeed --deepspeed_config ds.json") ==
        "launches a script with DeepSpeed; give its configuration in place of it: --from "
        "ds.json" +
            rest);
  CHECK(other("accelerate launch --config_file x.yaml train.py") ==
        "launches a script with Accelerate; give its YAML in place of it: --from x.yaml" + rest);
  CHECK(other("accelerate launch train.py") ==
        "launches a script with Accelerate; give its YAML in place of it: --from FILE" + rest);
  for (const char* words : {"torchrun -m torchtitan.train --job.config_file x.toml",
                            "torchrun torchtitan/train.py --job.config_file=x.toml"})
    CHECK(other(words) ==
          "launches torchtitan; give its TOML in place of it: --from x.toml, with MODEL");
  CHECK_THAT(other("torchrun run_clm.py --model_name_or_path m"),
             ContainsSubstring("Hugging Face Trainer, whose arguments are not read"));
  CHECK_THAT(other("python run_recipe.py --recipe llama3_8b model.tensor_model_parallel_size=2"),
             ContainsSubstring("launches the recipe llama3_8b of Megatron Bridge"));
}

TEST_CASE("what describes a model is no other script", "[launch]") {
  for (const char* words :
       {"deepspeed pretrain_gpt.py --num-layers 2 --deepspeed ds.json", "python train.py --x 1",
        "torchrun pretrain_gpt.py --hidden_size=8", "python a.py --backend deepspeed",
        "python run_recipe.py --recipe r ++model.hidden_size=8", ""})
    CHECK(other(words).empty());
}

}  // namespace
}  // namespace gpuplan
