#pragma once
/// \file
/// The fields of a probe's report by the names that its JSON gives them.

#include <array>

#include <gpuplan/calibrate/probe_report.hpp>
#include <gpuplan/calibrate/probe_report_device_fields.hpp>
#include <gpuplan/comm/collective.hpp>
#include <gpuplan/model/recipe_names.hpp>

namespace gpuplan::detail {

inline constexpr std::array probe_status_names{
    named<probe_status>{"ok", probe_status::ok},
    named<probe_status>{"partial", probe_status::partial}};
inline constexpr std::array collective_field_names{
    named<collective>{"all_reduce", collective::all_reduce},
    named<collective>{"reduce_scatter", collective::reduce_scatter},
    named<collective>{"all_gather", collective::all_gather},
    named<collective>{"all_to_all", collective::all_to_all},
    named<collective>{"broadcast", collective::broadcast},
    named<collective>{"reduce", collective::reduce},
    named<collective>{"send_receive", collective::send_receive}};

constexpr const auto& names_of(probe_status) {
  return probe_status_names;
}
constexpr const auto& names_of(collective) {
  return collective_field_names;
}

template <record_of<probe_host> R>
void each_field(R& r, auto&& visit) {
  visit("cpu", r.cpu);
  visit("numa_nodes", r.numa_nodes);
  visit("kernel", r.kernel);
}
template <record_of<probe_software> R>
void each_field(R& r, auto&& visit) {
  visit("driver", r.driver);
  visit("cuda_driver", r.cuda_driver);
  visit("cuda_runtime", r.cuda_runtime);
  visit("cublas", r.cublas);
  visit("nccl", r.nccl);
}
template <record_of<probe_pcie> R>
void each_field(R& r, auto&& visit) {
  visit("gen", r.generation);
  visit("width", r.width);
}
template <record_of<probe_limits> R>
void each_field(R& r, auto&& visit) {
  visit("power_w", r.power);
  visit("sm_clock_max_hz", r.clock);
  visit("mem_clock_max_hz", r.memory_clock);
}
template <record_of<probe_device> R>
void each_field(R& r, auto&& visit) {
  visit("index", r.index);
  visit("uuid_hash", r.uuid_hash);
  visit("name", r.name);
  visit("cc", r.compute_capability);
  visit("sm_count", r.multiprocessors);
  visit("l2_bytes", r.l2);
  visit("mem_total_bytes", r.memory_size);
  visit("bus_width_bits", r.bus_width);
  visit("ecc", r.ecc);
  visit("mig", r.mig);
  visit("persistence", r.persistence);
  visit("busy", r.busy);
  visit("pcie", r.pcie);
  visit("limits", r.limits);
  visit("memory", r.memory);
  visit("hbm", r.hbm);
  visit("gemm", r.gemm);
  visit("launch", r.launch);
  visit("host_copy", r.host_copy);
  visit("power", r.power);
  visit("contention", r.contention);
  visit("fit", r.fit);
}
template <record_of<probe_peer_row> R>
void each_field(R& r, auto&& visit) {
  visit("src", r.source);
  visit("dst", r.destination);
  visit("access", r.access);
  visit("verified", r.verified);
  visit("uni_Bps", r.one_way);
  visit("duplex_total_Bps", r.both_ways);
  visit("latency_s", r.latency);
  visit("datasheet_share", r.datasheet_share);
  visit("topology", r.topology);
  visit("problem", r.problem);
}
template <record_of<probe_collective_row> R>
void each_field(R& r, auto&& visit) {
  visit("bytes", r.message);
  visit("time_s", r.time);
}
template <record_of<probe_collective_fit> R>
void each_field(R& r, auto&& visit) {
  visit("t0_s", r.latency);
  visit("fill_s", r.fill);
  visit("bw_Bps", r.bandwidth);
  visit("valid_bytes", r.valid);
  visit("median_rel_err", r.median_error);
}
template <record_of<probe_collective> R>
void each_field(R& r, auto&& visit) {
  visit("op", r.what);
  visit("n", r.ranks);
  visit("nodes", r.nodes);
  visit("lib", r.software);
  visit("env", r.environment);
  visit("rows", r.rows);
  visit("fit", r.fit);
}
template <record_of<probe_problem> R>
void each_field(R& r, auto&& visit) {
  visit("section", r.section);
  visit("device", r.device);
  visit("reason", r.reason);
}
template <record_of<probe_report> R>
void each_field(R& r, auto&& visit) {
  visit("tool_version", r.tool_version);
  visit("time_utc", r.time_utc);
  visit("host", r.host);
  visit("software", r.software);
  visit("status", r.status);
  visit("warnings", r.warnings);
  visit("problems", r.problems);
  visit("devices", r.devices);
  visit("p2p", r.p2p);
  visit("collectives", r.collectives);
}

}  // namespace gpuplan::detail
