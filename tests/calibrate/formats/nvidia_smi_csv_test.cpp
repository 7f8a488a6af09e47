#include <gpuplan/calibrate/formats/nvidia_smi_csv.hpp>

#include <string>

#include "support/catch.hpp"

namespace gpuplan {
namespace {

using namespace units;

constexpr per_second MHz = 1e6 / second;

// As the tool prints it twice for two GPUs (-l 1); the figures are made up.
constexpr const char* samples =
    "timestamp, index, name, driver_version, memory.total [MiB], memory.used [MiB], power.draw [W],"
    " clocks.current.sm [MHz], clocks.max.sm [MHz], utilization.gpu [%], temperature.gpu,"
    " pcie.link.gen.current, pcie.link.width.current, mig.mode.current, power.limit [W]\n"
    "2026/01/01 00:00:00.100, 0, NVIDIA X 80GB, 580.00, 81559 MiB, 1000 MiB, 100.00 W, 1000 MHz,"
    " 1980 MHz, 50 %, 40, 1, 16, Disabled, 700.00 W\n"
    "2026/01/01 00:00:00.100, 1, NVIDIA X 80GB, 580.00, 81559 MiB, 4 MiB, [N/A], 345 MHz,"
    " 1980 MHz, 0 %, 30, 1, 16, [N/A], 700.00 W\n"
    "2026/01/01 00:00:01.100, 0, NVIDIA X 80GB, 580.00, 81559 MiB, 3000 MiB, 400.00 W, 1980 MHz,"
    " 1980 MHz, 100 %, 60, 5, 16, Disabled, 700.00 W\n"
    "2026/01/01 00:00:01.100, 1, NVIDIA X 80GB, 580.00, 81559 MiB, 4 MiB, [Not Supported], 345 MHz,"
    " 1980 MHz, 0 %, 30, 1, 16, [N/A], 700.00 W\n";

TEST_CASE("samples of each GPU together", "[calibrate]") {
  const nvidia_smi_report report = read_nvidia_smi(samples);
  CHECK(report.faulty == 0);
  CHECK(report.driver == "580.00");
  REQUIRE(report.gpus.size() == 2);
  const nvidia_smi_gpu& first = report.gpus[0];
  CHECK(first.name == "NVIDIA X 80GB");
  CHECK(first.index == 0);
  CHECK(first.rows == 2);
  CHECK(first.memory_total == 81559 * MiB);
  CHECK(first.memory_used.least == 1000 * MiB);
  CHECK(first.memory_used.mean == 2000 * MiB);
  CHECK(first.memory_used.most == 3000 * MiB);
  CHECK(first.power.samples == 2);
  CHECK(first.power.mean == 250 * watt);
  CHECK(first.power_limit == 700 * watt);
  CHECK(first.sm_clock.least == 1000 * MHz);
  CHECK(first.sm_clock_most == 1980 * MHz);
  CHECK_THAT(first.utilization.mean, WithinRel(0.75, 1e-12));
  CHECK(first.temperature.most == 60);
  CHECK(first.pcie_generation == 5);  // 1 was at rest
  CHECK(first.pcie_width == 16);
  CHECK(report.gpus[1].power.samples == 0);
  CHECK(report.gpus[1].sm_clock.mean == 345 * MHz);
}

TEST_CASE("without a header, without units, or both", "[calibrate]") {
  const nvidia_smi_report bare = read_nvidia_smi(
      "NVIDIA X, 81559, 400.5\r\nNVIDIA X, 81559, 300.5\r\n", "name, memory.total,power.draw");
  REQUIRE(bare.gpus.size() == 2);  // no column tells them apart: each row is a GPU
  CHECK(bare.gpus[1].power.mean == 300.5 * watt);
  CHECK(bare.gpus[0].memory_total == 81559 * MiB);
  const nvidia_smi_report headed =
      read_nvidia_smi("index, clocks.current.memory [MHz]\n0, 2619\n0, 2621\n", "index,clocks.mem");
  REQUIRE(headed.gpus.size() == 1);
  CHECK(headed.faulty == 0);
  CHECK(headed.gpus[0].memory_clock.mean == 2620 * MHz);
  const nvidia_smi_report by_uuid =
      read_nvidia_smi("uuid, index, memory.used [MiB]\nGPU-a, 0, 1 MiB\nGPU-b, 0, 2 MiB\n");
  CHECK(by_uuid.gpus.size() == 2);
  const nvidia_smi_report by_bus = read_nvidia_smi(
      "gpu_bus_id, power.draw [W]\n0:1B:00.0, 1 W\n0:1C:00.0, 2 W\n0:1B:00.0, 3 W\n");
  REQUIRE(by_bus.gpus.size() == 2);
  CHECK(by_bus.gpus[0].power.mean == 2 * watt);
}

TEST_CASE("without index rows of one timestamp are of so many GPUs", "[calibrate]") {
  const std::string head = "timestamp, name, memory.used [MiB]\n";
  const nvidia_smi_report one = read_nvidia_smi(head + "1, X, 10 MiB\n2, X, 30 MiB\n");
  REQUIRE(one.gpus.size() == 1);
  CHECK_FALSE(one.told_apart);  // two samples of one, or two GPUs stamped one after the other
  CHECK(one.gpus[0].rows == 2);
  CHECK(one.gpus[0].memory_used.mean == 20 * MiB);
  const nvidia_smi_report two = read_nvidia_smi(
      head + "1, X, 10 MiB\n1, X, 20 MiB\n2, X, 30 MiB\n3, X, 50 MiB\n3, X, 60 MiB\n3, Y, 7 MiB\n");
  REQUIRE(two.gpus.size() == 3);
  CHECK(two.told_apart);
  CHECK(two.gpus[0].rows == 3);
  CHECK(two.gpus[0].memory_used.most == 50 * MiB);
  CHECK(two.gpus[1].rows == 2);
  CHECK(two.gpus[1].memory_used.least == 20 * MiB);
  CHECK(two.gpus[2].name == "Y");
  // Cards of one host that are of two kinds, of which a row could not be read.
  const nvidia_smi_report odd =
      read_nvidia_smi(head + "1, X, 1 MiB\n1, Y, 2 MiB\n2, X, lots\n2, Y, 4 MiB\n");
  REQUIRE(odd.gpus.size() == 2);
  CHECK(odd.gpus[1].rows == 2);
  // Nothing tells whether that is one GPU twice, or two.
  const nvidia_smi_report bare = read_nvidia_smi("name, memory.used [MiB]\nX, 1 MiB\nX, 2 MiB\n");
  CHECK(bare.gpus.size() == 2);
  CHECK_FALSE(bare.told_apart);
  CHECK(read_nvidia_smi("name, memory.used [MiB]\nX, 1 MiB\n").told_apart);
  CHECK(read_nvidia_smi(samples).told_apart);
  CHECK(read_nvidia_smi("index, name\n0, \"a \"\"b\"\"\"\n").gpus.at(0).name == "a \"b\"");
}

TEST_CASE("rows that are none are counted by line", "[calibrate][errors]") {
  const nvidia_smi_report report = read_nvidia_smi(
      "index, memory.used [MiB]\n"
      "0, lots\n"
      "0, 5 GiB\n"
      "0, -5 MiB\n"
      "0\n"
      "0, 1 MiB, 2\n"
      "0.5, 1 MiB\n"
      "0, 7 MiB 8\n"
      "0, 1 MiB\n");
  CHECK(report.faulty == 7);
  REQUIRE(report.gpus.size() == 1);
  CHECK(report.gpus[0].rows == 1);
  const std::string allowed = "; allowed: a number with its usual unit, or [N/A]";
  CHECK(description_of(report.faults[0]) ==
        "line 2: memory.used 'lots' is not understood" + allowed);
  CHECK(description_of(report.faults[2]) == "line 4: memory.used '-5 MiB' is negative" + allowed);
  CHECK(report.faults[3].problem == field_problem::too_few_fields);
  CHECK(report.faults[4].problem == field_problem::too_many_fields);
  CHECK(description_of(report.faults[5]) == "line 7: index '0.5' is not whole" + allowed);

  CHECK(description_of(read_nvidia_smi("").faults.at(0)) ==
        "line 1: the header is empty; allowed: names of columns");
  CHECK(read_nvidia_smi("No devices were found\n").faults.at(0).column == "the header");
  CHECK(read_nvidia_smi("0, 1 MiB\n").gpus.empty());  // no header, and no query is given

  std::string many = "index\n";
  for (int gpu = 0; gpu < 70; ++gpu) many += std::to_string(gpu) + "\n";
  const nvidia_smi_report rack = read_nvidia_smi(many);
  CHECK(rack.gpus.size() == nvidia_smi_report::most_gpus);
  CHECK(rack.faulty == 6);
}

}  // namespace
}  // namespace gpuplan
