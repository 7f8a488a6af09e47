#pragma once
/// \file
/// Where a job of the C interface holds each field of a request.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <gpuplan/memory/workspace_fields.hpp>
#include <gpuplan/model/field.hpp>
#include <gpuplan/model/recipe_fields.hpp>
#include <gpuplan/plan/search_space.hpp>

#include "gpuplan_admission.h"

namespace gpuplan::scheduler {

/// A member of gpuplan_job that stands for a row of the tables.
struct job_member {
  std::string_view key;  ///< of the row
  std::string_view name;
  int32_t gpuplan_job::*value;
  bool space::*varies = nullptr;  ///< searched where it is not declared
};

inline constexpr std::array job_members{
    job_member{"data", "data", &gpuplan_job::data, &space::data},
    job_member{"tensor", "tensor", &gpuplan_job::tensor, &space::tensor},
    job_member{"pipeline", "pipeline", &gpuplan_job::pipeline, &space::pipeline},
    job_member{"context", "context", &gpuplan_job::context, &space::context},
    job_member{"expert", "expert", &gpuplan_job::expert, &space::expert},
    job_member{"interleave", "interleave", &gpuplan_job::interleave},
    job_member{"micro_batch_size", "micro_batch", &gpuplan_job::micro_batch, &space::micro_batch},
    job_member{"zero", "zero", &gpuplan_job::zero, &space::zero},
    job_member{"recompute", "recompute", &gpuplan_job::recompute, &space::recompute},
    job_member{"sequence_parallel", "sequence_parallel", &gpuplan_job::sequence_parallel,
               &space::sequence_parallel},
    job_member{"global_batch_size", "global_batch", &gpuplan_job::global_batch},
    job_member{"sequence_length", "sequence", &gpuplan_job::sequence},
    job_member{"precision", "precision", &gpuplan_job::precision},
    job_member{"optimizer", "optimizer", &gpuplan_job::optimizer},
    job_member{"attention", "attention", &gpuplan_job::attention},
    job_member{"loss", "loss", &gpuplan_job::loss},
    job_member{"framework", "framework", &gpuplan_job::framework},
    job_member{"offload", "offload", &gpuplan_job::offload},
    job_member{"schedule", "schedule", &gpuplan_job::schedule},
    job_member{"adapter_rank", "adapter_rank", &gpuplan_job::adapter_rank}};

/// A row of a cluster: its key in a request, and other names for it.
struct cluster_row {
  std::string_view key;
  std::string_view option;
  member_value<gpuplan_job> value{};
};

/// The slowest fabric that a job may declare, for each GPU, B/s: 8 Mb/s, less than the 10 Mb/s of the
/// first Ethernet (IEEE 802.3, 1983).  What is below is a rate in another unit, as 400 of 400 Gb/s.
inline constexpr double slowest_fabric = 1e6;

/// Those of the program's requests, nodes, and a fabric's rate.  Names of the catalogue are read
/// apart.
inline constexpr std::array cluster_rows{
    cluster_row{"gpus", "--gpus", count_field<&gpuplan_job::gpus>(1)},
    cluster_row{"nodes", "--nodes", count_field<&gpuplan_job::nodes>(1)},
    cluster_row{"gpus_per_node", "--gpus-per-node", count_field<&gpuplan_job::gpus_per_node>(1)},
    cluster_row{"nvlink_domain", "--nvlink-domain", count_field<&gpuplan_job::nvlink_domain>(1)},
    cluster_row{"gpu_memory_bytes", "--memory,gpu_memory",
                quantity_field<&gpuplan_job::gpu_memory>(field_unit::byte, 1, 1e18)},
    cluster_row{"slowest", "--slowest", number_field<&gpuplan_job::slowest>(1, 1e6)},
    cluster_row{"host_memory_bytes", "--host-memory",
                quantity_field<&gpuplan_job::host_memory>(field_unit::byte, 1, 1e18)},
    cluster_row{"host_update_bytes_per_s", "--host-update",
                quantity_field<&gpuplan_job::host_update>(field_unit::byte_per_second, 1, 1e18)},
    cluster_row{"stored_sample_bytes", "--sample-size,stored_sample",
                quantity_field<&gpuplan_job::stored_sample>(field_unit::byte, 1, 1e18)},
    cluster_row{"storage_bytes_per_s", "--storage",
                quantity_field<&gpuplan_job::storage>(field_unit::byte_per_second, 1, 1e18)},
    cluster_row{"preprocessing_s", "--preprocessing",
                quantity_field<&gpuplan_job::preprocessing>(field_unit::second, 1e-9, 1e6)},
    cluster_row{"loader_workers", "--loader-workers", count_field<&gpuplan_job::loader_workers>(1)},
    cluster_row{"fabric_bandwidth", "",
                quantity_field<&gpuplan_job::fabric_bandwidth>(field_unit::byte_per_second,
                                                               slowest_fabric, 1e18)},
    cluster_row{"fabric_latency", "--latency",
                quantity_field<&gpuplan_job::fabric_latency>(field_unit::second, 1e-9, 1e3)}};

/// A table of the library, and the place of its first row among those of all.
template <class Owner>
struct job_table {
  std::span<const field<Owner>> rows;
  std::size_t first = 0;
};

inline constexpr job_table<recipe> recipe_table{recipe_fields, 0};
inline constexpr job_table<parallelism> parallelism_table{parallelism_fields, recipe_fields.size()};
inline constexpr job_table<workspace> workspace_table{
    workspace_fields, recipe_fields.size() + parallelism_fields.size()};
inline constexpr std::size_t rows_in_all =
    recipe_fields.size() + parallelism_fields.size() + workspace_fields.size();
static_assert(rows_in_all <= sizeof(gpuplan_declared::value) / sizeof(double));
static_assert(layer_split::most_stages ==
              sizeof(gpuplan_declared::layers_of_stage) / sizeof(std::uint16_t));

/// The place among job_members of each row of all; past the last for those that gpuplan_declared
/// holds.
inline constexpr auto member_places = [] {
  std::array<std::size_t, rows_in_all> places{};
  places.fill(job_members.size());
  const auto find = [&](const auto& table) {
    for (std::size_t i = 0; i < table.rows.size(); ++i)
      for (std::size_t k = 0; k < job_members.size(); ++k)
        if (job_members[k].key == table.rows[i].key) places[table.first + i] = k;
  };
  find(recipe_table);
  find(parallelism_table);
  find(workspace_table);
  return places;
}();
static_assert([] {
  std::size_t found = 0;
  for (const std::size_t place : member_places) found += place < job_members.size() ? 1 : 0;
  return found == job_members.size();
}());

/// The member that stands for a row of all, or nullptr.
constexpr const job_member* member_of(std::size_t row) {
  const std::size_t place = member_places[row];
  return place < job_members.size() ? &job_members[place] : nullptr;
}

constexpr bool is_choice(field_kind kind) {
  return kind == field_kind::choice || kind == field_kind::level || kind == field_kind::flag ||
         kind == field_kind::flag_or_probability;
}

/// Whether a field may hold a value.
template <class Owner>
constexpr bool is_allowed(const member_value<Owner>& value, double x) {
  if (!(x >= value.least && x <= value.most)) return false;
  if (value.kind == field_kind::number || value.kind == field_kind::quantity) return true;
  const auto whole = static_cast<std::int64_t>(x);
  if (static_cast<double>(whole) != x) return false;
  if (value.kind == field_kind::set_of_choices)
    return (whole & ~static_cast<std::int64_t>(value.most)) == 0;
  if (value.names.empty()) return true;
  for (const named<int>& name : value.names)
    if (name.value == whole) return true;
  return false;
}

/// What a job declares of a row, whether it is allowed or not.
template <class Owner>
struct declared_value {
  bool given = false;
  double value = 0;
};

template <class Owner>
declared_value<Owner> declared(const gpuplan_job& job, const job_table<Owner>& table,
                               std::size_t i) {
  const std::size_t place = table.first + i;
  if (const job_member* member = member_of(place)) {
    const int32_t x = job.*(member->value);
    if (x == GPUPLAN_NOT_DECLARED) return {};
    return {true, static_cast<double>(x) -
                      (is_choice(table.rows[i].value.kind) ? double{GPUPLAN_CHOICE} : 0.0)};
  }
  if (table.rows[i].value.kind == field_kind::layers_of_stages)
    return {job.others.stages != 0, static_cast<double>(job.others.stages)};
  return {(job.others.given[place / 64] >> place % 64 & 1) != 0, job.others.value[place]};
}

/// Declares an allowed value of a row.
template <class Owner>
void declare(gpuplan_job& job, const job_table<Owner>& table, std::size_t i, double x) {
  const std::size_t place = table.first + i;
  if (const job_member* member = member_of(place)) {
    const int shift = is_choice(table.rows[i].value.kind) ? int{GPUPLAN_CHOICE} : 0;
    job.*(member->value) = static_cast<int32_t>(x) + shift;
    return;
  }
  job.others.given[place / 64] |= std::uint64_t{1} << place % 64;
  job.others.value[place] = x;
}

}  // namespace gpuplan::scheduler
