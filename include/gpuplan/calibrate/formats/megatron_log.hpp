#pragma once
/// \file
/// What Megatron-LM prints while it trains: times of iterations, throughput, memory.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <gpuplan/calibrate/formats/nccl_tests_log.hpp>
#include <gpuplan/text/field_value.hpp>
#include <gpuplan/text/row_fault.hpp>
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

/// What was read of a log.
struct megatron_log {
  std::vector<megatron_iteration> iterations{};
  std::vector<megatron_memory> memory{};
  std::vector<row_fault> faults{};  ///< up to 100 lines that could not be read
  std::int64_t faulty = 0;          ///< how many began as one of these and could not

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

/// Figures of a line by their names, and the first of them that is none.
class megatron_line {
 public:
  explicit megatron_line(std::string_view line) : line_{line} {}

  /// The number after "name:", 0 where there is none.
  double after(std::string_view name, double most) {
    const std::size_t at = line_.find(name);
    if (at == line_.npos) return 0;
    std::string_view rest = line_.substr(at + name.size());
    if (!rest.starts_with(':')) {
      refuse(name, {}, field_problem::not_understood);
      return 0;
    }
    rest.remove_prefix(1);
    return number(name, next_word(rest), most);
  }
  double number(std::string_view name, std::string_view word, double most) {
    const field_number read = number_in(word, 0, most);
    if (read.problem) refuse(name, word, *read.problem);
    return read.value;
  }
  double whole(std::string_view name, std::string_view word, double most) {
    const field_number read = whole_in(word, 0, most);
    if (read.problem) refuse(name, word, *read.problem);
    return read.value;
  }
  void refuse(std::string_view name, std::string_view field, field_problem problem) {
    if (name.starts_with("| ")) name.remove_prefix(2);
    if (!fault_) fault_ = row_fault{0, std::string(name), shown_field(field), problem, {}};
  }
  [[nodiscard]] const std::optional<row_fault>& fault() const { return fault_; }

 private:
  std::string_view line_;
  std::optional<row_fault> fault_{};
};

inline megatron_iteration read_iteration(megatron_line& figures, std::string_view line) {
  constexpr std::string_view time = "elapsed time per iteration (ms)";
  megatron_iteration one;
  const double ms = figures.after(time, 1e12);
  if (!(ms > 0)) figures.refuse(time, "0", field_problem::not_positive);
  one.time = ms * units::ms;
  one.throughput =
      figures.after("throughput per GPU (TFLOP/s/GPU)", 1e12) * units::TFLOP / units::second;
  one.global_batch_size = static_cast<std::int64_t>(figures.after("global batch size", 1e15));
  if (const std::size_t begin = line.find("iteration "); begin < line.find(time)) {
    std::string_view rest = line.substr(begin + std::string_view{"iteration "}.size());
    const std::string_view word = next_word(rest);
    one.iteration =
        static_cast<std::int64_t>(figures.whole("iteration", word.substr(0, word.find('/')), 1e15));
  }
  return one;
}

inline megatron_memory read_memory(megatron_line& figures, std::string_view line) {
  const std::string_view rank = line.substr(line.find("[Rank ") + 6);
  return {.rank = static_cast<int>(figures.whole("Rank", rank.substr(0, rank.find(']')), 1e9)),
          .allocated = figures.after("| allocated", 1e12) * units::MiB,
          .max_allocated = figures.after("| max allocated", 1e12) * units::MiB,
          .max_reserved = figures.after("| max reserved", 1e12) * units::MiB};
}

}  // namespace detail

/// Reads a log of Megatron-LM or Megatron-Core. Lines that are neither of an iteration nor of
/// memory are passed over.
///
///     iteration 10/ 100 | ... elapsed time per iteration (ms): 1234.5 | throughput per GPU
///         (TFLOP/s/GPU): 123.4 | ... global batch size: 128 | ...
///     [Rank 0] (after 10 iterations) memory (MB) | allocated: 1.0 | max allocated: 2.0 | ...
///
/// Megatron's MB are 2^20 bytes. Lines that cannot be read are counted, with their number and why.
inline megatron_log read_megatron_log(std::string_view text) {
  megatron_log log;
  for (std::int64_t number = 1; !text.empty(); ++number) {
    const std::string_view line = detail::next_line(text);
    detail::megatron_line figures{line};
    if (line.find("elapsed time per iteration (ms)") != line.npos) {
      const megatron_iteration one = detail::read_iteration(figures, line);
      if (!figures.fault()) log.iterations.push_back(one);
    } else if (line.find("memory (MB)") != line.npos && line.find("[Rank ") != line.npos) {
      const megatron_memory one = detail::read_memory(figures, line);
      if (!figures.fault()) log.memory.push_back(one);
    }
    if (!figures.fault()) continue;
    ++log.faulty;
    if (log.faults.size() == 100) continue;
    log.faults.push_back(*figures.fault());
    log.faults.back().line = number;
  }
  return log;
}

}  // namespace gpuplan
