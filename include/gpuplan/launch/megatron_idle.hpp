#pragma once
/// \file
/// Arguments of Megatron-LM that change neither the memory of a step nor its time.

#include <algorithm>
#include <array>
#include <string_view>

namespace gpuplan {

namespace detail {

/// Names as they are, without their dashes.
///
/// Source: NVIDIA, Megatron-LM, megatron/training/arguments.py (commit d98e8a64, 2026).
inline constexpr auto idle_megatron_arguments =
    std::to_array<std::string_view>({"accelerator",
                                     "allow-ambiguous-pad-tokens",
                                     "apply-layernorm-1p",
                                     "apply-wd-to-qk-layernorm",
                                     "auto-detect-ckpt-format",
                                     "bert-load",
                                     "bert-no-binary-head",
                                     "calculate-per-token-loss",
                                     "classes-fraction",
                                     "clip-grad",
                                     "ddp-average-in-collective",
                                     "decoupled-lr",
                                     "decoupled-min-lr",
                                     "disable-msc",
                                     "distributed-timeout-minutes",
                                     "distributed-timeout-seconds-after-init",
                                     "enable-msc",
                                     "end-weight-decay",
                                     "eod-mask-loss",
                                     "finetune",
                                     "group-query-attention",
                                     "hysteresis",
                                     "initial-loss-scale",
                                     "layernorm-epsilon",
                                     "load",
                                     "load-main-params-from-ckpt",
                                     "local-rank",
                                     "logging-level",
                                     "loss-scale",
                                     "loss-scale-window",
                                     "lr",
                                     "manual-gc",
                                     "manual-gc-interval",
                                     "mask-prob",
                                     "merge-file",
                                     "min-loss-scale",
                                     "min-lr",
                                     "mock-data",
                                     "moe-aux-loss-coeff",
                                     "moe-input-jitter-eps",
                                     "moe-router-dtype",
                                     "moe-router-load-balancing-type",
                                     "moe-router-topk-scaling-factor",
                                     "moe-z-loss-coeff",
                                     "mscale",
                                     "mscale-all-dim",
                                     "mtp-loss-scaling-factor",
                                     "no-check-for-nan-in-loss-and-grad",
                                     "no-load-optim",
                                     "no-load-rng",
                                     "no-mmap-bin-files",
                                     "no-save-optim",
                                     "no-save-rng",
                                     "no-weight-decay-cond-type",
                                     "node-rank",
                                     "norm-epsilon",
                                     "null-tokenizer-eod-id",
                                     "num-dataset-builder-threads",
                                     "num-workers",
                                     "override-opt-param-scheduler",
                                     "pretrained-checkpoint",
                                     "rope-scaling-factor",
                                     "rope-type",
                                     "seed",
                                     "short-seq-prob",
                                     "split",
                                     "start-weight-decay",
                                     "te-rng-tracker",
                                     "test-data-path",
                                     "test-mode",
                                     "tiktoken-num-special-tokens",
                                     "tiktoken-pattern",
                                     "use-checkpoint-args",
                                     "use-cpu-initialization",
                                     "use-mcore-models",
                                     "use-one-sent-docs",
                                     "use-persistent-ckpt-worker",
                                     "use-rope-scaling",
                                     "valid-data-path",
                                     "verify-integrity",
                                     "vocab-file"});

/// Beginnings of names: logs, checkpoints, data, learning rates and the like.
inline constexpr auto idle_megatron_beginnings =
    std::to_array<std::string_view>({"adam-",
                                     "app-tag-",
                                     "async-",
                                     "check-weight-hash-",
                                     "ckpt-",
                                     "data-args-",
                                     "data-cache-",
                                     "data-path",
                                     "dataloader-",
                                     "dist-ckpt-",
                                     "enable-ft-",
                                     "eval-",
                                     "exit-",
                                     "fim-",
                                     "ft-",
                                     "init-method-",
                                     "inprocess-",
                                     "log-",
                                     "lr-",
                                     "master-",
                                     "moe-router-bias-update-",
                                     "muon-coefficient-type",
                                     "muon-extra-scale-factor",
                                     "muon-momentum",
                                     "muon-nesterov",
                                     "muon-scale-mode",
                                     "muon-use-nesterov",
                                     "no-ckpt-",
                                     "no-use-checkpoint-",
                                     "no-use-tokenizer-",
                                     "non-persistent-",
                                     "one-logger",
                                     "otel-",
                                     "per-split-data-",
                                     "profile",
                                     "rdzv-",
                                     "rerun-",
                                     "result-rejected-",
                                     "rotary-",
                                     "save",
                                     "straggler-",
                                     "tensorboard-",
                                     "timing-",
                                     "tokenizer-",
                                     "train-data-path",
                                     "train-iters",
                                     "train-samples",
                                     "use-checkpoint-opt",
                                     "wandb-",
                                     "weight-decay"});

}  // namespace detail

/// Whether an argument, without its dashes, changes neither memory nor time of a step.
constexpr bool is_idle_megatron_argument(std::string_view name) {
  const auto same = [&](std::string_view other) { return other == name; };
  const auto begins = [&](std::string_view other) { return name.starts_with(other); };
  constexpr const auto& whole = detail::idle_megatron_arguments;
  constexpr const auto& beginnings = detail::idle_megatron_beginnings;
  return std::any_of(whole.begin(), whole.end(), same) ||
         std::any_of(beginnings.begin(), beginnings.end(), begins);
}

}  // namespace gpuplan
