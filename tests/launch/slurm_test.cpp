#include <gpuplan/launch/slurm.hpp>

#include <string>
#include <vector>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

launch_ranks ranks_of(const std::string& words) {
  slurm_options said;
  read_slurm_options(detail::split_at_blanks(words), said);
  return slurm_ranks(said);
}

TEST_CASE("options of srun say processes", "[launch]") {
  const auto is = [](const std::string& words, int nodes, int each) {
    INFO(words);
    const launch_ranks ranks = ranks_of(words);
    CHECK(ranks.nodes == nodes);
    CHECK(ranks.per_node == each);
  };
  is("-N 4 --ntasks-per-node=8 --gpus-per-node=8", 4, 8);
  is("-N4 --ntasks-per-node 8", 4, 8);
  is("--nodes 4 -n 16", 4, 4);
  is("-n16 --ntasks-per-node=8", 2, 8);
  is("-n 5 -N 2", 1, 5);
  is("--ntasks=32", 1, 32);
  is("-N 2 --gpus-per-node=h100:8", 2, 8);
  is("-N 2 --gres=gpu:8", 2, 8);
  is("-N 2 -G 16", 2, 8);
  is("--gpus=16", 1, 16);
  is("-N 4", 0, 0);
  is("-N 1-4 --ntasks-per-node=x --gres=nvme:2 --label --nodes", 0, 0);
}

TEST_CASE("directives of a script are options, and variables", "[launch]") {
  const slurm_options said = slurm_directives(
      "#!/bin/bash\n#SBATCH --nodes=4 # four\n  #SBATCH -n 32\n# SBATCH -G 9\necho -N 9\n"
      "#SBATCH --gpus-per-node 8");
  CHECK(said.nodes == 4);
  CHECK(said.tasks == 32);
  CHECK(said.gpus == 0);
  CHECK(said.gpus_per_node == 8);
  const auto variables = slurm_variables(said);
  CHECK(variables.size() == 5);
  CHECK(variables.front() == std::pair<std::string, std::string>{"SLURM_NNODES", "4"});
  CHECK(slurm_directives("").nodes == 0);
}

TEST_CASE("what srun starts begins after its options", "[launch]") {
  const auto end = [](const std::string& words) {
    return detail::end_of_srun(detail::split_at_blanks(words));
  };
  CHECK(end("python a.py srun") == 0);
  CHECK(end("srun -N 4 --label /usr/bin/python3 a.py") == 4);
  CHECK(end("time srun bash -c x") == 2);
  CHECK(end("srun -N 4 a.out") == 1);
  CHECK(end("python a.py") == 0);
}

}  // namespace
}  // namespace gpuplan
