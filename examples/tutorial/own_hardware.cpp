// An accelerator that is in no catalogue: what would it make of a model?
#include <cstdio>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/plan/estimate.hpp>

int main() {
  using namespace gpuplan;
  constexpr accelerator ours{.memory = 128 * units::GiB,
                             .memory_bandwidth = 4 * units::TB / units::second,
                             .peak = {.bf16 = 800 * units::TFLOP / units::second},
                             .sustained = {.bf16 = 600 * units::TFLOP / units::second},
                             .streaming_multiprocessors = 128,
                             .thermal_design_power = 700 * units::watt};
  constexpr interconnect inside{.latency = 10 * units::us,
                                .bandwidth = 300 * units::GB / units::second};
  constexpr interconnect outside{.latency = 20 * units::us,
                                 .bandwidth = 45 * units::GB / units::second};
  const node box{.gpu = ours, .gpus = 8, .scale_up = inside, .fabric = outside};
  const node known = node_of(catalog::h100_sxm5_80gb, 8, interconnect_of(catalog::infiniband_ndr));
  const recipe how{
      .global_batch_size = 128, .sequence_length = 4096, .zero = zero_stage::optimizer};
  for (const node& one : {box, known}) {
    const estimate step = evaluate(catalog::llama_3_8b, cluster_of(one, 32), how, {.data = 32});
    std::printf("%.2f s a step, %.1f of %.1f GB, MFU %.1f %%, most of it %s\n",
                step.time.total() / units::second, step.needed / units::GB,
                one.gpu.memory / units::GB, 100 * step.model_flop_utilization(),
                title_of(step.time.binding()).data());
  }
}
