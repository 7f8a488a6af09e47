#pragma once
/// \file
/// What it costs that plans are sure to fit: the best plans of some models on some clusters, with
/// the usual risk and as predicted.

#include <array>
#include <string_view>
#include <vector>

#include <gpuplan/hardware/catalog.hpp>
#include <gpuplan/hardware/catalog_fabrics.hpp>
#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/model/catalog.hpp>
#include <gpuplan/plan/estimate_band.hpp>
#include <gpuplan/plan/search.hpp>

#include "accuracy/statistics.hpp"

namespace gpuplan::accuracy {

/// One model on one cluster.
struct safe_plan {
  std::string_view model;
  std::string_view gpu;
  int gpus = 0;
  double fullness = 0;       ///< of the memory that the driver shows; 0 where nothing fits
  double bold_fullness = 0;  ///< of the best plan as predicted
  double slower = 0;         ///< than the best plan as predicted
  double fits_probability = 0;
};

struct planned_model {
  std::string_view name;
  transformer shape;
};

inline constexpr std::array planned_models{
    planned_model{"Llama 3 8B", catalog::llama_3_8b},
    planned_model{"Llama 3 70B", catalog::llama_3_70b},
    planned_model{"GPT-3 175B", catalog::gpt3_175b},
    planned_model{"Mixtral 8x7B", catalog::mixtral_8x7b_v0_1},
    planned_model{"Llama 3.1 405B", catalog::llama_3_1_405b}};
inline constexpr std::array<std::string_view, 4> planned_gpus{"A100-SXM4-80GB", "H100-SXM5-80GB",
                                                              "H200-SXM-141GB", "B200-SXM"};
inline constexpr std::array planned_counts{128, 1024};

/// Every model on every cluster.
inline std::vector<safe_plan> safe_plans() {
  std::vector<safe_plan> all;
  for (const planned_model& model : planned_models)
    for (const std::string_view name : planned_gpus)
      for (const int gpus : planned_counts) {
        const accelerator& gpu = *catalog::find_accelerator(name)->gpu;
        const cluster pool =
            cluster_of(node_of(gpu, 8, interconnect_of(catalog::infiniband_ndr)), gpus);
        const recipe how{.global_batch_size = 2048, .sequence_length = 2048};
        const workspace beside = workspace_of(gpu, how.framework);
        const auto best = [&](double risk) {
          return search(model.shape, pool, how, {.keep = 1, .risk = risk}, {}, beside);
        };
        safe_plan one{.model = model.name, .gpu = name, .gpus = gpus};
        const search_result safe = best(usual_risk);
        const search_result bold = best(1);
        if (const plan* found = bold.best()) one.bold_fullness = found->what.needed / gpu.memory;
        if (const plan* found = safe.best()) {
          one.fullness = found->what.needed / gpu.memory;
          one.fits_probability = bands_of(found->what, gpu).fits_probability;
          one.slower = found->what.time.total() / bold.best()->what.time.total() - 1;
        }
        all.push_back(one);
      }
  return all;
}

/// How much longer steps take, so that plans are sure to fit.
inline errors slower_by(const std::vector<safe_plan>& all) {
  errors found;
  for (const safe_plan& one : all)
    if (one.fullness > 0) found.add(one.slower);
  return found;
}

}  // namespace gpuplan::accuracy
