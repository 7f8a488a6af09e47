// Llama 3 8B on H100 with a batch of 256 sequences: when do more GPUs stop to help?
#include <cstdio>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/plan/estimate.hpp>

int main() {
  using namespace gpuplan;
  const node dgx = node_of(catalog::h100_sxm5_80gb, 8, interconnect_of(catalog::infiniband_ndr));
  const recipe how{.global_batch_size = 256,
                   .sequence_length = 8192,
                   .zero = zero_stage::optimizer,
                   .sequence_parallel = true};
  tokens_per_second first{};
  for (int gpus = 8; gpus <= 1024; gpus *= 2) {
    const parallelism cut{.data = gpus / 2, .tensor = 2};
    const estimate step = evaluate(catalog::llama_3_8b, cluster_of(dgx, gpus), how, cut);
    if (!step.fits()) {
      std::printf("%4d GPUs: %s\n", gpus, describe(step.refusal.reason).data());
      break;
    }
    if (gpus == 8) first = step.throughput();
    std::printf("%4d GPUs: %5.2f s, %4.1f times as fast as 8, gradients %4.1f %% of it\n", gpus,
                step.time.total() / units::second, step.throughput() / first,
                100 * (step.time.data / step.time.total()));
  }
}
