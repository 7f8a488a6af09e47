#pragma once
/// \file
/// The numbers of the step-time model that are neither counts, datasheet values nor measured of an
/// operator alone: what each is, to whom it belongs, and who vouches for it.  Values are read from
/// the library.

#include <array>
#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include <gpuplan/compute/head_time.hpp>
#include <gpuplan/compute/layer_kernels.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/plan/busy_time.hpp>
#include <gpuplan/plan/layer_messages.hpp>
#include <gpuplan/plan/rank_links.hpp>
#include <gpuplan/plan/step_time.hpp>
#include <gpuplan/units/units.hpp>

#include "accuracy/constants.hpp"
#include "accuracy/least_squares.hpp"
#include "accuracy/speed_row.hpp"

namespace gpuplan::accuracy {

/// What a generation of software adds, as numbers of one unit each.
struct software_constants {
  double elementwise = 0;
  double four_bit_products = 0;  ///< of the rate of measured kernels
  double buffers = 0;            ///< B a weight and micro-batch
  double tensor_exposed = 0;     ///< of their time
  double data_exposed = 0;
  double dense_host = 0;   ///< ms a layer and micro-batch
  double expert_host = 0;  ///< likewise
  double step_host = 0;    ///< ms a step
};

/// Values of all fitted constants at once.
struct speed_setting {
  double jitter = 0;
  std::array<software_constants, frameworks.size()> software{};  ///< by framework

  [[nodiscard]] software_constants& of(framework by) {
    return software[static_cast<std::size_t>(by)];
  }
  [[nodiscard]] const software_constants& of(framework by) const {
    return software[static_cast<std::size_t>(by)];
  }

  /// The library's profile with these values in it.  What a generation shares with an older one is
  /// that one's: all of Megatron-LM of 2021 but for the traffic of elementwise kernels with
  /// DeepSpeed; of FSDP what it hides and does once in a step, as Transformer Engine.
  [[nodiscard]] framework_profile profile(framework by) const {
    using enum framework;
    const bool pytorch = by == fsdp || by == fsdp2;
    const framework host = by == megatron_deepspeed ? megatron_2021 : by;
    const framework once = pytorch ? transformer_engine : host;
    framework_profile all = profile_of(by);
    all.elementwise = of(by).elementwise;
    all.four_bit_products = of(by).four_bit_products;
    all.buffers = of(pytorch ? fsdp : by).buffers * units::byte;
    all.tensor_exposed = of(by).tensor_exposed;
    all.data_exposed = of(pytorch ? transformer_engine : by).data_exposed;
    all.dense_host = of(host).dense_host * units::ms;
    all.expert_host =
        (by == transformer_engine ? of(by).expert_host : of(host).dense_host) * units::ms;
    all.step_host = of(once).step_host * units::ms;
    all.jitter = jitter;
    return all;
  }
};

/// The values that the library has.
inline speed_setting library_setting() {
  speed_setting all{.jitter = replica_jitter};
  for (const framework by : frameworks) {
    const framework_profile known = profile_of(by);
    all.of(by) = {.elementwise = known.elementwise,
                  .four_bit_products = known.four_bit_products,
                  .buffers = known.buffers.in(units::byte),
                  .tensor_exposed = known.tensor_exposed,
                  .data_exposed = known.data_exposed,
                  .dense_host = known.dense_host.in(units::ms),
                  .expert_host = known.expert_host.in(units::ms),
                  .step_host = known.step_host.in(units::ms)};
  }
  return all;
}

/// What the model says of a run.
inline step_time predicted(const speed_run& run, const speed_setting& with) {
  return step_time_of(run.asked.model, run.pool, run.asked.recipe, run.asked.parallelism,
                      with.profile(run.asked.recipe.framework));
}

/// A number that runs decide, and what was thought of it before.
struct fitted_constant {
  std::string_view name;
  std::string_view owner;  ///< a generation of software
  std::string_view unit;
  std::function<double&(speed_setting&)> at;
  prior before{};
  std::string_view source;  ///< of the prior
};

/// Every number that is fitted to steps.
inline std::vector<fitted_constant> fitted_constants() {
  using s = speed_setting;
  using c = software_constants;
  using enum framework;
  std::vector<fitted_constant> all;
  const auto add = [&](std::string_view owner, framework by, std::string_view name,
                       std::string_view unit, double c::*which, const prior& before,
                       std::string_view source) {
    all.push_back(
        {name, owner, unit, [=](s& x) -> double& { return x.of(by).*which; }, before, source});
  };
  const auto add_elementwise = [&](std::string_view owner, framework by) {
    add(owner, by, "elementwise traffic", "of the bytes counted", &c::elementwise,
        {1.5, 0.7, 0.3, 8}, "prior: as counted, and half as much again");
  };
  const auto add_host = [&](std::string_view owner, framework by) {
    add(owner, by, "host, dense layer", "ms a micro-batch", &c::dense_host, {2, 1.5, 0, 8},
        "prior: 100 to 200 launches of 10 to 20 us; no source");
  };
  add_elementwise("transformer_engine", transformer_engine);
  add("transformer_engine", transformer_engine, "products in 4 bits", "of the measured rate",
      &c::four_bit_products, {1, 0.3, 0.5, 2},
      "prior: as the kernels of inference that were measured");
  add("transformer_engine", transformer_engine, "tensor messages that show", "of their time",
      &c::tensor_exposed, {0.5, 0.3, 0, 1}, "prior: half; no source");
  add("transformer_engine, fsdp, fsdp2", transformer_engine, "data messages that show",
      "of their time", &c::data_exposed, {0.3, 0.2, 0, 1}, "prior: most is hidden; no source");
  add("transformer_engine", transformer_engine, "host, dense layer", "ms a micro-batch",
      &c::dense_host, {3, 0.7, 0, 8},
      "prior: 3 to 5 ms in steps of tiny models of this software, which are not in the fit");
  add("transformer_engine", transformer_engine, "host, layer of experts", "ms a micro-batch",
      &c::expert_host, {6, 4, 0, 20}, "prior: three times a dense layer's; no source");
  add("transformer_engine, fsdp, fsdp2", transformer_engine, "host, once", "ms a step",
      &c::step_host, {30, 20, 0, 150}, "prior: 20 to 50 ms, SimuMax's steps on B200");
  add_elementwise("megatron_2021", megatron_2021);
  add_host("megatron_2021, megatron_deepspeed", megatron_2021);
  add("megatron_2021, megatron_deepspeed", megatron_2021, "host, once", "ms a step", &c::step_host,
      {10, 10, 0, 150}, "prior: as long as a few layers; no source");
  add_elementwise("megatron_deepspeed", megatron_deepspeed);
  add_elementwise("fsdp", fsdp);
  add("fsdp, fsdp2", fsdp, "buffers", "B a weight", &c::buffers, {20, 20, 0, 100},
      "prior: a 16-bit weight copied in, an FP32 gradient out, and casts");
  add_host("fsdp", fsdp);
  add_elementwise("fsdp2", fsdp2);
  add_host("fsdp2", fsdp2);
  all.push_back({"jitter of a replica",
                 "all software",
                 "of the step",
                 &s::jitter,
                 {0.004, 0.003, 0, 0.03},
                 "prior: some per mille; no source"});
  return all;
}

/// Every other number of a step, none of them fitted by the program.
inline const std::array speed_constants{
    constant{"host's time that graphs of fixed shapes leave, dense layer", dense_host_of_graphs,
             "of it", "transformer_engine", "what is launched once for a layer; no source"},
    constant{"likewise, layer of experts: all but attention", expert_host_of_graphs, "of it",
             "transformer_engine", "steps of Qwen3 30B with and without, NeMo 26.02 and 26.02.01"},
    constant{"once a step, that a graph of all leaves", step_host_of_graphs, "of it",
             "transformer_engine", "steps of Qwen3 30B, NeMo 26.06"},
    constant{"messages of experts that another micro-batch hides at best", expert_hiding,
             "of their time", "all software", "steps of DeepSeek-V3, NeMo 26.02 and 26.04"},
    constant{"work beside which they run", work_beside_messages, "of it", "all software",
             "an assumption"},
    constant{"launches of embedding, or of head with loss", launches_of_end, "of a dense layer's",
             "all software", "an assumption; GPT on one node of A100"},
    constant{"deviation of a host among those of tensor ranks", host_spread, "of its time",
             "all software", "GPT on one node of A100 by tensor width; MoE of tensor 2 and 8"},
    constant{"activation behind biased experts, over a fused one",
             gpuplan::detail::steps_of_biased_activation, "of its traffic", "all software",
             "counted, Megatron Core"},
    constant{"message between stages that chunks leave", gpuplan::detail::hop_beside_chunks,
             "of its time", "all software", "an assumption"},
    constant{"a port's rate within a step", fabric_share, "of a benchmark's", "networks",
             "steps over InfiniBand; NCCL's tests alone reach it"},
    constant{"kernels of a forward pass", forward_kernels, "of both passes'", "all software",
             "counted, Megatron-LM"},
    constant{"kernels of a dense layer's forward pass", kernels_of_attention + kernels_of_network,
             "", "all software", "counted, Megatron Core"},
    constant{"rotations of latent heads, in steps", kernels_of_stepwise_rotations, "kernels",
             "all software", "counted, Megatron Core"},
    constant{"likewise, fused", kernels_of_fused_rotations, "kernels", "all software",
             "counted, Megatron Core"},
    constant{"shared experts", kernels_of_shared_experts, "kernels", "all software",
             "counted, Megatron Core"},
    constant{"forward pass", forward_share, "of both", "all software", "an assumption"},
    constant{"payload of a port", detail::port_payload, "of its rate", "networks",
             "InfiniBand HDR: 23.5 of 25 GB/s"},
    constant{"start of a collective, beside a hop of its link", collective_start.in(units::us),
             "us", "all devices", "NVIDIA, NCCL, src/graph/tuning.cc: ring, LL"},
    constant{"traffic of an update",
             bytes_per_update(bytes_per_parameter(recipe{})).in(units::byte), "B a parameter",
             "all software", "counted, Apex's fused Adam"},
    constant{"traffic of loss and head", bytes_moved_per_logit.in(units::byte), "B a logit",
             "all software", "counted, Megatron Core"}};

}  // namespace gpuplan::accuracy
