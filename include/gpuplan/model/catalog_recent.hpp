#pragma once
/// \file
/// Further published transformers, of 2023 to 2026: a pure catalogue, whose names stand in
/// catalog.hpp and whose test is that of catalog.hpp.
///
/// Each is what read_huggingface makes of the config.json of the repository named beside it; the
/// number is that of its parameters, parameters_of(model).total().

#include <gpuplan/model/transformer.hpp>

namespace gpuplan::catalog {

/// arcee-ai/AFM-4.5B: 4 619 184 640.
inline constexpr transformer afm_4_5b{.layers = 36,
                                      .hidden_size = 2560,
                                      .attention_heads = 20,
                                      .kv_heads = 4,
                                      .head_dim = 128,
                                      .ffn_size = 18432,
                                      .vocabulary_size = 128004,
                                      .squared_relu = true,
                                      .tied_embeddings = false};

/// baichuan-inc/Baichuan2-7B-Base: 7 505 973 248.
inline constexpr transformer baichuan2_7b{.layers = 32,
                                          .hidden_size = 4096,
                                          .attention_heads = 32,
                                          .kv_heads = 32,
                                          .ffn_size = 11008,
                                          .vocabulary_size = 125696,
                                          .gated_ffn = true,
                                          .tied_embeddings = false};

/// baichuan-inc/Baichuan2-13B-Base: 13 896 668 160.
inline constexpr transformer baichuan2_13b{.layers = 40,
                                           .hidden_size = 5120,
                                           .attention_heads = 40,
                                           .kv_heads = 40,
                                           .ffn_size = 13696,
                                           .vocabulary_size = 125696,
                                           .gated_ffn = true,
                                           .tied_embeddings = false};

/// CohereLabs/c4ai-command-r-v01: 34 980 831 232.
inline constexpr transformer c4ai_command_r_v01{.layers = 40,
                                                .hidden_size = 8192,
                                                .attention_heads = 64,
                                                .kv_heads = 64,
                                                .ffn_size = 22528,
                                                .vocabulary_size = 256000,
                                                .gated_ffn = true,
                                                .parallel_residual = true,
                                                .norms_per_layer = 1};

/// CohereLabs/c4ai-command-r-plus: 103 810 674 688.
inline constexpr transformer c4ai_command_r_plus{.layers = 64,
                                                 .hidden_size = 12288,
                                                 .attention_heads = 96,
                                                 .kv_heads = 8,
                                                 .ffn_size = 33792,
                                                 .vocabulary_size = 256000,
                                                 .gated_ffn = true,
                                                 .parallel_residual = true,
                                                 .norms_per_layer = 1,
                                                 .query_key = query_key_norm::all_heads};

/// CohereLabs/c4ai-command-a-03-2025: 111 057 580 032.
inline constexpr transformer c4ai_command_a_03_2025{.layers = 64,
                                                    .hidden_size = 12288,
                                                    .attention_heads = 96,
                                                    .kv_heads = 8,
                                                    .head_dim = 128,
                                                    .ffn_size = 36864,
                                                    .vocabulary_size = 256000,
                                                    .gated_ffn = true,
                                                    .parallel_residual = true,
                                                    .norms_per_layer = 1,
                                                    .sliding_window = 4096,
                                                    .full_attention_interval = 4};

/// databricks/dbrx-base: 131 596 523 520.
inline constexpr transformer dbrx{
    .layers = 40,
    .hidden_size = 6144,
    .attention_heads = 48,
    .kv_heads = 8,
    .vocabulary_size = 100352,
    .gated_ffn = true,
    .tied_embeddings = false,
    .moe = {.experts = 16, .experts_per_token = 4, .ffn_size = 10752}};

/// mistralai/Devstral-2-123B-Instruct-2512: 125 025 988 608.
inline constexpr transformer devstral_2_123b{.layers = 88,
                                             .hidden_size = 12288,
                                             .attention_heads = 96,
                                             .kv_heads = 8,
                                             .head_dim = 128,
                                             .ffn_size = 28672,
                                             .vocabulary_size = 131072,
                                             .gated_ffn = true,
                                             .tied_embeddings = false};

/// rednote-hilab/dots.llm1.base: 142 774 373 888.
inline constexpr transformer dots_llm1{.layers = 62,
                                       .hidden_size = 4096,
                                       .attention_heads = 32,
                                       .kv_heads = 32,
                                       .ffn_size = 10944,
                                       .vocabulary_size = 152064,
                                       .gated_ffn = true,
                                       .tied_embeddings = false,
                                       .query_key = query_key_norm::per_head,
                                       .moe = {.experts = 128,
                                               .experts_per_token = 6,
                                               .ffn_size = 1408,
                                               .shared_ffn_size = 2816,
                                               .first_dense_layers = 1,
                                               .dense_layers = 1,
                                               .correction_bias = true}};

/// baidu/ERNIE-4.5-21B-A3B-PT: 21 825 436 160.
inline constexpr transformer ernie_4_5_21b_a3b{.layers = 28,
                                               .hidden_size = 2560,
                                               .attention_heads = 20,
                                               .kv_heads = 4,
                                               .ffn_size = 12288,
                                               .vocabulary_size = 103424,
                                               .gated_ffn = true,
                                               .moe = {.experts = 64,
                                                       .experts_per_token = 6,
                                                       .ffn_size = 1536,
                                                       .shared_ffn_size = 3072,
                                                       .first_dense_layers = 1,
                                                       .dense_layers = 1,
                                                       .correction_bias = true}};

/// LGAI-EXAONE/EXAONE-3.5-2.4B-Instruct: 2 405 327 360.
inline constexpr transformer exaone_3_5_2_4b{.layers = 30,
                                             .hidden_size = 2560,
                                             .attention_heads = 32,
                                             .kv_heads = 8,
                                             .head_dim = 80,
                                             .ffn_size = 7168,
                                             .vocabulary_size = 102400,
                                             .gated_ffn = true};

/// LGAI-EXAONE/EXAONE-3.5-7.8B-Instruct: 7 818 448 896.
inline constexpr transformer exaone_3_5_7_8b{.layers = 32,
                                             .hidden_size = 4096,
                                             .attention_heads = 32,
                                             .kv_heads = 8,
                                             .head_dim = 128,
                                             .ffn_size = 14336,
                                             .vocabulary_size = 102400,
                                             .gated_ffn = true,
                                             .tied_embeddings = false};

/// LGAI-EXAONE/EXAONE-3.5-32B-Instruct: 32 003 200 000.
inline constexpr transformer exaone_3_5_32b{.layers = 64,
                                            .hidden_size = 5120,
                                            .attention_heads = 40,
                                            .kv_heads = 8,
                                            .head_dim = 128,
                                            .ffn_size = 27392,
                                            .vocabulary_size = 102400,
                                            .gated_ffn = true,
                                            .tied_embeddings = false};

/// LGAI-EXAONE/EXAONE-4.0-1.2B: 1 279 391 488.
inline constexpr transformer exaone_4_0_1_2b{.layers = 30,
                                             .hidden_size = 2048,
                                             .attention_heads = 32,
                                             .kv_heads = 8,
                                             .head_dim = 64,
                                             .ffn_size = 4096,
                                             .vocabulary_size = 102400,
                                             .gated_ffn = true,
                                             .query_key = query_key_norm::per_head};

/// LGAI-EXAONE/EXAONE-4.0-32B: 32 003 216 384.
inline constexpr transformer exaone_4_0_32b{.layers = 64,
                                            .hidden_size = 5120,
                                            .attention_heads = 40,
                                            .kv_heads = 8,
                                            .head_dim = 128,
                                            .ffn_size = 27392,
                                            .vocabulary_size = 102400,
                                            .gated_ffn = true,
                                            .tied_embeddings = false,
                                            .query_key = query_key_norm::per_head,
                                            .sliding_window = 4096,
                                            .full_attention_interval = 4};

/// LGAI-EXAONE/K-EXAONE-236B-A23B: 236 571 150 336.
inline constexpr transformer k_exaone_236b_a23b{.layers = 48,
                                                .hidden_size = 6144,
                                                .attention_heads = 64,
                                                .kv_heads = 8,
                                                .head_dim = 128,
                                                .ffn_size = 18432,
                                                .vocabulary_size = 153600,
                                                .gated_ffn = true,
                                                .tied_embeddings = false,
                                                .query_key = query_key_norm::per_head,
                                                .sliding_window = 128,
                                                .full_attention_interval = 4,
                                                .moe = {.experts = 128,
                                                        .experts_per_token = 8,
                                                        .ffn_size = 2048,
                                                        .shared_ffn_size = 2048,
                                                        .first_dense_layers = 1,
                                                        .dense_layers = 1,
                                                        .correction_bias = true}};

/// google/gemma-3-1b-pt: 999 885 952.
inline constexpr transformer gemma_3_1b{.layers = 26,
                                        .hidden_size = 1152,
                                        .attention_heads = 4,
                                        .kv_heads = 1,
                                        .head_dim = 256,
                                        .ffn_size = 6912,
                                        .vocabulary_size = 262144,
                                        .gated_ffn = true,
                                        .norms_per_layer = 4,
                                        .query_key = query_key_norm::per_head,
                                        .sliding_window = 512,
                                        .full_attention_interval = 6};

/// google/gemma-3-4b-pt, its language model: 3 880 263 168.
inline constexpr transformer gemma_3_4b{.layers = 34,
                                        .hidden_size = 2560,
                                        .attention_heads = 8,
                                        .kv_heads = 4,
                                        .head_dim = 256,
                                        .ffn_size = 10240,
                                        .vocabulary_size = 262208,
                                        .gated_ffn = true,
                                        .norms_per_layer = 4,
                                        .query_key = query_key_norm::per_head,
                                        .sliding_window = 1024,
                                        .full_attention_interval = 6};

/// google/gemma-3-27b-pt, its language model: 27 009 346 304.
inline constexpr transformer gemma_3_27b{.layers = 62,
                                         .hidden_size = 5376,
                                         .attention_heads = 32,
                                         .kv_heads = 16,
                                         .head_dim = 128,
                                         .ffn_size = 21504,
                                         .vocabulary_size = 262208,
                                         .gated_ffn = true,
                                         .norms_per_layer = 4,
                                         .query_key = query_key_norm::per_head,
                                         .sliding_window = 1024,
                                         .full_attention_interval = 6};

/// google/gemma-3-12b-pt, its language model: 11 766 034 176.
inline constexpr transformer gemma_3_12b{.layers = 48,
                                         .hidden_size = 3840,
                                         .attention_heads = 16,
                                         .kv_heads = 8,
                                         .head_dim = 256,
                                         .ffn_size = 15360,
                                         .vocabulary_size = 262208,
                                         .gated_ffn = true,
                                         .norms_per_layer = 4,
                                         .query_key = query_key_norm::per_head,
                                         .sliding_window = 1024,
                                         .full_attention_interval = 6};

/// google/vaultgemma-1b: 1 038 741 120.
inline constexpr transformer vaultgemma_1b{.layers = 26,
                                           .hidden_size = 1152,
                                           .attention_heads = 4,
                                           .kv_heads = 4,
                                           .head_dim = 256,
                                           .ffn_size = 6912,
                                           .vocabulary_size = 256000,
                                           .gated_ffn = true,
                                           .sliding_window = 512,
                                           .full_attention_interval = 2};

/// zai-org/chatglm3-6b: 6 243 584 000.
inline constexpr transformer chatglm3_6b{.layers = 28,
                                         .hidden_size = 4096,
                                         .attention_heads = 32,
                                         .kv_heads = 2,
                                         .head_dim = 128,
                                         .ffn_size = 13696,
                                         .vocabulary_size = 65024,
                                         .gated_ffn = true,
                                         .tied_embeddings = false,
                                         .biases = {.query_key_value = true}};

/// zai-org/glm-4-9b: 9 399 951 360.
inline constexpr transformer glm_4_9b{.layers = 40,
                                      .hidden_size = 4096,
                                      .attention_heads = 32,
                                      .kv_heads = 2,
                                      .head_dim = 128,
                                      .ffn_size = 13696,
                                      .vocabulary_size = 151552,
                                      .gated_ffn = true,
                                      .tied_embeddings = false,
                                      .biases = {.query_key_value = true}};

/// zai-org/GLM-4.5-Air: 106 852 245 504.
inline constexpr transformer glm_4_5_air{.layers = 46,
                                         .hidden_size = 4096,
                                         .attention_heads = 96,
                                         .kv_heads = 8,
                                         .head_dim = 128,
                                         .ffn_size = 10944,
                                         .vocabulary_size = 151552,
                                         .gated_ffn = true,
                                         .tied_embeddings = false,
                                         .biases = {.query_key_value = true},
                                         .multi_token_prediction_layers = 1,
                                         .moe = {.experts = 128,
                                                 .experts_per_token = 8,
                                                 .ffn_size = 1408,
                                                 .shared_ffn_size = 1408,
                                                 .first_dense_layers = 1,
                                                 .dense_layers = 1,
                                                 .correction_bias = true}};

/// zai-org/GLM-4.6: 352 797 814 784.
inline constexpr transformer glm_4_6{.layers = 92,
                                     .hidden_size = 5120,
                                     .attention_heads = 96,
                                     .kv_heads = 8,
                                     .head_dim = 128,
                                     .ffn_size = 12288,
                                     .vocabulary_size = 151552,
                                     .gated_ffn = true,
                                     .tied_embeddings = false,
                                     .query_key = query_key_norm::per_head,
                                     .biases = {.query_key_value = true},
                                     .multi_token_prediction_layers = 1,
                                     .moe = {.experts = 160,
                                             .experts_per_token = 8,
                                             .ffn_size = 1536,
                                             .shared_ffn_size = 1536,
                                             .first_dense_layers = 3,
                                             .dense_layers = 3,
                                             .correction_bias = true}};

/// tencent/Hunyuan-A13B-Instruct: 80 393 183 232.
inline constexpr transformer hunyuan_a13b{
    .layers = 32,
    .hidden_size = 4096,
    .attention_heads = 32,
    .kv_heads = 8,
    .head_dim = 128,
    .vocabulary_size = 128167,
    .gated_ffn = true,
    .query_key = query_key_norm::per_head,
    .moe = {.experts = 64, .experts_per_token = 8, .ffn_size = 3072, .shared_ffn_size = 3072}};

/// tencent/Hy3-preview: 295 033 528 320.
inline constexpr transformer hy3_preview{.layers = 80,
                                         .hidden_size = 4096,
                                         .attention_heads = 64,
                                         .kv_heads = 8,
                                         .head_dim = 128,
                                         .ffn_size = 13312,
                                         .vocabulary_size = 120832,
                                         .gated_ffn = true,
                                         .tied_embeddings = false,
                                         .query_key = query_key_norm::per_head,
                                         .moe = {.experts = 192,
                                                 .experts_per_token = 8,
                                                 .ffn_size = 1536,
                                                 .shared_ffn_size = 1536,
                                                 .first_dense_layers = 1,
                                                 .dense_layers = 1,
                                                 .correction_bias = true}};

/// naver-hyperclovax/HyperCLOVAX-SEED-Think-14B: 14 748 112 896.
inline constexpr transformer hyperclovax_seed_think_14b{.layers = 38,
                                                        .hidden_size = 6144,
                                                        .attention_heads = 48,
                                                        .kv_heads = 8,
                                                        .head_dim = 128,
                                                        .ffn_size = 14336,
                                                        .vocabulary_size = 110592,
                                                        .gated_ffn = true,
                                                        .tied_embeddings = false,
                                                        .norms_per_layer = 4};

/// internlm/internlm2-7b: 7 737 708 544.
inline constexpr transformer internlm2_7b{.layers = 32,
                                          .hidden_size = 4096,
                                          .attention_heads = 32,
                                          .kv_heads = 8,
                                          .ffn_size = 14336,
                                          .vocabulary_size = 92544,
                                          .gated_ffn = true,
                                          .tied_embeddings = false};

/// internlm/internlm3-8b-instruct: 8 804 241 408.
inline constexpr transformer internlm3_8b{.layers = 48,
                                          .hidden_size = 4096,
                                          .attention_heads = 32,
                                          .kv_heads = 2,
                                          .head_dim = 128,
                                          .ffn_size = 10240,
                                          .vocabulary_size = 128512,
                                          .gated_ffn = true,
                                          .tied_embeddings = false};

/// inceptionai/Jais-2-8B-Chat: 8 090 401 280.
inline constexpr transformer jais_2_8b{
    .layers = 32,
    .hidden_size = 3328,
    .attention_heads = 26,
    .kv_heads = 26,
    .head_dim = 128,
    .ffn_size = 26624,
    .vocabulary_size = 150272,
    .squared_relu = true,
    .tied_embeddings = false,
    .norm = normalization::layer_norm,
    .biases = {.query_key_value = true, .attention_output = true, .ffn = true}};

/// moonshotai/Kimi-K2-Base: 1 026 408 209 408.
inline constexpr transformer kimi_k2{.layers = 61,
                                     .hidden_size = 7168,
                                     .attention_heads = 64,
                                     .ffn_size = 18432,
                                     .vocabulary_size = 163840,
                                     .gated_ffn = true,
                                     .tied_embeddings = false,
                                     .moe = {.experts = 384,
                                             .experts_per_token = 8,
                                             .ffn_size = 2048,
                                             .shared_ffn_size = 2048,
                                             .first_dense_layers = 1,
                                             .dense_layers = 1,
                                             .correction_bias = true},
                                     .latent = {.query_rank = 1536,
                                                .kv_rank = 512,
                                                .rope_head_dim = 64,
                                                .content_head_dim = 128,
                                                .value_head_dim = 128}};

/// inclusionAI/Ling-mini-2.0: 16 255 638 528.
inline constexpr transformer ling_mini_2_0{.layers = 20,
                                           .hidden_size = 2048,
                                           .attention_heads = 16,
                                           .kv_heads = 4,
                                           .head_dim = 128,
                                           .ffn_size = 5120,
                                           .vocabulary_size = 157184,
                                           .gated_ffn = true,
                                           .tied_embeddings = false,
                                           .query_key = query_key_norm::per_head,
                                           .moe = {.experts = 256,
                                                   .experts_per_token = 8,
                                                   .ffn_size = 512,
                                                   .shared_ffn_size = 512,
                                                   .first_dense_layers = 1,
                                                   .dense_layers = 1,
                                                   .correction_bias = true}};

/// inclusionAI/Ling-1T: 999 705 309 184.
inline constexpr transformer ling_1t{.layers = 80,
                                     .hidden_size = 8192,
                                     .attention_heads = 64,
                                     .kv_heads = 8,
                                     .head_dim = 128,
                                     .ffn_size = 18432,
                                     .vocabulary_size = 157184,
                                     .gated_ffn = true,
                                     .tied_embeddings = false,
                                     .query_key = query_key_norm::per_head,
                                     .moe = {.experts = 256,
                                             .experts_per_token = 8,
                                             .ffn_size = 2048,
                                             .shared_ffn_size = 2048,
                                             .first_dense_layers = 4,
                                             .dense_layers = 4,
                                             .correction_bias = true}};

/// meta-llama/Llama-4-Scout-17B-16E, its language model: 107 769 861 120.
inline constexpr transformer llama_4_scout_17b_16e{
    .layers = 48,
    .hidden_size = 5120,
    .attention_heads = 40,
    .kv_heads = 8,
    .head_dim = 128,
    .vocabulary_size = 202048,
    .gated_ffn = true,
    .tied_embeddings = false,
    .sliding_window = 8192,
    .full_attention_interval = 4,
    .moe = {.experts = 16, .experts_per_token = 1, .ffn_size = 8192, .shared_ffn_size = 8192}};

/// meta-llama/Llama-4-Maverick-17B-128E, its language model: 400 711 848 960.
inline constexpr transformer llama_4_maverick_17b_128e{.layers = 48,
                                                       .hidden_size = 5120,
                                                       .attention_heads = 40,
                                                       .kv_heads = 8,
                                                       .head_dim = 128,
                                                       .ffn_size = 16384,
                                                       .vocabulary_size = 202048,
                                                       .gated_ffn = true,
                                                       .tied_embeddings = false,
                                                       .sliding_window = 8192,
                                                       .full_attention_interval = 4,
                                                       .moe = {.experts = 128,
                                                               .experts_per_token = 1,
                                                               .ffn_size = 8192,
                                                               .shared_ffn_size = 8192,
                                                               .first_dense_layers = 1,
                                                               .dense_layers = 24}};

/// JetBrains/Mellum2-12B-A2.5B-Base: 12 149 923 072.
inline constexpr transformer mellum2_12b_a2_5b{
    .layers = 28,
    .hidden_size = 2304,
    .attention_heads = 32,
    .kv_heads = 4,
    .head_dim = 128,
    .vocabulary_size = 98304,
    .gated_ffn = true,
    .tied_embeddings = false,
    .query_key = query_key_norm::per_head,
    .sliding_window = 1024,
    .full_attention_interval = 4,
    .moe = {.experts = 64, .experts_per_token = 8, .ffn_size = 896}};

/// XiaomiMiMo/MiMo-7B-Base: 7 622 619 136.
inline constexpr transformer mimo_7b{.layers = 36,
                                     .hidden_size = 4096,
                                     .attention_heads = 32,
                                     .kv_heads = 8,
                                     .head_dim = 128,
                                     .ffn_size = 11008,
                                     .vocabulary_size = 151680,
                                     .gated_ffn = true,
                                     .tied_embeddings = false,
                                     .biases = {.query_key_value = true},
                                     .multi_token_prediction_layers = 1};

/// openbmb/MiniCPM-2B-sft-bf16: 2 724 880 896.
inline constexpr transformer minicpm_2b{.layers = 40,
                                        .hidden_size = 2304,
                                        .attention_heads = 36,
                                        .kv_heads = 36,
                                        .ffn_size = 5760,
                                        .vocabulary_size = 122753,
                                        .gated_ffn = true};

/// openbmb/MiniCPM3-4B: 4 073 875 968.
inline constexpr transformer minicpm3_4b{.layers = 62,
                                         .hidden_size = 2560,
                                         .attention_heads = 40,
                                         .ffn_size = 6400,
                                         .vocabulary_size = 73448,
                                         .gated_ffn = true,
                                         .latent = {.query_rank = 768,
                                                    .kv_rank = 256,
                                                    .rope_head_dim = 32,
                                                    .content_head_dim = 64,
                                                    .value_head_dim = 64}};

/// MiniMaxAI/MiniMax-M2.5: 228 689 748 992.
inline constexpr transformer minimax_m2_5{
    .layers = 62,
    .hidden_size = 3072,
    .attention_heads = 48,
    .kv_heads = 8,
    .head_dim = 128,
    .vocabulary_size = 200064,
    .gated_ffn = true,
    .tied_embeddings = false,
    .query_key = query_key_norm::all_heads,
    .moe = {.experts = 256, .experts_per_token = 8, .ffn_size = 1536, .correction_bias = true}};

/// mistralai/Ministral-3-3B-Base-2512, its language model: 3 429 006 336.
inline constexpr transformer ministral_3_3b{.layers = 26,
                                            .hidden_size = 3072,
                                            .attention_heads = 32,
                                            .kv_heads = 8,
                                            .head_dim = 128,
                                            .ffn_size = 9216,
                                            .vocabulary_size = 131072,
                                            .gated_ffn = true};

/// mistralai/Mistral-Small-24B-Base-2501: 23 572 403 200.
inline constexpr transformer mistral_small_24b{.layers = 40,
                                               .hidden_size = 5120,
                                               .attention_heads = 32,
                                               .kv_heads = 8,
                                               .head_dim = 128,
                                               .ffn_size = 32768,
                                               .vocabulary_size = 131072,
                                               .gated_ffn = true,
                                               .tied_embeddings = false};

/// mistralai/Mistral-Small-3.1-24B-Base-2503, its language model: 23 572 403 200.
inline constexpr transformer mistral_small_3_1_24b{.layers = 40,
                                                   .hidden_size = 5120,
                                                   .attention_heads = 32,
                                                   .kv_heads = 8,
                                                   .head_dim = 128,
                                                   .ffn_size = 32768,
                                                   .vocabulary_size = 131072,
                                                   .gated_ffn = true,
                                                   .tied_embeddings = false};

/// mistralai/Mistral-Small-4-119B-2603, its language model: 118 972 826 624.
inline constexpr transformer mistral_small_4_119b{
    .layers = 36,
    .hidden_size = 4096,
    .attention_heads = 32,
    .vocabulary_size = 131072,
    .gated_ffn = true,
    .tied_embeddings = false,
    .moe = {.experts = 128, .experts_per_token = 4, .ffn_size = 2048, .shared_ffn_size = 2048},
    .latent = {.query_rank = 1024,
               .kv_rank = 256,
               .rope_head_dim = 64,
               .content_head_dim = 64,
               .value_head_dim = 128}};

/// allenai/OLMo-2-1124-13B: 13 716 198 400.
inline constexpr transformer olmo_2_1124_13b{.layers = 40,
                                             .hidden_size = 5120,
                                             .attention_heads = 40,
                                             .kv_heads = 40,
                                             .ffn_size = 13824,
                                             .vocabulary_size = 100352,
                                             .gated_ffn = true,
                                             .tied_embeddings = false,
                                             .query_key = query_key_norm::all_heads};

/// allenai/OLMo-2-0325-32B: 32 234 279 936.
inline constexpr transformer olmo_2_0325_32b{.layers = 64,
                                             .hidden_size = 5120,
                                             .attention_heads = 40,
                                             .kv_heads = 8,
                                             .ffn_size = 27648,
                                             .vocabulary_size = 100352,
                                             .gated_ffn = true,
                                             .tied_embeddings = false,
                                             .query_key = query_key_norm::all_heads};

/// allenai/Olmo-3-1025-7B: 7 298 011 136.
inline constexpr transformer olmo_3_1025_7b{.layers = 32,
                                            .hidden_size = 4096,
                                            .attention_heads = 32,
                                            .kv_heads = 32,
                                            .ffn_size = 11008,
                                            .vocabulary_size = 100278,
                                            .gated_ffn = true,
                                            .tied_embeddings = false,
                                            .query_key = query_key_norm::all_heads,
                                            .sliding_window = 4096,
                                            .full_attention_interval = 4};

/// allenai/Olmo-3-1125-32B: 32 233 522 176.
inline constexpr transformer olmo_3_1125_32b{.layers = 64,
                                             .hidden_size = 5120,
                                             .attention_heads = 40,
                                             .kv_heads = 8,
                                             .ffn_size = 27648,
                                             .vocabulary_size = 100278,
                                             .gated_ffn = true,
                                             .tied_embeddings = false,
                                             .query_key = query_key_norm::all_heads,
                                             .sliding_window = 4096,
                                             .full_attention_interval = 4};

/// allenai/OLMoE-1B-7B-0924: 6 919 161 856.
inline constexpr transformer olmoe_1b_7b{
    .layers = 16,
    .hidden_size = 2048,
    .attention_heads = 16,
    .kv_heads = 16,
    .vocabulary_size = 50304,
    .gated_ffn = true,
    .tied_embeddings = false,
    .query_key = query_key_norm::all_heads,
    .moe = {.experts = 64, .experts_per_token = 8, .ffn_size = 1024}};

/// microsoft/Phi-3.5-mini-instruct: 3 821 079 552.
inline constexpr transformer phi_3_5_mini{.layers = 32,
                                          .hidden_size = 3072,
                                          .attention_heads = 32,
                                          .kv_heads = 32,
                                          .ffn_size = 8192,
                                          .vocabulary_size = 32064,
                                          .gated_ffn = true,
                                          .tied_embeddings = false,
                                          .sliding_window = 262144};

/// microsoft/Phi-3.5-MoE-instruct: 41 873 153 344.
inline constexpr transformer phi_3_5_moe{
    .layers = 32,
    .hidden_size = 4096,
    .attention_heads = 32,
    .kv_heads = 8,
    .vocabulary_size = 32064,
    .gated_ffn = true,
    .tied_embeddings = false,
    .norm = normalization::layer_norm,
    .biases = {.query_key_value = true, .attention_output = true, .head = true},
    .sliding_window = 131072,
    .moe = {.experts = 16, .experts_per_token = 2, .ffn_size = 6400}};

/// microsoft/Phi-4-mini-instruct: 3 836 021 760.
inline constexpr transformer phi_4_mini{.layers = 32,
                                        .hidden_size = 3072,
                                        .attention_heads = 24,
                                        .kv_heads = 8,
                                        .ffn_size = 8192,
                                        .vocabulary_size = 200064,
                                        .gated_ffn = true,
                                        .sliding_window = 262144};

/// Qwen/Qwen1.5-MoE-A2.7B: 14 315 784 192.
inline constexpr transformer qwen1_5_moe_a2_7b{.layers = 24,
                                               .hidden_size = 2048,
                                               .attention_heads = 16,
                                               .kv_heads = 16,
                                               .vocabulary_size = 151936,
                                               .gated_ffn = true,
                                               .tied_embeddings = false,
                                               .biases = {.query_key_value = true},
                                               .moe = {.experts = 60,
                                                       .experts_per_token = 4,
                                                       .ffn_size = 1408,
                                                       .shared_ffn_size = 5632,
                                                       .shared_gate = true}};

/// Qwen/Qwen2-57B-A14B: 57 408 658 944.
inline constexpr transformer qwen2_57b_a14b{.layers = 28,
                                            .hidden_size = 3584,
                                            .attention_heads = 28,
                                            .kv_heads = 4,
                                            .vocabulary_size = 151936,
                                            .gated_ffn = true,
                                            .tied_embeddings = false,
                                            .biases = {.query_key_value = true},
                                            .moe = {.experts = 64,
                                                    .experts_per_token = 8,
                                                    .ffn_size = 2560,
                                                    .shared_ffn_size = 20480,
                                                    .shared_gate = true}};

/// Qwen/Qwen3-Coder-480B-A35B-Instruct: 480 154 875 392.
inline constexpr transformer qwen3_coder_480b_a35b{
    .layers = 62,
    .hidden_size = 6144,
    .attention_heads = 96,
    .kv_heads = 8,
    .head_dim = 128,
    .vocabulary_size = 151936,
    .gated_ffn = true,
    .tied_embeddings = false,
    .query_key = query_key_norm::per_head,
    .moe = {.experts = 160, .experts_per_token = 8, .ffn_size = 2560}};

/// ByteDance-Seed/Seed-OSS-36B-Base: 36 151 104 512.
inline constexpr transformer seed_oss_36b{.layers = 64,
                                          .hidden_size = 5120,
                                          .attention_heads = 80,
                                          .kv_heads = 8,
                                          .head_dim = 128,
                                          .ffn_size = 27648,
                                          .vocabulary_size = 155136,
                                          .gated_ffn = true,
                                          .tied_embeddings = false,
                                          .biases = {.query_key_value = true}};

/// HuggingFaceTB/SmolLM3-3B-Base: 3 075 098 624.
inline constexpr transformer smollm3_3b{.layers = 36,
                                        .hidden_size = 2048,
                                        .attention_heads = 16,
                                        .kv_heads = 4,
                                        .ffn_size = 11008,
                                        .vocabulary_size = 128256,
                                        .gated_ffn = true};

/// upstage/Solar-Open-100B: 102 651 793 408.
inline constexpr transformer solar_open_100b{.layers = 48,
                                             .hidden_size = 4096,
                                             .attention_heads = 64,
                                             .kv_heads = 8,
                                             .head_dim = 128,
                                             .vocabulary_size = 196608,
                                             .gated_ffn = true,
                                             .tied_embeddings = false,
                                             .moe = {.experts = 128,
                                                     .experts_per_token = 8,
                                                     .ffn_size = 1280,
                                                     .shared_ffn_size = 1280,
                                                     .correction_bias = true}};

/// bigcode/starcoder2-7b: 7 173 923 840.
inline constexpr transformer starcoder2_7b{
    .layers = 32,
    .hidden_size = 4608,
    .attention_heads = 36,
    .kv_heads = 4,
    .ffn_size = 18432,
    .vocabulary_size = 49152,
    .norm = normalization::layer_norm,
    .biases = {.query_key_value = true, .attention_output = true, .ffn = true},
    .sliding_window = 4096};

/// arcee-ai/Trinity-Mini: 26 123 970 560.
inline constexpr transformer trinity_mini{.layers = 32,
                                          .hidden_size = 2048,
                                          .attention_heads = 32,
                                          .kv_heads = 4,
                                          .head_dim = 128,
                                          .ffn_size = 6144,
                                          .vocabulary_size = 200192,
                                          .gated_ffn = true,
                                          .tied_embeddings = false,
                                          .norms_per_layer = 4,
                                          .query_key = query_key_norm::per_head,
                                          .attention_gate = true,
                                          .sliding_window = 2048,
                                          .full_attention_interval = 4,
                                          .moe = {.experts = 128,
                                                  .experts_per_token = 8,
                                                  .ffn_size = 1024,
                                                  .shared_ffn_size = 1024,
                                                  .first_dense_layers = 2,
                                                  .dense_layers = 2,
                                                  .correction_bias = true}};

/// tencent/Youtu-LLM-2B-Base: 1 961 560 064.
inline constexpr transformer youtu_llm_2b{.layers = 32,
                                          .hidden_size = 2048,
                                          .attention_heads = 16,
                                          .ffn_size = 6144,
                                          .vocabulary_size = 128256,
                                          .gated_ffn = true,
                                          .latent = {.query_rank = 1536,
                                                     .kv_rank = 512,
                                                     .rope_head_dim = 64,
                                                     .content_head_dim = 128,
                                                     .value_head_dim = 128}};

}  // namespace gpuplan::catalog
