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
#include <gpuplan/memory/reserved.hpp>
#include <gpuplan/memory/sequential_batches.hpp>
#include <gpuplan/memory/trainable.hpp>
#include <gpuplan/registry/formula.hpp>
#include <gpuplan/registry/shapes.hpp>
#include <gpuplan/registry/sources.hpp>
#include <gpuplan/registry/words.hpp>

namespace gpuplan::registry {

/// Their inputs, where neither a row nor its function says otherwise.
///
///     L  layers             count, >= 1
///     h  hidden size        count, >= 1
///     a  heads              count, >= 1
///     s  sequence           token, >= 1
///     g  key-value heads    count, >= 1
///     d  width of a head    count, >= 1
inline constexpr std::array memory_batch_rows{
    row{.call = "memory/max_batch.hpp: max_batch(M_GPU, M_reserved, M_fixed, k) in count",
        .latex = R"(B_{\max} = \left\lfloor \frac{M_{GPU} - M_{res} - M_{fixed}}{k} \right\rfloor)",
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
    /// Memory of a model's fullest stage as a function of the micro-batch.
    ///
    ///     M(b) = max over stages and moments
    ///     affine in b at each moment
    ///
    ///     b  micro-batch    count, >= 1
    ///
    /// Holds: one GPU, a GPT with f = 4 h and V = 1024, BF16, flash attention; the example takes
    /// the increment of one more sequence.
    row{.call = "memory/max_batch.hpp: memory_of_micro_batch(L, h, a, s, b) in B",
        .latex = R"(M(b) = \max_{i, t} M_{i, t}(b))",
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
        .examples = {{{2, 256, 4, 256, 1},
                      6044672,
                      1e-12,
                      "by hand: s (L (32 h + 4 a) + 4 h + 28 + 6 V), flash, no dropout, at the "
                      "loss"}}},
    ///     b = max { b : M(b) <= C }
    ///
    ///     b  a micro-batch, whose memory is the capacity C    count, >= 1
    ///
    /// Holds: M does not fall with b; the input is b itself, so the result is b again.
    row{.call = "memory/max_batch.hpp: max_micro_batch(L, h, a, s, b) in count",
        .latex = R"(b_{\max} = \max \{ b : M(b) \le C \})",
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
    row{.call = "memory/accumulation.hpp: accumulate(target, largest, n) in count",
        .latex =
            R"(N_{acc} = \left\lceil \frac{\mathrm{target}}{\mathrm{largest}\; n} \right\rceil)",
        .errata = "A guide leaves the replicas out: with n of them each accumulates 1/n as often.",
        .topics = "B2",
        .evaluate =
            [](inputs x) {
              const accumulation how = accumulate(whole(x[0]), whole(x[1]), whole(x[2]));
              return static_cast<double>(how.steps);
            },
        .examples = {{{512, 16, 8}, 4, 0, "a guide's example: 512 samples, 8 GPUs of 16"}}},
    row{.call = "memory/accumulation.hpp: replicas_without_accumulation(target, b) in count",
        .latex = R"(n = \lceil B_{target} / b \rceil)",
        .topics = "B2",
        .evaluate =
            [](inputs x) {
              return static_cast<double>(replicas_without_accumulation(whole(x[0]), whole(x[1])));
            },
        .examples = {{{512, 16}, 32, 0, "a guide's example, recomputed"}}},
    row{.call = "memory/accumulation.hpp: updates_per_epoch(N, B) in count",
        .latex = R"(\lceil N / B \rceil)",
        .topics = "B3",
        .evaluate =
            [](inputs x) {
              return static_cast<double>(updates_per_epoch(whole(x[0]), whole(x[1])));
            },
        .examples = {{{1281167, 256}, 5005, 0, "ImageNet, 256 a batch, by hand"}}},
    row{.call = "memory/accumulation.hpp: epoch_time(N, steps, b, n, t) in s",
        .latex = R"(T = \frac{N}{B_{eff}} N_{acc} t)",
        .topics = "B3",
        .evaluate =
            [](inputs x) {
              return epoch_time(whole(x[0]), {whole(x[1]), whole(x[2]), whole(x[3])}, seconds{x[4]})
                  .in(units::second);
            },
        .examples = {{{51200, 4, 16, 8, 0.18}, 72, 1e-12, "100 updates of 4 x 0.18 s, by hand"}}},
    row{.call = "memory/accumulation.hpp: gradient_weight(B_k, all) in 1",
        .latex = R"(w_k = \frac{|B_k|}{\sum_j |B_j|})",
        .errata = "The plain mean over ranks is right only where all have as many samples.",
        .topics = "B8",
        .evaluate = [](inputs x) { return gradient_weight(x[0], x[1]); },
        .examples = {{{24, 64}, 0.375, 0, "24/64 as a fraction"}}},
    ///     n  layers                                     count, >= 1
    ///     x  input of one layer                         B, >= 0
    ///     a  all that one layer keeps, its input too    B, >= x
    ///     k  layers of a block                          count, >= 1
    row{.call = "memory/checkpointing.hpp: checkpoint_every(n, x, a, k) in B",
        .latex = R"(M = \lceil n/k \rceil x + \min(k, n) a - x)",
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
    row{.call = "memory/checkpointing.hpp: checkpoint_nothing(n, a) in B",
        .latex = R"(M = n a)",
        .topics = "M11",
        .evaluate =
            [](inputs x) {
              return checkpoint_nothing({whole(x[0]), bytes{0}, bytes{x[1]}})
                  .total()
                  .in(units::byte);
            },
        .examples = {{{100, 34}, 3400, 0, "by hand"}}},
    row{.call = "memory/checkpointing.hpp: checkpoint_first(n, x, a, r) in B",
        .latex = R"(M = r x + \max\left((n - r) a,\, a - x\right))",
        .topics = "M11",
        .evaluate =
            [](inputs x) {
              return checkpoint_first({whole(x[0]), bytes{x[1]}, bytes{x[2]}}, whole(x[3]))
                  .total()
                  .in(units::byte);
            },
        .examples = {{{10, 2, 34, 4}, 212, 0, "4 x 2 + 6 x 34, by hand"}}},
    row{.call = "memory/checkpointing.hpp: best_checkpoint_interval(n, x, a) in count",
        .latex = R"(k^* = \arg\min_k M(k) \approx \sqrt{n x / a})",
        .topics = "M11",
        .evaluate =
            [](inputs x) {
              return static_cast<double>(
                  best_checkpoint_interval({whole(x[0]), bytes{x[1]}, bytes{x[2]}}));
            },
        .examples = {{{100, 1, 1}, 10, 0, "sqrt(100) of the source"}}},
    row{.call = "memory/offload.hpp: exposed_transfer(T_transfer, T_work) in s",
        .latex = R"(\max(T_{transfer} - T_{work}, 0))",
        .topics = "M13",
        .evaluate =
            [](inputs x) {
              return exposed_transfer(seconds{x[0]}, seconds{x[1]}).in(units::second);
            },
        .examples = {{{0.5, 0.2}, 0.3, 1e-12, "by hand"}, {{0.1, 0.2}, 0, 0, "by hand"}}},
    /// Device memory that an optimizer on the host saves.
    ///
    ///     saved = k P
    ///     traffic g P down and w P up a step
    ///
    ///     k  master copy and states of one    B, >= 0
    ///
    /// Holds: the update runs on the host.
    row{.call = "memory/offload.hpp: offload_optimizer(P, k) in B",
        .latex = R"(M_{saved} = k P)",
        .topics = "M13",
        .evaluate =
            [](inputs x) {
              return offload_optimizer(x[0], {.master = bytes{0}, .optimizer = bytes{x[1]}})
                  .device_saved.in(units::byte);
            },
        .examples = {{{1e9, 12}, 12e9, 0, "12 B a parameter of the source"}}},
    /// Device memory that activations kept on the host save.
    ///
    ///     saved = f A
    ///     traffic f A each way a micro-batch
    ///
    ///     f  part of them offloaded    1, 0 to 1
    ///
    /// Holds: double buffers left out.
    row{.call = "memory/offload.hpp: offload_activations(A, f) in B",
        .latex = R"(M_{saved} = f A)",
        .topics = "M13",
        .evaluate =
            [](inputs x) {
              return offload_activations(bytes{x[0]}, x[1]).device_saved.in(units::byte);
            },
        .examples = {{{8e9, 0.25}, 2e9, 0, "by hand"}}},
    /// Device memory that weights kept on the host save.
    row{.call = "memory/offload.hpp: offload_parameters(P, w, live) in B",
        .latex = R"(M_{saved} = w P - M_{live})",
        .topics = "M13",
        .evaluate =
            [](inputs x) {
              return offload_parameters(x[0], {.weight = bytes{x[1]}}, bytes{x[2]})
                  .device_saved.in(units::byte);
            },
        .examples = {{{1e9, 2, 0.5e9}, 1.5e9, 0, "by hand"}}},
    /// Memory of batches between the loader and the GPU.
    ///
    ///     n_p  batches read and waiting    count, >= 0
    ///     n_d  batches being decoded       count, >= 0
    ///     n_t  batches on their way        count, >= 0
    ///
    /// Holds: batches of one size.
    row{.call = "memory/input_buffer.hpp: input_buffer(n_p, n_d, n_t, b) in B",
        .latex = R"(M = (n_{prefetch} + n_{process} + n_{transfer})\, b)",
        .errata = "A chapter multiplies bytes by bytes: the three are counts of batches.",
        .topics = "M14",
        .evaluate =
            [](inputs x) {
              return input_buffer({whole(x[0]), whole(x[1]), whole(x[2])}, bytes{x[3]})
                  .in(units::byte);
            },
        .examples = {{{2, 1, 1, 38535168}, 154140672, 0, "four batches of 64 images, by hand"}}},
    row{.call = "memory/input_buffer.hpp: image_batch_memory(B, H, W, C, S) in B",
        .latex = R"(M = B H W C S)",
        .errata = "Printed as 0.38 GB for 64 images of 224 x 224 x 3 in FP32: it is 0.0385 GB; "
                  "as 3.14 MB for 112 x 112 x 64: it is 3.211 MB or 3.0625 MiB.",
        .topics = "M4 M14",
        .evaluate =
            [](inputs x) {
              return image_batch_memory({whole(x[0]), whole(x[1]), whole(x[2]), whole(x[3])},
                                        bytes{x[4]})
                  .in(units::byte);
            },
        .examples = {{{64, 224, 224, 3, 4}, 38535168, 0, "by hand"},
                     {{32, 112, 112, 64, 4}, 102760448, 0, "98 MiB, ResNet-50's first output"}}},
    /// Peak memory of batches that run one after another.
    ///
    ///     M = max M_m, T = sum t_m
    ///
    ///     M_1  memory of the first batch    B, >= 0
    ///     M_2  memory of the second         B, >= 0
    ///     M_3  memory of the third          B, >= 0
    ///
    /// Holds: each frees its memory before the next begins.
    row{.call = "memory/sequential_batches.hpp: in_sequence(M_1, M_2, M_3) in B",
        .latex = R"(M = \max_m M_m, \quad T = \sum_m t_m)",
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
    row{.call = "memory/fragmentation.hpp: memory_fragmentation(largest, free) in 1",
        .latex = R"(F = 1 - \frac{M_{largest}}{M_{free}})",
        .topics = "M16",
        .evaluate = [](inputs x) { return memory_fragmentation(bytes{x[0]}, bytes{x[1]}); },
        .examples = {{{6, 8}, 0.25, 0, "6 of 8 as a fraction"}}},
    row{.call = "memory/fragmentation.hpp: allocator_slack(allocated, reserved) in 1",
        .latex = R"(1 - \frac{M_{alloc}}{M_{reserved}})",
        .topics = "M6 M16",
        .evaluate = [](inputs x) { return allocator_slack(bytes{x[0]}, bytes{x[1]}); },
        .examples = {{{30, 40}, 0.25, 0, "30 of 40 as a fraction"}}},
    row{.call = "memory/reserved.hpp: segment_of(M) in B",
        .latex = R"(2 \cdot 2^{20}, \; 20 \cdot 2^{20}, \; \lceil M / 2^{21} \rceil 2^{21})",
        .topics = "M6 M16",
        .evaluate = [](inputs x) { return segment_of(bytes{x[0]}).in(units::byte); },
        .examples = {{{1048576}, 2097152, 0, "PyTorch: small ones share 2 MiB"},
                     {{1048577}, 20971520, 0, "PyTorch: up to 10 MiB share 20 MiB"},
                     {{10485761}, 12582912, 0, "PyTorch: rounded up to 2 MiB"}}},
    row{.call = "memory/reserved.hpp: cached_growth(n, r) in 1",
        .latex = R"(G = r H_n + (1 - r)(H_{n+1} - 1))",
        .topics = "M6 M16",
        .evaluate = [](inputs x) { return cached_growth(whole(x[0]), x[1]); },
        .examples = {{{1, 0.5}, 0.75, 1e-12, "one length: its mean"},
                     {{3, 1}, 1.8333333333333333, 1e-12, "1 + 1/2 + 1/3"}}},
    row{.call = "memory/reserved.hpp: reserved_beyond(P, V, f, g) in B",
        .latex = R"(f (P - V) + \max(f, g) V)",
        .topics = "M6 M16",
        .evaluate =
            [](inputs x) {
              return reserved_beyond(bytes{x[0]}, bytes{x[1]}, x[2], x[3]).in(units::byte);
            },
        .examples = {{{100, 40, 0.04, 0.3}, 14.4, 1e-12, "0.04 of 60 and 0.3 of 40"},
                     {{100, 40, 0.04, 0}, 4, 1e-12, "fixed lengths: 0.04 of 100"}}},
    /// What takes most memory: 0 states, 1 activations, 2 workspace.
    row{.call = "memory/breakdown.hpp: bound_of(model, optimizer, activation, gradient, workspace) "
                "in 1",
        .latex = R"(\arg\max(M_{states}, M_{act}, M_{work}))",
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
    /// A stage's memory by part; the five parts add up to its total.
    row{.call = "memory/breakdown.hpp: breakdown_of(model, optimizer, activation, gradient) in B",
        .latex = R"(M = M_{model} + M_{opt} + M_{act} + M_{grad} + M_{work})",
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
    ///     S_1  static part in single precision    B, >= 0
    ///     S_m  static part in mixed precision     B, >= 0
    ///     A_1  activations in single precision    B, >= 0
    ///     A_m  activations in mixed precision     B, >= 0
    row{.call = "memory/precision_saving.hpp: precision_saving(S_1, S_m, A_1, A_m) in 1",
        .latex = R"(1 - \frac{S_m + A_m}{S_1 + A_1})",
        .errata = "The 40 to 50 % that guides print hold only where activations dominate; of "
                  "the static part with Adam nothing is saved.",
        .topics = "M7",
        .evaluate =
            [](inputs x) {
              return precision_saving({bytes{x[0]}, bytes{x[1]}, bytes{x[2]}, bytes{x[3]}});
            },
        .examples = {{{16e9, 16e9, 0, 0}, 0, 0, "16 B a parameter both ways"},
                     {{16e9, 16e9, 48e9, 24e9}, 0.375, 1e-12, "24 of 64, by hand"}}},
    row{.call = "memory/trainable.hpp: partly_frozen_states(P, f) in B",
        .latex = R"(M = w P (1 - f) + (w + g + k + o) P f)",
        .topics = "M19",
        .evaluate =
            [](inputs x) { return partly_frozen_states(x[0], x[1]).total().in(units::byte); },
        .examples = {{{1e9, 0.1}, 3.4e9, 1e-12, "0.9 x 2 + 0.1 x 16 GB, by hand"}}},
    row{.call = "memory/trainable.hpp: lora_parameters(d, k, r) in count",
        .latex = R"(r (d + k))",
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
    ///     M = w_f P + (w + g + k + o) A
    ///
    ///     P    frozen parameters             count, >= 0
    ///     A    parameters of the adapters    count, >= 0
    ///     w_f  one frozen weight             B, >= 0
    ///
    /// Holds: 16 B a trained parameter.
    row{.call = "memory/trainable.hpp: adapter_states(P, A, w_f) in B",
        .latex = R"(M = w_f P + (w + g + k + o) A)",
        .topics = "M19",
        .evaluate =
            [](inputs x) {
              return adapter_states(x[0], x[1], bytes{x[2]}).total().in(units::byte);
            },
        .examples = {{{65e9, 0, 0.5}, 32.5e9, 1e-12, "65e9 weights of 4 bits, by hand"}}},
    row{.call = "memory/trainable.hpp: galore_values(m, n, r, s) in count",
        .latex = R"(m r + s\, n r)",
        .topics = "M19",
        .evaluate =
            [](inputs x) {
              return galore_values({x[0], x[1]}, whole(x[2]), x[3]);
            },
        .examples = {{{4096, 11008, 1024, 2},
                      26738688,
                      0,
                      "m r + 2 n r of the source's table 1, by hand"}}},
    ///     2 g d v / t
    ///
    ///     a  query heads              count, >= 1
    ///     t  tensor-parallel ranks    count, >= 1
    ///
    /// Holds: 2-byte cache; at least one head a rank; latent attention keeps kv_rank +
    /// rope_head_dim values instead.
    row{.call = "memory/kv_cache.hpp: kv_cache_of_layer(a, g, d, t) in B/token",
        .latex = R"(2 g d v / t)",
        .errata = "A public calculator forgets that keys and values are two, and grouped heads.",
        .evaluate =
            [](inputs x) {
              return kv_cache_of_layer(heads_of(whole(x[0]), whole(x[1]), whole(x[2])),
                                       {.tensor = whole(x[3])})
                  .in(units::byte / units::token);
            },
        .examples = {{{32, 8, 128, 1}, 4096, 0, "Llama 3 8B: 2 x 8 x 128 x 2 B, by hand"}}},
    ///     L / p x 2 g d v / t
    ///
    ///     a  query heads    count, >= 1
    ///
    /// Holds: 2-byte cache, while no window is full.
    row{.call = "memory/kv_cache.hpp: kv_cache_per_token(L, a, g, d) in B/token",
        .latex = R"(\frac{L}{p} \cdot \frac{2 g d v}{t})",
        .evaluate =
            [](inputs x) {
              transformer m = heads_of(whole(x[1]), whole(x[2]), whole(x[3]));
              m.layers = whole(x[0]);
              return kv_cache_per_token(m).in(units::byte / units::token);
            },
        .examples = {{{32, 32, 8, 128}, 131072, 0, "Llama 3 8B: 128 KiB a token, by hand"}}},
    ///     (L s + L_w (min(s, w) - s)) 2 g d v / t
    ///
    ///     L  layers, all windowed    count, >= 1
    ///     a  query heads             count, >= 1
    ///     s  length                  token, >= 0
    ///     w  window, 0: none         token, >= 0
    ///
    /// Holds: 2-byte cache.
    row{.call = "memory/kv_cache.hpp: kv_cache(L, a, g, d, s, w) in B",
        .latex = R"(\left( (L - L_w) s + L_w \min(s, w) \right) \frac{2 g d v}{t})",
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
    ///     P v / (t p)
    ///
    ///     f          FFN width                     count, >= 1
    ///     V          vocabulary                    count, >= 1
    ///     positions  rows of the position table    count, >= 1
    ///
    /// Holds: 2-byte weights, a GPT-2 shape.
    row{.call = "memory/kv_cache.hpp: inference_weights(L, h, a, f, V, positions) in B",
        .latex = R"(P v / (t p))",
        .topics = "M2",
        .evaluate = [](inputs x) { return inference_weights(gpt2_shape(x)).in(units::byte); },
        .examples = {{{48, 1600, 25, 6400, 50257, 1024},
                      3115222400,
                      0,
                      "GPT-2 XL: 1 557 611 200 parameters of 2 B"}}},
    ///     floor((M - P v) / cache(s))
    ///
    ///     n  caches of one sequence that the room beside the weights takes    count, >= 0
    ///
    /// Holds: a GPT of one layer; the input fixes the room, so the result is n again.
    row{.call = "memory/kv_cache.hpp: max_inference_batch(n) in count",
        .latex = R"(\left\lfloor \frac{M - P v}{M_{cache}(s)} \right\rfloor)",
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
    ///     s = (M - P v) / (b k L)
    ///
    ///     s  context whose cache the room beside the weights takes    token, >= 0
    ///     b  batch                                                    count, >= 1
    ///
    /// Holds: no windows; the input fixes the room, so the result is s again.
    row{.call = "memory/kv_cache.hpp: max_context(s, b) in token",
        .latex = R"(s = \frac{M - P v}{b k L})",
        .evaluate =
            [](inputs x) {
              const transformer m = gpt({2, 64, 4, 256, 128});
              const bytes room = inference_weights(m) + x[1] * kv_cache(m, tokens{x[0]});
              return max_context(m, whole(x[1]), {.capacity = room}).in(units::token);
            },
        .examples = {{{4096, 3}, 4096, 1e-9, "inverse of a function"}}},
    row{.call = "memory/coarse.hpp: coarse_transformer_activations(L, d, s, B, S) in B",
        .latex = R"(B L (4 d s + 2 s^2) S)",
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
    row{.call = "memory/coarse.hpp: coarse_layer_activations(h, s, b, S) in B",
        .latex = R"(8 b s h S)",
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
    row{.call = "memory/coarse.hpp: coarse_checkpointed_activations(L, d, s, B, k, S) in B",
        .latex = R"(B s d \frac{L}{k} S)",
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
    row{.call = "memory/coarse.hpp: coarse_fp16_adam(P) in B",
        .latex = R"(\tfrac{3}{2} \cdot 4 P)",
        .errata = "Said of mixed precision, which keeps FP32 copies.",
        .topics = "M17",
        .evaluate = [](inputs x) { return coarse_fp16_adam(x[0]).in(units::byte); },
        .examples = {{{1e9}, 6e9, 0, "by hand"}}},
    row{.call = "memory/coarse.hpp: coarse_training_memory(M) in B",
        .latex = R"(4 M \ldots 6 M)",
        .errata = "Mixed-precision Adam takes 8 to 9 times its 2-byte weights.",
        .topics = "M17",
        .evaluate =
            [](inputs x) { return coarse_training_memory(bytes{x[0]}).least.in(units::byte); },
        .examples = {{{1e9}, 4e9, 0, "by hand"}}},
    row{.call = "memory/coarse.hpp: coarse_workspace(M) in B",
        .latex = R"(0.1 M \ldots 0.2 M)",
        .topics = "M6",
        .evaluate = [](inputs x) { return coarse_workspace(bytes{x[0]}).least.in(units::byte); },
        .examples = {{{350e9}, 35e9, 1e-12, "by hand"}}}};
inline constexpr auto memory_batch_formulas =
    with_words(memory_batch_rows, words::memory_batch_formulas);

}  // namespace gpuplan::registry
