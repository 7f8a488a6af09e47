#include <gpuplan/api/cluster_reader.hpp>

#include <limits>
#include <string>

#include "support/property.hpp"
#include "support/refusal.hpp"

namespace gpuplan::api {
namespace {

using namespace units;
using nlohmann::json;

cluster_request read(const json& object) {
  return read_cluster(json_fields{object, "cluster"});
}

std::string refusal_of_object(const json& object) {
  return testing::refusal_by([&] { return read(object); });
}

TEST_CASE("an empty object is a cluster as usual", "[api]") {
  const cluster_request asked = read(json::object());
  CHECK(asked.gpu == default_gpu);
  CHECK(asked.gpus == 0);
  CHECK(asked.fabric.empty());
  CHECK(asked.link.bandwidth == bytes_per_second{0});
}

TEST_CASE("a fabric is a name or a link", "[api]") {
  CHECK(read({{"fabric", "NDR"}}).fabric == "NDR");
  const cluster_request linked =
      read({{"fabric", {{"latency_s", 5e-6}, {"bandwidth_bytes_per_s", 50e9}}}});
  CHECK(linked.fabric.empty());
  CHECK(linked.link.latency.in_base_units() == 5e-6);
  CHECK(linked.link.bandwidth == 50 * GB / second);
}

TEST_CASE("quantities and a fabric may be texts with their units", "[api]") {
  const cluster_request asked = read({{"gpus", 8.0},
                                      {"fabric", "400Gb/s"},
                                      {"gpu_memory_bytes", "80GiB"},
                                      {"preprocessing_s", "3ms"}});
  CHECK(asked.gpus == 8);
  CHECK(asked.fabric.empty());
  CHECK(asked.link.bandwidth == 50 * GB / second);
  CHECK(asked.link.latency == 5 * us);
  CHECK(asked.memory == 80 * GiB);
  CHECK(asked.preprocessing == 3 * ms);
  CHECK(refusal_of_object({{"gpu_memory_bytes", "80"}})
            .starts_with("cluster: gpu_memory_bytes: '80' has no unit"));
  CHECK(refusal_of_object({{"slowest", "2"}}) ==
        "cluster: slowest must be a number, not the string \"2\"");
  CHECK(refusal_of_object({{"fabric", ""}}) == "cluster: fabric must not be empty");
  CHECK(refusal_of_object({{"fabric", "0.1B/s"}}) == "cluster: fabric must be >= 1 B/s");
  CHECK(link_of_rate("1B/s", "fabric").bandwidth == bytes_per_second{1});
}

TEST_CASE("what a cluster cannot hold is refused, and says where", "[api]") {
  CHECK(refusal_of_object({{"gpuz", 1}}) ==
        "cluster: gpuz is not a known field; did you mean gpu or gpus?");
  CHECK(refusal_of_object({{"gpu", 100}}) == "cluster: gpu must be a string, not 100");
  CHECK(refusal_of_object({{"gpus", 0}}) == "cluster: gpus must be >= 1, not 0");
  CHECK(refusal_of_object({{"slowest", 0.5}}) ==
        "cluster: slowest must be 1.0 to 1000000.0, not 0.5");
  CHECK(refusal_of_object({{"slowest", std::numeric_limits<double>::quiet_NaN()}})
            .starts_with("cluster: slowest must be 1.0 to "));
  CHECK(refusal_of_object({{"fabric", 400}}) == "cluster: fabric: must be a JSON object, not 400");
  CHECK(refusal_of_object({{"fabric", {{"latency_s", 5e-6}}}}) ==
        "cluster: fabric: bandwidth_bytes_per_s is missing");
  CHECK(refusal_of_object({{"fabric", {{"latency", 5e-6}, {"bandwidth_bytes_per_s", 1e9}}}})
            .starts_with("cluster: fabric: latency is not a known field; did you mean latency_s?"));
}

TEST_CASE("a cluster that is written reads to the same cluster", "[api][property]") {
  testing::check_property("read after written is what was", [] {
    cluster_request asked{.gpu = *rc::gen::element<std::string>("H100", "A100-40GB", "x y"),
                          .gpus = *rc::gen::inRange(1, 5000)};
    asked.gpus_per_node = *rc::gen::inRange(1, 73);
    if (*rc::gen::arbitrary<bool>())
      asked.fabric = "InfiniBand NDR 4x";
    else
      asked.link = {.latency = *rc::gen::inRange(0, 90) * us,
                    .bandwidth = *rc::gen::inRange(1, 900) * GB / second};
    for (const field<cluster_request>& row : cluster_fields)
      if (row.value.get != nullptr && *rc::gen::inRange(0, 4) == 0)
        row.value.set(asked, *rc::gen::element(row.value.least, 3 * row.value.least));
    const report_json written = json_of(asked);
    const cluster_request back = read(json::parse(written.dump()));
    for (const field<cluster_request>& row : cluster_fields)
      if (row.value.get != nullptr) RC_ASSERT(row.value.get(back) == row.value.get(asked));
    RC_ASSERT(back.gpu == asked.gpu);
    RC_ASSERT(back.fabric == asked.fabric);
    RC_ASSERT(back.link.bandwidth == asked.link.bandwidth);
    RC_ASSERT(json_of(back) == written);
  });
}

TEST_CASE("fields as usual that are seldom asked are not written", "[api]") {
  const report_json written = json_of(cluster_request{.gpus = 8, .fabric = "NDR"});
  CHECK(written.dump() == R"({"gpu":"H100-SXM5-80GB","gpus":8,"gpus_per_node":0,"fabric":"NDR"})");
  CHECK(json_of(cluster_request{.gpus = 8, .slowest = 1.5}).contains("slowest"));
}

}  // namespace
}  // namespace gpuplan::api
