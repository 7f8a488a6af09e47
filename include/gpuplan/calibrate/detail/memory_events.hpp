#pragma once
/// \file
/// What a trace of PyTorch's allocator tells: memory taken and given back, event by event.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <gpuplan/units/units.hpp>

namespace gpuplan::detail {

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

  /// Taken from the driver, or given back to it.
  [[nodiscard]] bool is_of_driver() const {
    return action == memory_action::reserve || action == memory_action::release;
  }
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

}  // namespace gpuplan::detail
