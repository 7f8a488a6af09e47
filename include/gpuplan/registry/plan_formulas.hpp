#pragma once
/// \file
/// Rows of plan/: time of a step, length of a run, and what a layout must keep.

#include <array>

#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/plan/layout_fault.hpp>
#include <gpuplan/plan/run.hpp>
#include <gpuplan/plan/step_time.hpp>
#include <gpuplan/plan/validation_share.hpp>
#include <gpuplan/registry/compute_formulas.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/shapes.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>

namespace gpuplan::registry {

/// One GPU of a peak rate, alone.
constexpr cluster one_gpu(double peak) {
  const accelerator gpu{.memory = 80 * units::GB,
                        .memory_bandwidth = 2 * units::TB / units::second,
                        .peak = {.bf16 = flop_per_second{peak}},
                        .streaming_multiprocessors = 1};
  const interconnect unused{.latency = seconds{0}, .bandwidth = bytes_per_second{1}};
  return {.node = {.gpu = gpu, .gpus = 1, .scale_up = unused, .fabric = unused}};
}

/// The job of gpt_step, with unfused attention, as micro-batches of one sequence.
constexpr recipe unfused_recipe(inputs x) {
  recipe how = flop_of(x).how;
  how.attention = attention_kernel::unfused;
  return how;
}

/// The run of D, d, t, n, c and P.
constexpr run_estimate run_of(inputs x) {
  return training_run(run_job{.gpus = whole(x[3]),
                              .tokens_per_step = tokens{x[1]},
                              .step = seconds{x[2]},
                              .gpu_power = watts{x[5]}},
                      tokens{x[0]}, {.gpu = dollars_per_second{x[4]}});
}

/// Their inputs, where neither a row nor its function says otherwise.
///
///     L  layers                     count, >= 1
///     h  hidden size                count, >= 1
///     a  heads                      count, >= 1
///     V  vocabulary                 count, >= 1
///     B  global batch               count, >= 1
///     s  sequence                   token, >= 1
///     A  rate of matrix products    FLOP/s, > 0
inline constexpr std::array plan_rows{
    row{.call = "plan/pipeline_bubble.hpp: pipeline_bubble(p, m, v) in 1",
        .latex = R"(\frac{p - 1}{v m})",
        .errata = "(p - 1)/(m + p - 1), also called the bubble, is its part of the whole step. "
                  "A chapter adds (L - 1) times a bubble to the time.",
        .topics = "P4",
        .evaluate = [](inputs x) { return pipeline_bubble(whole(x[0]), x[1], whole(x[2])); },
        .examples = {{{8, 32, 1}, 0.21875, 0, "7/32"}}},
    row{.call = "plan/pipeline_bubble.hpp: bubble_of_step(p, m, v) in 1",
        .latex = R"(\frac{p - 1}{v m + p - 1})",
        .topics = "P4 P11",
        .evaluate = [](inputs x) { return bubble_of_step(whole(x[0]), x[1], whole(x[2])); },
        .examples = {{{8, 32, 1}, 7.0 / 39, 1e-15, "7/39 as a fraction"},
                     {{4, 1, 1}, 0.75, 0, "layers split over four devices: one in four works"}}},
    row{.call = "plan/pipeline_bubble.hpp: coarse_model_parallel_time(T, n, p, T_b) in s",
        .latex = R"(\frac{T}{n} + (p - 1) T_b)",
        .topics = "P4",
        .evaluate =
            [](inputs x) {
              return coarse_model_parallel_time(seconds{x[0]}, whole(x[1]), whole(x[2]),
                                                seconds{x[3]})
                  .in(units::second);
            },
        .examples =
            {{{800, 8, 8, 3.125}, 121.875, 1e-15, "100 s, and 7/32 of it: 32 micro-batches"},
             {{800, 8, 1, 3.125}, 100, 1e-15, "one stage waits for none"}}},
    /// Time that the products of the layers take of one optimizer step.
    ///
    ///     72 B s L h^2 / R
    ///
    /// Holds: one GPU of one multiprocessor, whole tiles, R = 0.95 x 0.75 of its peak; beside it
    /// attention, head, waiting, messages and optimizer.
    row{.call = "plan/step_time.hpp: step_time_of(L, h, a, V, B, s, A) in s",
        .latex = R"(\frac{72 B s L h^2}{R})",
        .errata = "A chapter's 2.5 s for 1536 sequences of GPT-3 on 1024 A100 is 4.1 times "
                  "their peak; no step takes less than 10.3 s.",
        .topics = "C2 P8",
        .evaluate =
            [](inputs x) {
              return step_time_of(flop_of(x).model, one_gpu(x[6]), unfused_recipe(x), {},
                                  framework_profile{})
                  .busy.products.in(units::second);
            },
        .examples = {{{2, 24576, 192, 51200, 1, 16384, 312e12},
                      72.0 * 16384 * 2 * 24576 * 24576 / (312e12 * 0.7125),
                      0.03,
                      "72 x 16384 x 2 x 24576^2 / (312e12 x 0.95 x 0.75), by hand; beside it "
                      "starts, 128 of each depth and gradients that are added"}}},
    /// Throughput of a layout times its step time: the tokens of a batch.
    ///
    ///     R T = B s
    ///
    /// Holds: one GPU; an estimate above the peak of the hardware cannot come out.
    row{.call = "plan/estimate.hpp: evaluate(L, h, a, V, B, s, A) in token",
        .latex = R"(R\, T = B s)",
        .topics = "P8 C7",
        .evaluate =
            [](inputs x) {
              const estimate e = evaluate(flop_of(x).model, one_gpu(x[6]), unfused_recipe(x), {});
              return (e.throughput() * e.time.total()).in(units::token);
            },
        .examples = {{{4, 256, 4, 1024, 8, 128, 1e14}, 1024, 1e-12, "8 x 128"}}},
    /// GPUs that a layout needs, where the cluster has fewer.
    ///
    ///     d t p c
    ///
    ///     d  data-parallel ranks      count, >= 1
    ///     t  tensor-parallel ranks    count, >= 1
    ///     p  pipeline ranks           count, >= 1
    ///
    /// Holds: one of its rules: the first that is broken is named.
    row{.call = "plan/layout_fault.hpp: layout_fault(d, t, p) in count",
        .latex = R"(d\, t\, p\, c)",
        .errata = "A chapter divides all memory by t p and keeps the global batch on one "
                  "replica.",
        .topics = "P5",
        .evaluate =
            [](inputs x) {
              return layout_fault(
                         gpt({.layers = 64, .hidden_size = 512, .heads = 64}), 1, {},
                         {.data = whole(x[0]), .tensor = whole(x[1]), .pipeline = whole(x[2])})
                  .needed;
            },
        .examples = {{{16, 8, 8}, 1024, 0, "16 x 8 x 8"}}},
    row{.call = "plan/validation_share.hpp: validation_share(N, k, B, f) in 1",
        .latex = R"(\frac{f N}{k B})",
        .topics = "P8",
        .evaluate =
            [](inputs x) {
              return validation_share(
                  {.samples = x[0], .steps_between = x[1], .batch = x[2], .forward_part = x[3]});
            },
        .examples = {{{5120, 500, 512, 1.0 / 3}, 1.0 / 150, 1e-15, "10 batches in 500 steps"},
                     {{50000, 5005, 256, 1.0 / 3},
                      0.0130,
                      2e-3,
                      "50 000 images after each pass over 1 281 167: a third of 3.9 %"}}},
    /// Time of a run over a number of tokens, and what its GPUs cost and draw.
    ///
    ///     T = ceil(D / d) t
    ///     cost = n T c
    ///     energy = n P T
    ///
    ///     D  tokens of the run    token, > 0
    ///     d  tokens of a step     token, > 0
    ///     t  time of a step       s, > 0
    ///     n  GPUs                 count, >= 1
    ///     c  price of a GPU       dollar/s, >= 0
    ///     P  power of a GPU       W, >= 0
    ///
    /// Holds: no failures, restarts or evaluation; energy of the GPUs alone.
    row{.call = "plan/run.hpp: training_run(D, d, t, n, c, P) in s",
        .latex = R"(T = \lceil D / d \rceil\, t)",
        .errata = "238 095 s for 300e9 tokens was read as 238 hours; it is 66.1. Cost and "
                  "energy followed.",
        .topics = "P8 C8 R10 R11",
        .evaluate = [](inputs x) { return run_of(x).time.in(units::second); },
        .examples =
            {{{300e9, 3145728, 2.5, 1, 0, 0}, 238420, 0, "95 368 steps of 2.5 s"},
             {{300e9, 3145728, 2.5, 1024, 0, 0}, 238095, 2e-3, "300e9 tokens at 1.26e6 a second"}},
        .terms = {{"cost", "dollar", [](inputs x) { return run_of(x).gpu_cost.in(units::dollar); }},
                  {"energy", "J", [](inputs x) { return run_of(x).energy.in(units::joule); }}}}};
inline constexpr auto plan_formulas = with_words(plan_rows, words::plan_formulas);

}  // namespace gpuplan::registry
