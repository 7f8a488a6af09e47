#pragma once
/// \file
/// The table that torch.cuda.memory_summary() prints.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <gpuplan/calibrate/nccl_tests_log.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/field_value.hpp>
#include <gpuplan/trace/columns.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// Of a measure, what is now and what was most since the peak was last reset.
struct allocator_level {
  bytes current{};
  bytes peak{};  ///< 0: not said
};

/// The memory of one GPU as PyTorch's allocator sees it: neither the CUDA context nor what other
/// libraries (NCCL) take.
struct memory_snapshot {
  int device = 0;
  allocator_level allocated{};     ///< in tensors, rounded up to blocks
  allocator_level active{};        ///< and in blocks that a stream still uses
  allocator_level reserved{};      ///< taken from the driver
  allocator_level requested{};     ///< before rounding up; 0: not said
  std::int64_t retries = 0;        ///< times that all that was cached was given back to go on
  std::int64_t out_of_memory = 0;  ///< errors thrown
  std::int64_t segments = 0;       ///< pieces taken from the driver; 0: not said
  bytes largest_free{};            ///< the largest free block in them; 0: not said

  /// What is reserved and not used by a tensor, at the peaks: it is there for others, or lost in
  /// pieces.
  [[nodiscard]] bytes unused_at_peak() const { return reserved.peak - allocated.peak; }
};

namespace detail {

/// Takes the next cell of a row between bars; empty at its end.
constexpr std::string_view next_cell(std::string_view& row) {
  const std::size_t bar = row.find('|');
  const std::string_view cell = trimmed(row.substr(0, bar));
  row.remove_prefix(bar == row.npos ? row.size() : bar + 1);
  return cell;
}

/// "184648 KiB" as the summary has it; MB of older versions are 2^20 B too.
inline field_number memory_cell(std::string_view cell) {
  struct prefix {
    std::string_view name;
    bytes size;
  };
  constexpr std::array prefixes{
      prefix{"B", units::byte},  prefix{"KiB", units::KiB}, prefix{"MiB", units::MiB},
      prefix{"GiB", units::GiB}, prefix{"TiB", units::TiB}, prefix{"PiB", units::PiB},
      prefix{"KB", units::KiB},  prefix{"MB", units::MiB},  prefix{"GB", units::GiB},
      prefix{"TB", units::TiB},  prefix{"PB", units::PiB}};
  const std::string_view number = next_word(cell);
  const std::string_view unit = next_word(cell);
  field_number read = number_in(number, 0, 1e9);
  if (read.problem) return read;
  for (const prefix& each : prefixes)
    if (each.name == unit && next_word(cell).empty())
      return {.value = read.value * each.size / units::byte};
  return {.problem = field_problem::not_understood};
}

}  // namespace detail

/// Reads the table of torch.cuda.memory_summary() among other lines; of several the last.
///
///     | Allocated memory      | 184648 KiB | 192833 KiB | 258378 KiB |  73729 KiB |
///
/// \throws invalid_input "<name>: line <number>: ...", if a cell is no size, or
///         "<name>: ..." if there is no such table
inline memory_snapshot read_memory_summary(std::string_view text, std::string_view name) {
  struct measure {
    std::string_view name;
    allocator_level memory_snapshot::*member;
  };
  constexpr std::array measures{measure{"Allocated memory", &memory_snapshot::allocated},
                                measure{"Active memory", &memory_snapshot::active},
                                measure{"Requested memory", &memory_snapshot::requested},
                                measure{"GPU reserved memory", &memory_snapshot::reserved}};
  memory_snapshot read;
  std::int64_t number = 0;
  bool found = false;
  const auto refuse = [&](std::string_view what, std::string_view cell, std::string_view allowed) {
    const std::string why = std::string(name) + ": line " + std::to_string(number) + ": " +
                            std::string(what) + " must be " + std::string(allowed) + ", not '" +
                            shown_field(cell) + "'";
    require(false, why.c_str());
  };
  const auto count_after = [&](std::string_view line, std::string_view what, double most) {
    const std::size_t at = line.find(what);
    if (at == line.npos) return std::int64_t{0};
    std::string_view rest = line.substr(at + what.size());
    const std::string_view word = detail::next_word(rest);
    const field_number count = whole_in(word, 0, most);
    if (count.problem) refuse(what, word, "a whole number in range");
    return static_cast<std::int64_t>(count.value);
  };
  while (!text.empty()) {
    const std::string_view line = detail::next_line(text);
    ++number;
    if (line.find("PyTorch CUDA memory summary") != line.npos) {
      read = {};
      read.device = static_cast<int>(count_after(line, "device ID", 1e6));
    }
    if (line.find("CUDA OOMs:") != line.npos) {
      read.out_of_memory = count_after(line, "CUDA OOMs:", 1e15);
      read.retries = count_after(line, "cudaMalloc retries:", 1e15);
    }
    const std::size_t bar = line.find('|');
    if (bar == line.npos) continue;
    std::string_view row = line.substr(bar + 1);
    const std::string_view title = detail::next_cell(row);
    for (const measure& each : measures) {
      if (each.name != title) continue;
      for (bytes* value : {&(read.*each.member).current, &(read.*each.member).peak}) {
        const std::string_view cell = detail::next_cell(row);
        const field_number size = detail::memory_cell(cell);
        if (size.problem) refuse(each.name, cell, "a size, as 184648 KiB");
        *value = bytes{size.value};
      }
      found = true;
    }
  }
  const std::string none =
      std::string(name) + ": must have a table of torch.cuda.memory_summary, or be JSON";
  require(found, none.c_str());
  return read;
}

}  // namespace gpuplan
