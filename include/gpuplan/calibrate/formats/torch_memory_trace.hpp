#pragma once
/// \file
/// What a GPU's memory held when it was fullest: a snapshot of PyTorch's allocator with its trace.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/require.hpp>
#include <gpuplan/text/json_items.hpp>
#include <gpuplan/text/json_shown.hpp>
#include <gpuplan/units/units.hpp>

namespace gpuplan {

/// In which part of a step memory was taken, where a function of PyTorch in its frames says so.
enum class allocation_part { unknown, backward, optimizer };

/// "unknown", "backward", "optimizer".
constexpr std::string_view name_of(allocation_part part) {
  switch (part) {
    case allocation_part::unknown: return "unknown";
    case allocation_part::backward: return "backward";
    case allocation_part::optimizer: return "optimizer";
  }
  return "unknown";
}

/// Live memory that one function took.
struct allocation_share {
  std::string frame;  ///< "forward (model.py)"; of what has none, why
  allocation_part part = allocation_part::unknown;
  bytes size{};
  std::int64_t blocks = 0;  ///< 0: not counted
};

/// The memory of one GPU as PyTorch's allocator handed it out and took it from the driver.
struct memory_peak {
  int device = 0;
  std::int64_t events = 0;                 ///< of the trace; 0: there is none, and the peak is now
  bytes allocated{};                       ///< in tensors, rounded up to blocks, at the peak
  bytes reserved_at_peak{};                ///< taken from the driver then
  bytes reserved{};                        ///< the most taken from the driver
  bytes allocated_now{};                   ///< when the snapshot was made
  bytes reserved_now{};                    ///< likewise
  std::vector<allocation_share> shares{};  ///< of `allocated`, the largest first

  /// Of it, what functions of a part took.
  [[nodiscard]] bytes of_part(allocation_part part) const {
    bytes sum{};
    for (const allocation_share& one : shares)
      if (one.part == part) sum += one.size;
    return sum;
  }
};

namespace detail {

/// The unit in which PyTorch's allocator hands out memory: kMinBlockSize.
constexpr bytes torch_block = 512 * units::byte;

inline bytes rounded_to_blocks(double requested) {
  return std::max(1.0, std::ceil(requested / torch_block.in_base_units())) * torch_block;
}

/// What happened to memory; the rest of a trace's actions change nothing of it.
enum class memory_action { alloc, free, freed_later, reserve, release };

struct memory_event {
  std::uint64_t address = 0;
  bytes size{};
  std::uint32_t frame = 0;
  std::int16_t device = 0;
  memory_action action = memory_action::alloc;
};

/// A block that lives when the snapshot is made.
struct live_block {
  std::uint64_t address = 0;
  bytes size{};
  std::uint32_t frame = 0;
  std::int16_t device = 0;
};

struct memory_action_name {
  std::string_view name;
  memory_action action;
};

inline constexpr std::array memory_actions{
    memory_action_name{"alloc", memory_action::alloc},
    memory_action_name{"free_requested", memory_action::free},
    memory_action_name{"free_completed", memory_action::freed_later},
    memory_action_name{"segment_alloc", memory_action::reserve},
    memory_action_name{"segment_map", memory_action::reserve},
    memory_action_name{"segment_free", memory_action::release},
    memory_action_name{"segment_unmap", memory_action::release}};

inline bool keeps_of_memory_trace(std::string_view field) {
  constexpr std::array<std::string_view, 11> fields{"action", "addr",  "address",   "size",
                                                    "frames", "name",  "filename",  "device",
                                                    "blocks", "state", "total_size"};
  return std::find(fields.begin(), fields.end(), field) != fields.end();
}

/// Names of functions, each once.
class frame_names {
 public:
  /// The function that took the memory: that of PyTorch which tells the part of the step, else the
  /// innermost outside PyTorch's own files.
  std::uint32_t place_of(const nlohmann::json& holder) {
    const auto frames = holder.find("frames");
    const nlohmann::json* chosen = nullptr;
    const nlohmann::json* user = nullptr;
    const nlohmann::json* python = nullptr;
    allocation_part part = allocation_part::unknown;
    if (frames != holder.end() && frames->is_array())
      for (const nlohmann::json& frame : *frames) {
        const std::string_view file = text_in(frame, "filename");
        const std::string_view name = text_in(frame, "name");
        if (part == allocation_part::unknown) {
          part = part_of(file, name);
          if (part != allocation_part::unknown) chosen = &frame;
        }
        if (!file.ends_with(".py")) continue;
        if (python == nullptr) python = &frame;
        if (user == nullptr && file.find("/torch/") == file.npos) user = &frame;
      }
    if (chosen == nullptr) chosen = user != nullptr ? user : python;
    if (chosen == nullptr && frames != holder.end() && frames->is_array() && !frames->empty())
      chosen = &frames->front();
    return place_of_name(chosen != nullptr ? label_of(*chosen) : "no frames recorded", part);
  }

  std::uint32_t place_of_name(const std::string& name, allocation_part part) {
    const std::string key = name + '\0' + static_cast<char>(part);
    const auto [found, is_new] = places_.try_emplace(key, static_cast<std::uint32_t>(all_.size()));
    if (is_new) all_.push_back({.frame = name, .part = part});
    return found->second;
  }

  /// Each with no memory.
  [[nodiscard]] std::vector<allocation_share> all() const { return all_; }

 private:
  static std::string_view text_in(const nlohmann::json& object, const char* field) {
    if (!object.is_object()) return {};
    const auto found = object.find(field);
    if (found == object.end() || !found->is_string()) return {};
    return found->get_ref<const std::string&>();
  }

  static allocation_part part_of(std::string_view file, std::string_view name) {
    if (file.find("torch/optim/") != file.npos) return allocation_part::optimizer;
    if (file.find("torch/autograd/") != file.npos && name.find("backward") != name.npos)
      return allocation_part::backward;
    return name.starts_with("torch::autograd::Engine") ? allocation_part::backward
                                                       : allocation_part::unknown;
  }

  static std::string label_of(const nlohmann::json& frame) {
    constexpr std::size_t longest = 120;
    const std::string_view file = text_in(frame, "filename");
    const std::string_view name = text_in(frame, "name").substr(0, longest);
    const std::string_view base = file.substr(file.rfind('/') + 1).substr(0, longest);
    const bool known = !base.empty() && base != "??";  // as files of C++ come without symbols
    return std::string(name) + (known ? " (" + std::string(base) + ")" : "");
  }

  std::vector<allocation_share> all_;
  std::unordered_map<std::string, std::uint32_t> places_;
};

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
  /// Memory that the trace knows of, while its events are followed.
  class live_memory {
   public:
    /// By how much an event changes what is allocated.
    bytes change(const memory_event& event) {
      if (event.action == memory_action::alloc) {
        late_.erase(event.address);
        live_[event.address] = &event;
        return event.size;
      }
      if (event.action == memory_action::freed_later && late_.erase(event.address) > 0)
        return bytes{0};
      if (event.action == memory_action::free) late_.insert(event.address);
      const auto found = live_.find(event.address);
      const bytes size = found != live_.end() ? found->second->size : event.size;
      if (found != live_.end()) live_.erase(found);
      return -size;
    }
    [[nodiscard]] const auto& live() const { return live_; }

   private:
    std::unordered_map<std::uint64_t, const memory_event*> live_;
    std::unordered_set<std::uint64_t> late_;  ///< free, but for other streams' work
  };

  static bool is_of_driver(const memory_event& event) {
    return event.action == memory_action::reserve || event.action == memory_action::release;
  }

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

  static std::string_view text_in(const nlohmann::json& object, const char* field) {
    const auto found = object.find(field);
    if (found == object.end() || !found->is_string()) return {};
    return found->get_ref<const std::string&>();
  }

  void add_event(const json_item& item) {
    const std::string_view action = text_in(item.value, "action");
    const auto row = std::find_if(memory_actions.begin(), memory_actions.end(),
                                  [&](const auto& one) { return one.name == action; });
    if (row == memory_actions.end()) return;
    memory_event event{.address = address_in(item.value, "addr"),
                       .device = device_of(item.place, item),
                       .action = row->action};
    const double size = size_in(item.value, "size", item);
    event.size = is_of_driver(event) ? bytes{size} : rounded_to_blocks(size);
    if (event.action == memory_action::alloc) event.frame = frames_.place_of(item.value);
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
    const auto list = segment.find("blocks");
    if (list == segment.end() || !list->is_array()) return;
    std::uint64_t address = address_in(segment, "address");
    for (const nlohmann::json& block : *list) {
      if (!block.is_object()) refuse(where(item) + "a block must be an object");
      const double size = size_in(block, "size", item);
      if (text_in(block, "state") == "active_allocated")
        blocks_.push_back({address, bytes{size}, frames_.place_of(block), device});
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
      if (is_of_driver(event))
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
      if (!is_of_driver(events_[i])) memory.change(events_[i]);
    for (const auto& [address, event] : memory.live()) add(event->frame, event->size);
    for (std::size_t i = fullest; i < events_.size(); ++i)
      if (!is_of_driver(events_[i])) memory.change(events_[i]);
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
  frame_names frames_;
};

}  // namespace detail

/// Reads the JSON of torch.cuda.memory._snapshot(), whose trace says what was handed out and taken
/// back, and finds the moment at which tensors held most.
///
/// A trace has the sizes that were asked for; they are rounded up to 512 B, as the allocator does.
/// It keeps the last events alone, so that levels are counted back from the segments.  Without a
/// trace the peak is now.
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
