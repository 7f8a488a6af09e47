/// \file
/// The time of one collective, and how far off it can be.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <gpuplan/comm/bandwidth.hpp>
#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/text/lookup.hpp>
#include <gpuplan/units/link_rate.hpp>

#include "collective/collective.hpp"
#include "inputs.hpp"
#include "program.hpp"

namespace gpuplan::cli {
namespace {

/// GPUs as NCCL tells them apart, by what came with each: formats of 4 bits with Blackwell, of 8 with
/// Hopper, and with Ada, which NCCL takes for Ampere and which has no NVLink; BF16 with Ampere.
nccl_generation generation_of(const accelerator& gpu) {
  constexpr flop_per_second none{};
  if (gpu.peak.fp4 > none) return nccl_generation::blackwell;
  if (gpu.peak.fp8_e4m3 > none && gpu.scale_up.joined != wiring::none)
    return nccl_generation::hopper;
  return gpu.peak.bf16 > none ? nccl_generation::ampere : nccl_generation::volta;
}

network_fabric fabric_of(const interconnect& link) {
  return {.port = {.latency = link.latency, .advertised = per_direction(link.bandwidth)}};
}

/// GPUs of the last node, which may have fewer than the others.
int gpus_of_last_node(const collective_question& asked) {
  return asked.ranks() - (asked.pool.nodes - 1) * asked.pool.node.gpus;
}

/// What a hop takes beyond what NCCL counts: of EFA, or as --latency says of a fabric.
seconds beyond_nccl(const collective_question& asked) {
  if (asked.asked.fabric.find("EFA") != std::string::npos) return efa_beyond_nccl;
  return asked.hop ? *asked.hop - nccl_hop : seconds{};
}

/// Nodes of the cluster, each GPU with a port of its own.  A collective waits for the node of the
/// fewest ports.  NCCL sums in the switch where more than two GPUs of each node take part
/// (src/transport/nvls.cc, ncclNvlsInit).
nccl_machine machine_of(const collective_question& asked) {
  const node& box = asked.pool.node;
  const accelerator& gpu = box.gpu;
  const int together = std::min(asked.ranks(), box.gpus);
  const bool linked = scale_up_rate(gpu.scale_up, std::max(together, 2)) > bytes_per_second{0};
  const nccl_generation generation = generation_of(gpu);
  return {.generation = generation,
          .host = gpu.scale_up.domain > 0 ? nccl_host::other : nccl_host::intel,
          .wire = linked ? nccl_wire::nvlink : nccl_wire::pci,
          .inside = fabric_of(interconnect_between(gpu, together)),
          .between = fabric_of(box.fabric),
          .ports_of_node = static_cast<double>(gpus_of_last_node(asked)),
          .network_latency = beyond_nccl(asked),
          .sums_in_node = linked && gpu.scale_up.joined == wiring::switched &&
                          generation >= nccl_generation::hopper && gpus_of_last_node(asked) > 2};
}

/// GPUs on whose nodes the all-reduces were measured that the range rests on.
///
/// Source: tests/data/vectors/measured_collectives.json, the hardware of each series; a DGX A100,
/// which one of them names, has either memory.
constexpr std::array all_reduces_measured_on{
    std::string_view{"V100-SXM2-32GB"}, std::string_view{"A100-SXM4-40GB"},
    std::string_view{"A100-SXM4-80GB"}, std::string_view{"H100-SXM5-80GB"},
    std::string_view{"H200-SXM-141GB"}, std::string_view{"B200-SXM"},
    std::string_view{"GB200 (per GPU)"}};

/// How near the question is to what was measured: all-reduces of many sources on up to 1440 GPUs, all
/// nodes full, and other collectives of one source or two.  A GPU whose operators are measured, or are those of a
/// relative, is near to these as well.
operator_origin nearest_measured(const collective_question& asked, const nccl_machine& machine) {
  constexpr int far_from_measured = 2 * 1440;
  const accelerator& gpu = asked.pool.node.gpu;
  const bool measured =
      std::any_of(all_reduces_measured_on.begin(), all_reduces_measured_on.end(),
                  [&](std::string_view name) { return same_name(name, asked.asked.gpu); });
  const bool linked = machine.wire == nccl_wire::nvlink;
  const bool of_known_bus = linked || machine.generation == nccl_generation::ampere ||
                            machine.generation == nccl_generation::blackwell;
  if (!measured && (!of_known_bus || !has_timed_steps(gpu.operators_from)))
    return operator_origin::derived;
  const bool full = gpus_of_last_node(asked) == asked.pool.node.gpus;
  const bool near = measured && asked.what == collective::all_reduce && full &&
                    asked.ranks() <= far_from_measured;
  return near ? operator_origin::measured : operator_origin::relative;
}

}  // namespace

collective_answer answer_of(const collective_question& asked) {
  if (find_gpu(asked.asked.gpu, "--gpu").vendor != "NVIDIA")
    throw bad_usage{fmt::format(
        "collective: NCCL runs on GPUs of NVIDIA alone, and no other library was measured; --gpu "
        "is {}",
        asked.asked.gpu)};
  const nccl_machine machine = machine_of(asked);
  const auto found =
      lone_collective_on(machine, asked.what, asked.ranks(), asked.pool.nodes, asked.message);
  if (!found)
    throw bad_usage{fmt::format(
        "collective: no formula here speaks of {} over {} nodes, and none was measured; one node "
        "(--gpus {} or fewer) has a time",
        name_of(asked.what), asked.pool.nodes, asked.pool.node.gpus)};
  const error_distribution errors = error_distribution_of(
      {.of = prediction::collective, .device = nearest_measured(asked, machine)});
  const seconds time = found->total();
  return {.found = *found,
          .band = error_band_of(errors, asked.level),
          .algorithm = algorithm_bandwidth(asked.message, time),
          .bus = bus_bandwidth(asked.what, asked.ranks(), asked.message, time)};
}

}  // namespace gpuplan::cli
