#include <gpuplan/launch/slurm.hpp>

#include <string>
#include <vector>

#include <gpuplan/launch/arguments.hpp>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

slurm_processes processes_of(const std::string& words) {
  slurm_options said;
  read_slurm_options(detail::split_at_blanks(words), said);
  return slurm_processes_of(said);
}

TEST_CASE("a count of Slurm is as large as any other of a launch", "[launch]") {
  CHECK(detail::slurm_number("1000000000") == launch_arguments::largest);
  CHECK(detail::slurm_number("1000000001") == 0);
}

TEST_CASE("options of srun say processes", "[launch]") {
  const auto is = [](const std::string& words, int nodes, int each) {
    INFO(words);
    const slurm_processes started = processes_of(words);
    CHECK(started.nodes.number == nodes);
    CHECK(started.per_node.number == each);
    CHECK(started.said() == (each > 0));
  };
  is("-N 4 --ntasks-per-node=8 --gpus-per-node=8", 4, 8);
  is("-N4 --ntasks-per-node 8", 4, 8);
  is("--nodes 4 -n 16", 4, 4);
  is("-n16 --ntasks-per-node=8", 2, 8);
  is("-n 5 -N 2", 1, 5);
  is("--ntasks=32", 1, 32);
  is("--ntasks 2000000", 1, 2000000);
  is("-N $NODES -n 32", 1, 32);
  is("-N 2 --gpus-per-node=h100:8", 2, 8);
  is("-N 2 -G 16", 2, 8);
  is("--gpus=16", 1, 16);
  is("-N 4", 0, 0);
  is("--gres=nvme:2 --label --nodes", 0, 0);
}

TEST_CASE("GPUs are found among the resources of --gres", "[launch]") {
  const auto is = [](const std::string& list, int gpus) {
    INFO(list);
    CHECK(processes_of("--gres=" + list).per_node.number == gpus);
  };
  is("gpu:8", 8);
  is("gpu:8,nvme:2", 8);
  is("nvme:2,gpu:8", 8);
  is("gpu:h100:8(S:0-1)", 8);
  is("gpu:8(S:0-1),nvme:2", 8);
  is("gpu:v100:3,nvme:1,gpu:h100:5", 8);
  is("gpu", 1);
  is("gpu:h100", 1);
  is("gpumem:4", 0);
  is("gpu:$N", 0);
  CHECK(processes_of("--gres=gpu:$N,nvme:2").per_node.unread == "gpu:$N");
  CHECK(processes_of("--gres=$GRES").per_node.unread == "$GRES");
  CHECK_FALSE(processes_of("--gres=none").said());
}

TEST_CASE("counts that are given but cannot be read stay as they are", "[launch]") {
  const auto is = [](const std::string& words, const std::string& nodes, const std::string& each) {
    INFO(words);
    const slurm_processes started = processes_of(words);
    CHECK(started.nodes.unread == nodes);
    CHECK(started.per_node.unread == each);
    CHECK(started.said());
  };
  is("-N $NODES --ntasks-per-node=8", "$NODES", "");
  is("-N 4 --nodes=$1 --ntasks-per-node=8", "$1", "");
  is("-N 2-4 --gpus-per-node=8", "2-4", "");
  is("-N 2 --ntasks-per-node=$EACH", "", "$EACH");
  is("-N 2 -n ${TASKS}", "", "${TASKS}");
  is("-G $GPUS", "", "$GPUS");
  is("--gpus-per-node=v100:3,h100:5", "", "v100:3,h100:5");
  is("--ntasks=20000000000", "", "20000000000");
}

TEST_CASE("directives of a script are options, and variables", "[launch]") {
  const slurm_options said = slurm_directives(
      "#!/bin/bash\n#SBATCH --nodes=4 # four\n  #SBATCH -G 9\n# SBATCH -G 9\n \n"
      "#SBATCH -n 32\n#SBATCH --gpus-per-node 8\necho -N 9\n#SBATCH -N 7\n");
  CHECK(said.nodes.number == 4);
  CHECK(said.tasks.number == 32);
  CHECK_FALSE(said.gpus.given());
  CHECK(said.gpus_per_node.number == 8);
  const auto variables = slurm_variables(said);
  CHECK(variables.size() == 5);
  CHECK(variables.front() == std::pair<std::string, std::string>{"SLURM_NNODES", "4"});
  CHECK_FALSE(slurm_directives("").nodes.given());
}

TEST_CASE("what srun starts begins after its options", "[launch]") {
  const auto end = [](const std::string& words) {
    return detail::end_of_srun(detail::split_at_blanks(words));
  };
  CHECK(end("python a.py srun") == 0);
  CHECK(end("srun -N 4 --label /usr/bin/python3 a.py") == 4);
  CHECK(end("time srun bash -c x") == 2);
  CHECK(end("srun -N 4 a.out -N 1") == 3);
  CHECK(end("srun -N4 --ntasks-per-node=8 numactl -N 1 python a.py") == 3);
  CHECK(end("srun -l --container-image x -u ./wrap.sh python a.py") == 5);
  CHECK(end("srun --job-name python --label python a.py") == 4);
  CHECK(end("srun $MORE -N 4 $RUN -m x") == 4);
  CHECK(end("srun -N 4 -- -a") == 4);
  CHECK(end("srun -N 4") == 3);
  CHECK(end("srun -N") == 2);
  CHECK(end("python a.py") == 0);
}

}  // namespace
}  // namespace gpuplan
