#pragma once
/// \file
/// Which function took memory, by the frames that PyTorch recorded of it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <nlohmann/json.hpp>

#include <gpuplan/calibrate/memory_peak.hpp>
#include <gpuplan/text/json_items.hpp>

namespace gpuplan::detail {

/// Names of functions, each once.
class frame_reader {
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

}  // namespace gpuplan::detail
