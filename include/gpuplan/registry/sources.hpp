#pragma once
/// \file
/// Works that more than one row of the registry cites.

#include <string_view>

namespace gpuplan::registry {

inline constexpr std::string_view definition = "by definition";

inline constexpr std::string_view korthikanti =
    "V. Korthikanti et al., \"Reducing Activation Recomputation in Large Transformer Models\", "
    "MLSys (2023), arXiv:2205.05198";
inline constexpr std::string_view zero_paper =
    "S. Rajbhandari et al., \"ZeRO: Memory Optimizations Toward Training Trillion Parameter "
    "Models\", SC20 (2020), arXiv:1910.02054";
inline constexpr std::string_view megatron =
    "NVIDIA, \"Megatron-LM\", github.com/NVIDIA/Megatron-LM (2026)";
inline constexpr std::string_view narayanan =
    "D. Narayanan et al., \"Efficient Large-Scale Language Model Training on GPU Clusters Using "
    "Megatron-LM\", SC21 (2021), arXiv:2104.04473";
inline constexpr std::string_view mixed_precision =
    "P. Micikevicius et al., \"Mixed Precision Training\", ICLR (2018), arXiv:1710.03740";
inline constexpr std::string_view sublinear =
    "T. Chen et al., \"Training Deep Nets with Sublinear Memory Cost\" (2016), arXiv:1604.06174";
inline constexpr std::string_view goyal =
    "P. Goyal et al., \"Accurate, Large Minibatch SGD: Training ImageNet in 1 Hour\" (2017), "
    "arXiv:1706.02677";
inline constexpr std::string_view deepseek_v2 =
    "DeepSeek-AI, \"DeepSeek-V2: A Strong, Economical, and Efficient Mixture-of-Experts Language "
    "Model\" (2024), arXiv:2405.04434";
inline constexpr std::string_view deepseek_v3 =
    "DeepSeek-AI, \"DeepSeek-V3 Technical Report\" (2024), arXiv:2412.19437";
inline constexpr std::string_view fsdp_paper =
    "Y. Zhao et al., \"PyTorch FSDP: Experiences on Scaling Fully Sharded Data Parallel\", VLDB "
    "(2023), arXiv:2304.11277";
inline constexpr std::string_view thakur =
    "R. Thakur, R. Rabenseifner and W. Gropp, \"Optimization of Collective Communication "
    "Operations in MPICH\", Int. J. High Performance Computing Applications 19 (2005) 49-66";
inline constexpr std::string_view patarasuk =
    "P. Patarasuk and X. Yuan, \"Bandwidth optimal all-reduce algorithms for clusters of "
    "workstations\", J. Parallel Distrib. Comput. 69 (2009) 117-124";

inline constexpr std::string_view by_hand = "worked by hand from the source's formula";

}  // namespace gpuplan::registry
