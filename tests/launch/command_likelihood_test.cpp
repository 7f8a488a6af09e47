#include <gpuplan/launch/command_likelihood.hpp>

#include <string>

#include <gpuplan/launch/shell_variables.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

TEST_CASE("a launch is told by its launcher, its script and its arguments", "[launch]") {
  using enum detail::launch_likelihood;
  const auto of = [](const std::string& words) {
    return detail::likelihood_of(detail::split_at_blanks(words));
  };
  CHECK(of("torchrun pretrain_gpt.py --n 1") == pretraining);
  CHECK(of("torchrun a.py --hidden_size 1") == model_launcher);
  CHECK(of("torchrun a.py --n 1") == launcher);
  CHECK(of("deepspeed a.py --n 1") == launcher);
  CHECK(of("accelerate launch a.py --n 1") == launcher);
  CHECK(of("python a.py --n deepspeed") == script);
  CHECK(of("python a.py model.n=1") == model_script);
  for (const char* words : {"echo torchrun pretrain_gpt.py --n 1", "python a.py", "ls --all"})
    CHECK(of(words) == none);
  for (const char* words :
       {"pip3 install --upgrade deepspeed accelerate", "uv pip install -U --x y",
        "python -m pip install --upgrade deepspeed $MORE",
        "python3 -m pip install --upgrade accelerate a.py",
        "conda install --yes deepspeed train.py"})
    CHECK(of(words) == none);
  CHECK(of("uv run torchrun a.py --n 1") == launcher);
  CHECK(of("conda run -n deepspeed python a.py --n 1") == script);
}

TEST_CASE("deepspeed and accelerate are launchers before a script", "[launch]") {
  const auto of = [](const std::string& words) {
    return std::string(detail::launcher_of(detail::split_at_blanks(words)));
  };
  CHECK(of("env A=1 /opt/bin/deepspeed --num_gpus 8 train.py") == "deepspeed");
  CHECK(of("srun -N 4 accelerate launch --config_file a.yaml -m pkg.train") == "accelerate");
  CHECK(of("uv run --no-sync accelerate launch $SCRIPT") == "accelerate");
  CHECK(of("python -m torch.distributed.run a.py") == "torch.distributed.run");
  for (const char* words :
       {"accelerate config --config_file x", "deepspeed --version",
        "srun --job-name deepspeed python a.py", "python a.py --x deepspeed b.py",
        "docker run --name accelerate image python a.py", ""})
    CHECK(of(words).empty());
}

}  // namespace
}  // namespace gpuplan
