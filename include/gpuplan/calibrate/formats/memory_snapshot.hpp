#pragma once
/// \file
/// What PyTorch says of the memory of a GPU: its allocator's statistics, summary and segments.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <gpuplan/calibrate/formats/nccl_tests_log.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/field_value.hpp>
#include <gpuplan/text/json_fields.hpp>
#include <gpuplan/text/json_text.hpp>
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

namespace detail {

constexpr std::string_view allowed_memory_size = "bytes from 0 to 1e18";

/// The fields that are looked at, of statistics flat and nested, and of segments and their blocks.
inline bool keeps_of_memory(std::string_view field) {
  constexpr std::array<std::string_view, 14> fields{
      "all",      "current", "peak",       "num_alloc_retries", "num_ooms",
      "segments", "device",  "total_size", "allocated_size",    "active_size",
      "blocks",   "size",    "state",      "allocated_bytes"};
  constexpr std::array<std::string_view, 3> nested{"active_bytes", "reserved_bytes",
                                                   "requested_bytes"};
  return std::find(fields.begin(), fields.end(), field) != fields.end() ||
         std::find(nested.begin(), nested.end(), field) != nested.end() ||
         field.ends_with("_bytes.all.current") || field.ends_with("_bytes.all.peak");
}

/// "allocated_bytes.all.peak" of a flat table, or of the same nested; nothing where there is none.
inline std::optional<bytes> memory_statistic(const json_fields& fields, std::string_view what,
                                             std::string_view which) {
  const std::string flat = std::string(what) + ".all." + std::string(which);
  if (fields.has(flat)) return bytes{fields.number(flat, 0, 1e18, allowed_memory_size)};
  if (!fields.has(what)) return {};
  const json_fields pools{fields.value().at(std::string(what)),
                          fields.where() + ": " + std::string(what)};
  if (!pools.has("all")) return {};
  const json_fields all{pools.value().at("all"), pools.where() + ".all"};
  return bytes{all.number(which, 0, 1e18, allowed_memory_size)};
}

inline memory_snapshot memory_of_statistics(const json_fields& fields) {
  memory_snapshot read;
  const auto level = [&](std::string_view what) {
    return allocator_level{memory_statistic(fields, what, "current").value_or(bytes{}),
                           memory_statistic(fields, what, "peak").value_or(bytes{})};
  };
  if (!memory_statistic(fields, "allocated_bytes", "peak"))
    fields.refuse("allocated_bytes.all.peak", "is missing");
  read.allocated = level("allocated_bytes");
  read.active = level("active_bytes");
  read.reserved = level("reserved_bytes");
  read.requested = level("requested_bytes");
  read.retries = fields.integer_or("num_alloc_retries", 0, 0);
  read.out_of_memory = fields.integer_or("num_ooms", 0, 0);
  return read;
}

/// The segments of one device: of the first, where there are several and none is asked for.
inline memory_snapshot memory_of_segments(const nlohmann::json& segments, const std::string& where,
                                          std::optional<int> device) {
  memory_snapshot read;
  std::size_t index = 0;
  for (const nlohmann::json& each : segments) {
    const json_fields segment{each, where + "[" + std::to_string(index++) + "]"};
    const auto size = [&](const json_fields& fields, std::string_view field) {
      return bytes{fields.number(field, 0, 1e18, allowed_memory_size)};
    };
    const int its_device = segment.integer_or("device", 0, 0);
    if (!device) device = its_device;
    if (its_device != *device) continue;
    ++read.segments;
    read.reserved.current += size(segment, "total_size");
    read.allocated.current += size(segment, "allocated_size");
    read.active.current += size(segment, "active_size");
    if (const nlohmann::json* blocks = segment.array("blocks"))
      for (const nlohmann::json& one : *blocks) {
        const json_fields block{one, segment.where() + ".blocks"};
        const bytes its_size = size(block, "size");
        if (block.text("state") == "inactive")
          read.largest_free = std::max(read.largest_free, its_size);
      }
  }
  read.device = device.value_or(0);
  return read;
}

}  // namespace detail

/// Reads what PyTorch says of a GPU's memory:
///
///   - the text of torch.cuda.memory_summary(), whole or abbreviated, among other lines; of several
///     the last. It is printed in whole units, up to 0.13 % less than the truth.
///   - json.dumps of torch.cuda.memory_stats(), or of memory_stats_as_nested_dict()
///   - json.dumps of torch.cuda.memory_snapshot() or of memory._snapshot(): its segments say what
///     is now, and no peak
///
/// Of a pickled snapshot give what json_of_pickle makes.
///
///     name    of the file, for the error line
///     device  of the segments; the first that is named where none is given
///
/// Source: PyTorch 2.9 (2025), torch/cuda/memory.py and c10/cuda/CUDACachingAllocator.cpp.
///
/// \throws invalid_input of one line, "<name>: <field or line> ...", if there is neither of these
///         in the text, where parse_json does, or a field is of another type or out of range
inline memory_snapshot read_memory_snapshot(std::string_view text, std::string_view name,
                                            std::optional<int> device = {}) {
  const std::size_t begin = std::min(text.size(), text.find_first_not_of(" \t\r\n\xEF\xBB\xBF"));
  if (begin == text.size() || (text[begin] != '{' && text[begin] != '['))
    return read_memory_summary(text, name);
  constexpr std::size_t longest = std::size_t{1} << 30;  // with traces it is long; few are kept
  const nlohmann::json whole =
      parse_json(text, name, {.longest = longest, .keeps = detail::keeps_of_memory});
  const std::string where{name};
  if (whole.is_array()) return detail::memory_of_segments(whole, where + ": segments", device);
  const json_fields fields{whole, name};
  if (const nlohmann::json* segments = fields.array("segments"))
    return detail::memory_of_segments(*segments, where + ": segments", device);
  return detail::memory_of_statistics(fields);
}

}  // namespace gpuplan
