#pragma once
/// \file
/// Published transformers, by name; the shapes of the newer ones are in catalog_recent.hpp.
///
/// Each is what read_huggingface makes of the config.json of the repository named beside it; the
/// number is that of its parameters, parameters_of(model).total().

#include <array>
#include <string_view>

#include <gpuplan/model/catalog_recent.hpp>
#include <gpuplan/model/transformer.hpp>
#include <gpuplan/text/lookup.hpp>

namespace gpuplan::catalog {

/// openai-community/gpt2: 124 439 808.
inline constexpr transformer gpt2{
    .layers = 12,
    .hidden_size = 768,
    .attention_heads = 12,
    .ffn_size = 3072,
    .vocabulary_size = 50257,
    .positions = position_encoding::learned,
    .position_rows = 1024,
    .norm = normalization::layer_norm,
    .biases = {.query_key_value = true, .attention_output = true, .ffn = true}};

/// openai-community/gpt2-medium: 354 823 168.
inline constexpr transformer gpt2_medium{
    .layers = 24,
    .hidden_size = 1024,
    .attention_heads = 16,
    .ffn_size = 4096,
    .vocabulary_size = 50257,
    .positions = position_encoding::learned,
    .position_rows = 1024,
    .norm = normalization::layer_norm,
    .biases = {.query_key_value = true, .attention_output = true, .ffn = true}};

/// openai-community/gpt2-large: 774 030 080.
inline constexpr transformer gpt2_large{
    .layers = 36,
    .hidden_size = 1280,
    .attention_heads = 20,
    .ffn_size = 5120,
    .vocabulary_size = 50257,
    .positions = position_encoding::learned,
    .position_rows = 1024,
    .norm = normalization::layer_norm,
    .biases = {.query_key_value = true, .attention_output = true, .ffn = true}};

/// openai-community/gpt2-xl: 1 557 611 200.
inline constexpr transformer gpt2_xl{
    .layers = 48,
    .hidden_size = 1600,
    .attention_heads = 25,
    .ffn_size = 6400,
    .vocabulary_size = 50257,
    .positions = position_encoding::learned,
    .position_rows = 1024,
    .norm = normalization::layer_norm,
    .biases = {.query_key_value = true, .attention_output = true, .ffn = true}};

/// T. Brown et al., "Language Models are Few-Shot Learners" (2020), table 2.1, arXiv:2005.14165:
/// 174 604 259 328.
inline constexpr transformer gpt3_175b{
    .layers = 96,
    .hidden_size = 12288,
    .attention_heads = 96,
    .ffn_size = 49152,
    .vocabulary_size = 50257,
    .positions = position_encoding::learned,
    .position_rows = 2048,
    .norm = normalization::layer_norm,
    .biases = {.query_key_value = true, .attention_output = true, .ffn = true}};

/// google-bert/bert-base-uncased: 109 482 240.
inline constexpr transformer bert_base_uncased{
    .layers = 12,
    .hidden_size = 768,
    .attention_heads = 12,
    .ffn_size = 3072,
    .vocabulary_size = 30522,
    .positions = position_encoding::learned,
    .position_rows = 512,
    .token_types = 2,
    .norm = normalization::layer_norm,
    .final_norm = false,
    .embedding_norm = true,
    .biases = {.query_key_value = true, .attention_output = true, .ffn = true},
    .pooler = true,
    .mask = attention_mask::full};

/// google-bert/bert-large-uncased: 335 141 888.
inline constexpr transformer bert_large_uncased{
    .layers = 24,
    .hidden_size = 1024,
    .attention_heads = 16,
    .ffn_size = 4096,
    .vocabulary_size = 30522,
    .positions = position_encoding::learned,
    .position_rows = 512,
    .token_types = 2,
    .norm = normalization::layer_norm,
    .final_norm = false,
    .embedding_norm = true,
    .biases = {.query_key_value = true, .attention_output = true, .ffn = true},
    .pooler = true,
    .mask = attention_mask::full};

/// facebook/opt-350m: 331 196 416.
inline constexpr transformer opt_350m{
    .layers = 24,
    .hidden_size = 1024,
    .attention_heads = 16,
    .ffn_size = 4096,
    .vocabulary_size = 50272,
    .embedding_size = 512,
    .positions = position_encoding::learned,
    .position_rows = 2050,
    .norm = normalization::layer_norm,
    .final_norm = false,
    .biases = {.query_key_value = true, .attention_output = true, .ffn = true}};

/// facebook/opt-1.3b: 1 315 758 080.
inline constexpr transformer opt_1_3b{
    .layers = 24,
    .hidden_size = 2048,
    .attention_heads = 32,
    .ffn_size = 8192,
    .vocabulary_size = 50272,
    .positions = position_encoding::learned,
    .position_rows = 2050,
    .norm = normalization::layer_norm,
    .biases = {.query_key_value = true, .attention_output = true, .ffn = true}};

/// facebook/opt-6.7b: 6 658 473 984.
inline constexpr transformer opt_6_7b{
    .layers = 32,
    .hidden_size = 4096,
    .attention_heads = 32,
    .ffn_size = 16384,
    .vocabulary_size = 50272,
    .positions = position_encoding::learned,
    .position_rows = 2050,
    .norm = normalization::layer_norm,
    .biases = {.query_key_value = true, .attention_output = true, .ffn = true}};

/// facebook/opt-13b: 12 853 473 280.
inline constexpr transformer opt_13b{
    .layers = 40,
    .hidden_size = 5120,
    .attention_heads = 40,
    .ffn_size = 20480,
    .vocabulary_size = 50272,
    .positions = position_encoding::learned,
    .position_rows = 2050,
    .norm = normalization::layer_norm,
    .biases = {.query_key_value = true, .attention_output = true, .ffn = true}};

/// facebook/opt-30b: 29 974 540 288.
inline constexpr transformer opt_30b{
    .layers = 48,
    .hidden_size = 7168,
    .attention_heads = 56,
    .ffn_size = 28672,
    .vocabulary_size = 50272,
    .positions = position_encoding::learned,
    .position_rows = 2050,
    .norm = normalization::layer_norm,
    .biases = {.query_key_value = true, .attention_output = true, .ffn = true}};

/// bigscience/bloom-560m: 559 214 592.
inline constexpr transformer bloom_560m{
    .layers = 24,
    .hidden_size = 1024,
    .attention_heads = 16,
    .ffn_size = 4096,
    .vocabulary_size = 250880,
    .positions = position_encoding::alibi,
    .norm = normalization::layer_norm,
    .embedding_norm = true,
    .biases = {.query_key_value = true, .attention_output = true, .ffn = true}};

/// bigscience/bloom-7b1: 7 069 016 064.
inline constexpr transformer bloom_7b1{
    .layers = 30,
    .hidden_size = 4096,
    .attention_heads = 32,
    .ffn_size = 16384,
    .vocabulary_size = 250880,
    .positions = position_encoding::alibi,
    .norm = normalization::layer_norm,
    .embedding_norm = true,
    .biases = {.query_key_value = true, .attention_output = true, .ffn = true}};

/// bigscience/bloom: 176 247 271 424.
inline constexpr transformer bloom_176b{
    .layers = 70,
    .hidden_size = 14336,
    .attention_heads = 112,
    .ffn_size = 57344,
    .vocabulary_size = 250880,
    .positions = position_encoding::alibi,
    .norm = normalization::layer_norm,
    .embedding_norm = true,
    .biases = {.query_key_value = true, .attention_output = true, .ffn = true}};

/// EleutherAI/pythia-1b: 1 011 781 632.
inline constexpr transformer pythia_1b{
    .layers = 16,
    .hidden_size = 2048,
    .attention_heads = 8,
    .ffn_size = 8192,
    .vocabulary_size = 50304,
    .tied_embeddings = false,
    .parallel_residual = true,
    .norm = normalization::layer_norm,
    .biases = {.query_key_value = true, .attention_output = true, .ffn = true}};

/// EleutherAI/pythia-6.9b: 6 857 302 016.
inline constexpr transformer pythia_6_9b{
    .layers = 32,
    .hidden_size = 4096,
    .attention_heads = 32,
    .ffn_size = 16384,
    .vocabulary_size = 50432,
    .tied_embeddings = false,
    .parallel_residual = true,
    .norm = normalization::layer_norm,
    .biases = {.query_key_value = true, .attention_output = true, .ffn = true}};

/// EleutherAI/pythia-12b: 11 846 072 320.
inline constexpr transformer pythia_12b{
    .layers = 36,
    .hidden_size = 5120,
    .attention_heads = 40,
    .ffn_size = 20480,
    .vocabulary_size = 50688,
    .tied_embeddings = false,
    .parallel_residual = true,
    .norm = normalization::layer_norm,
    .biases = {.query_key_value = true, .attention_output = true, .ffn = true}};

/// EleutherAI/gpt-neox-20b: 20 554 567 680.
inline constexpr transformer gpt_neox_20b{
    .layers = 44,
    .hidden_size = 6144,
    .attention_heads = 64,
    .ffn_size = 24576,
    .vocabulary_size = 50432,
    .tied_embeddings = false,
    .parallel_residual = true,
    .norm = normalization::layer_norm,
    .biases = {.query_key_value = true, .attention_output = true, .ffn = true}};

/// tiiuae/falcon-7b: 6 921 720 704.
inline constexpr transformer falcon_7b{.layers = 32,
                                       .hidden_size = 4544,
                                       .attention_heads = 71,
                                       .kv_heads = 1,
                                       .ffn_size = 18176,
                                       .vocabulary_size = 65024,
                                       .parallel_residual = true,
                                       .norm = normalization::layer_norm,
                                       .norms_per_layer = 1};

/// tiiuae/falcon-40b: 41 303 293 952.
inline constexpr transformer falcon_40b{.layers = 60,
                                        .hidden_size = 8192,
                                        .attention_heads = 128,
                                        .kv_heads = 8,
                                        .ffn_size = 32768,
                                        .vocabulary_size = 65024,
                                        .parallel_residual = true,
                                        .norm = normalization::layer_norm};

/// TinyLlama/TinyLlama-1.1B-Chat-v1.0: 1 100 048 384.
inline constexpr transformer tinyllama{.layers = 22,
                                       .hidden_size = 2048,
                                       .attention_heads = 32,
                                       .kv_heads = 4,
                                       .ffn_size = 5632,
                                       .vocabulary_size = 32000,
                                       .gated_ffn = true,
                                       .tied_embeddings = false};

/// meta-llama/Llama-2-7b-hf: 6 738 415 616.
inline constexpr transformer llama_2_7b{.layers = 32,
                                        .hidden_size = 4096,
                                        .attention_heads = 32,
                                        .kv_heads = 32,
                                        .ffn_size = 11008,
                                        .vocabulary_size = 32000,
                                        .gated_ffn = true,
                                        .tied_embeddings = false};

/// meta-llama/Llama-2-13b-hf: 13 015 864 320.
inline constexpr transformer llama_2_13b{.layers = 40,
                                         .hidden_size = 5120,
                                         .attention_heads = 40,
                                         .kv_heads = 40,
                                         .ffn_size = 13824,
                                         .vocabulary_size = 32000,
                                         .gated_ffn = true,
                                         .tied_embeddings = false};

/// meta-llama/Llama-2-70b-hf: 68 976 648 192.
inline constexpr transformer llama_2_70b{.layers = 80,
                                         .hidden_size = 8192,
                                         .attention_heads = 64,
                                         .kv_heads = 8,
                                         .ffn_size = 28672,
                                         .vocabulary_size = 32000,
                                         .gated_ffn = true,
                                         .tied_embeddings = false};

/// huggyllama/llama-65b: 65 285 660 672.
inline constexpr transformer llama_65b{.layers = 80,
                                       .hidden_size = 8192,
                                       .attention_heads = 64,
                                       .kv_heads = 64,
                                       .ffn_size = 22016,
                                       .vocabulary_size = 32000,
                                       .gated_ffn = true,
                                       .tied_embeddings = false};

/// meta-llama/Meta-Llama-3-8B: 8 030 261 248.
inline constexpr transformer llama_3_8b{.layers = 32,
                                        .hidden_size = 4096,
                                        .attention_heads = 32,
                                        .kv_heads = 8,
                                        .ffn_size = 14336,
                                        .vocabulary_size = 128256,
                                        .gated_ffn = true,
                                        .tied_embeddings = false};

/// meta-llama/Meta-Llama-3-70B: 70 553 706 496.
inline constexpr transformer llama_3_70b{.layers = 80,
                                         .hidden_size = 8192,
                                         .attention_heads = 64,
                                         .kv_heads = 8,
                                         .ffn_size = 28672,
                                         .vocabulary_size = 128256,
                                         .gated_ffn = true,
                                         .tied_embeddings = false};

/// meta-llama/Llama-3.1-405B: 405 853 388 800.
inline constexpr transformer llama_3_1_405b{.layers = 126,
                                            .hidden_size = 16384,
                                            .attention_heads = 128,
                                            .kv_heads = 8,
                                            .ffn_size = 53248,
                                            .vocabulary_size = 128256,
                                            .gated_ffn = true,
                                            .tied_embeddings = false};

/// meta-llama/Llama-3.2-1B: 1 235 814 400.
inline constexpr transformer llama_3_2_1b{.layers = 16,
                                          .hidden_size = 2048,
                                          .attention_heads = 32,
                                          .kv_heads = 8,
                                          .head_dim = 64,
                                          .ffn_size = 8192,
                                          .vocabulary_size = 128256,
                                          .gated_ffn = true};

/// meta-llama/Llama-3.2-3B: 3 212 749 824.
inline constexpr transformer llama_3_2_3b{.layers = 28,
                                          .hidden_size = 3072,
                                          .attention_heads = 24,
                                          .kv_heads = 8,
                                          .head_dim = 128,
                                          .ffn_size = 8192,
                                          .vocabulary_size = 128256,
                                          .gated_ffn = true};

/// mistralai/Mistral-7B-v0.1: 7 241 732 096.
inline constexpr transformer mistral_7b_v0_1{.layers = 32,
                                             .hidden_size = 4096,
                                             .attention_heads = 32,
                                             .kv_heads = 8,
                                             .ffn_size = 14336,
                                             .vocabulary_size = 32000,
                                             .gated_ffn = true,
                                             .tied_embeddings = false,
                                             .sliding_window = 4096};

/// mistralai/Mistral-Nemo-Base-2407: 12 247 782 400.
inline constexpr transformer mistral_nemo{.layers = 40,
                                          .hidden_size = 5120,
                                          .attention_heads = 32,
                                          .kv_heads = 8,
                                          .head_dim = 128,
                                          .ffn_size = 14336,
                                          .vocabulary_size = 131072,
                                          .gated_ffn = true,
                                          .tied_embeddings = false,
                                          .sliding_window = 4096};

/// mistralai/Mistral-Large-Instruct-2407: 122 610 069 504.
inline constexpr transformer mistral_large_2407{.layers = 88,
                                                .hidden_size = 12288,
                                                .attention_heads = 96,
                                                .kv_heads = 8,
                                                .ffn_size = 28672,
                                                .vocabulary_size = 32768,
                                                .gated_ffn = true,
                                                .tied_embeddings = false,
                                                .sliding_window = 4096};

/// mistralai/Mixtral-8x7B-v0.1: 46 702 792 704.
inline constexpr transformer mixtral_8x7b_v0_1{
    .layers = 32,
    .hidden_size = 4096,
    .attention_heads = 32,
    .kv_heads = 8,
    .vocabulary_size = 32000,
    .gated_ffn = true,
    .tied_embeddings = false,
    .moe = {.experts = 8, .experts_per_token = 2, .ffn_size = 14336}};

/// mistralai/Mixtral-8x22B-v0.1: 140 620 634 112.
inline constexpr transformer mixtral_8x22b_v0_1{
    .layers = 56,
    .hidden_size = 6144,
    .attention_heads = 48,
    .kv_heads = 8,
    .vocabulary_size = 32000,
    .gated_ffn = true,
    .tied_embeddings = false,
    .moe = {.experts = 8, .experts_per_token = 2, .ffn_size = 16384}};

/// Qwen/Qwen2.5-0.5B: 494 032 768.
inline constexpr transformer qwen2_5_0_5b{.layers = 24,
                                          .hidden_size = 896,
                                          .attention_heads = 14,
                                          .kv_heads = 2,
                                          .ffn_size = 4864,
                                          .vocabulary_size = 151936,
                                          .gated_ffn = true,
                                          .biases = {.query_key_value = true}};

/// Qwen/Qwen2.5-1.5B: 1 543 714 304.
inline constexpr transformer qwen2_5_1_5b{.layers = 28,
                                          .hidden_size = 1536,
                                          .attention_heads = 12,
                                          .kv_heads = 2,
                                          .ffn_size = 8960,
                                          .vocabulary_size = 151936,
                                          .gated_ffn = true,
                                          .biases = {.query_key_value = true}};

/// Qwen/Qwen2.5-7B: 7 615 616 512.
inline constexpr transformer qwen2_5_7b{.layers = 28,
                                        .hidden_size = 3584,
                                        .attention_heads = 28,
                                        .kv_heads = 4,
                                        .ffn_size = 18944,
                                        .vocabulary_size = 152064,
                                        .gated_ffn = true,
                                        .tied_embeddings = false,
                                        .biases = {.query_key_value = true}};

/// Qwen/Qwen2.5-14B: 14 770 033 664.
inline constexpr transformer qwen2_5_14b{.layers = 48,
                                         .hidden_size = 5120,
                                         .attention_heads = 40,
                                         .kv_heads = 8,
                                         .ffn_size = 13824,
                                         .vocabulary_size = 152064,
                                         .gated_ffn = true,
                                         .tied_embeddings = false,
                                         .biases = {.query_key_value = true}};

/// Qwen/Qwen2.5-32B: 32 763 876 352.
inline constexpr transformer qwen2_5_32b{.layers = 64,
                                         .hidden_size = 5120,
                                         .attention_heads = 40,
                                         .kv_heads = 8,
                                         .ffn_size = 27648,
                                         .vocabulary_size = 152064,
                                         .gated_ffn = true,
                                         .tied_embeddings = false,
                                         .biases = {.query_key_value = true}};

/// Qwen/Qwen2.5-72B: 72 706 203 648.
inline constexpr transformer qwen2_5_72b{.layers = 80,
                                         .hidden_size = 8192,
                                         .attention_heads = 64,
                                         .kv_heads = 8,
                                         .ffn_size = 29568,
                                         .vocabulary_size = 152064,
                                         .gated_ffn = true,
                                         .tied_embeddings = false,
                                         .biases = {.query_key_value = true}};

/// Qwen/Qwen3-0.6B: 596 049 920.
inline constexpr transformer qwen3_0_6b{.layers = 28,
                                        .hidden_size = 1024,
                                        .attention_heads = 16,
                                        .kv_heads = 8,
                                        .head_dim = 128,
                                        .ffn_size = 3072,
                                        .vocabulary_size = 151936,
                                        .gated_ffn = true,
                                        .query_key = query_key_norm::per_head};

/// Qwen/Qwen3-4B: 4 022 468 096.
inline constexpr transformer qwen3_4b{.layers = 36,
                                      .hidden_size = 2560,
                                      .attention_heads = 32,
                                      .kv_heads = 8,
                                      .head_dim = 128,
                                      .ffn_size = 9728,
                                      .vocabulary_size = 151936,
                                      .gated_ffn = true,
                                      .query_key = query_key_norm::per_head};

/// Qwen/Qwen3-8B: 8 190 735 360.
inline constexpr transformer qwen3_8b{.layers = 36,
                                      .hidden_size = 4096,
                                      .attention_heads = 32,
                                      .kv_heads = 8,
                                      .head_dim = 128,
                                      .ffn_size = 12288,
                                      .vocabulary_size = 151936,
                                      .gated_ffn = true,
                                      .tied_embeddings = false,
                                      .query_key = query_key_norm::per_head};

/// Qwen/Qwen3-14B: 14 768 307 200.
inline constexpr transformer qwen3_14b{.layers = 40,
                                       .hidden_size = 5120,
                                       .attention_heads = 40,
                                       .kv_heads = 8,
                                       .head_dim = 128,
                                       .ffn_size = 17408,
                                       .vocabulary_size = 151936,
                                       .gated_ffn = true,
                                       .tied_embeddings = false,
                                       .query_key = query_key_norm::per_head};

/// Qwen/Qwen3-32B: 32 762 123 264.
inline constexpr transformer qwen3_32b{.layers = 64,
                                       .hidden_size = 5120,
                                       .attention_heads = 64,
                                       .kv_heads = 8,
                                       .head_dim = 128,
                                       .ffn_size = 25600,
                                       .vocabulary_size = 151936,
                                       .gated_ffn = true,
                                       .tied_embeddings = false,
                                       .query_key = query_key_norm::per_head};

/// Qwen/Qwen3-30B-A3B: 30 532 122 624.
inline constexpr transformer qwen3_30b_a3b{
    .layers = 48,
    .hidden_size = 2048,
    .attention_heads = 32,
    .kv_heads = 4,
    .head_dim = 128,
    .vocabulary_size = 151936,
    .gated_ffn = true,
    .tied_embeddings = false,
    .query_key = query_key_norm::per_head,
    .moe = {.experts = 128, .experts_per_token = 8, .ffn_size = 768}};

/// Qwen/Qwen3-235B-A22B: 235 093 634 560.
inline constexpr transformer qwen3_235b_a22b{
    .layers = 94,
    .hidden_size = 4096,
    .attention_heads = 64,
    .kv_heads = 4,
    .head_dim = 128,
    .vocabulary_size = 151936,
    .gated_ffn = true,
    .tied_embeddings = false,
    .query_key = query_key_norm::per_head,
    .moe = {.experts = 128, .experts_per_token = 8, .ffn_size = 1536}};

/// google/gemma-2b: 2 506 172 416.
inline constexpr transformer gemma_2b{.layers = 18,
                                      .hidden_size = 2048,
                                      .attention_heads = 8,
                                      .kv_heads = 1,
                                      .head_dim = 256,
                                      .ffn_size = 16384,
                                      .vocabulary_size = 256000,
                                      .gated_ffn = true};

/// google/gemma-7b: 8 537 680 896.
inline constexpr transformer gemma_7b{.layers = 28,
                                      .hidden_size = 3072,
                                      .attention_heads = 16,
                                      .kv_heads = 16,
                                      .head_dim = 256,
                                      .ffn_size = 24576,
                                      .vocabulary_size = 256000,
                                      .gated_ffn = true};

/// google/gemma-2-2b: 2 614 341 888.
inline constexpr transformer gemma_2_2b{.layers = 26,
                                        .hidden_size = 2304,
                                        .attention_heads = 8,
                                        .kv_heads = 4,
                                        .head_dim = 256,
                                        .ffn_size = 9216,
                                        .vocabulary_size = 256000,
                                        .gated_ffn = true,
                                        .norms_per_layer = 4,
                                        .sliding_window = 4096,
                                        .full_attention_interval = 2};

/// google/gemma-2-9b: 9 241 705 984.
inline constexpr transformer gemma_2_9b{.layers = 42,
                                        .hidden_size = 3584,
                                        .attention_heads = 16,
                                        .kv_heads = 8,
                                        .head_dim = 256,
                                        .ffn_size = 14336,
                                        .vocabulary_size = 256000,
                                        .gated_ffn = true,
                                        .norms_per_layer = 4,
                                        .sliding_window = 4096,
                                        .full_attention_interval = 2};

/// google/gemma-2-27b: 27 227 128 320.
inline constexpr transformer gemma_2_27b{.layers = 46,
                                         .hidden_size = 4608,
                                         .attention_heads = 32,
                                         .kv_heads = 16,
                                         .head_dim = 128,
                                         .ffn_size = 36864,
                                         .vocabulary_size = 256000,
                                         .gated_ffn = true,
                                         .norms_per_layer = 4,
                                         .sliding_window = 4096,
                                         .full_attention_interval = 2};

/// deepseek-ai/DeepSeek-V2-Lite: 15 706 484 224.
inline constexpr transformer deepseek_v2_lite{
    .layers = 27,
    .hidden_size = 2048,
    .attention_heads = 16,
    .ffn_size = 10944,
    .vocabulary_size = 102400,
    .gated_ffn = true,
    .tied_embeddings = false,
    .moe = {.experts = 64,
            .experts_per_token = 6,
            .ffn_size = 1408,
            .shared_ffn_size = 2816,
            .first_dense_layers = 1,
            .dense_layers = 1},
    .latent = {
        .kv_rank = 512, .rope_head_dim = 64, .content_head_dim = 128, .value_head_dim = 128}};

/// deepseek-ai/DeepSeek-V2: 235 741 434 880.
inline constexpr transformer deepseek_v2{.layers = 60,
                                         .hidden_size = 5120,
                                         .attention_heads = 128,
                                         .ffn_size = 12288,
                                         .vocabulary_size = 102400,
                                         .gated_ffn = true,
                                         .tied_embeddings = false,
                                         .moe = {.experts = 160,
                                                 .experts_per_token = 6,
                                                 .ffn_size = 1536,
                                                 .shared_ffn_size = 3072,
                                                 .first_dense_layers = 1,
                                                 .dense_layers = 1},
                                         .latent = {.query_rank = 1536,
                                                    .kv_rank = 512,
                                                    .rope_head_dim = 64,
                                                    .content_head_dim = 128,
                                                    .value_head_dim = 128}};

/// deepseek-ai/DeepSeek-V3: 671 026 404 352.
inline constexpr transformer deepseek_v3{.layers = 61,
                                         .hidden_size = 7168,
                                         .attention_heads = 128,
                                         .ffn_size = 18432,
                                         .vocabulary_size = 129280,
                                         .gated_ffn = true,
                                         .tied_embeddings = false,
                                         .multi_token_prediction_layers = 1,
                                         .moe = {.experts = 256,
                                                 .experts_per_token = 8,
                                                 .ffn_size = 2048,
                                                 .shared_ffn_size = 2048,
                                                 .first_dense_layers = 3,
                                                 .dense_layers = 3,
                                                 .correction_bias = true},
                                         .latent = {.query_rank = 1536,
                                                    .kv_rank = 512,
                                                    .rope_head_dim = 64,
                                                    .content_head_dim = 128,
                                                    .value_head_dim = 128}};

/// openai/gpt-oss-20b: 20 914 757 184.
inline constexpr transformer gpt_oss_20b{
    .layers = 24,
    .hidden_size = 2880,
    .attention_heads = 64,
    .kv_heads = 8,
    .head_dim = 64,
    .vocabulary_size = 201088,
    .gated_ffn = true,
    .tied_embeddings = false,
    .biases = {.query_key_value = true, .attention_output = true},
    .attention_sinks = true,
    .sliding_window = 128,
    .full_attention_interval = 2,
    .moe = {.experts = 32,
            .experts_per_token = 4,
            .ffn_size = 2880,
            .router_bias = true,
            .expert_bias = true}};

/// openai/gpt-oss-120b: 116 829 156 672.
inline constexpr transformer gpt_oss_120b{
    .layers = 36,
    .hidden_size = 2880,
    .attention_heads = 64,
    .kv_heads = 8,
    .head_dim = 64,
    .vocabulary_size = 201088,
    .gated_ffn = true,
    .tied_embeddings = false,
    .biases = {.query_key_value = true, .attention_output = true},
    .attention_sinks = true,
    .sliding_window = 128,
    .full_attention_interval = 2,
    .moe = {.experts = 128,
            .experts_per_token = 4,
            .ffn_size = 2880,
            .router_bias = true,
            .expert_bias = true}};

/// A model and what people call it.
struct named_model {
  std::string_view name;
  transformer model{};
  std::string_view
      left_out{};  ///< what it has beside the language model that is meant; empty: nothing
};

/// Every model, by the name of its files; then other names for some of them: models of the same
/// shape, and names without a version.
inline constexpr std::array models{
    named_model{"gpt2", gpt2},
    named_model{"gpt2-medium", gpt2_medium},
    named_model{"gpt2-large", gpt2_large},
    named_model{"gpt2-xl", gpt2_xl},
    named_model{"gpt3-175b", gpt3_175b},
    named_model{"bert-base-uncased", bert_base_uncased},
    named_model{"bert-large-uncased", bert_large_uncased},
    named_model{"opt-350m", opt_350m},
    named_model{"opt-1.3b", opt_1_3b},
    named_model{"opt-6.7b", opt_6_7b},
    named_model{"opt-13b", opt_13b},
    named_model{"opt-30b", opt_30b},
    named_model{"bloom-560m", bloom_560m},
    named_model{"bloom-7b1", bloom_7b1},
    named_model{"bloom-176b", bloom_176b},
    named_model{"pythia-1b", pythia_1b},
    named_model{"pythia-6.9b", pythia_6_9b},
    named_model{"pythia-12b", pythia_12b},
    named_model{"gpt-neox-20b", gpt_neox_20b},
    named_model{"falcon-7b", falcon_7b},
    named_model{"falcon-40b", falcon_40b},
    named_model{"tinyllama", tinyllama},
    named_model{"llama-2-7b", llama_2_7b},
    named_model{"llama-2-13b", llama_2_13b},
    named_model{"llama-2-70b", llama_2_70b},
    named_model{"llama-65b", llama_65b},
    named_model{"llama-3-8b", llama_3_8b},
    named_model{"llama-3-70b", llama_3_70b},
    named_model{"llama-3.1-405b", llama_3_1_405b},
    named_model{"llama-3.2-1b", llama_3_2_1b},
    named_model{"llama-3.2-3b", llama_3_2_3b},
    named_model{"mistral-7b-v0.1", mistral_7b_v0_1},
    named_model{"mistral-nemo", mistral_nemo},
    named_model{"mistral-large-2407", mistral_large_2407},
    named_model{"mixtral-8x7b-v0.1", mixtral_8x7b_v0_1},
    named_model{"mixtral-8x22b-v0.1", mixtral_8x22b_v0_1},
    named_model{"qwen2.5-0.5b", qwen2_5_0_5b},
    named_model{"qwen2.5-1.5b", qwen2_5_1_5b},
    named_model{"qwen2.5-7b", qwen2_5_7b},
    named_model{"qwen2.5-14b", qwen2_5_14b},
    named_model{"qwen2.5-32b", qwen2_5_32b},
    named_model{"qwen2.5-72b", qwen2_5_72b},
    named_model{"qwen3-0.6b", qwen3_0_6b},
    named_model{"qwen3-4b", qwen3_4b},
    named_model{"qwen3-8b", qwen3_8b},
    named_model{"qwen3-14b", qwen3_14b},
    named_model{"qwen3-32b", qwen3_32b},
    named_model{"qwen3-30b-a3b", qwen3_30b_a3b},
    named_model{"qwen3-235b-a22b", qwen3_235b_a22b},
    named_model{"gemma-2b", gemma_2b},
    named_model{"gemma-7b", gemma_7b},
    named_model{"gemma-2-2b", gemma_2_2b},
    named_model{"gemma-2-9b", gemma_2_9b},
    named_model{"gemma-2-27b", gemma_2_27b},
    named_model{"deepseek-v2-lite", deepseek_v2_lite},
    named_model{"deepseek-v2", deepseek_v2},
    named_model{"deepseek-v3", deepseek_v3},
    named_model{"gpt-oss-20b", gpt_oss_20b},
    named_model{"gpt-oss-120b", gpt_oss_120b},
    named_model{"afm-4.5b", afm_4_5b},
    named_model{"baichuan2-7b", baichuan2_7b},
    named_model{"baichuan2-13b", baichuan2_13b},
    named_model{"c4ai-command-r-v01", c4ai_command_r_v01},
    named_model{"c4ai-command-r-plus", c4ai_command_r_plus},
    named_model{"c4ai-command-a-03-2025", c4ai_command_a_03_2025},
    named_model{"dbrx", dbrx},
    named_model{"devstral-2-123b", devstral_2_123b},
    named_model{"dots.llm1", dots_llm1},
    named_model{"ernie-4.5-21b-a3b", ernie_4_5_21b_a3b},
    named_model{"exaone-3.5-2.4b", exaone_3_5_2_4b},
    named_model{"exaone-3.5-7.8b", exaone_3_5_7_8b},
    named_model{"exaone-3.5-32b", exaone_3_5_32b},
    named_model{"exaone-4.0-1.2b", exaone_4_0_1_2b},
    named_model{"exaone-4.0-32b", exaone_4_0_32b},
    named_model{"k-exaone-236b-a23b", k_exaone_236b_a23b},
    named_model{"gemma-3-1b", gemma_3_1b},
    named_model{"gemma-3-4b", gemma_3_4b, "vision encoder"},
    named_model{"gemma-3-12b", gemma_3_12b, "vision encoder"},
    named_model{"gemma-3-27b", gemma_3_27b, "vision encoder"},
    named_model{"vaultgemma-1b", vaultgemma_1b},
    named_model{"chatglm3-6b", chatglm3_6b},
    named_model{"glm-4-9b", glm_4_9b},
    named_model{"glm-4.5-air", glm_4_5_air},
    named_model{"glm-4.6", glm_4_6},
    named_model{"hunyuan-a13b", hunyuan_a13b},
    named_model{"hy3-preview", hy3_preview},
    named_model{"hyperclovax-seed-think-14b", hyperclovax_seed_think_14b},
    named_model{"internlm2-7b", internlm2_7b},
    named_model{"internlm3-8b", internlm3_8b},
    named_model{"jais-2-8b", jais_2_8b},
    named_model{"kimi-k2", kimi_k2},
    named_model{"ling-mini-2.0", ling_mini_2_0},
    named_model{"ling-1t", ling_1t},
    named_model{"llama-4-scout-17b-16e", llama_4_scout_17b_16e, "vision encoder"},
    named_model{"llama-4-maverick-17b-128e", llama_4_maverick_17b_128e, "vision encoder"},
    named_model{"mellum2-12b-a2.5b", mellum2_12b_a2_5b},
    named_model{"mimo-7b", mimo_7b},
    named_model{"minicpm-2b", minicpm_2b},
    named_model{"minicpm3-4b", minicpm3_4b},
    named_model{"minimax-m2.5", minimax_m2_5},
    named_model{"ministral-3-3b", ministral_3_3b, "vision encoder"},
    named_model{"mistral-small-24b", mistral_small_24b},
    named_model{"mistral-small-3.1-24b", mistral_small_3_1_24b, "vision encoder"},
    named_model{"mistral-small-4-119b", mistral_small_4_119b, "vision encoder"},
    named_model{"olmo-2-1124-13b", olmo_2_1124_13b},
    named_model{"olmo-2-0325-32b", olmo_2_0325_32b},
    named_model{"olmo-3-1025-7b", olmo_3_1025_7b},
    named_model{"olmo-3-1125-32b", olmo_3_1125_32b},
    named_model{"olmoe-1b-7b", olmoe_1b_7b},
    named_model{"phi-3.5-mini", phi_3_5_mini},
    named_model{"phi-3.5-moe", phi_3_5_moe},
    named_model{"phi-4-mini", phi_4_mini},
    named_model{"qwen1.5-moe-a2.7b", qwen1_5_moe_a2_7b},
    named_model{"qwen2-57b-a14b", qwen2_57b_a14b},
    named_model{"qwen3-coder-480b-a35b", qwen3_coder_480b_a35b},
    named_model{"seed-oss-36b", seed_oss_36b},
    named_model{"smollm3-3b", smollm3_3b},
    named_model{"solar-open-100b", solar_open_100b},
    named_model{"starcoder2-7b", starcoder2_7b},
    named_model{"trinity-mini", trinity_mini},
    named_model{"youtu-llm-2b", youtu_llm_2b},

    named_model{"gpt3", gpt3_175b},
    named_model{"bloom", bloom_176b},
    named_model{"llama-7b", llama_2_7b},
    named_model{"llama-13b", llama_2_13b},
    named_model{"llama-3.1-8b", llama_3_8b},
    named_model{"llama-3.1-70b", llama_3_70b},
    named_model{"llama-3.3-70b", llama_3_70b},
    named_model{"mistral-7b", mistral_7b_v0_1},
    named_model{"mixtral-8x7b", mixtral_8x7b_v0_1},
    named_model{"mixtral-8x22b", mixtral_8x22b_v0_1},
    named_model{"qwen2-7b", qwen2_5_7b},
    named_model{"qwen2-72b", qwen2_5_72b},
    named_model{"deepseek-r1", deepseek_v3},
    named_model{"command-a", c4ai_command_a_03_2025},
    named_model{"glm-4.5", glm_4_6},
    named_model{"llama-4-scout", llama_4_scout_17b_16e, "vision encoder"},
    named_model{"llama-4-maverick", llama_4_maverick_17b_128e, "vision encoder"},
    named_model{"mistral-small-3.2-24b", mistral_small_3_1_24b, "vision encoder"},
    named_model{"olmo-2-13b", olmo_2_1124_13b},
    named_model{"olmo-2-32b", olmo_2_0325_32b},
    named_model{"olmo-3-7b", olmo_3_1025_7b},
    named_model{"olmo-3-32b", olmo_3_1125_32b},
    named_model{"deepseek-v3.1", deepseek_v3},
    named_model{"deepseek-v3.1-terminus", deepseek_v3},
    named_model{"deepseek-v3-0324", deepseek_v3},
    named_model{"deepseek-r1-0528", deepseek_v3},
    named_model{"dots.llm1.base", dots_llm1},
    named_model{"hy3", hy3_preview},
    named_model{"kimi-k2-instruct-0905", kimi_k2},
    named_model{"olmoe-1b-7b-0924", olmoe_1b_7b},
    named_model{"tinyllama-1.1b-v1.0", tinyllama}};

/// The model of this name, whatever its case and separators ("Llama 3 8B"); null if there is none:
/// then closest_names(name, models) are those that may have been meant.
constexpr const transformer* find_model(std::string_view name) {
  for (const named_model& row : models)
    if (same_name(row.name, name)) return &row.model;
  return nullptr;
}

}  // namespace gpuplan::catalog
