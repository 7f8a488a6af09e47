#pragma once
/// \file
/// The fields of a probe's report by the names that its JSON gives them, listed once for reading
/// and writing.

#include <array>
#include <concepts>
#include <type_traits>

#include <gpuplan/calibrate/probe_report.hpp>
#include <gpuplan/comm/collective.hpp>
#include <gpuplan/model/recipe_names.hpp>

namespace gpuplan::detail {

inline constexpr std::array memory_operation_names{
    named<memory_operation>{"read", memory_operation::read},
    named<memory_operation>{"write", memory_operation::write},
    named<memory_operation>{"copy", memory_operation::copy},
    named<memory_operation>{"triad", memory_operation::triad}};
inline constexpr std::array host_direction_names{
    named<host_direction>{"h2d", host_direction::to_device},
    named<host_direction>{"d2h", host_direction::to_host}};
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

constexpr const auto& names_of(memory_operation) {
  return memory_operation_names;
}
constexpr const auto& names_of(host_direction) {
  return host_direction_names;
}
constexpr const auto& names_of(number_format) {
  return number_format_names;
}
constexpr const auto& names_of(probe_status) {
  return probe_status_names;
}
constexpr const auto& names_of(collective) {
  return collective_field_names;
}

/// T, read (const) or filled.
template <class R, class T>
concept record_of = std::same_as<std::remove_const_t<R>, T>;

// each_field(record, visit) calls visit(name, field) for every field, in the order of the text.

template <record_of<measured_time> R>
void each_field(R& r, auto&& visit) {
  visit("median", r.median);
  visit("min", r.min);
  visit("p95", r.p95);
  visit("rel_mad", r.relative_mad);
  visit("n", r.samples);
}
template <record_of<probe_hbm_row> R>
void each_field(R& r, auto&& visit) {
  visit("op", r.operation);
  visit("bytes", r.buffer);
  visit("time_s", r.time);
  visit("rate_Bps", r.rate);
}
template <record_of<probe_gemm_row> R>
void each_field(R& r, auto&& visit) {
  visit("dtype", r.format);
  visit("m", r.rows);
  visit("n", r.columns);
  visit("k", r.depth);
  visit("time_s", r.time);
}
template <record_of<probe_launch> R>
void each_field(R& r, auto&& visit) {
  visit("async_s", r.queued);
  visit("sync_s", r.synchronized);
  visit("graph1_s", r.graph_of_1);
  visit("graph20_s", r.graph_of_20);
  visit("event_s", r.event);
}
template <record_of<probe_host_copy> R>
void each_field(R& r, auto&& visit) {
  visit("dir", r.direction);
  visit("pinned", r.pinned);
  visit("duplex", r.duplex);
  visit("bytes", r.size);
  visit("time_s", r.time);
}
template <record_of<probe_memory> R>
void each_field(R& r, auto&& visit) {
  visit("context_bytes", r.context);
  visit("nccl_bytes", r.nccl);
}
template <record_of<probe_device> R>
void each_field(R& r, auto&& visit) {
  visit("index", r.index);
  visit("name", r.name);
  visit("sm_count", r.multiprocessors);
  visit("l2_bytes", r.l2);
  visit("mem_total_bytes", r.memory_size);
  visit("busy", r.busy);
  visit("memory", r.memory);
  visit("hbm", r.hbm);
  visit("gemm", r.gemm);
  visit("launch", r.launch);
  visit("host_copy", r.host_copy);
}
template <record_of<probe_peer_row> R>
void each_field(R& r, auto&& visit) {
  visit("src", r.source);
  visit("dst", r.destination);
  visit("access", r.access);
  visit("verified", r.verified);
  visit("uni_Bps", r.one_way);
  visit("latency_s", r.latency);
}
template <record_of<probe_collective_row> R>
void each_field(R& r, auto&& visit) {
  visit("bytes", r.message);
  visit("time_s", r.time);
}
template <record_of<probe_collective> R>
void each_field(R& r, auto&& visit) {
  visit("op", r.what);
  visit("n", r.ranks);
  visit("nodes", r.nodes);
  visit("lib", r.software);
  visit("env", r.environment);
  visit("rows", r.rows);
}
template <record_of<probe_software> R>
void each_field(R& r, auto&& visit) {
  visit("driver", r.driver);
  visit("cublas", r.cublas);
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
  visit("software", r.software);
  visit("status", r.status);
  visit("warnings", r.warnings);
  visit("problems", r.problems);
  visit("devices", r.devices);
  visit("p2p", r.p2p);
  visit("collectives", r.collectives);
}

}  // namespace gpuplan::detail
