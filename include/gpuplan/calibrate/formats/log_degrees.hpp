#pragma once
/// \file
/// Degrees of a layout, and batches, that a log of training states of its own run.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/text/field_value.hpp>

namespace gpuplan {

/// What a log states.
enum class stated_degree {
  gpus,
  data,
  tensor,
  pipeline,
  context,
  expert,
  micro_batch,
  global_batch,
  sequence
};

/// A degree, as a log states it first.
struct log_degree {
  stated_degree what{};
  std::int64_t value = 0;    ///< >= 1
  std::int64_t line = 0;     ///< of the text, the first is 1
  std::string_view named{};  ///< as the log calls it: "tensor-model-parallel size"
};

namespace detail {

struct degree_name {
  std::string_view name;
  stated_degree what;
};

/// Source: NVIDIA, "Megatron-LM", megatron/training/arguments.py (core 0.12), which NeMo's
/// configurations follow; Microsoft, "DeepSpeed", deepspeed/runtime/config.py (0.14); Hugging Face,
/// "Transformers", trainer.py and training_args.py (4.x); PyTorch, "torchtitan", config (2025).
inline constexpr std::array degree_names{
    degree_name{"world size", stated_degree::gpus},
    degree_name{"world_size", stated_degree::gpus},
    degree_name{"data-parallel size", stated_degree::data},
    degree_name{"data_parallel_size", stated_degree::data},
    degree_name{"tensor-model-parallel size", stated_degree::tensor},
    degree_name{"tensor_model_parallel_size", stated_degree::tensor},
    degree_name{"pipeline-model-parallel size", stated_degree::pipeline},
    degree_name{"pipeline_model_parallel_size", stated_degree::pipeline},
    degree_name{"context-parallel size", stated_degree::context},
    degree_name{"context_parallel_size", stated_degree::context},
    degree_name{"expert_model_parallel_size", stated_degree::expert},
    degree_name{"micro_batch_size", stated_degree::micro_batch},
    degree_name{"train_micro_batch_size_per_gpu", stated_degree::micro_batch},
    degree_name{"per_device_train_batch_size", stated_degree::micro_batch},
    degree_name{"Instantaneous batch size per device", stated_degree::micro_batch},
    degree_name{"global_batch_size", stated_degree::global_batch},
    degree_name{"train_batch_size", stated_degree::global_batch},
    degree_name{"Total train batch size (w. parallel, distributed & accumulation)",
                stated_degree::global_batch},
    degree_name{"seq_length", stated_degree::sequence},
    degree_name{"seq_len", stated_degree::sequence}};

/// Axes of torchtitan's device mesh; those of data multiply.
///
/// Source: PyTorch, "torchtitan", torchtitan/distributed/parallel_dims.py (2025).
inline constexpr std::array mesh_names{
    degree_name{"dp_replicate", stated_degree::data}, degree_name{"dp_shard", stated_degree::data},
    degree_name{"tp", stated_degree::tensor},         degree_name{"pp", stated_degree::pipeline},
    degree_name{"cp", stated_degree::context},        degree_name{"ep", stated_degree::expert}};

constexpr bool is_of_a_name(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
         c == '-';
}

/// The whole number >= 1 after a name and what separates it; 0 where there is none.
inline std::int64_t degree_after(std::string_view line, std::string_view name) {
  for (std::size_t at = line.find(name); at != line.npos; at = line.find(name, at + 1)) {
    if (at > 0 && is_of_a_name(line[at - 1])) continue;
    std::string_view rest = line.substr(at + name.size());
    const std::size_t begin = rest.find_first_not_of(":=.'\" \t");
    if (begin == 0 || begin == rest.npos) continue;
    rest.remove_prefix(begin);
    const std::size_t end = std::min(rest.find_first_not_of("0123456789"), rest.size());
    const field_number read = number_in(rest.substr(0, end), 1, 1e9);
    const bool fraction = end + 1 < rest.size() && rest[end] == '.' && is_of_a_name(rest[end + 1]);
    const bool word = end < rest.size() && is_of_a_name(rest[end]);
    if (!read.problem && !word && !fraction) return static_cast<std::int64_t>(read.value);
  }
  return 0;
}

/// The sizes of a mesh that is printed as two lists: "['pp', 'dp_shard'], [2, 4]".
inline std::int64_t size_in_lists(std::string_view line, std::string_view axis) {
  const std::size_t names = line.find("['");
  const std::size_t sizes = line.find("], [");
  if (names == line.npos || sizes == line.npos || sizes < names) return 0;
  std::string_view left = line.substr(names, sizes - names);
  std::string_view right = line.substr(sizes + 4);
  right = right.substr(0, right.find(']'));
  const std::string quoted = "'" + std::string(axis) + "'";
  const std::size_t at = left.find(quoted);
  if (at == left.npos) return 0;
  for (auto before = std::count(left.begin(), left.begin() + static_cast<std::ptrdiff_t>(at), ',');
       before > 0; --before) {
    const std::size_t comma = right.find(',');
    if (comma == right.npos) return 0;
    right.remove_prefix(comma + 1);
  }
  const field_number read = number_in(trimmed(right.substr(0, right.find(','))), 1, 1e9);
  return read.problem ? 0 : static_cast<std::int64_t>(read.value);
}

/// What a line of a device mesh states.
inline std::vector<log_degree> degrees_of_mesh(std::string_view line) {
  std::vector<log_degree> all;
  for (const degree_name& axis : mesh_names) {
    std::int64_t size = size_in_lists(line, axis.name);
    if (size == 0) size = degree_after(line, axis.name);
    if (size == 0) continue;
    if (!all.empty() && all.back().what == axis.what)
      all.back().value *= size;
    else
      all.push_back({.what = axis.what, .value = size, .named = axis.name});
  }
  return all;
}

}  // namespace detail

/// What a log states of its run, each degree where it stands first.  Names whose value is no whole
/// number >= 1 are passed over.
inline std::vector<log_degree> read_log_degrees(std::string_view text) {
  std::vector<log_degree> all;
  const auto take = [&](log_degree one, std::int64_t line) {
    const bool known = std::any_of(all.begin(), all.end(),
                                   [&](const log_degree& each) { return each.what == one.what; });
    if (known) return;
    one.line = line;
    all.push_back(one);
  };
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    if (line.find("device mesh") != line.npos)
      for (const log_degree& one : detail::degrees_of_mesh(line)) take(one, number);
    for (const detail::degree_name& each : detail::degree_names)
      if (const std::int64_t value = detail::degree_after(line, each.name); value > 0)
        take({.what = each.what, .value = value, .named = each.name}, number);
  }
  return all;
}

}  // namespace gpuplan
