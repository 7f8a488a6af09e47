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
}

}  // namespace
}  // namespace gpuplan
