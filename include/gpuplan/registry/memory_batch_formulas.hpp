#pragma once
/// \file
/// Rows of memory/: batches, checkpoints, offload, caches and the coarse rules of guides.

#include <array>

#include <gpuplan/memory/accumulation.hpp>
#include <gpuplan/memory/breakdown.hpp>
#include <gpuplan/memory/checkpointing.hpp>
#include <gpuplan/memory/coarse.hpp>
#include <gpuplan/memory/fragmentation.hpp>
#include <gpuplan/memory/input_buffer.hpp>
#include <gpuplan/memory/kv_cache.hpp>
#include <gpuplan/memory/max_batch.hpp>
#include <gpuplan/memory/offload.hpp>
#include <gpuplan/memory/precision_saving.hpp>
#include <gpuplan/memory/sequential_batches.hpp>
#include <gpuplan/memory/trainable.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/shapes.hpp>
#include <gpuplan/registry/sources.hpp>

namespace gpuplan::registry {

inline constexpr std::array memory_batch_formulas{
    formula{
        .name = "max_batch",
        .header = "memory/max_batch.hpp",
        .meaning = "Largest batch whose activations fit beside what does not grow with it",
        .text = "B = floor((M_GPU - M_reserved - M_fixed) / k), 0 when that is below 1",
        .latex = R"(B_{\max} = \left\lfloor \frac{M_{GPU} - M_{res} - M_{fixed}}{k} \right\rfloor)",
        .symbols = {{"M_GPU", "memory of the GPU", "B", "> 0"},
                    {"M_reserved", "kept free", "B", ">= 0"},
                    {"M_fixed", "weights, gradients, optimizer", "B", ">= 0"},
                    {"k", "activations of one sample", "B", "> 0"}},
        .result = "count",
        .validity = "activations grow with the batch in proportion, nothing else does",
        .source = zero_paper,
        .errata = "A guide fits 48 samples of a 1.5e9-parameter model into 16 GB by counting 8 B a "
                  "parameter; with the 16 B of mixed-precision Adam the states alone are 24 GB "
                  "and the answer is 0.",
        .topics = "B1 M8",
        .evaluate =
            [](inputs x) {
              return static_cast<double>(
                  max_batch({bytes{x[0]}, bytes{x[1]}}, {bytes{x[2]}, bytes{x[3]}}).samples);
            },
        .examples = {{{16e9, 1.6e9, 12e9, 50e6}, 48, 0, "a guide's example, recomputed"},
                     {{16e9, 1.6e9, 24e9, 50e6}, 0, 0, "the same with 16 B a parameter"}}},
    formula{.name = "memory_of_micro_batch",
            .header = "memory/max_batch.hpp",
            .meaning = "Memory of a model's fullest stage as a function of the micro-batch",
            .text = "M(b) = max over stages and moments; affine in b at each moment",
            .latex = R"(M(b) = \max_i \max_t \left( M_{i,t} + k_{i,t} b \right))",
            .symbols = {{"L", "layers", "count", ">= 1"},
                        {"h", "hidden size", "count", ">= 1"},
                        {"a", "heads", "count", ">= 1"},
                        {"s", "sequence", "token", ">= 1"},
                        {"b", "micro-batch", "count", ">= 1"}},
            .result = "B",
            .validity =
                "one GPU, a GPT with f = 4 h and V = 1024, BF16, flash attention; the example "
                "takes the increment of one more sequence",
            .source = korthikanti,
            .errata = "Guides let weights and gradients grow with the batch too: B (activation + "
                      "gradient + parameter). Only activations and their gradients grow.",
            .topics = "M8",
            .evaluate =
                [](inputs x) {
                  const footprint job = memory_footprint(
                      gpt({whole(x[0]), whole(x[1]), whole(x[2]), whole(4 * x[1]), 1024}),
                      {.sequence_length = whole(x[3])}, {}, nothing_beside);
                  const int b = whole(x[4]);
                  return (memory_of_micro_batch(job, b + 1) - memory_of_micro_batch(job, b))
                      .in(units::byte);
                },
            .examples = {{{2, 256, 4, 128, 1},
                          3022336,
                          1e-12,
                          "by hand: s (L (32 h + 4 a) + 4 h + 28 + 6 V), flash, no dropout, at the "
                          "loss"}}},
    formula{.name = "max_micro_batch",
            .header = "memory/max_batch.hpp",
            .meaning = "Largest micro-batch of a model that fits: the inverse of "
                       "memory_of_micro_batch, by bisection",
            .text = "b = max { b : M(b) <= C }",
            .latex = R"(b_{\max} = \max \{ b : M(b) \le C \})",
            .symbols = {{"L", "layers", "count", ">= 1"},
                        {"h", "hidden size", "count", ">= 1"},
                        {"a", "heads", "count", ">= 1"},
                        {"s", "sequence", "token", ">= 1"},
                        {"b", "a micro-batch, whose memory is the capacity C", "count", ">= 1"}},
            .result = "count",
            .validity = "M does not fall with b; the input is b itself, so the result is b again",
            .source = definition,
            .errata = "",
            .topics = "B1",
            .evaluate =
                [](inputs x) {
                  const footprint job = memory_footprint(
                      gpt({whole(x[0]), whole(x[1]), whole(x[2]), whole(4 * x[1]), 1024}),
                      {.sequence_length = whole(x[3])}, {}, nothing_beside);
                  const bytes capacity = memory_of_micro_batch(job, whole(x[4]));
                  return static_cast<double>(max_micro_batch(job, capacity).samples);
                },
            .examples = {{{4, 256, 4, 128, 1}, 1, 0, "inverse of a function"},
                         {{4, 256, 4, 128, 37}, 37, 0, "inverse of a function"}}},
    formula{
        .name = "accumulate",
        .header = "memory/accumulation.hpp",
        .meaning = "Fewest accumulation steps that reach a batch",
        .text = "steps = ceil(target / (largest n))",
        .latex = R"(N_{acc} = \left\lceil \frac{B_{target}}{B_{\max} n} \right\rceil)",
        .symbols = {{"target", "samples of one update", "count", ">= 1"},
                    {"largest", "largest micro-batch that fits", "count", ">= 1"},
                    {"n", "data-parallel replicas", "count", ">= 1"}},
        .result = "count",
        .validity = "the micro-batch is then ceil(target / (steps n))",
        .source = goyal,
        .errata = "A guide leaves the replicas out: with n of them each accumulates 1/n as often.",
        .topics = "B2",
        .evaluate =
            [](inputs x) {
              const accumulation how = accumulate(whole(x[0]), whole(x[1]), whole(x[2]));
              return static_cast<double>(how.steps);
            },
        .examples = {{{512, 16, 8}, 4, 0, "a guide's example: 512 samples, 8 GPUs of 16"}}},
    formula{.name = "replicas_without_accumulation",
            .header = "memory/accumulation.hpp",
            .meaning = "Replicas that reach a batch in one step",
            .text = "n = ceil(target / b)",
            .latex = R"(n = \lceil B_{target} / b \rceil)",
            .symbols = {{"target", "samples of one update", "count", ">= 1"},
                        {"b", "micro-batch", "count", ">= 1"}},
            .result = "count",
            .validity = "always",
            .source = definition,
            .errata = "",
            .topics = "B2",
            .evaluate =
                [](inputs x) {
                  return static_cast<double>(
                      replicas_without_accumulation(whole(x[0]), whole(x[1])));
                },
            .examples = {{{512, 16}, 32, 0, "a guide's example, recomputed"}}},
    formula{.name = "updates_per_epoch",
            .header = "memory/accumulation.hpp",
            .meaning = "Updates of one pass over a data set, the last one smaller",
            .text = "ceil(N / B)",
            .latex = R"(\lceil N / B \rceil)",
            .symbols = {{"N", "samples", "count", ">= 1"}, {"B", "batch", "count", ">= 1"}},
            .result = "count",
            .validity = "the last batch is not dropped",
            .source = definition,
            .errata = "",
            .topics = "B3",
            .evaluate =
                [](inputs x) {
                  return static_cast<double>(updates_per_epoch(whole(x[0]), whole(x[1])));
                },
            .examples = {{{1281167, 256}, 5005, 0, "ImageNet, 256 a batch, by hand"}}},
    formula{
        .name = "epoch_time",
        .header = "memory/accumulation.hpp",
        .meaning = "Time of one pass over a data set with accumulation",
        .text = "T = N / B_eff steps t",
        .latex = R"(T = \frac{N}{B_{eff}} N_{acc} t)",
        .symbols = {{"N", "samples", "count", ">= 1"},
                    {"steps", "accumulation steps", "count", ">= 1"},
                    {"b", "micro-batch", "count", ">= 1"},
                    {"n", "replicas", "count", ">= 1"},
                    {"t", "time of one micro-batch", "s", ">= 0"}},
        .result = "s",
        .validity = "mean over many passes where N is no multiple of the batch",
        .source = definition,
        .errata = "",
        .topics = "B3",
        .evaluate =
            [](inputs x) {
              return epoch_time(whole(x[0]), {whole(x[1]), whole(x[2]), whole(x[3])}, seconds{x[4]})
                  .in(units::second);
            },
        .examples = {{{51200, 4, 16, 8, 0.18}, 72, 1e-12, "100 updates of 4 x 0.18 s, by hand"}}},
    formula{.name = "gradient_weight",
            .header = "memory/accumulation.hpp",
            .meaning = "Weight of one rank's mean gradient in that of the whole batch",
            .text = "w_k = |B_k| / sum |B_j|",
            .latex = R"(w_k = \frac{|B_k|}{\sum_j |B_j|})",
            .symbols = {{"B_k", "samples of the rank", "count", "0 to all"},
                        {"all", "samples of all ranks", "count", "> 0"}},
            .result = "1",
            .validity = "a loss that is the mean over samples",
            .source = goyal,
            .errata = "The plain mean over ranks is right only where all have as many samples.",
            .topics = "B8",
            .evaluate = [](inputs x) { return gradient_weight(x[0], x[1]); },
            .examples = {{{24, 64}, 0.375, 0, "24/64 as a fraction"}}},
    formula{.name = "checkpoint_every",
            .header = "memory/checkpointing.hpp",
            .meaning = "Activations of a chain of layers checkpointed every k layers",
            .text = "M = ceil(n/k) x + min(k, n) a - x",
            .latex = R"(M = \lceil n/k \rceil x + \min(k, n) a - x)",
            .symbols = {{"n", "layers", "count", ">= 1"},
                        {"x", "input of one layer", "B", ">= 0"},
                        {"a", "all that one layer keeps, its input too", "B", ">= x"},
                        {"k", "layers of a block", "count", ">= 1"}},
            .result = "B",
            .validity = "equal layers; a block starts from its own checkpoint",
            .source = sublinear,
            .errata = "Guides leave out the block that is being computed again, which for k = 16 "
                      "is most of it.",
            .topics = "M11",
            .evaluate =
                [](inputs x) {
                  return checkpoint_every({whole(x[0]), bytes{x[1]}, bytes{x[2]}}, whole(x[3]))
                      .total()
                      .in(units::byte);
                },
            .examples = {{{100, 1, 1, 10}, 19, 0, "2 sqrt(n) - 1 of the source, n = 100"}}},
    formula{.name = "checkpoint_nothing",
            .header = "memory/checkpointing.hpp",
            .meaning = "Activations of the same chain, nothing computed again",
            .text = "M = n a",
            .latex = R"(M = n a)",
            .symbols = {{"n", "layers", "count", ">= 1"},
                        {"a", "all that one layer keeps", "B", ">= 0"}},
            .result = "B",
            .validity = "equal layers",
            .source = definition,
            .errata = "",
            .topics = "M11",
            .evaluate =
                [](inputs x) {
                  return checkpoint_nothing({whole(x[0]), bytes{0}, bytes{x[1]}})
                      .total()
                      .in(units::byte);
                },
            .examples = {{{100, 34}, 3400, 0, "by hand"}}},
    formula{.name = "checkpoint_first",
            .header = "memory/checkpointing.hpp",
            .meaning = "Checkpoint the first r layers of a chain, keep all of the others",
            .text = "M = r x + max((n - r) a, a - x)",
            .latex = R"(M = r x + \max\left((n - r) a,\, a - x\right))",
            .symbols = {{"n", "layers", "count", ">= 1"},
                        {"x", "input of one layer", "B", ">= 0"},
                        {"a", "all that one layer keeps", "B", ">= x"},
                        {"r", "layers checkpointed", "count", "0 to n"}},
            .result = "B",
            .validity = "Megatron-LM's block method",
            .source = megatron,
            .errata = "",
            .topics = "M11",
            .evaluate =
                [](inputs x) {
                  return checkpoint_first({whole(x[0]), bytes{x[1]}, bytes{x[2]}}, whole(x[3]))
                      .total()
                      .in(units::byte);
                },
            .examples = {{{10, 2, 34, 4}, 212, 0, "4 x 2 + 6 x 34, by hand"}}},
    formula{.name = "best_checkpoint_interval",
            .header = "memory/checkpointing.hpp",
            .meaning = "The interval that keeps least, near sqrt(n x / a)",
            .text = "k* = argmin_k M(k)",
            .latex = R"(k^* = \arg\min_k M(k) \approx \sqrt{n x / a})",
            .symbols = {{"n", "layers", "count", "1 to 1e6"},
                        {"x", "input of one layer", "B", ">= 0"},
                        {"a", "all that one layer keeps", "B", ">= x"}},
            .result = "count",
            .validity = "equal layers",
            .source = sublinear,
            .errata = "",
            .topics = "M11",
            .evaluate =
                [](inputs x) {
                  return static_cast<double>(
                      best_checkpoint_interval({whole(x[0]), bytes{x[1]}, bytes{x[2]}}));
                },
            .examples = {{{100, 1, 1}, 10, 0, "sqrt(100) of the source"}}},
    formula{.name = "exposed_transfer",
            .header = "memory/offload.hpp",
            .meaning = "The part of a transfer that work on the GPU does not hide",
            .text = "max(T_transfer - T_work, 0)",
            .latex = R"(\max(T_{transfer} - T_{work}, 0))",
            .symbols = {{"T_transfer", "time of the transfer", "s", ">= 0"},
                        {"T_work", "work beside it", "s", ">= 0"}},
            .result = "s",
            .validity = "both run at their own speed beside each other",
            .source = definition,
            .errata = "",
            .topics = "M13",
            .evaluate =
                [](inputs x) {
                  return exposed_transfer(seconds{x[0]}, seconds{x[1]}).in(units::second);
                },
            .examples = {{{0.5, 0.2}, 0.3, 1e-12, "by hand"}, {{0.1, 0.2}, 0, 0, "by hand"}}},
    formula{.name = "offload_optimizer",
            .header = "memory/offload.hpp",
            .meaning = "Device memory that an optimizer on the host saves",
            .text = "saved = k P; traffic g P down and w P up a step",
            .latex = R"(\Delta M = k P)",
            .symbols = {{"P", "parameters of this rank's share", "count", ">= 0"},
                        {"k", "master copy and states of one", "B", ">= 0"}},
            .result = "B",
            .validity = "the update runs on the host",
            .source =
                "J. Ren et al., \"ZeRO-Offload: Democratizing Billion-Scale Model Training\", "
                "USENIX ATC (2021), arXiv:2101.06840",
            .errata = "",
            .topics = "M13",
            .evaluate =
                [](inputs x) {
                  return offload_optimizer(x[0], {.master = bytes{0}, .optimizer = bytes{x[1]}})
                      .device_saved.in(units::byte);
                },
            .examples = {{{1e9, 12}, 12e9, 0, "12 B a parameter of the source"}}},
    formula{.name = "offload_activations",
            .header = "memory/offload.hpp",
            .meaning = "Device memory that activations kept on the host save",
            .text = "saved = f A; traffic f A each way a micro-batch",
            .latex = R"(\Delta M = f A)",
            .symbols = {{"A", "activations kept", "B", ">= 0"},
                        {"f", "part of them offloaded", "1", "0 to 1"}},
            .result = "B",
            .validity = "double buffers left out",
            .source = "M. Rhu et al., \"vDNN: Virtualized Deep Neural Networks for Scalable, "
                      "Memory-Efficient Neural Network Design\", MICRO (2016), arXiv:1602.08124",
            .errata = "",
            .topics = "M13",
            .evaluate =
                [](inputs x) {
                  return offload_activations(bytes{x[0]}, x[1]).device_saved.in(units::byte);
                },
            .examples = {{{8e9, 0.25}, 2e9, 0, "by hand"}}},
    formula{.name = "offload_parameters",
            .header = "memory/offload.hpp",
            .meaning = "Device memory that weights kept on the host save",
            .text = "saved = w P - live; traffic g P down, 2 w P up a micro-batch",
            .latex = R"(\Delta M = w P - M_{live})",
            .symbols = {{"P", "parameters", "count", ">= 0"},
                        {"w", "one weight", "B", ">= 0"},
                        {"live", "weights at work on the device", "B", "0 to w P"}},
            .result = "B",
            .validity = "weights are fetched twice, for the forward and the backward pass",
            .source = "S. Rajbhandari et al., \"ZeRO-Infinity: Breaking the GPU Memory Wall for "
                      "Extreme Scale Deep Learning\", SC21 (2021), arXiv:2104.07857",
            .errata = "",
            .topics = "M13",
            .evaluate =
                [](inputs x) {
                  return offload_parameters(x[0], {.weight = bytes{x[1]}}, bytes{x[2]})
                      .device_saved.in(units::byte);
                },
            .examples = {{{1e9, 2, 0.5e9}, 1.5e9, 0, "by hand"}}},
    formula{.name = "input_buffer",
            .header = "memory/input_buffer.hpp",
            .meaning = "Memory of batches between the loader and the GPU",
            .text = "M = (prefetched + processed + transferred) b",
            .latex = R"(M = (n_{prefetch} + n_{process} + n_{transfer})\, b)",
            .symbols = {{"n_p", "batches read and waiting", "count", ">= 0"},
                        {"n_d", "batches being decoded", "count", ">= 0"},
                        {"n_t", "batches on their way", "count", ">= 0"},
                        {"b", "one batch", "B", ">= 0"}},
            .result = "B",
            .validity = "batches of one size",
            .source = "PyTorch, torch.utils.data.DataLoader, prefetch_factor (2.x)",
            .errata = "A chapter multiplies bytes by bytes: the three are counts of batches.",
            .topics = "M14",
            .evaluate =
                [](inputs x) {
                  return input_buffer({whole(x[0]), whole(x[1]), whole(x[2])}, bytes{x[3]})
                      .in(units::byte);
                },
            .examples =
                {{{2, 1, 1, 38535168}, 154140672, 0, "four batches of 64 images, by hand"}}},
    formula{.name = "image_batch_memory",
            .header = "memory/input_buffer.hpp",
            .meaning = "Bytes of a batch of pictures, or of one convolution's output",
            .text = "M = B H W C S",
            .latex = R"(M = B H W C S)",
            .symbols = {{"B", "samples", "count", ">= 1"},
                        {"H", "height", "count", ">= 1"},
                        {"W", "width", "count", ">= 1"},
                        {"C", "channels", "count", ">= 1"},
                        {"S", "one value", "B", "> 0"}},
            .result = "B",
            .validity = "dense layout",
            .source = definition,
            .errata = "Printed as 0.38 GB for 64 images of 224 x 224 x 3 in FP32: it is 0.0385 GB; "
                      "as 3.14 MB for 112 x 112 x 64: it is 3.211 MB or 3.0625 MiB.",
            .topics = "M4 M14",
            .evaluate =
                [](inputs x) {
                  return image_batch_memory({whole(x[0]), whole(x[1]), whole(x[2]), whole(x[3])},
                                            bytes{x[4]})
                      .in(units::byte);
                },
            .examples =
                {{{64, 224, 224, 3, 4}, 38535168, 0, "by hand"},
                 {{32, 112, 112, 64, 4}, 102760448, 0, "98 MiB, ResNet-50's first output"}}},
    formula{.name = "in_sequence",
            .header = "memory/sequential_batches.hpp",
            .meaning = "Peak memory of batches that run one after another",
            .text = "M = max M_m, T = sum t_m",
            .latex = R"(M = \max_m M_m, \quad T = \sum_m t_m)",
            .symbols = {{"M_1", "memory of the first batch", "B", ">= 0"},
                        {"M_2", "memory of the second", "B", ">= 0"},
                        {"M_3", "memory of the third", "B", ">= 0"}},
            .result = "B",
            .validity = "each frees its memory before the next begins",
            .source = "E. Lawler et al., \"Sequencing and Scheduling: Algorithms and Complexity\", "
                      "Handbooks in Operations Research 4 (1993)",
            .errata = "An article minimises the sum of the memories and bounds each time: the peak "
                      "is the maximum, and the bound is on the sum of the times.",
            .topics = "M20",
            .evaluate =
                [](inputs x) {
                  const std::array batches{sequential_batch{.memory = bytes{x[0]}},
                                           sequential_batch{.memory = bytes{x[1]}},
                                           sequential_batch{.memory = bytes{x[2]}}};
                  return in_sequence(batches).peak.in(units::byte);
                },
            .examples = {{{3e9, 8e9, 5e9}, 8e9, 0, "by hand"}}},
    formula{.name = "memory_fragmentation",
            .header = "memory/fragmentation.hpp",
            .meaning = "Part of the free memory outside its largest block",
            .text = "F = 1 - largest / free",
            .latex = R"(F = 1 - \frac{M_{largest}}{M_{free}})",
            .symbols = {{"largest", "largest contiguous free block", "B", "0 to free"},
                        {"free", "all free blocks", "B", ">= 0"}},
            .result = "1",
            .validity = "0 with nothing free",
            .source = "M. Johnstone and P. Wilson, \"The Memory Fragmentation Problem: Solved?\", "
                      "ISMM (1998)",
            .errata = "",
            .topics = "M16",
            .evaluate = [](inputs x) { return memory_fragmentation(bytes{x[0]}, bytes{x[1]}); },
            .examples = {{{6, 8}, 0.25, 0, "6 of 8 as a fraction"}}},
    formula{.name = "allocator_slack",
            .header = "memory/fragmentation.hpp",
            .meaning = "Part of what an allocator has reserved that no tensor uses",
            .text = "1 - allocated / reserved",
            .latex = R"(1 - \frac{M_{alloc}}{M_{reserved}})",
            .symbols = {{"allocated", "in tensors", "B", "0 to reserved"},
                        {"reserved", "taken from the device", "B", ">= 0"}},
            .result = "1",
            .validity = "always",
            .source = "PyTorch, torch.cuda.memory_stats (2.x)",
            .errata = "",
            .topics = "M6 M16",
            .evaluate = [](inputs x) { return allocator_slack(bytes{x[0]}, bytes{x[1]}); },
            .examples = {{{30, 40}, 0.25, 0, "30 of 40 as a fraction"}}},
    formula{.name = "bound_of",
            .header = "memory/breakdown.hpp",
            .meaning = "What takes most memory: 0 states, 1 activations, 2 workspace",
            .text = "argmax(model + optimizer + gradient, activation, workspace)",
            .latex = R"(\arg\max(M_{states}, M_{act}, M_{work}))",
            .symbols = {{"model", "weights", "B", ">= 0"},
                        {"optimizer", "master copies and states", "B", ">= 0"},
                        {"activation", "activations", "B", ">= 0"},
                        {"gradient", "gradients", "B", ">= 0"},
                        {"workspace", "the rest", "B", ">= 0"}},
            .result = "1",
            .validity = "of equals the first",
            .source = definition,
            .errata = "",
            .topics = "M15 M1",
            .evaluate =
                [](inputs x) {
                  return static_cast<double>(
                      bound_of({bytes{x[0]}, bytes{x[1]}, bytes{x[2]}, bytes{x[3]}, bytes{x[4]}}));
                },
            .examples = {{{3e9, 12e9, 32.6e9, 3e9, 0},
                          1,
                          0,
                          "a chapter's GPT-2: 32.6 of 50.6 GB are activations"}}},
    formula{.name = "breakdown_of",
            .header = "memory/breakdown.hpp",
            .meaning = "A stage's memory by part; the five parts add up to its total",
            .text = "M_total = model + optimizer + activation + gradient + workspace",
            .latex = R"(M = M_{model} + M_{opt} + M_{act} + M_{grad} + M_{work})",
            .symbols = {{"model", "weights", "B", ">= 0"},
                        {"optimizer", "states", "B", ">= 0"},
                        {"activation", "activations", "B", ">= 0"},
                        {"gradient", "gradients", "B", ">= 0"}},
            .result = "B",
            .validity = "at the fullest moment",
            .source = definition,
            .errata = "",
            .topics = "M1 M15",
            .evaluate =
                [](inputs x) {
                  stage_footprint stage;
                  stage.states = {
                      .weights = bytes{x[0]}, .gradients = bytes{x[3]}, .optimizer = bytes{x[1]}};
                  stage.activations = bytes{x[2]};
                  return breakdown_of(stage).total().in(units::byte);
                },
            .examples = {{{3e9, 12e9, 32.6e9, 3e9}, 50.6e9, 1e-12, "3 + 12 + 32.6 + 3 GB"}}},
    formula{.name = "precision_saving",
            .header = "memory/precision_saving.hpp",
            .meaning = "Part of the memory that mixed precision saves",
            .text = "1 - (S_m + A_m) / (S_1 + A_1)",
            .latex = R"(1 - \frac{S_m + A_m}{S_1 + A_1})",
            .symbols = {{"S_1", "static part in single precision", "B", ">= 0"},
                        {"S_m", "static part in mixed precision", "B", ">= 0"},
                        {"A_1", "activations in single precision", "B", ">= 0"},
                        {"A_m", "activations in mixed precision", "B", ">= 0"}},
            .result = "1",
            .validity = "one run in two precisions",
            .source = mixed_precision,
            .errata = "The 40 to 50 % that guides print hold only where activations dominate; of "
                      "the static part with Adam nothing is saved.",
            .topics = "M7",
            .evaluate =
                [](inputs x) {
                  return precision_saving({bytes{x[0]}, bytes{x[1]}, bytes{x[2]}, bytes{x[3]}});
                },
            .examples = {{{16e9, 16e9, 0, 0}, 0, 0, "16 B a parameter both ways"},
                         {{16e9, 16e9, 48e9, 24e9}, 0.375, 1e-12, "24 of 64, by hand"}}},
    formula{.name = "partly_frozen_states",
            .header = "memory/trainable.hpp",
            .meaning = "Model states where a part of the parameters is frozen",
            .text = "M = w P (1 - f) + (w + g + k + o) P f",
            .latex = R"(M = w P (1 - f) + (w + g + k + o) P f)",
            .symbols = {{"P", "parameters", "count", ">= 0"},
                        {"f", "trainable fraction", "1", "0 to 1"}},
            .result = "B",
            .validity = "16 B a trained parameter: FP16 weights and gradients, FP32 Adam",
            .source = zero_paper,
            .errata = "",
            .topics = "M19",
            .evaluate =
                [](inputs x) { return partly_frozen_states(x[0], x[1]).total().in(units::byte); },
            .examples = {{{1e9, 0.1}, 3.4e9, 1e-12, "0.9 x 2 + 0.1 x 16 GB, by hand"}}},
    formula{.name = "lora_parameters",
            .header = "memory/trainable.hpp",
            .meaning = "Parameters of a low-rank adapter of one matrix",
            .text = "r (rows + columns)",
            .latex = R"(r (d + k))",
            .symbols = {{"d", "rows", "count", ">= 1"},
                        {"k", "columns", "count", ">= 1"},
                        {"r", "rank", "count", ">= 1"}},
            .result = "count",
            .validity = "r <= min(d, k)",
            .source = "E. Hu et al., \"LoRA: Low-Rank Adaptation of Large Language Models\", ICLR "
                      "(2022), arXiv:2106.09685",
            .errata = "",
            .topics = "M19",
            .evaluate =
                [](inputs x) {
                  return lora_parameters({x[0], x[1]}, whole(x[2]));
                },
            .examples = {{{12288, 12288, 4},
                          98304,
                          0,
                          "GPT-3, rank 4: 96 layers x 2 matrices give 18.9 M, table 4 of the "
                          "source"}}},
    formula{.name = "adapter_states",
            .header = "memory/trainable.hpp",
            .meaning = "Model states of a frozen model with trained adapters",
            .text = "M = w_f P + (w + g + k + o) A",
            .latex = R"(M = w_f P + (w + g + k + o) A)",
            .symbols = {{"P", "frozen parameters", "count", ">= 0"},
                        {"A", "parameters of the adapters", "count", ">= 0"},
                        {"w_f", "one frozen weight", "B", ">= 0"}},
            .result = "B",
            .validity = "16 B a trained parameter",
            .source = "T. Dettmers et al., \"QLoRA: Efficient Finetuning of Quantized LLMs\", "
                      "NeurIPS (2023), arXiv:2305.14314",
            .errata = "",
            .topics = "M19",
            .evaluate =
                [](inputs x) {
                  return adapter_states(x[0], x[1], bytes{x[2]}).total().in(units::byte);
                },
            .examples = {{{65e9, 0, 0.5}, 32.5e9, 1e-12, "65e9 weights of 4 bits, by hand"}}},
    formula{.name = "galore_values",
            .header = "memory/trainable.hpp",
            .meaning = "Values that a low-rank optimizer keeps for one matrix",
            .text = "r m + s r n",
            .latex = R"(m r + s\, n r)",
            .symbols = {{"m", "smaller side", "count", ">= 1"},
                        {"n", "larger side", "count", ">= m"},
                        {"r", "rank", "count", "1 to m"},
                        {"s", "states of the optimizer", "count", ">= 0"}},
            .result = "count",
            .validity = "against s m n of the full optimizer",
            .source = "J. Zhao et al., \"GaLore: Memory-Efficient LLM Training by Gradient "
                      "Low-Rank Projection\", ICML (2024), table 1, arXiv:2403.03507",
            .errata = "",
            .topics = "M19",
            .evaluate =
                [](inputs x) {
                  return galore_values({x[0], x[1]}, whole(x[2]), x[3]);
                },
            .examples = {{{4096, 11008, 1024, 2},
                          26738688,
                          0,
                          "m r + 2 n r of the source's table 1, by hand"}}},
    formula{.name = "kv_cache_of_layer",
            .header = "memory/kv_cache.hpp",
            .meaning = "Cache of keys and values of one token in one layer",
            .text = "2 g d v / t",
            .latex = R"(2 g d v / t)",
            .symbols = {{"a", "query heads", "count", ">= 1"},
                        {"g", "key-value heads", "count", ">= 1"},
                        {"d", "width of a head", "count", ">= 1"},
                        {"t", "tensor-parallel ranks", "count", ">= 1"}},
            .result = "B/token",
            .validity = "2-byte cache; at least one head a rank; latent attention keeps kv_rank + "
                        "rope_head_dim values instead",
            .source = "J. Ainslie et al., \"GQA: Training Generalized Multi-Query Transformer "
                      "Models from Multi-Head Checkpoints\", EMNLP (2023), arXiv:2305.13245",
            .errata =
                "A public calculator forgets that keys and values are two, and grouped heads.",
            .topics = "",
            .evaluate =
                [](inputs x) {
                  return kv_cache_of_layer(heads_of(whole(x[0]), whole(x[1]), whole(x[2])),
                                           {.tensor = whole(x[3])})
                      .in(units::byte / units::token);
                },
            .examples = {{{32, 8, 128, 1}, 4096, 0, "Llama 3 8B: 2 x 8 x 128 x 2 B, by hand"}}},
    formula{.name = "kv_cache_per_token",
            .header = "memory/kv_cache.hpp",
            .meaning = "Cache that one more token takes, over all layers of a rank",
            .text = "L / p x 2 g d v / t",
            .latex = R"(\frac{L}{p} \cdot \frac{2 g d v}{t})",
            .symbols = {{"L", "layers", "count", ">= 1"},
                        {"a", "query heads", "count", ">= 1"},
                        {"g", "key-value heads", "count", ">= 1"},
                        {"d", "width of a head", "count", ">= 1"}},
            .result = "B/token",
            .validity = "2-byte cache, while no window is full",
            .source = "J. Ainslie et al., \"GQA\", EMNLP (2023), arXiv:2305.13245",
            .errata = "",
            .topics = "",
            .evaluate =
                [](inputs x) {
                  transformer m = heads_of(whole(x[1]), whole(x[2]), whole(x[3]));
                  m.layers = whole(x[0]);
                  return kv_cache_per_token(m).in(units::byte / units::token);
                },
            .examples = {{{32, 32, 8, 128}, 131072, 0, "Llama 3 8B: 128 KiB a token, by hand"}}},
    formula{.name = "kv_cache",
            .header = "memory/kv_cache.hpp",
            .meaning = "Cache of one sequence; a windowed layer keeps its window",
            .text = "(L s + L_w (min(s, w) - s)) 2 g d v / t",
            .latex = R"(\left( (L - L_w) s + L_w \min(s, w) \right) \frac{2 g d v}{t})",
            .symbols = {{"L", "layers, all windowed", "count", ">= 1"},
                        {"a", "query heads", "count", ">= 1"},
                        {"g", "key-value heads", "count", ">= 1"},
                        {"d", "width of a head", "count", ">= 1"},
                        {"s", "length", "token", ">= 0"},
                        {"w", "window, 0: none", "token", ">= 0"}},
            .result = "B",
            .validity = "2-byte cache",
            .source = "A. Jiang et al., \"Mistral 7B\" (2023), section 2, arXiv:2310.06825",
            .errata = "",
            .topics = "",
            .evaluate =
                [](inputs x) {
                  transformer m = heads_of(whole(x[1]), whole(x[2]), whole(x[3]));
                  m.layers = whole(x[0]);
                  m.sliding_window = whole(x[5]);
                  return kv_cache(m, tokens{x[4]}).in(units::byte);
                },
            .examples = {{{32, 32, 8, 128, 32768, 4096},
                          536870912,
                          0,
                          "Mistral 7B: 4096 of 32k tokens kept, an eighth of 4 GiB"}}},
    formula{.name = "inference_weights",
            .header = "memory/kv_cache.hpp",
            .meaning = "Weights of a model on one rank, ready for inference",
            .text = "P v / (t p)",
            .latex = R"(P v / (t p))",
            .symbols = {{"L", "layers", "count", ">= 1"},
                        {"h", "hidden size", "count", ">= 1"},
                        {"a", "heads", "count", ">= 1"},
                        {"f", "FFN width", "count", ">= 1"},
                        {"V", "vocabulary", "count", ">= 1"},
                        {"positions", "rows of the position table", "count", ">= 1"}},
            .result = "B",
            .validity = "2-byte weights, a GPT-2 shape",
            .source = definition,
            .errata = "",
            .topics = "M2",
            .evaluate = [](inputs x) { return inference_weights(gpt2_shape(x)).in(units::byte); },
            .examples = {{{48, 1600, 25, 6400, 50257, 1024},
                          3115222400,
                          0,
                          "GPT-2 XL: 1 557 611 200 parameters of 2 B"}}},
    formula{.name = "max_inference_batch",
            .header = "memory/kv_cache.hpp",
            .meaning = "Most sequences whose cache fits beside the weights",
            .text = "floor((M - P v) / cache(s))",
            .latex = R"(\left\lfloor \frac{M - P v}{M_{cache}(s)} \right\rfloor)",
            .symbols = {{"n", "caches of one sequence that the room beside the weights takes",
                         "count", ">= 0"}},
            .result = "count",
            .validity = "a GPT of one layer; the input fixes the room, so the result is n again",
            .source = definition,
            .errata = "",
            .topics = "B1",
            .evaluate =
                [](inputs x) {
                  const transformer m = gpt({1, 64, 4, 256, 128});
                  const tokens length = 100 * units::token;
                  const bytes room = inference_weights(m) + (x[0] + 0.5) * kv_cache(m, length);
                  return static_cast<double>(
                      max_inference_batch(m, length, {.capacity = room}).samples);
                },
            .examples = {{{7}, 7, 0, "inverse of a function"}, {{0}, 0, 0, "no room for one"}}},
    formula{.name = "max_context",
            .header = "memory/kv_cache.hpp",
            .meaning = "Longest context of a batch whose cache fits beside the weights",
            .text = "s = (M - P v) / (b k L)",
            .latex = R"(s = \frac{M - P v}{b k L})",
            .symbols = {{"s", "context whose cache the room beside the weights takes", "token",
                         ">= 0"},
                        {"b", "batch", "count", ">= 1"}},
            .result = "token",
            .validity = "no windows; the input fixes the room, so the result is s again",
            .source = definition,
            .errata = "",
            .topics = "",
            .evaluate =
                [](inputs x) {
                  const transformer m = gpt({2, 64, 4, 256, 128});
                  const bytes room = inference_weights(m) + x[1] * kv_cache(m, tokens{x[0]});
                  return max_context(m, whole(x[1]), {.capacity = room}).in(units::token);
                },
            .examples = {{{4096, 3}, 4096, 1e-9, "inverse of a function"}}},
    formula{.name = "coarse_transformer_activations",
            .header = "memory/coarse.hpp",
            .meaning = "Coarse: activations of a transformer without its constants",
            .text = "B L (4 d s + 2 s^2) S",
            .latex = R"(B L (4 d s + 2 s^2) S)",
            .symbols = {{"L", "layers", "count", ">= 1"},
                        {"d", "hidden size", "count", ">= 1"},
                        {"s", "sequence", "token", ">= 1"},
                        {"B", "batch", "count", ">= 1"},
                        {"S", "one value", "B", "> 0"}},
            .result = "B",
            .validity = "nowhere: reads old plans",
            .source = "a textbook's chapter on GPU allocation",
            .errata = "Beside s b h (34 + 5 a s/h) at 2 B its linear term is 4.25 times and its "
                      "s^2 term 1.25 a times too small.",
            .topics = "M9",
            .evaluate =
                [](inputs x) {
                  return coarse_transformer_activations(
                             {whole(x[0]), whole(x[1]), whole(x[2]), whole(x[3])}, bytes{x[4]})
                      .in(units::byte);
                },
            .examples = {{{1, 1024, 512, 1, 2}, 5242880, 0, "(4 x 1024 x 512 + 2 x 512^2) x 2"}}},
    formula{.name = "coarse_layer_activations",
            .header = "memory/coarse.hpp",
            .meaning = "Coarse: eight tensors of b s h a layer",
            .text = "8 b s h S",
            .latex = R"(8 b s h S)",
            .symbols = {{"h", "hidden size", "count", ">= 1"},
                        {"s", "sequence", "token", ">= 1"},
                        {"b", "batch", "count", ">= 1"},
                        {"S", "one value", "B", "> 0"}},
            .result = "B",
            .validity = "leaves out norms, inputs, dropout and every s^2 tensor: 16 of 34 s b h",
            .source = "a textbook's chapter on training",
            .errata = "Called all activations of a layer: at s = 1024 it is 671 MB where 1426 MB "
                      "are kept with flash attention and 4782 MB without.",
            .topics = "M17",
            .evaluate =
                [](inputs x) {
                  return coarse_layer_activations({1, whole(x[0]), whole(x[1]), whole(x[2])},
                                                  bytes{x[3]})
                      .in(units::byte);
                },
            .examples = {{{1280, 1024, 32, 2}, 671088640, 0, "335 + 335 MB of the chapter"}}},
    formula{.name = "coarse_checkpointed_activations",
            .header = "memory/coarse.hpp",
            .meaning = "Coarse: inputs of every k-th layer",
            .text = "B s d (L / k) S",
            .latex = R"(B s d \frac{L}{k} S)",
            .symbols = {{"L", "layers", "count", ">= 1"},
                        {"d", "hidden size", "count", ">= 1"},
                        {"s", "sequence", "token", ">= 1"},
                        {"B", "batch of one replica", "count", ">= 1"},
                        {"k", "layers of a block", "count", ">= 1"},
                        {"S", "one value", "B", "> 0"}},
            .result = "B",
            .validity = "leaves out the block that is computed again",
            .source = "a textbook's chapter on GPU allocation",
            .errata = "Printed as 360 GB for GPT-3; the printed formula gives 463.9 GB, and "
                      "charges the global batch to one replica.",
            .topics = "M11",
            .evaluate =
                [](inputs x) {
                  return coarse_checkpointed_activations(
                             {whole(x[0]), whole(x[1]), whole(x[2]), whole(x[3])}, whole(x[4]),
                             bytes{x[5]})
                      .in(units::byte);
                },
            .examples = {{{96, 12288, 2048, 1536, 16, 2},
                          463856467968,
                          0,
                          "the chapter's inputs, recomputed"}}},
    formula{.name = "coarse_fp16_adam",
            .header = "memory/coarse.hpp",
            .meaning = "Coarse: Adam beside FP16 as 3/2 of the FP32 parameters",
            .text = "1.5 x 4 P",
            .latex = R"(\tfrac{3}{2} \cdot 4 P)",
            .symbols = {{"P", "parameters", "count", ">= 0"}},
            .result = "B",
            .validity = "pure 16-bit Adam only; with a master copy it is 12 B, 3 times",
            .source = "a textbook's chapter on training",
            .errata = "Said of mixed precision, which keeps FP32 copies.",
            .topics = "M17",
            .evaluate = [](inputs x) { return coarse_fp16_adam(x[0]).in(units::byte); },
            .examples = {{{1e9}, 6e9, 0, "by hand"}}},
    formula{.name = "coarse_training_memory",
            .header = "memory/coarse.hpp",
            .meaning = "Coarse: training takes four to six times the parameters (the lower end)",
            .text = "4 M to 6 M",
            .latex = R"(4 M \ldots 6 M)",
            .symbols = {{"M", "bytes of the parameters", "B", ">= 0"}},
            .result = "B",
            .validity = "FP32 Adam before any activation",
            .source = "an article on GPU memory",
            .errata = "Mixed-precision Adam takes 8 to 9 times its 2-byte weights.",
            .topics = "M17",
            .evaluate =
                [](inputs x) { return coarse_training_memory(bytes{x[0]}).least.in(units::byte); },
            .examples = {{{1e9}, 4e9, 0, "by hand"}}},
    formula{
        .name = "coarse_workspace",
        .header = "memory/coarse.hpp",
        .meaning = "Coarse: a tenth to a fifth of the model as workspace (the lower end)",
        .text = "0.1 M to 0.2 M",
        .latex = R"(0.1 M \ldots 0.2 M)",
        .symbols = {{"M", "bytes of the model", "B", ">= 0"}},
        .result = "B",
        .validity = "real workspaces are constants: see framework_at_start",
        .source = "a textbook's chapter on GPU allocation",
        .errata = "",
        .topics = "M6",
        .evaluate = [](inputs x) { return coarse_workspace(bytes{x[0]}).least.in(units::byte); },
        .examples = {{{350e9}, 35e9, 1e-12, "by hand"}}}};

}  // namespace gpuplan::registry
