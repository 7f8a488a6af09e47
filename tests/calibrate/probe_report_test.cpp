#include <gpuplan/calibrate/probe_report.hpp>

#include <string>
#include <vector>

#include <gpuplan/calibrate/probe_report_reader.hpp>
#include <gpuplan/calibrate/probe_report_writer.hpp>

#include "support/catch.hpp"
#include "support/property.hpp"

namespace gpuplan {
namespace {

using namespace units;

/// Any text, number or choice for a field, of a kind that a report may hold.
struct any_field {
  template <class T>
  void operator()(const char*, T& field) const {
    fill(field);
  }

  static void fill(std::string& field) {
    field = *rc::gen::element<std::string>("", "a", "H100 \"80GB\"", "\n\t\\", "Träff", "null");
  }
  static void fill(bool& field) { field = *rc::gen::arbitrary<bool>(); }
  static void fill(int& field) { field = *rc::gen::inRange(0, 1'000'000'001); }
  static void fill(double& field) {
    const double size = *rc::gen::element(0.0, 1.0, 0.1, 1e-9, 5e-324, 1.7e308, 0x1p53, 3e12);
    field = std::min(1.7e308, size * (1 + *rc::gen::inRange(0, 1000) * 1e-3 / 3));
  }
  template <dimension D>
  static void fill(quantity<D, double>& field) {
    double value = 0;
    fill(value);
    field = quantity<D, double>{value};
  }
  template <class T>
  requires std::is_enum_v<T>
  static void fill(T& field) {
    const auto& names = detail::names_of(T{});
    field = names[*rc::gen::inRange<std::size_t>(0, names.size())].value;
  }
  template <class T>
  static void fill(std::optional<T>& field) {
    if (*rc::gen::arbitrary<bool>()) fill(field.emplace());
  }
  template <class T>
  static void fill(std::vector<T>& field) {
    field.resize(*rc::gen::inRange<std::size_t>(0, 3));
    for (T& one : field) fill(one);
  }
  template <class T>
  static void fill(std::map<std::string, T>& field) {
    for (const char* name : {"bf16", "", "a.b \"c\""})
      if (*rc::gen::arbitrary<bool>()) fill(field[name]);
  }
  template <class T>
  requires std::is_class_v<T>
  static void fill(T& field) { detail::each_field(field, any_field{}); }
};

TEST_CASE("a report is read back as it was written, whatever it holds", "[calibrate][property]") {
  const probe_report empty{};
  CHECK(read_probe_report(probe_report_json(empty), "empty") == empty);
  testing::check_property("any report", [] {
    probe_report report;
    any_field::fill(report);
    const std::string text = probe_report_json(report);
    const probe_report read = read_probe_report(text, "probe.json");
    RC_ASSERT(read == report);
    RC_ASSERT(probe_report_json(read) == text);
  });
}

/// A whole report of a probe that measured more: what is read of it, and what is ignored.
constexpr const char* example = R"({"schema": "probe/1", "tool_version": "0.1",
 "time_utc": "2026-01-02T03:04:05Z", "host": {"cpu": "c", "numa_nodes": 2, "kernel": "6.1"},
 "status": "partial", "warnings": ["busy"], "newer": {"a": [1]},
 "devices": [{"index": 0, "name": "NVIDIA H100 80GB HBM3", "cc": "9.0", "sm_count": 132,
   "l2_bytes": 52428800, "mem_total_bytes": 85e9, "ecc": true, "mig": null,
   "pcie": {"gen": 5, "width": 16}, "limits": {"power_w": 700, "sm_clock_max_hz": 1.98e9},
   "memory": {"context_bytes": 5e8, "nccl_bytes": null},
   "hbm": [{"op": "copy", "bytes": 1073741824, "rate_Bps": 2.8e12, "method": "sm_v16_b256",
            "time_s": {"min": 7e-4, "median": 7.7e-4, "p95": 8e-4, "n": 11}}],
   "gemm": [{"dtype": "bf16", "accum": "f32", "m": 8192, "n": 4096, "k": 2048,
             "time_s": {"median": 2e-4}, "flops": 6.9e14, "clock_hz": 1.7e9, "power_w": 690}],
   "launch": {"async_s": 2.5e-6, "sync_s": {"median": 7e-6, "n": 9}, "graph1_s": null},
   "host_copy": [{"dir": "d2h", "pinned": false, "duplex": true, "bytes": 4,
                  "time_s": {"median": 9e-6}}],
   "power": {"idle_w": 70, "hbm_w": 400, "gemm_w": 690, "throttle": ["none"]},
   "fit": {"hbm_sustained_Bps": 2.8e12, "gemm_eff": {"bf16": {"eff_max": 0.7}},
           "h2d": {"alpha_s": 1e-5, "bw_Bps": 5.5e10, "max_rel_err": 0.02}}}],
 "p2p": [{"src": 0, "dst": 1, "access": true, "verified": false, "uni_Bps": 4e11,
          "duplex_total_Bps": null, "latency_s": 2e-6}],
 "collectives": [{"op": "all_reduce", "n": 8, "nodes": 1, "lib": "nccl 2.27.7",
   "env": {"NCCL_ALGO": "Ring"}, "rows": [{"bytes": 8, "time_s": {"median": 1.3e-5}}],
   "fit": {"t0_s": 1e-5, "fill_s": 0, "bw_Bps": 2.7e11, "valid_bytes": [8, 1073741824],
           "median_rel_err": 0.03}}]})";

TEST_CASE("every section of a report that is used is read into its field", "[calibrate]") {
  const probe_report report = read_probe_report(example, "probe.json");
  CHECK(report.status == probe_status::partial);
  CHECK(report.warnings == std::vector<std::string>{"busy"});
  REQUIRE(report.devices.size() == 1);
  const probe_device& gpu = report.devices[0];
  CHECK(gpu.multiprocessors == 132);
  CHECK(gpu.l2 == 50 * MiB);
  CHECK(gpu.memory.context == 500 * MB);
  CHECK_FALSE(gpu.memory.nccl.has_value());
  REQUIRE(gpu.hbm.size() == 1);
  CHECK(gpu.hbm[0].operation == memory_operation::copy);
  CHECK(gpu.hbm[0].buffer == 1 * GiB);
  CHECK(gpu.hbm[0].time.median == seconds{7.7e-4});
  CHECK(gpu.hbm[0].time.samples == 11);
  CHECK_FALSE(gpu.hbm[0].time.relative_mad.has_value());
  REQUIRE(gpu.gemm.size() == 1);
  CHECK(gpu.gemm[0].format == number_format::bf16);
  CHECK(gpu.gemm[0].columns == 4096);
  CHECK(gpu.launch.queued->median == seconds{2.5e-6});
  CHECK(gpu.launch.synchronized->samples == 9);
  CHECK_FALSE(gpu.launch.graph_of_1.has_value());
  REQUIRE(gpu.host_copy.size() == 1);
  CHECK(gpu.host_copy[0].direction == host_direction::to_host);
  CHECK_FALSE(gpu.host_copy[0].pinned);
  REQUIRE(report.p2p.size() == 1);
  CHECK(report.p2p[0].verified == false);
  CHECK(report.p2p[0].one_way == 400 * GB / second);
  REQUIRE(report.collectives.size() == 1);
  const probe_collective& sweep = report.collectives[0];
  CHECK(sweep.what == collective::all_reduce);
  CHECK(sweep.environment.at("NCCL_ALGO") == "Ring");
  CHECK(sweep.rows.at(0).time.median == seconds{1.3e-5});
  CHECK(read_probe_report(probe_report_json(report), "again") == report);
}

/// What a reader says of the example with one part of it replaced.
std::string refused(const std::string& part, const std::string& by) {
  std::string text = example;
  text.replace(text.find(part), part.size(), by);
  try {
    read_probe_report(text, "p");
  } catch (const invalid_input& why) {
    return why.what();
  }
  return "";
}

TEST_CASE("what older and newer probes say beside it is ignored, whatever it is", "[calibrate]") {
  for (const auto& [part, by] :
       {std::pair{"{\"eff_max\": 0.7}", "0.7"}, std::pair{"[8, 1073741824]", "[8]"},
        std::pair{"\"flops\": 6.9e14", "\"flops\": null"}, std::pair{"[\"none\"]", "true"},
        std::pair{"{\"a\": [1]}", "{}"}})
    CHECK(refused(part, by).empty());
  const std::string text = probe_report_json(read_probe_report(example, "p"));
  for (const char* gone : {"newer", "host\"", "pcie", "power", "fit", "flops", "duplex_total"})
    CHECK_THAT(text, !ContainsSubstring(gone));
}

TEST_CASE("a report that is none is refused by the name of its field", "[calibrate][errors]") {
  CHECK(refused("\"newer\"", "\"newest\"").empty());
  CHECK(refused("probe/1", "probe/2") == "p.schema must be probe/1, not the string \"probe/2\"");
  CHECK(refused("\"schema\"", "\"scheme\"") == "p.schema must be probe/1");
  CHECK(refused("\"schema\": \"probe/1\"", "\"schema\": 1") == "p.schema must be a string, not 1");
  CHECK(refused("\"partial\"", "\"fine\"") ==
        "p.status must be one of ok, partial, not the string \"fine\"");
  CHECK(refused("\"status\": \"partial\",", "") == "p.status is missing");
  CHECK(refused("\"l2_bytes\": 52428800", "\"l2_bytes\": -1") ==
        "p.devices[0].l2_bytes must be a number >= 0, not -1");
  CHECK(refused("\"sm_count\": 132", "\"sm_count\": 1.5") ==
        "p.devices[0].sm_count must be a whole number from 0 to 1000000000, not 1.5");
  CHECK(refused("\"median\": 7.7e-4,", "") == "p.devices[0].hbm[0].time_s.median is missing");
  CHECK(refused("{\"median\": 9e-6}", "\"9\"") ==
        "p.devices[0].host_copy[0].time_s must be an object, not the string \"9\"");
  CHECK(refused("\"Ring\"", "5") == "p.collectives[0].env.NCCL_ALGO must be a string, not 5");
  CHECK(refused("\"verified\": false", "\"verified\": 0") ==
        "p.p2p[0].verified must be true or false, not 0");
  CHECK(refused("[\"busy\"]", "\"busy\"") == "p.warnings must be a list, not the string \"busy\"");
  CHECK(refused("\"devices\": [{", "\"devices\": [5, {") ==
        "p.devices[0] must be an object, not 5");
  CHECK(refused("\"h2d\"", "h2d") == "p: is not JSON at line 17, column 12");
  CHECK_THROWS_AS(read_probe_report("[]", "p"), invalid_input);
  probe_report wrong;
  wrong.devices.push_back({.l2 = -1 * byte});
  CHECK_THROWS_AS(probe_report_json(wrong), invalid_input);
  testing::check_property("text of any kind", [] {
    try {
      read_probe_report(*rc::gen::arbitrary<std::string>(), "p");
    } catch (const invalid_input&) {
    }
  });
}

static_assert(probe_gemm_row{}.rows == 0 && probe_gemm_row{}.columns == 0 &&
                  probe_gemm_row{}.depth == 0,
              "a row has no shape of its own");

}  // namespace
}  // namespace gpuplan
