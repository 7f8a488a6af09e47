#pragma once
/// \file
/// The fields of what a probe measures of one device, by the names that its JSON gives them: said
/// once for reading and for writing.

#include <array>
#include <concepts>
#include <type_traits>

#include <gpuplan/calibrate/probe_report_device.hpp>
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
constexpr const auto& names_of(memory_operation) {
  return memory_operation_names;
}
constexpr const auto& names_of(host_direction) {
  return host_direction_names;
}
constexpr const auto& names_of(number_format) {
  return number_format_names;
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
  visit("method", r.method);
  visit("datasheet_share", r.datasheet_share);
}
template <record_of<probe_gemm_row> R>
void each_field(R& r, auto&& visit) {
  visit("dtype", r.format);
  visit("accum", r.accumulator);
  visit("shape", r.shape);
  visit("m", r.rows);
  visit("n", r.columns);
  visit("k", r.depth);
  visit("time_s", r.time);
  visit("flops", r.rate);
  visit("clock_hz", r.clock);
  visit("power_w", r.power);
  visit("datasheet_share", r.datasheet_share);
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
  visit("numa_node", r.numa_node);
  visit("datasheet_share", r.datasheet_share);
}
template <record_of<probe_memory> R>
void each_field(R& r, auto&& visit) {
  visit("free_before_context_bytes", r.free_before_context);
  visit("context_bytes", r.context);
  visit("cublas_bytes", r.cublas);
  visit("nccl_bytes", r.nccl);
  visit("granularity_bytes", r.granularity);
  visit("largest_alloc_bytes", r.largest_allocation);
}
template <record_of<probe_power_block> R>
void each_field(R& r, auto&& visit) {
  visit("work", r.work);
  visit("mean_w", r.mean);
  visit("energy_j", r.energy);
  visit("duration_s", r.duration);
  visit("clock_hz", r.clock);
  visit("throttle", r.throttle);
}
template <record_of<probe_power> R>
void each_field(R& r, auto&& visit) {
  visit("idle_w", r.idle);
  visit("hbm_w", r.hbm);
  visit("gemm_w", r.gemm);
  visit("throttle", r.throttle);
  visit("blocks", r.blocks);
}
template <record_of<probe_contention> R>
void each_field(R& r, auto&& visit) {
  visit("first", r.first);
  visit("second", r.second);
  visit("first_alone_s", r.first_alone);
  visit("second_alone_s", r.second_alone);
  visit("first_beside_s", r.first_beside);
  visit("second_beside_s", r.second_beside);
}
template <record_of<probe_line_fit> R>
void each_field(R& r, auto&& visit) {
  visit("alpha_s", r.latency);
  visit("bw_Bps", r.bandwidth);
  visit("max_rel_err", r.largest_error);
}
template <record_of<probe_gemm_fit> R>
void each_field(R& r, auto&& visit) {
  visit("flops", r.rate);
  visit("eff_max", r.datasheet_share);
  visit("half_size_flops", r.half_size);
  visit("median_rel_err", r.median_error);
}
template <record_of<probe_fit> R>
void each_field(R& r, auto&& visit) {
  visit("hbm_sustained_Bps", r.hbm_sustained);
  visit("gemm_eff", r.gemm);
  visit("h2d", r.to_device);
  visit("d2h", r.to_host);
}

}  // namespace gpuplan::detail
