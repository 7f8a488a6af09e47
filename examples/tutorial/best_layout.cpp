// What is the best way to cut Llama 3 70B over 64 H100?
#include <cstdio>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/plan/search.hpp>

int main() {
  using namespace gpuplan;
  const node dgx = node_of(catalog::h100_sxm5_80gb, 8, interconnect_of(catalog::infiniband_ndr));
  const recipe how{.global_batch_size = 256, .sequence_length = 8192};
  const search_result found = search(catalog::llama_3_70b, cluster_of(dgx, 64), how, {.keep = 3});
  std::printf("%lld layouts, the best of them:\n", static_cast<long long>(found.candidates));
  for (const plan& one : found.plans) {
    const parallelism& cut = one.parallelism();
    std::printf("data %d x tensor %d x pipeline %d, %d at a time: %.2f s, MFU %.1f %%, %.1f GB\n",
                cut.data, cut.tensor, cut.pipeline, cut.micro_batch_size,
                one.what.time.total() / units::second, 100 * one.what.model_flop_utilization(),
                one.what.needed / units::GB);
  }
}
