#pragma once
/// \file
/// What a kernel works on, told from its name; and on which axis a message runs.

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <gpuplan/model/parallelism.hpp>
#include <gpuplan/model/recipe.hpp>
#include <gpuplan/plan/step_time_terms.hpp>

namespace gpuplan {

/// What a GPU does in a stretch of time.
enum class device_work { computing, message, copy };

/// Of what a kernel is, as its name tells.
struct kernel_class {
  device_work work = device_work::computing;
  std::optional<step_term> term{};  ///< none: the name does not tell
};

/// What ranks of a group do with a message.
enum class message_kind { all_reduce, reduce_scatter, all_gather, all_to_all, point_to_point };

/// A message as a profile describes it; empty and 0: it does not say.
struct profiled_message {
  std::string_view kernel{};      ///< "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(...)"
  std::string_view collective{};  ///< "Collective name": "allreduce", "_allgather_base", ...
  std::string_view group{};       ///< "Process Group Description": "TENSOR_MODEL_PARALLEL_GROUP"
  std::int64_t ranks = 0;         ///< "Group size"
};

/// How the job was cut whose messages are told apart.
struct profiled_layout {
  parallelism cut{};
  zero_stage zero = zero_stage::none;
};

namespace detail {

/// A text that names have, in small letters, and what it tells.
struct kernel_mark {
  std::string_view text;
  kernel_class kind;
};

constexpr kernel_mark computes(std::string_view text, step_term term) {
  return {text, {device_work::computing, term}};
}

/// The first mark that a name has decides.  Names of kernels of NCCL, cuBLAS, cuDNN, CUTLASS,
/// FlashAttention, PyTorch, Triton, Transformer Engine, Apex, hipBLASLt and DeepEP.
inline constexpr std::array kernel_marks{
    kernel_mark{"nccl", {device_work::message, std::nullopt}},
    kernel_mark{"rccl", {device_work::message, std::nullopt}},
    kernel_mark{"nvshmem", {device_work::message, std::nullopt}},
    kernel_mark{"deep_ep", {device_work::message, step_term::expert}},
    kernel_mark{"userbuffers", {device_work::message, step_term::tensor}},
    kernel_mark{"cross_device_reduce", {device_work::message, step_term::tensor}},
    kernel_mark{"memcpy htod", {device_work::copy, step_term::offload}},
    kernel_mark{"memcpy dtoh", {device_work::copy, step_term::offload}},
    kernel_mark{"memcpy ptop", {device_work::message, std::nullopt}},
    computes("memcpy", step_term::elementwise),
    computes("memset", step_term::elementwise),
    computes("flash", step_term::attention),
    computes("fmha", step_term::attention),
    computes("sdpa", step_term::attention),
    computes("attention", step_term::attention),
    computes("flex_attn", step_term::attention),
    computes("attn_fwd", step_term::attention),
    computes("attn_bwd", step_term::attention),
    computes("masked_softmax", step_term::attention),
    computes("upper_triang", step_term::attention),
    computes("multi_tensor", step_term::optimizer),
    computes("adam", step_term::optimizer),
    computes("adagrad", step_term::optimizer),
    computes("fused_sgd", step_term::optimizer),
    computes("fusedsgd", step_term::optimizer),
    computes("lamb_", step_term::optimizer),
    computes("rotary", step_term::elementwise),
    computes("cross_entropy", step_term::ends),
    computes("crossentropy", step_term::ends),
    computes("nll_loss", step_term::ends),
    computes("log_softmax", step_term::ends),
    computes("logsoftmax", step_term::ends),
    computes("embedding", step_term::ends),
    computes("gemm", step_term::products),
    computes("gemv", step_term::products),
    computes("nvjet", step_term::products),
    computes("cublas", step_term::products),
    computes("splitkreduce", step_term::products),
    computes("xmma", step_term::products),
    computes("cutlass", step_term::products),
    computes("s16816", step_term::products),
    computes("cijk_", step_term::products),
    computes("grouped_mm", step_term::products),
    computes("_mm_", step_term::products),
    computes("fused_mm", step_term::products),
    computes("triton_mm", step_term::products),
    computes("addmm", step_term::products),
    computes("matmul", step_term::products),
    computes("wgrad", step_term::products),
    computes("dgrad", step_term::products),
    computes("elementwise", step_term::elementwise),
    computes("triton_poi", step_term::elementwise),
    computes("triton_red", step_term::elementwise),
    computes("triton_per", step_term::elementwise),
    computes("triton_for", step_term::elementwise),
    computes("reduce", step_term::elementwise),
    computes("norm", step_term::elementwise),
    computes("softmax", step_term::elementwise),
    computes("dropout", step_term::elementwise),
    computes("gelu", step_term::elementwise),
    computes("silu", step_term::elementwise),
    computes("swiglu", step_term::elementwise),
    computes("relu", step_term::elementwise),
    computes("rope", step_term::elementwise),
    computes("cast", step_term::elementwise),
    computes("quantiz", step_term::elementwise),
    computes("amax", step_term::elementwise),
    computes("transpose", step_term::elementwise),
    computes("permute", step_term::elementwise),
    computes("copy", step_term::elementwise),
    computes("catarray", step_term::elementwise),
    computes("fill", step_term::elementwise),
    computes("index", step_term::elementwise),
    computes("scatter", step_term::elementwise),
    computes("gather", step_term::elementwise),
    computes("topk", step_term::elementwise),
    computes("sort", step_term::elementwise),
    computes("scan", step_term::elementwise),
    computes("distribution", step_term::elementwise)};

inline std::string in_small_letters(std::string_view text) {
  std::string small{text};
  std::transform(small.begin(), small.end(), small.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return small;
}

/// Whether a text has a word, as its letters and digits stand between other characters.
constexpr bool has_word(std::string_view text, std::string_view word) {
  const auto in_word = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !in_word(text[at - 1])) && (end == text.size() || !in_word(text[end])))
      return true;
  }
  return false;
}

/// A word in the description of a group, and whose messages run there.
struct group_word {
  std::string_view word;
  step_term term;
};

/// The first word that a description has decides: a group of data and context ranks reduces
/// gradients, one of tensor and context ranks is the tensor ranks' for most of its messages.
inline constexpr std::array group_words{
    group_word{"fsdp", step_term::gather},    group_word{"shard", step_term::gather},
    group_word{"dp", step_term::data},        group_word{"ddp", step_term::data},
    group_word{"data", step_term::data},      group_word{"replicate", step_term::data},
    group_word{"edp", step_term::data},       group_word{"ep", step_term::expert},
    group_word{"expert", step_term::expert},  group_word{"moe", step_term::expert},
    group_word{"pp", step_term::pipeline},    group_word{"pipeline", step_term::pipeline},
    group_word{"tp", step_term::tensor},      group_word{"tensor", step_term::tensor},
    group_word{"cp", step_term::context},     group_word{"context", step_term::context},
    group_word{"ulysses", step_term::context}};

/// A name of a collective, or a part of a kernel's name, in small letters.
struct message_name {
  std::string_view text;
  message_kind kind;
};

inline constexpr std::array message_names{
    message_name{"allreduce", message_kind::all_reduce},
    message_name{"all_reduce", message_kind::all_reduce},
    message_name{"reducescatter", message_kind::reduce_scatter},
    message_name{"reduce_scatter", message_kind::reduce_scatter},
    message_name{"allgather", message_kind::all_gather},
    message_name{"all_gather", message_kind::all_gather},
    message_name{"alltoall", message_kind::all_to_all},
    message_name{"all_to_all", message_kind::all_to_all},
    message_name{"sendrecv", message_kind::point_to_point},
    message_name{"send", message_kind::point_to_point},
    message_name{"recv", message_kind::point_to_point}};

inline std::optional<message_kind> message_kind_in(std::string_view text) {
  const std::string small = in_small_letters(text);
  for (const message_name& row : message_names)
    if (small.find(row.text) != small.npos) return row.kind;
  return std::nullopt;
}

/// Gradients and weights of replicas: gathered where ZeRO divides weights, else once a step.
constexpr step_term term_of_replicas(std::optional<message_kind> kind, zero_stage zero) {
  const bool of_shards = kind == message_kind::all_gather || kind == message_kind::reduce_scatter;
  return zero == zero_stage::parameters && of_shards ? step_term::gather : step_term::data;
}

/// The one axis whose group has so many ranks; none where there are several, or none.
inline std::optional<step_term> term_of_size(std::int64_t ranks, std::optional<message_kind> kind,
                                             const profiled_layout& layout) {
  struct axis_size {
    std::int64_t ranks;
    step_term term;
  };
  const parallelism& cut = layout.cut;
  const step_term replicas = term_of_replicas(kind, layout.zero);
  const std::array<axis_size, 7> axes{{{cut.tensor, step_term::tensor},
                                       {cut.context, step_term::context},
                                       {cut.pipeline, step_term::pipeline},
                                       {cut.expert, step_term::expert},
                                       {cut.data, replicas},
                                       {cut.replicas(), replicas},
                                       {cut.shards(), replicas}}};
  std::optional<step_term> found;
  for (const axis_size& axis : axes) {
    if (axis.ranks != ranks || ranks <= 1) continue;
    if (found && *found != axis.term) return std::nullopt;
    found = axis.term;
  }
  return found;
}

}  // namespace detail

/// What a kernel, or a copy, works on: by the first text of a table that its name has.
///
///     name  "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_tn", "Memcpy HtoD (Pinned -> Device)"
///
/// Of messages the name does not tell the axis: see term_of_message.
inline kernel_class class_of_kernel(std::string_view name) {
  const std::string small = detail::in_small_letters(name);
  for (const detail::kernel_mark& mark : detail::kernel_marks)
    if (small.find(mark.text) != small.npos) return mark.kind;
  return {};
}

/// The term that a message belongs to; none where the profile and the layout do not tell.
///
/// The description of its group decides where it has a word that says so; then the collective where
/// one axis alone uses it; then the size of the group where one axis alone has it.
inline std::optional<step_term> term_of_message(const profiled_message& message,
                                                const std::optional<profiled_layout>& layout) {
  std::optional<message_kind> kind = detail::message_kind_in(message.collective);
  if (!kind) kind = detail::message_kind_in(message.kernel);
  const zero_stage zero = layout ? layout->zero : zero_stage::none;

  const std::string group = detail::in_small_letters(message.group);
  for (const detail::group_word& row : detail::group_words) {
    if (!detail::has_word(group, row.word)) continue;
    if (row.term == step_term::data) return detail::term_of_replicas(kind, zero);
    return row.term;
  }
  const parallelism cut = layout ? layout->cut : parallelism{};
  const bool of_context = cut.context > 1;
  if (kind == message_kind::all_to_all && !(of_context && cut.expert > 1))
    return of_context ? step_term::context : step_term::expert;
  if (kind == message_kind::point_to_point && !(of_context && cut.pipeline > 1))
    return of_context ? step_term::context : step_term::pipeline;
  return layout ? detail::term_of_size(message.ranks, kind, *layout) : std::nullopt;
}

/// The term under which a profile shows another: what is computed again, and the ends of the model,
/// run the same kernels as its layers.  None of what a profile shows as idle time.
constexpr std::optional<step_term> profiled_as(step_term term) {
  switch (term) {
    case step_term::recompute:
    case step_term::ends: return step_term::products;
    case step_term::launch:
    case step_term::bubble:
    case step_term::stragglers:
    case step_term::input: return std::nullopt;
    default: return term;
  }
}

}  // namespace gpuplan
