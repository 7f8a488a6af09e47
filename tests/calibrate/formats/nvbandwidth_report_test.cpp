#include <gpuplan/calibrate/formats/nvbandwidth_report.hpp>

#include <string>
#include <vector>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

// As version 0.8 prints it for two GPUs, with -v; the figures are made up.
constexpr const char* of_two_gpus = R"json({
	"nvbandwidth" :
	{
		"CUDA Runtime Version" : 12080,
		"Driver Version" : "570.00",
		"GPU Device list" : [ "0: NVIDIA X (00000000:1b:00)", "1: NVIDIA X (00000000:43:00)" ],
		"git_version" : "",
		"testcases" :
		[
			{
				"average" : 55.0,
				"bandwidth_description" : "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s) ",
				"bandwidth_matrix" : [ [ "55.5", "54.5" ] ],
				"max" : 55.5, "min" : 54.5,
				"name" : "host_to_device_memcpy_ce",
				"status" : "Passed",
				"sum" : 110.0
			},
			{
				"bandwidth_description" : "memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s) ",
				"bandwidth_matrix" : [ [ "N/A", "396.25" ], [ "395.75", "N/A" ] ],
				"name" : "device_to_device_memcpy_read_ce",
				"status" : "Passed",
				"sum" : 792.0
			},
			{
				"bandwidth_description" : "memory latency SM CPU(row) <-> GPU(column) (ns)",
				"bandwidth_matrix" : [ [ "650.5", "652.5" ] ],
				"name" : "host_device_latency_sm",
				"status" : "Passed",
				"sum" : 1303.0
			},
			{ "name" : "multinode_device_to_device_memcpy_read_ce", "status" : "Waived" }
		]
	}
})json";

std::string refusal(std::string_view text) {
  try {
    static_cast<void>(read_nvbandwidth(text, "nvb.json"));
  } catch (const invalid_input& error) {
    return error.what();
  }
  return "nothing";
}

std::string of_test(const std::string& test) {
  return R"({"nvbandwidth": {"testcases": [)" + test + "]}}";
}

TEST_CASE("a report as nvbandwidth prints it", "[calibrate]") {
  const nvbandwidth_report report = read_nvbandwidth(of_two_gpus, "nvb.json");
  CHECK(report.driver == "570.00");
  CHECK(report.devices == std::vector<std::string>{"NVIDIA X", "NVIDIA X"});
  CHECK(report.error.empty());
  REQUIRE(report.tests.size() == 4);

  const nvbandwidth_test* host = report.find("host_to_device_memcpy_ce");
  REQUIRE(host != nullptr);
  CHECK(host->status == nvbandwidth_status::passed);
  CHECK(host->rows == 1);
  CHECK(host->columns == 2);
  CHECK(host->sum() == 110 * GB / second);     // as the tool says
  CHECK(host->average() == 55 * GB / second);  // likewise
  CHECK(host->slowest() == 54.5 * GB / second);

  const nvbandwidth_test& peers = report.tests[1];
  CHECK(peers.measured() == 2);
  CHECK(peers.bandwidths[0] == bytes_per_second{0});
  CHECK(peers.bandwidths[1] == 396.25 * GB / second);
  CHECK(peers.average() == 396 * GB / second);

  const nvbandwidth_test& latency = report.tests[2];
  CHECK(latency.bandwidths.empty());
  CHECK(latency.measured() == 2);
  CHECK(latency.latencies[1] == 652.5 * ns);
  CHECK_THROWS_AS(latency.average(), invalid_input);
  CHECK_THROWS_AS(latency.slowest(), invalid_input);

  CHECK(report.tests[3].status == nvbandwidth_status::waived);
  CHECK(report.find("no_such_test") == nullptr);
}

TEST_CASE("of both directions between devices the sum of both is kept", "[calibrate]") {
  const auto test = [](const std::string& sum) {
    return of_test(
        R"json({"name": "device_to_device_bidirectional_memcpy_read_ce", "status": "Passed",
        "bandwidth_description": "memcpy CE GPU(row) <-> GPU(column) Total bandwidth (GB/s) ",
        "bandwidth_matrix": [["N/A", "100"], ["101", "N/A"], ["N/A", "110"], ["111", "N/A"],
                             ["N/A", "210"], ["212", "N/A"]], "sum": )json" +
        sum + "}");
  };
  const nvbandwidth_test both = read_nvbandwidth(test("422.0001"), "nvb.json").tests.at(0);
  CHECK(both.rows == 2);
  CHECK(both.columns == 2);
  REQUIRE(both.bandwidths.size() == 4);
  CHECK(both.bandwidths[1] == 210 * GB / second);
  CHECK(both.sum() == 422 * GB / second);
  CHECK(read_nvbandwidth(test("844"), "nvb.json").tests.at(0).rows == 6);
  CHECK(read_nvbandwidth(test("null"), "nvb.json").tests.at(0).rows == 6);
  CHECK(refusal(test("423")) ==
        "nvb.json: nvbandwidth.testcases[0]: sum must be that of the matrix, or of the last of "
        "several of one height");
}

TEST_CASE("what went wrong is kept: of the tool, and of a test", "[calibrate]") {
  const nvbandwidth_report failed =
      read_nvbandwidth(R"({"nvbandwidth": {"error": "no device"}})", "nvb.json");
  CHECK(failed.error == "no device");
  CHECK(failed.tests.empty());
  const nvbandwidth_report one = read_nvbandwidth(
      of_test(R"({"name": "a", "status": "Error", "error": "Verification failed"})"), "nvb.json");
  CHECK(one.tests[0].status == nvbandwidth_status::error);
  CHECK(one.tests[0].error == "Verification failed");
  const nvbandwidth_report empty = read_nvbandwidth(
      of_test(R"json({"name": "a", "status": "Passed", "bandwidth_description": "(GB/s)",
                      "bandwidth_matrix": [null]})json"),
      "nvb.json");
  CHECK(empty.tests[0].columns == 0);
  CHECK(empty.tests[0].measured() == 0);
}

TEST_CASE("a report that is none is refused by field", "[calibrate][errors]") {
  CHECK(refusal("Running host_to_device_memcpy_ce.") ==
        "nvb.json: is not JSON at line 1, column 1");
  CHECK(refusal("{}") == "nvb.json: nvbandwidth is missing");
  CHECK(refusal(R"({"nvbandwidth": {}})") == "nvb.json: nvbandwidth: testcases is missing");
  CHECK(refusal(of_test("{}")) == "nvb.json: nvbandwidth.testcases[0]: name is missing");
  CHECK(refusal(of_test(R"({"name": "a"})")) ==
        "nvb.json: nvbandwidth.testcases[0]: status is missing");
  CHECK(refusal(of_test(R"({"name": "a", "status": "Passd"})"))
            .starts_with("nvb.json: nvbandwidth.testcases[0]: status must be one of Passed"));
  const auto matrix = [](const std::string& rows, const std::string& unit) {
    return refusal(of_test(R"({"name": "a", "status": "Passed", "bandwidth_description": ")" +
                           unit + R"(", "bandwidth_matrix": )" + rows + "}"));
  };
  const std::string at = "nvb.json: nvbandwidth.testcases[0]: bandwidth_";
  CHECK(matrix("[]", "furlongs") == at + "description must end with GB/s or (ns)");
  CHECK(matrix("[1]", "GB/s") == at + "matrix must be an array of arrays, not of 1");
  CHECK(matrix("[[1, 2], [3]]", "GB/s") == at + "matrix must have rows of one length");
  for (const char* cell :
       {R"("x")", R"("1 2")", R"("nan")", R"("-1")", "-1", R"("1e10")", "true", "null", R"("")"})
    CHECK(matrix("[[" + std::string(cell) + "]]", "GB/s")
              .starts_with(at + "matrix must hold numbers from 0 to 1e9 or N/A, not "));
}

}  // namespace
}  // namespace gpuplan
