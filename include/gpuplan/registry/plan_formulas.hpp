#pragma once
/// \file
/// Rows of plan/: time of a step, length of a run, and what a layout must keep.

#include <array>

#include <gpuplan/hardware/cluster.hpp>
#include <gpuplan/plan/estimate.hpp>
#include <gpuplan/plan/reject.hpp>
#include <gpuplan/plan/run.hpp>
#include <gpuplan/plan/stage_time.hpp>
#include <gpuplan/plan/step_time.hpp>
#include <gpuplan/registry/compute_formulas.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/shapes.hpp>
#include <gpuplan/registry/sources.hpp>

namespace gpuplan::registry {

/// One GPU of a peak rate, alone.
constexpr cluster one_gpu(double peak) {
  const accelerator gpu{.memory = 80 * units::GB,
                        .memory_bandwidth = 2 * units::TB / units::second,
                        .peak = {.bf16 = flop_per_second{peak}}};
  const interconnect unused{.latency = seconds{0}, .bandwidth = bytes_per_second{1}};
  return {.node = {.gpu = gpu, .gpus = 1, .scale_up = unused, .fabric = unused}};
}

/// The job of gpt_step, with unfused attention, as micro-batches of one sequence.
constexpr recipe unfused_recipe(inputs x) {
  recipe how = flop_of(x).how;
  how.attention = attention_kernel::unfused;
  return how;
}

inline constexpr symbol peak_rate{"A", "rate of matrix products", "FLOP/s", "> 0"};

inline constexpr std::array plan_formulas{
    formula{.name = "achievable_peak",
            .header = "plan/stage_time.hpp",
            .meaning = "The rate that matrix products can be counted on for",
            .text = "best measured, else the datasheet's",
            .latex = R"(A = A_{ach} \text{ if } A_{ach} > 0 \text{ else } A_{peak})",
            .symbols = {{"A_peak", "of the datasheet, dense", "FLOP/s", ">= 0"},
                        {"A_ach", "best measured; 0: none", "FLOP/s", ">= 0"}},
            .result = "FLOP/s",
            .validity = "large products",
            .source = definition,
            .errata = "About 1000 TFLOP/s, printed as the FP8 peak of an H100, is its dense BF16 "
                      "peak; FP8 is 1979.",
            .topics = "C6 C7",
            .evaluate =
                [](inputs x) {
                  const accelerator gpu{.peak = {.bf16 = flop_per_second{x[0]}},
                                        .achieved = {.bf16 = flop_per_second{x[1]}}};
                  return achievable_peak(gpu, number_format::bf16).in(units::FLOP / units::second);
                },
            .examples = {{{312e12, 0}, 312e12, 0, "A100's datasheet"},
                         {{312e12, 267e12}, 267e12, 0, "what was measured goes first"}}},
    formula{.name = "work_of",
            .header = "plan/stage_time.hpp",
            .meaning = "Forward operations of one layer for one token",
            .text = "24 h^2 + 4 s h",
            .latex = R"(24 h^2 + 4 s h)",
            .symbols = gpt_step,
            .result = "FLOP/token",
            .validity = "unfused attention computes the masked scores too",
            .source = narayanan,
            .errata = "",
            .topics = "C3",
            .evaluate =
                [](inputs x) {
                  return work_of(flop_of(x).model, unfused_recipe(x), layer_kind::dense)
                      .forward.in(units::FLOP / units::token);
                },
            .examples = {{{1, 1024, 16, 1, 1, 2048}, 33554432, 0, "24 h^2 + 4 s h"}}},
    formula{.name = "layer_time",
            .header = "plan/stage_time.hpp",
            .meaning = "Time of one layer and one micro-batch on one rank",
            .text = "(3 F + R) s b / (t c A) + collectives",
            .latex = R"(\frac{(3 F + R)\, s b}{t c A} + T_{comm})",
            .symbols = {{"h", "hidden size", "count", ">= 1"},
                        {"a", "heads", "count", ">= 1"},
                        {"s", "sequence", "token", ">= 1"},
                        peak_rate},
            .result = "s",
            .validity = "one GPU, unfused, f = 4 h, nothing computed again: a lower bound",
            .source = narayanan,
            .errata = "",
            .topics = "C2",
            .evaluate =
                [](inputs x) {
                  const std::array<double, 6> step{1, x[0], x[1], 1, 1, x[2]};
                  const node box = one_gpu(x[3]).node;
                  return layer_time(flop_of(step).model, box.gpu, links_of(box, {}),
                                    unfused_recipe(step), {}, layer_kind::dense)
                      .compute.in(units::second);
                },
            .examples = {{{1024, 16, 2048, 1e14},
                          0.00206158430208,
                          1e-12,
                          "3 x 33 554 432 x 2048 / 1e14, by hand"}}},
    formula{.name = "stage_clock_of",
            .header = "plan/stage_time.hpp",
            .meaning = "Time of the head and one micro-batch on one rank",
            .text = "3 x 2 h V s b / (t c A)",
            .latex = R"(\frac{6 h V s b}{t c A})",
            .symbols = {{"h", "hidden size", "count", ">= 1"},
                        {"V", "vocabulary", "count", ">= 1"},
                        {"s", "sequence", "token", ">= 1"},
                        peak_rate},
            .result = "s",
            .validity = "one GPU; layers by layer_time",
            .source = narayanan,
            .errata = "",
            .topics = "C2",
            .evaluate =
                [](inputs x) {
                  const std::array<double, 6> step{1, x[0], 1, x[1], 1, x[2]};
                  const node box = one_gpu(x[3]).node;
                  return stage_clock_of(flop_of(step).model, box.gpu, links_of(box, {}),
                                        unfused_recipe(step), {})
                      .head.compute.in(units::second);
                },
            .examples = {{{1024, 50304, 2048, 1e14},
                          0.00632970805248,
                          1e-12,
                          "6 x 1024 x 50304 x 2048 / 1e14, by hand"}}},
    formula{.name = "pipeline_bubble",
            .header = "plan/step_time.hpp",
            .meaning = "The share of a step that a pipeline waits, of the step without waiting",
            .text = "(p - 1) / (v m)",
            .latex = R"(\frac{p - 1}{v m})",
            .symbols = {{"p", "stages", "count", ">= 1"},
                        {"m", "micro-batches", "count", ">= 1"},
                        {"v", "chunks a stage", "count", ">= 1"}},
            .result = "1",
            .validity = "equal stages; an upper bound of zero-bubble schedules",
            .source = narayanan,
            .errata = "(p - 1)/(m + p - 1), also called the bubble, is its part of the whole step. "
                      "A chapter adds (L - 1) times a bubble to the time.",
            .topics = "P4",
            .evaluate = [](inputs x) { return pipeline_bubble(whole(x[0]), x[1], whole(x[2])); },
            .examples = {{{8, 32, 1}, 0.21875, 0, "7/32"}}},
    formula{
        .name = "step_time_of",
        .header = "plan/step_time.hpp",
        .meaning = "Time that matrix products take of one optimizer step",
        .text = "72 B s L h^2 (1 + s/(6 h) + V/(12 h L)) / A",
        .latex = R"(\frac{72 B s L h^2}{A} \left( 1 + \frac{s}{6 h} + \frac{V}{12 h L} \right))",
        .symbols = {{"L", "layers", "count", ">= 1"},
                    {"h", "hidden size", "count", ">= 1"},
                    {"a", "heads", "count", ">= 1"},
                    {"V", "vocabulary", "count", ">= 1"},
                    {"B", "global batch", "count", ">= 1"},
                    {"s", "sequence", "token", ">= 1"},
                    peak_rate},
        .result = "s",
        .validity = "one GPU, unfused; beside it bubble, collectives and optimizer",
        .source = narayanan,
        .errata = "A chapter's 2.5 s for 1536 sequences of GPT-3 on 1024 A100 is 4.1 times "
                  "their peak; no step takes less than 10.3 s.",
        .topics = "C2 P8",
        .evaluate =
            [](inputs x) {
              return step_time_of(flop_of(x).model, one_gpu(x[6]), unfused_recipe(x), {})
                  .compute.in(units::second);
            },
        .examples = {{{48, 6144, 64, 51200, 4, 2048, 312e12},
                      1143560812363776 / 312e12,
                      1e-12,
                      "the equation of training_step_flop, by hand"}}},
    formula{.name = "evaluate",
            .header = "plan/estimate.hpp",
            .meaning = "Throughput of a layout times its step time: the tokens of a batch",
            .text = "R T = B s",
            .latex = R"(R\, T = B s)",
            .symbols = {{"L", "layers", "count", ">= 1"},
                        {"h", "hidden size", "count", ">= 1"},
                        {"a", "heads", "count", ">= 1"},
                        {"V", "vocabulary", "count", ">= 1"},
                        {"B", "global batch", "count", ">= 1"},
                        {"s", "sequence", "token", ">= 1"},
                        peak_rate},
            .result = "token",
            .validity = "one GPU; an estimate above the peak of the hardware cannot come out",
            .source = definition,
            .errata = "",
            .topics = "P8 C7",
            .evaluate =
                [](inputs x) {
                  const estimate e =
                      evaluate(flop_of(x).model, one_gpu(x[6]), unfused_recipe(x), {});
                  return (e.throughput() * e.time.total()).in(units::token);
                },
            .examples = {{{4, 256, 4, 1024, 8, 128, 1e14}, 1024, 1e-12, "8 x 128"}}},
    formula{.name = "layout_fault",
            .header = "plan/reject.hpp",
            .meaning = "GPUs that a layout needs, where the cluster has fewer",
            .text = "d t p c",
            .latex = R"(d\, t\, p\, c)",
            .symbols = {{"d", "data-parallel ranks", "count", ">= 1"},
                        {"t", "tensor-parallel ranks", "count", ">= 1"},
                        {"p", "pipeline ranks", "count", ">= 1"}},
            .result = "count",
            .validity = "one of its rules: the first that is broken is named",
            .source = narayanan,
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
    formula{.name = "training_run",
            .header = "plan/run.hpp",
            .meaning = "Time of a run over a number of tokens",
            .text = "T = ceil(D / d) t; cost = n T c + E e; E = u n P T",
            .latex = R"(T = \lceil D / d \rceil\, t)",
            .symbols = {{"D", "tokens of the run", "token", "> 0"},
                        {"d", "tokens of a step", "token", "> 0"},
                        {"t", "time of a step", "s", "> 0"}},
            .result = "s",
            .validity = "no failures, restarts or evaluation",
            .source = definition,
            .errata = "238 095 s for 300e9 tokens was read as 238 hours; it is 66.1. Cost and "
                      "energy followed.",
            .topics = "P8 C8",
            .evaluate =
                [](inputs x) {
                  return training_run(
                             run_job{.tokens_per_step = tokens{x[1]}, .step = seconds{x[2]}},
                             tokens{x[0]})
                      .time.in(units::second);
                },
            .examples = {
                {{300e9, 3145728, 2.5}, 238420, 0, "95 368 steps of 2.5 s"},
                {{300e9, 3145728, 2.5}, 238095, 2e-3, "300e9 tokens at 1.26e6 a second"}}}};

}  // namespace gpuplan::registry
