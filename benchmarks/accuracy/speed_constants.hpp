#pragma once
/// \file
/// The numbers of the step-time model that are neither counts nor datasheet values: what each is,
/// to whom it belongs, and who vouches for it.  Values are read from the library.

#include <array>
#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include <gpuplan/compute/head_time.hpp>
#include <gpuplan/compute/kernel_rates.hpp>
#include <gpuplan/compute/roofline.hpp>
#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/sustained_rate.hpp>
#include <gpuplan/model/framework.hpp>
#include <gpuplan/plan/rank_links.hpp>
#include <gpuplan/plan/stage_time.hpp>
#include <gpuplan/plan/step_time.hpp>
#include <gpuplan/units/units.hpp>

#include "accuracy/constants.hpp"
#include "accuracy/least_squares.hpp"
#include "accuracy/speed_row.hpp"

namespace gpuplan::accuracy {

/// Devices whose constants are fitted together.
enum class gpu_generation { ampere, hopper, blackwell, other };

/// By the name of the catalog.
inline gpu_generation generation_of(std::string_view gpu) {
  const auto starts = [&](std::string_view with) { return gpu.substr(0, with.size()) == with; };
  if (starts("A100")) return gpu_generation::ampere;
  if (starts("H100") || starts("H200") || starts("H800") || starts("GH200"))
    return gpu_generation::hopper;
  if (starts("B200") || starts("GB200")) return gpu_generation::blackwell;
  return gpu_generation::other;
}

/// Shares of the datasheet's peak.
struct device_constants {
  double wide = 0;    ///< large products in 16 bits
  double narrow = 0;  ///< in 8 bits
  double triton = 0;  ///< attention kernels
  double fused = 0;
};

struct software_constants {
  double elementwise = 0;
  double exposed = 0;
  double buffers = 0;  ///< B a weight and micro-batch
};

/// Values of all fitted constants at once.
struct speed_setting {
  double turnover = 0;  ///< us
  double jitter = 0;
  std::array<device_constants, 3> devices{};                     ///< by gpu_generation
  std::array<software_constants, frameworks.size()> software{};  ///< by framework

  [[nodiscard]] software_constants& of(framework by) {
    return software[static_cast<std::size_t>(by)];
  }
  [[nodiscard]] device_constants& of(gpu_generation gpu) {
    return devices[static_cast<std::size_t>(gpu)];
  }

  /// The library's profile with these values in it; fsdp2 has fsdp's elementwise and buffers.
  [[nodiscard]] framework_profile profile(framework by) const {
    const auto known = [&](framework of) { return software[static_cast<std::size_t>(of)]; };
    const software_constants moved = known(by == framework::fsdp2 ? framework::fsdp : by);
    framework_profile all = profile_of(by);
    all.elementwise = moved.elementwise;
    all.exposed = known(by).exposed;
    all.buffers = moved.buffers * units::byte;
    all.turnover = turnover * units::us;
    all.jitter = jitter;
    return all;
  }

  /// The catalog's device with these values in it.
  [[nodiscard]] accelerator gpu(const accelerator& known, std::string_view name) const {
    accelerator gpu = known;
    const gpu_generation generation = generation_of(name);
    if (generation == gpu_generation::other) return gpu;
    const device_constants& own = devices[static_cast<std::size_t>(generation)];
    const auto set = [](double& share, double fitted) {
      if (fitted > 0) share = fitted;
    };
    if (own.wide > 0) {
      gpu.sustained.fp16 = own.wide * gpu.peak.fp16;
      gpu.sustained.bf16 = own.wide * gpu.peak.bf16;
    }
    if (own.narrow > 0) {
      gpu.sustained.fp8_e4m3 = own.narrow * gpu.peak.fp8_e4m3;
      gpu.sustained.fp8_e5m2 = own.narrow * gpu.peak.fp8_e5m2;
    }
    set(gpu.attention.triton, own.triton);
    set(gpu.attention.fused, own.fused);
    return gpu;
  }
};

/// The values that the library has.
inline speed_setting library_setting() {
  speed_setting all{.turnover = wave_turnover.in(units::us), .jitter = replica_jitter};
  for (const framework by : frameworks) {
    const framework_profile known = profile_of(by);
    all.of(by) = {known.elementwise, known.exposed, known.buffers.in(units::byte)};
  }
  const auto shares = [](const accelerator& gpu) {
    device_constants of{.wide = gpu.sustained.bf16 / gpu.peak.bf16,
                        .triton = gpu.attention.triton,
                        .fused = gpu.attention.fused};
    if (gpu.peak.fp8_e4m3 > flop_per_second{0})
      of.narrow = gpu.sustained.fp8_e4m3 / gpu.peak.fp8_e4m3;
    return of;
  };
  all.of(gpu_generation::ampere) = shares(catalog::a100_sxm4_80gb);
  all.of(gpu_generation::hopper) = shares(catalog::h100_sxm5_80gb);
  all.of(gpu_generation::blackwell) = shares(catalog::b200_sxm);
  return all;
}

/// What the model says of a run.
inline step_time predicted(const speed_run& run, const speed_setting& with) {
  cluster pool = run.pool;
  pool.node.gpu = with.gpu(pool.node.gpu, run.gpu);
  return step_time_of(run.asked.model, pool, run.asked.recipe, run.asked.parallelism,
                      with.profile(run.asked.recipe.framework));
}

/// A number that runs decide, and what was thought of it before.
struct fitted_constant {
  std::string_view name;
  std::string_view owner;  ///< a device, or a generation of software
  std::string_view unit;
  std::function<double&(speed_setting&)> at;
  prior before{};
  std::string_view source;  ///< of the prior
};

namespace detail {

/// What a search of shapes found, which no run exceeds, or a bit less.
inline prior best_measured(flop_per_second achieved, flop_per_second peak) {
  const double best = achieved / peak;
  return {best, 0.05, 0.3, best};
}

inline constexpr std::string_view best_product =
    "prior: the best measured, S. Bekman, ml-engineering (2025)";
inline constexpr std::string_view flash_papers =
    "prior: T. Dao et al., FlashAttention (2022) and FlashAttention-2 (2023)";

}  // namespace detail

/// Every number that is fitted.
inline std::vector<fitted_constant> fitted_constants() {
  using s = speed_setting;
  std::vector<fitted_constant> all{
      {"turnover of a wave",
       "all devices",
       "us",
       &s::turnover,
       {8, 3, 0, 30},
       "prior: some thousand cycles, to drain a tile and to fill the next; no source"},
      {"jitter of a replica",
       "all devices",
       "of the step",
       &s::jitter,
       {0.003, 0.003, 0, 0.03},
       "prior: some per mille; no source"}};

  const auto add_device = [&](std::string_view owner, gpu_generation gpu, std::string_view name,
                              double device_constants::*which, const prior& before,
                              std::string_view source) {
    all.push_back({name, owner, "of peak", [=](s& x) -> double& { return x.of(gpu).*which; },
                   before, source});
  };
  const auto best_wide = [](const accelerator& gpu) {
    return detail::best_measured(gpu.achieved.bf16, gpu.peak.bf16);
  };
  const auto best_narrow = [](const accelerator& gpu) {
    return detail::best_measured(gpu.achieved.fp8_e4m3, gpu.peak.fp8_e4m3);
  };
  using d = device_constants;
  using enum gpu_generation;
  add_device("A100", ampere, "products, 16 bits", &d::wide, best_wide(catalog::a100_sxm4_80gb),
             detail::best_product);
  add_device("A100", ampere, "attention, Triton", &d::triton, {0.35, 0.08, 0.1, 1},
             detail::flash_papers);
  add_device("H100", hopper, "products, 16 bits", &d::wide, best_wide(catalog::h100_sxm5_80gb),
             detail::best_product);
  add_device("H100", hopper, "products, 8 bits", &d::narrow, best_narrow(catalog::h100_sxm5_80gb),
             detail::best_product);
  add_device("H100", hopper, "attention, Triton", &d::triton, {0.25, 0.08, 0.1, 1},
             detail::flash_papers);
  add_device("H100", hopper, "attention, cuDNN", &d::fused, {0.45, 0.06, 0.1, 1},
             detail::flash_papers);
  add_device("B200", blackwell, "products, 8 bits", &d::narrow, best_narrow(catalog::b200_sxm),
             detail::best_product);

  const auto add_software = [&](std::string_view owner, framework by) {
    const bool hides = profile_of(by).hides_data_traffic;
    all.push_back({"elementwise traffic",
                   owner,
                   "of the bytes counted",
                   [=](s& x) -> double& { return x.of(by).elementwise; },
                   {1, 0.3, 0.2, 3},
                   "prior: as counted"});
    all.push_back({"messages that show",
                   owner,
                   "of their time",
                   [=](s& x) -> double& { return x.of(by).exposed; },
                   {hides ? 0.3 : 0.8, 0.3, 0, 4},
                   hides ? "prior: most is hidden; no source" : "prior: most shows; no source"});
    if (profile_of(by).buffers > bytes{0})
      all.push_back({"buffers",
                     owner,
                     "B a weight",
                     [=](s& x) -> double& { return x.of(by).buffers; },
                     {6, 6, 0, 60},
                     "prior: a 16-bit weight copied in, an FP32 gradient out"});
  };
  add_software("megatron_2021", framework::megatron_2021);
  add_software("megatron_deepspeed", framework::megatron_deepspeed);
  add_software("transformer_engine", framework::transformer_engine);
  add_software("fsdp", framework::fsdp);
  return all;
}

/// Every other number, none of them fitted.
inline const std::array speed_constants{
    constant{"streaming bandwidth", streaming_share, "of the datasheet", "devices nobody measured",
             "S. Bekman, ml-engineering (2025): 0.82 to 0.905"},
    constant{"products that a run keeps up", sustained_share, "of the best measured",
             "devices nobody fitted", "mean of those fitted: 0.92 to 1.0"},
    constant{"best product", best_product_share, "of peak", "devices nobody measured",
             "S. Bekman, ml-engineering (2025): 0.73 to 0.87"},
    constant{"attention, Triton", usual_attention.triton, "of peak", "devices nobody fitted",
             "that of H100"},
    constant{"attention, FlashAttention-2", usual_attention.flash_2, "of peak",
             "devices nobody measured", "that of H100"},
    constant{"attention, cuDNN", usual_attention.fused, "of peak", "devices nobody fitted",
             "that of H100"},
    constant{"attention, FlashAttention-2", catalog::a100_sxm4_80gb.attention.flash_2, "of peak",
             "A100", "T. Dao, FlashAttention-2 (2023)"},
    constant{"attention, FlashAttention-2", catalog::h100_sxm5_80gb.attention.flash_2, "of peak",
             "H100", "T. Dao, FlashAttention-2 (2023)"},
    constant{"attention, cuDNN", catalog::a100_sxm4_80gb.attention.fused, "of peak", "A100",
             "as FlashAttention-2"},
    constant{"messages that show", profile_of(framework::fsdp2).exposed, "of their time", "fsdp2",
             "an assumption"},
    constant{"ring with one member in each node", lone_ring_share, "of a port", "networks",
             "D. Narayanan et al., SC21 (2021), section 5.9: 12.6 of 25 GB/s"},
    constant{"payload of a port", detail::port_payload, "of its rate", "networks",
             "InfiniBand HDR: 23.5 of 25 GB/s"},
    constant{"start of a collective, beside a hop of its link", collective_start.in(units::us),
             "us", "all devices", "NVIDIA, NCCL, src/graph/tuning.cc: ring, LL"},
    constant{"launch of a kernel", kernel_launch.in(units::us), "us", "all devices",
             "3 to 5 us; no source"},
    constant{"kernels of a layer", kernels_of_layer, "count", "all software",
             "counted, Megatron Core"},
    constant{"traffic of an update",
             bytes_per_update(bytes_per_parameter(recipe{})).in(units::byte), "B a parameter",
             "all software", "counted, Apex's fused Adam"},
    constant{"traffic of loss and head", bytes_moved_per_logit.in(units::byte), "B a logit",
             "all software", "counted, Megatron Core"}};

}  // namespace gpuplan::accuracy
