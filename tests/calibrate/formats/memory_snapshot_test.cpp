#include <gpuplan/calibrate/formats/memory_snapshot.hpp>

#include <string>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

// As PyTorch 2.9 prints it; the figures are made up.
constexpr const char* summary =
    "step 10\n"
    "|===========================================================================|\n"
    "|                  PyTorch CUDA memory summary, device ID 3                 |\n"
    "|---------------------------------------------------------------------------|\n"
    "|            CUDA OOMs: 1            |        cudaMalloc retries: 2         |\n"
    "|===========================================================================|\n"
    "|        Metric         | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |\n"
    "|---------------------------------------------------------------------------|\n"
    "| Allocated memory      | 184648 KiB |   2048 MiB | 258378 KiB |  73729 KiB |\n"
    "|       from large pool | 184576 KiB |   1 PiB    | 254208 KiB |  69632 KiB |\n"
    "| Active memory         | 184649 KiB |   2049 MiB | 258378 KiB |  73729 KiB |\n"
    "| Requested memory      |    512 B   |   2000 MiB | 258378 KiB |  73729 KiB |\n"
    "| GPU reserved memory   |   3072 MiB |   4096 MiB |      4 GiB |      0 B   |\n"
    "| Allocations           |     100    |     200    |     300    |     200    |\n"
    "|===========================================================================|\n";

std::string refusal(std::string_view text) {
  try {
    static_cast<void>(read_memory_snapshot(text, "mem"));
  } catch (const invalid_input& error) {
    return error.what();
  }
  return "nothing";
}

TEST_CASE("the summary as PyTorch prints it", "[calibrate]") {
  const memory_snapshot read = read_memory_snapshot(summary, "mem");
  CHECK(read.device == 3);
  CHECK(read.out_of_memory == 1);
  CHECK(read.retries == 2);
  CHECK(read.allocated.current == 184648 * KiB);
  CHECK(read.allocated.peak == 2 * GiB);
  CHECK(read.active.peak == 2049 * MiB);
  CHECK(read.requested.current == 512 * byte);
  CHECK(read.reserved.peak == 4 * GiB);
  CHECK(read.unused_at_peak() == 2 * GiB);
  const memory_snapshot second = read_memory_snapshot(
      std::string(summary) +
          "| PyTorch CUDA memory summary, device ID 0 |\n| Active memory | 1 B | 2 B |",
      "mem");
  CHECK(second.active.peak == 2 * byte);
  CHECK(second.allocated.peak == 0 * byte);  // nothing is left of the first table
  CHECK(second.out_of_memory == 0);
  const memory_snapshot last =
      read_memory_snapshot(std::string(summary) + "| Allocated memory | 1 MB | 2 MB |\n", "mem");
  CHECK(last.allocated.current == 1 * MiB);  // as versions before 1.11 print it
}

TEST_CASE("statistics, flat and nested", "[calibrate]") {
  const memory_snapshot flat = read_memory_snapshot(
      R"( {"active_bytes.all.current": 10, "active_bytes.all.peak": 20,
           "allocated_bytes.all.current": 5, "allocated_bytes.all.peak": 15,
           "allocated_bytes.large_pool.peak": "not looked at", "num_alloc_retries": 3,
           "num_ooms": 4, "reserved_bytes.all.current": 100, "reserved_bytes.all.peak": 200,
           "requested_bytes.all.peak": 14, "requested_bytes.all.current": 4})",
      "mem");
  const memory_snapshot nested = read_memory_snapshot(
      R"({"active_bytes": {"all": {"current": 10, "peak": 20, "allocated": 1, "freed": 1}},
          "allocated_bytes": {"all": {"current": 5, "peak": 15}, "large_pool": {"peak": 1}},
          "reserved_bytes": {"all": {"current": 100, "peak": 200}}, "num_ooms": 4,
          "requested_bytes": {"all": {"current": 4, "peak": 14}}, "num_alloc_retries": 3})",
      "mem");
  for (const memory_snapshot& read : {flat, nested}) {
    CHECK(read.allocated.current == 5 * byte);
    CHECK(read.allocated.peak == 15 * byte);
    CHECK(read.active.current == 10 * byte);
    CHECK(read.active.peak == 20 * byte);
    CHECK(read.reserved.current == 100 * byte);
    CHECK(read.reserved.peak == 200 * byte);
    CHECK(read.requested.peak == 14 * byte);
    CHECK(read.retries == 3);
    CHECK(read.out_of_memory == 4);
    CHECK(read.unused_at_peak() == 185 * byte);
  }
}

TEST_CASE("segments, bare or with traces", "[calibrate]") {
  const std::string segments =
      R"([{"device": 1, "address": 1, "total_size": 100, "allocated_size": 60, "active_size": 70,
           "stream": 0, "segment_type": "large", "frames": [{"name": "f", "line": 1}],
           "blocks": [{"address": 1, "size": 60, "state": "active_allocated"},
                      {"size": 10, "state": "active_pending_free"},
                      {"size": 20, "state": "inactive"}, {"size": 10, "state": "inactive"}]},
          {"device": 0, "total_size": 7, "allocated_size": 0, "active_size": 0, "blocks": []},
          {"device": 1, "total_size": 50, "allocated_size": 0, "active_size": 0,
           "blocks": [{"size": 50, "state": "inactive"}]}])";
  const memory_snapshot bare = read_memory_snapshot(segments, "mem");
  const memory_snapshot traced = read_memory_snapshot(
      R"({"device_traces": [[{"action": "alloc"}]], "segments": )" + segments + "}", "mem", 1);
  for (const memory_snapshot& read : {bare, traced}) {
    CHECK(read.device == 1);
    CHECK(read.segments == 2);
    CHECK(read.reserved.current == 150 * byte);
    CHECK(read.allocated.current == 60 * byte);
    CHECK(read.active.current == 70 * byte);
    CHECK(read.largest_free == 50 * byte);
    CHECK(read.allocated.peak == 0 * byte);
  }
  CHECK(read_memory_snapshot(segments, "mem", 0).reserved.current == 7 * byte);
  CHECK(read_memory_snapshot(segments, "mem", 2).segments == 0);
}

TEST_CASE("text that says nothing of memory is refused by line or field", "[calibrate][errors]") {
  CHECK(refusal("") == "mem: must have a table of torch.cuda.memory_summary, or be JSON");
  CHECK(refusal("\x80\x04\x95 pickled") ==
        "mem: must have a table of torch.cuda.memory_summary, or be JSON");
  CHECK(refusal("a\n| Allocated memory | 12 | 13 KiB |") ==
        "mem: line 2: Allocated memory must be a size, as 184648 KiB, not '12'");
  CHECK(refusal("| Allocated memory | 12 KiB |") ==
        "mem: line 1: Allocated memory must be a size, as 184648 KiB, not ''");
  CHECK(refusal("| Allocated memory | 1 KiB x | 1 KiB |") ==
        "mem: line 1: Allocated memory must be a size, as 184648 KiB, not '1 KiB x'");
  CHECK(refusal("| CUDA OOMs: many | cudaMalloc retries: 0 |") ==
        "mem: line 1: CUDA OOMs: must be a whole number in range, not 'many'");
  CHECK(refusal("PyTorch CUDA memory summary, device ID 1e12") ==
        "mem: line 1: device ID must be a whole number in range, not '1e12'");
  CHECK(refusal("{}") == "mem: allocated_bytes.all.peak is missing");
  CHECK(refusal(R"({"allocated_bytes": {"all": {"peak": -1}}})") ==
        "mem: allocated_bytes.all: peak must be bytes from 0 to 1e18, not -1");
  CHECK(refusal(R"([{"device": 0}])") == "mem: segments[0]: total_size is missing");
  CHECK(refusal(R"([{"total_size": 1, "allocated_size": 1, "active_size": 1, "blocks": [{}]}])") ==
        "mem: segments[0].blocks: size is missing");
  CHECK(refusal(R"([{"total_size": 1, "allocated_size": 1, "active_size": 1, "blocks": 1}])") ==
        "mem: segments[0]: blocks must be an array, not 1");
}

}  // namespace
}  // namespace gpuplan
