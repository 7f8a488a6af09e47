// How many H100 train an 8B model on 2 trillion tokens within 30 days, and for how much?
#include <cstdio>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/plan/run.hpp>
#include <gpuplan/plan/search.hpp>

int main() {
  using namespace gpuplan;
  const node dgx = node_of(catalog::h100_sxm5_80gb, 8, interconnect_of(catalog::infiniband_ndr));
  const recipe how{.global_batch_size = 1024, .sequence_length = 8192};
  const seconds deadline = 30 * units::day;
  for (int gpus = 64; gpus <= 1024; gpus *= 2) {
    const search_result found =
        search(catalog::llama_3_8b, cluster_of(dgx, gpus), how, {.keep = 1});
    const run_estimate run = training_run(found.best()->what, 2 * units::Ttok,
                                          {.gpu = 2.5 * units::dollar / units::hour});
    std::printf("%4d GPUs: %5.1f days, %.2f million dollars%s\n", gpus, run.time / units::day,
                run.cost() / (1e6 * units::dollar), run.time <= deadline ? ", in time" : "");
  }
}
