// Does Llama 3 8B fit into eight GPUs of 80 GiB, and where does the memory go?
#include <cstdio>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/memory/footprint.hpp>
#include <gpuplan/model/catalog.hpp>

int main() {
  using namespace gpuplan;
  // [snippet]
  const bytes available = catalog::h100_sxm5_80gb.memory;
  for (const recompute again : {recompute::none, recompute::full}) {
    const recipe how{.global_batch_size = 64,
                     .sequence_length = 8192,
                     .zero = zero_stage::optimizer,
                     .recompute = again};
    const stage_footprint gpu =
        memory_footprint(catalog::llama_3_8b, how, {.data = 8}).worst_stage();
    std::printf("states %.1f GB, activations %.1f GB, in all %.1f of %.1f GB: %s\n",
                gpu.states.total() / units::GB, gpu.activations / units::GB,
                gpu.total() / units::GB, available / units::GB,
                gpu.total() <= available ? "it fits" : "it does not fit");
  }
  // [/snippet]
}
