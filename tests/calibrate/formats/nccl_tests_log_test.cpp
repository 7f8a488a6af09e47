#include <gpuplan/calibrate/formats/nccl_tests_log.hpp>

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr const char* of_two =
    "# nThread 1 nGpus 2 minBytes 8 maxBytes 134217728 step: 2(factor)\n"
    "# Using devices\n"
    "#  Rank  0 Group  0 Pid  12 on  host device  0 [0x07] NVIDIA A100\n"
    "#  Rank  1 Group  0 Pid  12 on  host device  1 [0x0f] NVIDIA A100\n"
    "#\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time"
    "   algbw   busbw #wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)"
    "  (GB/s)  (GB/s)\n"
    "           8             2     float     sum      -1    12.50    0.00    0.00      0    12.25"
    "    0.00    0.00      0\n"
    "         256            64     float     sum      -1    12.50    0.02    0.03      0    12.25"
    "    0.02    0.03      0\n"
    "   134217728      33554432     float     sum      -1   1000.0  134.22  134.22      0   998.0"
    "  134.49  134.49    N/A\n"
    "# Out of bounds values : 0 OK\n"
    "# Avg bus bandwidth    : 67.1\n";

TEST_CASE("a log as nccl-tests prints it", "[calibrate]") {
  const nccl_tests_log log = read_nccl_tests(of_two);
  CHECK(log.ranks == 2);
  CHECK(log.nodes == 1);
  CHECK(log.faulty == 0);
  REQUIRE(log.rows.size() == 3);
  CHECK(log.rows[0].message == 8 * byte);
  CHECK_THAT(log.rows[0].out_of_place / us, WithinRel(12.5, 1e-12));
  CHECK_THAT(log.rows[2].in_place / us, WithinRel(998.0, 1e-12));
  CHECK(log.rows[2].bus_over_algorithm == 1);
  CHECK(collective_of(log) == collective::all_reduce);  // 2 (p - 1)/p = 1 of two ranks
  CHECK(log.samples().size() == 3);
}

TEST_CASE("other shapes of rows: no operation, an error for #wrong, no in-place columns",
          "[calibrate]") {
  const nccl_tests_log log = read_nccl_tests(
      "# Collective test starting: alltoall_perf\n"
      "  1024  256  float  20.0  0.05  0.04  0e+00  0.5  0.05  0.04  0e+00\n"
      "  2048  512  float  none  -1  20.0  0.10  0.09  2\r\n"
      "out of memory\n");
  CHECK(log.rows.size() == 2);
  CHECK(log.rows[0].in_place == 0.5 * us);
  CHECK(log.rows[1].in_place == seconds{0});
  CHECK(log.rows[1].wrong == 2);
  CHECK(log.name == "alltoall_perf");
  CHECK(collective_of(log) == collective::all_to_all);
}

TEST_CASE("the test that is named decides the collective", "[calibrate]") {
  const auto of = [](const std::string& name) {
    nccl_tests_log log{.ranks = 8, .name = name};
    log.rows.push_back({.message = 8 * byte, .out_of_place = 1 * us, .bus_over_algorithm = 1});
    return log;
  };
  for (const named<collective>& each : nccl_tests_names) {
    CHECK(find_collective(of(std::string(each.name))) == each.value);
    CHECK(find_collective(of(std::string(each.name) + "_mpi")) == each.value);
    CHECK(of(std::string(each.name) + "_mpi").test() == each.name);
  }
  for (const char* other : {"sendrecv_perf", "hypercube_perf", "gather_perf", "scatter_perf_mpi"}) {
    CHECK_FALSE(find_collective(of(other)));
    CHECK_THROWS_AS(collective_of(of(other)), invalid_input);
  }
  CHECK(find_collective(of("a.out")) == collective::broadcast);  // by its rates: it names no test
  CHECK(find_collective(of("")) == collective::broadcast);
  CHECK(read_nccl_tests("# Collective test starting: sendrecv_perf_mpi\n").test() ==
        "sendrecv_perf");
}

TEST_CASE("a log says what it was measured on, and how many values were wrong", "[calibrate]") {
  const nccl_tests_log two = read_nccl_tests(of_two);
  CHECK(two.devices == std::vector<std::string>{"NVIDIA A100"});
  CHECK(two.wrong() == 0);
  CHECK(two.next_log == 0);
  const std::string row = "8 2 float sum -1 1.0 0.01 0.01 ";
  CHECK(read_nccl_tests(row + "0 1.0 0.01 0.01 0\n").wrong() == 0);
  CHECK(read_nccl_tests(row + "2 1.0 0.01 0.01 0\n").wrong() == 2);
  CHECK(read_nccl_tests(row + "0 1.0 0.01 0.01 3\n").wrong() == 3);
  CHECK(read_nccl_tests(row + "N/A 1.0 0.01 0.01 N/A\n").wrong() == 0);
  CHECK(read_nccl_tests(row + "0 1.0 0.01 0.01 0\n# Out of bounds values : 5 FAILED\n").wrong() ==
        5);
  CHECK(read_nccl_tests(row + "0 1.0 0.01 0.01 0\n# Out of bounds values : 5 OK\n").wrong() == 0);
  // Older ones print how far values were off.
  const std::string older = "#  size count type redop root time algbw busbw error\n";
  CHECK(read_nccl_tests(older + row + "2e+00 1.0 0.01 0.01 4\n").wrong() == 0);
}

TEST_CASE("another log in the same file is told by its line", "[calibrate]") {
  const std::string one = of_two;
  CHECK(read_nccl_tests(one + one).next_log == 13);
  CHECK(read_nccl_tests(one + "#\n# a remark\n").next_log == 0);
  const std::string rank = "#  Rank  0 Group  0 Pid  12 on  host device  0 [0x07] NVIDIA A100\n";
  CHECK(read_nccl_tests(rank + rank).next_log == 2);
  const std::string row = "8 2 float sum -1 1.0 0.01 0.01 0 1.0 0.01 0.01 0\n";
  CHECK(read_nccl_tests(row + row + "# Collective test starting: all_gather_perf\n").next_log == 3);
}

TEST_CASE("rows that cannot be read are counted by line", "[calibrate][errors]") {
  const nccl_tests_log log = read_nccl_tests(
      "8 2 float sum -1 x 0.00 0.00 0 1 0 0 0\n"
      "8 2 float sum -1 0 0.00 0.00 0 1 0 0 0\n"
      "8 2 float\n"
      "8 2 float sum -1 1 2 3 4 5 6 7 8 9 10 11 12 13\n"
      "1e400 2 float sum -1 1 0.00 0.00 0 1 0 0 0\n"
      "8 2 float sum -1 1 nan 0.00 0 1 0 0 0\n");
  CHECK(log.rows.empty());
  CHECK(log.faulty == 6);
  CHECK(log.faults[2].line == 3);
  CHECK(description_of(log.faults[0]) == "line 1: time 'x' is not understood");
  CHECK_THROWS_AS(collective_of(log), invalid_input);
  nccl_tests_log odd;
  odd.ranks = 4;
  odd.rows.push_back({.message = 8 * byte, .out_of_place = 1 * us, .bus_over_algorithm = 9});
  CHECK_THROWS_AS(collective_of(odd), invalid_input);
}

TEST_CASE("any bytes of a log are read without harm", "[calibrate][property]") {
  testing::check_property("text of any kind", [] {
    const auto text = *rc::gen::container<std::string>(
        rc::gen::oneOf(rc::gen::element(' ', '\n', '#', '1', '8', '-', '.', '\0', '9'),
                       rc::gen::arbitrary<char>()));
    const nccl_tests_log log = read_nccl_tests(text);
    RC_ASSERT(log.faults.size() <= 100);
    for (const nccl_tests_row& row : log.rows) RC_ASSERT(row.out_of_place > seconds{0});
  });
}

}  // namespace
}  // namespace gpuplan
