// Which all-reduce is the quickest among 48 ranks, and when does that change?
#include <cstdio>

#include <gpuplan/comm/fastest.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>

int main() {
  using namespace gpuplan;
  const interconnect link = interconnect_of(catalog::infiniband_ndr);
  for (const bytes message : {4 * units::KiB, 1 * units::MiB, 64 * units::MiB, 4 * units::GiB}) {
    const auto best = fastest_all_reduce(link, 48, message);
    const collective_time ring = ring_all_reduce(link, 48, message);
    std::printf("%10.0f KiB: %-18s %9.1f us, latency %3.0f %%; a ring takes %9.1f us\n",
                message / units::KiB, name_of(best.algorithm).data(), best.time.total() / units::us,
                100 * (best.time.latency / best.time.total()), ring.total() / units::us);
  }
}
