#pragma once
/// \file
/// The fields of a cluster as it is asked for, one row each, in the order of answers.

#include <array>

#include <gpuplan/api/cluster_request.hpp>
#include <gpuplan/model/field.hpp>
#include <gpuplan/model/recipe.hpp>

namespace gpuplan::api {

/// The effect of a field of the host that something must be offloaded to.
inline constexpr field_effect with_offload{
    [](const training_setup& of) { return of.recipe.uses_host(); }, "nothing is offloaded",
    idle_value::accepted};
/// The effect of a field of the host that updates states.
inline constexpr field_effect with_offloaded_update{
    [](const training_setup& of) { return of.recipe.offload != offloaded_states::none; },
    "the host updates no states", idle_value::accepted};

/// Key in JSON, option, bounds and help of each; names of catalogues are explained by
/// cluster_reader.hpp.
inline constexpr std::array cluster_fields{
    field<cluster_request>{.key = "gpu",
                           .option = "--gpu",
                           .help = "Name of the catalogue, as H100 or A100-40GB",
                           .usual = default_gpu},
    field<cluster_request>{.key = "gpus",
                           .option = "--gpus",
                           .value = count_field<&cluster_request::gpus>(1),
                           .help = "How many in all",
                           .usual = "as many as the layout uses"},
    field<cluster_request>{.key = "gpus_per_node",
                           .option = "--gpus-per-node",
                           .value = count_field<&cluster_request::gpus_per_node>(1),
                           .help = "How many in a node; the last node may have fewer",
                           .usual = "8, or 4 in racks that NVLink joins"},
    field<cluster_request>{.key = "nvlink_domain",
                           .option = "--nvlink-domain",
                           .value = count_field<&cluster_request::nvlink_domain>(1),
                           .help = "GPUs that NVLink or its like joins, where it goes beyond a "
                                   "node",
                           .usual = "a node; in GB200 and GB300 racks the most up to 72 that "
                                    "divide --gpus; in a TPU pod all of it",
                           .omitted_if_usual = true},
    field<cluster_request>{.key = "fabric",
                           .option = "--fabric",
                           .help = "Network between nodes: a name of the catalogue, or a rate for "
                                   "each GPU and direction, as 400Gb/s",
                           .usual = "InfiniBand of the GPU's time"},
    field<cluster_request>{
        .key = "gpu_memory_bytes",
        .option = "--memory",
        .value = quantity_field<&cluster_request::memory>(field_unit::byte, 1, 1e18),
        .help = "Memory of one GPU, as 80GiB",
        .usual = "what its driver shows, of the catalogue",
        .omitted_if_usual = true},
    field<cluster_request>{.key = "slowest",
                           .option = "--slowest",
                           .value = number_field<&cluster_request::slowest>(1, 1e6),
                           .help = "Time of the slowest GPU's kernels over the others'",
                           .omitted_if_usual = true},
    field<cluster_request>{
        .key = "host_memory_bytes",
        .option = "--host-memory",
        .value = quantity_field<&cluster_request::host_memory>(field_unit::byte, 1, 1e18),
        .help = "Host memory of a node, as 2TB, for what is offloaded",
        .usual = "not known, and so no limit",
        .effect = with_offload,
        .omitted_if_usual = true},
    field<cluster_request>{
        .key = "host_update_bytes_per_s",
        .option = "--host-update",
        .value =
            quantity_field<&cluster_request::host_update>(field_unit::byte_per_second, 1, 1e18),
        .help = "Rate at which the host of a node updates offloaded states, as 110GB/s",
        .usual = "110 GB/s",
        .effect = with_offloaded_update,
        .omitted_if_usual = true},
    field<cluster_request>{
        .key = "stored_sample_bytes",
        .option = "--sample-size",
        .value = quantity_field<&cluster_request::stored_sample>(field_unit::byte, 1, 1e18),
        .help = "A sequence of the training set as it is stored, as 16KiB; with --storage",
        .usual = "not known, and so no limit",
        .omitted_if_usual = true},
    field<cluster_request>{
        .key = "storage_bytes_per_s",
        .option = "--storage",
        .value = quantity_field<&cluster_request::storage>(field_unit::byte_per_second, 1, 1e18),
        .help = "Rate at which a node reads samples, as 2GB/s",
        .usual = "not known, and so no limit",
        .omitted_if_usual = true},
    field<cluster_request>{
        .key = "preprocessing_s",
        .option = "--preprocessing",
        .value = quantity_field<&cluster_request::preprocessing>(field_unit::second, 1e-9, 1e6),
        .help = "Time of one worker to prepare a sequence, as 3ms",
        .usual = "none",
        .omitted_if_usual = true},
    field<cluster_request>{.key = "loader_workers",
                           .option = "--loader-workers",
                           .value = count_field<&cluster_request::loader_workers>(1),
                           .help = "Workers of a node that prepare sequences",
                           .usual = "2 of each GPU",
                           .omitted_if_usual = true}};

}  // namespace gpuplan::api
