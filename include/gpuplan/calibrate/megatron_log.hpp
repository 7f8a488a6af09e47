#pragma once
/// \file
/// What Megatron-LM prints while it trains: times of iterations, throughput, memory.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <gpuplan/calibrate/nccl_tests_log.hpp>
#include <gpuplan/queue/trace_fields.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// A line of an iteration.
struct megatron_iteration {
  std::int64_t iteration = 0;
  seconds time{};                      ///< of one iteration, > 0
  flop_per_second throughput{};        ///< of one GPU, by the log's own count; 0: not printed
  std::int64_t global_batch_size = 0;  ///< 0: not printed
};

/// A line of memory: of one rank, as PyTorch's allocator sees it.
struct megatron_memory {
  int rank = 0;
  bytes allocated{};
  bytes max_allocated{};
  bytes max_reserved{};
};

struct megatron_log {
  std::vector<megatron_iteration> iterations{};
  std::vector<megatron_memory> memory{};
  std::int64_t faulty = 0;  ///< lines that began as one of these and could not be read

  /// The middle time of those after the first few, which compile and warm up.
  /// \throws invalid_input if there are no more than so many
  [[nodiscard]] seconds typical_time(std::size_t skipped = 3) const {
    require(iterations.size() > skipped, "megatron_log: iterations must be > those skipped");
    std::vector<seconds> times;
    for (std::size_t i = skipped; i < iterations.size(); ++i) times.push_back(iterations[i].time);
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    return *middle;
  }
};

namespace detail {

/// The number after "name:" in a line, 0 where there is none; wrong is set where it is no number.
inline double number_after(std::string_view line, std::string_view name, bool& wrong) {
  const std::size_t at = line.find(name);
  if (at == line.npos) return 0;
  std::string_view rest = line.substr(at + name.size());
  if (!rest.starts_with(':')) {
    wrong = true;
    return 0;
  }
  rest.remove_prefix(1);
  const trace_number read = number_in(next_word(rest), 0, 1e300);
  if (read.problem) wrong = true;
  return read.value;
}

}  // namespace detail

/// Reads a log of Megatron-LM or Megatron-Core. Lines that are neither of an iteration nor of
/// memory are passed over.
///
///     iteration 10/ 100 | ... elapsed time per iteration (ms): 1234.5 | throughput per GPU
///         (TFLOP/s/GPU): 123.4 | ... global batch size: 128 | ...
///     [Rank 0] (after 10 iterations) memory (MB) | allocated: 1.0 | max allocated: 2.0 | ...
///
/// Megatron's MB are 2^20 bytes.
inline megatron_log read_megatron_log(std::string_view text) {
  megatron_log log;
  while (!text.empty()) {
    const std::string_view line = detail::next_line(text);
    bool wrong = false;
    if (const std::size_t at = line.find("elapsed time per iteration (ms)"); at != line.npos) {
      megatron_iteration one;
      const double ms = detail::number_after(line, "elapsed time per iteration (ms)", wrong);
      one.time = ms * units::ms;
      one.throughput = detail::number_after(line, "throughput per GPU (TFLOP/s/GPU)", wrong) *
                       units::TFLOP / units::second;
      one.global_batch_size =
          static_cast<std::int64_t>(detail::number_after(line, "global batch size", wrong));
      std::string_view rest = line;
      if (const std::size_t begin = line.find("iteration "); begin < at) {
        rest.remove_prefix(begin + std::string_view{"iteration "}.size());
        std::string_view word = detail::next_word(rest);
        word = word.substr(0, word.find('/'));
        const detail::trace_number read = detail::whole_in(word, 0, 1e15);
        wrong = wrong || read.problem.has_value();
        one.iteration = static_cast<std::int64_t>(read.value);
      }
      if (wrong || !(ms > 0) || !(ms < 1e12))
        ++log.faulty;
      else
        log.iterations.push_back(one);
    } else if (line.find("memory (MB)") != line.npos && line.find("[Rank ") != line.npos) {
      megatron_memory one;
      std::string_view rest = line.substr(line.find("[Rank ") + 6);
      const detail::trace_number rank = detail::whole_in(rest.substr(0, rest.find(']')), 0, 1e9);
      one.rank = static_cast<int>(rank.value);
      one.allocated = detail::number_after(line, "| allocated", wrong) * units::MiB;
      one.max_allocated = detail::number_after(line, "| max allocated", wrong) * units::MiB;
      one.max_reserved = detail::number_after(line, "| max reserved", wrong) * units::MiB;
      if (wrong || rank.problem)
        ++log.faulty;
      else
        log.memory.push_back(one);
    }
  }
  return log;
}

}  // namespace gpuplan
