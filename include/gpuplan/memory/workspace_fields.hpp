#pragma once
/// \file
/// The fields of a workspace, one row each, in the order in which answers show them.

#include <array>

#include <gpuplan/memory/workspace.hpp>
#include <gpuplan/model/field.hpp>
#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>

namespace gpuplan {

namespace effect {

inline constexpr field_effect with_communicators{
    [](const training_setup& of) { return of.parallelism.gpus() > 1 || of.parallelism.expert > 1; },
    "the layout has one GPU", idle_value::accepted};

inline constexpr field_effect with_zero{
    [](const training_setup& of) { return of.recipe.zero != zero_stage::none; }, "zero is 0",
    idle_value::accepted};

}  // namespace effect

inline constexpr double most_workspace = 1e15;  ///< B, of one part

inline constexpr std::array workspace_fields{
    field<workspace>{
        .key = "cublas_bytes",
        .option = "--cublas",
        .value = quantity_field<&workspace::cublas>(field_unit::byte, 0, most_workspace),
        .help = "cuBLAS's workspace, for each of two threads",
        .usual = "by the GPU's generation",
        .seldom = true},
    field<workspace>{.key = "transformer_engine_bytes",
                     .option = "--transformer-engine",
                     .value = quantity_field<&workspace::transformer_engine>(field_unit::byte, 0,
                                                                             most_workspace),
                     .help = "Transformer Engine's workspace, for each stream",
                     .usual = "by the GPU's generation",
                     .seldom = true},
    field<workspace>{
        .key = "cuda_context_bytes",
        .option = "--cuda-context",
        .value = quantity_field<&workspace::cuda_context>(field_unit::byte, 0, most_workspace),
        .help = "The CUDA context and the kernels it has loaded",
        .usual = "500 MB"},
    field<workspace>{
        .key = "communicator_bytes",
        .option = "--communicator",
        .value = quantity_field<&workspace::communicator>(field_unit::byte, 0, most_workspace),
        .help = "NCCL's buffers, for each axis that is cut",
        .usual = "600 MB",
        .effect = effect::with_communicators},
    field<workspace>{.key = "fragmentation",
                     .option = "--fragmentation",
                     .value = quantity_field<&workspace::fragmentation>(field_unit::none, 0, 10),
                     .help = "Part of its peak that the allocator reserves and cannot use"},
    field<workspace>{.key = "variable_lengths",
                     .option = "--variable-lengths",
                     .value = flag_field<&workspace::variable_lengths>(),
                     .help = "Lengths differ from step to step, up to the sequence length, and "
                             "segments are not expandable: more is reserved"},
    field<workspace>{
        .key = "update_temporary_bytes",
        .option = "--update-temporary",
        .value = quantity_field<&workspace::update_temporary>(field_unit::byte, 0, most_workspace),
        .help = "Temporaries of the update, for each parameter that a rank updates",
        .seldom = true},
    field<workspace>{
        .key = "zero_bucket_bytes",
        .option = "--zero-buckets",
        .value = quantity_field<&workspace::zero_buckets>(field_unit::byte, 0, most_workspace),
        .help = "Buckets in which ranks gather and reduce what ZeRO divides; of DeepSpeed 9 GB",
        .seldom = true,
        .effect = effect::with_zero}};

}  // namespace gpuplan
