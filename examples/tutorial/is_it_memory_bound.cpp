// Is a matrix product bound by arithmetic or by memory, and from which batch on?
#include <cstdio>

#include <gpuplan/compute/gemm.hpp>
#include <gpuplan/compute/roofline.hpp>
#include <gpuplan/hardware/catalog.hpp>

int main() {
  using namespace gpuplan;
  const accelerator& gpu = catalog::h100_sxm5_80gb;
  const flop_per_byte balance = ridge(gpu.peak.bf16, gpu.memory_bandwidth);
  std::printf("an H100 needs %.0f FLOP for each byte\n", balance / (units::FLOP / units::byte));
  for (const int rows : {1, 64, 512, 4096}) {
    const matrix_product one{.rows = static_cast<double>(rows), .columns = 14336, .depth = 4096};
    const flop_per_byte intensity = product_flop(one) / product_bytes(one, {});
    const flop_per_second bound = roofline(gpu.peak.bf16, gpu.memory_bandwidth, intensity);
    std::printf("%4d rows: %6.1f FLOP/B, at most %5.1f TFLOP/s, bound by %s\n", rows,
                intensity / (units::FLOP / units::byte), bound / (units::TFLOP / units::second),
                intensity < balance ? "memory" : "arithmetic");
  }
}
