#pragma once
/// \file
/// A run of published_checks.json whose time is printed: the job, the cluster, and the seconds of
/// a step.

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/plan/reject.hpp>
#include <gpuplan/units/units.hpp>

#include "accuracy/fields.hpp"
#include "accuracy/flop_convention.hpp"
#include "accuracy/job.hpp"
#include "accuracy/published_row.hpp"

namespace gpuplan::accuracy {

/// One run, and what it took.
struct speed_run {
  std::string id;
  std::string family;
  std::string source;
  std::string gpu;  ///< its name
  job asked{};
  cluster pool{};
  seconds measured{};
  std::vector<std::string> sweeps{};  ///< of which it is a point
};

namespace detail {

inline bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The generation that an entry's software belongs to; the current one where it is not known.
inline framework published_framework(const std::string& name) {
  if (is_one_of(name, {"megatron_2021", "other"})) return framework::megatron_2021;
  if (name == "bigscience") return framework::megatron_deepspeed;
  if (name == "llm_foundry") return framework::fsdp;
  if (is_one_of(name, {"torchtitan", "fsdp_pytorch", "torchtune", "litgpt"}))
    return framework::fsdp2;
  return framework::transformer_engine;
}

/// What a port carries of its line rate, headers and protocol left out.
///
/// Source: the achievable over the advertised rate of InfiniBand HDR in the catalog, 23.5 of 25.
inline constexpr double port_payload = 0.94;

/// A GPU's share of its node's ports as the entry prints them; otherwise one port for each GPU, of
/// the generation sold with it.
inline interconnect published_fabric(const nlohmann::json& run,
                                     const catalog::accelerator_entry& gpu) {
  if (const auto rate = number(run, "node_network_Gbps")) {
    const double gpus = whole(run, "gpus_per_node").value_or(8);
    return {.latency = catalog::infiniband_hdr.port.latency,
            .bandwidth = port_payload * (*rate / gpus / 8) * units::GB / units::second};
  }
  const network_fabric& sold_with = gpu.year < 2020   ? catalog::infiniband_edr
                                    : gpu.year < 2022 ? catalog::infiniband_hdr
                                                      : catalog::infiniband_ndr;
  return interconnect_of(sold_with);
}

/// A node is what NVLink joins.
inline cluster published_cluster(const nlohmann::json& entry) {
  const nlohmann::json& run = field(entry, "run");
  const auto* gpu = catalog::find_accelerator(text_of(run, "gpu"));
  if (gpu == nullptr) throw unmapped{"gpu " + text_of(run, "gpu") + " is unknown"};
  const int joined = whole(run, "nvlink_domain").value_or(8);
  return cluster_of(node_of(*gpu->gpu, joined, published_fabric(run, *gpu)),
                    whole_of(entry, "gpus"));
}

}  // namespace detail

/// The seconds of a step that an entry prints as `quantity`.
inline seconds printed_seconds(const nlohmann::json& entry, const std::string& quantity,
                               double value) {
  const job asked = job_of_published(entry);
  const flop counted =
      quantity == "tflops_per_gpu" ? counted_flop(entry, asked.model, asked.recipe) : flop{};
  return step_seconds(quantity, value, asked.recipe, number_of(entry, "gpus"), counted);
}

/// The run of an entry; `measured` is left for the caller.
/// \throws unmapped saying what the descriptions cannot say, or which rule the layout breaks
inline speed_run speed_run_of(const nlohmann::json& entry) {
  const nlohmann::json& run = field(entry, "run");
  speed_run one{.id = text_of(entry, "id"),
                .family = text_of(run, "family"),
                .source = text_of(entry, "source"),
                .gpu = text_of(run, "gpu"),
                .asked = job_of_published(entry),
                .pool = detail::published_cluster(entry)};
  one.asked.recipe.framework = detail::published_framework(text_of(run, "framework"));
  for (const nlohmann::json& sweep : field(run, "sweeps"))
    one.sweeps.push_back(text_of(sweep, "over") + " " + text_of(sweep, "id"));
  const reject no =
      layout_fault(one.asked.model, one.pool.gpus(), one.asked.recipe, one.asked.parallelism);
  if (no) throw unmapped{std::string(describe(no.reason))};
  return one;
}

}  // namespace gpuplan::accuracy
