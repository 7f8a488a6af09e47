#pragma once
/// \file
/// What torchtitan, NeMo, DeepSpeed and the Trainer of Hugging Face print while they train.

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gpuplan/require.hpp>
#include <gpuplan/text/field_value.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// What a figure of a log counts.
enum class log_figure {
  seconds_of_step,
  steps,      ///< a second
  samples,    ///< a second, of all GPUs
  gpu_tokens  ///< a second, of one GPU
};

/// How many first lines of a log, which compile and warm up, are left out of the middle of all; of
/// fewer than twice as many others none are.
constexpr std::size_t left_out_lines(std::size_t lines, std::size_t skipped = 3) {
  return lines > 2 * skipped ? skipped : 0;
}

/// How a program prints a figure: the mark that tells its lines, the name before the number.
struct log_pattern {
  std::string_view software;
  std::string_view mark;  ///< also on the line; empty: none
  std::string_view name;
  log_figure figure;
  bool of_run = false;  ///< a mean of the whole run, its first steps among it
};

/// Patterns, those first that tell a step most directly.
///
/// Source: PyTorch, "torchtitan", torchtitan/components/metrics.py (2025); NVIDIA, "NeMo",
/// nemo/lightning/pytorch/callbacks (2.x); Microsoft, "DeepSpeed", deepspeed/runtime/pipe/engine.py
/// and deepspeed/utils/timer.py (0.14); Hugging Face, "Transformers", trainer_utils.py,
/// speed_metrics, and trainer_pt_utils.py, log_metrics, which prints a line for each (4.x).
inline constexpr std::array log_patterns{
    log_pattern{"NeMo", "", "train_step_timing in s", log_figure::seconds_of_step},
    log_pattern{"DeepSpeed", "steps:", "iter time (s)", log_figure::seconds_of_step},
    log_pattern{"torchtitan", "step:", "tps", log_figure::gpu_tokens},
    log_pattern{"DeepSpeed", "CurrSamplesPerSec", "CurrSamplesPerSec", log_figure::samples},
    log_pattern{"Hugging Face Trainer", "train_runtime", "train_steps_per_second",
                log_figure::steps, true},
    log_pattern{"Hugging Face Trainer", "train_runtime", "train_samples_per_second",
                log_figure::samples, true},
    log_pattern{"Hugging Face Trainer", "", "train_steps_per_second", log_figure::steps, true},
    log_pattern{"Hugging Face Trainer", "", "train_samples_per_second", log_figure::samples, true}};

/// What was read of a log.
struct training_log {
  const log_pattern* pattern = nullptr;  ///< of log_patterns; null: the log has none of them
  std::vector<double> figures{};         ///< one for each line, > 0
  bytes reserved{};   ///< most that PyTorch's allocator took, as torchtitan prints; 0: not told
  bytes allocated{};  ///< most that tensors held, as DeepSpeed prints; 0: not told

  /// The middle figure of those after the first few, which compile and warm up; of fewer than twice
  /// as many, of all.
  /// \throws invalid_input if there is none
  [[nodiscard]] double typical(std::size_t skipped = 3) const {
    require(!figures.empty(), "training_log: figures must be >= 1");
    const std::size_t first = left_out_lines(figures.size(), skipped);
    std::vector<double> rest(figures.begin() + static_cast<std::ptrdiff_t>(first), figures.end());
    const auto middle = rest.begin() + static_cast<std::ptrdiff_t>(rest.size() / 2);
    std::nth_element(rest.begin(), middle, rest.end());
    return *middle;
  }
};

namespace detail {

/// A line without the escapes that colour it.
inline std::string_view plain_line(std::string_view line, std::string& held) {
  if (line.find('\x1b') == line.npos) return line;
  held.clear();
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\x1b') {
      held += line[i];
      continue;
    }
    while (i < line.size() && line[i] != 'm') ++i;
  }
  return held;
}

/// The number after a name and what stands between: colons, equals signs, quotes, blanks.
inline std::optional<double> figure_after(std::string_view line, std::string_view name) {
  const std::size_t at = line.find(name);
  if (at == line.npos) return {};
  std::string_view rest = line.substr(at + name.size());
  const std::size_t begin = rest.find_first_not_of(":='\" \t");
  if (begin == 0 || begin == rest.npos) return {};
  rest.remove_prefix(begin);
  std::string digits;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    if (c == ',' && !digits.empty()) {  // of thousands, where three digits follow
      const std::string_view three = rest.substr(i + 1, 3);
      if (three.size() < 3 || three.find_first_not_of("0123456789") != three.npos) break;
      continue;
    }
    const bool of_number = (c >= '0' && c <= '9') || c == '.' || c == 'e' || c == '-' || c == '+';
    if (!of_number) break;
    digits += c;
  }
  const field_number read = number_in(digits, 0, 1e15);
  if (read.problem || !(read.value > 0)) return {};
  return read.value;
}

}  // namespace detail

/// Reads a log; lines that are none of log_patterns are passed over, and so are figures that are no
/// number > 0.
inline training_log read_training_log(std::string_view text) {
  std::array<std::vector<double>, log_patterns.size()> found;
  training_log log;
  std::string held;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of("\n\r");  // a bar of progress is written over
    const std::string_view line = detail::plain_line(text.substr(0, end), held);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    for (std::size_t i = 0; i < log_patterns.size(); ++i) {
      const log_pattern& one = log_patterns[i];
      if (line.find(one.mark) == line.npos) continue;
      if (const auto figure = detail::figure_after(line, one.name)) found[i].push_back(*figure);
    }
    const auto size = [&](std::string_view mark, std::string_view name, bytes unit, bytes& most) {
      if (line.find(mark) == line.npos) return;
      if (const auto figure = detail::figure_after(line, name)) most = larger(most, *figure * unit);
    };
    size("tps", "memory", 1 * units::GiB, log.reserved);
    size("CurrSamplesPerSec", "MaxMemAllocated", 1 * units::GiB, log.allocated);
  }
  for (std::size_t i = 0; i < log_patterns.size() && log.pattern == nullptr; ++i) {
    if (found[i].empty()) continue;
    log.pattern = &log_patterns[i];
    log.figures = std::move(found[i]);
  }
  return log;
}

/// The first pattern of which a text has lines, whether their figure is a number or not; null where
/// there is none.
inline const log_pattern* named_pattern(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find_first_of("\n\r");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    for (const log_pattern& one : log_patterns)
      if (line.find(one.mark) != line.npos && line.find(one.name) != line.npos) return &one;
  }
  return nullptr;
}

}  // namespace gpuplan
