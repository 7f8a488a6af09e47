// How many sequences can one GPU take at a time, and what does each ZeRO stage buy?
#include <cstdio>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/memory/max_batch.hpp>
#include <gpuplan/model/catalog.hpp>

int main() {
  using namespace gpuplan;
  for (const zero_stage stage :
       {zero_stage::none, zero_stage::optimizer, zero_stage::gradients, zero_stage::parameters}) {
    const footprint job = memory_footprint(catalog::qwen2_5_7b,
                                           {.global_batch_size = 256,
                                            .sequence_length = 4096,
                                            .zero = stage,
                                            .recompute = recompute::selective},
                                           {.data = 16});
    const largest_batch most = max_micro_batch(job, catalog::a100_sxm4_80gb.memory);
    std::printf("ZeRO %d: %lld sequences; one more would need %.1f of %.1f GB\n",
                static_cast<int>(stage), static_cast<long long>(most.samples),
                most.needed / units::GB, most.available / units::GB);
  }
}
