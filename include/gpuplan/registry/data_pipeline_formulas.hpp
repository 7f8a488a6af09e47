#pragma once
/// \file
/// Rows of compute/: what keeps a GPU fed with data.

#include <array>

#include <gpuplan/compute/data_pipeline.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

inline constexpr std::string_view data_stalls =
    "J. Mohan et al., \"Analyzing and Mitigating Data Stalls in DNN Training\", PVLDB 14 (2021), "
    "arXiv:2007.06775";

/// A pipeline of which preprocessing and compute alone take time.
constexpr data_pipeline feed_of(double workers, double preprocessing, double compute) {
  return {.storage = bytes_per_second{1},
          .workers = workers,
          .preprocessing_per_sample = seconds{preprocessing},
          .transfer = bytes_per_second{1},
          .compute = per_second{compute}};
}

inline constexpr symbol worker_count{"N", "workers", "count", "> 0"};
inline constexpr symbol sample_time{"t_p", "preprocessing of a sample by one worker", "s", ">= 0"};
inline constexpr symbol gpu_rate{"R", "samples a second that the GPU could train on", "1/s", "> 0"};

inline constexpr std::array data_pipeline_formulas{
    formula{.name = "storage_bandwidth",
            .header = "compute/data_pipeline.hpp",
            .meaning = "Bytes a second that storage delivers",
            .text = "min(W_disk, W_network) F",
            .latex = R"(\min(W_{disk}, W_{net})\, F)",
            .symbols = {{"W_disk", "disk", "B/s", "> 0"},
                        {"W_network", "network", "B/s", "> 0"},
                        {"F", "what the order of access leaves", "1", "> 0, <= 1"}},
            .result = "B/s",
            .validity = "large files in sequence: F = 1; small ones at random a tenth and less",
            .source = "D. G. Murray et al., \"tf.data: A Machine Learning Data Processing "
                      "Framework\", PVLDB 14 (2021), arXiv:2101.12127",
            .errata = "",
            .topics = "D1",
            .evaluate =
                [](inputs x) {
                  return storage_bandwidth(bytes_per_second{x[0]}, bytes_per_second{x[1]}, x[2])
                      .in(units::byte / units::second);
                },
            .examples = {{{3.5e9, 12.5e9, 0.1}, 350e6, 1e-12, "a chapter's example, recomputed"}}},
    formula{.name = "memory_path_bandwidth",
            .header = "compute/data_pipeline.hpp",
            .meaning = "Bytes a second along storage, host memory and device memory",
            .text = "min(W_storage, W_host, W_device)",
            .latex = R"(\min(W_s, W_h, W_d))",
            .symbols = {{"W_storage", "storage", "B/s", "> 0"},
                        {"W_host", "host memory", "B/s", "> 0"},
                        {"W_device", "device memory", "B/s", "> 0"}},
            .result = "B/s",
            .validity = "a bound; samples differ in size from place to place",
            .source = definition,
            .errata = "A chapter takes the least of samples a second and bytes a second.",
            .topics = "D3",
            .evaluate =
                [](inputs x) {
                  return memory_path_bandwidth(bytes_per_second{x[0]}, bytes_per_second{x[1]},
                                               bytes_per_second{x[2]})
                      .in(units::byte / units::second);
                },
            .examples = {{{1e9, 50e9, 900e9}, 1e9, 0, "storage binds"}}},
    formula{
        .name = "data_stage_times_of",
        .header = "compute/data_pipeline.hpp",
        .meaning = "Time of preprocessing a batch",
        .text = "B t_p / N",
        .latex = R"(B t_p / N)",
        .symbols = {{"B", "samples", "count", "> 0"}, worker_count, sample_time},
        .result = "s",
        .validity = "workers that do not wait for one another; storage and transfer likewise",
        .source = data_stalls,
        .errata = "",
        .topics = "D2 D4",
        .evaluate =
            [](inputs x) {
              return data_stage_times_of(feed_of(x[1], x[2], 1), x[0])
                  .preprocessing.in(units::second);
            },
        .examples =
            {{{32768, 8, 2e-6}, 0.008192, 1e-12, "32 768 tokens at 500 000 a second and worker"}}},
    formula{
        .name = "pipeline_rate",
        .header = "compute/data_pipeline.hpp",
        .meaning = "Samples a second of the whole pipeline",
        .text = "min(N / t_p, R)",
        .latex = R"(\min(N / t_p, R))",
        .symbols = {worker_count, sample_time, gpu_rate},
        .result = "1/s",
        .validity = "storage and transfer faster than both",
        .source = data_stalls,
        .errata = "",
        .topics = "D2 D3",
        .evaluate =
            [](inputs x) { return pipeline_rate(feed_of(x[0], x[1], x[2])).in(1 / units::second); },
        .examples = {{{4, 0.02, 1000}, 200, 1e-12, "4 workers of 50 a second"}}},
    formula{
        .name = "fed_utilization",
        .header = "compute/data_pipeline.hpp",
        .meaning = "Share of its time that a GPU is busy",
        .text = "min(1, R_pipeline / R_GPU)",
        .latex = R"(\min(1, R_{pipe} / R_{GPU}))",
        .symbols = {{"R_pipeline", "samples a second that arrive", "1/s", ">= 0"},
                    {"R_GPU", "that the GPU could train on", "1/s", "> 0"}},
        .result = "1",
        .validity = "batches fetched ahead",
        .source = data_stalls,
        .errata = "",
        .topics = "D3",
        .evaluate = [](inputs x) { return fed_utilization(per_second{x[0]}, per_second{x[1]}); },
        .examples = {{{200, 1000}, 0.2, 1e-12, "a chapter's example"}}},
    formula{.name = "workers_needed",
            .header = "compute/data_pipeline.hpp",
            .meaning = "The least number of workers that keeps preprocessing from binding",
            .text = "ceil(R t_p)",
            .latex = R"(\lceil R\, t_p \rceil)",
            .symbols = {sample_time, gpu_rate},
            .result = "count",
            .validity = "R of the slowest other stage",
            .source = data_stalls,
            .errata = "",
            .topics = "D5",
            .evaluate = [](inputs x) { return workers_needed(feed_of(1, x[0], x[1])); },
            .examples = {{{0.02, 1010}, 21, 0, "20.2 rounded up"}}},
    formula{.name = "prefetch_depth",
            .header = "compute/data_pipeline.hpp",
            .meaning = "Batches to be under way so that loading hides behind computing",
            .text = "ceil(t_load / t_iteration)",
            .latex = R"(\lceil t_{load} / t_{iter} \rceil)",
            .symbols = {{"t_storage", "reading of a batch", "s", ">= 0"},
                        {"t_preprocessing", "preprocessing", "s", ">= 0"},
                        {"t_transfer", "transfer", "s", ">= 0"},
                        {"t_compute", "compute", "s", "> 0"}},
            .result = "count",
            .validity = "times that do not vary",
            .source = "J. D. C. Little, \"A Proof for the Queuing Formula: L = lambda W\", "
                      "Operations Research 9 (1961) 383-387",
            .errata = "",
            .topics = "D4",
            .evaluate =
                [](inputs x) {
                  return prefetch_depth({.storage = seconds{x[0]},
                                         .preprocessing = seconds{x[1]},
                                         .transfer = seconds{x[2]},
                                         .compute = seconds{x[3]}});
                },
            .examples = {{{0.1, 0.2, 0.05, 0.25}, 2, 0, "0.35/0.25 rounded up"}}}};

}  // namespace gpuplan::registry
