// A second translation unit: a definition that forgot to be inline fails to link here.
#include <gpuplan/gpuplan.hpp>

gpuplan::seconds other() {
  using namespace gpuplan;
  constexpr interconnect link{.latency = 5e3 * units::ns,
                              .bandwidth = 0.4 * units::TB / units::second};
  return ring_all_reduce(link, 8, 1e3 * units::MB).total();
}
