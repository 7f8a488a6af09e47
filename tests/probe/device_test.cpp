#include <optional>
#include <string>
#include <vector>

#include <probe/datasheet.hpp>
#include <probe/fits.hpp>
#include <probe/monitor.hpp>
#include <probe/nccl.hpp>
#include <probe/numa.hpp>
#include <probe/sanity.hpp>
#include <probe/throttle.hpp>

#include <gpuplan/comm/pipelined_link.hpp>
#include <gpuplan/compute/gemm.hpp>

#include "support/catch.hpp"

namespace {

using namespace gpuplan;
using namespace gpuplan::probe;
using namespace gpuplan::units;

TEST_CASE("names of the driver lead to the catalog", "[probe]") {
  const auto is = [](const char* name, bytes memory, const accelerator& wanted) {
    INFO(name);
    CHECK(datasheet_of(name, memory) == &wanted);
  };
  // Sizes as the driver gives them: less than the label.
  is("NVIDIA H100 80GB HBM3", 79.1 * GiB, catalog::h100_sxm5_80gb);
  is("NVIDIA H100 PCIe", 79.1 * GiB, catalog::h100_pcie_80gb);
  is("NVIDIA H100 NVL", 93.1 * GiB, catalog::h100_nvl_94gb);
  is("NVIDIA H200", 139.8 * GiB, catalog::h200_sxm_141gb);
  is("NVIDIA A100-SXM4-40GB", 39.4 * GiB, catalog::a100_sxm4_40gb);
  is("NVIDIA A100-SXM4-80GB", 79.1 * GiB, catalog::a100_sxm4_80gb);
  is("A100-PCIE-40GB", 39.4 * GiB, catalog::a100_pcie_40gb);
  is("NVIDIA A100 80GB PCIe", 79.1 * GiB, catalog::a100_pcie_80gb);
  is("Tesla V100-SXM2-16GB", 15.8 * GiB, catalog::v100_sxm2_16gb);
  is("Tesla V100-PCIE-32GB", 31.7 * GiB, catalog::v100_pcie_32gb);
  is("Tesla T4", 14.6 * GiB, catalog::t4);
  is("NVIDIA L4", 22.2 * GiB, catalog::l4);
  is("NVIDIA L40S", 44.4 * GiB, catalog::l40s);
  is("NVIDIA A10", 22.2 * GiB, catalog::a10);
  is("NVIDIA GeForce RTX 4090", 23.6 * GiB, catalog::rtx4090);
  is("NVIDIA GH200 480GB", 94.5 * GiB, catalog::gh200_96gb);
  is("NVIDIA B200", 178.4 * GiB, catalog::b200_sxm);
}

TEST_CASE("another device, or another form of one, is not taken for it", "[probe]") {
  CHECK(datasheet_of("NVIDIA A10G", 22.2 * GiB) == nullptr);
  CHECK(datasheet_of("NVIDIA GeForce RTX 3090 Ti", 23.6 * GiB) == nullptr);
  CHECK(datasheet_of("NVIDIA GeForce RTX 4090 Laptop GPU", 16 * GiB) == nullptr);
  CHECK(datasheet_of("NVIDIA A100-SXM4-80GB MIG 1g.10gb", 9.5 * GiB) == nullptr);
  CHECK(datasheet_of("NVIDIA H100 80GB HBM3", 60 * GiB) == nullptr);
  CHECK(datasheet_of("", 80 * GiB) == nullptr);
  CHECK(datasheet_of("Quadro K2000", 2 * GiB) == nullptr);
}

TEST_CASE("no doubt about usual figures, and one line about each that cannot be", "[probe]") {
  probe_device device{.index = 3, .l2 = 50 * MB};
  device.hbm = {{.buffer = 1 * MB, .datasheet_share = 3.0},  // from the cache: as it should be
                {.buffer = 1 * GB, .datasheet_share = 0.9}};
  device.gemm = {{.format = number_format::bf16, .datasheet_share = 0.05},
                 {.format = number_format::bf16, .datasheet_share = 0.75},
                 {.format = number_format::fp32}};
  CHECK(doubts_of(device).empty());

  device.hbm[1].datasheet_share = 1.03;
  device.gemm[1].datasheet_share = 0.29;
  device.host_copy = {{.direction = host_direction::to_host, .datasheet_share = 1.11}};
  CHECK(doubts_of(device) ==
        std::vector<std::string>{"device 3: memory at 103 % of the datasheet",
                                 "device 3: products in bf16 at 29 % of the datasheet",
                                 "device 3: copies to the host at 111 % of the datasheet"});
  static_assert(is_believable(0.3) && is_believable(1.1) && !is_believable(1.11));
}

TEST_CASE("rows that no fit takes cost the fit alone", "[probe]") {
  std::vector<std::string> warnings;
  std::vector<probe_host_copy> rows(3);  // no size, no time
  for (probe_host_copy& row : rows) row.pinned = true;
  const auto fit = fitted(warnings, "copies", [&] { return line_of(rows, rows[0].direction); });
  CHECK_FALSE(fit);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find("copies: no fit: ") == 0);
}

TEST_CASE("without its libraries a probe knows nothing, and says nothing", "[probe]") {
  const management_library absent{"libof-no-one.so"};
  CHECK_FALSE(absent.is_there());
  CHECK(absent.driver().empty());
  const gpu_monitor monitor{absent, "0000:01:00.0"};
  CHECK_FALSE(monitor.clock());
  CHECK_FALSE(monitor.power());
  CHECK_FALSE(monitor.energy());
  CHECK_FALSE(monitor.memory());
  CHECK_FALSE(monitor.is_sliced());
  CHECK_FALSE(monitor.pcie_width());
  CHECK_FALSE(monitor.throttle());
  CHECK(monitor.joined_to(monitor).empty());
  monitored seen;
  look(monitor, seen);
  CHECK((seen.power.empty() && seen.clocks.empty() && seen.throttle == 0));

  const nccl_library none{"libof-no-one.so"};
  CHECK_FALSE(none.is_there());
  CHECK(none.version().empty());
}

TEST_CASE("memory lies in a node, or the system does not say", "[probe]") {
  const int here = 1;
  const auto node = numa_node_of_memory(&here);
  if (node) CHECK(*node >= 0);
  CHECK_FALSE(numa_node_of_memory(nullptr));
  CHECK_FALSE(numa_node_of_device("ffff:FF:1f.7"));
}

TEST_CASE("reasons of throttling have names", "[probe]") {
  CHECK(throttle_reasons(0) == std::vector<std::string>{"none"});
  CHECK(throttle_reasons(0x44) == std::vector<std::string>{"power_cap", "hw_thermal"});
  CHECK(throttle_reasons(0x8000'0000) == std::vector<std::string>{"other"});
}

TEST_CASE("fits of rows give back the constants that the rows were made from", "[probe]") {
  std::vector<probe_host_copy> copies;
  probe_collective sweep{.ranks = 8};
  const pipelined_link link{.latency = 12 * us, .fill = 3 * us, .bandwidth = 180 * GB / second};
  for (double size = 4; size < 3e8; size *= 4) {
    const bytes message{size};
    for (const bool pinned : {true, false})
      copies.push_back({.pinned = pinned,
                        .size = message,
                        .time = {.median = (pinned ? 8 : 30) * us + message / (25 * GB / second)}});
    sweep.rows.push_back(
        {.message = message, .time = {.median = pipelined_time(link, message).total()}});
  }
  const auto line = line_of(copies, host_direction::to_device);
  REQUIRE(line);
  CHECK(line->latency / us == Approx(8));
  CHECK(line->bandwidth / (GB / second) == Approx(25));
  CHECK(line->largest_error < 1e-6);
  CHECK_FALSE(line_of(copies, host_direction::to_host));

  const auto curve = curve_of(sweep);
  REQUIRE(curve);
  CHECK(curve->latency / link.latency == Approx(1));
  CHECK(curve->fill / link.fill == Approx(1));
  CHECK(curve->bandwidth / link.bandwidth == Approx(1));
  CHECK(curve->valid[0] == 4 * byte);
  sweep.rows.resize(3);
  CHECK_FALSE(curve_of(sweep));
}

TEST_CASE("memory's rate is that of arrays eight times the cache, none above its datasheet",
          "[probe]") {
  std::vector<probe_hbm_row> rows;
  const auto add = [&](bytes buffer, double rate) {
    probe_hbm_row row{.buffer = buffer, .rate = rate * GB / second};
    row.time.median = 2 * buffer / row.rate;
    rows.push_back(row);
  };
  add(1 * MB, 900);
  add(79 * MB, 800);
  const bytes_per_second most = 310 * GB / second;
  CHECK_FALSE(sustained_rate_of(rows, 10 * MB, most));
  add(80 * MB, 280);
  add(160 * MB, 290);
  add(320 * MB, 270);
  add(320 * MB, 400);
  CHECK(*sustained_rate_of(rows, 10 * MB, most) / (GB / second) == Approx(280));
}

TEST_CASE("products that follow the model give its rate back", "[probe]") {
  const basic_matrix_unit<double> unit{.rate = 700 * TFLOP / second,
                                       .bandwidth = 3 * TB / second,
                                       .streaming_multiprocessors = 132,
                                       .turnover = 4 * us};
  std::vector<probe_gemm_row> rows;
  for (const int side : {512, 1024, 2048, 4096, 8192, 16384}) {
    const double size = side;
    rows.push_back(
        {.format = number_format::fp8_e4m3, .rows = side, .columns = side, .depth = side});
    rows.back().time.median = product_time({.rows = size, .columns = size, .depth = size}, unit,
                                           {.operand = 1 * byte, .result = 2 * byte});
  }
  const auto fit = products_of(rows, number_format::fp8_e4m3, 132, 1400 * TFLOP / second);
  REQUIRE(fit);
  CHECK(*fit->rate / unit.rate == Approx(1).epsilon(0.01));
  CHECK(*fit->datasheet_share == Approx(0.5).epsilon(0.01));
  CHECK(*fit->half_size / (unit.rate * unit.turnover) == Approx(1).epsilon(0.02));
  CHECK_FALSE(products_of(rows, number_format::bf16, 132, {}));
}

}  // namespace
