#include <gpuplan/calibrate/profile.hpp>

#include <string>

#include <gpuplan/calibrate/profile_reader.hpp>
#include <gpuplan/comm/all_reduce.hpp>
#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/cluster.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr interconnect measured{.latency = 3 * us, .bandwidth = 40 * GB / second};

// A ring's own times, as a fit of start and rate sees them, give the ring's link back.
constexpr collective_time ring = ring_all_reduce(measured, 8, 1 * GB);
constexpr interconnect back =
    link_of_collective({.latency = ring.latency, .fill = {}, .bandwidth = 1 * GB / ring.transfer},
                       collective::all_reduce, 8);
static_assert(back.latency >= 2.999999 * us && back.latency <= 3.000001 * us);
static_assert(back.bandwidth >= 39.99999 * GB / second && back.bandwidth <= 40.00001 * GB / second);

TEST_CASE("what was measured replaces what datasheets say, and nothing else", "[calibrate]") {
  const cluster pool = cluster_of(
      node_of(*catalog::find_accelerator("H100")->gpu, 8, {5 * us, 50 * GB / second}), 64);
  const cluster same = calibrated(pool, {});
  CHECK(same.node.fabric.bandwidth == pool.node.fabric.bandwidth);
  CHECK(same.node.scale_up.latency == pool.node.scale_up.latency);
  const cluster other = calibrated(pool, {.fabric = measured, .memory_bandwidth = 3 * TB / second});
  CHECK(other.node.fabric.bandwidth == measured.bandwidth);
  CHECK(other.node.scale_up.bandwidth == pool.node.scale_up.bandwidth);
  CHECK(other.node.gpu.achieved_memory_bandwidth == 3 * TB / second);
  const cluster capped = calibrated(pool, {.memory_bandwidth = 99 * TB / second});
  CHECK(capped.node.gpu.achieved_memory_bandwidth == pool.node.gpu.memory_bandwidth);
  CHECK_THROWS_AS(calibrated(pool, {.fabric = {.latency = 1 * us}}), invalid_input);
  const pipelined_link curve{1 * us, {}, 1 * GB / second};
  CHECK_THAT(link_of_collective(curve, collective::all_gather, 16, 8).bandwidth / (GB / second),
             WithinRel(15.0 / 16 / 8, 1e-12));
  CHECK_THROWS_AS(link_of_collective(curve, collective::all_reduce, 1), invalid_input);
  CHECK_THROWS_AS(link_of_collective(curve, collective::all_reduce, 2, 0), invalid_input);
}

TEST_CASE("a profile is read back as it was written", "[calibrate][property]") {
  testing::check_property("any measured rates", [] {
    cluster_profile profile{.gpu = "H100-SXM5-80GB"};
    const auto link = [] {
      return interconnect{.latency = *rc::gen::inRange(0, 1000) * 1e-7 * second,
                          .bandwidth = *rc::gen::inRange(1, 100000) * 1.1e7 * byte / second};
    };
    if (*rc::gen::arbitrary<bool>()) profile.scale_up = link();
    if (*rc::gen::arbitrary<bool>()) profile.fabric = link();
    if (*rc::gen::arbitrary<bool>()) profile.memory_bandwidth = 2.5 * TB / second;
    profile.sources.push_back({"nccl.txt", "all_reduce", 0.02, 0.1});
    const cluster_profile read = read_profile(json_of(profile).dump(), "profile");
    RC_ASSERT(read.gpu == profile.gpu);
    RC_ASSERT(read.scale_up.latency == profile.scale_up.latency);
    RC_ASSERT(read.scale_up.bandwidth == profile.scale_up.bandwidth);
    RC_ASSERT(read.fabric.bandwidth == profile.fabric.bandwidth);
    RC_ASSERT(read.memory_bandwidth == profile.memory_bandwidth);
    RC_ASSERT(read.sources.size() == 1 && read.sources[0].p90_error == 0.1);
  });
}

TEST_CASE("a profile that is none is refused by field", "[calibrate][errors]") {
  const auto refused = [](const std::string& text) {
    try {
      read_profile(text, "p.json");
    } catch (const invalid_input& why) {
      return std::string(why.what());
    }
    return std::string{};
  };
  CHECK(refused("") == "p.json must be a JSON object");
  CHECK(refused("[]") == "p.json must be a JSON object");
  CHECK(refused("{}") == "p.json.schema must be gpuplan-profile");
  const std::string head = R"({"schema": "gpuplan-profile", "version": )";
  CHECK(refused(head + "2}") == "p.json.version is later than this program knows");
  CHECK(refused(head + "\"1\"}") == "p.json.version must be a number");
  CHECK(refused(head + "1, \"fabric\": 5}") == "p.json.fabric must be an object");
  CHECK(refused(head + R"(1, "fabric": {"latency_s": 0}})") ==
        "p.json.fabric.bandwidth_bytes_per_s must be a number");
  CHECK(refused(head + R"(1, "fabric": {"latency_s": -1, "bandwidth_bytes_per_s": 5}})") ==
        "p.json.fabric.latency_s must be from 0 to 1000 s");
  CHECK(refused(head + "1, \"gpu\": 5}") == "p.json.gpu must be a name");
  CHECK(refused(head + "1, \"sources\": 5}") == "p.json.sources must be a list");
  CHECK(refused(head + "1, \"sources\": [5], \"newer\": true}").empty());
  testing::check_property("text of any kind", [] {
    try {
      read_profile(*rc::gen::arbitrary<std::string>(), "p");
    } catch (const invalid_input&) {
    }
  });
}

}  // namespace
}  // namespace gpuplan
