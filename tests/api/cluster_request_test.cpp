#include <gpuplan/api/cluster_request.hpp>

#include <limits>
#include <string>

#include <gpuplan/hardware/catalog.hpp>

#include "support/catch.hpp"
#include "support/refusal.hpp"

namespace gpuplan::api {
namespace {

using namespace units;
using testing::refusal_by;

std::string refusal_of_cluster(cluster_request asked) {
  return refusal_by([&] { return cluster_of(asked); });
}

TEST_CASE("what a cluster does not say is as usual", "[api]") {
  cluster_request asked{.gpus = 16};
  const cluster pool = cluster_of(asked);
  CHECK(asked.gpu == default_gpu);
  CHECK(asked.gpus_per_node == 8);
  CHECK(asked.fabric == default_fabric(pool.gpu()));
  CHECK(pool.gpus() == 16);
  CHECK(pool.node.gpus == 8);
  CHECK(pool.node.host_update == usual_host_update);
  CHECK(pool.node.feed.workers == 8.0 * usual_loader_workers);
  CHECK(pool.slowest == 1);
}

TEST_CASE("names come back as the catalogue writes them", "[api]") {
  cluster_request asked{.gpu = "a100 80gb", .gpus = 8, .fabric = "hdr"};
  const cluster pool = cluster_of(asked);
  CHECK(asked.gpu == catalog::find_accelerator("A100-80GB")->name);
  CHECK(asked.fabric == "InfiniBand HDR 4x");
  CHECK(pool.node.fabric.bandwidth ==
        interconnect_of(*catalog::find_fabric("InfiniBand HDR 4x")->net).bandwidth);
}

TEST_CASE("a link is taken in the place of a fabric", "[api]") {
  cluster_request asked{.gpus = 16, .link = {.latency = 3 * us, .bandwidth = 20 * GB / second}};
  const cluster pool = cluster_of(asked);
  CHECK(asked.fabric.empty());
  CHECK(pool.node.fabric.latency == 3 * us);
  CHECK(pool.node.fabric.bandwidth == 20 * GB / second);
}

TEST_CASE("what hosts have is that of all hosts whose GPUs links join", "[api]") {
  cluster_request asked{.gpu = "GB200",
                        .gpus = 72,
                        .gpus_per_node = 4,
                        .nvlink_domain = 72,
                        .host_memory = 900 * GiB,
                        .stored_sample = 16 * KiB,
                        .storage = 2 * GB / second,
                        .preprocessing = 3 * ms,
                        .loader_workers = 10};
  const cluster pool = cluster_of(asked);
  CHECK(pool.node.gpus == 72);
  CHECK(pool.node.host_memory == 18 * (900 * GiB));
  CHECK(pool.node.feed.storage == 18 * (2 * GB / second));
  CHECK(pool.node.feed.workers == 180);
  CHECK(pool.node.feed.preprocessing == 3 * ms);
}

TEST_CASE("memory that is given takes the place of the catalogue's, and of a profile's", "[api]") {
  cluster_request asked{.gpus = 8, .memory = 64 * GiB};
  asked.measured = {"profile.json", {.memory = 70 * GiB}};
  CHECK(cluster_of(asked).gpu().memory == 64 * GiB);
  asked.memory = {};
  CHECK(cluster_of(asked).gpu().memory == 70 * GiB);
}

TEST_CASE("a profile holds for its own GPU", "[api]") {
  cluster_request asked{.gpu = "A100-80GB", .gpus = 8};
  asked.measured.profile.gpu = "H100-SXM5-80GB";
  CHECK(refusal_of_cluster(asked) == "nothing");
  asked.measured.file = "profile.json";
  const std::string name{catalog::find_accelerator("A100-80GB")->name};
  CHECK(refusal_of_cluster(asked) == "--profile is of H100-SXM5-80GB, not of " + name);
}

TEST_CASE("what makes no sense together is refused", "[api]") {
  CHECK(refusal_of_cluster({.gpu = "H1000", .gpus = 8}).starts_with("cluster: gpu must be "));
  CHECK(
      refusal_of_cluster({.gpus = 8, .fabric = "pigeon"}).starts_with("cluster: fabric must be "));
  CHECK(refusal_of_cluster({.gpus = 8, .stored_sample = 1 * KiB}).ends_with(" need each other"));
  CHECK(refusal_of_cluster({.gpus = 8, .storage = GB / second}).ends_with(" need each other"));
  CHECK(refusal_of_cluster({.gpus = 8, .loader_workers = 4})
            .starts_with("cluster: loader_workers (--loader-workers) has no effect without "));
  CHECK(refusal_of_cluster({.gpus = 0}) != "nothing");
  cluster_request slow{.gpus = 8, .slowest = std::numeric_limits<double>::quiet_NaN()};
  CHECK_THROWS_AS(require_valid(cluster_of(slow)), invalid_input);
}

TEST_CASE("a fabric without a rate of its own needs a link", "[api]") {
  int without = 0;
  for (const auto& entry : catalog::fabrics) {
    const bool has_rate = planned_rate(entry.net->port).per_direction() > bytes_per_second{0};
    const std::string line = refusal_of_cluster({.gpus = 8, .fabric = std::string(entry.name)});
    CHECK((line == "nothing") == has_rate);
    if (!has_rate)
      CHECK(line ==
            "cluster: fabric " + std::string(entry.name) + " has no rate of its own; name a link");
    without += has_rate ? 0 : 1;
  }
  CHECK(without > 0);
}

}  // namespace
}  // namespace gpuplan::api
