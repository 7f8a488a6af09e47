#include <gpuplan/calibrate/formats/nccl_tests_json.hpp>

#include <string>
#include <vector>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

// As version 2.17 writes it for two processes of one GPU each; the figures are made up.
constexpr const char* of_two_ranks =
    R"({"version":2,"start_time":"2026-01-01 00:00:00",)"
    R"("args":["/opt/nccl-tests/build/all_reduce_perf","-b","8","-J","out.json"],)"
    R"("env":["HOME=\/root","A=1"],"nccl_version":22803,)"
    R"("config":{"nthreads":1,"ngpus":1,"minimum_bytes":8,"maximum_bytes":134217728,)"
    R"("step_factor":2,"warmup_iters":1,"iterations":20,"aggregated_iterations":1,"validation":1,)"
    R"("graph":0,"blocking_collectives":"false","per_iter_timing":"false","parallel_init":"false",)"
    R"("devices":[{"rank":0,"group":0,"pid":12,"hostname":"host-a","device":0,)"
    R"("device_hex":"0000:07:00","device_info":"NVIDIA X"},)"
    R"({"rank":1,"group":0,"pid":13,"hostname":"host-b","device":0,)"
    R"("device_hex":"0000:07:00","device_info":"NVIDIA X"}]},)"
    R"("results":[{"size":8,"count":2,"type":"float","redop":"sum","root":"    -1",)"
    R"("out_of_place":{"time":12.500000,"alg_bw":0.000640,"bus_bw":0.000480,"nwrong":0.000000},)"
    R"("in_place":{"time":12.250000,"alg_bw":0.000653,"bus_bw":0.000653,"nwrong":null},)"
    R"("actual_iterations":20,"experiment_name":null},)"
    R"({"size":134217728,"count":33554432,"type":"float","redop":"sum","root":"    -1",)"
    R"("out_of_place":{"time":1000.000000,"alg_bw":134.217728,"bus_bw":134.217728,"nwrong":2.0},)"
    R"("in_place":{"time":998.000000,"alg_bw":134.486701,"bus_bw":134.486701,"nwrong":0.0},)"
    R"("actual_iterations":20,"experiment_name":null}],)"
    R"("out_of_bounds":{"count":0,"okay":"true"},)"
    R"("average_bus_bandwidth":{"bandwidth":67.2,"okay":"unchecked"},)"
    R"("errors":[],"end_time":"2026-01-01 00:00:09"})";

std::string refusal(std::string_view text) {
  try {
    static_cast<void>(read_nccl_tests_json(text, "nccl.json"));
  } catch (const invalid_input& error) {
    return error.what();
  }
  return "nothing";
}

TEST_CASE("a log as nccl-tests writes it in JSON", "[calibrate]") {
  const nccl_tests_log log = read_nccl_tests_json(of_two_ranks, "nccl.json");
  CHECK(log.name == "all_reduce_perf");
  CHECK(log.ranks == 2);
  CHECK(log.nodes == 2);
  CHECK(log.faulty == 0);
  REQUIRE(log.rows.size() == 2);
  CHECK(log.rows[0].message == 8 * byte);
  CHECK_THAT(log.rows[0].out_of_place / us, WithinRel(12.5, 1e-12));
  CHECK_THAT(log.rows[1].in_place / us, WithinRel(998.0, 1e-12));
  CHECK_THAT(log.rows[0].bus_over_algorithm, WithinRel(0.75, 1e-12));
  CHECK(log.rows[1].bus_over_algorithm == 1);
  CHECK(log.rows[0].wrong == 0);
  CHECK(log.rows[1].wrong == 2);
  CHECK(collective_of(log) == collective::all_reduce);
  CHECK(log.devices == std::vector<std::string>{"NVIDIA X"});
  CHECK(log.wrong() == 2);
}

TEST_CASE("what came out of a run in JSON", "[calibrate]") {
  const auto wrong = [](const std::string& outcome, const std::string& in_place = "0.0") {
    return read_nccl_tests_json(
               R"({"results": [{"size": 8, "out_of_place": {"time": 1, "nwrong": 0.0}, "in_place":)"
               R"({"time": 1, "nwrong": )" +
                   in_place + R"(}}], "out_of_bounds": )" + outcome + "}",
               "nccl.json")
        .wrong();
  };
  CHECK(wrong(R"({"count": 0, "okay": "true"})") == 0);
  CHECK(wrong(R"({"count": 3, "okay": "false"})") == 3);
  CHECK(wrong(R"({"count": 0, "okay": false})") == 1);
  CHECK(wrong("null", "4.0") == 4);
}

TEST_CASE("other shapes of logs: threads of many GPUs, CPU time, no rates, no out-of-place",
          "[calibrate]") {
  const nccl_tests_log log = read_nccl_tests_json(
      R"({"config": {"nthreads": 2, "ngpus": 4, "devices": [{"rank": 0, "hostname": "a"}]},
          "results": [{"size": 8, "out_of_place": {"cpu_time": 3, "alg_bw": "nan", "bus_bw": "-nan",
                                                   "nwrong": null}},
                      {"size": 8, "out_of_place": null, "in_place": {"time": 1}}]})",
      "nccl.json");
  CHECK(log.ranks == 8);
  CHECK(log.nodes == 1);
  REQUIRE(log.rows.size() == 1);
  CHECK_THAT(log.rows[0].out_of_place / us, WithinRel(3.0, 1e-12));
  CHECK(log.rows[0].bus_over_algorithm == 0);
}

TEST_CASE("a JSON log that is none is refused by field", "[calibrate][errors]") {
  CHECK(refusal("# nThread 1") == "nccl.json: is not JSON at line 1, column 1");
  CHECK(refusal("{}") == "nccl.json: results is missing");
  CHECK(refusal(R"({"results": [{}]})") == "nccl.json: results[0]: size is missing");
  CHECK(refusal(R"({"results": [{"size": 8, "out_of_place": {}}]})") ==
        "nccl.json: results[0].out_of_place: cpu_time is missing");
  CHECK(refusal(R"({"results": [{"size": 8, "out_of_place": {"time": 0}}]})") ==
        "nccl.json: results[0].out_of_place: time must be microseconds, > 0 and <= 1e15, not 0");
  CHECK(refusal(R"({"results": [{"size": -8}]})") ==
        "nccl.json: results[0]: size must be bytes from 0 to 1e18, not -8");
  CHECK(
      refusal(R"({"results": [{"size": 8, "out_of_place": {"time": 1, "alg_bw": "fast"}}]})") ==
      "nccl.json: results[0].out_of_place: alg_bw must be a number from 0 to 1e18, not the string "
      "\"fast\"");
  CHECK(refusal(R"({"results": [],
                    "config": {"nthreads": 1000000, "ngpus": 1000000, "devices": [{}]}})") ==
        "nccl.json: config: ngpus makes more than 1000000000 ranks");
  CHECK(refusal(R"({"results": [], "config": {"devices": [1]}})") ==
        "nccl.json: config.devices: must be a JSON object, not 1");
}

}  // namespace
}  // namespace gpuplan
