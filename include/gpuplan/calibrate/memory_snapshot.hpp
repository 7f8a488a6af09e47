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

#include <gpuplan/calibrate/memory_snapshot_summary.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_fields.hpp>
#include <gpuplan/text/json_text.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

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
/// A pickled snapshot is not read: write it as JSON.
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
