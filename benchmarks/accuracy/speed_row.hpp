#pragma once
/// \file
/// A run of published.json whose time is printed: the job, the cluster, and the seconds of a step.

#include <algorithm>
#include <regex>
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

#include "accuracy/experts_row.hpp"
#include "accuracy/fields.hpp"
#include "accuracy/flop_convention.hpp"
#include "accuracy/job.hpp"
#include "accuracy/published_flags.hpp"
#include "accuracy/published_row.hpp"
#include "accuracy/speed_run.hpp"

namespace gpuplan::accuracy {

namespace detail {

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

/// GPUs of a job that one NVLink domain joins: of a rack as many of its 72 as divide the job, in
/// trays of 4.
inline int joined_by_nvlink(int domain, int gpus) {
  if (domain != 72 || gpus <= domain) return (std::min)(domain, gpus);
  for (int n = domain; n > 4; n -= 4)
    if (gpus % n == 0) return n;
  return domain;
}

/// The release of a container that a source names, as a number: 25.11; 0 where it names none.
inline double release_of(const nlohmann::json& entry) {
  std::smatch found;
  const std::string source = text_of(entry, "source");
  return std::regex_search(source, found, std::regex{"[0-9]{2}\\.[0-9]{2}"}) ? std::stod(found[0])
                                                                             : 0;
}

/// The first release whose all-to-all of tokens to experts crosses the trays of a rack by NVLink;
/// in older ones it takes the ports: DeepSeek-V3 on GB200 took 34 s in 25.05, 11 s in 25.10.
inline constexpr double release_across_trays = 25.09;

/// The NVLink domain that a run has for its messages.
inline int domain_of(const nlohmann::json& entry) {
  const nlohmann::json& run = field(entry, "run");
  const int domain = whole(run, "nvlink_domain").value_or(8);
  const double release = release_of(entry);
  const bool ports = text_of(field(run, "flags"), "dispatcher") == "alltoall" && release > 0 &&
                     release < release_across_trays;
  return ports ? (std::min)(domain, whole(run, "gpus_per_node").value_or(domain)) : domain;
}

/// A node is what NVLink joins.
inline cluster published_cluster(const nlohmann::json& entry) {
  const nlohmann::json& run = field(entry, "run");
  if (!has(run, "gpu")) throw unmapped{"gpu is not given"};
  const auto* gpu = catalog::find_accelerator(text_of(run, "gpu"));
  if (gpu == nullptr) throw unmapped{"gpu " + text_of(run, "gpu") + " is unknown"};
  const int gpus = whole_of(entry, "gpus");
  const int joined = joined_by_nvlink(domain_of(entry), gpus);
  return cluster_of(node_of(*gpu->gpu, joined, published_fabric(run, *gpu)), gpus);
}

/// A pipeline whose layers and ends make equal stages, and whose depth of chunks nothing prints: a
/// layer each, as Llama 3 was trained: A. Grattafiori et al., "The Llama 3 Herd of Models" (2024),
/// section 3.3.2.
inline void cut_for_chunks(job& asked) {
  const int stages = asked.parallelism.pipeline;
  if ((asked.model.layers + 2) % stages != 0 || asked.parallelism.interleave > 1) return;
  asked.recipe.split = layer_split{balanced_ends(asked.model.layers, stages, true, true)};
  asked.parallelism.interleave = (asked.model.layers + 2) / stages;
}

/// What an entry of a dense model asks, with what its recipe switched on.
inline job dense_job(const nlohmann::json& entry) {
  const nlohmann::json& run = field(entry, "run");
  if (says(text_of(field(entry, "model"), "name"), "bert"))
    throw unmapped{"an encoder, of software that is not described"};
  job asked = job_of_published(entry);
  set_flags(run, asked);
  const bool sharded = text_of(run, "sharding") == "fsdp";
  // Where nothing is printed of a run that shards as FSDP does, it has what FSDP came after:
  // flash attention, and tokens that tensor ranks divide.
  if (sharded && !has(run, "attention")) asked.recipe.attention = attention_kernel::flash;
  if (sharded && !has(run, "sequence_parallel") && asked.parallelism.tensor > 1)
    asked.recipe.sequence_parallel = true;
  if (sharded && asked.parallelism.pipeline > 1) cut_for_chunks(asked);
  return asked;
}

inline bool has_experts(const nlohmann::json& entry) {
  return whole(field(entry, "model"), "n_experts").value_or(0) > 0;
}

inline job speed_job(const nlohmann::json& entry) {
  job asked = has_experts(entry) ? expert_job(entry) : dense_job(entry);
  asked.recipe.framework = published_framework(field(entry, "run"));
  return asked;
}

}  // namespace detail

/// The seconds of a step that an entry prints as `quantity`.
inline seconds printed_seconds(const nlohmann::json& entry, const std::string& quantity,
                               double value) {
  const job asked = detail::speed_job(entry);
  const bool rate = quantity == "tflops_per_gpu" || quantity == "mfu";
  const flop counted = rate ? counted_flop(entry, asked.model, asked.recipe) : flop{};
  double printed = value;
  if (quantity == "mfu")
    printed *=
        detail::published_cluster(entry).gpu().peak[formats_of(asked.recipe.precision).product].in(
            units::TFLOP / units::second);
  return step_seconds(rate ? "tflops_per_gpu" : quantity, printed, asked.recipe,
                      number_of(entry, "gpus"), counted);
}

/// The seconds of a step by the first quantity that says them, printed or derived from what is.
/// \throws unmapped if none does
inline seconds printed_seconds(const nlohmann::json& entry) {
  for (const char* part : {"measured", "derived"})
    for (const char* quantity : {"iteration_s", "step_time_s", "tokens_per_s_per_gpu",
                                 "samples_per_s_per_gpu", "tokens_per_s", "samples_per_s"})
      if (const auto value = number(field(entry, part), quantity))
        return printed_seconds(entry, quantity, *value);
  for (const char* quantity : {"mfu", "tflops_per_gpu"})
    if (const auto value = number(field(entry, "measured"), quantity))
      return printed_seconds(entry, quantity, *value);
  throw unmapped{"no time and no throughput is printed"};
}

/// The run of an entry; `measured` is left for the caller.
/// \throws unmapped saying what the descriptions cannot say, or which rule the layout breaks
inline speed_run speed_run_of(const nlohmann::json& entry) {
  const nlohmann::json& run = field(entry, "run");
  const bool experts = detail::has_experts(entry);
  const std::string family = text_of(run, "family");
  speed_run one{
      .id = text_of(entry, "id"),
      .section = experts ? speed_section::published_experts : speed_section::published_dense,
      .family = experts
                    ? family + ", " + detail::without_remark(text_of(field(entry, "model"), "name"))
                    : family,
      .publisher = family,
      .source = text_of(entry, "source"),
      .gpu = text_of(run, "gpu"),
      .asked = detail::speed_job(entry),
      .pool = detail::published_cluster(entry)};
  for (const nlohmann::json& sweep : field(run, "sweeps"))
    one.sweeps.push_back(text_of(sweep, "over") + " " + text_of(sweep, "id"));
  require_askable(one);
  return one;
}

}  // namespace gpuplan::accuracy
