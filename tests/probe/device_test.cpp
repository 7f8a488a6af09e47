#include <probe/libraries.hpp>
#include <probe/monitor.hpp>
#include <probe/numa.hpp>

#include "support/catch.hpp"

namespace {

using namespace gpuplan::probe;

TEST_CASE("without the management library a probe knows nothing of a device", "[probe]") {
  const management_library absent{"libof-no-one.so"};
  CHECK_FALSE(absent.is_there());
  CHECK(absent.driver().empty());
  const gpu_monitor monitor{absent, "0000:01:00.0"};
  CHECK_FALSE(monitor.clock());
  CHECK_FALSE(monitor.highest_clock());
  CHECK_FALSE(monitor.memory());
  CHECK_FALSE(monitor.is_sliced());
  CHECK_FALSE(monitor.utilization());
}

TEST_CASE("memory lies in a node, or the system does not say", "[probe]") {
  const int here = 1;
  const auto node = numa_node_of_memory(&here);
  if (node) CHECK(*node >= 0);
  CHECK_FALSE(numa_node_of_memory(nullptr));
  CHECK_FALSE(numa_node_of_device("ffff:FF:1f.7"));
}

TEST_CASE("versions of NCCL as people write them", "[probe]") {
  CHECK(nccl_version_text(22707) == "2.27.7");
  CHECK(nccl_version_text(2804) == "2.8.4");
}

TEST_CASE("without its library no collective is called", "[probe]") {
  const nccl_library none{"libof-no-one.so"};
  CHECK_FALSE(none.is_there());
  CHECK(none.version().empty());
}

}  // namespace
