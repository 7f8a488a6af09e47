// A scheduler asks of each job as it comes: can it run as it asks, how well, and if not, why?
#include <cstdio>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/plan/estimate.hpp>

int main() {
  using namespace gpuplan;
  const cluster pool =
      cluster_of(node_of(catalog::a100_sxm4_80gb, 8, interconnect_of(catalog::infiniband_hdr)), 32);
  const recipe how{.global_batch_size = 128, .zero = zero_stage::optimizer};
  // [snippet]
  for (const parallelism& asked :
       {parallelism{.data = 4, .tensor = 8}, parallelism{.data = 4, .tensor = 6},
        parallelism{.tensor = 8, .pipeline = 4}}) {
    const estimate job = evaluate(catalog::llama_3_70b, pool, how, asked);
    if (job.fits())
      std::printf("admitted: %.1f s a step, MFU %.1f %%\n", job.time.total() / units::second,
                  100 * job.model_flop_utilization());
    else
      std::printf("refused: %s\n", describe(job.refusal.reason).data());
  }
  // [/snippet]
}
