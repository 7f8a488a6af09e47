#pragma once
/// \file
/// Rows of compute/: what keeps a GPU fed with data.

#include <array>

#include <gpuplan/compute/data_pipeline.hpp>
#include <gpuplan/compute/storage_cache.hpp>
#include <gpuplan/compute/worker_cores.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan::registry {

/// A pipeline of which preprocessing and compute alone take time.
constexpr data_pipeline feed_of(double workers, double preprocessing, double compute) {
  return {.storage = bytes_per_second{1},
          .workers = workers,
          .preprocessing_per_sample = seconds{preprocessing},
          .transfer = bytes_per_second{1},
          .compute = per_second{compute}};
}

/// The stages of a row that is asked for the times of all four.
constexpr data_stage_times stage_times_of(inputs x) {
  return {.storage = seconds{x[0]},
          .preprocessing = seconds{x[1]},
          .transfer = seconds{x[2]},
          .compute = seconds{x[3]}};
}

/// Their inputs, where neither a row nor its function says otherwise.
///
///     N    workers                                    count, > 0
///     t_p  preprocessing of a sample by one worker    s, >= 0
inline constexpr std::array data_pipeline_rows{
    ///     W_disk     disk       B/s, > 0
    ///     W_network  network    B/s, > 0
    row{.call = "compute/data_pipeline.hpp: storage_bandwidth(W_disk, W_network, F) in B/s",
        .latex = R"(\min(W_{disk}, W_{net})\, F)",
        .topics = "D1",
        .evaluate =
            [](inputs x) {
              return storage_bandwidth(bytes_per_second{x[0]}, bytes_per_second{x[1]}, x[2])
                  .in(units::byte / units::second);
            },
        .examples = {{{3.5e9, 12.5e9, 0.1}, 350e6, 1e-12, "a chapter's example, recomputed"}}},
    row{.call =
            "compute/data_pipeline.hpp: memory_path_bandwidth(W_storage, W_host, W_device) in B/s",
        .latex = R"(\min(W_s, W_h, W_d))",
        .errata = "A chapter takes the least of samples a second and bytes a second.",
        .topics = "D3",
        .evaluate =
            [](inputs x) {
              return memory_path_bandwidth(bytes_per_second{x[0]}, bytes_per_second{x[1]},
                                           bytes_per_second{x[2]})
                  .in(units::byte / units::second);
            },
        .examples = {{{1e9, 50e9, 900e9}, 1e9, 0, "storage binds"}}},
    /// Time of preprocessing a batch.
    ///
    ///     B t_p / N
    ///
    ///     B  samples    count, > 0
    ///
    /// Holds: workers that do not wait for one another; storage and transfer likewise.
    row{.call = "compute/data_pipeline.hpp: data_stage_times_of(B, N, t_p) in s",
        .latex = R"(B t_p / N)",
        .topics = "D2 D4",
        .evaluate =
            [](inputs x) {
              return data_stage_times_of(feed_of(x[1], x[2], 1), x[0])
                  .preprocessing.in(units::second);
            },
        .examples =
            {{{32768, 8, 2e-6}, 0.008192, 1e-12, "32 768 tokens at 500 000 a second and worker"}}},
    ///     min(N / t_p, R)
    ///
    ///     R  samples a second that the GPU could train on    1/s, > 0
    ///
    /// Holds: storage and transfer faster than both.
    row{.call = "compute/data_pipeline.hpp: pipeline_rate(N, t_p, R) in 1/s",
        .latex = R"(\min(N / t_p, R))",
        .topics = "D2 D3",
        .evaluate =
            [](inputs x) { return pipeline_rate(feed_of(x[0], x[1], x[2])).in(1 / units::second); },
        .examples = {{{4, 0.02, 1000}, 200, 1e-12, "4 workers of 50 a second"}}},
    row{.call = "compute/data_pipeline.hpp: fed_utilization(R_pipeline, R_GPU) in 1",
        .latex = R"(\min(1, R_{pipe} / R_{GPU}))",
        .topics = "D3",
        .evaluate = [](inputs x) { return fed_utilization(per_second{x[0]}, per_second{x[1]}); },
        .examples = {{{200, 1000}, 0.2, 1e-12, "a chapter's example"}}},
    row{.call = "compute/data_pipeline.hpp: workers_needed(t_p, R) in count",
        .latex = R"(\lceil R\, t_p \rceil)",
        .topics = "D5",
        .evaluate = [](inputs x) { return workers_needed(feed_of(1, x[0], x[1])); },
        .examples = {{{0.02, 1010}, 21, 0, "20.2 rounded up"}}},
    /// Batches to be under way so that loading hides behind computing.
    ///
    ///     ceil(t_load / t_iteration)
    ///
    ///     t_storage        reading of a batch    s, >= 0
    ///     t_preprocessing  preprocessing         s, >= 0
    ///     t_transfer       transfer              s, >= 0
    ///     t_compute        compute               s, > 0
    ///
    /// Holds: times that do not vary.
    row{.call = "compute/data_pipeline.hpp: prefetch_depth(t_storage, t_preprocessing, t_transfer, "
                "t_compute) in count",
        .latex = R"(\lceil t_{load} / t_{iter} \rceil)",
        .topics = "D4",
        .evaluate = [](inputs x) { return prefetch_depth(stage_times_of(x)); },
        .examples = {{{0.1, 0.2, 0.05, 0.25}, 2, 0, "0.35/0.25 rounded up"}},
        .terms = {{.name = "iteration with prefetching, the longest stage",
                   .unit = "s",
                   .evaluate =
                       [](inputs x) { return stage_times_of(x).overlapped().in(units::second); }},
                  {.name = "iteration without, the sum of the stages",
                   .unit = "s",
                   .evaluate =
                       [](inputs x) { return stage_times_of(x).sequential().in(units::second); }}}},
    row{.call = "compute/worker_cores.hpp: preprocessing_rate(N, n_c, t_p) in 1/s",
        .latex = R"(\min(N, n_c) / t_p)",
        .topics = "D2 D5",
        .evaluate =
            [](inputs x) {
              return preprocessing_rate(x[0], x[1], seconds{x[2]}).in(1 / units::second);
            },
        .examples = {{{4, 8, 0.02}, 200, 1e-12, "a core for each of 4 workers"},
                     {{32, 8, 0.02}, 400, 1e-12, "32 workers share 8 cores"}}},
    row{.call = "compute/storage_cache.hpp: cached_bandwidth(h, W_c, W_s) in B/s",
        .latex = R"(\left( \frac{h}{W_c} + \frac{1 - h}{W_s} \right)^{-1})",
        .topics = "D1",
        .evaluate =
            [](inputs x) {
              return cached_bandwidth(x[0], bytes_per_second{x[1]}, bytes_per_second{x[2]})
                  .in(units::byte / units::second);
            },
        .examples = {{{0.9, 10e9, 0.1e9}, 1e9 / 1.09, 1e-12, "0.09 s and 1 s for each GB"},
                     {{0, 10e9, 0.1e9}, 0.1e9, 1e-12, "all misses"}}},
    row{.call = "compute/storage_cache.hpp: cache_hits(C, D) in 1",
        .latex = R"(\min(1,\, C / D))",
        .topics = "D1",
        .evaluate = [](inputs x) { return cache_hits(bytes{x[0]}, bytes{x[1]}); },
        .examples = {{{50e9, 150e9}, 1.0 / 3, 1e-12, "a third of ImageNet's 150 GB"},
                     {{200e9, 150e9}, 1, 0, "all of it"}}}};
inline constexpr auto data_pipeline_formulas =
    with_words(data_pipeline_rows, words::data_pipeline_formulas);

}  // namespace gpuplan::registry
