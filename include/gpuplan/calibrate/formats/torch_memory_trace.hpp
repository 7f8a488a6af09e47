#pragma once
/// \file
/// What a GPU's memory held when it was fullest: a snapshot of PyTorch's allocator with its trace.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/calibrate/detail/frame_reader.hpp>
#include <gpuplan/calibrate/detail/memory_events.hpp>
#include <gpuplan/calibrate/memory_peak.hpp>
#include <gpuplan/require.hpp>
#include <gpuplan/text/json_items.hpp>
#include <gpuplan/text/json_shown.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

namespace detail {

inline bool keeps_of_memory_trace(std::string_view field) {
  constexpr std::array<std::string_view, 12> fields{
      "action",   "addr",   "address", "size",  "frames",     "name",
      "filename", "device", "blocks",  "state", "total_size", dict_number_key};
  return std::find(fields.begin(), fields.end(), field) != fields.end();
}

/// Gathers a snapshot, item by item.
class memory_trace_builder {
 public:
  memory_trace_builder(std::string_view name, std::optional<int> device)
      : name_{name}, device_{device} {}

  void add(const json_item& item) {
    if (item.list == "device_traces") return add_event(item);
    if (item.list == "segments" || item.list.empty()) add_segment(item);
  }

  [[nodiscard]] memory_peak take() {
    if (reserved_now_.empty() && events_.empty())
      refuse(
          "has neither segments nor device_traces; write it by json.dump("
          "torch.cuda.memory._snapshot(), file)");
    memory_peak peak;
    peak.device = chosen_device();
    const auto elsewhere = [&](const auto& one) { return one.device != peak.device; };
    std::erase_if(events_, elsewhere);
    std::erase_if(blocks_, elsewhere);
    peak.events = static_cast<std::int64_t>(events_.size());
    for (const live_block& block : blocks_) peak.allocated_now += block.size;
    const auto known = reserved_now_.find(peak.device);
    if (known != reserved_now_.end()) peak.reserved_now = known->second;
    if (known == reserved_now_.end() && events_.empty())
      refuse("says nothing of device " + std::to_string(peak.device));
    const std::size_t fullest = find_peak(peak, known != reserved_now_.end());
    share_out(peak, fullest);
    return peak;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw invalid_input{std::string(name_) + ": " + why};
  }

  [[nodiscard]] std::string where(const json_item& item) const {
    const std::string list = item.list.empty() ? "segments" : std::string(item.list);
    return list + "[" + std::to_string(item.place) + "]: ";
  }

  double size_in(const nlohmann::json& object, const char* field, const json_item& item) const {
    const auto found = object.find(field);
    if (found == object.end()) refuse(where(item) + field + " is missing");
    const double size = found->is_number() ? found->get<double>() : -1;
    if (!(size >= 0 && size <= 1e18))
      refuse(where(item) + field + " must be bytes from 0 to 1e18, not " + shown(*found));
    return size;
  }

  std::uint64_t address_in(const nlohmann::json& object, const char* field) const {
    const auto found = object.find(field);
    return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
  }

  void add_event(const json_item& item) {
    const std::string_view action = text_in(item.value, "action");
    const auto row = std::find_if(memory_actions.begin(), memory_actions.end(),
                                  [&](const auto& one) { return one.name == action; });
    const bool takes = row != memory_actions.end() && row->action == memory_action::alloc;
    if (!takes) frames_.learn(item.value);
    if (row == memory_actions.end()) return;
    memory_event event{.address = address_in(item.value, "addr"),
                       .device = device_of(item.place, item),
                       .action = row->action};
    const double size = size_in(item.value, "size", item);
    event.size = event.is_of_driver() ? bytes{size} : rounded_to_blocks(size);
    if (takes) event.frame = frames_.place_of(item.value);
    events_.push_back(event);
  }

  [[nodiscard]] std::int16_t device_of(std::size_t place, const json_item& item) const {
    constexpr std::size_t most = 1024;
    if (place >= most) refuse(where(item) + "a device must be below 1024");
    return static_cast<std::int16_t>(place);
  }

  void add_segment(const json_item& item) {
    const nlohmann::json& segment = item.value;
    const std::int16_t device = device_of(address_in(segment, "device"), item);
    reserved_now_[device] += bytes{size_in(segment, "total_size", item)};
    frames_.learn(segment);
    const auto list = segment.find("blocks");
    if (list == segment.end() || !list->is_array()) return;
    std::uint64_t address = address_in(segment, "address");
    for (const nlohmann::json& block : *list) {
      if (!block.is_object()) refuse(where(item) + "a block must be an object");
      const double size = size_in(block, "size", item);
      if (text_in(block, "state") == "active_allocated")
        blocks_.push_back({address, bytes{size}, frames_.place_of(block), device});
      else
        frames_.learn(block);
      address += static_cast<std::uint64_t>(size);
    }
  }

  /// The device that most is reserved of; where no segments say so, that of the longest trace.
  [[nodiscard]] int chosen_device() const {
    if (device_) return *device_;
    std::map<int, double> weights;
    for (const auto& [device, size] : reserved_now_) weights[device] = size / units::byte;
    if (weights.empty())
      for (const memory_event& event : events_) weights[event.device] += 1;
    return std::max_element(weights.begin(), weights.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  }

  /// Follows the trace; levels are counted back from those of the segments, which come after it.
  /// Returns the number of events until the peak.
  std::size_t find_peak(memory_peak& peak, bool has_segments) const {
    live_memory memory;
    bytes allocated{};
    bytes reserved{};
    bytes most_allocated{};
    bytes most_reserved{};
    bytes reserved_then{};
    std::size_t fullest = 0;
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const memory_event& event = events_[i];
      if (event.is_of_driver())
        reserved += event.action == memory_action::reserve ? event.size : -event.size;
      else
        allocated += memory.change(event);
      most_reserved = std::max(most_reserved, reserved);
      if (!(allocated > most_allocated)) continue;
      most_allocated = allocated;
      reserved_then = reserved;
      fullest = i + 1;
    }
    const auto before = [&](bytes now, bytes change) {
      return has_segments ? std::max(now - change, bytes{0}) : bytes{0};
    };
    const bytes allocated_before = before(peak.allocated_now, allocated);
    const bytes reserved_before = before(peak.reserved_now, reserved);
    peak.allocated = allocated_before + most_allocated;
    peak.reserved_at_peak = reserved_before + reserved_then;
    peak.reserved = reserved_before + most_reserved;
    return fullest;
  }

  /// What lived at the peak by the function that took it.
  void share_out(memory_peak& peak, std::size_t fullest) {
    const std::uint32_t old =
        frames_.place_of_name("taken before the trace begins", allocation_part::unknown);
    std::vector<allocation_share> shares = frames_.all();
    bytes told{};
    const auto add = [&](std::uint32_t frame, bytes size) {
      shares[frame].size += size;
      ++shares[frame].blocks;
      told += size;
    };
    live_memory memory;
    for (std::size_t i = 0; i < fullest; ++i)
      if (!events_[i].is_of_driver()) memory.change(events_[i]);
    for (const auto& [address, event] : memory.live()) add(event->frame, event->size);
    for (std::size_t i = fullest; i < events_.size(); ++i)
      if (!events_[i].is_of_driver()) memory.change(events_[i]);
    for (const live_block& block : blocks_)  // from before the trace until now
      if (!memory.live().contains(block.address)) add(block.frame, block.size);
    const bytes rest = peak.allocated - told;
    if (rest > bytes{0}) shares[old].size += rest;
    std::erase_if(shares, [](const allocation_share& one) { return !(one.size > bytes{0}); });
    std::stable_sort(shares.begin(), shares.end(),
                     [](const auto& a, const auto& b) { return a.size > b.size; });
    peak.shares = std::move(shares);
  }

  std::string_view name_;
  std::optional<int> device_;
  std::vector<memory_event> events_;
  std::vector<live_block> blocks_;
  std::map<int, bytes> reserved_now_;
  frame_reader frames_;
};

}  // namespace detail

/// Reads the JSON of torch.cuda.memory._snapshot(), whose trace says what was handed out and taken
/// back, and finds the moment at which tensors held most.
///
/// A trace has the sizes that were asked for; they are rounded up to 512 B, as the allocator does.
/// It keeps the last events alone, so that levels are counted back from the segments.  Without a
/// trace the peak is now.  Of a pickled snapshot give what json_of_pickle makes, with its "frames"
/// numbered or not.
///
///     name    of the file, for the error line
///     device  that with the most memory where none is given
///
/// Source: PyTorch 2.9 (2025), torch/cuda/memory.py and c10/cuda/CUDACachingAllocator.cpp.
///
/// \throws invalid_input of one line, "<name>: ...", where for_each_json_item does, if a size is no
///         number or out of range, or there are neither segments nor a trace
inline memory_peak read_torch_memory_trace(std::string_view text, std::string_view name,
                                           std::optional<int> device = {}) {
  detail::memory_trace_builder builder{name, device};
  constexpr std::size_t most_values = std::size_t{1} << 23;  // frames of each block of a segment
  for_each_json_item(text, name, detail::keeps_of_memory_trace,
                     [&](const json_item& item) { builder.add(item); }, {.values = most_values});
  return builder.take();
}

}  // namespace gpuplan
