#include <gpuplan/calibrate/profile.hpp>

#include <string>

#include <gpuplan/calibrate/profile_reader.hpp>
#include <gpuplan/comm/all_reduce.hpp>
#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/hardware/sustained_rate.hpp>

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

TEST_CASE("products of a profile are found by their format", "[calibrate]") {
  const cluster_profile some{
      .products = {.fp32 = 50 * TFLOP / second, .bf16 = 600 * TFLOP / second}};
  CHECK(measured_products(some, number_format::fp32) == 50 * TFLOP / second);
  CHECK(measured_products(some, number_format::bf16) == 600 * TFLOP / second);
  for (const number_format format : number_formats)
    if (format != number_format::fp32 && format != number_format::bf16)
      CHECK(measured_products(some, format) == flop_per_second{0});
}

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
  const cluster_profile all{.memory_bandwidth = 1.01 * pool.gpu().memory_bandwidth,
                            .products = {.bf16 = 600 * TFLOP / second},
                            .memory = 79 * GiB};
  const cluster best = calibrated(pool, all);
  CHECK(best.gpu().achieved_memory_bandwidth == pool.gpu().memory_bandwidth);
  CHECK(best.gpu().memory == 79 * GiB);
  CHECK(best.gpu().memory_from == memory_origin::given);
  CHECK(same.gpu().memory_from == memory_origin::driver);
  CHECK(best.gpu().achieved.bf16 == 600 * TFLOP / second);
  CHECK_THAT(sustained_rate(best.gpu(), number_format::bf16) / (TFLOP / second),
             WithinRel(600 * sustained_share, 1e-12));
  CHECK(best.gpu().achieved.fp16 == pool.gpu().achieved.fp16);
  CHECK(best.gpu().sustained.fp16 == pool.gpu().sustained.fp16);
  require_valid(best);
  const interconnect host{.latency = 8 * us, .bandwidth = 50 * GB / second};
  const cluster hosted = calibrated(pool, {.host = host});
  CHECK(interconnect_of(hosted.gpu().host).bandwidth == host.bandwidth);
  CHECK(interconnect_of(hosted.gpu().host).latency == host.latency);
  CHECK(hosted.node.scale_up.bandwidth == pool.node.scale_up.bandwidth);
  // A latency that was not measured stays as it is listed.
  const cluster half = calibrated(
      pool, {.scale_up = {.bandwidth = 300 * GB / second}, .host = {.bandwidth = 9 * GB / second}});
  CHECK(half.node.scale_up.latency == pool.node.scale_up.latency);
  CHECK(half.node.scale_up.bandwidth == 300 * GB / second);
  CHECK(half.gpu().host.latency == pool.gpu().host.latency);
  // GPUs that meet through their host do so at its measured rate.
  const cluster bridgeless = cluster_of(node_of(*catalog::find_accelerator("T4")->gpu, 4, {}), 4);
  CHECK(calibrated(bridgeless, {.host = host}).node.scale_up.bandwidth == host.bandwidth);
  // Nor is a link needed that a cluster does not have.
  cluster own = pool;
  own.node.gpu.host = {};
  own.node.gpu.scale_up = {};
  CHECK(calibrated(own, {.memory_bandwidth = 2 * TB / second}).node.scale_up.bandwidth ==
        pool.node.scale_up.bandwidth);
  const workspace beside = calibrated(workspace{}, {.cuda_context = 321 * MB});
  CHECK(beside.cuda_context == 321 * MB);
  CHECK(beside.communicator == workspace{}.communicator);
  CHECK(calibrated(workspace{}, {.communicator = 5 * MB}).communicator == 5 * MB);
  CHECK_THROWS_AS(calibrated(workspace{}, {.communicator = -5 * MB}), invalid_input);
  for (const cluster_profile& beyond :
       {cluster_profile{.memory_bandwidth = 1.03 * pool.gpu().memory_bandwidth},
        cluster_profile{.memory_bandwidth = -1 * TB / second},
        cluster_profile{.products = {.bf16 = 1.03 * pool.gpu().peak.bf16}},
        cluster_profile{.products = {.fp4 = 1 * TFLOP / second}},
        cluster_profile{.host = {.latency = 1 * us}}, cluster_profile{.memory = -1 * GiB},
        cluster_profile{.memory_bandwidth = 0.009 * pool.gpu().memory_bandwidth},
        cluster_profile{.memory = 1.11 * pool.gpu().memory},
        cluster_profile{.memory = 0.009 * pool.gpu().memory}})
    CHECK_THROWS_AS(calibrated(pool, beyond), invalid_input);
  CHECK_THROWS_AS(calibrated(pool, {.fabric = {.latency = 1 * us}}), invalid_input);
  const pipelined_link curve{1 * us, {}, 1 * GB / second};
  CHECK_THAT(link_of_collective(curve, collective::all_gather, 16, 8).bandwidth / (GB / second),
             WithinRel(15.0 / 16 / 8, 1e-12));
  CHECK_THROWS_AS(link_of_collective(curve, collective::all_reduce, 1), invalid_input);
  CHECK_THROWS_AS(link_of_collective(curve, collective::all_reduce, 2, 0), invalid_input);
}

TEST_CASE("what was measured later takes the place of what was before", "[calibrate]") {
  const cluster_profile first{.gpu = "H100-SXM5-80GB",
                              .scale_up = measured,
                              .memory_bandwidth = 3 * TB / second,
                              .products = {.fp32 = 60 * TFLOP / second},
                              .sources = {{.file = "a"}}};
  const cluster_profile second_one{.fabric = measured,
                                   .memory_bandwidth = 2 * TB / second,
                                   .products = {.bf16 = 600 * TFLOP / second},
                                   .cuda_context = 4 * MB,
                                   .sources = {{.file = "b"}}};
  const cluster_profile both = merged(first, second_one);
  CHECK(both.gpu == "H100-SXM5-80GB");
  CHECK(both.scale_up.bandwidth == measured.bandwidth);
  CHECK(both.fabric.bandwidth == measured.bandwidth);
  CHECK(both.host.bandwidth == bytes_per_second{0});
  CHECK(both.memory_bandwidth == 2 * TB / second);
  CHECK(both.products.fp32 == 60 * TFLOP / second);
  CHECK(both.products.bf16 == 600 * TFLOP / second);
  CHECK(both.cuda_context == 4 * MB);
  CHECK(both.sources.size() == 2);
  CHECK(merged(second_one, first).gpu == "H100-SXM5-80GB");
  CHECK_THROWS_WITH(
      merged(first, {.gpu = "T4"}),
      "merged: cluster_profile.gpu must be the same in both, not H100-SXM5-80GB and T4");
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
    if (*rc::gen::arbitrary<bool>()) profile.host = link();
    if (*rc::gen::arbitrary<bool>()) profile.memory_bandwidth = 2.5 * TB / second;
    for (const auto format : detail::peak_fields)
      if (*rc::gen::arbitrary<bool>()) profile.products.*format = link().bandwidth / byte * FLOP;
    const auto size = [] { return *rc::gen::inRange(0, 1000) * 1.5 * MB; };
    profile.memory = size();
    profile.cuda_context = size();
    profile.communicator = size();
    profile.sources.push_back({"nccl.txt", "all_reduce", 0.02, 0.1, "H100", "2026-01-02"});
    const cluster_profile read = read_profile(json_of(profile).dump(), "profile");
    RC_ASSERT(read.gpu == profile.gpu);
    RC_ASSERT(read.scale_up.latency == profile.scale_up.latency);
    RC_ASSERT(read.scale_up.bandwidth == profile.scale_up.bandwidth);
    RC_ASSERT(read.fabric.bandwidth == profile.fabric.bandwidth);
    RC_ASSERT(read.memory_bandwidth == profile.memory_bandwidth);
    RC_ASSERT(read.host.bandwidth == profile.host.bandwidth);
    for (const number_format format : number_formats)
      RC_ASSERT(read.products[format] == profile.products[format]);
    RC_ASSERT(read.memory == profile.memory);
    RC_ASSERT(read.cuda_context == profile.cuda_context);
    RC_ASSERT(read.communicator == profile.communicator);
    RC_ASSERT(read.sources[0].device == "H100" && read.sources[0].time_utc == "2026-01-02");
    RC_ASSERT(read.sources.size() == 1 && read.sources[0].p90_error == 0.1);
  });
}

TEST_CASE("a profile of version 1 is read as it always was", "[calibrate]") {
  const cluster_profile old = read_profile(R"({"schema": "gpuplan-profile", "version": 1,
      "gpu": "H100-SXM5-80GB", "scale_up": {"latency_s": 1e-6, "bandwidth_bytes_per_s": 4e11},
      "memory_bandwidth_bytes_per_s": 3e12,
      "sources": [{"file": "a.txt", "what": "b", "median_error": 0.1, "p90_error": 0.2}]})",
                                           "old");
  CHECK(old.gpu == "H100-SXM5-80GB");
  CHECK(old.scale_up.bandwidth == 400 * GB / second);
  CHECK(old.memory_bandwidth == 3 * TB / second);
  CHECK(old.sources.at(0).device.empty());
  CHECK(old.products.bf16 == flop_per_second{0});
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
  CHECK(refused("") == "p.json: is empty");
  CHECK(refused("[]") == "p.json must be a JSON object");
  CHECK(refused("{}") == "p.json.schema must be gpuplan-profile");
  const std::string head = R"({"schema": "gpuplan-profile", "version": )";
  CHECK(refused(head + "5}") == "p.json.version is newer than this program can read");
  CHECK(refused(head + "1.5}") == "p.json.version must be a whole number >= 1");
  CHECK(refused(head + "0}") == "p.json.version must be a whole number >= 1");
  CHECK(refused(head + "2, \"products_flop_per_s\": 5}") ==
        "p.json.products_flop_per_s must be an object");
  CHECK(refused(head + "2, \"products_flop_per_s\": {\"bf16\": 0}}") ==
        "p.json.products_flop_per_s.bf16 must be from 1 to 1e24 FLOP/s");
  CHECK(refused(head + "2, \"memory_bytes\": -1}") ==
        "p.json.memory_bytes must be from 1 to 1e18 B");
  CHECK(refused(head + "2, \"host\": []}") == "p.json.host must be an object");
  CHECK(refused(head + "\"1\"}") == "p.json.version must be a number");
  CHECK(refused(head + "1, \"fabric\": 5}") == "p.json.fabric must be an object");
  CHECK(refused(head + R"(1, "fabric": {"latency_s": 0}})") ==
        "p.json.fabric.bandwidth_bytes_per_s must be a number");
  CHECK(refused(head + R"(1, "fabric": {"latency_s": -1, "bandwidth_bytes_per_s": 5}})") ==
        "p.json.fabric.latency_s must be from 0 to 1000 s");
  CHECK(refused(head + "1, \"gpu\": 5}") == "p.json.gpu must be a name");
  CHECK(refused(head + "1, \"sources\": 5}") == "p.json.sources must be a list");
  CHECK(refused(head + R"(1, "sources": [5, {"note": "who"}]})").empty());
  CHECK(refused(head + "1, \"newer\": true}") == "p.json: newer is not a known field");
  CHECK(refused(head + "1, \"fabrik\": {}}") ==
        "p.json: fabrik is not a known field; did you mean fabric?");
  CHECK(refused(head + R"(1, "fabric": {"latency": 0, "bandwidth_bytes_per_s": 5}})") ==
        "p.json.fabric: latency is not a known field; did you mean latency_s?");
  CHECK(refused(head + R"(1, "products_flop_per_s": {"bf61": 1e14}})") ==
        "p.json.products_flop_per_s: bf61 is not a known field");
  testing::check_property("text of any kind", [] {
    try {
      read_profile(*rc::gen::arbitrary<std::string>(), "p");
    } catch (const invalid_input&) {
    }
  });
}

}  // namespace
}  // namespace gpuplan
